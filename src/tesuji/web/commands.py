"""The commands of the page: each takes a tab and the fields of a request, and returns what the answer holds.

Nothing of a request is trusted: whatever is wrong with it is a UserError of one sentence.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.picture.board import Point
from tesuji.core.picture.drawing import describe, draw
from tesuji.core.position import Position
from tesuji.io.sgf import sgf_text
from tesuji.io.sgf.markup import KINDS, LABEL, LONGEST_LABEL, put_mark
from tesuji.io.sgf.played import INFO, open_tree, sgf_of, take_info
from tesuji.play.clock import parse_clock
from tesuji.play.game import OF_COMPUTER, OVER, SCORING, GameInPlay, can_set_up, handicap_start, set_up, with_komi
from tesuji.play.side import PlayerChoice
from tesuji.play.tree import LONGEST_COMMENT, MoveTree
from tesuji.web import catalogue
from tesuji.web.choice import ANALYSE, PLAY, SOLVE, check_program, make_player, read_choice, read_limits
from tesuji.web.fields import MOST_BODY, Fields, bytes_of, is_side, moves_of, number_of, side_of, text_of, whole_of
from tesuji.web.links import read_link
from tesuji.web.messages import choice_data, side_data
from tesuji.web.pictures import points_named
from tesuji.web.tab import HINT_LIMITS, PAUSED, LiveAnalysis, Stale, Tab

Handler = Callable[[Tab, Fields], Awaitable[dict[str, Any] | None]]
COMMANDS: dict[str, Handler] = {}
GUARDED: set[str] = set()  # commands that need the generation
MOST_DELETED = 20
MOST_DRAWINGS = 20
MISTAKE = 0.05  # what a move must lose to be shown as one
POSITION_LIMITS = Limits(seconds=0.5)
COMPARE_LIMITS = Limits(seconds=10.0)


def command(name: str, guarded: bool = False) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        COMMANDS[name] = handler
        if guarded:
            GUARDED.add(name)
        return handler

    return register


async def run(tab: Tab, name: str, fields: Fields) -> dict[str, Any]:
    """Does a command; a UserError says what is wrong with it."""
    if name in GUARDED and fields.get("generation") != tab.generation:
        raise Stale("the position has changed meanwhile; nothing was done")
    return {"ok": True, **(await COMMANDS[name](tab, fields) or {})}


# -- games -------------------------------------------------------------------------------------------------------------
@command("new")
async def new(tab: Tab, fields: Fields) -> None:
    game = tab.hub.find_game(fields.get("game", tab.game.name))
    komi = number_of(fields, "komi")
    if komi is not None:
        game = with_komi(game, komi)
    handicap = whole_of(fields, "handicap", 0, 100, 0)
    start = handicap_start(game, handicap) if handicap else game.start
    last = [side_data(side) for side in tab.last_sides]  # if they can play it
    sides = tab.read_sides(fields.get("sides", last), game)
    clock = text_of(fields, "clock", default="")
    info = {"handicap": str(handicap)} if handicap else None
    tab.begin(with_moves(start, moves_of(fields)), sides, "a new game", info, parse_clock(clock) if clock else None)


def with_moves(start: Position, moves: list[str]) -> MoveTree:
    played = GameInPlay(MoveTree(start))
    played.play_all(moves)
    return played.tree


@command("move", guarded=True)
async def move(tab: Tab, fields: Fields) -> None:
    text = text_of(fields, "move")
    turn = tab.turn
    if turn == OF_COMPUTER:
        raise UserError("it is the computer's turn")
    if turn in (OVER, SCORING):
        raise UserError("the game is over here: go back, or begin a new one")
    tab.play(text)


@command("goto")
async def goto(tab: Tab, fields: Fields) -> None:
    tab.go_to(tab.tree.node(fields.get("node")).id)


@command("drawings")
async def drawings(tab: Tab, fields: Fields) -> dict[str, Any]:
    """What positions of the game tree look like, so that the page can show them before it is answered."""
    numbers = fields.get("nodes")
    if not isinstance(numbers, list) or len(numbers) > MOST_DRAWINGS:
        raise UserError(f'"nodes" must be a list of {MOST_DRAWINGS} nodes at most')
    found = {}
    for given in numbers:
        node = tab.tree.node(given).id
        found[node] = draw(tab.tree.position(node), with_moves=False)
        await asyncio.sleep(0)  # other requests come between
    return {"drawings": found}


@command("undo", guarded=True)
async def undo(tab: Tab, _fields: Fields) -> None:
    tab.undo()


@command("redo", guarded=True)
async def redo(tab: Tab, _fields: Fields) -> None:
    tab.redo()


@command("resign", guarded=True)
async def resign(tab: Tab, _fields: Fields) -> None:
    tab.resign()


@command("agree", guarded=True)
async def agree(tab: Tab, fields: Fields) -> None:
    dead = fields.get("dead")
    tab.agree(None if dead is None else points_named(tab.game, dead))


@command("play-on", guarded=True)
async def play_on(tab: Tab, _fields: Fields) -> None:
    tab.play_on()


@command("sides")
async def sides(tab: Tab, fields: Fields) -> None:
    tab.choose(tab.read_sides(fields.get("sides"), tab.game))
    tab.paused = False
    tab.moved("the players have changed")


@command("pause")
async def pause(tab: Tab, fields: Fields) -> None:
    paused = fields.get("paused")
    if not isinstance(paused, bool):
        raise UserError('"paused" must be true or false')
    tab.paused = paused
    if paused and tab.turn == PAUSED:
        tab.tasks.stop_foreground()
    tab.go_on()


@command("setup")
async def setup(tab: Tab, fields: Fields) -> None:
    stones, to_move = read_stones(tab.game, fields.get("stones"), fields.get("to_move", 0))
    if fields.get("keep"):
        tab.played.set_up(stones, to_move)
        tab.go_to(tab.tree.current, "a position is set up")
        return
    tab.begin(MoveTree(set_up(tab.game.start, stones, to_move)), tab.played.sides, "a position is set up")
    tab.paused = tab.turn in (OF_COMPUTER, PAUSED)
    if tab.paused:
        tab.tasks.stop_foreground()
        tab.go_on()


def read_stones(game: Game, stones: Any, to_move: Any) -> tuple[dict[Point, int], int]:
    """The stones of a position that is to be set up, and who moves."""
    if not can_set_up(game):
        raise UserError(f"positions of {game.name} cannot be set up")
    if not isinstance(stones, dict) or not all(map(is_side, stones.values())):
        raise UserError('"stones" must be an object of places, each with 0 or 1: whose stone is there')
    if not is_side(to_move):
        raise UserError('"to_move" must be 0 or 1')
    return dict(zip(points_named(game, list(stones)), stones.values(), strict=True)), to_move


# -- the tree of the game ------------------------------------------------------------------------------------------------
@command("comment")
async def comment(tab: Tab, fields: Fields) -> None:
    node = tab.tree.node(fields.get("node"))
    node.comment = text_of(fields, "text", LONGEST_COMMENT)
    tab.tree.changed.add(node.id)
    tab.outbox.state()


@command("mark")
async def mark(tab: Tab, fields: Fields) -> None:
    node, kind = tab.tree.node(fields.get("node")), text_of(fields, "kind")
    text = text_of(fields, "text", LONGEST_LABEL, "")
    (point,) = points_named(tab.game, [text_of(fields, "at")])
    if kind not in KINDS or (kind == LABEL and not text.strip()):
        raise UserError(f'"kind" must be one of {", ".join(KINDS)}; a label has a "text"')
    put_mark(node.properties, tab.game, point, kind, text)
    tab.tree.changed.add(node.id)
    tab.outbox.state()


@command("delete")
async def delete(tab: Tab, fields: Fields) -> dict[str, Any]:
    number, before = tab.tree.node(fields.get("node")).id, tab.tree.current
    deleted = tab.tree.delete(number)
    key = secrets.token_hex(8)
    tab.deleted[key] = deleted
    while len(tab.deleted) > MOST_DELETED:
        del tab.deleted[next(iter(tab.deleted))]
    if tab.tree.current != before:
        tab.go_to(tab.tree.current, "a variation is deleted")
    tab.outbox.state()
    return {"undo": key}


@command("restore")
async def restore(tab: Tab, fields: Fields) -> None:
    key = text_of(fields, "undo")
    if key not in tab.deleted:
        raise UserError("this variation was deleted too long ago to be put back")
    tab.tree.restore(tab.deleted[key])
    del tab.deleted[key]
    tab.outbox.state()


@command("promote")
async def promote(tab: Tab, fields: Fields) -> None:
    tab.tree.promote(tab.tree.node(fields.get("node")).id)
    tab.outbox.state()


# -- searching -----------------------------------------------------------------------------------------------------------
def _demand_play(tab: Tab) -> None:
    if tab.turn in (OVER, SCORING):
        raise UserError("the game is over here: there is nothing to search")


@command("hint", guarded=True)
async def hint(tab: Tab, fields: Fields) -> None:
    _demand_play(tab)
    limits = read_limits(fields, HINT_LIMITS)
    tab.tasks.start_hint(checked_choice(tab, fields, ANALYSE), limits)


def checked_choice(tab: Tab, fields: Fields, to: str) -> PlayerChoice:
    """The player of a request, if it can do that in this game."""
    choice = read_choice(fields)
    if choice.is_program:
        check_program(choice, tab.hub.programs, to)
    else:
        make_player(choice, tab.game, to, tab.hub.own_player, 1e9)
    return choice


@command("analyse")
async def analyse(tab: Tab, fields: Fields) -> None:
    if fields.get("on", True) is not True:
        tab.analysis_on = None
        if tab.tasks.foreground is not None and tab.tasks.foreground.name == "analyse":
            tab.tasks.stop_foreground()
    else:
        choice = checked_choice(tab, fields, ANALYSE)
        tab.analysis_on = LiveAnalysis(choice, bool(fields.get("ownership")), read_region(tab.game, fields.get("region")))
        if tab.tasks.foreground is not None and tab.tasks.foreground.name == "analyse":
            tab.tasks.stop_foreground()
    tab.go_on()


def read_region(game: Game, given: Any) -> tuple[str, ...]:
    """The places at which moves are to be analysed; none = everywhere."""
    known = {place["name"] for place in describe(game)["places"]}
    if not isinstance(given or [], list) or not all(isinstance(name, str) and name in known for name in given or []):
        raise UserError('"region" must be a list of places of the board')
    return tuple(given or ())


@command("teach")
async def teach(tab: Tab, fields: Fields) -> None:
    loss = number_of(fields, "loss")
    if loss is not None and not 0 < loss < 1:
        raise UserError('"loss" must be a number above 0 and below 1, or null')
    tab.teach(loss)


@command("mistake-ok", guarded=True)
async def mistake_ok(tab: Tab, _fields: Fields) -> None:
    tab.mistake = None
    tab.go_on()


@command("analyse-game")
async def analyse_game(tab: Tab, fields: Fields) -> None:
    limits = read_limits(fields, POSITION_LIMITS)
    threshold = number_of(fields, "threshold")
    threshold = MISTAKE if threshold is None else threshold
    if not 0 <= threshold <= 1:
        raise UserError('"threshold" must be a number from 0 to 1')
    choice = checked_choice(tab, fields, ANALYSE)
    tab.tasks.start_game_analysis(choice, limits, threshold)


@command("compare", guarded=True)
async def compare(tab: Tab, fields: Fields) -> None:
    _demand_play(tab)
    given = fields.get("players")
    if not isinstance(given, list) or len(given) != 2:
        raise UserError('"players" must be a list of two players')
    choices = [checked_choice(tab, one, ANALYSE) if isinstance(one, dict) else read_choice(one) for one in given]
    limits = read_limits(fields, COMPARE_LIMITS)
    tab.tasks.start_compare(choices, limits)


@command("solve", guarded=True)
async def solve(tab: Tab, fields: Fields) -> None:
    _demand_play(tab)
    limits = read_limits(fields, Limits())
    tab.tasks.start_solve(checked_choice(tab, fields, SOLVE), limits)


@command("stop")
async def stop(tab: Tab, _fields: Fields) -> None:
    tab.tasks.stop()


async def ask(tab: Tab, what: str, **fields: Any) -> dict[str, Any]:
    """Something quick of the engine, answered in the answer of the command."""
    engine = await tab.tasks.engine()
    return await engine.ask(what, **fields).result


@command("tree", guarded=True)
async def tree(tab: Tab, fields: Fields) -> dict[str, Any]:
    generation, moves = tab.generation, moves_of(fields)
    slot = whole_of(fields, "slot", 0, 1, 0)
    found = await ask(tab, "tree", **tab.tasks.where(tab.position), moves=moves, slot=slot)
    names = ("player", "rule", "formula", "about", "node", "children")
    return {"generation": generation, **{name: found[name] for name in names}}


@command("network")
async def network(tab: Tab, _fields: Fields) -> dict[str, Any]:
    """Of the position that is shown now, whichever the page has seen last: it asks again when it is told of another."""
    generation, position = tab.generation, tab.position
    if position.is_over:
        return {"generation": generation, "moves": []}
    found = await ask(tab, "network", **tab.tasks.where(position))
    names = ("network", "mover", "chance", "win", "draw", "loss", "score", "best", "moves")
    return {"generation": generation, **{name: found[name] for name in names}}


@command("step", guarded=True)
async def step(tab: Tab, fields: Fields) -> dict[str, Any]:
    generation, position = tab.generation, tab.position
    _demand_play(tab)
    choice = checked_choice(tab, fields, ANALYSE)
    found = await ask(tab, "step", **tab.tasks.where(position), player=choice_data(choice))
    end = Position(position.game, position.begin).after(found["end_moves"])
    names = ("playouts", "path", "expanded", "line", "playout", "outcome", "score", "text")
    return {"generation": generation, **{name: found[name] for name in names}, "end": draw(end)}


# -- proofs --------------------------------------------------------------------------------------------------------------
@command("certificate")
async def certificate(tab: Tab, _fields: Fields) -> dict[str, Any]:
    return await _certificate(tab)


async def _certificate(tab: Tab) -> dict[str, Any]:
    if tab.tree.current not in tab.proofs:
        raise UserError("there is no proof of this position: solve it first")
    found = await ask(tab, "certificate", **tab.tasks.where(tab.position))
    name = tab.game.name.replace(":", "-").replace("/", "-")
    return {"name": f"{name}.cert", "base64": found["base64"], "nodes": found["nodes"]}


@command("certificate-open")
async def certificate_open(tab: Tab, fields: Fields) -> dict[str, Any]:
    name = text_of(fields, "name", default="the file")
    bytes_of(fields, "base64", f"{shortened(name)} is not a certificate")
    file: dict[str, Any] = {"base64": fields["base64"], "name": name}
    for limit in ("positions", "seconds", "memory"):
        if fields.get(limit) is not None:
            file[limit] = whole_of(fields, limit, 1, 1_000_000_000, 1)
    engine = await tab.tasks.engine()
    request = engine.ask("certificate-open", lambda message: tab.tasks.tell_progress("certificate", message), **file)
    found = await request.result
    game = tab.hub.find_game(found["game"])
    tab.begin(with_moves(game.start, found["moves"]), None, "a certificate is open")
    tab.take_certificate(file, engine, found)
    return {"certificate": tab.certificate}


@command("proof-open", guarded=True)
async def proof_open(tab: Tab, _fields: Fields) -> dict[str, Any]:
    """Opens the proof of this position as a certificate, checked like any other; the game stays as it is."""
    generation = tab.generation
    made = await _certificate(tab)
    engine = await tab.tasks.engine()
    file = {"base64": made["base64"], "name": made["name"]}
    found = await engine.ask("certificate-open", lambda message: tab.tasks.tell_progress("certificate", message), **file).result
    if generation != tab.generation:
        raise Stale("the position has changed meanwhile; nothing was opened")
    tab.take_certificate(file, engine, found)
    return {"certificate": tab.certificate}


@command("certificate-walk")
async def certificate_walk(tab: Tab, fields: Fields) -> dict[str, Any]:
    if tab.certificate is None or tab.certificate_data is None:
        raise UserError("no certificate is open")
    moves, side = moves_of(fields), side_of(fields, "side")
    if tab.hub.engines.known(tab.name) is not tab.certificate_engine:  # another one: it reads the certificate again
        await ask(tab, "certificate-open", **tab.certificate_data)
        tab.certificate_engine = tab.hub.engines.known(tab.name)
    found = await ask(tab, "certificate-walk", moves=moves, side=side)
    game = tab.hub.find_game(tab.certificate["game"])
    position = game.start.after(found["origin_moves"])
    names = ("moves", "added", "legal", "to_move", "phase", "why", "claim", "over")
    return {**{name: found[name] for name in names}, "position": draw(position)}


@command("certificate-close")
async def certificate_close(tab: Tab, _fields: Fields) -> None:
    tab.certificate = tab.certificate_data = None
    tab.outbox.state()


# -- files and links -----------------------------------------------------------------------------------------------------
@command("sgf-save")
async def sgf_save(tab: Tab, _fields: Fields) -> dict[str, Any]:
    node = await asyncio.to_thread(sgf_of, tab.tree, tab.file_info())
    return {"name": tab.file_name(), "text": sgf_text([node])}


@command("info")
async def info(tab: Tab, fields: Fields) -> None:
    values = fields.get("values")
    if not isinstance(values, dict) or not all(name in INFO for name in values):
        raise UserError(f'"values" must be an object; its names may be {", ".join(INFO)}')
    tab.info |= {name: text_of(values, name).strip() for name in values}
    tab.outbox.state()


@command("sgf-open")
async def sgf_open(tab: Tab, fields: Fields) -> dict[str, Any]:
    name = text_of(fields, "name", default="the file")
    given = (
        text_of(fields, "text", MOST_BODY) if "text" in fields else bytes_of(fields, "base64", f"{shortened(name)} is no file")
    )
    number = whole_of(fields, "number", 1, 1_000_000, 1)
    tree, record, games = await asyncio.to_thread(open_tree, given, name, number, tab.hub.own_game)
    about = {**take_info(tree, record), "file": name.rpartition("/")[2]}
    tab.begin(tree, None, f"{shortened(name, 80)} is open", about)
    tab.notes = record.notes
    tab.outbox.state()
    return {"games": games, "notes": record.notes}


@command("link")
async def link(tab: Tab, _fields: Fields) -> dict[str, Any]:
    return {"fragment": tab.link()}


@command("open-link")
async def open_link(tab: Tab, fields: Fields) -> None:
    found = read_link(fields.get("fragment"))
    game = tab.hub.find_game(found["game"])
    chosen = tab.read_sides(found["sides"], game) if "sides" in found else None
    start = game.start
    if "stones" in found:
        start = set_up(start, *read_stones(game, found["stones"], found["to_move"]))
    tab.begin(with_moves(start, found["moves"]), chosen, "the game of the link")


# -- lists ---------------------------------------------------------------------------------------------------------------
@command("games")
async def games(tab: Tab, _fields: Fields) -> dict[str, Any]:
    return {"games": catalogue.games(tab.hub.own_game)}


@command("players")
async def players(tab: Tab, fields: Fields) -> dict[str, Any]:
    game = tab.hub.find_game(fields["game"]) if fields.get("game") is not None else tab.game
    names = list(game.player_names)[: game.players]
    return {"players": catalogue.players(game, tab.hub.own_player, tab.hub.programs), "player_names": names}


@command("parameters")
async def parameters(tab: Tab, fields: Fields) -> dict[str, Any]:
    game = tab.hub.find_game(fields["game"]) if fields.get("game") is not None else tab.game
    to = fields.get("to", PLAY)
    if to not in (PLAY, ANALYSE):
        raise UserError(f'"to" must be "{PLAY}" or "{ANALYSE}"')
    return catalogue.parameters_of(read_choice(fields), game, tab.hub.own_player, to)


@command("close")
async def close(tab: Tab, _fields: Fields) -> None:
    tab.hub.forget(tab.name)

"""The state of one tab: a game tree, who plays, what has happened. It lives on when the connection does not.

Everything here runs in the server's one thread. What a search has to say comes from the engine's process (`tasks.py`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tesuji import __version__
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.picture.board import Point
from tesuji.core.picture.drawing import describe, draw
from tesuji.core.position import Position
from tesuji.core.words import end_text, has_scores
from tesuji.knowledge.registry import family, ownership_of
from tesuji.knowledge.scoring import rule_text, status_for, without_stones
from tesuji.players.levels import FULL
from tesuji.players.presets import default_player
from tesuji.web.choice import PLAY, make_player, read_choice, read_limits
from tesuji.web.fields import is_whole
from tesuji.web.gametree import ROOT, GameTree
from tesuji.web.links import write_link
from tesuji.web.outbox import Outbox
from tesuji.web.pictures import named_points, place_names
from tesuji.web.tasks import Tasks

if TYPE_CHECKING:
    from tesuji.web.engine import EngineHandle
    from tesuji.web.hub import Hub

PERSON: dict[str, Any] = {"kind": "person"}
DOING = {"pass": "passes", "swap": "swaps", "swap-pieces": "swaps"}  # moves that are made at no place
USUAL_LIMITS = Limits(seconds=1.0)
HINT_LIMITS = Limits(seconds=2.0)


class Stale(UserError):
    """A command for a position that is not shown any more."""


class Tab:
    def __init__(self, name: str, hub: Hub):
        self.name = name
        self.hub = hub
        self.outbox = Outbox(self.messages)
        self.generation = 0
        self._suggested = -1  # the generation of the last hint that nobody asked for
        self.sides: list[dict[str, Any]] = [dict(PERSON), dict(PERSON)]
        self.last_sides = self.sides  # as they were chosen last, for two players; files and puzzles have people alone
        self.paused = False
        self.message = ""
        self.notes: list[str] = []
        self.info: dict[str, str] = {}  # who played, where and when, as `records.INFO` names it; and the file it came from
        self.analysis_on: dict[str, Any] | None = None
        self.certificate: dict[str, Any] | None = None
        self.certificate_data: dict[str, Any] | None = None  # as it was sent, in case the engine must read it again
        self.certificate_engine: EngineHandle | None = None  # the one that has read it
        self.deleted: dict[str, dict[str, Any]] = {}
        self.is_known = False  # a command has come: the page has what the server sent
        self.used = time.monotonic()
        self.tasks = Tasks(self)
        self.tree = GameTree(hub.game.start)
        self._game_is_new = True
        tree, info = hub.first_tree()
        self.begin(tree, hub.default_sides(), "", info)

    # -- the game ------------------------------------------------------------------------------------------------------
    @property
    def game(self) -> Game:
        return self.tree.game

    @property
    def position(self) -> Position:
        return self.tree.position()

    def begin(
        self, tree: GameTree, sides: list[dict[str, Any]] | None, message: str, info: dict[str, str] | None = None
    ) -> None:
        """Goes on with another game tree."""
        self.tasks.stop_all()
        self._game_is_new = True
        if family(tree.game) != family(self.tree.game):  # whose players are others
            self.last_sides = [
                dict(side) | ({"player": None, "parameters": {}} if "player" in side else {}) for side in self.last_sides
            ]
        self.tree = tree
        self.ended: dict[int, dict[str, Any]] = {}  # by node: who resigned there, or which stones are dead
        self.proofs: dict[int, dict[str, Any]] = {}
        self.dead: list[Point] | None = None  # proposed, in the phase `scoring`
        self._captures: dict[int, tuple[int, int]] = {ROOT: (0, 0)}
        self._names_of_places: dict[Point, str] | None = None
        self.deleted = {}
        self.certificate = self.certificate_data = None  # its positions may be of another game
        self.notes = []
        self.info = dict(info or {})
        self.sides = [dict(PERSON), dict(PERSON)]
        if sides is not None:
            self.choose(sides)
        self.paused = False
        if self.analysis_on is not None:
            try:
                make_player(self.analysis_on, tree.game, "analyse", self.hub.own_player, 1e9)
            except UserError:
                self.analysis_on = None
        self.moved(message)

    def moved(self, message: str) -> None:
        """Another position is shown: what was computed for the one before is dropped, and whoever is to move begins."""
        self.generation += 1
        self.message = message
        self.dead = None
        self.outbox.forget_latest()
        self.tasks.stop_foreground()
        self.go_on()

    def go_on(self) -> None:
        """Starts what is to be done in this position: the computer's move, the score, the analysis."""
        self.outbox.state()
        if self.tasks.is_running:
            return
        turn = self.turn
        if turn == "computer":
            self.tasks.start_move()
        elif turn == "scoring" and self.dead is None:
            self.tasks.start_score()
        elif self.analysis_on is not None and turn in ("person", "paused"):
            self.tasks.start_analysis()
        elif self.hub.suggests and turn == "person" and self._suggested != self.generation:
            self._suggested = self.generation
            self.tasks.start_hint({"player": None, "parameters": {}}, HINT_LIMITS.seconds, HINT_LIMITS.playouts)

    @property
    def turn(self) -> str:
        position, end = self.position, self.ended.get(self.tree.current)
        if end is not None:
            return "over"
        if position.is_over:
            return "scoring" if status_for(self.game) is not None else "over"
        if self.sides[int(rules.to_play(position.state))]["kind"] == "person":
            return "person"
        return "paused" if self.paused else "computer"

    @property
    def has_person(self) -> bool:
        return any(side["kind"] == "person" for side in self.sides[: self.game.players])

    # -- moving ----------------------------------------------------------------------------------------------------------
    def play(self, text: str) -> None:
        position = self.position
        if self.ended.get(self.tree.current) is not None or position.is_over:
            raise UserError("the game is over here: go back, or begin a new one")
        mover = int(rules.to_play(position.state))
        was_person = self.sides[mover]["kind"] == "person"
        node = self.tree.play(text)
        self.tree.go_to(node)
        if was_person:
            self.paused = False
        text, name = self.tree[node].move or "", self._subject(mover)
        taken = self._taken(node)[mover] - self._taken(self.tree[node].parent or ROOT)[mover]
        doing = DOING.get(text.lower(), f"plays {text}")
        self.moved(f"{name} {doing}" + (f", taking {taken}" if taken > 0 else ""))

    def _subject(self, mover: int) -> str:
        """A player at the beginning of a sentence. Names of one letter are signs on the board, and stay as they are."""
        name = self.game.player_names[mover]
        return name if len(name) < 2 else name[0].upper() + name[1:]

    def go_to(self, number: int, message: str = "") -> None:
        self.tree.go_to(number)
        self.paused = True  # a computer that is to move here waits: looking around makes no moves
        self.paused = self.turn == "paused"
        self.moved(message)

    def undo(self) -> None:
        node = self.tree[self.tree.current]
        if node.parent is None:
            raise UserError("this is the start of the game: there is nothing to take back")
        number = node.parent
        while self.has_person and not self._is_persons_turn(number) and self.tree[number].parent is not None:
            number = self.tree[number].parent or ROOT
        self.go_to(number, "one move back" if self.tree[number].id == node.parent else "back to your last move")

    def redo(self) -> None:
        number = self.tree.next_shown()
        if number is None:
            raise UserError("there is no move after this one")
        while self.has_person and not self._is_persons_turn(number):
            following = self.tree.next_shown(number)
            if following is None:
                break
            number = following
        self.go_to(number)

    def _is_persons_turn(self, number: int) -> bool:
        position = self.tree.position(number)
        return position.is_over or self.sides[int(rules.to_play(position.state))]["kind"] == "person"

    def resign(self) -> None:
        turn = self.turn
        if turn in ("over", "scoring"):
            raise UserError("the game is over: there is nothing to resign")
        if self.game.players == 1:
            raise UserError("nobody is there to resign to")
        mover = int(rules.to_play(self.position.state))
        loser = mover if self.sides[mover]["kind"] == "person" or not self.has_person else 1 - mover
        self.ended[self.tree.current] = {"resigned": loser}
        self.moved(f"{self._subject(loser)} resigns")

    def agree(self, dead: list[Point] | None) -> None:
        if self.turn != "scoring":
            raise UserError("there is no score to agree on: that comes after two passes")
        if dead is None and self.dead is None:
            raise UserError("the dead stones are still being looked for")
        chosen = self.dead or [] if dead is None else dead
        without_stones(self.game, self.position.state, chosen)  # a UserError if that is no position
        self.ended[self.tree.current] = {"dead": [tuple(point) for point in chosen]}
        self.moved("the score is agreed on")

    def play_on(self) -> None:
        """Goes on after two passes, with the same stones and the same player to move."""
        position, board = self.position, self.game.board
        if not position.is_over or board is None or board.set_up is None or status_for(self.game) is None:
            raise UserError("play on is possible only after two passes, in Go")
        mover = int(rules.to_play(position.state))
        state = board.set_up(position.state, board.stones(position.state), mover)
        node = self.tree.add(self.tree.current, setup=Position(self.game, state))
        self.go_to(node.id, "the game goes on")

    def _taken(self, number: int) -> tuple[int, int]:
        """The stones that each player has taken on the way to a node."""
        board = self.game.board
        if board is None or not board.captures or self.game.players == 1:
            return 0, 0
        path = self.tree.path(number)
        known = next(place for place in range(len(path) - 1, -1, -1) if path[place] in self._captures)
        for before, after in zip(path[known:], path[known + 1 :], strict=False):
            taken, node = list(self._captures[before]), self.tree[after]
            if node.mover is not None:
                old, new = (board.stones(self.tree.position(at).state) for at in (before, after))
                other = 1 - node.mover
                lost = sum(owner == other for owner in old.values()) - sum(owner == other for owner in new.values())
                taken[node.mover] += max(0, lost)
            self._captures[after] = (taken[0], taken[1])
        return self._captures[number]

    # -- who plays -----------------------------------------------------------------------------------------------------------
    def read_sides(self, given: Any, game: Game) -> list[dict[str, Any]]:
        """The sides of a request, each checked for the game."""
        if not isinstance(given, list) or len(given) != 2:
            raise UserError('"sides" must be a list of two: who plays first, and who second')
        return [read_side(side, game, self.hub.own_player) for side in given]

    def choose(self, sides: list[dict[str, Any]]) -> None:
        self.sides = sides
        if self.game.players == 2:
            self.last_sides = sides

    # -- what is told ------------------------------------------------------------------------------------------------------
    def messages(self, everything: bool) -> list[tuple[str, dict[str, Any]]]:
        """What the page must know now: the game if it is new, and the state."""
        found: list[tuple[str, dict[str, Any]]] = []
        if self._game_is_new or everything:
            found.append(("game", self.game_data()))
        self._game_is_new = False
        return [*found, ("state", self.state_data(everything))]

    def hello(self) -> dict[str, Any]:
        return {"version": __version__, "is_new": not self.is_known, **self.hub.hello()}

    def game_data(self) -> dict[str, Any]:
        game, board = self.game, self.game.board
        start_moves = [text.lower() for text in game.start.legal_moves]
        return {
            "name": game.name,
            "family": family(game),
            "title": game.title or game.name,
            "players": game.players,
            "player_names": list(game.player_names),
            "outcomes": [game.in_points(outcome) for outcome in game.outcomes],
            "draw_value": None if game.draw_outcome is None else game.in_points(game.draw_outcome),
            "has_scores": has_scores(game),
            "board": describe(game),
            "can_set_up": board is not None and board.set_up is not None,
            "can_pass": "pass" in start_moves,
            "handicap": board is not None and board.handicap is not None,
            "komi": game.extra.get("komi"),
            "ownership": ownership_of(game) is not None,
            "sgf": True,
            "default_player": default_player(game).name if self.hub.own_player is None else self.hub.own_player,
        }

    def state_data(self, everything: bool) -> dict[str, Any]:
        position, node, turn = self.position, self.tree[self.tree.current], self.turn
        over = turn in ("over", "scoring")
        legal = [] if over else list(position.legal_moves)
        lower = [text.lower() for text in legal]
        taken = self._taken(node.id)
        root = self.tree[ROOT]
        return {
            "generation": self.generation,
            "node": node.id,
            "position": draw(position),
            "moves": legal,
            "text": str(position),
            "to_move": None if over else int(rules.to_play(position.state)),
            "turn": turn,
            "last_move": node.move,
            "last_mover": node.mover,
            "ply": node.ply,
            "captures": list(taken) if any(taken) else None,
            "result": self.result(),
            "scoring": self._scoring_data() if turn == "scoring" else None,
            "message": self.message,
            "sides": self.sides,
            "last_sides": self.last_sides,
            "paused": self.paused,
            "running": self.tasks.data(),
            "analysis_on": self.analysis_on,
            "can": {
                "undo": node.parent is not None,
                "redo": bool(node.children),
                "resign": not over and self.game.players == 2,
                "pass": "pass" in lower,
                "swap": any(text.startswith("swap") for text in lower),
            },
            "setup": None if root.setup is None or root.setup == self.game.start else True,
            "certificate": self.certificate,
            "proof": self.proofs.get(node.id),
            "notes": self.notes,
            "info": {name: text for name, text in self.info.items() if name != "file"},
            "link": self.link(),
            "tree": self.tree.take_changes(everything),
        }

    def result(self) -> dict[str, Any] | None:
        position, end = self.position, self.ended.get(self.tree.current)
        game = self.game
        if end is not None and "resigned" in end:
            winner = 1 - end["resigned"]
            text = f"{game.player_names[winner]} wins by resignation"
            return {"text": text, "sgf": f"{'BW'[winner]}+R", "winner": winner, "outcome": None}
        if not position.is_over or self.turn == "scoring":
            return None
        dead = () if end is None else end["dead"]
        final = without_stones(game, position.state, dead) if dead else position.state
        outcome = int(rules.outcome(final))
        rule = rule_text(game, dead, status_for(game) is not None)
        side = None if game.players == 1 else game.winner(outcome, outcome)
        return {
            "text": end_text(game, outcome) + (f"; {rule}" if rule else ""),
            "sgf": "" if game.players == 1 else game.result(final),
            "winner": None if side is None or side < 0 else side,
            "outcome": game.in_points(outcome),
        }

    def _scoring_data(self) -> dict[str, Any]:
        if self.dead is None:
            return {"dead": None, "text": "looking for dead stones"}
        final = without_stones(self.game, self.position.state, self.dead)
        text = end_text(self.game, int(rules.outcome(final)))
        return {"dead": named_points(self.game, self.dead), "text": text}

    def places(self) -> dict[Point, str]:
        if self._names_of_places is None:
            self._names_of_places = place_names(self.game)
        return self._names_of_places

    def setup_data(self, position: Position) -> dict[str, Any] | None:
        """The stones that a position was set up with; None if it is the start of the game."""
        board = self.game.board
        if board is None or position == self.game.start:
            return None
        names = self.places()
        stones = {names[point]: owner for point, owner in board.stones(position.state).items() if point in names}
        return {"stones": stones, "to_move": int(rules.to_play(position.state))}

    def link(self) -> str:
        """What restores the line that is shown; where a position was set up in its midst, from there on."""
        nodes = [self.tree[number] for number in self.tree.path()]
        begin = max(place for place, node in enumerate(nodes) if node.setup is not None)
        start = nodes[begin].setup
        assert start is not None
        moves = [node.move for node in nodes[begin + 1 :] if node.move is not None]
        return write_link(self.game.name, moves, self.sides, self.setup_data(start))

    def file_info(self) -> dict[str, str]:
        """For a file: what is known of the game, with its players and, at its end, its result."""
        found, result = dict(self.info), self.result()
        for name, side in zip(("black", "white"), self.sides, strict=True):
            if not found.get(name) and side["kind"] == "person":
                found[name] = "person"
            elif not found.get(name):
                found[name] = f"tesuji ({side.get('player') or default_player(self.game).name}, level {side['level']})"
        if result is not None and result["sgf"]:
            found["result"] = result["sgf"]
        return found

    def file_name(self) -> str:
        """That of the file that was opened, else who played, else the game."""
        names = [self.info.get(name) for name in ("black", "white")]
        game = self.game.name.rpartition("/")[2].replace(".py:", "-") if self.game.source else self.game.name
        name = self.info.get("file") or (" - ".join(filter(None, names)) if all(names) else game)
        stem = re.sub(r"[^\w .,()+-]+", "-", name.removesuffix(".gz").removesuffix(".sgf")).strip(" .-")
        return f"{stem or 'game'}.sgf"


def read_side(given: Any, game: Game, own_player: str | None) -> dict[str, Any]:
    """A side of a request, complete and checked."""
    if not isinstance(given, Mapping) or given.get("kind") not in ("person", "computer"):
        raise UserError('a side is {"kind": "person"} or {"kind": "computer", "level": 5}')
    if given["kind"] == "person":
        return dict(PERSON)
    level = given.get("level", FULL)
    if not is_whole(level) or not 1 <= level <= FULL:
        raise UserError(f"a level is a whole number from 1 (beginner) to {FULL} (full strength)")
    choice = read_choice(given)
    player = make_player(choice, game, PLAY, own_player, 1e9)
    own = replace(player.limits, cpu=None)  # the page has no field for it
    limits = read_limits(given, USUAL_LIMITS if own == Limits() else own)
    return {"kind": "computer", "level": level, **choice, "seconds": limits.seconds, "playouts": limits.playouts}

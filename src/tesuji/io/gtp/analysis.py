"""Analysis that is told while it goes on, in the forms of Leela Zero (lz-) and KataGo (kata-).

One line holds every move that was tried, best first: visits, the mover's chance to win, prior, the lower end of a 95% interval
of the chance, place in the order, and the expected line. lz-analyze and kata-analyze go on until any line arrives.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING

from tesuji.core.errors import UserError
from tesuji.core.game import Game, State
from tesuji.core.limits import Limits
from tesuji.core.position import Position
from tesuji.io.gtp.commands import command
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.moves import line_texts, move_text, parse_move
from tesuji.io.gtp.protocol import GtpError, whole_number
from tesuji.knowledge.network.evaluation import evaluator_for
from tesuji.knowledge.registry import ownership_of
from tesuji.play.live_analysis import WIDENING, owners_after_line
from tesuji.play.time_plan import LEAST
from tesuji.search.report.analysis import score_of

if TYPE_CHECKING:
    from tesuji.search.engine.final_move import Outcomes
    from tesuji.search.engine.tree_search import Result, TreeSearch

LZ, KATA = "lz", "kata"
DEFAULT_INTERVAL, LEAST_INTERVAL, MOST_INTERVAL = 1.0, 0.05, 1e6
FIRST_LOOK = 0.1  # seconds: an analysis that is stopped at once still tells something
CENTISECOND = 0.01
IDLE = 0.5  # seconds between two looks when all is proven
TAKEN = ("interval", "minmoves", "maxmoves", "ownership", "rootInfo", "avoid", "allow")
IGNORED = ("movesOwnership", "ownershipStdev", "pvVisits", "pvEdgeVisits")
USAGE = (
    "[COLOUR] [INTERVAL] [interval N] [minmoves N] [maxmoves N] [ownership true|false] [rootInfo true|false] "
    "[avoid|allow COLOUR MOVE,... DEPTH]"
)
MOST_DEPTH = 1_000_000


@dataclass
class AnalysisRequest:
    """What the arguments of an analysis ask for."""

    mover: int
    interval: float = DEFAULT_INTERVAL
    fewest_moves: int = 0
    most_moves: int = 1 << 30
    ownership: bool = False
    root: bool = False  # also what is known of the position itself
    network: str = ""  # what a network says of it, for that
    restrictions: list[tuple[str, int, list[str], int]] = field(default_factory=list)  # avoid or allow, colour, moves, depth


def read_request(engine: Engine, words: list[str]) -> AnalysisRequest:
    """[COLOUR] [INTERVAL in hundredths of a second] and names with their values."""
    words = list(words)
    request = AnalysisRequest(engine.played.to_move)
    if words and not words[0].isdecimal() and words[0] not in (*TAKEN, *IGNORED):
        request.mover = engine.colour(words.pop(0))
    if words and words[0].isdecimal():
        request.interval = _interval(words.pop(0))
    while words:
        name = words.pop(0)
        if name not in TAKEN and name not in IGNORED:
            raise GtpError(f"syntax error: {name[:40]!r} is not supported: {USAGE}")
        needed = 3 if name in ("avoid", "allow") else 1
        if len(words) < needed:
            raise GtpError(f"syntax error: {name} needs {'COLOUR MOVE,... DEPTH' if needed == 3 else 'a value'}: {USAGE}")
        values = [words.pop(0) for _ in range(needed)]
        if name == "interval":
            request.interval = _interval(values[0])
        elif name == "minmoves":
            request.fewest_moves = whole_number(values[0], name)
        elif name == "maxmoves":
            request.most_moves = whole_number(values[0], name, 1)
        elif name == "ownership":
            request.ownership = _truth(name, values[0])
        elif name == "rootInfo":
            request.root = _truth(name, values[0])
        elif needed == 3:
            colour = engine.colour(values[0])
            moves = [text for text in values[1].split(",") if text]
            request.restrictions.append((name, colour, moves, whole_number(values[2], "the depth", 1, MOST_DEPTH)))
    if request.ownership and ownership_of(engine.game) is None:
        raise GtpError(f"{engine.game.name} has no ownership of points")
    return request


def _interval(text: str) -> float:
    return min(max(LEAST_INTERVAL, CENTISECOND * whole_number(text, "the interval")), MOST_INTERVAL)


def _truth(name: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise GtpError(f"syntax error: {name} is true or false, not {text[:40]!r}")
    return text.lower() == "true"


def search_for(engine: Engine, position: Position, request: AnalysisRequest) -> TreeSearch:
    """The search of the position: the kept one, or, where moves are to be left out, one of its own."""
    return _restricted(engine, position, request) if request.restrictions else engine.search_at(position)


def _restricted(engine: Engine, position: Position, request: AnalysisRequest) -> TreeSearch:
    """A search without the moves of `avoid`, and of those of `allow` alone."""
    game = engine.game
    depths: dict[tuple[int, int], int] = {}
    for name, colour, texts, depth in request.restrictions:
        state = engine.turned_to(colour).state
        named = {parse_move(game, state, text) for text in texts}
        barred = named if name == "avoid" else set(range(game.move_count)) - named
        depths |= {(colour, move): max(depth, depths.get((colour, move), 0)) for move in barred}
    if all((request.mover, move) in depths for move in game.legal_moves(position.state)):
        raise GtpError("avoid and allow leave no move to analyse")
    return engine.restricted_search(position, depths)


# -- the lines -----------------------------------------------------------------------------------------------------------
def info_line(game: Game, state: State, result: Result, form: str, fewest_moves: int = 0, most_moves: int = 1 << 30) -> str:
    """One line about all moves that were tried, and others if these are fewer than asked for; '' if there is none."""
    tried = [report for report in result.moves if report.visits > 0 or report.lower == report.upper]
    if len(tried) < fewest_moves:
        tried += [report for report in result.moves if report not in tried][: fewest_moves - len(tried)]
    tried = tried[:most_moves]
    priors = sum(max(0.0, report.prior) for report in result.moves)
    parts = []
    for order, report in enumerate(tried):
        chance = result.chance(report.value)
        low = max(0.0, chance - 1.96 * math.sqrt(chance * (1.0 - chance) / max(1, report.visits)))
        prior = max(0.0, report.prior) / priors if priors > 0 else 1.0 / max(1, len(result.moves))
        line = line_texts(game, state, report.pv) or [move_text(game, state, report.move)]
        start = f"info move {move_text(game, state, report.move)} visits {report.visits}"
        if form == LZ:
            numbers = f"winrate {_parts(chance)} prior {_parts(prior)} lcb {_parts(low)}"
        else:
            score = _score(game, result, report.value, report.outcomes)
            numbers = f"winrate {chance:.6f}{score} prior {prior:.6f} lcb {low:.6f}"
        parts.append(f"{start} {numbers} order {order} pv {' '.join(line)}")
    return " ".join(parts)


def ownership_text(position: Position, result: Result) -> str:
    """Whose each point is likely to be after the expected line: 1 the mover's, -1 the opponent's; the top row first."""
    found, board = owners_after_line(position, result), position.game.board
    assert found is not None and board is not None  # `read_request` has refused games without
    sign = 1 if result.to_move == 0 else -1
    points = ((column, row) for row in reversed(range(board.rows)) for column in range(board.columns))
    return "ownership " + " ".join(f"{sign * found[point] + 0.0:.3f}" for point in points)


def _report(engine: Engine, position: Position, result: Result, form: str, request: AnalysisRequest) -> str:
    """The line for the result so far; '' if there is nothing to tell."""
    line = info_line(engine.game, position.state, result, form, request.fewest_moves, request.most_moves)
    if line and request.root and form == KATA:
        line += f" {root_text(engine.game, result)}{request.network}"
    return f"{line} {ownership_text(position, result)}" if line and request.ownership else line


def root_text(game: Game, result: Result) -> str:
    """The position itself, for the mover: playouts, his chance, and the score where values are scores."""
    best = result.best_value
    return f"rootInfo visits {result.playouts} winrate {result.chance(best):.6f}{_score(game, result, best, result.outcomes)}"


def network_text(engine: Engine, position: Position) -> str:
    """What a network expects for the mover without any search, after `root_text`; '' if there is none."""
    named = engine.player.network_for(engine.game)
    if named is None:
        return ""
    try:
        found = evaluator_for(engine.game, named).evaluate(position.state, quick=True)
    except UserError:  # there is none for this game, or the game is over
        return ""
    return f" rawWinrate {found.chance:.6f}" + ("" if found.score is None else f" rawLead {found.score:.3f}")


def _parts(share: float) -> int:
    """In ten-thousandths."""
    return round(10000 * share)


def _score(game: Game, result: Result, value: float, outcomes: Outcomes | None) -> str:
    """The points by which the mover leads, and how much they vary; '' in games without points."""
    score = score_of(game, result, value, outcomes)
    if score is None or game.draw_outcome is None:
        return ""
    lead = (score.mean - game.in_points(game.draw_outcome)) * (1 if result.to_move == 0 else -1)
    spread = "" if score.deviation is None else f" scoreStdev {score.deviation:.3f}"
    return f" scoreMean {lead:.3f} scoreLead {lead:.3f}{spread}"


# -- the commands ----------------------------------------------------------------------------------------------------------
def analyze(engine: Engine, words: list[str], form: str) -> Iterator[str]:
    """Searches on until a line arrives, and tells how it stands at every interval."""
    request = read_request(engine, words)
    position = engine.turned_to(request.mover)
    search = search_for(engine, position, request)
    yield ""  # the answer has begun: from here on it cannot fail any more
    search.prepare()
    request.network = network_text(engine, position) if request.root and form == KATA else ""
    first, asked = True, Event()
    with engine.stopping(asked.set):  # between two parts of the search, too, Ctrl-C ends it and nothing else
        while (first or not engine.has_input()) and not asked.is_set():
            seconds = min(FIRST_LOOK, request.interval) if first and engine.has_input() else request.interval
            result = engine.run_on(search, Limits(seconds=seconds), until_input=True, widening=WIDENING)
            first = False
            line = _report(engine, position, result, form, request)
            if line:
                yield line
            if result.interrupted:
                break
            while search.is_finished() and not engine.has_input() and not asked.is_set():
                engine.wait(IDLE)


def generate(engine: Engine, words: list[str], form: str) -> Iterator[str]:
    """Thinks about a move as genmove does, tells how it stands meanwhile, and ends with the move."""
    request = read_request(engine, words)
    if request.restrictions:
        raise GtpError("avoid and allow go with lz-analyze and kata-analyze only")
    position = engine.turned_to(request.mover)
    search, limits = engine.think(position, request.mover)
    yield ""
    request.network = network_text(engine, position) if request.root and form == KATA else ""
    began = time.perf_counter()
    playouts, cpu = limits.playouts, limits.cpu
    asked = Event()
    with engine.stopping(asked.set):  # as above
        while True:
            left = request.interval
            if limits.seconds is not None:
                left = min(left, max(LEAST, limits.seconds - (time.perf_counter() - began)))
            done, cpu_before = search.playouts, search.cpu
            result = engine.run_on(search, Limits(left, playouts, None if cpu is None else max(LEAST, cpu)))
            playouts = None if playouts is None else playouts - (search.playouts - done)
            cpu = None if cpu is None else cpu - (search.cpu - cpu_before)
            line = _report(engine, position, result, form, request)
            if line:
                yield line
            out_of_time = limits.seconds is not None and time.perf_counter() - began >= limits.seconds
            out_of_time = out_of_time or (cpu is not None and cpu <= 0)
            out_of_playouts = playouts is not None and playouts <= 0
            stopped = result.interrupted or engine.is_interrupted() or asked.is_set()
            if out_of_time or out_of_playouts or stopped or search.is_finished():
                break
    chosen = engine.choose(result)
    engine.note_time(request.mover, limits, time.perf_counter() - began)
    yield f"play {chosen if isinstance(chosen, str) else engine.commit(position, chosen, result)}"


@command("lz-analyze", "[COLOUR] [INTERVAL] [NAME-VALUE...]")
def lz_analyze(engine: Engine, words: list[str]) -> Iterator[str]:
    return analyze(engine, words, LZ)


@command("kata-analyze", "[COLOUR] [INTERVAL] [NAME-VALUE...]")
def kata_analyze(engine: Engine, words: list[str]) -> Iterator[str]:
    return analyze(engine, words, KATA)


@command("lz-genmove_analyze", "[COLOUR] [INTERVAL] [NAME-VALUE...]")
def lz_genmove_analyze(engine: Engine, words: list[str]) -> Iterator[str]:
    return generate(engine, words, LZ)


@command("kata-genmove_analyze", "[COLOUR] [INTERVAL] [NAME-VALUE...]")
def kata_genmove_analyze(engine: Engine, words: list[str]) -> Iterator[str]:
    return generate(engine, words, KATA)


@command("stop")
def stop(_engine: Engine, _words: list[str]) -> None:
    """Ends an analysis, as any other line does."""

"""Analysis that is told while it goes on, in the forms of Leela Zero (lz-) and KataGo (kata-).

One line holds every move that was tried, best first: visits, the mover's chance to win, prior, the lower end of a 95% interval
of the chance, place in the order, and the expected line. lz-analyze and kata-analyze go on until any line arrives.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tesuji.core.game import Game, State
from tesuji.core.limits import Limits
from tesuji.io.gtp.commands import command
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.moves import line_texts, move_text
from tesuji.io.gtp.protocol import GtpError, whole_number
from tesuji.io.time_plan import LEAST

if TYPE_CHECKING:
    from tesuji.search.engine import Result

LZ, KATA = "lz", "kata"
USUAL_INTERVAL, LEAST_INTERVAL, MOST_INTERVAL = 1.0, 0.05, 1e6
FIRST_LOOK = 0.1  # seconds: an analysis that is stopped at once still tells something
CENTISECOND = 0.01
IDLE = 0.5  # seconds between two looks when all is proven
HEEDED = ("interval", "maxmoves")
REFUSED = ("avoid", "allow")  # they would change the search itself
IGNORED = ("minmoves", "ownership", "movesOwnership", "ownershipStdev", "pvVisits", "pvEdgeVisits", "rootInfo")


@dataclass
class Wish:
    """What the arguments of an analysis ask for."""

    mover: int
    interval: float = USUAL_INTERVAL
    most_moves: int = 1 << 30


def read_wish(engine: Engine, words: list[str]) -> Wish:
    """[COLOUR] [INTERVAL in hundredths of a second] and pairs of a name and a value."""
    words = list(words)
    wish = Wish(engine.record.to_move)
    if words and not words[0].isdecimal() and words[0] not in (*HEEDED, *IGNORED, *REFUSED):
        wish.mover = engine.colour(words.pop(0))
    if words and words[0].isdecimal():
        wish.interval = _interval(words.pop(0))
    while words:
        name = words.pop(0)
        if not words:
            raise GtpError(f"syntax error: {name[:40]!r} needs a value: [COLOUR] [INTERVAL] [interval N] [maxmoves N]")
        value = words.pop(0)
        if name == "interval":
            wish.interval = _interval(value)
        elif name == "maxmoves":
            wish.most_moves = whole_number(value, "maxmoves", 1)
        elif name not in IGNORED:
            raise GtpError(f"syntax error: {name[:40]!r} is not supported: interval N, maxmoves N")
    return wish


def _interval(text: str) -> float:
    return min(max(LEAST_INTERVAL, CENTISECOND * whole_number(text, "the interval")), MOST_INTERVAL)


# -- the lines -----------------------------------------------------------------------------------------------------------
def info_line(game: Game, state: State, result: Result, form: str, most_moves: int = 1 << 30) -> str:
    """One line about all moves that were tried; '' if none was."""
    tried = [report for report in result.moves if report.visits > 0 or report.lower == report.upper][:most_moves]
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
            numbers = f"winrate {chance:.6f}{_score(game, result, report.value)} prior {prior:.6f} lcb {low:.6f}"
        parts.append(f"{start} {numbers} order {order} pv {' '.join(line)}")
    return " ".join(parts)


def _parts(share: float) -> int:
    """In ten-thousandths."""
    return round(10000 * share)


def _score(game: Game, result: Result, value: float) -> str:
    """The mean score for the mover, where values are scores and not just wins and losses."""
    low, high = game.outcomes
    if high - low <= 2 or game.middle is None or tuple(result.value_range) != (low, high):
        return ""
    lead = (value - game.middle) * game.outcome_unit * (1 if result.to_move == 0 else -1)
    return f" scoreMean {lead:.3f} scoreLead {lead:.3f}"


# -- the commands ----------------------------------------------------------------------------------------------------------
def analyze(engine: Engine, words: list[str], form: str) -> Iterator[str]:
    """Searches on until a line arrives, and tells how it stands at every interval."""
    wish = read_wish(engine, words)
    entry = engine.record.ready_for(wish.mover)
    search = engine.search_at(entry)
    yield ""  # the answer has begun: from here on it cannot fail any more
    search.prepare()
    first = True
    while first or not engine.has_input():
        seconds = min(FIRST_LOOK, wish.interval) if first and engine.has_input() else wish.interval
        result = engine.run_on(search, Limits(seconds=seconds), until_input=True)
        first = False
        line = info_line(engine.game, entry.state, result, form, wish.most_moves)
        if line:
            yield line
        if result.interrupted:
            break
        while search.is_finished() and not engine.has_input():
            engine.wait(IDLE)


def generate(engine: Engine, words: list[str], form: str) -> Iterator[str]:
    """Thinks about a move as genmove does, tells how it stands meanwhile, and ends with the move."""
    wish = read_wish(engine, words)
    entry = engine.record.ready_for(wish.mover)
    search, limits = engine.think(entry, wish.mover)
    yield ""
    began = time.perf_counter()
    playouts = limits.playouts
    while True:
        left = wish.interval
        if limits.seconds is not None:
            left = min(left, max(LEAST, limits.seconds - (time.perf_counter() - began)))
        done = search.playouts
        result = engine.run_on(search, Limits(seconds=left, playouts=playouts))
        playouts = None if playouts is None else playouts - (search.playouts - done)
        line = info_line(engine.game, entry.state, result, form, wish.most_moves)
        if line:
            yield line
        out_of_time = limits.seconds is not None and time.perf_counter() - began >= limits.seconds
        out_of_playouts = playouts is not None and playouts <= 0
        if out_of_time or out_of_playouts or search.is_finished() or result.interrupted or engine.is_interrupted():
            break
    chosen = engine.choose(result, entry)
    engine.note_time(wish.mover, limits, time.perf_counter() - began)
    yield f"play {chosen if isinstance(chosen, str) else engine.commit(entry, chosen)}"


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

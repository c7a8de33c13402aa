"""How strong the computer plays: ten levels, from a beginner's to all that the player and its limits allow.

Levels 1 to 6 make few playouts and draw a move at random, in proportion to visits ** (1 / temperature): like people they seldom
make large mistakes. Each of their moves has a tree of its own, so that the results of a hint cannot make a beginner strong.
The lowest three use no solver, and the lowest two make some moves without a search. Levels 7 to 9 are the full strength with a
share of its time or playouts. docs/play.md has the measured strength.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tesuji.core.limits import Limits
from tesuji.core.rules import FIRST

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.search.engine.tree_search import MoveReport, Result

FULL = 10


@dataclass(frozen=True)
class Level:
    share: float  # of the limits of full strength
    playouts: int | None = None  # an upper limit beside the share; None = no other
    temperature: float = 0.0
    proves: bool = True  # uses the solver: plays a proven best move, and avoids moves that are proven to lose
    random: float = 0.0  # the probability of a uniformly random move

    @property
    def keeps_tree(self) -> bool:
        return self.temperature == 0.0

    def limits(self, full: Limits) -> Limits:
        """The level's part of the limits of full strength."""
        times = (full.seconds, full.cpu, full.longest)
        seconds, cpu, longest = (None if limit is None else self.share * limit for limit in times)
        playouts = None if full.playouts is None else max(1, round(self.share * full.playouts))
        return Limits(seconds, min((n for n in (playouts, self.playouts) if n is not None), default=None), cpu, longest)


LEVELS = {
    1: Level(1 / 16, 80, 1.0, proves=False, random=0.6),
    2: Level(1 / 16, 80, 1.0, proves=False, random=0.25),
    3: Level(1 / 16, 80, 1.0, proves=False),
    4: Level(1 / 16, 160, 0.7),
    5: Level(1 / 16, 400, 0.5),
    6: Level(1 / 16, 1_000, 0.3),
    7: Level(1 / 16),
    8: Level(0.16),
    9: Level(0.4),
    FULL: Level(1.0),
}


def choose_move(level: Level, result: Result, game: Game, rng: random.Random) -> int | None:
    """The best move, or at weak levels one drawn by visits; a level with `proves` plays a proven best move."""
    if level.temperature == 0.0 or (level.proves and result.proven) or not result.moves:
        return result.best_move
    if level.random > 0.0 and rng.random() < level.random:
        return rng.choice(result.moves).move
    candidates = [report for report in result.moves if not (level.proves and is_lost(report, result.to_move, game))]
    candidates = candidates or result.moves
    most = max(1, max(report.visits for report in candidates))
    weights = [(report.visits / most) ** (1.0 / level.temperature) for report in candidates]
    if sum(weights) <= 0.0:
        weights = [1.0] * len(candidates)
    return rng.choices(candidates, weights)[0].move


def is_lost(report: MoveReport, mover: int, game: Game) -> bool:
    """Whether the move is proven to lead to the worst outcome for the mover."""
    low, high = game.outcomes
    return report.upper <= low if mover == FIRST else report.lower >= high

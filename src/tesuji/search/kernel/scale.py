"""How outcomes become values: one small type for compiled code and for answers.

Sums are counted in whole units, so that a search is the same to the last bit however it runs; an outcome of 1 adds `unit`.
Values in selection run from 0 to 1; answers are in outcomes, or from -1 to 1 where only winning counts. All of them are for
player 0; `for_mover` converts them to the view of the player to move.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter

REWARD = Parameter(
    "reward",
    "outcome",
    "what playouts are scored by: the outcome (a score in some games), or only who won",
    choices=("outcome", "win"),
)
FINE_UNIT = 1000  # where a playout may count for a part of an outcome


class Scale(NamedTuple):
    lowest: int  # range of outcomes
    highest: int
    break_even: float  # where there is a winner: outcomes above it are won by player 0, below it lost; itself a draw
    least: int  # range of what one game adds to the sums
    most: int
    unit: int  # what an outcome of 1 adds to the sums
    only_wins: bool  # a game adds -unit, 0 or unit
    per_sum: float  # 1 / (most - least)
    per_outcome: float  # 1 / (highest - lowest)
    has_winner: bool  # a game of two players, which someone wins unless it is drawn
    draw_score: int  # what a game adds to the sums that nobody has won, such as a playout that was ended


def make_scale(game: Game, reward: str = "outcome", unit: int = 1) -> Scale:
    lowest, highest = (int(bound) for bound in game.outcomes)
    only_wins = reward == "win" and game.players == 2
    least, most = (-unit, unit) if only_wins else (lowest * unit, highest * unit)
    return Scale(
        lowest=lowest,
        highest=highest,
        break_even=game.break_even,
        least=least,
        most=most,
        unit=unit,
        only_wins=only_wins,
        per_sum=1.0 / max(1, most - least),
        per_outcome=1.0 / max(1, highest - lowest),
        has_winner=game.players == 2,
        draw_score=0 if only_wins else int(game.break_even * unit),
    )


@kernel
def score_of(scale, outcome):
    """What a game with this outcome adds to the sums."""
    if not scale.only_wins:
        return outcome * scale.unit
    return np.int64(scale.unit if outcome > scale.break_even else -scale.unit if outcome < scale.break_even else 0)


@kernel
def score_of_share(scale, share):
    """What a result from 0 (the worst for player 0) to 1 adds to the sums, rounded to whole units."""
    return np.int64(math.floor(scale.least + share * (scale.most - scale.least) + 0.5))


@kernel
def is_drawn(scale, outcome):
    return scale.has_winner and outcome == scale.break_even


@kernel
def for_mover(value, maximises):
    """A value from 0 to 1 for the player to move, who maximises outcomes or not."""
    return value if maximises else 1.0 - value


def value_of(scale: Scale, outcome: float) -> float:
    """What an outcome is worth in an answer."""
    if not scale.only_wins:
        return outcome
    return float((outcome > scale.break_even) - (outcome < scale.break_even))


def value_range(scale: Scale) -> tuple[float, float]:
    """The least and the greatest value of an answer."""
    return scale.least / scale.unit, scale.most / scale.unit

"""Quality of a win: one in few moves, or by a large margin, counts for more (Pepels, Tak, Lanctot and Winands 2014).

"Quality-based rewards for Monte-Carlo tree search simulations", section 4. A game with result r, 1 = won by player 0 and -1 =
lost, counts as

    r + sign(r) (a_l b(z_l) + a_m b(z_m)),   b(z) = 2 / (1 + exp(-k z)) - 1

with z_l = (average length - length) / deviation, z_m = (margin - average margin) / deviation, both of the games that the same
player has won so far in this thread. That is more than 1 at times, so all playouts are divided by 1 + a_l + a_m, and a win
that is proven counts for more than any playout. The length is that of the whole game, from the root.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter, filled
from tesuji.core.words import has_scores
from tesuji.search.kernel.scale import score_of_share

WON, SCORED = "a game of two players", "a game with scores"
BONUS_SLOPE = Parameter(
    "bonus_slope", 1.4, "k of b(z) = 2 / (1 + exp(-k z)) - 1, z in standard deviations", 0.0, 100.0, tuning="0.3..10:log"
)
BONUSES = (
    Parameter(
        "length_bonus",
        0.0,
        "weight a of the bonus a b(z) for a win in few moves; 0 = none, 0.25 = as published",
        0.0,
        10.0,
        needs=WON,
        brings=(BONUS_SLOPE,),
        tuning="0..0.5",
    ),
    Parameter(
        "margin_bonus",
        0.0,
        "the same for a win by a large margin, with reward=win",
        0.0,
        10.0,
        needs=SCORED,
        brings=(BONUS_SLOPE,),
        tuning="0..0.5",
    ),
)
# Cells of Scratch.wins: for each measure and winner the games, their mean and the sum of squared deviations; then the outcome
# of the last game, and whether it is one: a playout that was cut short has none.
LENGTHS, MARGINS = 0, 6
GAMES, MEAN, SQUARES = range(3)
RESULT, ENDED, WIN_NOTES = 12, 13, 14
MOST_GAMES = float(1 << 40)


class Quality(NamedTuple):
    is_used: bool
    length_bonus: float
    margin_bonus: float
    bonus_slope: float


def features_of_wins(game: Game) -> frozenset[str]:
    """Which of the features that these parameters need the game has."""
    features = {WON: game.players == 2, SCORED: game.players == 2 and has_scores(game)}
    return frozenset(feature for feature, present in features.items() if present)


def make_quality(game: Game, settings: Mapping[str, Any]) -> Quality:
    values = {"length_bonus": 0.0, "margin_bonus": 0.0, "bonus_slope": BONUS_SLOPE.default, **settings}
    used = [name for name in ("length_bonus", "margin_bonus") if values[name] > 0.0]
    if used and game.players != 2:
        raise UserError(f"{used[0]} is for games of two players: {game.name} has no winner")
    if values["margin_bonus"] > 0.0 and values.get("reward") != "win":
        raise UserError("margin_bonus goes with reward=win: with reward=outcome the margin is the score of a game already")
    return filled(Quality, values, is_used=bool(used))


@kernel
def note_win(wins, result):
    """A game has ended with this outcome."""
    wins[RESULT] = result
    wins[ENDED] = 1.0


@called_kernel
def with_bonus(wins, quality, scale, length, score):
    """The score of a simulation of `length` moves with its bonus; a game that has ended is noted for those to come.

    wins      `Scratch.wins`
    quality   `Quality`
    scale     `Scale`
    score     without the bonus
    """
    reward = 2.0 * np.float64(score - scale.least) * scale.per_sum - 1.0
    margin = wins[RESULT] - scale.break_even
    if wins[ENDED] != 0.0 and margin != 0.0:
        winner = 0 if margin > 0.0 else 3
        bonus = quality.length_bonus * -bonus_of(wins, LENGTHS + winner, np.float64(length), quality.bonus_slope)
        bonus += quality.margin_bonus * bonus_of(wins, MARGINS + winner, abs(margin), quality.bonus_slope)
        reward += bonus if margin > 0.0 else -bonus
    wins[ENDED] = 0.0
    reward /= 1.0 + quality.length_bonus + quality.margin_bonus
    return score_of_share(scale, min(max(0.5 * reward + 0.5, 0.0), 1.0))


@kernel
def bonus_of(wins, place, value, slope):
    """b(z) of a value among those at `place` so far, of which it is one from now on."""
    games = wins[place + GAMES]
    mean = wins[place + MEAN]
    squares = wins[place + SQUARES]
    bonus = 0.0
    if games > 1.0 and squares > 0.0:
        deviation = math.sqrt(squares / games)
        bonus = 2.0 / (1.0 + math.exp(-min(max(slope * (value - mean) / deviation, -40.0), 40.0))) - 1.0
    if games < MOST_GAMES:
        games += 1.0
        wins[place + GAMES] = games
        wins[place + MEAN] = mean + (value - mean) / games
        wins[place + SQUARES] = squares + (value - mean) * (value - wins[place + MEAN])
    return bonus


def are_possible_wins(wins: np.ndarray) -> bool:
    """Called from Python, for the notes of all threads out of a file: whether they can have been written."""
    notes = wins.reshape(-1, WIN_NOTES)
    measures = notes[:, :RESULT].reshape(-1, 3)
    possible = np.all(np.isfinite(notes)) and np.all(measures[:, (GAMES, SQUARES)] >= 0.0)
    return bool(
        possible and np.all(measures[:, GAMES] <= MOST_GAMES) and np.all(notes[:, ENDED] * (1.0 - notes[:, ENDED]) == 0.0)
    )

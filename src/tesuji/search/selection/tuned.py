"""UCB1-Tuned: exploration in proportion to how much the results of a move differ."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.parameters import Parameter
from tesuji.search.kernel.tree import MOST_VISITS
from tesuji.search.selection.choose_child import back_up, count_game
from tesuji.search.selection.interface import (
    NodeStatistics,
    Statistics,
    are_possible,
    begin_statistics,
    halve_statistics,
    selection_rule,
    statistics_of,
    worth,
)
from tesuji.search.selection.uct import FIRST_PLAY

MOST_VARIANCE = 0.25  # of numbers from 0 to 1
ROOT_OF_TWO = math.sqrt(2.0)


# -- the record of a node: its games, scaled to [0, 1] -----------------------------------------------------------------------
@kernel
def begin_moments(rule, record):
    record["games"] = 0.0
    record["sum"] = 0.0
    record["squares"] = 0.0


@kernel
def halve_moments(rule, record, visits, left):
    share = np.float64(left) / np.float64(max(visits, 1))
    record["games"] *= share
    record["sum"] *= share
    record["squares"] *= share


@kernel
def variance_as_bonus(rule, records, index):
    """The variance is the same for both players."""
    record = records[index]
    games = record["games"]
    if games <= 0.0:
        return NodeStatistics(np.int64(0), np.int64(0), np.int64(0), np.int64(0), 0.0)
    mean = record["sum"] / games
    variance = max(0.0, record["squares"] / games - mean * mean)
    return NodeStatistics(np.int64(0), np.int64(0), np.int64(0), np.int64(0), variance)


def are_moments(rule: Any, records: np.ndarray, scale: Any) -> bool:
    games, sums, squares = (records[name] for name in ("games", "sum", "squares"))
    some = 1e-6 * games + 1e-6  # rounding
    ordered = (squares >= 0.0) & (squares <= sums + some) & (sums <= games + some) & (games <= 2.0 * MOST_VISITS)
    return bool(np.all(ordered))  # false for nan, too


MOMENTS = Statistics(
    np.dtype([("games", np.float64), ("sum", np.float64), ("squares", np.float64)]),
    {
        begin_statistics: begin_moments,
        halve_statistics: halve_moments,
        statistics_of: variance_as_bonus,
        are_possible: are_moments,
    },
)


# -- the rule ----------------------------------------------------------------------------------------------------------------
@selection_rule(
    parameters=(
        Parameter(
            "exploration",
            1.0,
            "constant C of mean + C sqrt(ln N / n min(1/4, V)), on values in [0, 1]",
            0.0,
            1e6,
            tuning="0.1..3:log",
        ),
        FIRST_PLAY,
    ),
    statistics=MOMENTS,
)
class Ucb1Tuned(NamedTuple):
    """mean + C sqrt(ln N / n min(1/4, V)), V = variance + sqrt(2 ln N / n); a move never tried is worth `first_play`.

    Auer, Cesa-Bianchi and Fischer 2002, "Finite-time analysis of the multiarmed bandit problem", section 4, where C is 1.
    """

    exploration: float
    first_play: float


@implements(worth, Ucb1Tuned)
def tuned_confidence(rule, child, parent):
    bound = parent.root_of_log * child.inverse_root  # sqrt(ln N / n)
    spread = math.sqrt(min(MOST_VARIANCE, child.bonus + ROOT_OF_TWO * bound))
    value = child.mean + rule.exploration * bound * spread
    return value if child.visits > 0.0 else rule.first_play


@implements(back_up, Ucb1Tuned)
def count_with_squares(rule, tree, scratch, depth, score, options):
    """With several threads an addition may be lost now and then: the variance need not be exact."""
    count_game(rule, tree, scratch, depth, score, options)
    result = np.float64(score - options.scale.least) * options.scale.per_sum
    for d in range(depth + 1):
        record = tree.statistics[scratch.path[d]]
        record["games"] += 1.0
        record["sum"] += result
        record["squares"] += result * result


RULES = {"ucb1-tuned": Ucb1Tuned}

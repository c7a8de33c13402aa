"""Implicit minimax (Lanctot et al. 2014): beside its mean, every node has the minimax value of evaluations below it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.numba.atomics import load
from tesuji.core.parameters import Parameter
from tesuji.core.rules import FIRST, is_over, outcome, play
from tesuji.search.kernel.bounds import OFF
from tesuji.search.kernel.playouts import EVALUATION_LIMIT, chance_of
from tesuji.search.kernel.scale import for_mover, score_of
from tesuji.search.kernel.scratch import AHEAD
from tesuji.search.kernel.tree import BAD_EVALUATION, PRUNED, stop
from tesuji.search.policy import evaluate
from tesuji.search.selection.choose_child import back_up, count_game
from tesuji.search.selection.interface import (
    NodeStatistics,
    Statistics,
    are_possible,
    begin_statistics,
    look_ahead,
    seen_statistics,
    selection_rule,
    worth,
)
from tesuji.search.selection.uct import EXPLORATION, FIRST_PLAY, upper_confidence

EVEN = 0.5


# -- the record of a node ----------------------------------------------------------------------------------------------------
@kernel
def begin_even(rule, record):
    record["value"] = EVEN


def are_shares(rule: Any, records: np.ndarray, scale: Any) -> bool:
    return bool(np.all((records["value"] >= 0.0) & (records["value"] <= 1.0)))


HEURISTIC = Statistics(
    np.dtype([("value", np.float64)]),  # minimax of the evaluations, from 0 to 1 for player 0
    {begin_statistics: begin_even, are_possible: are_shares},
)


# -- the rule ----------------------------------------------------------------------------------------------------------------
@selection_rule(
    parameters=(
        EXPLORATION,
        FIRST_PLAY,
        Parameter(
            "minimax_share",
            0.4,
            "a: share of a move's value that is the minimax of the evaluations below",
            0.0,
            1.0,
            tuning="0..0.8",
        ),
        EVALUATION_LIMIT,
    ),
    statistics=HEURISTIC,
    evaluates=True,
    term_names={"bonus": "evaluation"},
)
class ImplicitMinimax(NamedTuple):
    """(1 - a) mean + a v + C sqrt(ln N / n), v the minimax value of the policy's evaluations below the move.

    Lanctot, Winands, Pepels and Sturtevant 2014, "Monte Carlo tree search with heuristic evaluations using implicit minimax
    backups", algorithm 1. A new node has the evaluation of its position, as a chance to win (odds of 19 to 1 at
    `evaluation_limit`), then the best of its moves, within what is proven of them. A move never tried is worth
    `first_play` and a v: the best by evaluation comes first.
    """

    exploration: float
    first_play: float
    minimax_share: float
    evaluation_limit: float


@implements(worth, ImplicitMinimax)
def confidence_with_minimax(rule, child, parent):
    share = rule.minimax_share
    if child.visits > 0.0:
        return upper_confidence(rule, child, parent) - share * child.mean + share * child.bonus
    return rule.first_play + share * child.bonus


@implements(look_ahead, ImplicitMinimax)
@kernel
def evaluate_children(rule, tree, scratch, first, count, state, policy, options):
    scale = options.scale
    after = scratch.states[AHEAD]
    for child in range(first, first + count):
        if tree.nodes[child]["flags"] & PRUNED != 0:
            continue
        scratch.states[AHEAD] = state
        play(after, tree.nodes[child]["move"])
        if is_over(after):
            value = share_of(scale, np.int64(outcome(after)))
        else:
            evaluation = np.float64(evaluate(policy, after))
            if evaluation != evaluation:
                stop(tree.counters, BAD_EVALUATION, child)
                evaluation = 0.0
            value = chance_of(evaluation, rule.evaluation_limit)
        tree.statistics[child]["value"] = value


@kernel
def share_of(scale, result):
    """What an outcome counts, from 0 to 1 for player 0."""
    return np.float64(score_of(scale, result) - scale.least) * scale.per_sum


@kernel
def value_within_bounds(tree, index, options):
    value = np.float64(tree.statistics[index]["value"])
    if options.proof.solver == OFF:
        return value
    lower = share_of(options.scale, np.int64(tree.nodes[index]["lower"]))
    upper = share_of(options.scale, np.int64(tree.nodes[index]["upper"]))
    return min(max(value, lower), upper)


@implements(seen_statistics, ImplicitMinimax)
@kernel
def value_as_bonus(rule, tree, scratch, index, maximises, options):
    value = for_mover(value_within_bounds(tree, index, options), maximises)
    return NodeStatistics(np.int64(0), np.int64(0), np.int64(0), np.int64(0), value)


@implements(back_up, ImplicitMinimax)
def count_and_take_best(rule, tree, scratch, depth, score, options):
    """Counts the game, and brings the values on the path up to date, as far up as they change."""
    count_game(rule, tree, scratch, depth, score, options)
    nodes = tree.nodes
    for d in range(depth, -1, -1):
        index = scratch.path[d]
        count = np.int64(load(nodes["child_count"], index))  # before first_child: it is published last
        if count == 0:
            continue
        value = best_value(nodes, tree, index, count, options)
        if value == tree.statistics[index]["value"]:
            break
        tree.statistics[index]["value"] = value


@kernel
def best_value(nodes, tree, index, count, options):
    """The value of the best of the node's moves that are not pruned, for the player to move."""
    maximises = nodes[index]["to_play"] == FIRST
    first = np.int64(nodes[index]["first_child"])
    best = -1.0
    for child in range(first, first + count):
        if nodes[child]["flags"] & PRUNED == 0:
            best = max(best, for_mover(value_within_bounds(tree, child, options), maximises))
    return for_mover(best, maximises) if best >= 0.0 else np.float64(tree.statistics[index]["value"])


RULES = {"implicit-minimax": ImplicitMinimax}

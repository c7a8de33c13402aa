"""Crazy Stone's search (Coulom 2006): games go to moves by their chance of being the best, values are backed up by an operator.

A node is *external* while its visits are below `mean_below`: its value is the mean of its games. From then on it is *internal*,
and section 4 applies. Below `policy_below` visits, which is usually the same number, the policy draws the moves; from then on
section 3.2 does. Beside visits and sum, every node keeps the sum of the squared outcomes, and the value and variance that were
last computed (`MOMENTS`), the value for player 0 in units of the outcome.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.game import Game
from tesuji.core.numba.atomics import atomic_add, load
from tesuji.core.parameters import Parameter, filled
from tesuji.core.random import below, unit
from tesuji.core.rules import FIRST
from tesuji.search.kernel.bounds import is_open
from tesuji.search.kernel.threads import MANY_VISITS, count_visit, has_local_counts, local_counts_of
from tesuji.search.kernel.tree import scaled_sum
from tesuji.search.policy import PRIOR
from tesuji.search.selection.choose_child import back_up, choose_child
from tesuji.search.selection.interface import (
    Statistics,
    add_squares,
    are_possible,
    begin_statistics,
    halve_statistics,
    reported_value,
    selection_rule,
)

NO_GAME_BACK = -1.0  # in place of the variance of a new node


# -- the record of a node ----------------------------------------------------------------------------------------------------
@kernel
def begin_moments(rule, record):
    record["squares"] = 0
    record["value"] = 0.0
    record["variance"] = NO_GAME_BACK


@kernel
def halve_moments(rule, record, visits, left):
    record["squares"] = scaled_sum(np.int64(record["squares"]), visits, left)


@kernel
def add_to_squares(rule, records, index, squares):
    atomic_add(records["squares"], index, squares)


def backed_up_value(rule: Any, records: np.ndarray, index: int) -> float:
    return float(records[index]["value"])


def are_moments(rule: Any, records: np.ndarray, scale: Any) -> bool:
    most = 2.0 * max(abs(scale.least), abs(scale.most)) + 1.0
    variance = records["variance"]
    possible = np.isfinite(variance) & ((variance >= 0.0) | (variance == NO_GAME_BACK)) & (np.abs(records["value"]) <= most)
    return bool(np.all(possible & (records["squares"] >= 0) & (records["squares"] <= LARGEST_SQUARES)))


LARGEST_SQUARES = 1 << 62
MOMENTS = Statistics(
    np.dtype([("squares", np.int64), ("value", np.float32), ("variance", np.float32)]),
    {
        begin_statistics: begin_moments,
        halve_statistics: halve_moments,
        add_squares: add_to_squares,
        reported_value: backed_up_value,
        are_possible: are_moments,
    },
)


# -- the rule ------------------------------------------------------------------------------------------------------------------
BACKUPS = ("mean", "max", "robust-max", "mix")
MEAN, MAX, ROBUST_MAX, MIX = 0, 1, 2, 3
DRAWS, SHARES = ALLOCATIONS = ("draws", "shares")
DEEPEST_RANK = 30
LAST_SHARED_RANK = 12  # a move of a later rank has 2^-12 of the first one's rank term, which is left out


GAUSSIAN_PARAMETERS = (
    Parameter("backup", "mean", "how the value of a node is computed from its moves", choices=BACKUPS),
    Parameter(
        "allocation",
        DRAWS,
        "who gets the next game: a draw by u, or the move with the largest u / (games + 1), which is owed most",
        choices=ALLOCATIONS,
    ),
    Parameter(
        "mean_below",
        0,
        "below this many visits the value of a node is the mean of its games; -1 = the number of points of the board",
        -1,
        1 << 30,
    ),
    Parameter("gauss_slope", 2.4, "slope of exp(-slope (best - value) / sqrt(2 (var + var)))", 0.0, 1e6, tuning="0.5..10:log"),
    Parameter("gauss_floor", 0.1, "constant part of epsilon", 0.0, 1e6, tuning="0.01..1:log"),
    Parameter("gauss_rank", 1.0, "part of epsilon that halves with each rank in the order of values", 0.0, 1e6, tuning="0..3"),
    Parameter(
        "gauss_prior",
        1.0,
        "part of epsilon for the policy's prior of the move (Go: moves that give atari)",
        0.0,
        1e6,
        needs=PRIOR,
    ),
    Parameter(
        "gauss_doubt", 1.0, "variance of the virtual game of each node, in units of (2P)^2", 0.0, 1e6, tuning="0.1..10:log"
    ),
    Parameter(
        "variance_visits",
        500,
        "a backed-up variance is divided by the visits, at most by this",
        1,
        1 << 30,
        tuning="50..5000:log",
    ),
    Parameter("divide_external", True, "divide the variance of external nodes by their visits too"),
)


@selection_rule(parameters=GAUSSIAN_PARAMETERS, uses=(PRIOR,), statistics=MOMENTS, compares_scores=True)
class Gaussian(NamedTuple):
    """u_i = exp(-slope (mu_0 - mu_i) / sqrt(2 (var_0 + var_i))) + (floor + rank 2^-i + prior a_i) / N, moves in order of mu."""

    gauss_slope: float
    gauss_floor: float
    gauss_rank: float
    gauss_prior: float
    backup: int
    points: float  # P: points of the board, the unit in which the mix operator counts games
    doubt: float  # 4 P^2: variance of the one virtual game that every node begins with
    variance_visits: float
    divide_external: bool
    mean_below: int  # visits
    shares: bool  # the next game goes to the largest u_i / (n_i + 1), instead of a draw by u_i

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> Gaussian:
        """The rule with its constants in the units of the game."""
        points = game.points or game.move_count
        unit = 2.0 * points / game.outcome_unit if game.points else float(game.outcomes[1] - game.outcomes[0])
        doubt = settings["gauss_doubt"] * unit**2
        backup = BACKUPS.index(settings["backup"])
        mean_below = points if settings["mean_below"] < 0 else settings["mean_below"]
        shares = settings["allocation"] == SHARES
        return filled(cls, settings, backup=backup, points=points, doubt=doubt, mean_below=mean_below, shares=shares)


@implements(choose_child, Gaussian)
def choose_by_chance(rule, tree, scratch, depth, options):
    nodes = tree.nodes
    parent = nodes[scratch.path[depth]]
    maximises = parent["to_play"] == FIRST
    sign = 1.0 if maximises else -1.0
    first = np.int64(parent["first_child"])
    count = np.int64(parent["child_count"])
    mean = np.float64(parent["sum"]) / max(1.0, np.float64(parent["visits"]))
    values = scratch.values  # of each child for the mover; after that its weight
    best_value = -math.inf
    best_variance = rule.doubt
    allowed = 0
    for i in range(count):
        child = nodes[first + i]
        values[i] = -math.inf
        if not is_open(child, parent, maximises, options):
            continue
        allowed += 1
        value = sign * (np.float64(tree.statistics[first + i]["value"]) if has_value(tree, first + i) else mean)
        values[i] = value
        if value > best_value:
            best_value = value
            best_variance = variance_of(rule, tree, first + i)
    if allowed == 0:
        return -1
    weights = scratch.weights
    for i in range(count):
        weights[i] = 0.0
        if values[i] > -math.inf:
            weights[i] = weight_of(rule, tree, first + i, best_value - values[i], best_variance, allowed)
    if rule.shares:
        place = most_owed(rule, nodes, first, count, values, weights, allowed)
    else:
        place = draw_place(rule, scratch.rng, count, values, weights, allowed)
    return first + place if place >= 0 else np.int64(-1)


@kernel
def draw_place(rule, rng, count, values, weights, allowed):
    """The place of a move drawn by u_i. Uses the values up.

    That is a draw from a mixture: with the weight of all rank terms a place in the order, else by the other terms.
    """
    by_rank = rule.gauss_rank * (2.0 - math.pow(0.5, allowed - 1.0)) / allowed
    total = by_rank
    for i in range(count):
        total += weights[i]
    point = unit(rng) * total
    if point < by_rank:
        return of_rank(values, count, random_rank(rng, allowed))
    point -= by_rank
    last = -1
    for i in range(count):
        if weights[i] > 0.0:
            last = i
            point -= weights[i]
            if point < 0.0:
                break
    return last


@kernel
def most_owed(rule, nodes, first, count, values, weights, allowed):
    """The place of the move with the largest u_i / (n_i + 1).

    nodes, first, count   the moves: nodes[first : first + count]
    values                float64, by place: each move's value for the mover, -inf = closed. Overwritten
    weights               float64, by place: u_i without its rank term. Become u_i
    allowed               how many moves are open
    """
    term = rule.gauss_rank / allowed
    for _ in range(min(allowed, LAST_SHARED_RANK)):
        best = of_rank(values, count, 0)
        weights[best] += term
        values[best] = -math.inf
        term *= 0.5
    chosen = -1
    largest = -1.0
    for i in range(count):
        if weights[i] > 0.0:
            owed = weights[i] / (np.float64(nodes[first + i]["visits"]) + 1.0)
            if owed > largest:
                chosen, largest = i, owed
    return chosen


@kernel
def weight_of(rule, tree, index, behind, best_variance, allowed):
    """u_i without its rank term, of the child tree.nodes[index].

    behind          by how much its value is below that of the best, for the mover
    best_variance   that of the best child
    allowed         how many children are open
    """
    deviation = math.sqrt(2.0 * (best_variance + variance_of(rule, tree, index)))
    chance = math.exp(-rule.gauss_slope * behind / deviation) if deviation > 0.0 else (1.0 if behind <= 0.0 else 0.0)
    return chance + (rule.gauss_floor + rule.gauss_prior * np.float64(tree.nodes[index]["prior"])) / allowed


@kernel
def has_value(tree, index):
    """Whether a game through this node has been backed up. A virtual loss of another thread counts as a visit before that."""
    return tree.nodes[index]["visits"] > 0 and tree.statistics[index]["variance"] >= 0.0


@kernel
def variance_of(rule, tree, index):
    return np.float64(tree.statistics[index]["variance"]) if has_value(tree, index) else rule.doubt


@kernel
def random_rank(rng, allowed):
    """0 with chance 1/2, 1 with 1/4 and so on; a rank beyond the last move is drawn again."""
    while True:
        rank = 0
        while rank < DEEPEST_RANK and below(rng, 2) == 1:
            rank += 1
        if rank < allowed:
            return rank


@kernel
def of_rank(values, count, rank):
    """The place of the value that has `rank` others before it; ties go to the earlier one. Uses the better values up."""
    while True:
        best = 0
        for i in range(1, count):
            if values[i] > values[best]:
                best = i
        if rank == 0:
            return best
        values[best] = -math.inf
        rank -= 1


@implements(back_up, Gaussian)
@kernel
def back_up_values(rule, tree, scratch, depth, score, options):
    """Counts the game in every node of the path, from the leaf up, and recomputes the value and variance of each."""
    nodes = tree.nodes
    for d in range(depth, -1, -1):
        index = scratch.path[d]
        node = nodes[index]
        if options.sharing.shared:
            count_visit(rule, tree, scratch, d, score, options)
        else:
            node["visits"] += 1
            node["sum"] += score
            tree.statistics[index]["squares"] += score * score
        update_moments(rule, tree, scratch, index, options)


@kernel
def update_moments(rule, tree, scratch, index, options):
    """Value and variance of one node: sections 3.2 (external nodes) and 4 (internal ones)."""
    node = tree.nodes[index]
    moments = tree.statistics[index]
    visits = np.int64(node["visits"])
    total = np.int64(node["sum"])
    squares = np.int64(moments["squares"])
    if options.sharing.shared and visits >= MANY_VISITS and has_local_counts(scratch, index):
        own = local_counts_of(scratch, index)
        visits += own["visits"]
        total += own["sum"]
        squares += own["squares"]
    games = max(1.0, np.float64(visits))
    mean = np.float64(total) / games
    variance = (np.float64(squares) - games * mean * mean + rule.doubt) / (games + 1.0)
    variance = max(0.0, variance)  # virtual losses of other threads are in the mean, but not among the squares
    if node["child_count"] == 0 or visits < rule.mean_below:
        moments["value"] = mean
        moments["variance"] = variance / games if rule.divide_external else variance
    else:
        moments["value"] = value_by(rule.backup, rule, tree, index)
        moments["variance"] = variance / min(rule.variance_visits, games)


@kernel
def value_by(operator, rule, tree, index):
    """The value of an internal node, for player 0, by one of the operators of section 4.1."""
    nodes = tree.nodes
    node = nodes[index]
    sign = 1.0 if node["to_play"] == FIRST else -1.0
    games = max(1.0, np.float64(node["visits"]))
    mean = sign * np.float64(node["sum"]) / games
    if operator == MEAN:
        return sign * mean
    # The best and the second best move by value, and the one with the most games; -1 = none.
    count = np.int64(load(nodes["child_count"], index))  # before first_child: it is published last
    first = np.int64(node["first_child"])
    best, second, robust = -1, -1, -1
    best_value, second_value = -math.inf, -math.inf
    most_games = 0
    for child in range(first, first + count):
        if not has_value(tree, child):
            continue
        visits = np.int64(nodes[child]["visits"])
        value = sign * np.float64(tree.statistics[child]["value"])
        if value > best_value:
            second, second_value = best, best_value
            best, best_value = child, value
        elif value > second_value:
            second, second_value = child, value
        if visits > most_games:
            robust, most_games = child, visits
    if best < 0:
        return sign * mean
    if operator == MAX:
        return sign * best_value
    if operator == MIX:
        other = robust if robust != best and robust != second else second
        other_value = sign * np.float64(tree.statistics[other]["value"]) if other >= 0 else 0.0
        other_games = np.float64(nodes[other]["visits"]) if other >= 0 else 0.0
        best_games = np.float64(nodes[best]["visits"])
        return sign * mix_of(rule, games, mean, best_value, best_games, other_value, other_games)
    return np.float64(tree.statistics[robust]["value"])


@kernel
def mix_of(rule, games, mean, best_value, best_games, other_value, other_games):
    """Figure 1: between the mean and the value of the move with the most games; all values for the mover.

    games, mean                of the node
    best_value, best_games     of the move of the highest value
    other_value, other_games   of the move with the most games if that is another one, else of the second best; 0 games = none
    """
    if other_games == 0.0:
        return best_value
    mean_weight = 2.0 * rule.points
    if games > 16.0 * rule.points:
        mean_weight *= games / (16.0 * rule.points)
    best_averaged = (best_games * best_value + mean_weight * mean) / (best_games + mean_weight)
    other_averaged = (other_games * other_value + mean_weight * mean) / (other_games + mean_weight)
    if best_games >= other_games:
        return best_averaged
    if other_value > mean:
        return other_averaged
    return best_averaged if best_value < mean else mean


RULES = {"gaussian": Gaussian}

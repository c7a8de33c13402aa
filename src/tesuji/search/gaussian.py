"""Crazy Stone's search (Coulom 2006): moves drawn by their chance of being the best, values backed up by an operator.

A node is *external* while its visits are below `policy_below`: there the policy draws the moves and the value is the mean. From
then on it is *internal*: sections 3.2 and 4 apply. Beside visits and sum, every node keeps the sum of the squared outcomes, and
the value and variance that were last computed (`MOMENTS`), the value for player 0 in units of the outcome.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tesuji.core.atomics import atomic_add
from tesuji.core.dispatch import implements, kernel
from tesuji.core.random import below, unit
from tesuji.core.rules import FIRST
from tesuji.search.bounds import is_cut, is_decided
from tesuji.search.notes import count_shared
from tesuji.search.options import MAX, MEAN, MIX, SOLVER_OFF
from tesuji.search.selection import choose_child
from tesuji.search.simulate import back_up

DEEPEST_RANK = 30


class Gaussian(NamedTuple):
    """u_i = exp(-slope (mu_0 - mu_i) / sqrt(2 (var_0 + var_i))) + (floor + rank 2^-i + prior a_i) / N, moves in order of mu."""

    slope: float
    floor: float
    rank: float
    prior: float
    backup: int
    points: float  # P: points of the board, the unit in which the mix operator counts games
    doubt: float  # 4 P^2: variance of the one virtual game that every node begins with
    variance_visits: float
    divide_external: bool


@implements(choose_child, Gaussian)
def choose_by_chance(rule, tree, depth, state, policy, scratch, options):
    nodes = tree.nodes
    parent = nodes[scratch.path[depth]]
    maximise = parent["to_play"] == FIRST
    sign = 1.0 if maximise else -1.0
    first = np.int64(parent["first_child"])
    count = np.int64(parent["child_count"])
    mean = np.float64(parent["sum"]) / max(1.0, np.float64(parent["visits"]))
    values = scratch.priors  # of each child for the mover; after that its weight
    best_value = -math.inf
    best_variance = rule.doubt
    allowed = 0
    for i in range(count):
        child = nodes[first + i]
        values[i] = -math.inf
        if options.solver != SOLVER_OFF:
            if is_decided(child["lower"], child["upper"], options):
                continue
            if options.cuts and is_cut(child["lower"], child["upper"], parent["lower"], parent["upper"], maximise):
                continue
        allowed += 1
        value = sign * (np.float64(tree.moments[first + i]["value"]) if has_value(tree, first + i) else mean)
        values[i] = value
        if value > best_value:
            best_value = value
            best_variance = variance_of(rule, tree, first + i)
    if allowed == 0:
        return -1
    # A draw by u_i is a draw from a mixture: with the weight of all rank terms a place in the order, else by the other terms.
    by_rank = rule.rank * (2.0 - math.pow(0.5, allowed - 1.0)) / allowed
    weights = scratch.weights
    total = by_rank
    for i in range(count):
        weights[i] = 0.0
        if values[i] > -math.inf:
            weights[i] = weight_of(rule, tree, first + i, best_value - values[i], best_variance, allowed)
            total += weights[i]
    point = unit(scratch.rng) * total
    if point < by_rank:
        return first + of_rank(values, count, random_rank(scratch.rng, allowed))
    point -= by_rank
    last = -1
    for i in range(count):
        if weights[i] > 0.0:
            last = first + i
            point -= weights[i]
            if point < 0.0:
                break
    return last


@kernel
def weight_of(rule, tree, index, behind, best_variance, allowed):
    """u_i without its rank term, for a child that is `behind` the best."""
    deviation = math.sqrt(2.0 * (best_variance + variance_of(rule, tree, index)))
    chance = math.exp(-rule.slope * behind / deviation) if deviation > 0.0 else (1.0 if behind <= 0.0 else 0.0)
    return chance + (rule.floor + rule.prior * np.float64(tree.nodes[index]["prior"])) / allowed


@kernel
def has_value(tree, index):
    """Whether a game through this node has come back. One that another thread has under way is among the visits already."""
    return tree.nodes[index]["visits"] > 0 and tree.moments[index]["variance"] >= 0.0


@kernel
def variance_of(rule, tree, index):
    return np.float64(tree.moments[index]["variance"]) if has_value(tree, index) else rule.doubt


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
def back_up_values(rule, tree, scratch, depth, score, options):
    """Counts the game in every node of the path, from the leaf up, and computes value and variance of each anew."""
    nodes = tree.nodes
    for d in range(depth, -1, -1):
        index = scratch.path[d]
        node = nodes[index]
        result = score
        if options.clamp_scores:
            result = min(max(result, np.int64(node["lower"])), np.int64(node["upper"]))
        if options.shared:
            count_shared(tree, scratch, d, result, options)
            atomic_add(tree.moments["squares"], index, result * result)
        else:
            node["visits"] += 1
            node["sum"] += result
            tree.moments[index]["squares"] += result * result
        update_moments(rule, tree, index, options)


@kernel
def update_moments(rule, tree, index, options):
    """Value and variance of one node: sections 3.2 (external nodes) and 4 (internal ones)."""
    node = tree.nodes[index]
    moments = tree.moments[index]
    games = max(1.0, np.float64(node["visits"]))
    mean = np.float64(node["sum"]) / games
    variance = (np.float64(moments["squares"]) - games * mean * mean + rule.doubt) / (games + 1.0)
    variance = max(0.0, variance)  # virtual losses of other threads are in the mean, but not among the squares
    if node["child_count"] == 0 or node["visits"] < options.policy_below:
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
    first = np.int64(node["first_child"])
    best, second, robust = -1, -1, -1
    best_value, second_value = -math.inf, -math.inf
    most_games = 0
    for child in range(first, first + node["child_count"]):
        if not has_value(tree, child):
            continue
        visits = np.int64(nodes[child]["visits"])
        value = sign * np.float64(tree.moments[child]["value"])
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
        other_value = sign * np.float64(tree.moments[other]["value"]) if other >= 0 else 0.0
        other_games = np.float64(nodes[other]["visits"]) if other >= 0 else 0.0
        best_games = np.float64(nodes[best]["visits"])
        return sign * mixed(rule, games, mean, best_value, best_games, other_value, other_games)
    return np.float64(tree.moments[robust]["value"])


@kernel
def mixed(rule, games, mean, best_value, best_games, other_value, other_games):
    """Figure 1: between the mean and the value of the move with the most games; all values for the mover."""
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

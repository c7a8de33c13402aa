"""Which child to visit next. A rule is a NamedTuple of constants; its class chooses how children are compared."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel, operation
from tesuji.core.rules import FIRST
from tesuji.search.bounds import is_cut, is_decided
from tesuji.search.notes import MANY_VISITS, has_notes, slot_of, visits_before
from tesuji.search.options import SOLVER_OFF

TABLE_SIZE = 4096
ROOT_OF_LOG = np.array([0.0] + [math.sqrt(math.log(n)) for n in range(1, TABLE_SIZE)])


@operation
def choose_child(rule, tree, depth, state, policy, scratch, options):
    """Index of the child to visit of the expanded node path[depth], or -1 if proof has left none worth a visit."""


class Bandit(NamedTuple):
    """UCT with all moves as first, implicit minimax, progressive bias and the bias by bounds; a zero switches a part off.

    Q = (1 - b) mean + b amaf + C sqrt(ln N / n) + W P / (n + 1) + k/(k+n) (gamma pess + delta opti), for the player to
    move at the parent, all values scaled to [0, 1]; b = m / (n + m + c n m) with m the games of all moves as first. A move
    never tried takes `first_play` for its mean; with all moves as first its n in the third term counts as 1. With implicit
    minimax (search/estimates.py) the mean is mixed with the move's estimate, with the larger weight of a constant and
    e / (n + e).
    """

    exploration: float
    first_play: float
    rave: bool
    rave_bias: float
    prior_weight: float
    minimax_weight: float
    estimate_games: float
    pess_bias: float
    opti_bias: float
    bias_decay: float


@implements(choose_child, Bandit)
def choose_by_bandit(rule, tree, depth, state, policy, scratch, options):
    nodes = tree.nodes
    parent = nodes[scratch.path[depth]]
    maximise = parent["to_play"] == FIRST
    parent_lower = parent["lower"]
    parent_upper = parent["upper"]
    spread = rule.exploration * root_of_log(visits_before(tree, scratch, depth, options))
    # Of a move not tried yet, as after one visit: where something is known of it, it is not put behind.
    untried_bonus = spread if rule.rave or rule.estimate_games > 0.0 else 0.0
    biased = rule.pess_bias != 0.0 or rule.opti_bias != 0.0
    first = np.int64(parent["first_child"])
    best = -1
    best_value = -math.inf
    for index in range(first, first + parent["child_count"]):
        child = nodes[index]
        lower = child["lower"]
        upper = child["upper"]
        if options.solver != SOLVER_OFF:
            if is_decided(lower, upper, options):
                continue
            if options.cuts and is_cut(lower, upper, parent_lower, parent_upper, maximise):
                continue
        games = np.int64(child["visits"])
        total = np.int64(child["sum"])
        if options.shared and games >= MANY_VISITS and has_notes(scratch, index):
            games += scratch.noted_visits[slot_of(index)]
            total += scratch.noted_sum[slot_of(index)]
        visits = np.float64(games)
        mean, bonus = rule.first_play, untried_bonus
        if visits > 0.0:
            share = 1.0 / visits
            mean = (np.float64(total) * share - options.least) * options.scale
            mean = mean if maximise else 1.0 - mean
            bonus = spread * math.sqrt(share)
        if rule.rave:
            mean = mixed_with_rave(mean, tree.rave[index], visits, maximise, rule, options)
        if options.estimates:
            estimate = np.float64(tree.estimates[index])
            weight = max(rule.minimax_weight, rule.estimate_games / max(visits + rule.estimate_games, 1e-9))
            mean += weight * ((estimate if maximise else 1.0 - estimate) - mean)
        value = mean + bonus
        if rule.prior_weight != 0.0:
            value += rule.prior_weight * np.float64(child["prior"]) / (visits + 1.0)
        if biased:
            value += bounds_bias(lower, upper, visits, maximise, rule, options)
        better = value > best_value  # two selects instead of a jump that nobody can predict
        best = index if better else best
        best_value = value if better else best_value
    return best


@kernel
def root_of_log(visits):
    """sqrt(ln N), from a table for most nodes: the logarithm took a tenth of the time."""
    return ROOT_OF_LOG[visits] if visits < TABLE_SIZE else math.sqrt(math.log(np.float64(visits)))


@kernel
def mixed_with_rave(mean, entry, visits, maximise, rule, options):
    """The mean mixed with the all-moves-as-first mean of the child, in [0, 1] for the mover."""
    games = np.float64(entry["visits"])
    if games == 0.0:
        return mean
    amaf = (np.float64(entry["sum"]) / games - options.least) * options.scale
    amaf = amaf if maximise else 1.0 - amaf
    weight = games / (visits + games + rule.rave_bias * visits * games)
    return (1.0 - weight) * mean + weight * amaf


@kernel
def bounds_bias(lower, upper, visits, maximise, rule, options):
    """Section 3.4: gamma pess + delta opti at a Max node, -gamma opti - delta pess at a Min node, bounds in [0, 1]."""
    pess = (np.float64(lower) - options.lowest) * options.bounds_scale
    opti = (np.float64(upper) - options.lowest) * options.bounds_scale
    bias = rule.pess_bias * pess + rule.opti_bias * opti if maximise else -rule.pess_bias * opti - rule.opti_bias * pess
    if rule.bias_decay > 0.0:
        bias *= rule.bias_decay / (rule.bias_decay + visits)
    return bias

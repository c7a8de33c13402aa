"""Which child to visit next. A rule is a NamedTuple of constants; its class chooses how children are compared."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel, operation
from tesuji.core.rules import FIRST
from tesuji.search.bounds import is_cut, is_decided
from tesuji.search.options import SOLVER_OFF


@operation
def choose_child(rule, tree, node, state, policy, scratch, options):
    """Index of the child of the expanded `node` to visit, or -1 if proof has left none worth a visit."""


class Bandit(NamedTuple):
    """UCT with all moves as first, progressive bias and the bias by bounds; every part is switched off by a zero.

    Q = (1 - b) mean + b amaf + C sqrt(ln N / n) + W P / (n + 1) + k/(k+n) (gamma pess + delta opti), for the player to
    move at the parent, all values scaled to [0, 1]; b = m / (n + m + c n m) with m the games of all moves as first.
    """

    exploration: float
    first_play: float
    rave: bool
    rave_bias: float
    prior_weight: float
    pess_bias: float
    opti_bias: float
    bias_decay: float


@implements(choose_child, Bandit)
def choose_by_bandit(rule, tree, node, state, policy, scratch, options):
    nodes = tree.nodes
    parent = nodes[node]
    maximise = parent["to_play"] == FIRST
    parent_lower = parent["lower"]
    parent_upper = parent["upper"]
    spread = rule.exploration * math.sqrt(math.log(max(1.0, np.float64(parent["visits"]))))
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
        visits = np.float64(child["visits"])
        value = mean_value(tree, index, visits, maximise, rule, options)
        if visits > 0.0:
            value += spread / math.sqrt(visits)
        if rule.prior_weight != 0.0:
            value += rule.prior_weight * np.float64(child["prior"]) / (visits + 1.0)
        if biased:
            value += bounds_bias(lower, upper, visits, maximise, rule, options)
        if value > best_value:
            best = index
            best_value = value
    return best


@kernel
def mean_value(tree, index, visits, maximise, rule, options):
    """The child's mean, mixed with its all-moves-as-first mean, in [0, 1] for the mover; `first_play` if never seen."""
    mean = 0.0
    if visits > 0.0:
        mean = (np.float64(tree.nodes[index]["sum"]) / visits - options.lowest) * options.scale
        if not maximise:
            mean = 1.0 - mean
    if rule.rave:
        entry = tree.rave[index]
        games = np.float64(entry["visits"])
        if games > 0.0:
            amaf = (np.float64(entry["sum"]) / games - options.lowest) * options.scale
            if not maximise:
                amaf = 1.0 - amaf
            weight = games / (visits + games + rule.rave_bias * visits * games)
            return (1.0 - weight) * mean + weight * amaf
    return mean if visits > 0.0 else rule.first_play


@kernel
def bounds_bias(lower, upper, visits, maximise, rule, options):
    """Section 3.4: gamma pess + delta opti at a Max node, -gamma opti - delta pess at a Min node, bounds in [0, 1]."""
    pess = (np.float64(lower) - options.lowest) * options.scale
    opti = (np.float64(upper) - options.lowest) * options.scale
    bias = rule.pess_bias * pess + rule.opti_bias * opti if maximise else -rule.pess_bias * opti - rule.opti_bias * pess
    if rule.bias_decay > 0.0:
        bias *= rule.bias_decay / (rule.bias_decay + visits)
    return bias

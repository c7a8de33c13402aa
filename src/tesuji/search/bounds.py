"""Proof by bounds: each node knows a lower and an upper limit of its outcome under perfect play (for player 0).

Cazenave and Saffidine 2010, Algorithms 1 and 2, with the test of Algorithm 1's Min branch the right way round (a
pessimistic bound only ever rises). The MCTS-Solver of Winands et al. 2008 is the same mechanism with another idea of when a
node is decided: as soon as the bounds show who wins.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.rules import FIRST
from tesuji.search.options import SOLVER_WIN_LOSS
from tesuji.search.table import UNKNOWN, remember
from tesuji.search.tree import KNOWN, KNOWN_LIMIT, STATUS, STATUS_CROSSED, STATUS_FINE, STATUS_TABLE_FULL


@kernel
def is_decided(lower, upper, options):
    """Whether a node with these bounds needs no more search."""
    if lower == upper:
        return True
    return options.solver == SOLVER_WIN_LOSS and (lower > options.middle or upper < options.middle)


@kernel
def decided_score(lower, upper, options):
    """The outcome to back up from a decided node."""
    if lower == upper:
        return np.int64(lower)
    return np.int64(options.highest) if lower > options.middle else np.int64(options.lowest)


@kernel
def is_cut(lower, upper, parent_lower, parent_upper, maximise):
    """Section 3.3: a move that cannot be better for the mover than what the parent already has."""
    return upper <= parent_lower if maximise else lower >= parent_upper


@kernel
def settle(tree, scratch, depth, result, options):
    """The game is over at path[depth]: its outcome becomes both bounds. The win-loss solver learns nothing from a draw."""
    if options.solver == SOLVER_WIN_LOSS and result == options.middle:
        return
    narrow(tree, scratch, depth, result, result, options)


@kernel
def narrow(tree, scratch, depth, lower, upper, options):
    """Tightens the bounds of path[depth] to within [lower, upper] and tells the nodes above."""
    node = tree.nodes[scratch.path[depth]]
    rises = lower > node["lower"]
    falls = upper < node["upper"]
    if not (rises or falls):
        return
    if rises:
        node["lower"] = lower
    if falls:
        node["upper"] = upper
    if node["lower"] > node["upper"]:  # cannot be: the game's bounds or its hash lie
        tree.counters[STATUS] = STATUS_CROSSED
        return
    share(tree, scratch, depth, options)
    if rises:
        propagate_lower(tree, scratch, depth, options)
    if falls:
        propagate_upper(tree, scratch, depth, options)


@kernel
def share(tree, scratch, depth, options):
    """Puts the bounds of path[depth] into the table of known positions."""
    key = scratch.hashes[depth]
    if options.transpositions and key != UNKNOWN:
        node = tree.nodes[scratch.path[depth]]
        tree.counters[KNOWN] += remember(tree.table, key, node["lower"], node["upper"])
        if tree.counters[KNOWN] > tree.counters[KNOWN_LIMIT] and tree.counters[STATUS] == STATUS_FINE:
            tree.counters[STATUS] = STATUS_TABLE_FULL


@kernel
def propagate_lower(tree, scratch, depth, options):
    """Algorithm 1: a pessimistic bound has risen at path[depth]."""
    nodes = tree.nodes
    path = scratch.path
    while depth > 0:
        risen = nodes[path[depth]]["lower"]
        depth -= 1
        node = nodes[path[depth]]
        before = node["lower"]
        if risen <= before:
            return
        after = risen if node["to_play"] == FIRST else least_lower(nodes, node)
        if after <= before:
            return
        node["lower"] = after
        share(tree, scratch, depth, options)


@kernel
def propagate_upper(tree, scratch, depth, options):
    """Algorithm 2: an optimistic bound has fallen at path[depth]."""
    nodes = tree.nodes
    path = scratch.path
    while depth > 0:
        fallen = nodes[path[depth]]["upper"]
        depth -= 1
        node = nodes[path[depth]]
        before = node["upper"]
        if fallen >= before:
            return
        after = greatest_upper(nodes, node) if node["to_play"] == FIRST else fallen
        if after >= before:
            return
        node["upper"] = after
        share(tree, scratch, depth, options)


@kernel
def least_lower(nodes, node):
    """The least pessimistic bound of the children: what Min can hold Max down to."""
    first = np.int64(node["first_child"])
    least = nodes[first]["lower"]
    for child in range(first + 1, first + node["child_count"]):
        least = min(least, nodes[child]["lower"])
    return least


@kernel
def greatest_upper(nodes, node):
    """The greatest optimistic bound of the children: what Max can still hope for."""
    first = np.int64(node["first_child"])
    greatest = nodes[first]["upper"]
    for child in range(first + 1, first + node["child_count"]):
        greatest = max(greatest, nodes[child]["upper"])
    return greatest


@kernel
def narrow_by_children(tree, scratch, depth, options):
    """Takes the bounds of path[depth] from all its children at once (section 3.1)."""
    nodes = tree.nodes
    node = nodes[scratch.path[depth]]
    first = np.int64(node["first_child"])
    lower = np.int64(nodes[first]["lower"])
    upper = np.int64(nodes[first]["upper"])
    maximise = node["to_play"] == FIRST
    for child in range(first + 1, first + node["child_count"]):
        if maximise:
            lower = max(lower, np.int64(nodes[child]["lower"]))
            upper = max(upper, np.int64(nodes[child]["upper"]))
        else:
            lower = min(lower, np.int64(nodes[child]["lower"]))
            upper = min(upper, np.int64(nodes[child]["upper"]))
    narrow(tree, scratch, depth, lower, upper, options)

"""Studies: what a policy proves about a node, or about the moves of the root, and how it enters the tree."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.numba.atomics import atomic_or
from tesuji.core.rules import is_over, moves
from tesuji.search.kernel.bounds import is_decided, narrow
from tesuji.search.kernel.scratch import AHEAD, HERE
from tesuji.search.kernel.table import UNKNOWN
from tesuji.search.kernel.tree import (
    BAD_STUDY,
    CLAIMED,
    PRESEARCHED,
    PRUNED,
    REPLACED,
    ROOT,
    replace_position,
    request_reply,
    stop,
)
from tesuji.search.policy import FIRST_REPLY, NO_LOWER, NO_UPPER, study, study_moves


@kernel
def study_node(tree, scratch, depth, state, first, published, added, policy, options):
    """Lets the policy study path[depth]; returns the bounds of its outcome, for player 0, that the study proves.

    A study that decides the game may leave a position without moves: it replaces nothing then, as the bounds are enough.

    depth              of the node: scratch.path[depth] is its index
    state              its position, which is scratch.states[HERE]; the study may change it
    first              its first child
    published, added   its number of children, if other threads see them; if they do not yet. The other number is 0
    options            `Options` of the loop
    """
    nodes = tree.nodes
    node = scratch.path[depth]
    count = np.int64(max(published, added))
    buffer = scratch.buffer
    kept = scratch.kept
    for i in range(count):
        buffer[i] = nodes[first + i]["move"]
        kept[i] = 1
    scratch.states[AHEAD] = state
    low, high, replaced = study(policy, state, buffer, count, kept)
    lower = max(np.int64(low), np.int64(options.scale.lowest))
    upper = min(np.int64(high), np.int64(options.scale.highest))
    some_kept = is_legal_study(state, nodes, first, count, kept, buffer)
    if not some_kept and lower < upper:
        stop(tree.counters, BAD_STUDY, node)
        scratch.states[HERE] = scratch.states[AHEAD]
        return np.int64(NO_LOWER), np.int64(NO_UPPER)
    # The value of a single move may be another one in the new position, so nothing may be known of any: a child with children
    # has the moves of the old position, and one with bounds those of its move there. Else the position stays. It does too where
    # another thread may be below this node with the old one. So does the root's: what is proven of its moves must be true
    # of them, not of those of another position.
    is_new = depth > 0 and (added > 0 or not options.sharing.shared)
    for i in range(count):
        child = nodes[first + i]
        if some_kept and kept[i] == 0:
            atomic_or(nodes["flags"], first + i, PRUNED)
            continue
        if kept[i] >= FIRST_REPLY:
            request_reply(nodes, first + i, kept[i] - FIRST_REPLY)
        is_unknown = child["lower"] == options.scale.lowest and child["upper"] == options.scale.highest
        is_new = is_new and is_unknown and child["flags"] & CLAIMED == 0
    if replaced and some_kept and is_new:
        replace_position(tree, node, state)
    if nodes[node]["flags"] & REPLACED == 0:  # there may have been no room for it
        scratch.states[HERE] = scratch.states[AHEAD]
    return lower, upper


@kernel
def study_root_moves(tree, scratch, state, policy, options):
    """Lets the policy study the next `options.root_moves` moves of the root by prior; `state` is the root's position."""
    nodes = tree.nodes
    first = np.int64(nodes[ROOT]["first_child"])
    buffer, children, limits = scratch.buffer, scratch.kept, scratch.bounds
    count = 0
    while count < options.root_moves:
        best = np.int64(-1)
        for child in range(first, first + nodes[ROOT]["child_count"]):
            if nodes[child]["flags"] & (PRUNED | PRESEARCHED) == 0 and not is_decided(nodes[child], options):
                if best < 0 or nodes[child]["prior"] > nodes[best]["prior"]:
                    best = child
        if best < 0:
            break
        nodes[best]["flags"] |= PRESEARCHED
        buffer[count] = nodes[best]["move"]
        children[count] = best
        limits[0, count] = NO_LOWER
        limits[1, count] = NO_UPPER
        count += 1
    study_moves(policy, state, buffer, count, limits)
    scratch.hashes[1] = UNKNOWN
    for i in range(count):
        scratch.path[1] = children[i]
        lower = max(limits[0, i], np.int64(options.scale.lowest))
        upper = min(limits[1, i], np.int64(options.scale.highest))
        narrow(tree, scratch, 1, lower, upper, options)


@kernel
def is_legal_study(state, nodes, first, count, kept, buffer):
    """Whether some child is kept, and every one that is kept is a legal move of the position as the study left it.

    state          that position
    first, count   the children: nodes[first : first + count]
    kept           int32[at least count]: 0 = pruned
    buffer         int32: overwritten with the legal moves of `state`
    """
    if is_over(state):
        return False
    legal_count = np.int64(moves(state, buffer))
    some_kept = False
    for i in range(count):
        if kept[i] != 0:
            some_kept = True
            is_legal = False
            for j in range(legal_count):
                is_legal = is_legal or buffer[j] == nodes[first + i]["move"]
            if not is_legal:
                return False
    return some_kept

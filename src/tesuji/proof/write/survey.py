"""A finished tree seen as a proof: which positions its nodes stand for, and where a proof of a claim is smallest.

Used when a certificate is written. A node's bounds may have come from an equal position elsewhere in the tree, or from a
subtree that was dropped since; so the question is asked of positions (all nodes of one hash), not of nodes.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.rules import (
    FIRST,
    NO_HASH,
    bounds,
    image,
    is_over,
    moves,
    outcome,
    play,
    position_hash,
    symmetric_hash,
    symmetries,
    to_play,
)
from tesuji.search.kernel.tree import PRUNED, ROOT

OVER = 2  # in place of the player to move, when the game has ended
LOWER, UPPER, MOVER = 0, 1, 2  # columns of a `RuleView`
NOT_PROVEN = np.inf
PROOF_DROPPED = 1e100  # size of a proof that the search has had but that is not in the tree any more
LARGEST = 1e300  # sizes are counted up to here
FNV_START, FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


@kernel
def glance(state, look, row, lowest, highest, use_bounds):
    """Writes (lower, upper, mover) of a position into a row of `look`: its outcome, or the bounds that the rules give."""
    if is_over(state):
        result = outcome(state)
        look[row, LOWER] = result
        look[row, UPPER] = result
        look[row, MOVER] = OVER
        return
    look[row, LOWER] = lowest
    look[row, UPPER] = highest
    if use_bounds:
        low, high = bounds(state, lowest, highest)
        look[row, LOWER] = low
        look[row, UPPER] = high
    look[row, MOVER] = to_play(state)


@kernel
def list_moves(state, buffer):
    """Writes the legal moves into `buffer`; returns how many."""
    return np.int64(moves(state, buffer))


@kernel
def follow_moves(state, chosen, count, children, look, lowest, highest, use_bounds):
    """children[i] becomes `state` after chosen[i], with a glance at it in look[i]."""
    for i in range(count):
        children[i] = state
        child = children[i]
        play(child, chosen[i])
        glance(child, look, i, lowest, highest, use_bounds)


@kernel
def count_symmetries(state):
    return np.int64(symmetries(state))


@kernel
def turn(state, number, out):
    image(state, number, out)
    return 0


@kernel
def hash_bytes(row):
    """64 bits of a row of bytes (FNV-1a), for games without a position hash."""
    code = FNV_START
    for i in range(len(row)):
        code = (code ^ np.uint64(row[i])) * FNV_PRIME
    return code


@kernel
def name_position(state, row, use_hash, symmetry, room):
    """64 bits that stand for a position: the game's own hash, or one of the record's bytes (`row`) if it has none.

    With `symmetry`, images have the same name; `room` is an array of one record, to use.
    """
    code = NO_HASH
    if use_hash:
        code = symmetric_hash(state, room) if symmetry else position_hash(state)
    return code if code != NO_HASH else hash_bytes(row)


@kernel
def name_positions(states, octets, count, use_hash, symmetry, room, hashes):
    """The names of states[0] .. states[count - 1]; `octets` is the same memory as rows of bytes."""
    for i in range(count):
        hashes[i] = name_position(states[i], octets[i], use_hash, symmetry, room)


@kernel
def survey_tree(
    nodes, states, octets, buffer, path, cursor, lowest, highest, use_bounds, use_hash, symmetry, room, hashes, look, complete
):
    """Replays the moves of the whole tree once, depth first, and notes of every node what its position is.

    `states` is a stack of positions with the root's at the bottom, `octets` the same memory as rows of bytes, `path` and
    `cursor` have room for as many. Written, one entry a node: `hashes`, `look` (see `glance`), and `complete`: whether
    the node's children are all its legal moves.
    """
    depth = 0
    path[0] = ROOT
    cursor[0] = 0
    hashes[ROOT] = name_position(states[0], octets[0], use_hash, symmetry, room)
    note_node(nodes, ROOT, states[0], buffer, lowest, highest, use_bounds, look, complete)
    while depth >= 0:
        node = nodes[path[depth]]
        index = cursor[depth]
        if index >= node["child_count"]:
            depth -= 1
            continue
        cursor[depth] = index + 1
        child = np.int64(node["first_child"]) + index
        ahead = depth + 1
        states[ahead] = states[depth]
        state = states[ahead]
        play(state, nodes[child]["move"])
        hashes[child] = name_position(state, octets[ahead], use_hash, symmetry, room)
        note_node(nodes, child, state, buffer, lowest, highest, use_bounds, look, complete)
        if nodes[child]["child_count"] > 0:
            depth = ahead
            path[depth] = child
            cursor[depth] = 0


@kernel
def note_node(nodes, index, state, buffer, lowest, highest, use_bounds, look, complete):
    """The part of `survey_tree` that is done at each node."""
    glance(state, look, index, lowest, highest, use_bounds)
    count = np.int64(nodes[index]["child_count"])
    complete[index] = count > 0 and count == moves(state, buffer)


@kernel
def holds(lower, upper, player, bound):
    """Whether lower <= value <= upper shows player 0's claim value >= bound, or player 1's claim value <= bound."""
    return lower >= bound if player == FIRST else upper <= bound


@kernel
def measure_proofs(nodes, used, group, look, complete, player, bound, trust, pruned, size, trusted):
    """The smallest proof of a player's claim that the tree holds for each position, counted as a tree.

    `trust` is what a position counts for that is taken on trust, `pruned` what a move of the opponent does that the policy has
    left out; NOT_PROVEN if such moves have to be shown like all others.

    A position is a group of nodes; `size` and `trusted` have one entry a group. A position is taken on trust if its bounds
    show the claim and no children do: they come from a proof that was dropped to save memory, or that the table of
    known positions remembers. Children come after their parents in the arena, so going backwards settles a tree in one pass;
    positions that are shared between branches may need a few more, until nothing changes. Returns the number of passes.
    """
    for g in range(len(size)):
        size[g] = NOT_PROVEN
        trusted[g] = False
    passes = 0
    better = True
    while better:
        better = False
        passes += 1
        for index in range(used - 1, -1, -1):
            g = group[index]
            node = nodes[index]
            if holds(look[index, LOWER], look[index, UPPER], player, bound):
                if size[g] > 0.0:
                    size[g] = 0.0
                    better = True
                continue
            here = measure_children(nodes, index, group, complete, player, pruned, size)
            if here < size[g] or (here < NOT_PROVEN and trusted[g]):
                size[g] = here
                trusted[g] = False
                better = True
            elif size[g] == NOT_PROVEN and holds(node["lower"], node["upper"], player, bound):
                size[g] = trust
                trusted[g] = True
                better = True
    return passes


@kernel
def measure_children(nodes, index, group, complete, player, pruned, size):
    """The size of a proof by the children of a node: the smallest where the player chooses, else all of them."""
    node = nodes[index]
    count = np.int64(node["child_count"])
    if count == 0:
        return NOT_PROVEN
    first = np.int64(node["first_child"])
    if node["to_play"] == player:
        total = NOT_PROVEN
        for child in range(first, first + count):
            total = min(total, size[group[child]])
    elif complete[index] or pruned < NOT_PROVEN:
        total = 0.0 if complete[index] else pruned
        for child in range(first, first + count):
            is_left_out = nodes[child]["flags"] & PRUNED != 0
            total += min(pruned, size[group[child]]) if is_left_out else size[group[child]]
    else:
        total = NOT_PROVEN
    return min(total + 1.0, LARGEST) if total < NOT_PROVEN else NOT_PROVEN

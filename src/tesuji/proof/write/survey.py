"""A finished tree seen as a proof: which positions its nodes stand for, and where a proof of a claim is smallest.

Used when a certificate is written. A node's bounds may have come from an equal position elsewhere in the tree, or from a
subtree that was dropped since. So proofs belong to positions (all nodes of one hash), not to nodes.
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
def view_position(state, views, row, lowest, highest, use_bounds):
    """What the rules say of a position: its outcome, or the bounds that they give.

    views            [rows, 3] written in one row: lower, upper (for player 0), and the player to move
    lowest, highest  the game's range of outcomes
    use_bounds       whether the rules' own bounds count
    """
    if is_over(state):
        result = outcome(state)
        views[row, LOWER] = result
        views[row, UPPER] = result
        views[row, MOVER] = OVER
        return
    views[row, LOWER] = lowest
    views[row, UPPER] = highest
    if use_bounds:
        low, high = bounds(state, lowest, highest)
        views[row, LOWER] = low
        views[row, UPPER] = high
    views[row, MOVER] = to_play(state)


@kernel
def list_moves(state, buffer):
    """Writes the legal moves into `buffer`; returns how many."""
    return np.int64(moves(state, buffer))


@kernel
def follow_moves(state, chosen, count, children, views, lowest, highest, use_bounds):
    """The positions after some moves of `state`, and their views.

    chosen    [count] the moves
    children  [count] written: the positions
    views     [count, 3] written (see `view_position`)
    lowest, highest, use_bounds: the game's range of outcomes, and whether the rules' own bounds count
    """
    for i in range(count):
        children[i] = state
        child = children[i]
        play(child, chosen[i])
        view_position(child, views, i, lowest, highest, use_bounds)


@kernel
def count_symmetries(state):
    return np.int64(symmetries(state))


@kernel
def make_image(state, number, out):
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
def name_position(state, row, use_hash, symmetry, image_buffer):
    """64 bits that stand for a position: the game's own hash, or one of the record's bytes (`row`) if it has none.

    With `symmetry`, images have the same name; `image_buffer` is an array of one record, to use.
    """
    code = NO_HASH
    if use_hash:
        code = symmetric_hash(state, image_buffer) if symmetry else position_hash(state)
    return code if code != NO_HASH else hash_bytes(row)


@kernel
def name_positions(states, octets, count, use_hash, symmetry, image_buffer, hashes):
    """The names of some positions (see `name_position`).

    states  [count] the positions; `octets` is the same memory as rows of bytes
    hashes  [count] written: their names
    """
    for i in range(count):
        hashes[i] = name_position(states[i], octets[i], use_hash, symmetry, image_buffer)


@kernel
def survey_tree(
    nodes,
    states,
    octets,
    buffer,
    path,
    cursor,
    lowest,
    highest,
    use_bounds,
    use_hash,
    symmetry,
    image_buffer,
    hashes,
    views,
    complete,
):
    """Replays the moves of the whole tree once, depth first, and notes of every node what its position is.

    nodes                     [nodes] the tree
    states, octets            [depth] a stack of positions, the root's at the bottom; the same memory as rows of bytes
    path, cursor              [depth] for the nodes on the way down, and which of their children is next
    buffer                    [most moves of a position]
    lowest, highest           the game's range of outcomes
    use_bounds, use_hash, symmetry  whether the rules' own bounds, the game's hash and its images count
    image_buffer              [1] a record
    hashes                    [nodes] written: the names of the positions
    views                     [nodes, 3] written (see `view_position`)
    complete                  [nodes] written: whether the node's children are all its legal moves
    """
    depth = 0
    path[0] = ROOT
    cursor[0] = 0
    hashes[ROOT] = name_position(states[0], octets[0], use_hash, symmetry, image_buffer)
    note_node(nodes, ROOT, states[0], buffer, lowest, highest, use_bounds, views, complete)
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
        hashes[child] = name_position(state, octets[ahead], use_hash, symmetry, image_buffer)
        note_node(nodes, child, state, buffer, lowest, highest, use_bounds, views, complete)
        if nodes[child]["child_count"] > 0:
            depth = ahead
            path[depth] = child
            cursor[depth] = 0


@kernel
def note_node(nodes, index, state, buffer, lowest, highest, use_bounds, views, complete):
    """The part of `survey_tree` that is done at each node: `index` in the tree, `state` its position."""
    view_position(state, views, index, lowest, highest, use_bounds)
    count = np.int64(nodes[index]["child_count"])
    complete[index] = count > 0 and count == moves(state, buffer)


@kernel
def holds(lower, upper, player, bound):
    """Whether lower <= value <= upper shows player 0's claim value >= bound, or player 1's claim value <= bound."""
    return lower >= bound if player == FIRST else upper <= bound


@kernel
def measure_proofs(nodes, used, group, views, complete, player, bound, trust, pruned, size, trusted):
    """The smallest proof of a player's claim that the tree holds for each position, counted as a tree.

    A position is a group of nodes. It is taken on trust if its bounds show the claim and no children do: these come from a
    proof that was dropped to save memory, or that the transposition table remembers. Children come after their parents in the
    arena, so one pass backwards does for a tree; positions that branches share may need a few more, until nothing changes.

    nodes, used     the tree, and how many nodes it has
    group           [used] the group of each node
    views           [used, 3] what the rules say of each (see `view_position`)
    complete        [used] whether a node's children are all its legal moves
    player, bound   the claim; the bound is an outcome for player 0
    trust           what a position counts that is taken on trust
    pruned          what a move of the opponent counts that the policy left out; NOT_PROVEN if it needs a proof like all others
    size            [groups] written: the smallest proof of each position, NOT_PROVEN if there is none
    trusted         [groups] written: whether that proof is taken on trust

    Returns the number of passes.
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
            if holds(views[index, LOWER], views[index, UPPER], player, bound):
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
    """The size of a proof by the children of a node: the smallest where the player chooses, else all of them.

    The arguments are those of `measure_proofs`; `index` is the node.
    """
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

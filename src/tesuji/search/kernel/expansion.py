"""New nodes: the moves of a position, as the policy rates them, become children."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.core.numba.atomics import atomic_or
from tesuji.core.numba.local_copies import local_copy
from tesuji.core.random import shuffle
from tesuji.core.rules import FIRST, moves, to_play
from tesuji.search.kernel.leaves import waits
from tesuji.search.kernel.scale import for_mover
from tesuji.search.kernel.tree import ALL_PRUNED, CLAIMED, NOT_EXPECTED, add_children, requested_reply, stop
from tesuji.search.policy import rate_moves
from tesuji.search.selection.interface import take_rating

FEW_MOVES = 400  # no position of Go on 19x19, or of any game whose searches have a committed signature, has more


@kernel
def expand(tree, scratch, depth, state, policy, rule, options):
    """Adds the children of path[depth], which are not published yet; returns the first and how many.

    (0, 0) if the arena is full or another thread is expanding the node.

    depth          of the node: scratch.path[depth] is its index
    state          its position
    policy, rule   rate the moves, and take the ratings into the rule's statistics
    options        `Options` of the loop
    """
    node = scratch.path[depth]
    none = np.int64(0)
    if not waits(scratch.leaves) and atomic_or(tree.nodes["flags"], node, CLAIMED) & CLAIMED != 0:  # a leaf that waits has it
        return none, none
    scale = options.scale
    buffer = scratch.buffer
    count = np.int64(moves(state, buffer))
    shuffle(buffer, count, scratch.rng)  # so that equal moves are tried in random order
    if options.bars:
        count = without_barred(buffer, count, scratch.barred, to_play(state), depth)
    if options.rates:
        reply = requested_reply(tree.nodes[node])
        count, expected = rate(policy, state, buffer, count, reply, scratch.ratings, options)
        if len(tree.expectations) > 1:
            tree.expectations[node] = for_mover(expected, to_play(state) == FIRST) if 0.0 <= expected <= 1.0 else NOT_EXPECTED
        if count == 0:
            stop(tree.counters, ALL_PRUNED, node)
            return none, none
        if options.sorts:
            sort_by_prior(buffer, scratch.ratings, count)
    first = add_children(tree, rule, node, buffer, count, scale.lowest, scale.highest)
    if first == 0:
        return none, none
    mover = to_play(state)
    tree.nodes[node]["to_play"] = mover
    if options.rates:
        for i in range(count):
            tree.nodes[first + i]["prior"] = scratch.ratings[i]["prior"]
            if len(tree.statistics) > 1:
                take_rating(rule, tree.statistics[first + i], scratch.ratings[i], mover == FIRST, scale)
    return first, count


@kernel
def without_barred(buffer, count, barred, mover, depth):
    """Takes the moves out of the buffer that are barred at this depth, unless that would leave none."""
    left = np.int64(0)
    for i in range(count):
        if barred[mover, buffer[i]] <= depth:
            buffer[left] = buffer[i]
            left += 1
    return left if left > 0 else count


@kernel
def rate(policy, state, buffer, count, reply, ratings, options):
    """Writes the policy's ratings of the moves in the buffer, and takes pruned moves out.

    Returns how many moves are left, and the result that the policy expects for the player to move, or NOT_EXPECTED.

    state     the position, in which the moves are legal
    buffer    int32[at least count]: the moves; those that stay come first, in their order
    reply     the move that a study of the node above asks for, -1 = none
    ratings   RATING[at least count], parallel to buffer: written for the player to move
    options   `Options` of the loop
    """
    for i in range(count):
        ratings[i]["prior"] = 0.0
        ratings[i]["value"] = 0.5
        ratings[i]["games"] = 0.0
        ratings[i]["own_value"] = 0.5
        ratings[i]["own_games"] = 0.0
        ratings[i]["rave"] = True
        ratings[i]["kept"] = True
        ratings[i]["asked_for"] = buffer[i] == reply
    expected = result_or_none(rate_moves(policy, state, buffer, count, ratings))
    if not options.prunes:
        return count, expected
    left = np.int64(0)
    for i in range(count):
        if ratings[i]["kept"]:
            if left < i:
                buffer[left] = buffer[i]
                ratings[left] = ratings[i]
            left += 1
    return left, expected


@kernel
def result_or_none(expected):
    """What `rate_moves` has returned, as a number."""
    if expected is None:
        return NOT_EXPECTED
    return np.float64(expected)


@kernel
def sort_by_prior(buffer, ratings, count):
    """Sorts the moves and their ratings by prior, the highest first; moves of equal prior stay in random order.

    Neither sort is stable, so which of them is used shows in the order of equal priors: committed signatures rest on that of
    selection sort, which is quick enough for a few moves.
    """
    if count > FEW_MOVES:
        heap_sort_by_prior(buffer, ratings, count)
        return
    for i in range(count - 1):
        best = i
        for j in range(i + 1, count):
            if ratings[j]["prior"] > ratings[best]["prior"]:
                best = j
        if best != i:
            swap(buffer, ratings, i, best)


@called_kernel
def heap_sort_by_prior(buffer, ratings, count):
    """The same in O(n log n): what is not yet sorted is a heap with the lowest prior at its top, which goes to the end."""
    for top in range(count // 2 - 1, -1, -1):
        sift_down(buffer, ratings, top, count)
    for end in range(count - 1, 0, -1):
        swap(buffer, ratings, 0, end)
        sift_down(buffer, ratings, 0, end)


@kernel
def sift_down(buffer, ratings, top, end):
    """Moves the entry at `top` down until none below it, of those before `end`, has a lower prior."""
    at = np.int64(top)
    while 2 * at + 1 < end:
        below = 2 * at + 1
        if below + 1 < end and ratings[below + 1]["prior"] < ratings[below]["prior"]:
            below += 1
        if not ratings[below]["prior"] < ratings[at]["prior"]:
            return
        swap(buffer, ratings, at, below)
        at = below


@kernel
def swap(buffer, ratings, i, j):
    move = buffer[i]
    buffer[i] = buffer[j]
    buffer[j] = move
    rating = local_copy(ratings[i])
    ratings[i] = ratings[j]
    ratings[j] = rating

"""Leaves that wait: a simulation that needs the answer of an evaluator outside of the search is set aside until it is there.

Kernels cannot call Python. So a simulation that is about to expand a node writes down what the evaluator is to see, keeps its
path, and ends for now; its virtual losses stay, so that the next ones go elsewhere. One that arrives at a node that waits
already leaves its virtual losses too, until the next slice. When the batch is full, or so many have arrived in vain, the slice
returns. Python has the evaluator answer, and the next slice first goes on with each leaf where it was. Only searches with an
evaluator have `Leaves`; in all others these operations are constants.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel, operation, operation_with_default
from tesuji.core.numba.atomics import atomic_add, atomic_or
from tesuji.core.rules import FIRST
from tesuji.search.kernel.scratch import SUBTREE
from tesuji.search.kernel.tree import CLAIMED, ROOT

# Indices of `counts`: leaves that wait; leaves whose answers are there, and the next of them; flags of the simulation under way
# (it goes on with an answer; it was set aside); how many have arrived at a node that waits.
WAITING, ANSWERED, NEXT, RESUMED, ASIDE, COLLISIONS, LEAF_COUNTS = range(7)
LEAF, ROW = 0, 1  # of `Answers.at`
MOST_AT_ONCE = 1024  # simulations that a slice ends after, though they have left few leaves: the clock must be looked at


class NoLeaves(NamedTuple):
    """Of a search without an evaluator."""

    nothing: int = 0


class Answers(NamedTuple):
    """What the evaluator has said of one thread's leaves, each of which has the same number of rows, one for each image."""

    policies: np.ndarray  # float64[row, place]: logits
    values: np.ndarray  # float64[row]: the result that it expects for the player to move, from 0 to 1
    at: np.ndarray  # int64[2]: the leaf that is asked about now, and a row for whoever reads


class Leaves(NamedTuple):
    """The leaves of one thread that wait. From `images` to `virtual_losses` the first axis is the leaf."""

    viewer: NamedTuple  # writes what the evaluator sees: `write_question`
    planes: np.ndarray  # float32[row, column, plane]: room for it
    images: np.ndarray  # float32[leaf, image, row, column, plane]: what it writes
    states: np.ndarray
    depths: np.ndarray  # int64
    path: np.ndarray  # and so on: what `Scratch` has of a simulation
    hashes: np.ndarray
    history: np.ndarray
    movers: np.ndarray
    virtual_losses: np.ndarray
    collisions: np.ndarray  # int64: nodes that wait already, at which a simulation has arrived
    counts: np.ndarray  # int64[LEAF_COUNTS]
    at: np.ndarray  # that of the thread's `Answers`


@operation
def write_question(viewer, state, planes, images):
    """Writes what the evaluator sees of the position into the float32 array `images`, image x row x column x plane.

    `planes`, row x column x plane, is free to be used.
    """


@operation_with_default
def waits(leaves):
    """Whether leaves wait for an evaluator."""
    return False


@operation_with_default
def is_answered(leaves):
    """Whether the simulation under way goes on with the answer for its leaf."""
    return False


@operation_with_default
def set_aside(leaves, tree, scratch, depth, state, options):
    """Whether the simulation ends here for now, since the node path[depth], which is to get its children, has to wait."""
    return False


@operation_with_default
def end_collisions(leaves, tree, options):
    """A slice begins: removes the virtual losses of simulations that have arrived at nodes that waited."""


@operation_with_default
def resume_leaf(leaves, scratch):
    """Puts the next leaf whose answer is there back into `scratch`, its position as SUBTREE; returns its depth, -1 = none."""
    return -1


@operation_with_default
def is_finished(leaves):
    """Whether the simulation that has just ended was not set aside."""
    return True


@operation_with_default
def are_enough(leaves, done, count):
    """Whether no simulation is to begin, `done` being finished."""
    return done >= count


@implements(waits, Leaves)
def do_wait(leaves):
    return True


@implements(is_answered, Leaves)
def has_answer(leaves):
    return leaves.counts[RESUMED] != 0


@implements(set_aside, Leaves)
def add_leaf(leaves, tree, scratch, depth, state, options):
    counts = leaves.counts
    if counts[RESUMED] != 0:  # the node is this leaf's since it was set aside
        counts[RESUMED] = 0
        return False
    counts[ASIDE] = 1
    node = scratch.path[depth]
    if atomic_or(tree.nodes["flags"], node, CLAIMED) & CLAIMED != 0:
        leaves.collisions[counts[COLLISIONS]] = node
        counts[COLLISIONS] += 1
        return True
    leaf = counts[WAITING]
    counts[WAITING] = leaf + 1
    write_question(leaves.viewer, state, leaves.planes, leaves.images[leaf])
    leaves.states[leaf] = state
    leaves.depths[leaf] = depth
    for d in range(depth + 1):
        leaves.path[leaf, d] = scratch.path[d]
        leaves.hashes[leaf, d] = scratch.hashes[d]
        leaves.virtual_losses[leaf, d] = scratch.virtual_losses[d]
    for d in range(depth):
        leaves.history[leaf, d] = scratch.history[d]
        leaves.movers[leaf, d] = scratch.movers[d]
    return True


@implements(end_collisions, Leaves)
def take_back_collisions(leaves, tree, options):
    for i in range(leaves.counts[COLLISIONS]):
        take_back(tree, leaves.collisions[i], options)
    leaves.counts[COLLISIONS] = 0


@implements(resume_leaf, Leaves)
def next_answered(leaves, scratch):
    counts = leaves.counts
    leaf = counts[NEXT]
    if leaf >= counts[ANSWERED]:
        return -1
    counts[NEXT] = leaf + 1
    counts[RESUMED] = 1
    leaves.at[LEAF] = leaf
    depth = leaves.depths[leaf]
    for d in range(depth + 1):
        scratch.path[d] = leaves.path[leaf, d]
        scratch.hashes[d] = leaves.hashes[leaf, d]
        scratch.virtual_losses[d] = leaves.virtual_losses[leaf, d]
    for d in range(depth):
        scratch.history[d] = leaves.history[leaf, d]
        scratch.movers[d] = leaves.movers[leaf, d]
    scratch.states[SUBTREE] = leaves.states[leaf]
    return depth


@implements(is_finished, Leaves)
def was_not_set_aside(leaves):
    counts = leaves.counts
    aside = counts[ASIDE] != 0
    counts[ASIDE] = 0
    counts[RESUMED] = 0
    return not aside


@implements(are_enough, Leaves)
def is_batch_ready(leaves, done, count):
    counts = leaves.counts
    waiting = counts[WAITING]
    full = waiting >= len(leaves.states) or counts[COLLISIONS] >= len(leaves.collisions)
    return full or done + waiting >= count or done >= MOST_AT_ONCE + len(leaves.states)


@kernel
def take_back(tree, node, options):
    """Removes the virtual losses of a simulation that has come to this node and will not be backed up."""
    nodes = tree.nodes
    losses = np.int64(options.sharing.virtual_loss)
    while node != ROOT:
        parent = np.int64(nodes[node]["parent"])
        worst = options.scale.least if nodes[parent]["to_play"] == FIRST else options.scale.most
        atomic_add(nodes["visits"], node, -losses)
        atomic_add(nodes["sum"], node, -losses * worst)
        node = parent


def give_up(tree: Any, leaves: Leaves, options: Any) -> None:
    """Makes it as if the leaves that wait, or whose answers were not used, had never been reached. Called in Python."""
    first, last = int(leaves.counts[NEXT]), int(leaves.counts[ANSWERED])
    for leaf in [*range(first, last), *range(int(leaves.counts[WAITING]))]:
        node = int(leaves.path[leaf, leaves.depths[leaf]])
        take_back(tree, node, options)
        tree.nodes["flags"][node] &= ~CLAIMED
    take_back_collisions(leaves, tree, options)
    leaves.counts[:] = 0

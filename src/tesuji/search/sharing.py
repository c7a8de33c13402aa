"""How threads share one tree: virtual losses for nodes of few visits, private counts for nodes of many.

At a node of few visits a simulation under way counts as lost for whoever chose it, so that two threads do not go to the
same leaf. That, and every count, is added atomically. But the nodes near the root are written by all threads in every
simulation, and each write takes the memory away from the other processors. So for a node of many visits a thread keeps
counts of its own, not yet handed in, reads the node as what is shared plus its own, and hands them in now and then. Between
slices everything has been handed in: no visit is lost or counted twice. One thread uses none of this.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.atomics import atomic_add
from tesuji.core.dispatch import kernel, operation_with_default
from tesuji.core.parameters import Parameter
from tesuji.core.rules import FIRST

VIRTUAL_LOSS = Parameter("virtual_loss", 1, "losses assumed for a simulation under way", 0, 100)
THREADS = Parameter("threads", 1, "threads on one shared tree", 1, 256, brings=(VIRTUAL_LOSS,), off=1)

PRIVATE = np.dtype(
    [("node", np.int64), ("visits", np.int64), ("sum", np.int64), ("squares", np.int64)]
)  # what one thread has not handed in of a node
SLOTS = 4096  # private counts of one thread, a node's place given by its index; a power of two
FEW_VISITS = 8
MANY_VISITS = 64
HAND_IN_SHARE = 16  # private counts are handed in when they are this part of the visits that all know of


class Sharing(NamedTuple):
    shared: bool  # more than one thread
    virtual_loss: int


@operation_with_default
def add_squares(record, extra, node, squares):
    """Adds to the sum of squared scores, for a rule that keeps one. `record` is one of `extra`: its type chooses."""


@kernel
def has_private(scratch, node):
    """Whether this thread has private counts of the node. Only a node of MANY_VISITS can have any."""
    return scratch.private[node & (SLOTS - 1)]["node"] == node


@kernel
def private_of(scratch, node):
    return scratch.private[node & (SLOTS - 1)]


@kernel
def hand_in(tree, counts):
    """Adds private counts to their node."""
    if counts["visits"] != 0:
        node = counts["node"]
        atomic_add(tree.nodes["visits"], node, counts["visits"])
        atomic_add(tree.nodes["sum"], node, counts["sum"])
        add_squares(tree.extra[0], tree.extra, node, counts["squares"])
        counts["visits"] = 0
        counts["sum"] = 0
        counts["squares"] = 0


@kernel
def hand_in_all(tree, scratch):
    for slot in range(SLOTS):
        hand_in(tree, scratch.private[slot])


@kernel
def count_privately(tree, scratch, node, score):
    """One visit more for a node of many visits."""
    counts = private_of(scratch, node)
    if counts["node"] != node:
        hand_in(tree, counts)
        counts["node"] = node
    counts["visits"] += 1
    counts["sum"] += score
    counts["squares"] += score * score
    if counts["visits"] * HAND_IN_SHARE >= tree.nodes[node]["visits"]:
        hand_in(tree, counts)


@kernel
def assume_loss(tree, scratch, child, depth, mover, options):
    """Until this simulation is back, it counts as lost for the player who chose `child`, now path[depth]."""
    scratch.virtual[depth] = 0
    if tree.nodes[child]["visits"] < FEW_VISITS:
        losses = options.sharing.virtual_loss
        worst = options.scale.least if mover == FIRST else options.scale.most
        scratch.virtual[depth] = losses
        atomic_add(tree.nodes["visits"], child, losses)
        atomic_add(tree.nodes["sum"], child, losses * worst)


@kernel
def count_shared(tree, scratch, depth, score, options):
    """Adds a score to path[depth] for all threads to see, and takes the virtual losses away again."""
    node = scratch.path[depth]
    losses = np.int64(scratch.virtual[depth]) if depth > 0 else 0
    if losses == 0 and tree.nodes[node]["visits"] >= MANY_VISITS:
        count_privately(tree, scratch, node, score)
        return
    add_squares(tree.extra[0], tree.extra, node, score * score)
    if losses > 0:
        score -= losses * (options.scale.least if scratch.movers[depth - 1] == FIRST else options.scale.most)
    atomic_add(tree.nodes["visits"], node, 1 - losses)
    atomic_add(tree.nodes["sum"], node, score)


@kernel
def visits_before(tree, scratch, depth, options):
    """Visits of path[depth] without the virtual ones of this simulation, and with this thread's private ones."""
    node = scratch.path[depth]
    visits = np.int64(tree.nodes[node]["visits"])
    if options.sharing.shared:
        if visits >= MANY_VISITS and has_private(scratch, node):
            visits += private_of(scratch, node)["visits"]
        if depth > 0:
            visits -= scratch.virtual[depth]
    return visits

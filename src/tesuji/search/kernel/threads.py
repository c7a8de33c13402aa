"""How threads share one tree: virtual loss at nodes with few visits, thread-local counts at nodes with many.

At a node with few visits, a simulation in progress counts as a loss for the player who chose it (virtual loss), so that two
threads do not go to the same leaf. Virtual losses and counts are added atomically. But every simulation of every thread
updates the nodes near the root, and each update takes the cache line away from the other processors. So at a node with many
visits a thread keeps local counts, reads the node as the shared counts plus its own, and flushes them now and then. Between
slices all counts are flushed: no visit is lost or counted twice. A search with one thread uses none of this, unless leaves
wait for an evaluator: then every node of a path has its virtual loss, and no counts are local.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.numba.atomics import atomic_add
from tesuji.core.parameters import Parameter
from tesuji.core.rules import FIRST
from tesuji.search.kernel.leaves import waits
from tesuji.search.selection.interface import add_squares

VIRTUAL_LOSS = Parameter("virtual_loss", 1, "losses counted for a simulation in progress", 0, 100)
THREADS = Parameter("threads", 1, "threads on one shared tree", 1, 256, brings=(VIRTUAL_LOSS,), off=1)

LOCAL_COUNTS = np.dtype(
    [("node", np.int64), ("visits", np.int64), ("sum", np.int64), ("squares", np.int64)]
)  # one thread's counts of a node that are not flushed yet
SLOTS = 4096  # nodes with local counts per thread; a node's slot is its index modulo this power of two
FEW_VISITS = 8
MANY_VISITS = 64
FLUSH_SHARE = 16  # local counts are flushed when they reach 1/16 of the shared visits


class Sharing(NamedTuple):
    shared: bool  # more than one thread, or leaves that wait
    virtual_loss: int


@kernel
def has_local_counts(scratch, node):
    """Whether this thread has local counts of the node. Only nodes with MANY_VISITS can have any."""
    return scratch.local_counts[node & (SLOTS - 1)]["node"] == node


@kernel
def local_counts_of(scratch, node):
    return scratch.local_counts[node & (SLOTS - 1)]


@kernel
def flush_counts(rule, tree, counts):
    """Adds local counts to their node and clears them."""
    if counts["visits"] != 0:
        node = counts["node"]
        atomic_add(tree.nodes["visits"], node, counts["visits"])
        atomic_add(tree.nodes["sum"], node, counts["sum"])
        add_squares(rule, tree.statistics, node, counts["squares"])
        counts["visits"] = 0
        counts["sum"] = 0
        counts["squares"] = 0


@kernel
def flush_all_counts(rule, tree, scratch):
    for slot in range(SLOTS):
        flush_counts(rule, tree, scratch.local_counts[slot])


@kernel
def count_locally(rule, tree, scratch, node, score):
    """Counts a visit of a node with many visits in the local counts."""
    counts = local_counts_of(scratch, node)
    if counts["node"] != node:
        flush_counts(rule, tree, counts)
        counts["node"] = node
    counts["visits"] += 1
    counts["sum"] += score
    counts["squares"] += score * score
    if counts["visits"] * FLUSH_SHARE >= tree.nodes[node]["visits"]:
        flush_counts(rule, tree, counts)


@kernel
def add_virtual_loss(tree, scratch, child, depth, mover, options):
    """Virtual loss: until this simulation is backed up, it counts as lost for the player who chose `child`.

    child     the index of the node, which is path[depth] now
    mover     the player who chose it
    options   `Options` of the loop
    """
    scratch.virtual_losses[depth] = 0
    if waits(scratch.leaves) or tree.nodes[child]["visits"] < FEW_VISITS:
        losses = options.sharing.virtual_loss
        worst = options.scale.least if mover == FIRST else options.scale.most
        scratch.virtual_losses[depth] = losses
        atomic_add(tree.nodes["visits"], child, losses)
        atomic_add(tree.nodes["sum"], child, losses * worst)


@kernel
def count_visit(rule, tree, scratch, depth, score, options):
    """Counts a visit with this score at path[depth], in the shared or the local counts, and removes its virtual losses.

    rule      the selection rule, which may keep sums of squares
    score     what the game adds to the sums, for player 0
    options   `Options` of the loop
    """
    node = scratch.path[depth]
    losses = np.int64(scratch.virtual_losses[depth]) if depth > 0 else 0
    if losses == 0 and tree.nodes[node]["visits"] >= MANY_VISITS and not waits(scratch.leaves):
        count_locally(rule, tree, scratch, node, score)
        return
    add_squares(rule, tree.statistics, node, score * score)
    if losses > 0:
        score -= losses * (options.scale.least if scratch.movers[depth - 1] == FIRST else options.scale.most)
    atomic_add(tree.nodes["visits"], node, 1 - losses)
    atomic_add(tree.nodes["sum"], node, score)


@kernel
def real_visits(tree, scratch, depth, options):
    """Visits of path[depth] without this simulation's virtual losses, with this thread's local counts."""
    node = scratch.path[depth]
    visits = np.int64(tree.nodes[node]["visits"])
    if options.sharing.shared:
        if visits >= MANY_VISITS and has_local_counts(scratch, node):
            visits += local_counts_of(scratch, node)["visits"]
        if depth > 0:
            visits -= scratch.virtual_losses[depth]
    return visits

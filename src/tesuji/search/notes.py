"""How threads share one tree: virtual losses for nodes of few visits, private notes for nodes of many.

At a node of few visits a simulation under way counts as lost for whoever chose it, so that two threads do not go to the
same leaf. That, and every count, is added atomically. But the nodes near the root are written by all threads in every
simulation, and each write takes the memory away from the other processors. So for a node of many visits a thread keeps
notes of its own (visits and sum not yet handed in), reads the node as what is shared plus its notes, and hands them in now
and then. Between slices everything has been handed in: no visit is lost or counted twice. One thread uses none of this.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.atomics import atomic_add
from tesuji.core.dispatch import kernel
from tesuji.core.rules import FIRST

SLOTS = 4096  # notes of one thread, a node's place given by its index; a power of two
FEW_VISITS = 8
MANY_VISITS = 64
HAND_IN_SHARE = 16  # notes are handed in when they are this part of the visits that all know of


@kernel
def slot_of(node):
    return node & (SLOTS - 1)


@kernel
def has_notes(scratch, node):
    """Whether this thread has a place for notes on the node. Only a node of MANY_VISITS can have any."""
    return scratch.noted_node[slot_of(node)] == node


@kernel
def hand_in(tree, scratch, slot):
    """Adds one node's notes to the node."""
    node = scratch.noted_node[slot]
    if scratch.noted_visits[slot] != 0:
        atomic_add(tree.nodes["visits"], node, scratch.noted_visits[slot])
        atomic_add(tree.nodes["sum"], node, scratch.noted_sum[slot])
        scratch.noted_visits[slot] = 0
        scratch.noted_sum[slot] = 0


@kernel
def hand_in_all(tree, scratch):
    for slot in range(SLOTS):
        hand_in(tree, scratch, slot)


@kernel
def note(tree, scratch, node, score):
    """One visit more for a node of many visits."""
    slot = slot_of(node)
    if scratch.noted_node[slot] != node:
        hand_in(tree, scratch, slot)
        scratch.noted_node[slot] = node
    scratch.noted_visits[slot] += 1
    scratch.noted_sum[slot] += score
    if scratch.noted_visits[slot] * HAND_IN_SHARE >= tree.nodes[node]["visits"]:
        hand_in(tree, scratch, slot)


@kernel
def assume_loss(tree, scratch, child, depth, mover, options):
    """Until this simulation is back, it counts as lost for the player who chose `child`, now path[depth]."""
    scratch.virtual[depth] = 0
    if tree.nodes[child]["visits"] < FEW_VISITS:
        worst = options.least if mover == FIRST else options.most
        scratch.virtual[depth] = options.virtual_loss
        atomic_add(tree.nodes["visits"], child, options.virtual_loss)
        atomic_add(tree.nodes["sum"], child, options.virtual_loss * worst)


@kernel
def count_shared(tree, scratch, depth, score, options):
    """Adds a score to path[depth] for all threads to see, and takes the virtual losses away again."""
    node = scratch.path[depth]
    losses = np.int64(scratch.virtual[depth]) if depth > 0 else 0
    if losses == 0 and tree.nodes[node]["visits"] >= MANY_VISITS:
        note(tree, scratch, node, score)
        return
    if losses > 0:
        score -= losses * (options.least if scratch.movers[depth - 1] == FIRST else options.most)
    atomic_add(tree.nodes["visits"], node, 1 - losses)
    atomic_add(tree.nodes["sum"], node, score)


@kernel
def visits_before(tree, scratch, depth, options):
    """Visits of path[depth] without the virtual ones of this simulation, and with this thread's notes."""
    node = scratch.path[depth]
    visits = np.int64(tree.nodes[node]["visits"])
    if options.shared:
        if visits >= MANY_VISITS and has_notes(scratch, node):
            visits += scratch.noted_visits[slot_of(node)]
        if depth > 0:
            visits -= scratch.virtual[depth]
    return visits

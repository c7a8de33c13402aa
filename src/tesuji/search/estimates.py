"""Implicit minimax (Lanctot, Winands, Pepels and Sturtevant 2014): beside its mean, a node has an estimate of minimax.

A new node's estimate is what the policy expects of its move; an inner node's is that of its best move. Where the mean is slow
to follow the one good reply, the estimate is there at once. Estimates run from 0 to 1, 1 a win for player 0.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.rules import FIRST, to_play
from tesuji.search.bounds import decided_score, is_decided
from tesuji.search.options import SOLVER_OFF
from tesuji.search.playout import set_expectations


@kernel
def begin_estimates(tree, scratch, first, count, state, policy):
    """Gives the new children `first` and on, whose moves are in the buffer, the expectations of the policy."""
    values = scratch.priors
    set_expectations(policy, state, scratch.buffer, count, values)
    mover_is_first = to_play(state) == FIRST
    for i in range(count):
        tree.estimates[first + i] = values[i] if mover_is_first else 1.0 - values[i]


@kernel
def back_up_estimates(tree, scratch, depth, options):
    """Every inner node of the path gets the estimate of its best move, from path[depth] up; what is proven needs none."""
    nodes = tree.nodes
    estimates = tree.estimates
    for d in range(depth, -1, -1):
        node = nodes[scratch.path[d]]
        count = np.int64(node["child_count"])
        if count == 0:
            continue
        first = np.int64(node["first_child"])
        maximise = node["to_play"] == FIRST
        best = 0.0 if maximise else 1.0
        for index in range(first, first + count):
            value = np.float64(estimates[index])
            if options.solver != SOLVER_OFF and is_decided(nodes[index]["lower"], nodes[index]["upper"], options):
                score = decided_score(nodes[index]["lower"], nodes[index]["upper"], options)
                value = (np.float64(score) - options.lowest) * options.bounds_scale
            best = max(best, value) if maximise else min(best, value)
        estimates[scratch.path[d]] = best

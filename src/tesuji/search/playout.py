"""Policies and playouts: what a player knows beyond the rules, and the random game from a leaf to the end.

A policy is a small NamedTuple of parameters and tables; its class chooses the implementation of the operations below.
"""

from __future__ import annotations

from typing import NamedTuple

from tesuji.core.dispatch import implements, kernel, operation, operation_with_default
from tesuji.core.rules import is_over, play, random_move, to_play


@operation
def playout_move(policy, state, buffer, rng):
    """A legal move for a playout from a position that is not over. `buffer` (int32) has room for all moves."""


@operation_with_default
def set_priors(policy, state, candidates, count, priors):
    """Writes the prior of each of the `count` candidate moves of the position into `priors`. The default knows none: 0."""
    for i in range(count):
        priors[i] = 0.0


class Uniform(NamedTuple):
    """Every legal move is as likely as every other."""


@implements(playout_move, Uniform)
def uniform_move(policy, state, buffer, rng):
    return random_move(state, buffer, rng)


@kernel
def play_out(policy, state, scratch, ply, record):
    """Plays to the end of the game; returns the length of the whole game, or -1 if it passes the longest allowed.

    With `record` the moves and who made them go into the history, after those of the tree: all moves as first needs them.
    """
    longest = len(scratch.history)
    while not is_over(state):
        if ply >= longest:
            return -1
        move = playout_move(policy, state, scratch.buffer, scratch.rng)
        if record:
            scratch.history[ply] = move
            scratch.movers[ply] = to_play(state)
        play(state, move)
        ply += 1
    return ply


@kernel
def run_playouts(policy, root_state, scratch, count):
    """`count` playouts from one position without a tree, for measuring; returns the number of moves made in them."""
    state = scratch.states[0]
    plies = 0
    for _ in range(count):
        scratch.states[0] = root_state
        plies += play_out(policy, state, scratch, 0, False)
    return plies

"""Policies and playouts: what a player knows beyond the rules, and the random game from a leaf to the end.

A policy is a small NamedTuple of parameters and tables; its class chooses the implementation of the operations below.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel, operation, operation_with_default
from tesuji.core.rules import is_over, moves, outcome, play, random_move, to_play


@operation
def playout_move(policy, state, buffer, rng):
    """A legal move for a playout from a position that is not over. `buffer` (int32) has room for all moves."""


@operation_with_default
def set_priors(policy, state, candidates, count, priors):
    """Writes the prior of each of the `count` candidate moves of the position into `priors`. The default knows none: 0."""
    for i in range(count):
        priors[i] = 0.0


@operation_with_default
def set_expectations(policy, state, candidates, count, values):
    """Writes what a game in which each candidate is played can be expected to bring, 1 a win for the mover and 0 a loss.

    All moves as first begins with `prior_games` such games. The default expects nothing either way.
    """
    for i in range(count):
        values[i] = 0.5


@operation_with_default
def candidates(policy, state, out):
    """Writes the moves that enter the tree into `out` and returns how many, at least one; a policy may leave some out.

    Asked only where nothing is to be proven: a proof must look at every move. The default leaves none out.
    """
    return moves(state, out)


@operation_with_default
def evaluate(policy, state):
    """How good the position looks for player 0, in units of the policy's own; the default sees nothing."""
    return 0.0


LOG_ODDS, MOST_ODDS = math.log(19.0), 40.0  # logarithms


class Uniform(NamedTuple):
    """Every legal move is as likely as every other."""


@implements(playout_move, Uniform)
def uniform_move(policy, state, buffer, rng):
    return random_move(state, buffer, rng)


@kernel
def chance_of(value, limit):
    """The chance that player 0 wins a position with this evaluation, if the odds at the limit are 19 to 1."""
    odds = min(max(LOG_ODDS * value / max(limit, 1e-6), -MOST_ODDS), MOST_ODDS)
    return 1.0 / (1.0 + math.exp(-odds))


@kernel
def reward(result, options):
    """What a game with this outcome adds to the sums."""
    if not options.only_wins:
        return result * options.unit
    return np.int64(options.unit if result > options.middle else -options.unit if result < options.middle else 0)


@kernel
def play_out(policy, state, scratch, ply, options):
    """Plays to the end of the game; returns the length of the whole game and what it adds to the sums, (-1, 0) if endless.

    With all moves as first, the moves and who made them go into the history, after those of the tree. A playout may also end
    as a draw at `playout_cap`, as won when the policy's evaluation, asked every so many moves, is beyond its limit, and
    with the evaluation's chances as its score at `judge_after`.
    """
    longest = len(scratch.history)
    start = ply
    while not is_over(state):
        if ply >= longest:
            return -1, np.int64(0)
        played = ply - start
        if options.playout_cap > 0 and played >= options.playout_cap:
            return ply, reward(np.int64(options.middle), options)
        if options.evaluate_every > 0 and played > 0 and played % options.evaluate_every == 0:
            value = evaluate(policy, state)
            if value >= options.evaluation_limit:
                return ply, reward(np.int64(options.highest), options)
            if value <= -options.evaluation_limit:
                return ply, reward(np.int64(options.lowest), options)
        if options.judge_after >= 0 and played >= options.judge_after:
            chance = chance_of(evaluate(policy, state), options.evaluation_limit)
            return ply, np.int64(math.floor(options.least + chance * (options.most - options.least) + 0.5))
        move = playout_move(policy, state, scratch.buffer, scratch.rng)
        if options.rave:
            scratch.history[ply] = move
            scratch.movers[ply] = to_play(state)
        play(state, move)
        ply += 1
    return ply, reward(np.int64(outcome(state)), options)


@kernel
def run_playouts(policy, root_state, scratch, options, count):
    """`count` playouts from one position without a tree, for measuring; returns the number of moves made in them."""
    state = scratch.states[0]
    plies = 0
    for _ in range(count):
        scratch.states[0] = root_state
        length, _score = play_out(policy, state, scratch, 0, options)
        plies += length
    return plies

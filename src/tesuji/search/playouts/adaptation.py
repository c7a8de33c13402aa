"""Playout policy adaptation (Cazenave 2015): the moves of winners become more likely, by gradient ascent on their likelihood.

A move of weight w, the exponential of a number that begins at 0, is drawn in proportion to w. After a game each move of the
winner, in the tree and after it, has its number raised by `adaptation`, and every legal move of that position lowered by
`adaptation` times the probability that it had before the game.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.parameters import Parameter
from tesuji.core.rules import moves, play, to_play
from tesuji.search.kernel.scratch import AHEAD
from tesuji.search.playouts.averages import drawn_by_weight
from tesuji.search.playouts.interface import chosen_move, learn_from
from tesuji.search.playouts.memory import MOST_LOG
from tesuji.search.playouts.replies import NOBODY, winner_of

ADAPTATION = Parameter(
    "adaptation", 1.0, "what a winner's move gains in the logarithm of its weight", 0.0, 100.0, tuning="0.1..3:log"
)


class Adapted(NamedTuple):
    adaptation: float
    even: float  # the score of a game that nobody wins

    TABLES = ("logs", "weights", "touched")


@kernel
def list_weights(state, scratch, player):
    """Lists the legal moves and their weights; returns how many, and the sum of the weights."""
    listed, weights, table = scratch.buffer, scratch.weights, scratch.learned.weights
    last = table.shape[1] - 1
    count = moves(state, listed)
    total = 0.0
    for i in range(count):
        weights[i] = table[player, listed[i] & last]
        total += weights[i]
    return count, total


@implements(chosen_move, Adapted)
def drawn_by_adapted_weight(chooser, policy, notes, state, scratch, start, ply):
    count, total = list_weights(state, scratch, to_play(state))
    return drawn_by_weight(scratch.buffer, scratch.weights, count, total, scratch.rng)


@implements(learn_from, Adapted)
def adapt(chooser, scratch, start, first, length, score):
    """The game is played again from `start`, for the legal moves of its positions."""
    winner = winner_of(score, chooser.even)
    if winner == NOBODY:
        return
    listed, weights, logs, table = scratch.buffer, scratch.weights, scratch.learned.logs, scratch.learned.weights
    touched = scratch.learned.touched
    last = logs.shape[1] - 1
    changed = 0
    scratch.states[AHEAD] = start
    again = scratch.states[AHEAD]
    for ply in range(first, length):
        if to_play(again) == winner:
            count, total = list_weights(again, scratch, winner)
            logs[winner, scratch.history[ply] & last] += chooser.adaptation
            for i in range(count):
                move = listed[i] & last
                logs[winner, move] -= chooser.adaptation * (weights[i] / total)
                if touched[1, move] == 0:
                    touched[1, move] = 1
                    touched[0, changed] = move
                    changed += 1
        play(again, scratch.history[ply])
    for i in range(changed):
        move = np.int64(touched[0, i])
        touched[0, i] = touched[1, move] = 0
        logs[winner, move] = min(max(logs[winner, move], -MOST_LOG), MOST_LOG)
        table[winner, move] = math.exp(logs[winner, move])

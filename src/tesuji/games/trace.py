"""All that the rules say along one line of play, as arrays: the compiled half of the comparison that the checker makes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import kernel
from tesuji.core.game import Game
from tesuji.core.numba.registration import compiled


class Trace(NamedTuple):
    """One row for each position of a line of play, the start first. What is not asked in a position stays 0."""

    states: np.ndarray  # the records
    over: np.ndarray
    player: np.ndarray
    counts: np.ndarray  # legal moves
    moves: np.ndarray  # [position, i]
    hashes: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    outcomes: np.ndarray


def empty_trace(game: Game, positions: int) -> Trace:
    def numbers(kind: type) -> np.ndarray:
        return np.zeros(positions, kind)

    states = np.zeros(positions, game.initial.dtype)
    states[0] = game.initial
    moves = np.zeros((positions, game.buffer_size), np.int32)
    i64 = np.int64
    return Trace(
        states, numbers(i64), numbers(i64), numbers(i64), moves, numbers(np.uint64), numbers(i64), numbers(i64), numbers(i64)
    )


@kernel
def fill_trace(trace, played, count, lowest, highest):
    """Fills the first `count` positions of the line `played` from the state in row 0; stops where the game is over."""
    states = trace.states
    moves = trace.moves
    for i in range(count):
        if i > 0:
            states[i] = states[i - 1]
            rules.play(states[i], played[i - 1])
        state = states[i]
        trace.hashes[i] = rules.position_hash(state)
        if rules.is_over(state):
            trace.over[i] = 1
            trace.outcomes[i] = rules.outcome(state)
            break
        trace.player[i] = rules.to_play(state)
        trace.counts[i] = rules.moves(state, moves[i])
        lower, upper = rules.bounds(state, lowest, highest)
        trace.lower[i] = lower
        trace.upper[i] = upper


def compile_trace(game: Game) -> None:
    """Compiles the rules for this game without asking any."""
    run_trace(game, empty_trace(game, 1), np.zeros(0, np.int32), 0)


def run_trace(game: Game, trace: Trace, played: np.ndarray, count: int) -> None:
    low, high = game.outcomes
    compiled(fill_trace)(trace, played, np.int64(count), np.int64(low), np.int64(high))

"""All that the rules say along one line of play, as arrays: the compiled half of the comparison that the checker makes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import kernel
from tesuji.core.encoding import Encoding
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
    evaluations: np.ndarray


def empty_trace(game: Game, positions: int) -> Trace:
    def numbers(kind: type) -> np.ndarray:
        return np.zeros(positions, kind)

    states = np.zeros(positions, game.initial.dtype)
    states[0] = game.initial
    moves = np.zeros((positions, game.buffer_size), np.int32)
    i64 = np.int64
    kinds = (np.uint64, i64, i64, i64, np.float64)
    return Trace(states, numbers(i64), numbers(i64), numbers(i64), moves, *(numbers(kind) for kind in kinds))


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
        trace.evaluations[i] = rules.evaluate(state)


def compile_trace(game: Game) -> None:
    """Compiles the rules for this game without asking any."""
    trace = empty_trace(game, 1)
    run_trace(game, trace, np.zeros(0, np.int32), 0)
    if game.encoding is not None:
        run_planes(trace, *empty_planes(game, game.encoding, 0))


def run_trace(game: Game, trace: Trace, played: np.ndarray, count: int) -> None:
    low, high = game.outcomes
    compiled(fill_trace)(trace, played, np.int64(count), np.int64(low), np.int64(high))


# -- what networks see -------------------------------------------------------------------------------------------------------
@kernel
def fill_planes(trace, planes, places, count):
    """Fills the planes of the first `count` positions of a trace that is filled, and the places of their legal moves."""
    for i in range(count):
        state = trace.states[i]
        rules.planes(state, planes[i])
        for k in range(trace.counts[i]):
            places[i, k] = rules.place(state, trace.moves[i, k])


def empty_planes(game: Game, encoding: Encoding, positions: int) -> tuple[np.ndarray, np.ndarray]:
    """Room for the planes of so many positions, and for the places of their moves."""
    return np.zeros((positions, *encoding.shape), np.float32), np.zeros((positions, game.buffer_size), np.int64)


def run_planes(trace: Trace, planes: np.ndarray, places: np.ndarray) -> None:
    """Fills both for the first positions of a trace that is filled; none of these may be over."""
    compiled(fill_planes)(trace, planes, places, np.int64(len(planes)))

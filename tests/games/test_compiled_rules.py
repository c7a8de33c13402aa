"""Games of one file: all their rules compiled and in pure Python, in one kernel, as to compile a whole search takes longer."""

from __future__ import annotations

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.numba.registration import compiled
from tesuji.core.random import make_rng
from tesuji.games.registry import find_game

GAMES = [
    "othello:6",
    "breakthrough:5x6",
    "gomoku:7x6:4",
    "amazons:5",
    "nogo:5x4",
    "ataxx:5",
    "havannah:4",
    "y:6",
    "clobber:5x4",
    "domineering:6x5",
]


def record_everything(state, buffer, rng, images, numbers, hashes, lowest, highest):
    """Plays a random game and writes what every rule says of every position; returns the outcome."""
    ply = 0
    while not rules.is_over(state):
        numbers[ply, 0] = rules.to_play(state)
        numbers[ply, 1] = rules.moves(state, buffer)
        move = rules.random_move(state, buffer, rng)
        numbers[ply, 2] = move
        lower, upper = rules.bounds(state, lowest, highest)
        numbers[ply, 3] = lower
        numbers[ply, 4] = upper
        numbers[ply, 5] = rules.place(state, move)
        hashes[ply, 0] = rules.position_hash(state)
        hashes[ply, 1] = rules.symmetric_hash(state, images)
        images[0] = state
        rules.image(state, ply % rules.symmetries(state), images[0])
        hashes[ply, 2] = rules.position_hash(images[0])
        rules.play(state, move)
        ply += 1
    return rules.outcome(state)


@pytest.mark.parametrize("name", GAMES)
def test_compiled_rules_are_those_of_pure_python(name, needs_compiler):
    game = find_game(name)
    records = []
    for run in (record_everything, compiled(record_everything)):
        for seed in range(2):
            state, images = (np.zeros(1, game.initial.dtype) for _ in range(2))
            state[0] = game.initial
            numbers, hashes = np.zeros((game.max_plies, 6), np.int64), np.zeros((game.max_plies, 3), np.uint64)
            buffer = np.zeros(game.buffer_size, np.int32)
            outcome = run(state[0], buffer, make_rng(seed), images, numbers, hashes, *game.outcomes)
            records.append((int(outcome), state.tobytes(), images.tobytes(), numbers.tobytes(), hashes.tobytes()))
    assert records[:2] == records[2:] and records[0] != records[1]

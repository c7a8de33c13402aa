"""What the tests of the rules share: random games in pure Python, brute force, and kernels that run compiled or not."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.game import copy_state
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.core.random import below, make_rng


@pytest.fixture(autouse=True)
def wrapping_integers():
    """Hashes and random numbers wrap on purpose; on NumPy scalars that would warn."""
    before = np.seterr(over="ignore")
    yield
    np.seterr(**before)


@pytest.fixture
def random_line():
    """random_line(game, seed) yields (state, legal moves, move made or None at the end); the state is changed afterwards."""

    def walk(game, seed):
        chooser = random.Random(seed)
        state = game.new_state()
        while not rules.is_over(state):
            legal = game.legal_moves(state)
            move = chooser.choice(legal)
            yield state, legal, move
            rules.play(state, move)
        yield state, [], None

    return walk


@pytest.fixture
def minimax():
    """minimax(game, state) by brute force, remembering every position by all its bytes; minimax.seen is that memory."""

    def value(game, state):
        key = state.tobytes()
        if key not in value.seen:
            if rules.is_over(state):
                value.seen[key] = int(rules.outcome(state))
            else:
                best = max if rules.to_play(state) == 0 else min
                value.seen[key] = best(value(game, after(state, move)) for move in game.legal_moves(state))
        return value.seen[key]

    value.seen = {}
    return value


def after(state, move):
    child = copy_state(state)
    rules.play(child, move)
    return child


# -- kernels ---------------------------------------------------------------------------------------------------------------
def record_game(state, buffer, rng, made, hashes, limits, lowest, highest):
    """Plays a random game; records the moves, the hashes and the bounds; returns (plies, outcome)."""
    ply = 0
    while not rules.is_over(state):
        count = rules.moves(state, buffer)
        move = buffer[below(rng, count)]
        lower, upper = rules.bounds(state, lowest, highest)
        made[ply] = move
        hashes[ply] = rules.position_hash(state)
        limits[ply, 0] = lower
        limits[ply, 1] = upper
        rules.play(state, move)
        ply += 1
    return ply, rules.outcome(state)


def count_tree(stack, buffers, counts, cursors, depth, totals):
    """Walks the whole game tree to `depth`. Adds up: positions, finished games, positions at exactly that depth."""
    level = 0
    fresh = True
    while level >= 0:
        if fresh:
            totals[0] += 1
            cursors[level] = 0
            counts[level] = 0
            if level == depth:
                totals[2] += 1
            if rules.is_over(stack[level]):
                totals[1] += 1
            elif level < depth:
                counts[level] = rules.moves(stack[level], buffers[level])
            fresh = False
        if cursors[level] < counts[level]:
            stack[level + 1] = stack[level]
            rules.play(stack[level + 1], buffers[level, cursors[level]])
            cursors[level] += 1
            level += 1
            fresh = True
        else:
            level -= 1


@pytest.fixture
def recorded_game():
    """recorded_game(game, seed, pure) -> everything that record_game wrote, as plain Python values."""

    def run(game, seed, pure):
        state = np.zeros(1, game.initial.dtype)
        state[0] = game.initial
        buffer = np.zeros(game.buffer_size, np.int32)
        made = np.zeros(game.max_plies, np.int32)
        hashes = np.zeros(game.max_plies, np.uint64)
        limits = np.zeros((game.max_plies, 2), np.int64)
        kernel = record_game if pure else compiled(record_game)
        plies, outcome = kernel(state[0], buffer, make_rng(seed), made, hashes, limits, *game.outcomes)
        return int(plies), int(outcome), made.tolist(), hashes.tolist(), limits.tolist(), state.tobytes()

    return run


@pytest.fixture
def tree_size():
    """tree_size(game, depth=None) -> (positions, finished games, positions at that depth), counted without merging."""

    def run(game, depth=None):
        depth = game.max_plies if depth is None else depth
        stack = np.zeros(depth + 1, game.initial.dtype)
        stack[0] = game.initial
        buffers = np.zeros((depth + 1, game.buffer_size), np.int32)
        totals = np.zeros(3, np.int64)
        compiled(count_tree)(stack, buffers, np.zeros(depth + 1, np.int32), np.zeros(depth + 1, np.int32), depth, totals)
        return tuple(int(total) for total in totals)

    return run


@pytest.fixture
def needs_compiler():
    if is_pure():
        pytest.skip("too long in pure Python")

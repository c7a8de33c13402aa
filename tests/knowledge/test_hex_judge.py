"""The judge of `benchmarks/hex_brute_force.py`, which knows nothing of knowledge/: against a plainer solver, and a table."""

from __future__ import annotations

import random
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from naive_connections import ConnectionJudge
from naive_hex import NaiveSolver

SCRIPT = Path(__file__).parent.parent.parent / "benchmarks" / "hex_brute_force.py"
SIZE = 3
CELLS = SIZE * SIZE


@pytest.fixture(scope="module")
def script():
    spec = spec_from_file_location("benchmark_hex_brute_force", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def board(script):
    """One that knows nothing of the players, so that nothing of them is compiled."""

    class Judge(script.Board):
        def new_policy(self):
            return None

    return Judge(SIZE, solved=False)


def test_values_are_those_of_a_plainer_solver(script, board):
    solver, chooser, judged = NaiveSolver(SIZE, SIZE), random.Random(4), 0
    for number in chooser.sample(range(3**CELLS), 600):
        stones = script.stones_of_number(number, CELLS)
        assert board.has_won(stones) == any(solver.is_joined(stones[player], player) for player in range(2))
        if board.has_won(stones):
            continue
        for mover in range(2):
            expected = solver.mover_wins(*stones, mover) == (mover == 0)
            assert board.value(stones, mover) == (1 if expected else -1)
            judged += 1
    assert judged > 300


def test_connections_are_judged_as_by_a_plainer_judge(script, board):
    """On any set of free cells, between any two cells: also where there is no connection."""
    chooser, answers = random.Random(5), set()
    for _ in range(400):
        colour, full = chooser.randrange(2), chooser.random() < 0.5
        plain = ConnectionJudge(SIZE, SIZE, colour)
        one, other = chooser.sample(range(CELLS), 2)
        own = 1 << one | 1 << other
        carrier = sum(1 << cell for cell in range(CELLS) if not own >> cell & 1 and chooser.random() < 0.7)
        board.work[1] += 1
        sides, table = board.sides[colour], board.table
        ends = np.uint64(1 << one), np.uint64(1 << other)
        found = script.joins(np.uint64(own), np.uint64(carrier), not full, *ends, sides, table, board.work)
        assert found == int(plain.joins(own, carrier, one, other, moves_first=not full))
        answers.add((full, found))
    assert len(answers) == 4


def test_positions_of_games(script, board):
    """Those that `--games` takes are just the ones of two images with the right numbers of stones."""
    taken = {number: (stones, mover) for number, stones, mover in board.in_games(0, 3**CELLS, 1)}
    expected = {}
    for number in range(3**CELLS):
        stones = script.stones_of_number(number, CELLS)
        digits = [number // 3**cell % 3 for cell in range(CELLS)]
        image = sum(digit * 3 ** (CELLS - 1 - cell) for cell, digit in enumerate(digits))
        difference = digits.count(1) - digits.count(2)
        if difference in (0, 1) and number <= image and not board.has_won(stones):
            expected[number] = stones, difference
    assert taken == expected

"""examples/isolation.py, a game of one's own that networks learn: its rules against a naive count, and what networks see."""

import random
from pathlib import Path

import numpy as np

import tesuji
from tesuji.core import rules

FILE = Path(__file__).parent.parent / "examples" / "isolation.py"
CELLS = [(column, row) for row in range(6) for column in range(6)]


def test_moves_outcomes_and_planes_are_those_of_a_naive_count():
    game = tesuji.game(f"{FILE}:game")
    for seed in range(10):
        position, pieces, gone, player, chance = game.start, [(3, 0), (2, 5)], set(), 0, random.Random(seed)
        while True:
            column, row = pieces[player]
            near = [(column + x, row + y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
            free = {f"{'abcdef'[c]}{r + 1}" for c, r in near if (c, r) in CELLS and (c, r) not in gone | set(pieces)}
            assert position.is_over == (not free)
            if not free:
                break
            assert set(position.legal_moves) == free
            planes = np.zeros((6, 6, 3), np.float32)
            rules.planes(position.state, planes)
            seen = [{(c, r) for c, r in CELLS if planes[r, c, plane]} for plane in range(3)]
            assert seen == [{pieces[player]}, {pieces[1 - player]}, gone]
            move = chance.choice(sorted(free))
            gone.add(pieces[player])
            pieces[player] = ("abcdef".index(move[0]), int(move[1]) - 1)
            position, player = position.play(move), 1 - player
        assert position.outcome == (-1 if player == 0 else 1)

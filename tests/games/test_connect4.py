"""Connect Four against a naive board of columns, known tree sizes and values, and OpenSpiel."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openspiel_comparison import agree

from tesuji.core import rules
from tesuji.games.connect4.lines import wins
from tesuji.games.registry import find_game


class NaiveColumns:
    """A list of columns, each a list of letters from the bottom; lines are looked for cell by cell."""

    def __init__(self, width, height, length):
        self.columns = [[] for _ in range(width)]
        self.height = height
        self.length = length

    def moves(self):
        return [i for i, column in enumerate(self.columns) if len(column) < self.height]

    def at(self, column, row):
        inside = 0 <= column < len(self.columns) and 0 <= row < len(self.columns[column])
        return self.columns[column][row] if inside else None

    def winner(self):
        for column in range(len(self.columns)):
            for row in range(self.height):
                for across, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                    line = {self.at(column + i * across, row + i * up) for i in range(self.length)}
                    if line in ({"x"}, {"o"}):
                        return line.pop()
        return None


@pytest.mark.parametrize(
    ("text", "width", "height", "length", "games"),
    [
        ("connect4:7x6", 7, 6, 4, 12),
        ("connect4:3x4", 3, 4, 4, 20),
        ("connect4:8x7", 8, 7, 4, 6),
        ("connect4:9x6:5", 9, 6, 5, 5),
        ("connect4:5x5:3", 5, 5, 3, 20),
        ("connect4:4x4:2", 4, 4, 2, 20),
        ("connect4:12x4:7", 12, 4, 7, 3),
        ("connect4:1x10", 1, 10, 4, 1),
        ("connect4:2x31", 2, 31, 4, 3),
        ("connect4:32x1", 32, 1, 4, 5),
    ],
)
def test_against_naive(text, width, height, length, games, random_line) -> None:
    game = find_game(text)
    position_of_hash = {}
    for seed in range(games):
        naive = NaiveColumns(width, height, length)
        for ply, (state, legal, move) in enumerate(random_line(game, seed)):
            winner = naive.winner()
            over = winner is not None or not naive.moves()
            assert bool(rules.is_over(state)) == over
            position = tuple(map(tuple, naive.columns))
            assert position_of_hash.setdefault(int(rules.position_hash(state)), position) == position
            if over:
                assert rules.outcome(state) == {"x": 1, "o": -1, None: 0}[winner]
                break
            assert rules.to_play(state) == ply % 2
            assert legal == naive.moves()
            naive.columns[move].append("xo"[ply % 2])
    assert len(position_of_hash) == len(set(position_of_hash.values()))


@given(st.data())
@settings(max_examples=150)
def test_lines_on_boards_that_no_game_reaches(data) -> None:
    """Any set of cells at all: a line is found if and only if there is one."""
    height = data.draw(st.integers(1, 10), "height")
    width = data.draw(st.integers(1, 64 // (height + 1)), "width")
    length = data.draw(st.integers(2, 8), "length")
    cells = data.draw(st.sets(st.tuples(st.integers(0, width - 1), st.integers(0, height - 1))), "cells")
    import numpy as np

    stones = np.uint64(sum(1 << (column * (height + 1) + row) for column, row in cells))
    steps = ((1, 0), (0, 1), (1, 1), (1, -1))
    expected = any(all((c + i * a, r + i * u) in cells for i in range(length)) for c, r in cells for a, u in steps)
    assert bool(wins(stones, height, length)) == expected


@pytest.mark.parametrize(("depth", "positions"), list(enumerate([1, 7, 49, 343, 2401])))
def test_perft(depth, positions, tree_size) -> None:
    assert tree_size(find_game("connect4:7x6"), depth)[2] == positions


@pytest.mark.parametrize(("depth", "positions"), [(5, 16_807), (6, 117_649), (7, 823_536)])
def test_deep_perft(depth, positions, tree_size, needs_compiler) -> None:
    assert tree_size(find_game("connect4:7x6"), depth)[2] == positions


@pytest.mark.parametrize(
    ("size", "positions", "games"), [("3x3", 5_248, 1_680), ("3x4", 103_459, 33_582), ("4x3", 1_057_009, 356_232)]
)
def test_tree_sizes(size, positions, games, tree_size, needs_compiler) -> None:
    assert tree_size(find_game(f"connect4:{size}"))[:2] == (positions, games)


@pytest.mark.parametrize(
    ("text", "value"), [("3x3", 0), ("3x4", 0), ("4x3", 0), ("3x3:3", 0), ("4x3:3", 1), ("1x5:2", 0), ("2x2:2", 1)]
)
def test_values_by_brute_force(text, value, minimax) -> None:
    game = find_game(f"connect4:{text}")
    assert minimax(game, game.new_state()) == value


def test_drawing() -> None:
    game = find_game("connect4:3x2:3")
    assert game.drawing(game.state_after(["2", "2", "1"])) == ".  Y  .\nR  R  .\n1  2  3"


@pytest.mark.parametrize(("width", "height"), [(7, 6), (5, 4), (4, 7)])
def test_against_openspiel(width, height) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = find_game(f"connect4:{width}x{height}")
    try:
        theirs_game = pyspiel.load_game("connect_four", {"columns": width, "rows": height})
    except pyspiel.SpielError:
        if (width, height) != (7, 6):
            pytest.skip("this OpenSpiel knows only 7x6")
        theirs_game = pyspiel.load_game("connect_four")
    agree(game, theirs_game, games=30)

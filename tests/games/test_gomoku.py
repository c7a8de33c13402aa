"""Gomoku and m,n,k games against OpenSpiel; what the bounds say of lines."""

from __future__ import annotations

import pytest
from openspiel_comparison import agree

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game


@pytest.mark.parametrize(("columns", "rows", "length"), [(3, 3, 3), (4, 5, 3), (9, 2, 4), (10, 10, 5)])
def test_against_openspiel(columns, rows, length) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("mnk", {"m": columns, "n": rows, "k": length})
    agree(find_game(f"gomoku:{columns}x{rows}:{length}"), theirs, games=4)


def test_bounds() -> None:
    game = find_game("gomoku:7:4")
    assert rules.bounds(game.state_after(["c4", "a1", "d4", "a3", "e4"]), -1, 1) == (1, 1)  # b4 and f4
    assert rules.bounds(game.state_after(["c4", "a1", "d4", "a3", "e4", "b4"]), -1, 1) == (1, 1)  # f4
    assert rules.bounds(game.state_after(["c4", "b4", "d4", "a3", "e4"]), -1, 1) == (-1, 1)  # f4 can be stopped
    assert rules.bounds(find_game("gomoku:4").initial, -1, 1) == (0, 0)  # no room for five
    assert rules.bounds(find_game("gomoku:1x4:4").state_after(["a1"]), -1, 1) == (0, 1)


@pytest.mark.parametrize("axis", ["c3 d4 e5", "c3 d3 e3", "c3 c4 c5", "e3 d4 c5"])
def test_lines_of_six_win_in_every_direction(axis) -> None:
    game = find_game("gomoku:5:3")
    first, second, third = axis.split()
    state = game.state_after([first, "a1", third, "a3", second])
    assert rules.is_over(state) and rules.outcome(state) == 1


@pytest.mark.parametrize("text", ["gomoku:0", "gomoku:20", "gomoku:5:1", "gomoku:5:20", "gomoku:5:x", "gomoku:5x"])
def test_wrong_sizes(text) -> None:
    with pytest.raises(UserError, match=r"gomoku:N"):
        find_game(text)

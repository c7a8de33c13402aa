"""NoGo against a naive board and brute force."""

from __future__ import annotations

import pytest
from naive_games import NaiveNoGo, agree_with_naive

from tesuji.core.errors import UserError
from tesuji.games.registry import find_game


@pytest.mark.parametrize(("columns", "rows"), [(1, 2), (4, 1), (3, 3), (5, 4), (10, 7)])
def test_against_naive(columns, rows) -> None:
    agree_with_naive(find_game(f"nogo:{columns}x{rows}"), lambda: NaiveNoGo(columns, rows), games=1 if rows > 5 else 4)


@pytest.mark.parametrize(("text", "value"), [("nogo:1x2", 1), ("nogo:2", 1), ("nogo:3x2", -1), ("nogo:4x1", -1)])
def test_values(text, value, minimax) -> None:
    game = find_game(text)
    assert minimax(game, game.new_state()) == value


def test_captures_and_suicide_are_forbidden() -> None:
    game = find_game("nogo:3")
    state = game.state_after(["b1", "a1"])  # a2 would capture a1
    texts = [game.text(state, move) for move in game.legal_moves(state)]
    assert "a2" not in texts and "b2" in texts


@pytest.mark.parametrize("text", ["nogo:1", "nogo:11", "nogo:0x5", "nogo:x"])
def test_wrong_sizes(text) -> None:
    with pytest.raises(UserError, match="W columns"):
        find_game(text)

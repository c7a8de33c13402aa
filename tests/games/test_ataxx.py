"""Ataxx against published counts and a naive board."""

from __future__ import annotations

import pytest
from naive_games import NaiveAtaxx, agree_with_naive, perft

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game


def test_positions_by_depth() -> None:
    assert [perft(find_game("ataxx:7"), depth) for depth in (1, 2)] == [16, 256]


@pytest.mark.parametrize(("size", "games"), [(4, 3), (5, 2), (10, 1)])
def test_against_naive(size, games) -> None:
    agree_with_naive(find_game(f"ataxx:{size}"), lambda: NaiveAtaxx(size), games)


def test_moves_without_a_new_piece_end_the_game() -> None:
    game = find_game("ataxx:7")
    state = game.state_after(["a7-a5", "a1-a3", "a5-a7", "a3-a1"] * 12 + ["a7-a5"])
    assert not rules.is_over(state) and int(state["quiet"]) == 49
    rules.play(state, game.parse(state, "a1-c1"))
    assert rules.is_over(state) and rules.outcome(state) == 0


@pytest.mark.parametrize("text", ["ataxx:3", "ataxx:11", "ataxx:7x7"])
def test_wrong_sizes(text) -> None:
    with pytest.raises(UserError, match="NxN"):
        find_game(text)

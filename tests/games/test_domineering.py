"""Domineering against a naive board; the bounds at all positions of small boards are in test_conformance.py."""

from __future__ import annotations

import pytest
from naive_games import NaiveDomineering, agree_with_naive

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import copy_state
from tesuji.games.domineering import most_moves, sure_moves
from tesuji.games.registry import find_game


@pytest.mark.parametrize(("columns", "rows"), [(2, 1), (1, 5), (4, 4), (5, 3), (10, 10)])
def test_against_naive(columns, rows) -> None:
    agree_with_naive(find_game(f"domineering:{columns}x{rows}"), lambda: NaiveDomineering(columns, rows), games=3)


@pytest.mark.parametrize(("text", "value"), [("domineering:2", 1), ("domineering:3", 1), ("domineering:4", 1)])
def test_values(text, value, minimax) -> None:
    """The first player wins on 2x2, 3x3 and 4x4 (Breuker, Uiterwijk and van den Herik 2000)."""
    game = find_game(text)
    assert minimax(game, game.new_state()) == value


def test_sure_moves() -> None:
    game = find_game("domineering:1x6")
    assert sure_moves(game.initial, 0, True) == 3 and most_moves(game.initial, 1) == 0
    game = find_game("domineering:4")
    assert most_moves(game.initial, 0) == most_moves(game.initial, 1) == 8
    assert sure_moves(game.initial, 0, True) == 3 and sure_moves(game.initial, 0, False) == 2


def test_whose_dominoes_they_are_does_not_matter() -> None:
    game = find_game("domineering:2x4")
    one, other = (game.state_after(moves) for moves in (["a1-a2", "a3-b3", "b1-b2"], ["b1-b2", "a3-b3", "a1-a2"]))
    assert one.tobytes() == other.tobytes()
    image = copy_state(one)
    rules.image(one, 0, image)
    assert int(image["taken"][1][0]) == 0 and rules.position_hash(image) == rules.position_hash(one)


@pytest.mark.parametrize("text", ["domineering:1", "domineering:11", "domineering:0x5", "domineering:x"])
def test_wrong_sizes(text) -> None:
    with pytest.raises(UserError, match="W columns"):
        find_game(text)

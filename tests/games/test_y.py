"""Y against OpenSpiel and brute force."""

from __future__ import annotations

import pytest
from openspiel_comparison import agree

from tesuji.core.errors import UserError
from tesuji.core.picture.drawing import draw
from tesuji.games.registry import find_game


@pytest.mark.parametrize(("size", "games"), [(1, 1), (3, 20), (6, 8), (19, 1)])
def test_against_openspiel(size, games) -> None:
    """There the longest row is the first one."""
    pyspiel = pytest.importorskip("pyspiel")

    def numbered(_theirs, action):
        return (size - 1 - action // size) * size + action % size

    agree(find_game(f"y:{size}"), pyspiel.load_game("y", {"board_size": size}), games, ours_of=numbered)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_first_player_wins(size, minimax) -> None:
    game = find_game(f"y:{size}")
    assert minimax(game, game.new_state()) == 1


@pytest.mark.parametrize("text", ["y:0", "y:20", "y:4x4", "y:x"])
def test_wrong_sizes(text) -> None:
    with pytest.raises(UserError, match="triangle"):
        find_game(text)


def test_the_stones_that_win_are_marked_and_no_others():
    position = find_game("y:4").start.play(*["a1", "b3", "c4", "a3", "b2", "b4", "c3"])
    assert set(draw(position)["won"]) == {"a1", "b2", "c3", "c4"}
    assert draw(find_game("y:4").start)["won"] == []

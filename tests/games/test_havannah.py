"""Havannah against OpenSpiel; rings, bridges and forks."""

from __future__ import annotations

import pytest
from openspiel_comparison import agree

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import copy_state
from tesuji.core.position import Position
from tesuji.games.registry import find_game


@pytest.mark.parametrize(("size", "games"), [(3, 30), (4, 20), (5, 8), (10, 1)])
def test_against_openspiel(size, games) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    agree(find_game(f"havannah:{size}"), pyspiel.load_game("havannah", {"board_size": size}), games)


@pytest.mark.parametrize(
    ("size", "stones"),
    [
        (4, "d3 e4 e5 d5 c4 c3"),  # a ring around the free cell d4
        (4, "d4 d3 e4 e5 d5 c4 c3"),  # around an own stone
        (4, "a1 b2 c3 d4 e5 f6 g7"),  # two corners
        (3, "b1 c2 d2 b2 a2"),  # three sides
    ],
)
def test_winning_structures(size, stones) -> None:
    """White's last stone wins; Black's are far away from each other."""
    game = find_game(f"havannah:{size}")
    own, others = stones.split(), {3: "c5 e5 b4 e3", 4: "e7 f7 d7 g6 c6 b5"}[size].split()
    moves = [own[0], *(text for pair in zip(others, own[1:], strict=False) for text in pair)]
    assert not rules.is_over(game.state_after(moves[:-1]))
    state = game.state_after(moves)
    assert rules.is_over(state) and rules.outcome(state) == 1


@pytest.mark.parametrize("text", ["havannah:1", "havannah:11", "havannah:4x4", "havannah:x"])
def test_wrong_sizes(text) -> None:
    with pytest.raises(UserError, match="hexagon"):
        find_game(text)


@pytest.mark.parametrize(
    ("size", "stones", "spare"),
    [
        (4, "d3 e4 e5 d5 c4 c3", "c2"),  # a ring
        (4, "a1 b2 c3 d4 e5 f6 g7", "b3"),  # a bridge
        (3, "b1 c2 d2 b2 a2", ""),  # a fork
    ],
)
def test_the_stones_that_win_are_marked_and_no_others(size, stones, spare) -> None:
    game = find_game(f"havannah:{size}")
    board = game.picture
    assert board is not None and board.won is not None
    state = copy_state(game.initial)
    for name in [*spare.split(), *stones.split()]:
        state["to_play"] = rules.FIRST
        before = Position(game, state)
        state = before.play(name).state
    last = Position(game, before.state).play(stones.split()[-1])
    assert last.is_over and set(board.won(last)) == set(stones.split())

"""Othello against published counts, OpenSpiel and a naive board; stable discs against what can happen to them."""

from __future__ import annotations

import random

import pytest
from naive_games import NaiveOthello, agree_with_naive, perft
from openspiel_comparison import agree

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import copy_state
from tesuji.games.othello import stable_discs
from tesuji.games.registry import find_game


def test_positions_by_depth() -> None:
    game = find_game("othello:8")
    assert [perft(game, depth) for depth in range(1, 6)] == [4, 12, 56, 244, 1396]


@pytest.mark.parametrize("size", [4, 6, 10])
def test_against_naive(size) -> None:
    agree_with_naive(find_game(f"othello:{size}"), lambda: NaiveOthello(size), games=20 // size)


def test_against_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    agree(find_game("othello"), pyspiel.load_game("othello"), games=5)


@pytest.mark.parametrize("size", [4, 6])
def test_stable_discs_are_never_turned(size, random_line) -> None:
    """From each position on some random games are played: nobody ends with fewer discs than were stable."""
    game, chance = find_game(f"othello:{size}"), random.Random(size)
    stable = 0
    for seed in range(3):
        for state, _, _ in random_line(game, seed):
            end = copy_state(state)
            while not rules.is_over(end):
                rules.play(end, chance.choice(game.legal_moves(end)))
            for player in range(2):
                count = int(stable_discs(state, player))
                stable += count
                assert count <= sum(int(word).bit_count() for word in end["stones"][player])
    assert stable > 100


def test_a_corner_is_stable_and_the_middle_is_not() -> None:
    game = find_game("othello:4")
    assert stable_discs(game.initial, 0) == stable_discs(game.initial, 1) == 0
    state = game.state_after(["a2", "a1"])  # the corner turns b2 over
    assert stable_discs(state, 1) == 1 and rules.bounds(state, *game.outcomes) == (-16, 14)


@pytest.mark.parametrize("text", ["othello:3", "othello:5", "othello:12", "othello:2", "othello:8x8", "othello:x"])
def test_wrong_sizes(text) -> None:
    with pytest.raises(UserError, match="N even"):
        find_game(text)

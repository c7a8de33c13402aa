"""Hex against a second, naive implementation (naive_hex.py), brute force, and OpenSpiel where it is installed."""

from __future__ import annotations

import random

import numpy as np
import pytest
from naive_hex import NaiveHex

from tesuji.core import rules
from tesuji.games.registry import find_game

SIZES = ("1", "1x2", "2x1", "2", "3", "4x3", "3x7", "5", "19x2", "7", "11", "8x13", "19")


def compare_game(text: str, seed: int) -> None:
    """A random game in which every position has the same moves, player and winner as the naive one."""
    game = find_game(f"hex:{text}")
    board = game.board
    assert board is not None
    naive = NaiveHex(board.columns, board.rows, "swap=on" in text)
    chooser = random.Random(f"{text}:{seed}")
    state = game.new_state()
    while naive.winner is None:
        assert not rules.is_over(state)
        assert rules.to_play(state) == naive.player
        texts = {game.text(state, move): move for move in game.legal_moves(state)}
        assert list(texts) == naive.moves()
        chosen = "swap-pieces" if "swap-pieces" in texts and seed % 2 else chooser.choice(list(texts))
        assert game.parse(state, chosen) == texts[chosen]
        rules.play(state, texts[chosen])
        naive.play(chosen)
        assert board.stones(state) == naive.stones
    assert rules.is_over(state)
    assert rules.outcome(state) == (1, -1)[naive.winner]


@pytest.mark.parametrize("text", [*SIZES, "4:swap=on", "11:swap=on"])
@pytest.mark.parametrize("seed", range(3))
def test_random_games_are_those_of_the_naive_board(text: str, seed: int) -> None:
    with np.errstate(over="ignore"):
        compare_game(text, seed)

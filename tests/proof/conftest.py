"""Certificates that many tests begin with."""

from __future__ import annotations

import pytest
from proof_helpers import prove

from tesuji.core.game import Game
from tesuji.games.registry import find_game
from tesuji.proof.trusted.format import Certificate


@pytest.fixture(scope="module")
def draw() -> Certificate:
    """Tic-tac-toe is a draw, shown by a strategy of either side."""
    return prove(find_game("tictactoe"), 0, 0)


@pytest.fixture(scope="module")
def small() -> tuple[Game, Certificate]:
    """A certificate small enough to try every change."""
    game = find_game("connect4:3x3:3")
    return game, prove(game, 0, 0)

"""What the tests of learning share: pure Python, and random games of Lines of Action as texts of moves."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.games.registry import find_game

GAME = find_game("loa")


@pytest.fixture(autouse=True)
def pure_python(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    with np.errstate(over="ignore"):
        yield


@pytest.fixture
def random_texts():
    """A function: the moves of a random game of so many plies, by its seed."""

    def make(seed, plies=12):
        chooser, state, texts = random.Random(seed), GAME.new_state(), []
        while len(texts) < plies and not rules.is_over(state):
            move = chooser.choice(GAME.legal_moves(state))
            texts.append(GAME.text(state, move))
            rules.play(state, move)
        return texts

    return make

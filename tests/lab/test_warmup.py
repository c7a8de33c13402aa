"""Warming up does a little of everything that a game has; here without the compiler, to see what it does."""

from __future__ import annotations

import pytest

from tesuji.games.registry import find_game
from tesuji.knowledge.registry import status_of
from tesuji.lab import warmup


@pytest.fixture(autouse=True)
def pure_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESUJI_PURE", "1")


def test_who_tells_dead_stones():
    game = find_game("go:3")
    status = status_of(game)
    state = game.state_after(["B2"])
    assert status(game, state, 1).keys() == {(1, 1)}
    assert status_of(find_game("tictactoe")) is None


def test_what_tells_dead_stones_is_compiled_too(monkeypatch):
    asked = []
    monkeypatch.setattr(warmup, "status_of", lambda game: lambda *arguments: asked.append((game, *arguments)))
    game = find_game("tictactoe")
    warmup.warm_up(game)
    assert [(found.name, start is not None, playouts) for found, _, start, playouts in asked] == [("tictactoe", True, 1)]

"""Studies, the players by circuits and what people are shown assess a position alike, in pure Python.

In the positions of 6x6 a carrier that leads nowhere else can be filled, after which more follows: 4 of 1,500 random ones.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from tesuji.games.hex.game import set_up
from tesuji.games.hex.state import empty_board
from tesuji.games.hex.text import position_text
from tesuji.games.registry import find_game
from tesuji.knowledge.hex.overlays.positions import AssessedPosition
from tesuji.knowledge.overlays import overlay
from tesuji.players.presets import find_player
from tesuji.search.alphabeta.hooks import known_bounds, rate_order
from tesuji.search.policy import NO_LOWER, NO_UPPER, evaluate, study

CLOSED_CARRIERS = (
    "6:4bw/b1b1w1/3w1b/6/b2w2/3wb1:w",
    "6:4w1/3b2/1bb1w1/4bw/6/2wb2:w",
    "6:6/6/4b1/6/bw1w2/bwb3:w",
    "6:6/3wb1/1bb3/6/6/1ww3:b",
)


@pytest.fixture(autouse=True)
def _pure(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")


def random_positions(size: int, count: int) -> list[str]:
    """Positions in which nobody has won yet, with stones of both in about equal numbers."""
    chooser, found = random.Random(size), []
    cells = [(column, row) for row in range(size) for column in range(size)]
    while len(found) < count:
        chosen = chooser.sample(cells, chooser.randrange(2, len(cells) - 3))
        stones = {cell: number % 2 for number, cell in enumerate(chosen)}
        if set_up(empty_board(size, size), stones, 0)["winner"] == 0:
            found.append(f"{size}:{position_text(stones, chooser.randrange(2), size, size)}")
    return found


@pytest.mark.parametrize("text", [*CLOSED_CARRIERS, *random_positions(3, 10), *random_positions(4, 6)])
def test_studies_circuits_and_overlays_agree(text):
    game = find_game(f"hex:{text}")
    state = game.initial.copy()
    moves = np.array(game.legal_moves(state), np.int32)
    kept, studied = np.ones(len(moves), np.int32), state.copy()
    lower, upper, _ = study(find_player("mohex2").engine(game, pure=True).policy, studied, moves, len(moves), kept)
    position, board = AssessedPosition(state), game.board
    assert board is not None
    assert board.stones(studied) == board.stones(position.filled)
    wolve = find_player("wolve").engine(game, pure=True).policy
    orders, chances = np.zeros(len(moves)), np.zeros(len(moves))
    rate_order(wolve, state, moves, len(moves), orders, chances)
    if position.decided is not None:
        assert lower == upper == (1, -1)[position.decided.winner] == np.sign(evaluate(wolve, state))
        assert known_bounds(wolve, state, -1, 1) == (lower, upper)
        return
    assert (lower, upper) == (NO_LOWER, NO_UPPER) and known_bounds(wolve, state, -1, 1) == (-1, 1)
    considered = {row * position.width + column for column, row in position.consider}
    assert {int(move) for move in moves[kept != 0]} == {int(move) for move in moves[orders > 0]} == considered
    assert overlay(game, state, "circuit").data["evaluation"] == evaluate(wolve, state)


def test_a_filled_carrier_is_told_from_other_fills():
    for text in CLOSED_CARRIERS:
        game = find_game(f"hex:{text}")
        reasons = {mark.why for mark in overlay(game, game.initial, "fill").marks.values() if mark.kind == "captured"}
        assert "in the carrier of a connection that leads nowhere else" in reasons

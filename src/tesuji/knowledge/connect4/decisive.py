"""Playouts of Connect Four that see one move ahead: win if you can, else stop the other from winning, else move at random."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.bits import lowest_bit
from tesuji.core.dispatch import implements
from tesuji.core.parameters import Parameter
from tesuji.core.random import unit
from tesuji.core.rules import random_move
from tesuji.games.connect4.bounds import winning_cells
from tesuji.games.connect4.state import ZERO
from tesuji.search.policy import playout_move


class Decisive(NamedTuple):
    """Decisive and anti-decisive moves (Teytaud and Teytaud 2010)."""

    decisive_moves: float

    PARAMETERS = (Parameter("decisive_moves", 1.0, "chance that a move of a playout looks one move ahead", 0.0, 1.0),)


@implements(playout_move, Decisive)
def decisive_move(policy, notes, state, rng):
    looks = policy.decisive_moves >= 1.0 or unit(rng) < policy.decisive_moves
    if looks and state["length"] == 4:
        stones = state["stones"]
        height = np.int64(state["height"])
        mover = np.int64(state["to_play"])
        playable = ((stones[0] | stones[1]) + state["bottom"]) & state["cells"]
        cells = winning_cells(stones[mover], height) & playable
        if cells == ZERO:
            cells = winning_cells(stones[1 - mover], height) & playable
        if cells != ZERO:
            return lowest_bit(cells) // (height + 1)
    return random_move(state, notes["moves"], rng)

"""Playouts of Connect Four that see one move ahead: win if you can, else stop the other from winning, else give nothing away.

A cell on which the other player would win is not made playable by a move below it as long as there is another move. So playouts
are decided as games between people are: by who runs out of other moves first, that is by threats on odd and even rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.numba.bits import bit_count, lowest_bit
from tesuji.core.parameters import Parameter
from tesuji.core.random import below
from tesuji.core.rules import random_move
from tesuji.games.connect4.bounds import winning_cells
from tesuji.games.connect4.state import ONE, ZERO
from tesuji.search.policy import playout_move


class Decisive(NamedTuple):
    """Decisive and anti-decisive moves (Teytaud and Teytaud 2010)."""

    safe_moves: bool

    PARAMETERS = (Parameter("safe_moves", True, "playouts do not play below a cell on which the other player would win"),)


@implements(playout_move, Decisive)
@kernel
def decisive_move(policy, notes, state, rng):
    if state["length"] != 4:
        return random_move(state, notes["moves"], rng)
    stones = state["stones"]
    height = np.int64(state["height"])
    mover = np.int64(state["to_play"])
    playable = ((stones[0] | stones[1]) + state["bottom"]) & state["cells"]
    cells = winning_cells(stones[mover], height) & playable
    if cells != ZERO:
        return lowest_bit(cells) // (height + 1)
    threats = winning_cells(stones[1 - mover], height) & state["cells"]
    cells = threats & playable
    if cells != ZERO:
        return lowest_bit(cells) // (height + 1)
    if not policy.safe_moves:
        return random_move(state, notes["moves"], rng)
    cells = playable & ~(threats >> ONE)
    if cells == ZERO:
        cells = playable
    for _ in range(below(rng, bit_count(cells))):
        cells &= cells - ONE
    return lowest_bit(cells) // (height + 1)

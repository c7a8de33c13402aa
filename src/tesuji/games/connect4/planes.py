"""What a network sees of Connect Four: rows from the bottom. A move's place is the cell that its stone falls to."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements
from tesuji.core.encoding import Encoding
from tesuji.core.numba.bits import bit_count
from tesuji.games.connect4.state import ONE, STATE, ZERO

OWN, OTHER, NEXT, BOARD = 0, 1, 2, 3
NAMES = ("own", "other's", "next of its column", "board")


def encoding(width: int, height: int) -> Encoding:
    return Encoding(height, width, NAMES, turns=(0, 1))


@implements(rules.planes, STATE)
def planes(state, planes):
    stones = state["stones"]
    player = state["to_play"]
    own, other = stones[player], stones[1 - player]
    next_cells = (own | other) + state["bottom"]  # one above the highest stone of each column
    bit = ONE
    one = np.float32(1)
    for column in range(state["width"]):
        for row in range(state["height"]):
            planes[row, column, BOARD] = one
            if own & bit != ZERO:
                planes[row, column, OWN] = one
            if other & bit != ZERO:
                planes[row, column, OTHER] = one
            if next_cells & bit != ZERO:
                planes[row, column, NEXT] = one
            bit <<= ONE
        bit <<= ONE


@implements(rules.place, STATE)
def place(state, move):
    stones = state["stones"]
    height = np.int64(state["height"])
    column = ((ONE << np.uint64(height)) - ONE) << np.uint64(move * (height + 1))
    row = bit_count((stones[0] | stones[1]) & column)
    return row * np.int64(state["width"]) + move

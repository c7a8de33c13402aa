"""The record of a Hex position: each player's stones as one bit mask a row, and which of them reach his edges.

Cell (column c, row r) is bit c of row r, both from 0, row 0 at the top; as a move it is number r * width + c. Its neighbours
are (c-1, r), (c+1, r), (c, r-1), (c, r+1), (c+1, r-1) and (c-1, r+1). Player 0 (Black) moves first and joins top and bottom;
player 1 (White) joins left and right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core.dispatch import kernel, state_type
from tesuji.core.hashing import random_words

LARGEST = 19
MOST_CELLS = LARGEST * LARGEST
BLACK, WHITE = 0, 1

# The swap rule: whether the second player may, instead of his first move, take over the first stone.
NO_SWAP = 0  # not, or no longer
MAY_SWAP = 1  # nobody has decided yet
SWAPPED = 2  # he did

STATE = state_type(
    "hex",
    [
        ("keys", np.uint64, (2,)),  # Zobrist keys of the stones, and of the board turned by 180 degrees
        ("stones", np.uint32, (2, LARGEST)),
        # [player, edge]: his stones that are connected with his first (top, left) or second edge (bottom, right), with a
        # border of one cell all round: cell (c, r) is bit c + 1 of row r + 1. The border cells of the edge are set too.
        ("joined", np.uint32, (2, 2, LARGEST + 2)),
        ("width", np.int32),
        ("height", np.int32),
        ("to_play", np.int32),
        ("count", np.int32),  # stones on the board
        ("last_move", np.int32),  # the cell of the last stone, -1 if there is none or it was a swap
        ("swap", np.int32),
        ("winner", np.int32),  # +1 player 0, -1 player 1, 0 nobody yet
    ],
)
ZERO = np.uint32(0)
ONE = np.uint32(1)
NO_KEY = np.uint64(0)
CELL_KEYS = np.array(random_words(2 * MOST_CELLS, 0x4E8), np.uint64).reshape(2, MOST_CELLS)


def empty_board(width: int, height: int, swap: bool = False) -> Any:
    """The record in which a game begins."""
    state = np.zeros(1, STATE)[0]
    state["width"] = width
    state["height"] = height
    state["last_move"] = -1
    state["swap"] = MAY_SWAP if swap else NO_SWAP
    mark_edges(state)
    return state


@kernel
def mark_edges(state):
    """Writes `joined` as it is on the empty board: the border cells of each edge, and nothing else."""
    joined = state["joined"]
    width, height = np.int64(state["width"]), np.int64(state["height"])
    whole = (ONE << np.uint32(width + 2)) - ONE
    for row in range(LARGEST + 2):
        inside = 1 <= row <= height
        joined[0, 0, row] = whole if row == 0 else ZERO
        joined[0, 1, row] = whole if row == height + 1 else ZERO
        joined[1, 0, row] = ONE if inside else ZERO
        joined[1, 1, row] = ONE << np.uint32(width + 1) if inside else ZERO

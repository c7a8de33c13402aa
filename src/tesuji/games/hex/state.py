"""The record of a Hex position: each player's stones as one bit mask a row.

Cell (column c, row r) is bit c of row r, both from 0, row 0 at the top; as a move it is number r * width + c. Its neighbours
are (c-1, r), (c+1, r), (c, r-1), (c, r+1), (c+1, r-1) and (c-1, r+1). Player 0 (Black) moves first and joins top and bottom;
player 1 (White) joins left and right.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import state_type

LARGEST = 19

# The swap rule: whether the second player may, instead of his first move, take over the first stone.
NO_SWAP = 0  # not, or no longer
MAY_SWAP = 1  # nobody has decided yet
SWAPPED = 2  # he did

STATE = state_type(
    "hex",
    [
        ("stones", np.uint32, (2, LARGEST)),
        ("width", np.int32),
        ("height", np.int32),
        ("to_play", np.int32),
        ("count", np.int32),  # stones on the board
        ("last_move", np.int32),  # the cell of the last stone, -1 if there is none or it was a swap
        ("swap", np.int32),
        ("winner", np.int32),  # +1 player 0, -1 player 1, 0 nobody yet
    ],
)

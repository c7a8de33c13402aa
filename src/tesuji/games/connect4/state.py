"""The record of a Connect Four position: bitboards, one bit a cell.

Columns of H + 1 bits (the top bit stays empty), bit 0 at the bottom left. `stones` holds each player's cells. A column's
next cell is found by adding the column's bottom bit to the occupied cells.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import state_type

STATE = state_type(
    "connect4",
    [
        ("stones", np.uint64, (2,)),
        ("bottom", np.uint64),  # the lowest cell of every column
        ("cells", np.uint64),  # every cell of the board
        ("width", np.int32),
        ("height", np.int32),
        ("length", np.int32),  # stones in a row that win
        ("to_play", np.int32),
        ("left", np.int32),  # empty cells
        ("winner", np.int32),  # +1 player 0, -1 player 1, 0 nobody yet
    ],
)
ZERO = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)

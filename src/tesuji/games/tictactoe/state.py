"""The record of a position of tic-tac-toe: two nine-bit sets, cell 0 at the top left, row by row."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import state_type

STATE = state_type(
    "tictactoe",
    [
        ("stones", np.int32, (2,)),  # the cells of each player
        ("to_play", np.int32),
        ("winner", np.int32),  # +1 player 0, -1 player 1, 0 nobody yet
    ],
)
FULL = 0b111_111_111

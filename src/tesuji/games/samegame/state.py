"""The record of a position of SameGame.

Cells are numbered column by column from the left, each column from the bottom: column * rows + row. A colour is 1 or
more, 0 is an empty cell. A move is the lowest cell number of its group. The groups are found once, after a move, and kept in
the state, so listing moves is one scan.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import state_type

LARGEST, MOST_COLOURS = 15, 9
CELLS = LARGEST * LARGEST
STATE = state_type(
    "samegame",
    [
        ("cells", np.int8, (CELLS,)),  # colours; 0 = empty
        ("group", np.int16, (CELLS,)),  # the lowest cell number of each stone's group
        ("size", np.int16, (CELLS,)),  # at the lowest cell of a group: its stones
        ("left", np.int32, (MOST_COLOURS + 1,)),  # stones left of each colour; index 0 holds the stones in all
        ("rows", np.int32),
        ("columns", np.int32),
        ("used", np.int32),  # columns that still hold stones, all at the left
        ("groups", np.int32),  # groups of two or more stones: legal moves
        ("score", np.int32),
    ],
)

"""The record of a semeai.

Points are numbered: player 0's liberties, then player 1's; the number after the last is the move elsewhere.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import state_type

STATE = state_type(
    "semeai",
    [
        ("open", np.uint64),  # one bit a point, set while it is empty
        ("elsewhere", np.float64),  # probability that a random game plays elsewhere
        ("liberties", np.int32, (2,)),  # liberties left to each string
        ("sizes", np.int32, (2,)),  # liberties at the start
        ("to_play", np.int32),
        ("away", np.int32),  # moves elsewhere in a row
        ("winner", np.int32),  # +1 player 0 captured, -1 player 1 captured, 0 nobody
    ],
)
ZERO, ONE = np.uint64(0), np.uint64(1)
MOST_LIBERTIES = 30
AWAY_LIMIT = 16  # so many moves elsewhere in a row are a draw

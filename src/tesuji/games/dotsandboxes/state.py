"""The record of a position of dots and boxes: edges are bits of two words.

Horizontal edges: row * columns + column, for rows + 1 lines of them. Vertical edges: row * (columns + 1) + column. A box has
the number of the horizontal edge above it, i; in its row r, the edge below it is i + columns and the edges beside it are the
vertical ones i + r and i + r + 1. Move numbers are the horizontal edges, then the vertical ones.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import state_type

STATE = state_type(
    "dotsandboxes",
    [
        ("drawn", np.uint64, (2,)),  # horizontal and vertical edges
        ("owned", np.uint64, (2,)),  # the boxes of each player
        ("rows", np.int32),
        ("columns", np.int32),
        ("horizontals", np.int32),  # how many horizontal edges there are: the number of the first vertical one
        ("edges", np.int32),  # how many edges there are
        ("to_play", np.int32),
        ("difference", np.int32),  # boxes of player 0 minus boxes of player 1
        ("left", np.int32),  # boxes not yet closed
    ],
)
ZERO, ONE = np.uint64(0), np.uint64(1)
LARGEST = 7

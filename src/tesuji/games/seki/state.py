"""The record of a seki problem.

Every point is a move of its own. Points are numbered: Max's outside points, Min's, then the shared ones; the number
after the last point is the pass.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import state_type

STATE = state_type(
    "seki",
    [
        ("open", np.uint64),  # one bit a point, set while it is empty
        ("outside", np.int32, (2,)),  # outside liberties left to each string
        ("shared", np.int32),  # shared liberties left
        ("sizes", np.int32, (3,)),  # points at the start: Max's outside, Min's outside, shared
        ("to_play", np.int32),
        ("passes", np.int32),  # passes in a row
        ("last_pass", np.int32),  # so many in a row end the game
        ("winner", np.int32),  # +1 Max captured, -1 Min captured, 0 nobody
    ],
)
ZERO, ONE = np.uint64(0), np.uint64(1)
SHARED = 2  # the index of the shared points in `sizes`
MOST_OUTSIDE, MOST_SHARED = 20, 8

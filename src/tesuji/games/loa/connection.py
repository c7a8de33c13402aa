"""Whether all pieces of a set hang together, side by side or corner to corner.

The Euler number of a set, the number of its groups less the number of holes in them, is cheap: for eight neighbours it is
pieces - pairs side by side - windows of 2x2 with just two pieces corner to corner + windows full of pieces. (Counting all
windows by their pieces, as Gray's quads do, gives the same number.) Above 1 there must be several groups; only otherwise
is one group filled and compared with the whole.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.numba.bits import bit_count
from tesuji.games.loa.state import ONE

_U8, _U9 = np.uint64(8), np.uint64(9)
NOT_LAST = np.uint64(0x7F7F7F7F7F7F7F7F)  # all columns but h: what may move one to the right
NOT_FIRST = np.uint64(0xFEFEFEFEFEFEFEFE)  # all but a


@kernel
def euler_number(pieces):
    """Groups less holes. A window is named by its lower left square; those that stick out of the board cannot matter."""
    right = (pieces >> ONE) & NOT_LAST  # bit n: whether the right neighbour of square n is in the set
    above = pieces >> _U8
    corner = (pieces >> _U9) & NOT_LAST
    rising = pieces & corner
    falling = right & above
    full = rising & falling
    # Two corner to corner and nothing else. A falling pair's window starts at a square that need not be in the set.
    crossed = (rising & ~(right | above)) | (falling & ~(pieces | corner))
    return bit_count(pieces) - bit_count(pieces & right) - bit_count(pieces & above) - bit_count(crossed) + bit_count(full)


@kernel
def group_of(seed, pieces):
    """The pieces that hang together with those of `seed`: widened by one square all round until nothing is added."""
    group = seed
    while True:
        wide = group | ((group << ONE) & NOT_FIRST) | ((group >> ONE) & NOT_LAST)
        wide = (wide | (wide << _U8) | (wide >> _U8)) & pieces
        if wide == group:
            return group
        group = wide


@kernel
def is_connected(pieces):
    """Whether the set is one group; one piece is."""
    if euler_number(pieces) > 1:
        return False
    return group_of(pieces & (~pieces + ONE), pieces) == pieces

"""Lines of stones, found by shifting the board onto itself: by 1 (up), H + 1 (across), H and H + 2 (diagonals)."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.games.connect4.state import ONE, TWO, ZERO

TALL = 20  # boards of this height have fewer than four columns: lines go up only, and other shifts would pass 64 bits


@kernel
def has_line(stones, step, length):
    """Whether `stones` holds `length` cells in a row along the shift `step`."""
    if step * (length - 1) >= 64:  # longer than the board; and no shift may reach the width of the word
        return False
    shift = np.uint64(step)
    run = stones
    have = 1
    while have + have <= length:  # doubling: after each step a set bit starts a run of twice the length
        run &= run >> (shift * np.uint64(have))
        have += have
    if have < length:
        run &= run >> (shift * np.uint64(length - have))
    return run != ZERO


@kernel
def has_four(stones, height):
    """Whether `stones` holds four in a row in any direction: all directions at once, as no loop and no jump is fastest."""
    if height >= TALL:
        return has_line(stones, 1, 4)
    rising, falling, across = np.uint64(height + 2), np.uint64(height), np.uint64(height + 1)
    a = stones & (stones >> rising)
    b = stones & (stones >> falling)
    c = stones & (stones >> across)
    d = stones & (stones >> ONE)
    return (a & (a >> (rising + rising))) | (b & (b >> (falling + falling))) | (c & (c >> (across + across))) | (
        d & (d >> TWO)
    ) != ZERO


@kernel
def wins(stones, height, length):
    """Whether `stones` holds a line in any direction."""
    if length == 4:
        return has_four(stones, height)
    return (
        has_line(stones, height + 1, length)
        or has_line(stones, 1, length)
        or has_line(stones, height, length)
        or has_line(stones, height + 2, length)
    )

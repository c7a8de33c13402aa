"""What a glance at a Connect Four position proves, without search. Every bound here is true under perfect play.

1. A cell that completes a line and can be played now wins. Two such cells of the opponent, or one with another straight
   above it, or no move that does not lie straight below one, lose.
2. A player none of whose lines is still open cannot win.
3. Following up (Allis 1988 calls the squares that it yields claimeven): when every column has an even number of empty
   cells, the player not to move can always answer in the same column. He then gets every second empty cell of each
   column and the mover the others, whatever the mover does. If the mover's share holds no line for him he cannot win;
   if the follower's share then holds a line, the follower wins.
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, kernel
from tesuji.games.connect4.lines import TALL, wins
from tesuji.games.connect4.state import ONE, STATE, ZERO

TWO, THREE = np.uint64(2), np.uint64(3)
EVEN_ROWS = np.uint64(0x5555555555555555)


@kernel
def completing_cells(stones, step):
    """Cells, empty or not, that would complete four along the shift `step`."""
    one = np.uint64(step)
    two = one + one
    three = two + one
    behind = (stones << one) & (stones << two)
    ahead = (stones >> one) & (stones >> two)
    return (behind & (stones << three)) | (behind & (stones >> one)) | (ahead & (stones << one)) | (ahead & (stones >> three))


@kernel
def winning_cells(stones, height):
    """Cells that would complete four in any direction."""
    upwards = (stones << ONE) & (stones << TWO) & (stones << THREE)
    if height >= TALL:
        return upwards
    level = completing_cells(stones, height + 1)
    return upwards | level | completing_cells(stones, height) | completing_cells(stones, height + 2)


@implements(rules.bounds, STATE)
def bounds(state, lowest, highest):
    stones = state["stones"]
    height = np.int64(state["height"])
    length = np.int64(state["length"])
    cells = state["cells"]
    mover = np.int64(state["to_play"])
    own = stones[mover]
    other = stones[1 - mover]
    empty = cells & ~(own | other)
    playable = ((own | other) + state["bottom"]) & cells
    # Bounds for the mover: +1 he wins, -1 he loses. They are turned to player 0's point of view at the end.
    low, high = -1, 1
    if length == 4:
        if winning_cells(own, height) & playable != ZERO:
            low = 1
        else:
            threats = winning_cells(other, height) & empty
            forced = threats & playable
            safe = playable & ~(threats >> ONE)
            if forced & (forced - ONE) != ZERO or (forced & safe if forced != ZERO else safe) == ZERO:
                high = -1
    if low < 1 and high > -1:
        if not wins(own | empty, height, length):
            high = 0
        if not wins(other | empty, height, length):
            low = 0
        pattern = EVEN_ROWS << np.uint64(height & 1)
        movers_rows = state["bottom"] * (pattern & ((ONE << np.uint64(height)) - ONE))
        if playable & ~movers_rows == ZERO and not wins(own | (empty & movers_rows), height, length):
            high = 0
            if wins(other | (empty & ~movers_rows), height, length):
                high = -1
    if high < low:
        low = high
    return (low, high) if mover == 0 else (-high, -low)

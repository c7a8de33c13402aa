"""What a glance at a Connect Four position proves, without search. Every bound here is true under perfect play.

1. A cell that completes a line and can be played now wins. Two such cells of the opponent, or one with another straight
   above it, or no move that does not lie straight below one, lose.
2. A player none of whose lines is still open cannot win.
3. Following up (Allis 1988): the player not to move, the follower, answers every move by rules that always give him one, in
   the same column or in another (replies.py: claimeven, vertical, baseinverse and what follows from them). If the mover
   gets no line against that he cannot win; if the follower gets one in every case, he wins.
4. A line that the follower gets in even columns comes before every line of the mover that needs cells above it (Allis'
   aftereven): if that is so of all the mover's lines, the follower wins.
5. A cell on which the follower would win, with an empty cell below it that nobody likes to fill: he follows up below that
   and everywhere else. If the mover gets no line by what falls to him, he has to fill the cell below in the end, and the
   follower wins (the odd threat of the first player, and others).
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, kernel
from tesuji.core.numba.bits import bit_count, lowest_bit
from tesuji.games.connect4.lines import TALL, wins
from tesuji.games.connect4.replies import NO_LINE, WIN, columns_of, holds, line_comes_first
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


@kernel
def followed(own, other, empty, movers_rows, bases, height, length):
    """The most that the mover can get against a follower: 1, 0 or -1. `bases` are the lowest empty cells of odd columns.

    The mover has `own` stones and the empty cells of his rows in even columns for certain, the follower `other` and the rest.
    """
    if bit_count(bases) & 1 != 0:
        return 1
    odd = empty & columns_of(bases, height)
    movers = own | (empty & movers_rows & ~odd)
    followers = other | (empty & ~movers_rows & ~odd)
    if length == 4 and height < TALL and wins(followers, height, 4):
        if line_comes_first(movers | odd, followers, empty, height):
            return -1
    if not holds(movers, followers, bases, odd, movers_rows, NO_LINE, height, length):
        return 1
    return -1 if holds(movers, followers, bases, odd, movers_rows, WIN, height, length) else 0


@kernel
def runs_out(own, empty, playable, waiting, movers_rows, height):
    """Whether the mover runs out of moves but those below `waiting` cells, on which the follower would win.

    All columns with such cells are left to wait, or all but one, as the number of odd columns has to be even.
    """
    for left_out in range(-1, bit_count(waiting)):
        cells = empty  # that are filled up before somebody has to move below a waiting cell
        rows = movers_rows
        below = ZERO  # the cells below
        number = 0
        left = waiting
        while left != ZERO:
            place = lowest_bit(left)
            column = place // (height + 1) * (height + 1)
            whole = ((ONE << np.uint64(height)) - ONE) << np.uint64(column)
            left &= ~whole  # the lowest waiting cell of a column counts
            if number != left_out:
                under = ONE << np.uint64(place - 1)
                below |= under
                cells &= ~(whole & ~(under - ONE))
                parity = np.uint64((place - 1 - column) & 1)
                rows = (rows & ~whole) | (((EVEN_ROWS << parity) << np.uint64(column)) & whole)
            number += 1
        if below == ZERO:
            continue
        bases = playable & cells & ~rows
        if bit_count(bases) & 1 == 0:
            odd = cells & columns_of(bases, height)
            movers = own | (cells & rows & ~odd) | below
            if holds(movers, ZERO, bases, odd, rows, NO_LINE, height, 4):
                return True
        if number <= left_out:
            break
    return False


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
        high = min(high, followed(own, other, empty, movers_rows, playable & ~movers_rows, height, length))
        if length == 4 and high > -1:
            waiting = winning_cells(other, height) & empty & ~playable
            if waiting != ZERO and runs_out(own, empty, playable, waiting, movers_rows, height):
                high = -1
    if high < low:
        low = high
    return (low, high) if mover == 0 else (-high, -low)

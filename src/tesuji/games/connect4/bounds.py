"""What a glance at a Connect Four position proves, without search. Every bound here is true under perfect play.

1. A cell that completes a line and can be played now wins. Two such cells of the opponent, or one with another straight
   above it, or no move that does not lie straight below one, lose.
2. A player none of whose lines is still open cannot win.
3. Following up (Allis 1988 calls the squares that it yields claimeven): when every column has an even number of empty
   cells, the player not to move can always answer in the same column. He then gets every second empty cell of each
   column and the mover the others, whatever the mover does. If the mover's share holds no line for him he cannot win;
   if the follower's share then holds a line, the follower wins.
4. Where columns have an odd number of empty cells, and there is an even number of such columns, the follower joins them in
   pairs (Allis' baseinverse). When the mover plays on the lowest empty cell of one, he answers on that of the other; both
   columns are even from then on, and he follows up there too. So the mover gets one of the two cells, whichever he likes,
   and never both. All ways to pair the columns are tried, and of each pair both choices of the mover.
5. A cell on which the follower would win, with an empty cell below it that nobody likes to fill: he follows up below that
   and everywhere else. If the mover gets no line by what falls to him, he has to fill the cell below in the end, and the
   follower wins (the odd threat of the first player, and others).
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.bits import bit_count, lowest_bit
from tesuji.core.dispatch import implements, kernel
from tesuji.games.connect4.lines import TALL, wins
from tesuji.games.connect4.state import ONE, STATE, ZERO

TWO, THREE = np.uint64(2), np.uint64(3)
EVEN_ROWS = np.uint64(0x5555555555555555)
MOST_BASES = 6  # columns that are paired
PAIRINGS = np.array([1, 0, 1, 0, 3, 0, 15])  # ways to pair so many columns


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

    The mover has `own` stones and the empty cells of his rows for certain, the follower `other` and the rest, but the bases.
    """
    count = bit_count(bases)
    movers = own | (empty & movers_rows)
    if count > MOST_BASES or count & 1 != 0 or wins(movers, height, length):
        return 1
    followers = other | (empty & ~movers_rows & ~bases)
    if count == 0:
        return -1 if wins(followers, height, length) else 0
    best = 1 if wins(movers | bases, height, length) else 0
    if best == 0 and not wins(followers | bases, height, length):
        return 0
    for pairing in range(PAIRINGS[count]):
        result = paired(movers, followers, bases, count, pairing, height, length)
        if result < best:
            best = result
            if best < 0:
                break
    return best


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
        count = bit_count(bases)
        movers = own | (cells & rows) | below
        if count <= MOST_BASES and count & 1 == 0 and not wins(movers, height, 4):
            if not wins(movers | bases, height, 4):
                return True
            for pairing in range(PAIRINGS[count]):
                if paired(movers, ZERO, bases, count, pairing, height, 4) < 1:
                    return True
        if number <= left_out:
            break
    return False


@kernel
def paired(movers, followers, bases, count, pairing, height, length):
    """The same for one way to pair the bases: the most that any of the mover's choices gets him.

    Pairings are numbered: the first base goes with another one, of the others the first with another, and so on.
    """
    left = bases
    others = count - 1
    pairs = 0
    one0, one1, one2 = ZERO, ZERO, ZERO
    two0, two1, two2 = ZERO, ZERO, ZERO
    while left != ZERO:
        first = left & (ZERO - left)
        left ^= first
        ordered = left
        for _ in range(pairing % others):
            ordered &= ordered - ONE
        second = ordered & (ZERO - ordered)
        left ^= second
        pairing //= others
        others -= 2
        if pairs == 0:
            one0, two0 = first, second
        elif pairs == 1:
            one1, two1 = first, second
        else:
            one2, two2 = first, second
        pairs += 1
    most = -1
    for choice in range(1 << pairs):
        firsts = (one0 if choice & 1 else two0) | (one1 if choice & 2 else two1) | (one2 if choice & 4 else two2)
        seconds = bases & ~firsts
        if wins(movers | firsts, height, length):
            return 1
        if not wins(followers | seconds, height, length):
            most = 0
    return most


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

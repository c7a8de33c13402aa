"""What a follower can hold who always has a reply to the other player's move: Allis' rules (1988) as one small search.

An even column has an even number of empty cells, an odd one an odd number; of odd ones there is an even number. The follower,
who is not to move, answers

    in an even column    on the cell above (claimeven): of each two cells the mover gets the lower one, he the upper one
    in an odd column     on the cell above (vertical), so that the column stays odd with two cells fewer, or on the lowest empty
                         cell of another odd column (baseinverse), so that both are even from then on

So he always has a reply, and only what happens in odd columns is open. All that the mover can do there is searched against
all these replies: what Allis lists as combinations of rules, such as the lowinverse (two verticals of which the mover gets one
upper cell only) and baseclaim, are ways to play that this search finds. Cells that may be the mover's are counted as his, so
what is found is true; a follower may do better than that.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.core.numba.bits import lowest_bit
from tesuji.core.numba.local_copies import local_zeros
from tesuji.games.connect4.lines import wins
from tesuji.games.connect4.state import ONE, ZERO

NO_LINE, WIN = 0, 1  # what the follower wants: that the mover gets no line, and that he has one himself as well
MOST_POSITIONS = 200  # of one search; beyond that it holds nothing
MOST_DEPTH = 32  # replies in odd columns of 64 cells
YES, NO, OPEN = 1, 0, -1

FRAMES = np.zeros(
    1,
    [
        ("movers", np.uint64, (MOST_DEPTH,)),  # stones of the mover, and cells that he will get
        ("followers", np.uint64, (MOST_DEPTH,)),
        ("bases", np.uint64, (MOST_DEPTH,)),  # the lowest empty cell of each odd column
        ("odd", np.uint64, (MOST_DEPTH,)),  # all empty cells of the odd columns
        ("ahead", np.uint64, (MOST_DEPTH,)),  # bases on which the mover's move has not been looked at
        ("move", np.uint64, (MOST_DEPTH,)),  # the move that is looked at; 0 = none
        ("replies", np.uint64, (MOST_DEPTH,)),  # the bases that are left to answer it; its own stands for the cell above
    ],
)[0]


@called_kernel
def holds(movers, followers, bases, odd, movers_rows, goal, height, length):
    """Whether the follower reaches the goal, NO_LINE or WIN, by his replies, whatever the mover does.

    The mover has `movers` for certain, the follower `followers`: stones, and what falls to them in even columns. The `odd`
    columns, of empty cells from their `bases` up, are open; of one that gets even the mover has the cells in his rows.
    """
    status = glance(movers, followers, bases, odd, goal, height, length)
    if status != OPEN:
        return status == YES
    frames = local_zeros(FRAMES)
    all_movers, all_followers, all_bases, all_odd = frames["movers"], frames["followers"], frames["bases"], frames["odd"]
    ahead, move, replies = frames["ahead"], frames["move"], frames["replies"]
    all_movers[0] = movers
    all_followers[0] = followers
    all_bases[0] = bases
    all_odd[0] = odd
    ahead[0] = bases
    move[0] = ZERO
    depth = 0
    looked_at = 0
    while True:
        if move[depth] == ZERO and ahead[depth] != ZERO:
            base = ahead[depth] & (ZERO - ahead[depth])
            ahead[depth] ^= base
            move[depth] = base
            replies[depth] = all_bases[depth]
            if (base << ONE) & all_odd[depth] == ZERO:
                replies[depth] ^= base
        elif move[depth] == ZERO or replies[depth] == ZERO:
            found = move[depth] == ZERO  # every move was answered; or this one was not
            if depth == 0:
                return found
            depth -= 1
            if found:
                move[depth] = ZERO
        else:
            looked_at += 1
            if looked_at > MOST_POSITIONS or depth + 1 >= MOST_DEPTH:
                return False
            base = move[depth]
            reply = replies[depth] & (ZERO - replies[depth])
            replies[depth] ^= reply
            movers = all_movers[depth] | base
            followers = all_followers[depth]
            bases = all_bases[depth] ^ base
            odd = all_odd[depth] ^ base
            if reply == base:
                followers |= base << ONE
                odd ^= base << ONE
                bases |= (base << ONE) << ONE
            else:
                bases ^= reply
                rest = odd & (column_of(base, height) | column_of(reply, height))
                odd ^= rest
                movers |= rest & movers_rows
                followers |= rest & ~movers_rows
            status = glance(movers, followers, bases, odd, goal, height, length)
            if status == YES:
                move[depth] = ZERO
            elif status == OPEN:
                depth += 1
                all_movers[depth] = movers
                all_followers[depth] = followers
                all_bases[depth] = bases
                all_odd[depth] = odd
                ahead[depth] = bases
                move[depth] = ZERO


@kernel
def glance(movers, followers, bases, odd, goal, height, length):
    """YES or NO where the cells that are left cannot change the answer; else OPEN."""
    if wins(movers, height, length):
        return NO
    if goal == WIN:
        if not wins(followers | odd, height, length):
            return NO
        if bases != ZERO and not wins(followers, height, length):
            return OPEN
    return YES if bases == ZERO or not wins(movers | odd, height, length) else OPEN


@kernel
def column_of(cell, height):
    """All cells of the column of this one; of several, of the first."""
    step = height + 1
    return ((ONE << np.uint64(height)) - ONE) << np.uint64(lowest_bit(cell) // step * step)


@kernel
def columns_of(cells, height):
    """All cells of the columns of these."""
    found = ZERO
    left = cells
    while left != ZERO:
        found |= column_of(left, height)
        left &= left - ONE
    return found


@kernel
def line_comes_first(movers, followers, empty, height):
    """Whether the follower, who gets the cells `followers`, completes a line of four before the mover has one (aftereven).

    As long as a cell of the follower's line is empty, nobody has a cell above it. So a line of the mover comes too late if
    it needs, for every such cell, one above it in the same column.
    """
    for kind in range(4):
        step = np.uint64(1 if kind == 0 else height - 1 + kind)
        starts = followers & (followers >> step)
        starts &= starts >> (step + step)
        while starts != ZERO:
            start = starts & (ZERO - starts)
            starts ^= start
            line = start | start << step
            line |= line << (step + step)
            missing = line & empty
            first = True
            while missing != ZERO and first:
                cell = missing & (ZERO - missing)
                missing ^= cell
                above = column_of(cell, height) & ~(cell | (cell - ONE))
                first = not wins(movers & ~above, height, 4)
            if first:
                return True
    return False

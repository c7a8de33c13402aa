"""Moves that win at once, found without trying them all.

A move takes one piece from where it is and puts it on one square. Every group that it did not belong to must touch that square
in the end, so only squares that touch all groups but one can win. Mostly there is none, and that is seen soon.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.numba.bits import lowest_bit
from tesuji.games.loa.connection import NOT_FIRST, NOT_LAST, euler_number, group_of, is_connected
from tesuji.games.loa.lines import goal, goal_in, is_free, move_in
from tesuji.games.loa.state import ONE, ZERO

MOST_GROUPS = 5  # that a move can join: four round the square that it goes to, and its own piece
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_U8 = np.uint64(8)


@kernel
def linking_squares(own):
    """The squares, none of one's own, that touch every group of the set but at most one."""
    if euler_number(own) > MOST_GROUPS:
        return ZERO
    every, but_one = _ALL, _ALL  # squares that touch all the groups so far, and all but at most one
    left = own
    while left != ZERO:
        group = group_of(left & (~left + ONE), own)
        left ^= group
        wide = group | ((group << ONE) & NOT_FIRST) | ((group >> ONE) & NOT_LAST)
        wide |= (wide << _U8) | (wide >> _U8)
        but_one = (but_one & wide) | every
        every &= wide
        if but_one & ~own == ZERO:
            return ZERO
    return but_one & ~own


@kernel
def wins(own, other, origin, target, mover_wins):
    """Whether the move connects the side that makes it, and not the other as well (unless the mover wins then)."""
    bit = ONE << np.uint64(target)
    if not is_connected(own ^ (ONE << np.uint64(origin)) ^ bit):
        return False
    if other & bit == ZERO or mover_wins != 0:
        return True
    return not is_connected(other ^ bit)


@kernel
def winning_entry(own, other, squares, entries, count, mover_wins):
    """The index of the first move that wins at once in a list of `lines.list_moves`; -1 if none does.

    `squares` are the linking squares of the set `own`.
    """
    if squares == ZERO:
        return -1
    for i in range(count):
        target = goal_in(entries[i])
        if squares >> np.uint64(target) & ONE != ZERO and wins(own, other, move_in(entries[i]) >> 3, target, mover_wins):
            return i
    return -1


@kernel
def can_win(counts, own, other, mover_wins):
    """Whether the side `own` would have a move that wins at once, were it its turn; `counts` are those of the lines."""
    squares = linking_squares(own)
    if squares == ZERO:
        return False
    left = own
    while left != ZERO:
        square = lowest_bit(left)
        left &= left - ONE
        for direction in range(8):
            target = goal(counts, square, direction)
            if squares >> np.uint64(target) & ONE != ZERO and is_free(own, other, square, target, direction):
                if wins(own, other, square, target, mover_wins):
                    return True
    return False

"""Lines of the board: which squares they hold, and where the number of pieces on one lets a piece go.

A move is 8 * origin + direction: how far it goes is no choice, since it is the number of pieces on its line.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.numba.bits import lowest_bit
from tesuji.games.loa.state import LINES, ONE, SQUARES, ZERO

DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (-1, 1), (1, -1))  # columns, rows; opposites are neighbours
PASS = 8 * SQUARES
MOVE_COUNT = PASS + 1
NOWHERE = -1
GOAL_SHIFT = 10  # of an entry of `list_moves`: a move needs 10 bits
MOVE_MASK = (1 << GOAL_SHIFT) - 1


def _line(column: int, row: int, kind: int) -> int:
    """The number of the line of a square: rows, columns, diagonals that rise to the right, diagonals that fall."""
    return (row, 8 + column, 16 + row - column + 7, 31 + row + column)[kind]


def _ray(column: int, row: int, direction: int) -> list[int]:
    """The squares that lie ahead, nearest first."""
    across, up = DIRECTIONS[direction]
    squares = []
    column, row = column + across, row + up
    while 0 <= column < 8 and 0 <= row < 8:
        squares.append(8 * row + column)
        column, row = column + across, row + up
    return squares


_PLACES = [(square % 8, square // 8) for square in range(SQUARES)]
LINE_OF = np.array([[_line(c, r, kind) for kind in range(4)] for c, r in _PLACES], np.uint8)
AHEAD = np.array(  # the square so many steps ahead; a piece's own square where that is off the board
    [[([n, *_ray(c, r, d)] + [n] * 9)[:9] for d in range(8)] for n, (c, r) in enumerate(_PLACES)], np.uint8
)
RAY = np.array([[sum(1 << s for s in _ray(c, r, d)) for d in range(8)] for c, r in _PLACES], np.uint64)
LINE_SQUARES = np.array([sum(1 << s for s in range(SQUARES) if n in LINE_OF[s]) for n in range(LINES)], np.uint64)


@kernel
def landing(counts, square, direction):
    """The square as many steps ahead as there are pieces on the line, or NOWHERE if that is off the board."""
    target = goal(counts, square, direction)
    return target if target != square else NOWHERE


@kernel
def reach(counts, own, other, square, direction):
    """Where a piece of the set `own` lands in a direction, or NOWHERE if the move is not legal."""
    target = goal(counts, square, direction)
    return target if is_free(own, other, square, target, direction) else NOWHERE


@kernel
def goal(counts, square, direction):
    """As `landing`, but its own square for a piece that would leave the board: no jump that nobody can predict."""
    return np.int64(AHEAD[square, direction, counts[LINE_OF[square, direction >> 1]]])


@kernel
def is_free(own, other, square, target, direction):
    """Whether a piece may go from the square to its goal: not onto its own side, nor over the other. Its own square is not."""
    bit = ONE << np.uint64(target)
    between = RAY[square, direction] ^ RAY[target, direction] ^ bit
    return (own & bit) | (other & between) == ZERO


@kernel
def list_squares(pieces, out):
    """Writes the squares of a set into `out`, the lowest first; returns how many."""
    left = pieces
    count = 0
    while left != ZERO:
        out[count] = lowest_bit(left)
        left &= left - ONE
        count += 1
    return count


@kernel
def list_moves(counts, own, other, out):
    """Writes the moves of the set `own` into `out`, each with its goal above it (`move_in`, `goal_in`); returns how many.

    What is not legal is written over by the next one: two of three are not, and jumps would take most of the time.
    The array needs room for all 8 directions of every piece.
    """
    left = own
    count = 0
    while left != ZERO:
        square = lowest_bit(left)
        left &= left - ONE
        for direction in range(8):
            target = goal(counts, square, direction)
            out[count] = (target << GOAL_SHIFT) | (8 * square + direction)
            count += 1 if is_free(own, other, square, target, direction) else 0
    return count


@kernel
def move_in(entry):
    return np.int64(entry) & MOVE_MASK


@kernel
def goal_in(entry):
    return np.int64(entry) >> GOAL_SHIFT


@kernel
def can_move(counts, own, other):
    """Whether a piece of the set `own` has a legal move."""
    left = own
    while left != ZERO:
        square = lowest_bit(left)
        left &= left - ONE
        for direction in range(8):
            if reach(counts, own, other, square, direction) >= 0:
                return True
    return False


@kernel
def add_to_lines(counts, square, change):
    """One piece more or less on the four lines of a square."""
    for kind in range(4):
        counts[LINE_OF[square, kind]] += change

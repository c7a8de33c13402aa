"""Mobility of both sides at once, from tables of whole lines.

How far a piece goes depends on its line alone, and so does what its moves there are worth. A line of 8 squares is a number in
base 3 (0 empty, 1 Black, 2 White), and a table holds the worth of Black's moves on it less that of White's. If the row r
of the board is turned round by r squares, a diagonal becomes a column, together with the one that has the squares it
lacks: so 8 rows, 8 columns and twice 8 pairs of diagonals are all lines, 32 look-ups in place of 192 moves.

The worth of a move: 1; twice that if it captures; half if it ends on the edge of the board; half again if it runs along it.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel

QUARTERS = 4  # worths are counted in quarters
ALONG_EDGE = 8  # the table of the lines on the edge; table n is that of a line of n + 1 squares and one of the 7 - n others


def _worths(length: int, along_edge: bool) -> np.ndarray:
    """For each configuration of a line, the worth of Black's moves less that of White's, in quarters."""
    digits = np.array([np.arange(3**length) // 3**i % 3 for i in range(length)])
    pieces = (digits > 0).sum(0)
    total = np.zeros(3**length, np.int64)
    for mover, sign in ((1, 1), (2, -1)):
        for origin in range(length):
            for target in range(length):
                inner = digits[min(origin, target) + 1 : max(origin, target)]
                goes = (pieces == abs(target - origin)) & (digits[origin] == mover) & (digits[target] != mover)
                goes &= (inner != 3 - mover).all(0)
                worth = 1 if along_edge else 2 if target in (0, length - 1) else 4
                total += sign * worth * goes * np.where(digits[target] > 0, 2, 1)
    return total


def _tables() -> np.ndarray:
    alone = [np.zeros(1, np.int64)] + [_worths(length, False) for length in range(1, 9)]
    pairs = [(alone[8 - first][:, None] + alone[first][None, :]).ravel() for first in range(1, 9)]
    return np.array([*pairs, _worths(8, True)], np.int16)


WORTH = _tables()
TERNARY = np.array([sum((byte >> i & 1) * 3**i for i in range(8)) for byte in range(256)], np.int16)
ROW_TABLE = np.array([ALONG_EDGE, *[7] * 6, ALONG_EDGE], np.int64)  # which table serves a row, or a column

BYTE = np.uint64(255)
U1, U2, U4, U6, U7, U8 = (np.uint64(n) for n in (1, 2, 4, 6, 7, 8))
U14, U28 = np.uint64(14), np.uint64(28)
_SWAP_1, _SWAP_2, _SWAP_4 = np.uint64(0x00AA00AA00AA00AA), np.uint64(0x0000CCCC0000CCCC), np.uint64(0x00000000F0F0F0F0)
# The rows whose number has bit 0, 1, 2; and the low 7, 6, 4 columns.
_ROWS_1, _ROWS_2, _ROWS_4 = np.uint64(0xFF00FF00FF00FF00), np.uint64(0xFFFF0000FFFF0000), np.uint64(0xFFFFFFFF00000000)
_LOW_7, _LOW_6, _LOW_4 = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x3F3F3F3F3F3F3F3F), np.uint64(0x0F0F0F0F0F0F0F0F)
_LOW_1, _LOW_2 = np.uint64(0x0101010101010101), np.uint64(0x0303030303030303)


@kernel
def transposed(pieces):
    """Rows and columns exchanged: bits, then pairs, then blocks of four are swapped across the diagonal."""
    x = pieces
    swap = (x ^ (x >> U7)) & _SWAP_1
    x ^= swap ^ (swap << U7)
    swap = (x ^ (x >> U14)) & _SWAP_2
    x ^= swap ^ (swap << U14)
    swap = (x ^ (x >> U28)) & _SWAP_4
    return x ^ swap ^ (swap << U28)


@kernel
def turned_left(pieces):
    """Row r turned round by r squares to the left: the diagonals that rise to the right stand upright."""
    x = pieces
    x ^= (x ^ (((x >> U1) & _LOW_7) | ((x & _LOW_1) << U7))) & _ROWS_1
    x ^= (x ^ (((x >> U2) & _LOW_6) | ((x & _LOW_2) << U6))) & _ROWS_2
    return x ^ ((x ^ (((x >> U4) & _LOW_4) | ((x & _LOW_4) << U4))) & _ROWS_4)


@kernel
def turned_right(pieces):
    """Row r turned round by r squares to the right: the diagonals that fall to the right stand upright."""
    x = pieces
    x ^= (x ^ (((x & _LOW_7) << U1) | ((x >> U7) & _LOW_1))) & _ROWS_1
    x ^= (x ^ (((x & _LOW_6) << U2) | ((x >> U6) & _LOW_2))) & _ROWS_2
    return x ^ ((x ^ (((x >> U4) & _LOW_4) | ((x & _LOW_4) << U4))) & _ROWS_4)


@kernel
def worth_of(table, blacks, whites, shift):
    """The worth of the line that stands in the byte at `shift` of both sets."""
    return np.int64(WORTH[table, TERNARY[(blacks >> shift) & BYTE] + 2 * TERNARY[(whites >> shift) & BYTE]])


@kernel
def mobility(blacks, whites):
    """The worth of all moves that Black has, were it his turn, less that of White's."""
    columns_b, columns_w = transposed(blacks), transposed(whites)
    rising_b, rising_w = transposed(turned_left(blacks)), transposed(turned_left(whites))
    falling_b, falling_w = transposed(turned_right(blacks)), transposed(turned_right(whites))
    total = 0
    for line in range(8):
        shift = np.uint64(8 * line)
        total += worth_of(ROW_TABLE[line], blacks, whites, shift) + worth_of(ROW_TABLE[line], columns_b, columns_w, shift)
        total += worth_of(7 - line, rising_b, rising_w, shift) + worth_of(line, falling_b, falling_w, shift)
    return total / QUARTERS

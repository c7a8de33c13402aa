"""What is known of a move before any game is played with it: features whose strengths are multiplied (learn/minorization.py).

One feature of each family, from the point of view of the player to move, the same in the half turn of the board:
    shape   the 12 cells around the move, or the 6, if these 12 were seen too rarely
    reply   the 12 cells, and which of them is the opponent's last move
    large   the 18 cells: the 12 and those two steps straight ahead
    last    where the opponent's last move is, up to five steps away; farther off, how far
    edges   how far the nearer own edge and the nearer edge of the opponent are, and whether the corner between is an obtuse one
Shapes, replies and large shapes are known by a key. All keys are different, so that one table serves for all three.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.knowledge.hex.geometry import BORDER, OFFSETS, OPPOSITE, RING, STEPS
from tesuji.knowledge.hex.patterns.codes import REFLECTED, TURNED, reflected, six_of, turned

REACH = 5  # steps to the last move that are told apart by direction
FARTHEST = 12
LAST_CLASSES = (REACH + 1) * (2 * REACH + 1) + FARTHEST - REACH + 1  # the last of them: there is no last move
NO_LAST = LAST_CLASSES - 1
LINES = 7  # lines from an edge that are told apart
EDGE_FEATURES = 2 * LINES * LINES

NO_KEY = np.uint64(0)
REPLY_SHIFT, OUTER_SHIFT = np.uint64(32), np.uint64(40)
LOCAL = np.uint64(1 << 59)  # marks a shape near the last move, for players that tell such apart in another way (priors.py)
LARGE = np.uint64(1 << 60)
SHAPE = np.uint64(1 << 61)  # so that no key is 0


def _cell_numbers() -> np.ndarray:
    """By row and column from -2 to 2: which cell of a pattern lies there; -1 if none does."""
    numbers = np.full((5, 5), -1, np.int64)
    for cell, (column, row) in enumerate(OFFSETS):
        numbers[row + 2, column + 2] = cell
    return numbers


CELL_AT = _cell_numbers()
REFLECTED_CELL = np.array([OFFSETS.index((row, column)) for column, row in OFFSETS], np.int64)


@kernel
def outer_ring(colours, place):
    """The six cells two steps straight ahead, two bits each. What lies beyond the border counts as empty: the edge class
    of the move says so."""
    bits = np.uint32(0)
    for i in range(RING):
        colour = np.uint32(colours[place + 2 * STEPS[i]])
        if colour < BORDER:
            bits |= colour << np.uint32(2 * i)
    return bits


@kernel
def keys_of(code, outer, cell, player):
    """The keys (shape, its six cells, reply, large) of a move. `cell` is the number of the last move in its pattern, -1 if it
    is not there: the key of the reply is NO_KEY then.
    """
    if player == 1:
        code = reflected(code)
        outer = REFLECTED[0, outer]
        cell = REFLECTED_CELL[cell] if cell >= 0 else cell
    half = turned(code)
    outer_half = TURNED[0, outer]
    if half < code:
        code = half
        outer = outer_half
        cell = OPPOSITE[cell] if cell >= 0 else cell
    elif half == code:
        outer = min(outer, outer_half)
        cell = min(cell, OPPOSITE[cell]) if cell >= 0 else cell
    six = six_of(code)
    shape = np.uint64(code) | SHAPE
    reply = shape | np.uint64(cell + 1) << REPLY_SHIFT if cell >= 0 else NO_KEY
    large = np.uint64(code) | np.uint64(outer) << OUTER_SHIFT | LARGE
    return shape, np.uint64(min(six, turned(six))) | SHAPE, reply, large


@kernel
def cell_of(columns, rows):
    """The number of the cell of a pattern that is so many columns and rows away from its middle; -1 if it has none there."""
    if abs(columns) > 2 or abs(rows) > 2:
        return np.int64(-1)
    return CELL_AT[rows + 2, columns + 2]


@kernel
def last_class(columns, rows, player):
    """The feature of the family `last`, if the last move is so many columns and rows away."""
    across, down = (columns, rows) if player == 0 else (rows, columns)
    if down < 0 or (down == 0 and across < 0):
        across, down = -across, -down
    steps = max(abs(across), abs(down), abs(across + down))
    if steps <= REACH:
        return down * (2 * REACH + 1) + across + REACH
    return (REACH + 1) * (2 * REACH + 1) + min(steps, FARTHEST) - REACH - 1


@kernel
def edge_feature(column, row, width, height, player):
    """The feature of the family `edges`."""
    across, down = min(column, width - 1 - column), min(row, height - 1 - row)
    own, other = (down, across) if player == 0 else (across, down)
    obtuse = (2 * column - width + 1) * (2 * row - height + 1) < 0
    return 2 * (min(own, LINES - 1) * LINES + min(other, LINES - 1)) + (1 if obtuse else 0)

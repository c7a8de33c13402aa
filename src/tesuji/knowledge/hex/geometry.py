"""The board of Hex as all of its knowledge sees it: places with a margin around them, neighbours, colours, moves.

A move is the number of a cell, row by row. A *place* is the number of a cell on a board with a margin of two cells around it,
so that whatever lies within two steps of a cell has a place too. A border is as good as stones of its owner.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.picture.board import Point
from tesuji.games.hex.state import LARGEST

MARGIN = 2
STRIDE = 32  # places a row: the row of a place is place >> ROW_SHIFT
ROW_SHIFT = 5
PLACES = STRIDE * (LARGEST + 2 * MARGIN)
COLUMN_MASK = STRIDE - 1

# Columns and rows to the cells around a cell, numbered as in MoHex: 0 to 5 its neighbours N, NE, W, E, SW, S, 6 to 11 the cells
# a bridge away, each reached between two neighbours.
OFFSETS = ((0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, -2), (2, -1), (-1, -1), (1, 1), (-2, 1), (-1, 2))
RING, CELLS = 6, 12
CLOCKWISE = np.array([0, 1, 3, 5, 4, 2], np.int64)  # the six neighbours, each next to the one before
STEPS = np.array([row * STRIDE + column for column, row in OFFSETS], np.int64)
RING_STEPS = STEPS[:RING]
OPPOSITE = np.array([OFFSETS.index((-column, -row)) for column, row in OFFSETS], np.int64)
# Columns and rows to the six neighbours, the other way round: E, NE, N, and then those opposite.
ACROSS, DOWN = (np.array([OFFSETS[i][axis] for i in (3, 1, 0, 2, 4, 5)], np.int64) for axis in range(2))

# Colours of places: a player's is 1 + its number, its border's that + BORDER.
EMPTY, BLACK_STONE, WHITE_STONE, BORDER = 0, 1, 2, 4
ONE = np.uint32(1)


# -- places and moves --------------------------------------------------------------------------------------------------------
@kernel
def place_of(column, row):
    return (row + MARGIN) * STRIDE + column + MARGIN


@kernel
def place_of_move(move, width):
    return place_of(move % width, move // width)


@kernel
def move_of_place(place, width):
    """The move that puts a stone on this place."""
    return ((place >> ROW_SHIFT) - MARGIN) * width + (place & COLUMN_MASK) - MARGIN


def cell_of_place(place: int) -> Point:
    return (place & COLUMN_MASK) - MARGIN, (place >> ROW_SHIFT) - MARGIN


# -- colours -----------------------------------------------------------------------------------------------------------------
@kernel
def colour_of(state, column, row):
    """The colour of a cell in a position."""
    stones = state["stones"]
    return np.int64(stones[0, row] >> np.uint32(column) & ONE) + 2 * np.int64(stones[1, row] >> np.uint32(column) & ONE)


@kernel
def colour_empty_board(colours, height):
    """The colours of all places of a board without stones. Black's border is above and below, with all four corners."""
    for place in range(PLACES):
        row = (place >> ROW_SHIFT) - MARGIN
        colours[place] = BORDER + (WHITE_STONE if 0 <= row < height else BLACK_STONE)


@kernel
def colour_position(colours, state):
    """The colours of all places in a position."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    stones = state["stones"]
    colour_empty_board(colours, height)
    for row in range(height):
        black, white = np.int64(stones[0, row]), np.int64(stones[1, row])
        for column in range(width):
            colours[place_of(column, row)] = (black >> column & 1) + 2 * (white >> column & 1)

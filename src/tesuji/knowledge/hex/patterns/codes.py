"""Patterns of Hex (Huang et al. 2013, section 4.3): the 12 cells around a move, as a number instead of a hash.

The cells are the six neighbours and the six that are a bridge away, numbered as in geometry.py. Which of them lie beyond the
border depends on the move's cell alone, so a pattern is the edge class of that cell and 12 times 2 bits (0 empty, 1 Black, 2
White): 31 bits, of which a new stone changes two in each of the 12 cells around it. The 6-cell pattern is made of the first six
cells and a coarser edge class; a flag bit tells the two apart.

Black joins top and bottom, so a pattern stays the same in the half turn of the board, and with colours exchanged in the
reflection that exchanges columns and rows. In no other symmetry: a ladder must know whose edge it runs into.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.knowledge.hex.geometry import CELLS, EMPTY, OFFSETS, OPPOSITE, PLACES, RING, STEPS, colour_empty_board, place_of

# A stone changes, in the pattern of the cell at STEPS[i] from it, the cell on the other side: what a stone of each player adds.
STONE_BITS = np.array([[(player + 1) << 2 * int(cell) for cell in OPPOSITE] for player in range(2)], np.uint32)

CLASS_SHIFT = 24
EDGE_CLASSES = 81
RING_BITS = 12
RING_CONTENT = np.uint32((1 << RING_BITS) - 1)
SIX = np.uint32(1 << 31)  # the flag of 6-cell patterns
U0, U12, U24 = np.uint32(0), np.uint32(RING_BITS), np.uint32(CLASS_SHIFT)

BOARD_FIELDS = (("codes", np.uint32, (PLACES,)), ("colours", np.uint8, (PLACES,)))


# -- edge classes -----------------------------------------------------------------------------------------------------------
# By how far the four edges are, as far as that matters: 0, 1, or 2 and more. Numbered 9 * zone of the column + zone of the row,
# a zone being 3 * distance to the near end (left, top) + distance to the far end (right, bottom).
def edge_distances(edge_class: int) -> tuple[int, int, int, int]:
    """How far the edges are from a cell of this class: (left, right, top, bottom)."""
    column, row = divmod(edge_class, 9)
    return *divmod(column, 3), *divmod(row, 3)


def _class_of(left: int, right: int, top: int, bottom: int) -> int:
    return 9 * (3 * left + right) + 3 * top + bottom


def _edge_table(turn) -> np.ndarray:
    return np.array([_class_of(*turn(*edge_distances(one))) for one in range(EDGE_CLASSES)], np.uint32)


def _coarse(distance: int) -> int:
    return 0 if distance == 0 else 2


TURNED_CLASS = _edge_table(lambda left, right, top, bottom: (right, left, bottom, top)) << U24
REFLECTED_CLASS = _edge_table(lambda left, right, top, bottom: (top, bottom, left, right)) << U24
# What the 6-cell pattern of a cell of each class has in place of the class: only whether it lies on an edge matters.
SIX_CLASS = (_edge_table(lambda *distances: tuple(_coarse(one) for one in distances)) << U24) | SIX


def is_outside(edge_class: int, cell: int) -> bool:
    """Whether that cell of the pattern of a move of this class lies beyond the border."""
    left, right, top, bottom = edge_distances(edge_class)
    column, row = OFFSETS[cell]
    return -column > left or column > right or -row > top or row > bottom


@kernel
def edge_class(column, row, width, height):
    across = 3 * min(column, 2) + min(width - 1 - column, 2)
    return 9 * across + 3 * min(row, 2) + min(height - 1 - row, 2)


# -- symmetries of codes -------------------------------------------------------------------------------------------------------
def _ring_table(first: int, image, colours: tuple[int, ...]) -> np.ndarray:
    """By the 12 bits of the six cells from `first` on: those of the image of each, with colours exchanged as said."""
    place = [OFFSETS.index(image(*OFFSETS[first + i])) - first for i in range(RING)]
    table = np.zeros(1 << RING_BITS, np.uint32)
    for bits in range(1 << RING_BITS):
        table[bits] = sum(colours[bits >> 2 * i & 3] << 2 * place[i] for i in range(RING))
    return table


TURNED = np.array([_ring_table(first, lambda x, y: (-x, -y), (0, 1, 2, 3)) for first in (0, RING)])
REFLECTED = np.array([_ring_table(first, lambda x, y: (y, x), (0, 2, 1, 3)) for first in (0, RING)])


@kernel
def turned(code):
    """The code of the pattern in the half turn of the board."""
    inner, outer = TURNED[0, code & RING_CONTENT], TURNED[1, code >> U12 & RING_CONTENT]
    return np.uint32(inner | outer << U12 | TURNED_CLASS[code >> U24 & np.uint32(127)] | code & SIX)


@kernel
def reflected(code):
    """The code of the pattern with colours, columns and rows exchanged."""
    inner, outer = REFLECTED[0, code & RING_CONTENT], REFLECTED[1, code >> U12 & RING_CONTENT]
    return np.uint32(inner | outer << U12 | REFLECTED_CLASS[code >> U24 & np.uint32(127)] | code & SIX)


@kernel
def canonical(code, player):
    """The number of a pattern for the player to move: the same for its images, as Black to move sees them."""
    seen = code if player == 0 else reflected(code)
    return min(seen, turned(seen))


@kernel
def six_of(code):
    """The 6-cell pattern within a 12-cell pattern."""
    return np.uint32(code & RING_CONTENT | SIX_CLASS[code >> U24])


# -- the board -----------------------------------------------------------------------------------------------------------------
@kernel
def empty_board(board, width, height):
    """A board without stones: the patterns of all cells."""
    codes = board["codes"]
    colours = board["colours"]
    colour_empty_board(colours, height)
    for place in range(PLACES):
        codes[place] = U0
    for row in range(height):
        for column in range(width):
            place = place_of(column, row)
            codes[place] = np.uint32(edge_class(column, row, width, height) << CLASS_SHIFT)
            colours[place] = EMPTY


@kernel
def put_stone(board, place, player):
    """Adds a stone to the patterns of the cells around it."""
    codes = board["codes"]
    colours = board["colours"]
    colours[place] = player + 1
    for i in range(CELLS):
        codes[place + STEPS[i]] |= STONE_BITS[player, i]


@kernel
def put_stones(board, state):
    """Adds all stones of a position."""
    stones = state["stones"]
    for row in range(np.int64(state["height"])):
        black = np.int64(stones[0, row])
        taken = black | np.int64(stones[1, row])
        place = place_of(0, row)
        while taken != 0:
            if taken & 1 != 0:
                put_stone(board, place, 1 - (black & 1))
            taken >>= 1
            black >>= 1
            place += 1


@kernel
def see_position(board, state):
    """The board of a position."""
    empty_board(board, np.int64(state["width"]), np.int64(state["height"]))
    put_stones(board, state)

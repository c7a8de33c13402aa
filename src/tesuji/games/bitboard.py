"""Sets of cells of a rectangular board of up to 10x10 as two 64-bit words.

Cell (row r, column c) is bit r * (columns + 1) + c: the bit between two rows belongs to no cell, so that a set that is shifted
along its rows, its columns or its diagonals and cut to the board never wraps around. As a move, a cell has the number
r * columns + c. In a record a set is a field of two words; kernels pass it as two numbers, `low` and `high`.

Games of two sets of stones have the fields of `FIELDS`, and `TWO_SETS` has what they share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import kernel, operation_with_default
from tesuji.core.hashing import mixed, random_words, reversed_bits, xored_by_bits
from tesuji.core.numba.bits import bit_count, lowest_bit
from tesuji.core.symmetry import RECTANGLE, SQUARE, cell_image
from tesuji.games import common

LARGEST = 10  # rows, and columns
MOST_CELLS = LARGEST * LARGEST
ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(64)
WORD_BITS = 64
ALL_BITS = (1 << WORD_BITS) - 1

# By row and by the bits of a row: the random words of its cells, xored; and the same with rows and columns exchanged.
_CELL = np.array(random_words(MOST_CELLS, 0xB0A2D), np.uint64).reshape(LARGEST, LARGEST)
ROW_KEYS = xored_by_bits(_CELL)
TURNED_ROW_KEYS = xored_by_bits(_CELL.T)
REVERSED = reversed_bits(LARGEST)


FIELDS = [
    ("stones", np.uint64, (2, 2)),  # of each player
    ("columns", np.int32),
    ("rows", np.int32),
    ("to_play", np.int32),
]
CELLS = ("cells", np.uint64, (2,))  # all cells of the board


def empty_board(kind: np.dtype, columns: int, rows: int) -> Any:
    """A record with the size of its board, and its cells if it has a field for them."""
    start = np.zeros(1, kind)[0]
    start["columns"], start["rows"] = columns, rows
    if "cells" in (kind.names or ()):
        set_words(start["cells"], board_bits(columns, rows))
    return start


def holder_of(columns: int, field: str = "stones") -> Callable[[Any, int], int | None]:
    """Whose a cell is, for a `Grid`."""
    return lambda state, cell: next((player for player in (0, 1) if has_cell(state[field][player], cell, columns)), None)


def set_words(words: Any, bits: int) -> None:
    """Writes a set, given as a Python integer, into a field of a record."""
    words[0] = bits & ALL_BITS
    words[1] = bits >> WORD_BITS


def board_bits(columns: int, rows: int) -> int:
    """All cells of a board, as a Python integer."""
    return sum((1 << columns) - 1 << row * (columns + 1) for row in range(rows))


def has_cell(words: Any, cell: int, columns: int) -> bool:
    """Whether a cell is in a set: for pictures and texts."""
    return bool((int(words[0]) | int(words[1]) << WORD_BITS) >> cell + cell // columns & 1)


# -- bits and cells ----------------------------------------------------------------------------------------------------------
@kernel
def bit_of(cell, columns):
    return np.int64(cell) + np.int64(np.int32(cell) // np.int32(columns))


@kernel
def cell_of(bit, columns):
    return np.int64(bit) - np.int64(np.int32(bit) // np.int32(columns + 1))


@kernel
def set_of(bit):
    """The set of one bit."""
    return ONE << np.uint64(bit) if bit < WORD_BITS else ZERO, ONE << np.uint64(bit - WORD_BITS) if bit >= WORD_BITS else ZERO


@kernel
def holds(words, bit):
    return words[bit >> 6] >> np.uint64(bit & 63) & ONE != ZERO


@kernel
def add(words, bit):
    words[bit >> 6] |= ONE << np.uint64(bit & 63)


@kernel
def remove(words, bit):
    words[bit >> 6] &= ~(ONE << np.uint64(bit & 63))


# -- sets --------------------------------------------------------------------------------------------------------------------
@kernel
def raised(low, high, by):
    """Every bit moved up by 1 to 63."""
    return low << by, high << by | low >> (WORD - by)


@kernel
def lowered(low, high, by):
    return low >> by | high << (WORD - by), high >> by


@kernel
def size_of(low, high):
    return bit_count(low) + bit_count(high)


@kernel
def nth_bit(low, high, number):
    """The bit of this number, from 0, among those of the set."""
    word, first = low, 0
    inside = bit_count(low)
    if number >= inside:
        word, first = high, WORD_BITS
        number -= inside
    for _ in range(number):
        word &= word - ONE
    return first + lowest_bit(word)


@kernel
def write_cells(low, high, columns, factor, offset, out, count):
    """Writes factor * cell + offset for every cell of the set into `out` from `count` on; returns the new count."""
    word, first = low, 0
    for _ in range(2):
        while word != ZERO:
            out[count] = factor * cell_of(first + lowest_bit(word), columns) + offset
            count += 1
            word &= word - ONE
        word, first = high, WORD_BITS
    return count


@kernel
def pairs_along(low, high, step):
    """How many pairs of a cell and the one `step` bits above it fit into the set, and the lower cell of each pair."""
    step = np.uint64(step)
    count = 0
    first_low, first_high = ZERO, ZERO
    up_low, up_high = lowered(low, high, step)
    low_pairs, high_pairs = low & up_low, high & up_high  # the pairs that are left
    while low_pairs | high_pairs != ZERO:
        bit_low, bit_high = low_pairs & (ZERO - low_pairs), ZERO
        if bit_low == ZERO:
            bit_high = high_pairs & (ZERO - high_pairs)
        count += 1
        first_low |= bit_low
        first_high |= bit_high
        next_low, next_high = raised(bit_low, bit_high, step)
        low_pairs &= ~(bit_low | next_low)
        high_pairs &= ~(bit_high | next_high)
    return count, first_low, first_high


# -- images ------------------------------------------------------------------------------------------------------------------
@kernel
def write_image(words, rows, columns, number, out):
    """Writes the image of a set, by a symmetry of `cell_image`, into `out`."""
    out_low, out_high = ZERO, ZERO
    word, first = words[0], 0
    for _ in range(2):
        while word != ZERO:
            bit = first + lowest_bit(word)
            row = bit // (columns + 1)
            row, column = cell_image(row, bit - row * (columns + 1), rows - 1, columns - 1, number)
            bit = row * (columns + 1) + column
            if bit < WORD_BITS:
                out_low |= ONE << np.uint64(bit)
            else:
                out_high |= ONE << np.uint64(bit - WORD_BITS)
            word &= word - ONE
        word, first = words[1], WORD_BITS
    out[0] = out_low
    out[1] = out_high


@kernel
def image_keys(words, rows, columns):
    """A key of each image of a set, by the number of its symmetry: made row by row from tables, without the images."""
    low, high = words[0], words[1]
    step = np.uint64(columns + 1)
    row_bits = (ONE << np.uint64(columns)) - ONE
    last = rows - 1
    plain, mirrored, upside_down, both = ZERO, ZERO, ZERO, ZERO
    turned, turned_mirrored, turned_upside_down, turned_both = ZERO, ZERO, ZERO, ZERO
    for row in range(rows):
        bits = np.int64(low & row_bits)
        low, high = lowered(low, high, step)
        back = REVERSED[bits] >> (LARGEST - columns)
        plain ^= ROW_KEYS[row, bits]
        mirrored ^= ROW_KEYS[row, back]
        upside_down ^= ROW_KEYS[last - row, bits]
        both ^= ROW_KEYS[last - row, back]
        turned ^= TURNED_ROW_KEYS[row, bits]
        turned_mirrored ^= TURNED_ROW_KEYS[row, back]
        turned_upside_down ^= TURNED_ROW_KEYS[last - row, bits]
        turned_both ^= TURNED_ROW_KEYS[last - row, back]
    return plain, mirrored, upside_down, both, turned, turned_mirrored, turned_upside_down, turned_both


@kernel
def hash_of_sets(one, other, word):
    """The hash of two sets and of a word for all else."""
    return mixed(mixed(mixed(mixed(mixed(ZERO, word), one[0]), one[1]), other[0]), other[1])


@kernel
def least_hash(one, other, rows, columns, images, word):
    """A hash that two sets share with their images: the least of those of the first 1, 2, 4 or 8 symmetries."""
    keys, other_keys = image_keys(one, rows, columns), image_keys(other, rows, columns)
    rest = mixed(ZERO, word)
    least = mixed(mixed(rest, keys[0]), other_keys[0])
    for number in range(1, images):
        least = min(least, mixed(mixed(rest, keys[number]), other_keys[number]))
    return least


# -- games of two sets of stones ---------------------------------------------------------------------------------------------
@operation_with_default
def rest_of(state):
    """A word for all of a position that its two sets do not say."""
    return np.uint64(state["to_play"])


def position_hash(state):
    stones = state["stones"]
    return hash_of_sets(stones[0], stones[1], rest_of(state))


@kernel
def write_images(state, number, out):
    """The image of both sets."""
    stones, images = state["stones"], out["stones"]
    for player in range(2):
        write_image(stones[player], np.int64(state["rows"]), np.int64(state["columns"]), number, images[player])


def symmetric_hash(state, _image_buffer):
    stones, rows, columns = state["stones"], np.int64(state["rows"]), np.int64(state["columns"])
    return least_hash(stones[0], stones[1], rows, columns, rules.symmetries(state), rest_of(state))


def symmetries(state):
    return SQUARE if state["columns"] == state["rows"] else RECTANGLE


def larger_set(state):
    stones = state["stones"]
    return size_of(stones[0, 0], stones[0, 1]) - size_of(stones[1, 0], stones[1, 1])


TWO_SETS = {
    rules.position_hash: position_hash,
    rules.symmetries: symmetries,
    rules.image: write_images,
    rules.symmetric_hash: symmetric_hash,
}
MAJORITY_WINS = {**common.TURNS, rules.is_over: common.is_over, rules.outcome: larger_set}


# -- what networks see -------------------------------------------------------------------------------------------------------
@kernel
def show_set(low, high, rows, columns, upside_down, planes, plane):
    """Writes 1 at every cell of a set into a plane, whose rows may be those of the board from the other side."""
    one = np.float32(1)
    word, first = low, 0
    for _ in range(2):
        while word != ZERO:
            bit = first + lowest_bit(word)
            row = bit // (columns + 1)
            planes[rows - 1 - row if upside_down else row, bit - row * (columns + 1), plane] = one
            word &= word - ONE
        word, first = high, WORD_BITS


@kernel
def show_stones(state, upside_down, planes):
    """The first plane has the stones of the player to move, the second those of the other."""
    stones, rows, columns = state["stones"], np.int64(state["rows"]), np.int64(state["columns"])
    for side in range(2):
        own = stones[state["to_play"] ^ side]
        show_set(own[0], own[1], rows, columns, upside_down, planes, side)

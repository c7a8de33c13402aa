"""Dots and boxes: draw an edge between two neighbouring dots; who draws the fourth side of a box owns it and moves again."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, kernel
from tesuji.core.hashing import mixed, random_words, reversed_bits, xored_by_bits
from tesuji.core.symmetry import RECTANGLE, SQUARE, cell_image
from tesuji.games.dotsandboxes.state import ONE, STATE, ZERO

BESIDE = np.uint64(3)  # the vertical edges on both sides of a box, shifted to the left one
U8 = np.uint64(8)

# For hashes of all images of a position at once: a random word for each edge, horizontal or vertical, by row and column; the
# words of the edges of one line, xored, by the bits of the line; and the same for the edges with rows and columns exchanged.
_EDGE = np.array(random_words(2 * 8 * 8, 0xB0C5), np.uint64).reshape(2, 8, 8)

LINE_KEYS = xored_by_bits(_EDGE)
TURNED_LINE_KEYS = xored_by_bits(_EDGE[::-1].transpose(0, 2, 1))
REVERSED = reversed_bits(8)


@kernel
def is_closed(across, down, box, row, columns):
    """Whether all four sides of a box are drawn: `across` and `down` are the horizontal and vertical edges."""
    above_and_below = (ONE << np.uint64(box)) | (ONE << np.uint64(box + columns))
    beside = BESIDE << np.uint64(box + row)
    return across & above_and_below == above_and_below and down & beside == beside


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    drawn = state["drawn"]
    horizontals = state["horizontals"]
    across, down = ~drawn[0], ~drawn[1]  # the open edges
    count = 0
    for edge in range(horizontals):
        out[count] = edge  # written over by the next one if this edge is drawn
        count += np.int64(across & ONE)
        across >>= ONE
    for edge in range(horizontals, state["edges"]):
        out[count] = edge
        count += np.int64(down & ONE)
        down >>= ONE
    return count


@implements(rules.play, STATE)
def play(state, move):
    drawn = state["drawn"]
    owned = state["owned"]
    columns = state["columns"]
    horizontals = state["horizontals"]
    player = state["to_play"]
    closed = ZERO
    if move < horizontals:
        across, down = drawn[0] | (ONE << np.uint64(move)), drawn[1]
        drawn[0] = across
        row = move // columns
        below, above = move, move - columns
        if row < state["rows"] and is_closed(across, down, below, row, columns):
            closed |= ONE << np.uint64(below)
        if row > 0 and is_closed(across, down, above, row - 1, columns):
            closed |= ONE << np.uint64(above)
    else:
        edge = move - horizontals
        across, down = drawn[0], drawn[1] | (ONE << np.uint64(edge))
        drawn[1] = down
        row = edge // (columns + 1)
        right, column = edge - row, edge - row * (columns + 1)
        if column < columns and is_closed(across, down, right, row, columns):
            closed |= ONE << np.uint64(right)
        if column > 0 and is_closed(across, down, right - 1, row, columns):
            closed |= ONE << np.uint64(right - 1)
    if closed == ZERO:
        state["to_play"] = 1 - player
        return
    owned[player] |= closed
    boxes = 1 if closed & (closed - ONE) == ZERO else 2
    state["left"] -= boxes
    state["difference"] += boxes if player == 0 else -boxes


@implements(rules.is_over, STATE)
def is_over(state):
    return state["left"] == 0


@implements(rules.outcome, STATE)
def outcome(state):
    return state["difference"]


@implements(rules.bounds, STATE)
def bounds(state, _lowest, _highest):
    """Each player may still get every open box."""
    return state["difference"] - state["left"], state["difference"] + state["left"]


@implements(rules.position_hash, STATE)
def position_hash(state):
    """The edges, the difference so far and the side to move; which boxes are whose does not matter beyond the difference."""
    drawn = state["drawn"]
    key = ZERO
    for direction in range(2):
        width = np.int64(state["columns"]) + direction
        edges = drawn[direction]
        for line in range(np.int64(state["rows"]) + 1 - direction):
            key ^= LINE_KEYS[direction, line, np.int64(edges) & ((1 << width) - 1)]
            edges >>= np.uint64(width)
    return mixed(mixed(ONE, standing(state)), key)


@kernel
def standing(state):
    """The difference so far and the side to move."""
    return np.uint64(state["difference"] + state["rows"] * state["columns"]) << U8 | np.uint64(state["to_play"])


# -- symmetries --------------------------------------------------------------------------------------------------------------
@implements(rules.symmetries, STATE)
def symmetries(state):
    return SQUARE if state["rows"] == state["columns"] else RECTANGLE


@kernel
def turned_cells(cells, rows, columns, number):
    """The image of a set of cells that are numbered row by row."""
    turned_columns = rows if number & 4 != 0 else columns
    image_cells = ZERO
    cell = 0
    while cells != ZERO:
        if cells & ONE != ZERO:
            row, column = cell_image(cell // columns, cell % columns, rows - 1, columns - 1, number)
            image_cells |= ONE << np.uint64(row * turned_columns + column)
        cells >>= ONE
        cell += 1
    return image_cells


@implements(rules.image, STATE)
def image(state, number, out):
    rows = np.int64(state["rows"])
    columns = np.int64(state["columns"])
    drawn, owned = state["drawn"], state["owned"]
    across = turned_cells(drawn[0], rows + 1, columns, number)
    down = turned_cells(drawn[1], rows, columns + 1, number)
    edges, boxes = out["drawn"], out["owned"]
    edges[0], edges[1] = (down, across) if number & 4 != 0 else (across, down)
    for player in range(2):
        boxes[player] = turned_cells(owned[player], rows, columns, number)


@implements(rules.canonical, STATE)
def canonical(state, out):
    """Whose the boxes are is forgotten: the difference counts."""
    owned = out["owned"]
    owned[0] = ZERO
    owned[1] = ZERO


@implements(rules.symmetric_hash, STATE)
def symmetric_hash(state, _image_buffer):
    """The hash of the image with the least key; the keys of all are made line by line from tables, without the images."""
    drawn = state["drawn"]
    is_square = state["rows"] == state["columns"]
    plain, mirrored, upside_down, both = ZERO, ZERO, ZERO, ZERO
    turned_plain, turned_mirrored, turned_upside_down, turned_both = ZERO, ZERO, ZERO, ZERO
    for direction in range(2):
        width = np.int64(state["columns"]) + direction
        last = np.int64(state["rows"]) - direction
        edges = drawn[direction]
        for line in range(last + 1):
            bits = np.int64(edges) & ((1 << width) - 1)
            edges >>= np.uint64(width)
            back = REVERSED[bits] >> (8 - width)
            plain ^= LINE_KEYS[direction, line, bits]
            mirrored ^= LINE_KEYS[direction, line, back]
            upside_down ^= LINE_KEYS[direction, last - line, bits]
            both ^= LINE_KEYS[direction, last - line, back]
            if is_square:
                turned_plain ^= TURNED_LINE_KEYS[direction, line, bits]
                turned_mirrored ^= TURNED_LINE_KEYS[direction, line, back]
                turned_upside_down ^= TURNED_LINE_KEYS[direction, last - line, bits]
                turned_both ^= TURNED_LINE_KEYS[direction, last - line, back]
    least = min(min(plain, mirrored), min(upside_down, both))
    if is_square:
        least = min(least, min(min(turned_plain, turned_mirrored), min(turned_upside_down, turned_both)))
    return mixed(mixed(ONE, standing(state)), least)

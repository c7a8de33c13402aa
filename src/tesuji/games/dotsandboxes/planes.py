"""What a network sees of dots and boxes: a board of 2 rows + 1 by 2 columns + 1 points, so that dots, edges and boxes have a
point each. Dots have even rows and even columns, boxes odd ones; an edge lies between two dots. Whose the closed boxes are does
not matter, only by how many the player to move is ahead.
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements
from tesuji.core.encoding import Encoding
from tesuji.core.symmetry import RECTANGLE, SQUARE
from tesuji.games.dotsandboxes.rules import is_closed
from tesuji.games.dotsandboxes.state import ONE, STATE, ZERO

DRAWN, OPEN, OPEN_BOX, LEAD, BOARD = 0, 1, 2, 3, 4
NAMES = ("drawn edges", "open edges", "open boxes", "lead", "board")


def encoding(rows: int, columns: int) -> Encoding:
    return Encoding(2 * rows + 1, 2 * columns + 1, NAMES, turns=tuple(range(SQUARE if rows == columns else RECTANGLE)))


@implements(rules.planes, STATE)
def planes(state, planes):
    drawn = state["drawn"]
    across, down = drawn[0], drawn[1]
    rows, columns = np.int64(state["rows"]), np.int64(state["columns"])
    difference = np.int64(state["difference"])
    lead = difference if state["to_play"] == 0 else -difference
    share = np.float32(0.5 + lead / (2.0 * rows * columns))
    one = np.float32(1)
    for row in range(2 * rows + 1):
        for column in range(2 * columns + 1):
            planes[row, column, BOARD] = one
            planes[row, column, LEAD] = share
            line, place_in_line = row >> 1, column >> 1
            if row & 1 == 0 and column & 1 != 0:
                is_drawn = across >> np.uint64(line * columns + place_in_line) & ONE != ZERO
                planes[row, column, DRAWN if is_drawn else OPEN] = one
            elif row & 1 != 0 and column & 1 == 0:
                is_drawn = down >> np.uint64(line * (columns + 1) + place_in_line) & ONE != ZERO
                planes[row, column, DRAWN if is_drawn else OPEN] = one
            elif row & 1 != 0 and not is_closed(across, down, line * columns + place_in_line, line, columns):
                planes[row, column, OPEN_BOX] = one


@implements(rules.place, STATE)
def place(state, move):
    columns, horizontals = np.int64(state["columns"]), np.int64(state["horizontals"])
    width = 2 * columns + 1
    if move < horizontals:
        return 2 * (move // columns) * width + 2 * (move % columns) + 1
    edge = move - horizontals
    return (2 * (edge // (columns + 1)) + 1) * width + 2 * (edge % (columns + 1))

"""The points of a position, as one colour sees it: chains and their captains, edges, and cells that a stone would capture."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.games.hex.state import BLACK
from tesuji.knowledge.hex.bitsets import store, with_point
from tesuji.knowledge.hex.connection_lists import ABSENT, CHAIN, EDGE, EMPTY_CELL, JOINED, enter_full

RING = 6
# The neighbours of a cell in circular order: to the right and on, so that two in a row are neighbours of each other.
ACROSS = np.array([1, 1, 0, -1, -1, 0], np.int64)
DOWN = np.array([0, -1, -1, 0, 1, 1], np.int64)
OWN, OPPONENT, FREE_CELLS = 0, 1, 2  # the sets of `occupied`
NO_CAPTAIN = -1
UNIT32 = np.uint32(1)
NONE32 = np.uint32(0)


@kernel
def cell_owner(state, column, row):
    """0 or 1 for a player's stone, 2 for an empty cell."""
    stones = state["stones"]
    if stones[0, row] >> np.uint32(column) & UNIT32 != NONE32:
        return 0
    if stones[1, row] >> np.uint32(column) & UNIT32 != NONE32:
        return 1
    return 2


@called_kernel
def read_position(known, state):
    """Fills `status`, `captain`, `captured` and `occupied`."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    cells = width * height
    status, captain = known.status, known.captain
    own, opponent, free = known.kind, known.kind, known.kind
    for row in range(height):
        for column in range(width):
            cell = row * width + column
            owner = cell_owner(state, column, row)
            if owner == 2:
                free = with_point(free, cell)
                status[cell] = EMPTY_CELL
                captain[cell] = cell
            else:
                status[cell] = ABSENT
                captain[cell] = NO_CAPTAIN
                if owner == known.colour:
                    own = with_point(own, cell)
                else:
                    opponent = with_point(opponent, cell)
    store(own, known.occupied, OWN)
    store(opponent, known.occupied, OPPONENT)
    store(free, known.occupied, FREE_CELLS)
    known.counts[JOINED] = 0
    for edge in range(2):
        status[cells + edge] = EDGE
        captain[cells + edge] = cells + edge
        store(known.kind, known.captured, cells + edge)
        side = (height if known.colour == BLACK else width) - 1 if edge == 1 else 0
        for place in range(width if known.colour == BLACK else height):
            column, row = (place, side) if known.colour == BLACK else (side, place)
            gather_chain(known, state, column, row, cells + edge)
    for cell in range(cells):
        if captain[cell] == NO_CAPTAIN and cell_owner(state, cell % width, cell // width) == known.colour:
            status[cell] = CHAIN
            gather_chain(known, state, cell % width, cell // width, cell)
    for cell in range(cells):
        store(known.kind, known.captured, cell)
        if status[cell] == EMPTY_CELL:
            find_captured(known, state, cell)


@kernel
def gather_chain(known, state, column, row, point):
    """Makes `point` the captain of the chain at this cell, if there is an own stone that has none yet."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    captain, stack = known.captain, known.stack
    if cell_owner(state, column, row) != known.colour:
        return
    cell = row * width + column
    if captain[cell] != NO_CAPTAIN:
        if captain[cell] >= width * height and captain[cell] != point:
            known.counts[JOINED] = 1  # from edge to edge
        return
    captain[cell] = point
    stack[0] = cell
    held = 1
    while held > 0:
        held -= 1
        cell = np.int64(stack[held])
        for direction in range(RING):
            c, r = cell % width + ACROSS[direction], cell // width + DOWN[direction]
            if 0 <= c < width and 0 <= r < height and cell_owner(state, c, r) == known.colour:
                near = r * width + c
                if captain[near] == NO_CAPTAIN:
                    captain[near] = point
                    stack[held] = near
                    held += 1


@kernel
def is_own_or_beyond(known, state, column, row):
    """Whether there is an own stone, or it is beyond an own edge."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    place, length = (row, height) if known.colour == BLACK else (column, width)
    if place < 0 or place >= length:
        return True
    if 0 <= column < width and 0 <= row < height:
        return cell_owner(state, column, row) == known.colour
    return False


@kernel
def find_captured(known, state, cell):
    """Two empty neighbours that rest on three own stones, in the first direction where there are such."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    column, row = cell % width, cell // width
    for direction in range(RING):
        turned = direction + 1 if direction + 1 < RING else 0
        c0, r0 = column + ACROSS[direction], row + DOWN[direction]
        c1, r1 = column + ACROSS[turned], row + DOWN[turned]
        if not (0 <= c0 < width and 0 <= r0 < height and 0 <= c1 < width and 0 <= r1 < height):
            continue
        if cell_owner(state, c0, r0) != 2 or cell_owner(state, c1, r1) != 2:
            continue
        if (
            is_own_or_beyond(known, state, c0 + ACROSS[direction], r0 + DOWN[direction])
            and is_own_or_beyond(known, state, c0 + ACROSS[turned], r0 + DOWN[turned])
            and is_own_or_beyond(known, state, c1 + ACROSS[turned], r1 + DOWN[turned])
        ):
            store(with_point(with_point(known.kind, r0 * width + c0), r1 * width + c1), known.captured, cell)
            return


@kernel
def add_neighbours(known, state):
    """Points that touch each other are connected, with an empty carrier."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    cells = width * height
    captain = known.captain
    for cell in range(cells):
        point = np.int64(captain[cell])
        if point == NO_CAPTAIN:
            continue
        column, row = cell % width, cell // width
        for direction in range(RING // 2):  # the other half is the other cell's
            c, r = column + ACROSS[direction], row + DOWN[direction]
            if 0 <= c < width and 0 <= r < height:
                other = np.int64(captain[r * width + c])
                if other != NO_CAPTAIN and other != point:
                    enter_full(known, point, other, known.kind)
        place, last = (row, height - 1) if known.colour == BLACK else (column, width - 1)
        for edge in range(2):
            if place == (last if edge == 1 else 0) and point != cells + edge:
                enter_full(known, point, cells + edge, known.kind)

"""The points of a position, as one colour sees it: chains and their captains, edges, and cells that a stone would capture."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.games.hex.state import BLACK
from tesuji.knowledge.hex.bitsets import store, with_point
from tesuji.knowledge.hex.connections.lists import ABSENT, CHAIN, EDGE, EMPTY_CELL, JOINED, enter_full
from tesuji.knowledge.hex.geometry import ACROSS, DOWN, EMPTY, RING, colour_of

OWN, OPPONENT, FREE_CELLS = 0, 1, 2  # the sets of `occupied`
NO_CAPTAIN = -1


@called_kernel
def read_position(connections, state):
    """Fills `status`, `captain`, `captured` and `occupied`."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    cells = width * height
    own_colour = connections.colour + 1
    status, captain = connections.status, connections.captain
    own, opponent, free = connections.kind, connections.kind, connections.kind
    for row in range(height):
        for column in range(width):
            cell = row * width + column
            colour = colour_of(state, column, row)
            if colour == EMPTY:
                free = with_point(free, cell)
                status[cell] = EMPTY_CELL
                captain[cell] = cell
            else:
                status[cell] = ABSENT
                captain[cell] = NO_CAPTAIN
                if colour == own_colour:
                    own = with_point(own, cell)
                else:
                    opponent = with_point(opponent, cell)
    store(own, connections.occupied, OWN)
    store(opponent, connections.occupied, OPPONENT)
    store(free, connections.occupied, FREE_CELLS)
    connections.counts[JOINED] = 0
    for edge in range(2):
        status[cells + edge] = EDGE
        captain[cells + edge] = cells + edge
        store(connections.kind, connections.captured, cells + edge)
        side = (height if connections.colour == BLACK else width) - 1 if edge == 1 else 0
        for place in range(width if connections.colour == BLACK else height):
            column, row = (place, side) if connections.colour == BLACK else (side, place)
            gather_chain(connections, state, column, row, cells + edge)
    for cell in range(cells):
        if captain[cell] == NO_CAPTAIN and colour_of(state, cell % width, cell // width) == own_colour:
            status[cell] = CHAIN
            gather_chain(connections, state, cell % width, cell // width, cell)
    for cell in range(cells):
        store(connections.kind, connections.captured, cell)
        if status[cell] == EMPTY_CELL:
            find_captured(connections, state, cell)


@kernel
def gather_chain(connections, state, column, row, point):
    """Makes `point` the captain of the chain at this cell, if there is an own stone that has none yet."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    captain, stack = connections.captain, connections.stack
    if colour_of(state, column, row) != connections.colour + 1:
        return
    cell = row * width + column
    if captain[cell] != NO_CAPTAIN:
        if captain[cell] >= width * height and captain[cell] != point:
            connections.counts[JOINED] = 1  # from edge to edge
        return
    captain[cell] = point
    stack[0] = cell
    held = 1
    while held > 0:
        held -= 1
        cell = np.int64(stack[held])
        for direction in range(RING):
            c, r = cell % width + ACROSS[direction], cell // width + DOWN[direction]
            if 0 <= c < width and 0 <= r < height and colour_of(state, c, r) == connections.colour + 1:
                near = r * width + c
                if captain[near] == NO_CAPTAIN:
                    captain[near] = point
                    stack[held] = near
                    held += 1


@kernel
def is_own_or_beyond(connections, state, column, row):
    """Whether there is an own stone, or it is beyond an own edge."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    place, length = (row, height) if connections.colour == BLACK else (column, width)
    if place < 0 or place >= length:
        return True
    if 0 <= column < width and 0 <= row < height:
        return colour_of(state, column, row) == connections.colour + 1
    return False


@kernel
def find_captured(connections, state, cell):
    """Two empty neighbours that rest on three own stones, in the first direction where there are such."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    column, row = cell % width, cell // width
    for direction in range(RING):
        turned = direction + 1 if direction + 1 < RING else 0
        c0, r0 = column + ACROSS[direction], row + DOWN[direction]
        c1, r1 = column + ACROSS[turned], row + DOWN[turned]
        if not (0 <= c0 < width and 0 <= r0 < height and 0 <= c1 < width and 0 <= r1 < height):
            continue
        if colour_of(state, c0, r0) != EMPTY or colour_of(state, c1, r1) != EMPTY:
            continue
        if (
            is_own_or_beyond(connections, state, c0 + ACROSS[direction], r0 + DOWN[direction])
            and is_own_or_beyond(connections, state, c0 + ACROSS[turned], r0 + DOWN[turned])
            and is_own_or_beyond(connections, state, c1 + ACROSS[turned], r1 + DOWN[turned])
        ):
            store(with_point(with_point(connections.kind, r0 * width + c0), r1 * width + c1), connections.captured, cell)
            return


@kernel
def add_neighbours(connections, state):
    """Points that touch each other are connected, with an empty carrier."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    cells = width * height
    captain = connections.captain
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
                    enter_full(connections, point, other, connections.kind)
        place, last = (row, height - 1) if connections.colour == BLACK else (column, width - 1)
        for edge in range(2):
            if place == (last if edge == 1 else 0) and point != cells + edge:
                enter_full(connections, point, cells + edge, connections.kind)

"""Decomposition: the carrier of a connection that leads nowhere else may be filled for its owner.

Let S be the carrier of a full connection of two chains x and y (or edges) of Black, and let every cell next to S, if it is
neither in S nor White's, belong to x or y or touch one of them. Then black stones on all of S change nothing:

- They do White no good. So let Black win with them; he wins without them too. He plays as if they were there, and answers a
  white stone in S inside S, so that x and y become joined.
- At the end, a black path that used cells of S came from one cell next to S and went on to another, or began at an edge, which
  is then x or y. Both of these cells are black, and belong to x or y or touch one of them. As x and y are joined, so are they.

MoHex asks for more: a region that two chains of each colour enclose, so that it is decided inside who joins his two.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.games.hex.rules import put_stone
from tesuji.games.hex.state import BLACK
from tesuji.knowledge.hex.bitsets import has_point, is_empty, load
from tesuji.knowledge.hex.connections.lists import (
    CHAIN,
    EMPTY_CELL,
    FULLS,
    FULLS_AT,
    ONE_END,
    OTHER_END,
    PAIR_NUMBERS,
    PAIRS_USED,
)
from tesuji.knowledge.hex.connections.points import NO_CAPTAIN
from tesuji.knowledge.hex.geometry import ACROSS, DOWN, EMPTY, RING, colour_of, place_of_move
from tesuji.knowledge.hex.inferior.board import CLOSED_CARRIER


@called_kernel
def fill_closed_carriers(connections, work, board):
    """Fills carriers for the owner of the connections, which may be those of the board before others were filled.

    Why they were filled is noted in work["why"].

    Whatever was added since leaves a fact true whose cells are still empty. Returns how many cells were filled.
    """
    filled = 0
    for pair in range(1, connections.counts[PAIRS_USED]):
        first = pair * PAIR_NUMBERS
        x, y = np.int64(connections.pairs[first + ONE_END]), np.int64(connections.pairs[first + OTHER_END])
        if connections.status[x] < CHAIN or connections.status[y] < CHAIN:
            continue
        at = np.int64(connections.pairs[first + FULLS_AT])
        for i in range(connections.pairs[first + FULLS]):
            carrier = load(connections.kind, connections.arena, at + i)
            if not is_empty(carrier) and is_closed(connections, board, carrier, x, y):
                for cell in range(connections.points - 2):
                    if has_point(carrier, cell):
                        put_stone(board, np.int64(connections.colour), cell)
                        work["why"][place_of_move(cell, np.int64(board["width"]))] = CLOSED_CARRIER
                        filled += 1
                break  # the others have lost cells
    return filled


@kernel
def is_closed(connections, board, carrier, x, y):
    """Whether the carrier is empty on the board, and what is next to it leads to x or y alone."""
    width, height = np.int64(board["width"]), np.int64(board["height"])
    for cell in range(connections.points - 2):
        if not has_point(carrier, cell):
            continue
        column, row = cell % width, cell // width
        if colour_of(board, column, row) != EMPTY:
            return False
        for direction in range(RING):
            c, r = column + ACROSS[direction], row + DOWN[direction]
            if 0 <= c < width and 0 <= r < height:
                if colour_of(board, c, r) == 2 - connections.colour or has_point(carrier, r * width + c):
                    continue
            point = point_at(connections, c, r, width, height)
            if point == NO_CAPTAIN or point in (x, y):
                continue
            if connections.status[point] != EMPTY_CELL or not touches(connections, c, r, x, y, width, height):
                return False
    return True


@kernel
def point_at(connections, column, row, width, height):
    """The owner's point that this cell belongs to, or his edge beyond it; NO_CAPTAIN for what is the opponent's."""
    if connections.colour == BLACK:
        place, last, inside = row, height - 1, 0 <= column < width
    else:
        place, last, inside = column, width - 1, 0 <= row < height
    if place < 0:
        return width * height
    if place > last:
        return width * height + 1
    return np.int64(connections.captain[row * width + column]) if inside else np.int64(NO_CAPTAIN)


@kernel
def touches(connections, column, row, x, y, width, height):
    """Whether a cell is next to one of the two points."""
    for direction in range(RING):
        point = point_at(connections, column + ACROSS[direction], row + DOWN[direction], width, height)
        if point in (x, y):
            return True
    return False

"""Havannah: join two corners, join three sides, or close a ring; a full board without any of these is a draw."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implement_all, implements, kernel, state_type
from tesuji.core.game import Game
from tesuji.core.numba.bits import bit_count
from tesuji.games import chains
from tesuji.games.chains import AROUND, SIDES, end_of, point_of
from tesuji.games.hexagons import Hexagons
from tesuji.games.strings import side_length

SMALLEST, LARGEST = 2, (chains.LARGEST + 1) // 2
IMAGES = 12
CORNERS = np.uint64(0b111111)  # what a chain reaches: six corners, then six sides, which have no corners
BRIDGE, FORK = 2, 3  # corners and sides that win

# Cells (r, c) lie on a hexagon of 2 * size - 1 rows and columns: r and c differ by less than `size`.
STATE = state_type("havannah", chains.FIELDS)


@implements(chains.put, STATE)
def put(state, player, row, column):
    point = point_of(row, column)
    ring = closes_ring(state, player, point)
    reached = np.uint64(chains.put_stone(state, player, point, places_reached(row, column, np.int64(state["size"]))))
    corners = bit_count(reached & CORNERS)
    if ring or corners >= BRIDGE or bit_count(reached) - corners >= FORK:
        state["winner"] = 1 - 2 * player


@kernel
def places_reached(row, column, size):
    """The corner or the side that a cell lies on, as a bit."""
    last, slope = 2 * size - 2, column - row
    sides = 1 if row == 0 else 8 if row == last else 0
    sides |= 4 if column == last else 32 if column == 0 else 0
    sides |= 2 if slope == size - 1 else 16 if slope == 1 - size else 0
    for corner in range(SIDES):  # where a side and the next one meet
        both = 1 << corner | 1 << (corner + 1) % SIDES
        if sides & both == both:
            return 1 << corner
    return sides << SIDES


@kernel
def closes_ring(state, player, point):
    """Whether a stone there would close a ring, around any cell, free or not.

    It does if it joins two stretches of its neighbours that are of one chain already: what lies between these on one side is
    then inside. A ring around own stones alone contains one with six own neighbours.
    """
    holder, link = state["holder"], state["link"]
    own = 1 + player
    for side in range(SIDES):
        near = point + AROUND[side]
        if holder[near] != own or holder[point + AROUND[(side + 1) % SIDES]] == own:
            continue  # each stretch counts by its last stone
        for later in range(side + 1, SIDES):
            other = point + AROUND[later]
            if holder[other] == own and holder[point + AROUND[(later + 1) % SIDES]] != own:
                if end_of(link, near) == end_of(link, other):
                    return True
    for side in range(SIDES):
        middle = point + AROUND[side]
        if holder[middle] == own:
            count = 0
            for around in range(SIDES):
                count += 1 if holder[middle + AROUND[around]] == own or middle + AROUND[around] == point else 0
            if count == SIDES:
                return True
    return False


@implements(chains.turned, STATE)
def turned(state, row, column, number):
    """Rows and columns change places, then turns by 60 degrees about the centre."""
    size = np.int64(state["size"])
    row -= size - 1
    column -= size - 1
    if number & 1 != 0:
        row, column = column, row
    for _ in range(number >> 1):
        row, column = column, column - row
    return row + size - 1, column + size - 1


@implements(rules.symmetries, STATE)
def symmetries(state):
    return IMAGES


implement_all(STATE, chains.RULES)


# -- the game ----------------------------------------------------------------------------------------------------------------
def make(text: str) -> Game:
    """The game for the cells of a side; '' is 8."""
    usage = f"havannah:N on a hexagon with N cells to a side, N from {SMALLEST} to {LARGEST}"
    size = side_length(text or "8", usage, range(SMALLEST, LARGEST + 1))
    width = 2 * size - 1
    cells = [(row, column) for row in range(width) for column in range(width) if abs(row - column) < size]
    board = Hexagons(width, cells)
    return Game(
        name=f"havannah:{size}",
        title="Havannah",
        goal="Make a bridge, a fork or a ring of your stones.",
        how_to_play=(
            "The players take turns to put a stone on a free cell; White begins. A bridge joins two corners, a "
            "fork three sides, and a ring surrounds a cell or more. A full board without any of these is a draw."
        ),
        click="Click a free cell to put a stone there.",
        won_by="b3 b4 e5 a1 c5 c3 d5",
        won_in="havannah:3",
        initial=chains.empty_board(STATE, size, width, cells),
        outcomes=(-1, 1),
        move_count=width * width,
        max_plies=len(cells),
        max_moves=len(cells),
        player_names=("White", "Black"),
        move_text=board.move_text,
        draw=board.draw,
        points=len(cells),
        picture=board.picture(colours=("white", "black"), signs=("○", "●")),
    )

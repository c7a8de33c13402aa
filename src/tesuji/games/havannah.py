"""Havannah: join two corners, join three sides, or close a ring; a full board without any of these is a draw."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, kernel, state_type
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.hashing import mixed
from tesuji.core.numba.bits import bit_count
from tesuji.games import chains
from tesuji.games.chains import AROUND, CELL_KEYS, FREE, NO_KEY, POINTS, SIDES, STRIDE, end_of, point_of
from tesuji.games.hexagons import Hexagons
from tesuji.games.strings import whole_numbers

SMALLEST, LARGEST = 2, (chains.LARGEST + 1) // 2
IMAGES = 12
CORNERS = np.uint64(0b111111)  # what a chain reaches: six corners, then six sides, which have no corners
BRIDGE, FORK = 2, 3  # corners and sides that win

# Cells (r, c) lie on a hexagon of 2 * size - 1 rows and columns: r and c differ by less than `size`.
STATE = state_type("havannah", [*chains.FIELDS, ("size", np.int32)])


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    holder, width = state["holder"], 2 * np.int64(state["size"]) - 1
    count = 0
    for row in range(width):
        for column in range(width):
            if holder[point_of(row, column)] == FREE:
                out[count] = row * width + column
                count += 1
    return count


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    point = chains.free_cell(state, rng)
    row = point // STRIDE
    return (row - 1) * (2 * np.int64(state["size"]) - 1) + point - row * STRIDE - 1


@implements(rules.play, STATE)
def play(state, move):
    width = 2 * np.int64(state["size"]) - 1
    row = np.int64(move) // width
    put(state, np.int64(state["to_play"]), row, np.int64(move) - row * width)
    state["to_play"] = 1 - state["to_play"]


@kernel
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
    sides = 0
    for side in range(SIDES):
        on = (
            row == 0
            if side == 0
            else slope == size - 1
            if side == 1
            else column == last
            if side == 2
            else row == last
            if side == 3
            else slope == 1 - size
            if side == 4
            else column == 0
        )
        if on:
            sides |= 1 << side
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


@implements(rules.is_over, STATE)
def is_over(state):
    return state["winner"] != 0 or state["left"] == 0


@implements(rules.outcome, STATE)
def outcome(state):
    return state["winner"]


# -- equal positions ---------------------------------------------------------------------------------------------------------
@kernel
def turned(row, column, size, number):
    """Row and column of the image of a cell: rows and columns change places, then turns by 60 degrees about the centre."""
    row -= size - 1
    column -= size - 1
    if number & 1 != 0:
        row, column = column, row
    for _ in range(number >> 1):
        row, column = column, column - row
    return row + size - 1, column + size - 1


@kernel
def inverse(number):
    """The image that undoes this one: exchanges undo themselves, turns those by the rest of a full turn."""
    return (IMAGES - number) % IMAGES if number & 1 == 0 else number


@implements(rules.position_hash, STATE)
def position_hash(state):
    return mixed(state["key"], np.uint64(state["to_play"]))


@implements(rules.symmetries, STATE)
def symmetries(state):
    return IMAGES


@implements(rules.image, STATE)
def image(state, number, out):
    holder, size = state["holder"], np.int64(state["size"])
    chains.clear(out)
    for player in range(2):
        for row in range(2 * size - 1):
            for column in range(max(0, row - size + 1), min(2 * size - 1, row + size)):
                r, c = turned(row, column, size, inverse(number))
                if holder[point_of(r, c)] == 1 + player:
                    put(out, player, row, column)


@implements(rules.symmetric_hash, STATE)
def symmetric_hash(state, _image_buffer):
    holder, points, size = state["holder"], state["points"], np.int64(state["size"])
    least = rules.position_hash(state)
    for number in range(1, IMAGES):
        key = NO_KEY
        for place in range(state["left"], state["cells"]):
            point = np.int64(points[place])
            row = point // STRIDE
            r, c = turned(row - 1, point - row * STRIDE - 1, size, number)
            key ^= CELL_KEYS[holder[point] - 1, point_of(r, c)]
        least = min(least, mixed(key, np.uint64(state["to_play"])))
    return least


# -- the game ----------------------------------------------------------------------------------------------------------------
def make(text: str) -> Game:
    """The game for the cells of a side; '' is 8."""
    usage = f"havannah:N on a hexagon with N cells to a side, N from {SMALLEST} to {LARGEST}"
    (size,) = whole_numbers(text or "8", "x", 1, usage)
    if not SMALLEST <= size <= LARGEST:
        raise UserError(f"havannah:{text} is out of range: {usage}")
    width = 2 * size - 1
    cells = [(row, column) for row in range(width) for column in range(width) if abs(row - column) < size]
    start = np.zeros(1, STATE)[0]
    start["holder"][:POINTS] = chains.OUTSIDE
    for row, column in cells:
        start["holder"][point_of(row, column)] = FREE
    chains.clear(start)
    start["size"], start["cells"] = size, len(cells)

    def where(cell: tuple[int, int]) -> tuple[float, float]:
        return cell[1] - cell[0] / 2 + (size - 1) / 2, cell[0]

    board = Hexagons(width, cells, where)
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
        initial=start,
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

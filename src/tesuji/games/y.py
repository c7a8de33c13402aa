"""Y: whoever joins all three sides of a triangle by a chain of stones wins; one of the players always does."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, kernel, state_type
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.hashing import mixed
from tesuji.games import chains
from tesuji.games.chains import CELL_KEYS, FREE, LARGEST, NO_KEY, POINTS, STRIDE, point_of
from tesuji.games.hexagons import Hexagons
from tesuji.games.strings import whole_numbers

IMAGES = 6
LEFT, RIGHT, BOTTOM = 1, 2, 4  # the sides of the triangle; cells (r, c) have 0 <= c <= r

STATE = state_type("y", [*chains.FIELDS, ("size", np.int32)])


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    holder, size = state["holder"], np.int64(state["size"])
    count = 0
    for row in range(size):
        for column in range(row + 1):
            if holder[point_of(row, column)] == FREE:
                out[count] = row * size + column
                count += 1
    return count


@kernel
def cell_of(point, size):
    row = point // STRIDE
    return (row - 1) * size + point - row * STRIDE - 1


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    return cell_of(chains.free_cell(state, rng), np.int64(state["size"]))


@implements(rules.play, STATE)
def play(state, move):
    size = np.int64(state["size"])
    row = np.int64(move) // size
    put(state, np.int64(state["to_play"]), row, np.int64(move) - row * size)
    state["to_play"] = 1 - state["to_play"]


@kernel
def put(state, player, row, column):
    sides = (LEFT if column == 0 else 0) | (RIGHT if column == row else 0) | (BOTTOM if row == state["size"] - 1 else 0)
    if chains.put_stone(state, player, point_of(row, column), sides) == LEFT | RIGHT | BOTTOM:
        state["winner"] = 1 - 2 * player


@implements(rules.is_over, STATE)
def is_over(state):
    return state["winner"] != 0


@implements(rules.outcome, STATE)
def outcome(state):
    return state["winner"]


# -- equal positions ---------------------------------------------------------------------------------------------------------
@kernel
def turned(row, column, size, number):
    """Row and column of the image of a cell: its distances from the three sides change places."""
    a, b, c = column, row - column, size - 1 - row
    if number & 1 != 0:
        a, b = b, a
    for _ in range(number >> 1):
        a, b, c = b, c, a
    return a + b, a


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
        for row in range(size):
            for column in range(row + 1):
                r, c = turned(row, column, size, inverse(number))
                if holder[point_of(r, c)] == 1 + player:
                    put(out, player, row, column)


@kernel
def inverse(number):
    """The image that undoes this one: exchanges undo themselves, turns one another."""
    return 6 - number if number == 2 or number == 4 else number


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
    """The game for the cells of a side; '' is 9."""
    usage = f"y:N on a triangle with N cells to a side, N from 1 to {LARGEST}"
    (size,) = whole_numbers(text or "9", "x", 1, usage)
    if not 1 <= size <= LARGEST:
        raise UserError(f"y:{text} is out of range: {usage}")
    cells = [(row, column) for row in range(size) for column in range(row + 1)]
    start = np.zeros(1, STATE)[0]
    start["holder"][:POINTS] = chains.OUTSIDE
    for row, column in cells:
        start["holder"][point_of(row, column)] = FREE
    chains.clear(start)
    start["size"], start["cells"] = size, len(cells)

    def where(cell: tuple[int, int]) -> tuple[float, float]:
        return cell[1] - cell[0] / 2 + (size - 1) / 2, cell[0]

    board = Hexagons(size, cells, where)
    return Game(
        name=f"y:{size}",
        title="Y",
        goal="Join all three sides by one chain of your stones.",
        how_to_play=(
            "The players take turns to put a stone on a free cell; Black begins. A corner is on two sides. The "
            "board cannot fill up without a winner."
        ),
        click="Click a free cell to put a stone there.",
        won_by="a1 b3 c4 a3 b2 b4 c3",
        won_in="y:4",
        initial=start,
        outcomes=(-1, 1),
        move_count=size * size,
        max_plies=len(cells),
        max_moves=len(cells),
        player_names=("Black", "White"),
        move_text=board.move_text,
        draw=board.draw,
        points=len(cells),
        picture=board.picture(),
    )

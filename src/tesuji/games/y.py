"""Y: whoever joins all three sides of a triangle by a chain of stones wins; one of the players always does."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implement_all, implements, state_type
from tesuji.core.game import Game
from tesuji.games import chains
from tesuji.games.chains import LARGEST, point_of
from tesuji.games.hexagons import Hexagons
from tesuji.games.strings import side_length

IMAGES = 6
LEFT, RIGHT, BOTTOM = 1, 2, 4  # the sides of the triangle; cells (r, c) have 0 <= c <= r

STATE = state_type("y", chains.FIELDS)


@implements(chains.put, STATE)
def put(state, player, row, column):
    sides = (LEFT if column == 0 else 0) | (RIGHT if column == row else 0) | (BOTTOM if row == state["size"] - 1 else 0)
    if chains.put_stone(state, player, point_of(row, column), sides) == LEFT | RIGHT | BOTTOM:
        state["winner"] = 1 - 2 * player


@implements(chains.turned, STATE)
def turned(state, row, column, number):
    """Its distances from the three sides change places."""
    a, b, c = column, row - column, np.int64(state["size"]) - 1 - row
    if number & 1 != 0:
        a, b = b, a
    for _ in range(number >> 1):
        a, b, c = b, c, a
    return a + b, a


@implements(rules.symmetries, STATE)
def symmetries(state):
    return IMAGES


implement_all(STATE, chains.RULES)


# -- the game ----------------------------------------------------------------------------------------------------------------
def make(text: str) -> Game:
    """The game for the cells of a side; '' is 9."""
    usage = f"y:N on a triangle with N cells to a side, N from 1 to {LARGEST}"
    size = side_length(text or "9", usage, range(1, LARGEST + 1))
    cells = [(row, column) for row in range(size) for column in range(row + 1)]
    board = Hexagons(size, cells)
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
        initial=chains.empty_board(STATE, size, size, cells),
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

"""Dots and boxes: draw an edge between two neighbouring dots; who draws the fourth side of a box owns it and moves again.

Edges are bits of two words. Horizontal edges: row * columns + column, for rows + 1 lines of them. Vertical edges:
row * (columns + 1) + column. A box has the number of the horizontal edge above it, i; in its row r, the edge below it is
i + columns and the edges beside it are the vertical ones i + r and i + r + 1: whether a box is closed takes two masks.
Move numbers are the horizontal edges, then the vertical ones.
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, kernel, state_type
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.games.dotsandboxes.drawing import draw, move_text
from tesuji.games.mixing import mixed
from tesuji.games.strings import whole_numbers

STATE = state_type(
    "dotsandboxes",
    [
        ("drawn", np.uint64, (2,)),  # horizontal and vertical edges
        ("owned", np.uint64, (2,)),  # the boxes of each player
        ("rows", np.int32),
        ("columns", np.int32),
        ("horizontals", np.int32),  # how many horizontal edges there are: the number of the first vertical one
        ("edges", np.int32),  # how many edges there are
        ("to_play", np.int32),
        ("difference", np.int32),  # boxes of player 0 minus boxes of player 1
        ("left", np.int32),  # boxes not yet closed
    ],
)
ZERO, ONE = np.uint64(0), np.uint64(1)
BESIDE = np.uint64(3)  # the vertical edges on both sides of a box, shifted to the left one
U8, U16 = np.uint64(8), np.uint64(16)
LARGEST = 7


def make(text: str) -> Game:
    """The game for 'RxC' boxes; '' is 2x2."""
    usage = f"dotsandboxes:RxC with R rows and C columns of boxes, from 1 to {LARGEST} each"
    rows, columns = whole_numbers(text or "2x2", "x", 2, usage)
    if not (1 <= rows <= LARGEST and 1 <= columns <= LARGEST):
        raise UserError(f"dotsandboxes:{text} is out of range: {usage}")
    boxes = rows * columns
    start = np.zeros(1, STATE)[0]
    start["rows"], start["columns"] = rows, columns
    start["horizontals"] = boxes + columns
    start["edges"] = edges = 2 * boxes + rows + columns
    start["left"] = boxes
    return Game(
        name=f"dotsandboxes:{rows}x{columns}",
        title="Dots and boxes",
        start=start,
        outcomes=(-boxes, boxes),
        move_count=edges,
        max_plies=edges,
        player_names=("x", "o"),
        move_text=move_text,
        draw=draw,
    )


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
    standing = np.uint64(state["difference"] + state["rows"] * state["columns"]) << U8 | np.uint64(state["to_play"])
    return mixed(mixed(mixed(ONE, standing), drawn[0]), drawn[1])

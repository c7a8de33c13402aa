"""Col, a game of one's own with a board: `tesuji play examples/col.py:game` shows it as a grid to click on.

The players take turns to colour a cell. Two cells side by side never get the same colour. Who cannot move has lost.
"""

import numpy as np

from tesuji import Board, Game, implements, kernel, mixed, rules, state_type

SIDE = 5
CELLS = SIDE * SIDE
EMPTY = 0  # else 1 + the player whose colour it is
ZERO = np.uint64(0)

STATE = state_type("col", [("cells", np.int8, (CELLS,)), ("to_play", np.int32)])


@kernel
def may_colour(state, cell, colour):
    """Whether a cell is empty and no cell beside it has this colour."""
    cells = state["cells"]
    row, column = cell // SIDE, cell % SIDE
    if cells[cell] != EMPTY:
        return False
    if column > 0 and cells[cell - 1] == colour:
        return False
    if column < SIDE - 1 and cells[cell + 1] == colour:
        return False
    if row > 0 and cells[cell - SIDE] == colour:
        return False
    return not (row < SIDE - 1 and cells[cell + SIDE] == colour)


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    count = 0
    for cell in range(CELLS):
        if may_colour(state, cell, 1 + state["to_play"]):
            out[count] = cell
            count += 1
    return count


@implements(rules.play, STATE)
def play(state, move):
    cells = state["cells"]
    cells[move] = 1 + state["to_play"]
    state["to_play"] = 1 - state["to_play"]


@implements(rules.is_over, STATE)
def is_over(state):
    for cell in range(CELLS):
        if may_colour(state, cell, 1 + state["to_play"]):
            return False
    return True


@implements(rules.outcome, STATE)
def outcome(state):
    return -1 if state["to_play"] == 0 else 1  # who is to move cannot


@implements(rules.position_hash, STATE)
def position_hash(state):
    cells = state["cells"]
    number = mixed(ZERO, np.uint64(state["to_play"]))
    for cell in range(CELLS):
        number = mixed(number, np.uint64(cells[cell]))
    return number


def move_text(_state, move):
    return f"{'abcde'[move % SIDE]}{move // SIDE + 1}"


def draw(state):
    rows = (state["cells"][row * SIDE : (row + 1) * SIDE] for row in reversed(range(SIDE)))
    return "\n".join(" ".join(".xo"[cell] for cell in row) for row in rows)


game = Game(
    "col",
    np.zeros(1, STATE)[0],
    outcomes=(-1, 1),
    move_count=CELLS,
    max_plies=CELLS,
    move_text=move_text,
    draw=draw,
    board=Board.of_cells(SIDE, SIDE, "cells"),
    title="Col",
    goal="Be the last who can colour a cell.",
    how_to_play="The players take turns to colour a free cell. Neighbours never get the same colour. Who cannot move loses.",
    click="Click a free cell to colour it.",
    won_by="c4 e2 a1 a3 c2 b1 e4 b5 a5 c3 d1 d5 b3",
)

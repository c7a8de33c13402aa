"""Isolation, a game of one's own that networks can learn: `tesuji learn network examples/isolation.py:game --self-play`.

Each player has one piece. It moves as a king of chess does, to an empty cell, and the cell that it leaves is gone for good. Who
cannot move has lost.
"""

import numpy as np

from tesuji import Encoding, Game, implements, kernel, mixed, rules, state_type

SIDE = 6
CELLS = SIDE * SIDE
FREE, GONE = 0, 1
ZERO = np.uint64(0)

STATE = state_type("isolation", [("cells", np.int8, (CELLS,)), ("at", np.int32, (2,)), ("to_play", np.int32)])


@kernel
def reached(state, player, number):
    """The cell that lies in direction `number`, 0 to 8 row by row with the piece in the middle; -1 if it cannot go there."""
    at, cells = state["at"], state["cells"]
    row, column = at[player] // SIDE + number // 3 - 1, at[player] % SIDE + number % 3 - 1
    if row < 0 or row >= SIDE or column < 0 or column >= SIDE:
        return -1
    cell = row * SIDE + column
    return cell if cells[cell] == FREE and cell != at[0] and cell != at[1] else -1


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    count = 0
    for number in range(9):
        cell = reached(state, state["to_play"], number)
        if cell >= 0:
            out[count] = cell
            count += 1
    return count


@implements(rules.play, STATE)
def play(state, move):
    at, cells, player = state["at"], state["cells"], state["to_play"]
    cells[at[player]] = GONE
    at[player] = move
    state["to_play"] = 1 - player


@implements(rules.is_over, STATE)
def is_over(state):
    for number in range(9):
        if reached(state, state["to_play"], number) >= 0:
            return False
    return True


@implements(rules.outcome, STATE)
def outcome(state):
    return -1 if state["to_play"] == 0 else 1  # who is to move cannot


@implements(rules.position_hash, STATE)
def position_hash(state):
    cells, at = state["cells"], state["at"]
    number = mixed(ZERO, np.uint64((at[0] * CELLS + at[1]) * 2 + state["to_play"]))
    for cell in range(CELLS):
        if cells[cell] == GONE:
            number = mixed(number, np.uint64(cell))
    return number


# What networks see: the own piece, the other's, and the cells that are gone. The place of a move is its cell.
@implements(rules.planes, STATE)
def planes(state, planes):
    cells, at, player = state["cells"], state["at"], state["to_play"]
    planes[at[player] // SIDE, at[player] % SIDE, 0] = 1.0
    planes[at[1 - player] // SIDE, at[1 - player] % SIDE, 1] = 1.0
    for cell in range(CELLS):
        if cells[cell] == GONE:
            planes[cell // SIDE, cell % SIDE, 2] = 1.0


def move_text(_state, move):
    return f"{'abcdef'[move % SIDE]}{move // SIDE + 1}"


def draw(state):
    signs = [".#"[int(cell)] for cell in state["cells"]]
    for player, sign in enumerate("xo"):
        signs[int(state["at"][player])] = sign
    rows = [f"{row + 1} " + " ".join(signs[row * SIDE : (row + 1) * SIDE]) for row in range(SIDE)]
    return "\n".join(["  a b c d e f", *rows])


start = np.zeros(1, STATE)[0]
start["at"] = SIDE // 2, CELLS - SIDE // 2 - 1
game = Game(
    "isolation",
    start,
    outcomes=(-1, 1),
    move_count=CELLS,
    max_plies=CELLS,
    move_text=move_text,
    draw=draw,
    encoding=Encoding(SIDE, SIDE, ("own", "other", "gone")),
    title="Isolation",
    goal="Be the last who can move.",
    how_to_play="Move your piece to one of the eight cells around it. The cell that it leaves is gone. Who cannot move loses.",
)

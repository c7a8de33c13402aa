"""Good and bad shapes of Go, which MoGo rewards and punishes on 19x19 (Chaslot et al. 2009, Fig. 1).

The text that we have of the paper lacks the figure, so the drawings are ours, made from the names. In a drawing `*` is the
move, X an own stone, O one of the opponent's, `.` an empty point, `?` anything. It holds in all eight symmetries. What no
drawing can show is tested on strings and lines.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.games.go.state import EMPTY, NEIGHBOURS, NOWHERE
from tesuji.knowledge.go.nearest_patterns import EDGE, OTHER, OWN, WIDTH, place_on_board, turned
from tesuji.knowledge.go.tactics import ATARI, BEST_LINE, line_of

# What a move makes, as bits: `shapes_of` says which.
SHAPES = ("territory_line", "line_of_death", "peep_connect", "hane", "threat", "connect", "wall", "bad_kogeima")
SHAPES += ("empty_triangle", "cut")
TERRITORY_LINE, LINE_OF_DEATH, PEEP_CONNECT, HANE, THREAT, CONNECT, WALL, BAD_KOGEIMA = (1 << n for n in range(8))
EMPTY_TRIANGLE, CUT = 1 << 8, 1 << 9


class Shape(NamedTuple):
    bit: int
    rows: tuple[str, ...]


DRAWINGS = (
    Shape(HANE, ("XO?", ".*.", "?.?")),  # round an enemy stone that an own one touches
    Shape(CUT, ("XO?", "O*?", "???")),
    Shape(CUT, ("?X?", "O*O", "???")),
    Shape(WALL, ("XX*.", "OO??")),  # a solid chain along an enemy chain goes on
    Shape(BAD_KOGEIMA, ("*O?", "?.X")),  # a knight's move that the enemy can cut, or has
    Shape(BAD_KOGEIMA, ("*.?", "?OX")),
    Shape(EMPTY_TRIANGLE, ("????", "?*X?", "?X.?", "????")),  # the move in the corner of the triangle
    Shape(EMPTY_TRIANGLE, ("????", "?*X?", "?.X?", "????")),  # the move at its end
)
SIGNS = {"?": 0, ".": 1 << EMPTY, "X": 1 << OWN, "O": 1 << OTHER, "*": 0}
NOT_OTHER = 1 << EMPTY | 1 << OWN | 1 << EDGE  # the surroundings of an empty triangle: no enemy stone


def _stencils() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """All drawings in all symmetries: where the tests of each begin, its bit; of each test the step, and what may be there."""
    starts, bits, steps, allowed = [0], [], [], []
    for shape in DRAWINGS:
        row_of_move = next(n for n, row in enumerate(shape.rows) if "*" in row)
        column_of_move = shape.rows[row_of_move].index("*")
        tests = {}
        for n, row in enumerate(shape.rows):
            for m, sign in enumerate(row):
                mask = SIGNS[sign]
                corner = n in (0, len(shape.rows) - 1) and m in (0, len(row) - 1)
                if shape.bit == EMPTY_TRIANGLE and sign == "?" and not corner:
                    mask = NOT_OTHER
                if mask:
                    tests[m - column_of_move, row_of_move - n] = mask
        views = {tuple(sorted((turned(offset)[k], mask) for offset, mask in tests.items())) for k in range(8)}
        for view in sorted(views):
            # The test that fails most often first: a stone next to the move.
            order = sorted(view, key=lambda test: (not test[1] & (1 << OWN | 1 << OTHER), test[0][0] ** 2 + test[0][1] ** 2))
            steps += [row * WIDTH + column for (column, row), _ in order]
            allowed += [mask for _, mask in order]
            starts.append(len(steps))
            bits.append(shape.bit)
    return np.array(starts, np.int64), np.array(bits, np.int64), np.array(steps, np.int64), np.array(allowed, np.int64)


STARTS, BITS, STEPS, ALLOWED = _stencils()
NEAR = np.array([row * WIDTH + column for row in range(-2, 3) for column in range(-2, 3) if 0 < abs(row) + abs(column) <= 2])


@kernel
def drawn_shapes(board, place):
    """The bits of all drawings that fit a move at `place` of the board that patterns see."""
    found = 0
    for view in range(len(BITS)):
        fits = True
        for i in range(STARTS[view], STARTS[view + 1]):
            if (ALLOWED[i] >> np.int64(board[place + STEPS[i]])) & 1 == 0:
                fits = False
                break
        if fits:
            found |= BITS[view]
    return found


@kernel
def shapes_of(board, state, point, tactics):
    """The shapes that a legal move makes, in bits. `tactics` is what it does; `board`, the position as patterns see it."""
    place = place_on_board(point)
    line = line_of(state, point)
    found = TERRITORY_LINE if line == BEST_LINE else 0
    if is_alone(board, place):
        return found | LINE_OF_DEATH if line == 1 else found
    if tactics & ATARI != 0:
        found |= THREAT
    one, other = own_strings_beside(state, point)
    if other != NOWHERE:
        found |= CONNECT
        if is_peeped(board, place) and not share_liberty(state, one, other, point):
            found |= PEEP_CONNECT
    return found | drawn_shapes(board, place)


@kernel
def is_alone(board, place):
    """Whether no stone is within two steps."""
    for i in range(len(NEAR)):
        who = board[place + NEAR[i]]
        if EMPTY < who < EDGE:
            return False
    return True


@kernel
def own_strings_beside(state, point):
    """Two different own strings next to a point; NOWHERE for those that there are not."""
    colour = state["colour"]
    head = state["head"]
    own = np.int64(state["to_play"]) + 1
    one, other = np.int64(NOWHERE), np.int64(NOWHERE)
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        if colour[neighbour] == own:
            string = np.int64(head[neighbour])
            if one == NOWHERE:
                one = string
            elif string != one:
                other = string
    return one, other


@kernel
def is_peeped(board, place):
    """Whether an enemy stone is next to a point, across the corner or straight."""
    for rows in range(-1, 2):
        for columns in range(-1, 2):
            if board[place + rows * WIDTH + columns] == OTHER:
                return True
    return False


@kernel
def share_liberty(state, one, other, besides):
    """Whether two strings have a common liberty besides a point."""
    colour = state["colour"]
    head = state["head"]
    next_stone = state["next_stone"]
    stone = np.int64(one)
    while True:
        for i in range(4):
            liberty = stone + NEIGHBOURS[i]
            if colour[liberty] == EMPTY and liberty != besides:
                for k in range(4):
                    if head[liberty + NEIGHBOURS[k]] == other:
                        return True
        stone = np.int64(next_stone[stone])
        if stone == one:
            return False

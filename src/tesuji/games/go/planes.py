"""What a network sees of Go: stones with their liberties, ko, the last two moves, and what the player to move gets by komi.

Moves are points, row by row, and then the pass, so each is its own place.
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import kernel
from tesuji.core.encoding import Encoding
from tesuji.core.symmetry import SQUARE
from tesuji.games.go.rules import for_both
from tesuji.games.go.state import EMPTY, NEIGHBOURS, NOWHERE, STRIDE

OWN, OTHER, FREE = 0, 1, 2
OWN_LIBERTIES, OTHER_LIBERTIES = 3, 6  # three planes each: one, two, three or more
KO, LAST, SECOND_LAST, KOMI, PASSED, BOARD = 9, 10, 11, 12, 13, 14
NAMES = (
    "own stones",
    "other's stones",
    "empty points",
    "own, one liberty",
    "own, two liberties",
    "own, three liberties or more",
    "other's, one liberty",
    "other's, two liberties",
    "other's, three liberties or more",
    "ko",
    "last move",
    "move before",
    "komi",
    "last move was a pass",
    "board",
)
KOMI_SPAN = 80.0  # half points: 20 points for the player to move are 1, against him 0, and so is what is more


def encoding(size: int) -> Encoding:
    return Encoding(size, size, NAMES, others=1, turns=tuple(range(SQUARE)))


@kernel
def few_liberties(colour, next_stone, string):
    """How many liberties a string has, 3 for more."""
    first, second = NOWHERE, NOWHERE
    stone = string
    while True:
        for k in range(4):
            point = stone + NEIGHBOURS[k]
            if colour[point] == EMPTY and point != first and point != second:
                if first == NOWHERE:
                    first = point
                elif second == NOWHERE:
                    second = point
                else:
                    return 3
        stone = np.int64(next_stone[stone])
        if stone == string:
            break
    return 1 if second == NOWHERE else 2


@for_both(rules.planes)
def planes(state, planes):
    colour, head, next_stone = state["colour"], state["head"], state["next_stone"]
    size = np.int64(state["size"])
    own = np.int64(state["to_play"]) + 1
    bonus = -np.int64(state["komi"]) if state["to_play"] == 0 else np.int64(state["komi"])
    komi = np.float32(min(max(0.5 + bonus / KOMI_SPAN, 0.0), 1.0))
    passed = np.float32(1) if state["passes"] != 0 else np.float32(0)
    one = np.float32(1)
    for row in range(size):
        for column in range(size):
            planes[row, column, KOMI] = komi
            planes[row, column, PASSED] = passed
            planes[row, column, BOARD] = one
            point = (row + 1) * STRIDE + column + 1
            who = np.int64(colour[point])
            if who == EMPTY:
                planes[row, column, FREE] = one
                continue
            planes[row, column, OWN if who == own else OTHER] = one
            if head[point] == point:  # all stones of its string at once
                plane = (OWN_LIBERTIES if who == own else OTHER_LIBERTIES) + few_liberties(colour, next_stone, point) - 1
                stone = point
                while True:
                    planes[stone // STRIDE - 1, stone % STRIDE - 1, plane] = one
                    stone = np.int64(next_stone[stone])
                    if stone == point:
                        break
    ko = np.int64(state["ko"])
    if ko != NOWHERE:
        planes[ko // STRIDE - 1, ko % STRIDE - 1, KO] = one
    last, before = np.int64(state["last_move"]), np.int64(state["second_last_move"])
    if 0 <= last < size * size:
        planes[last // size, last % size, LAST] = one
    if 0 <= before < size * size:
        planes[before // size, before % size, SECOND_LAST] = one

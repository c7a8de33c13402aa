"""Games of chains on boards of hexagons that are no rhombus: who touches whom, and which sides and corners a chain reaches.

The record of such a game has the fields of `FIELDS`. It implements `put` and `turned`; `RULES` has what it shares with others.

A point is a cell of a square of STRIDE x STRIDE with a border of one cell: cell (row r, column c), both from 0, is point
(r + 1) * STRIDE + c + 1. Its six neighbours are one column, one row, or one of both in the same direction away. As a move, a
cell has the number r * width + c.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import kernel, operation
from tesuji.core.hashing import mixed, random_words
from tesuji.core.random import below
from tesuji.games import common

LARGEST = 19  # rows and columns
STRIDE = LARGEST + 2
POINTS = STRIDE * STRIDE
AROUND = np.array([1, STRIDE + 1, STRIDE, -1, -STRIDE - 1, -STRIDE], np.int64)  # to the neighbours, in a circle
SIDES = 6
FREE, OUTSIDE = 0, 3  # holders of a point; a player's stone is 1 + player
CELL_KEYS = np.array(random_words(2 * POINTS, 0xC4A1), np.uint64).reshape(2, POINTS)
NO_KEY = np.uint64(0)

FIELDS = [
    ("key", np.uint64),  # of the stones
    ("holder", np.int8, (POINTS,)),
    ("link", np.int16, (POINTS,)),  # of a stone: another of its chain, or at the end of these links -1 - what the chain reaches
    ("points", np.int16, (LARGEST * LARGEST,)),  # of the board: first the free ones, then those with stones
    ("place", np.int16, (POINTS,)),  # of a point among these
    ("left", np.int32),  # free cells
    ("cells", np.int32),  # all cells
    ("size", np.int32),  # cells along a side
    ("width", np.int32),  # rows, and columns
    ("to_play", np.int32),
    ("winner", np.int32),
]


@kernel
def point_of(row, column):
    return (row + 1) * STRIDE + column + 1


@kernel
def end_of(link, point):
    """The last stone of the links from a stone; the way is shortened for the next time."""
    while link[point] >= 0:
        after = link[point]
        if link[after] >= 0:
            link[point] = link[after]
        point = np.int64(after)
    return point


@kernel
def put_stone(state, player, point, reached):
    """Adds a stone on a point that by itself reaches so many sides and corners, as bits; returns what its chain reaches."""
    holder, link, points, place = state["holder"], state["link"], state["points"], state["place"]
    holder[point] = 1 + player
    link[point] = -1
    state["key"] ^= CELL_KEYS[player, point]
    state["left"] -= 1
    at, last = place[point], state["left"]
    other = points[last]
    points[at] = other
    place[other] = at
    points[last] = point
    place[point] = last
    for side in range(SIDES):
        near = point + AROUND[side]
        if holder[near] == 1 + player:
            end = end_of(link, near)
            if end != point:
                reached |= -1 - np.int64(link[end])
                link[end] = point
    link[point] = -1 - reached
    return reached


@kernel
def clear(state):
    """Takes all stones away. The points of the board are put in order, so that equal positions can become equal records."""
    holder, link, points, place = state["holder"], state["link"], state["points"], state["place"]
    count = 0
    for point in range(POINTS):
        link[point] = 0
        if holder[point] != OUTSIDE:
            holder[point] = FREE
            points[count] = point
            place[point] = count
            count += 1
    state["left"] = count
    state["key"] = NO_KEY


# -- rules -------------------------------------------------------------------------------------------------------------------
@operation
def put(state, player, row, column):
    """Puts a stone of a player on a cell, and writes the winner if that decides the game."""


@operation
def turned(state, row, column, number):
    """Row and column of the image of a cell. An odd image undoes itself, an even one is undone by the rest of a full turn."""


def moves(state, out):
    holder, width = state["holder"], np.int64(state["width"])
    count = 0
    for row in range(width):
        for column in range(width):
            if holder[point_of(row, column)] == FREE:
                out[count] = row * width + column
                count += 1
    return count


def random_move(state, buffer, rng):
    points = state["points"]
    point = np.int64(points[below(rng, state["left"])])
    row = point // STRIDE
    return (row - 1) * np.int64(state["width"]) + point - row * STRIDE - 1


def play(state, move):
    width = np.int64(state["width"])
    row = np.int64(move) // width
    put(state, np.int64(state["to_play"]), row, np.int64(move) - row * width)
    state["to_play"] = 1 - state["to_play"]


def position_hash(state):
    return mixed(state["key"], np.uint64(state["to_play"]))


def image(state, number, out):
    holder, images = state["holder"], rules.symmetries(state)
    inverse = (images - number) % images if number & 1 == 0 else number
    clear(out)
    for player in range(2):
        for row in range(state["width"]):
            for column in range(state["width"]):
                if holder[point_of(row, column)] != OUTSIDE:
                    r, c = turned(state, row, column, inverse)
                    if holder[point_of(r, c)] == 1 + player:
                        put(out, player, row, column)


def symmetric_hash(state, _image_buffer):
    holder, points = state["holder"], state["points"]
    least = rules.position_hash(state)
    for number in range(1, rules.symmetries(state)):
        key = NO_KEY
        for place in range(state["left"], state["cells"]):
            point = np.int64(points[place])
            row = point // STRIDE
            r, c = turned(state, row - 1, point - row * STRIDE - 1, number)
            key ^= CELL_KEYS[holder[point] - 1, point_of(r, c)]
        least = min(least, mixed(key, np.uint64(state["to_play"])))
    return least


RULES = {
    rules.moves: moves,
    rules.random_move: random_move,
    rules.play: play,
    rules.position_hash: position_hash,
    rules.image: image,
    rules.symmetric_hash: symmetric_hash,
    **common.FIRST_TO_SUCCEED_OR_DRAW,
}


def empty_board(kind: np.dtype, size: int, width: int, cells: Sequence[tuple[int, int]]) -> Any:
    """A record with these cells, rows and columns, and no stones."""
    start = np.zeros(1, kind)[0]
    start["holder"][:POINTS] = OUTSIDE
    for row, column in cells:
        start["holder"][point_of(row, column)] = FREE
    clear(start)
    start["size"], start["width"], start["cells"] = size, width, len(cells)
    return start

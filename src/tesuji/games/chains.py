"""Chains of stones on boards of hexagons that are no rhombus: who touches whom, and which sides and corners a chain reaches.

A record that these kernels work on has the fields of `FIELDS`. A point is a cell of a square of STRIDE x STRIDE with a border
of one cell: cell (row r, column c), both from 0, is point (r + 1) * STRIDE + c + 1. Its six neighbours are one column, one row,
or one of both in the same direction away. Cells keep the numbers of their moves, r * columns + c.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.hashing import random_words
from tesuji.core.random import below

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
    ("to_play", np.int32),
    ("winner", np.int32),  # +1 player 0, -1 player 1, 0 nobody yet
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
def free_cell(state, rng):
    """The point of a free cell drawn at random."""
    points = state["points"]
    return np.int64(points[below(rng, state["left"])])


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

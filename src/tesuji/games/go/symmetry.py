"""Equal positions of Go: their hash, and the eight ways to turn and mirror the board. Under superko there is neither, as every
position of the game matters there.
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, kernel
from tesuji.core.hashing import mixed
from tesuji.core.symmetry import SQUARE, cell_image
from tesuji.games.go.state import AROUND, BOARD, EMPTY, EMPTY_BOARD_HASH, NOWHERE, STATE, STRIDE, ZOBRIST
from tesuji.games.go.strings import put_stone

U12 = np.uint64(12)


@kernel
def image_of_point(point, size, number):
    """The point's image; NOWHERE has none but itself."""
    if point == NOWHERE:
        return np.int64(NOWHERE)
    row, column = cell_image(point // STRIDE - 1, point % STRIDE - 1, size - 1, size - 1, number)
    return np.int64((row + 1) * STRIDE + column + 1)


@kernel
def hash_of(state, stones, ko):
    """With the ply, no position comes back. Which move was the last matters only by ko, and by being a pass."""
    clock = np.uint64(8 * np.int64(state["ply"]) + 2 * np.int64(state["passes"]) + np.int64(state["to_play"]))
    return mixed(stones, clock << U12 | np.uint64(ko))


@implements(rules.position_hash, STATE)
def position_hash(state):
    return hash_of(state, state["hash"], np.int64(state["ko"]))


@implements(rules.symmetries, STATE)
def symmetries(state):
    return SQUARE


@implements(rules.symmetric_hash, STATE)
def symmetric_hash(state, _image_buffer):
    """The least hash of the eight images, from the stones alone: nothing else is made."""
    colour = state["colour"]
    point_of = state["point_of"]
    size = np.int64(state["size"])
    ko = np.int64(state["ko"])
    least = rules.position_hash(state)
    for number in range(1, SQUARE):
        stones = EMPTY_BOARD_HASH
        for move in range(size * size):
            point = np.int64(point_of[move])
            if colour[point] != EMPTY:
                stones ^= ZOBRIST[(np.int64(colour[point]) - 1) * BOARD + image_of_point(point, size, number)]
        least = min(least, hash_of(state, stones, image_of_point(ko, size, number)))
    return least


@implements(rules.image, STATE)
def image(state, number, out):
    """Puts the stones of the image on an empty board, always in the same order: equal positions become equal records."""
    size = np.int64(state["size"])
    points = size * size
    colour = state["colour"]
    point_of = state["point_of"]
    clear(out, points)
    for move in range(points):
        point = np.int64(point_of[move])
        # Symmetries that exchange rows and columns and mirror undo each other in the other order: look the image up backwards.
        origin = image_of_point(point, size, inverse(number))
        if colour[origin] != EMPTY:
            put_stone(out, point, np.int64(colour[origin]) - 1)
    out["ko"] = image_of_point(np.int64(state["ko"]), size, number)
    out["last_move"] = -1
    out["second_last_move"] = -1


@kernel
def inverse(number):
    """The symmetry that undoes this one: cell_image() mirrors first and then exchanges rows and columns."""
    return number if number & 4 == 0 else 4 | (number & 1) << 1 | (number & 2) >> 1


@kernel
def clear(state, points):
    """Takes all stones off the board, and every trace of them out of the record."""
    strings = state["strings"]
    head, next_stone = state["head"], state["next_stone"]
    empties, empty_at = state["empties"], state["empty_at"]
    ataris, atari_at = state["ataris"], state["atari_at"]
    colour, around = state["colour"], state["around"]
    point_of = state["point_of"]
    stone_count = state["stone_count"]
    for point in range(BOARD):
        for column in range(4):
            strings[point, column] = 0
        head[point] = NOWHERE
        next_stone[point] = NOWHERE
        atari_at[point] = 0
        empty_at[point] = 0
        around[point] = 0
    for i in range(len(empties)):
        empties[i] = 0
        ataris[i] = 0
    for move in range(points):
        point = np.int64(point_of[move])
        colour[point] = EMPTY
        empties[move] = point
        empty_at[point] = move
    for move in range(points):  # what is left around is the border
        point = np.int64(point_of[move])
        for place in range(8):
            around[point] |= np.uint16(colour[point + AROUND[place]]) << np.uint16(2 * place)
    state["empty_count"] = points
    state["atari_count"] = 0
    stone_count[0] = 0
    stone_count[1] = 0
    state["hash"] = EMPTY_BOARD_HASH

"""The record of a Go position: a padded board, strings with pseudo-liberties, the empty points and the strings in atari.

A point is row * 20 + column with rows and columns from 1: one column of border serves as the right edge of a row and as
the left edge of the next, and the four neighbours of a point are at fixed distances on boards of every size.

A string is known by its head, one of its stones: `head[stone]`. Its stones form a ring through `next_stone`. `strings[head]`
holds its pseudo-liberties (an empty point counts once for every stone of the string next to it): how many they are, the sum
of the points and the sum of their squares, and how many stones it has. All pseudo-liberties are one and the same point
exactly if count * squares == sum * sum (the Cauchy-Schwarz inequality becomes an equation), and that point is sum / count.
Strings for which this holds, those in atari, are also kept in a list.

Two types share all fields and all code: `STATE` for simple ko, and `SUPERKO_STATE`, which also remembers every position of
the game.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import state_type
from tesuji.core.hashing import random_words

LARGEST = 19
STRIDE = LARGEST + 1
BOARD = (LARGEST + 2) * STRIDE + 1  # the last point's neighbour across the corner is the last index
MOST_POINTS = LARGEST * LARGEST

EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3  # player + 1; the border has the bits of both colours
NEIGHBOURS = (-STRIDE, -1, 1, STRIDE)
CORNERS = (-STRIDE - 1, -STRIDE + 1, STRIDE - 1, STRIDE + 1)

COUNT, SUM, SQUARES, STONES = 0, 1, 2, 3  # columns of `strings`
NOWHERE = 0  # index 0 is border: no point, no string

HISTORY = 4096  # places for the positions of a game under superko: a power of two, more than any game is long

FIELDS = [
    ("hash", np.uint64),  # of the stones on the board, whoever is to move
    ("strings", np.int32, (BOARD, 4)),  # by head: COUNT, SUM and SQUARES of the pseudo-liberties, STONES
    ("head", np.int16, (BOARD,)),  # by stone; 0 where there is none
    ("next_stone", np.int16, (BOARD,)),  # the next stone of the string's ring; 0 where there is none
    ("empties", np.int16, (MOST_POINTS,)),  # the empty points in any order, `empty_count` of them
    ("empty_at", np.int16, (BOARD,)),  # where an empty point is in that list
    ("ataris", np.int16, (MOST_POINTS,)),  # the heads of all strings in atari in any order, `atari_count` of them
    ("atari_at", np.int16, (BOARD,)),  # by head: 1 + where it is in that list; 0 = not in atari
    ("point_of", np.int16, (MOST_POINTS + 1,)),  # the point of a move; 0 for pass. The same all game long
    ("move_of", np.int16, (BOARD,)),  # the move of a point. The same all game long
    ("colour", np.int8, (BOARD,)),  # EMPTY, BLACK, WHITE or BORDER
    ("stone_count", np.int16, (2,)),  # on the board, by player
    ("empty_count", np.int16),
    ("atari_count", np.int16),
    ("ko", np.int16),  # the point where the player to move may not take back at once; 0 = none
    ("last_move", np.int16),  # -1 before the first
    ("second_last_move", np.int16),  # the one before; -1 where there is none
    ("size", np.int16),
    ("ply", np.int16),
    ("longest", np.int16),  # the game ends at this ply
    ("passes", np.int8),  # in a row, up to now
    ("to_play", np.int8),
    ("komi", np.int32),  # in half points
]
STATE = state_type("go", FIELDS)
SUPERKO_STATE = state_type("go_superko", [*FIELDS, ("history", np.uint64, (HISTORY,))])

ZOBRIST = np.array(random_words(2 * BOARD, 0x7E5F0), np.uint64)  # for each player and point: player * BOARD + point
EMPTY_BOARD_HASH = np.uint64(0x6A09E667F3BCC909)  # not 0, which marks a free place of the history


def longest_game(size: int) -> int:
    """A game that has this many plies ends and is scored as it stands. Sensible games are far shorter."""
    return 6 * size * size + 60


def empty_board(size: int, komi: int, superko: bool):
    """A record of the empty board. `komi` in half points."""
    state = np.zeros(1, SUPERKO_STATE if superko else STATE)[0]
    state["colour"][:] = BORDER
    for row in range(size):
        for column in range(size):
            move, point = row * size + column, (row + 1) * STRIDE + column + 1
            state["point_of"][move] = point
            state["move_of"][point] = move
            state["colour"][point] = EMPTY
            state["empties"][move] = point
            state["empty_at"][point] = move
    state["empty_count"] = size * size
    state["size"] = size
    state["komi"] = komi
    state["longest"] = longest_game(size)
    state["last_move"] = -1
    state["second_last_move"] = -1
    state["hash"] = EMPTY_BOARD_HASH
    start_history(state)
    return state


def start_history(state) -> None:
    """Under superko, the position at hand becomes the first that may not come back."""
    if "history" in (state.dtype.names or ()):
        state["history"][:] = 0
        state["history"][int(state["hash"]) % HISTORY] = state["hash"]

"""The record of a Lines of Action position: two sets of squares, 46 line counters, and what was seen since the last capture.

Square = 8 * row + column, both from 0: a1 is 0, h1 is 7, a8 is 56. Bit n of a set stands for square n. Player 0 is Black,
who begins.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import state_type
from tesuji.core.hashing import random_words

BLACK, WHITE = 0, 1
SQUARES = 64
LINES = 46  # 8 rows, 8 columns, 15 diagonals each way
MOST_PIECES = 12  # of a player
QUIET_LIMIT = 250  # plies without a capture that end the game as a draw
PLY_LIMIT = 1000  # and plies in all

STATE = state_type(
    "loa",
    [
        ("stones", np.uint64, (2,)),  # the squares of each player
        ("seen", np.uint64, (QUIET_LIMIT + 1,)),  # keys of the positions since the last capture; seen[quiet] is this one's
        ("counts", np.int8, (LINES,)),  # pieces of both players on each line (lines.py numbers them)
        ("to_play", np.int32),
        ("quiet", np.int32),  # plies since the last capture
        ("ply", np.int32),
        ("over", np.int32),  # 1 when the game has ended
        ("result", np.int32),  # then: +1 Black won, 0 a draw, -1 White won
        ("mover_wins", np.int32),  # rule: 1 = who connects both sides at once wins, 0 = that is a draw
        ("no_move_loses", np.int32),  # rule: 1 = a player without a move has lost, 0 = he passes
    ],
)
ZERO = np.uint64(0)
ONE = np.uint64(1)
PIECE_KEYS = np.array(random_words(2 * SQUARES), np.uint64).reshape(2, SQUARES)


def key_of(blacks: int, whites: int) -> int:
    """64 bits for the pieces on the board, whoever is to move: the exclusive or of a word for each piece (Zobrist 1970)."""
    key = 0
    for player, pieces in enumerate((int(blacks), int(whites))):
        for square in range(SQUARES):
            if pieces >> square & 1:
                key ^= int(PIECE_KEYS[player, square])
    return key

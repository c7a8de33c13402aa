"""What a network sees of Lines of Action. A move's place is its square in the plane of its direction: how far it goes is no
choice. A pass lies beside the board.
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements
from tesuji.core.encoding import Encoding
from tesuji.core.symmetry import SQUARE, cell_image
from tesuji.games.loa.lines import DIRECTIONS
from tesuji.games.loa.state import ONE, QUIET_LIMIT, SQUARES, STATE, ZERO

OWN, OTHER, QUIET, BOARD = 0, 1, 2, 3
NAMES = ("own", "other's", "plies without a capture", "board")


def _turned_direction(direction: int, number: int) -> int:
    across, up = DIRECTIONS[direction]
    row, column = cell_image(3 + up, 3 + across, 6, 6, number)
    return DIRECTIONS.index((column - 3, row - 3))


ENCODING = Encoding(
    8,
    8,
    NAMES,
    policy_planes=8,
    others=1,
    turns=tuple(range(SQUARE)),
    policy_turns=tuple(tuple(_turned_direction(d, number) for d in range(8)) for number in range(SQUARE)),
)


@implements(rules.planes, STATE)
def planes(state, planes):
    stones = state["stones"]
    player = state["to_play"]
    own, other = stones[player], stones[1 - player]
    quiet = np.float32(state["quiet"] / QUIET_LIMIT)
    one = np.float32(1)
    for square in range(SQUARES):
        row, column = square >> 3, square & 7
        planes[row, column, BOARD] = one
        planes[row, column, QUIET] = quiet
        if own >> np.uint64(square) & ONE != ZERO:
            planes[row, column, OWN] = one
        if other >> np.uint64(square) & ONE != ZERO:
            planes[row, column, OTHER] = one


@implements(rules.place, STATE)
def place(state, move):
    """A move is 8 * square + direction; the pass follows all of them."""
    return move if move >= 8 * SQUARES else (move & 7) * SQUARES + (move >> 3)

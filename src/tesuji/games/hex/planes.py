"""What a network sees of Hex: White's board is mirrored at the long diagonal, so that the player to move always joins top and
bottom. Square boards only. The swap lies beside the board, whether the rule is in use or not, so that one network serves both.
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements
from tesuji.core.encoding import Encoding
from tesuji.games.hex.rules import can_swap
from tesuji.games.hex.state import ONE, STATE, WHITE, ZERO

OWN, OTHER, LAST, MAY_SWAP, BOARD = 0, 1, 2, 3, 4
NAMES = ("own", "other's", "last move", "the swap is possible", "board")
TURNED = 3  # by 180 degrees


def encoding(size: int) -> Encoding:
    return Encoding(size, size, NAMES, others=1, turns=(0, TURNED))


@implements(rules.planes, STATE)
def planes(state, planes):
    stones = state["stones"]
    player = np.int64(state["to_play"])
    size = np.int64(state["width"])
    last = np.int64(state["last_move"])
    swap = can_swap(state)
    one = np.float32(1)
    for row in range(size):
        own, other = stones[player, row], stones[1 - player, row]
        for column in range(size):
            r, c = (column, row) if player == WHITE else (row, column)
            bit = ONE << np.uint32(column)
            planes[r, c, BOARD] = one
            if own & bit != ZERO:
                planes[r, c, OWN] = one
            if other & bit != ZERO:
                planes[r, c, OTHER] = one
            if row * size + column == last:
                planes[r, c, LAST] = one
            if swap:
                planes[r, c, MAY_SWAP] = one


@implements(rules.place, STATE)
def place(state, move):
    size = np.int64(state["width"])
    if state["to_play"] != WHITE or move >= size * size:
        return np.int64(move)
    return (move % size) * size + move // size

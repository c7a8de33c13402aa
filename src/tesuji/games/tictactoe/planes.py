"""What a network sees of tic-tac-toe. Moves are cells, so each is its own place."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements
from tesuji.core.encoding import Encoding
from tesuji.core.symmetry import SQUARE
from tesuji.games.tictactoe.state import STATE

OWN, OTHER, BOARD = 0, 1, 2
ENCODING = Encoding(3, 3, ("own", "other's", "board"), turns=tuple(range(SQUARE)))


@implements(rules.planes, STATE)
def planes(state, planes):
    stones = state["stones"]
    player = state["to_play"]
    one = np.float32(1)
    for cell in range(9):
        row, column = cell // 3, cell % 3
        planes[row, column, BOARD] = one
        if stones[player] >> cell & 1 != 0:
            planes[row, column, OWN] = one
        if stones[1 - player] >> cell & 1 != 0:
            planes[row, column, OTHER] = one

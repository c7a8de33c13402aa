"""The rules of tic-tac-toe."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, kernel
from tesuji.core.symmetry import SQUARE, cell_image
from tesuji.games.tictactoe.state import FULL, STATE

LEFT_COLUMN, TOP_ROW = 0b001_001_001, 0b111
DIAGONAL, ANTIDIAGONAL = 0b100_010_001, 0b001_010_100
MIX = np.uint64(0x9E3779B97F4A7C15)
U10, U31 = np.uint64(10), np.uint64(31)


@kernel
def has_line(stones):
    rows = stones & stones >> 1 & stones >> 2 & LEFT_COLUMN
    columns = stones & stones >> 3 & stones >> 6 & TOP_ROW
    return rows | columns != 0 or stones & DIAGONAL == DIAGONAL or stones & ANTIDIAGONAL == ANTIDIAGONAL


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    stones = state["stones"]
    occupied = stones[0] | stones[1]
    count = 0
    for cell in range(9):
        out[count] = cell  # written over by the next one if this cell is taken
        if occupied >> cell & 1 == 0:
            count += 1
    return count


@implements(rules.play, STATE)
def play(state, move):
    stones = state["stones"]
    player = state["to_play"]
    stones[player] |= 1 << move
    if has_line(stones[player]):
        state["winner"] = 1 - 2 * player
    state["to_play"] = 1 - player


@implements(rules.is_over, STATE)
def is_over(state):
    stones = state["stones"]
    return state["winner"] != 0 or stones[0] | stones[1] == FULL


@implements(rules.outcome, STATE)
def outcome(state):
    return state["winner"]


@implements(rules.position_hash, STATE)
def position_hash(state):
    stones = state["stones"]
    x = (np.uint64(stones[0]) << U10 | np.uint64(stones[1])) * MIX + MIX
    return (x ^ (x >> U31)) * MIX


@implements(rules.symmetries, STATE)
def symmetries(state):
    return SQUARE


@implements(rules.image, STATE)
def image(state, number, out):
    first, second = 0, 0
    stones = state["stones"]
    for cell in range(9):
        row, column = cell_image(cell // 3, cell % 3, 2, 2, number)
        first |= (stones[0] >> cell & 1) << (3 * row + column)
        second |= (stones[1] >> cell & 1) << (3 * row + column)
    images = out["stones"]
    images[0] = first
    images[1] = second

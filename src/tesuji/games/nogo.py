"""NoGo: put stones as in Go, but never capture, nor leave an own group without a liberty; whoever cannot move has lost."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implement_all, implements, kernel, state_type
from tesuji.core.encoding import Encoding
from tesuji.core.game import Game
from tesuji.core.random import below
from tesuji.core.symmetry import RECTANGLE, SQUARE
from tesuji.games import bitboard
from tesuji.games.bitboard import ONE, ZERO, add, bit_of, holds, lowered, raised
from tesuji.games.common import LAST_TO_MOVE_WINS
from tesuji.games.grid import Grid
from tesuji.games.strings import board_size, size_text

LARGEST = (bitboard.LARGEST, bitboard.LARGEST)
TRIALS, SIDES = 12, 4  # draws of a random cell before the legal ones are listed

STATE = state_type("nogo", [*bitboard.FIELDS, bitboard.CELLS, ("over", np.int32)])


@kernel
def beside(low, high, step):
    """The points beside a set, and points beyond the edges of the board."""
    a, b = raised(low, high, ONE)
    c, d = lowered(low, high, ONE)
    e, f = raised(low, high, step)
    g, h = lowered(low, high, step)
    return a | c | e | g, b | d | f | h


@kernel
def has_liberty(low, high, own_low, own_high, free_low, free_high, step):
    """Whether the group of these stones has a liberty: it is flooded until it has one, or does not grow."""
    while True:
        near_low, near_high = beside(low, high, step)
        if near_low & free_low | near_high & free_high != ZERO:
            return True
        near_low, near_high = low | near_low & own_low, high | near_high & own_high
        if near_low == low and near_high == high:
            return False
        low, high = near_low, near_high


@kernel
def is_legal(state, player, bit):
    """Whether the player may put a stone on this point."""
    stones, cells, step = state["stones"], state["cells"], np.uint64(state["columns"] + 1)
    own_low, own_high = stones[player, 0], stones[player, 1]
    other_low, other_high = stones[1 - player, 0], stones[1 - player, 1]
    low, high = bitboard.set_of(bit)
    if (own_low | other_low) & low | (own_high | other_high) & high != ZERO:
        return False
    free_low, free_high = cells[0] & ~(own_low | other_low | low), cells[1] & ~(own_high | other_high | high)
    if not has_liberty(low, high, own_low, own_high, free_low, free_high, step):
        return False
    near_low, near_high = beside(low, high, step)
    if near_low & other_low | near_high & other_high == ZERO:
        return True
    for side in range(SIDES):
        by = ONE if side < 2 else step
        near_low, near_high = raised(low, high, by) if side & 1 == 0 else lowered(low, high, by)
        near_low &= other_low
        near_high &= other_high
        touches = near_low | near_high != ZERO
        if touches and not has_liberty(near_low, near_high, other_low, other_high, free_low, free_high, step):
            return False
    return True


@implements(rules.moves, STATE)
def moves(state, out):
    columns, count = np.int64(state["columns"]), 0
    for row in range(state["rows"]):
        for column in range(columns):
            if is_legal(state, state["to_play"], row * (columns + 1) + column):
                out[count] = row * columns + column
                count += 1
    return count


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    """Draws points until one is legal, and lists the legal ones only when that takes long."""
    columns = np.int64(state["columns"])
    cells = columns * np.int64(state["rows"])
    for _ in range(TRIALS):
        cell = below(rng, cells)
        if is_legal(state, state["to_play"], bit_of(cell, columns)):
            return cell
    return np.int64(buffer[below(rng, rules.moves(state, buffer))])


@implements(rules.play, STATE)
def play(state, move):
    stones, player = state["stones"], state["to_play"]
    add(stones[player], bit_of(np.int64(move), np.int64(state["columns"])))
    state["to_play"] = 1 - player
    find_end(state)


@kernel
def find_end(state):
    columns = np.int64(state["columns"])
    for row in range(state["rows"]):
        for column in range(columns):
            if is_legal(state, state["to_play"], row * (columns + 1) + column):
                return
    state["over"] = 1


implement_all(STATE, LAST_TO_MOVE_WINS, bitboard.TWO_SETS)


@implements(rules.planes, STATE)
def planes(state, planes):
    """The stones, and where each player may put one."""
    stones, player = state["stones"], np.int64(state["to_play"])
    columns = np.int64(state["columns"])
    for row in range(state["rows"]):
        for column in range(columns):
            bit = row * (columns + 1) + column
            for side in range(2):
                if holds(stones[player ^ side], bit):
                    planes[row, column, side] = np.float32(1)
                if is_legal(state, player ^ side, bit):
                    planes[row, column, 2 + side] = np.float32(1)


# -- the game ----------------------------------------------------------------------------------------------------------------
def make(text: str) -> Game:
    """The game for 'N' or 'WxH'; '' is 9."""
    usage = f"nogo:N or nogo:WxH, W columns and H rows from 1 to {LARGEST[0]}, two points at least"
    columns, rows = board_size(text or "9", usage, (1, 2) if text in ("1", "1x1") else (1, 1), LARGEST)
    cells = columns * rows
    start = bitboard.empty_board(STATE, columns, rows)

    grid = Grid(columns, rows, bitboard.holder_of(columns))
    names, images = ("own", "other's", "own legal", "other's legal"), SQUARE if columns == rows else RECTANGLE
    return Game(
        name=f"nogo:{size_text(columns, rows)}",
        title="NoGo",
        goal="Be the last who can put down a stone.",
        how_to_play=(
            "The players take turns to put a stone on a free point, as in Go; Black begins. A move that "
            "captures, or that leaves a group of one's own without a liberty, is forbidden. Who has no move has "
            "lost."
        ),
        click="Click a free point to put a stone there.",
        won_by="a3 a4 b2 d4 c4 c3 a1 d3 a2 c1 b1 c2 d1",
        won_in="nogo:4",
        initial=start,
        outcomes=(-1, 1),
        move_count=cells,
        max_plies=cells,
        player_names=("Black", "White"),
        move_text=lambda _state, move: grid.name(move),
        draw=grid.draw,
        points=cells,
        board=grid.board(captures=False),
        picture=grid.picture(lambda _state, move: (move,), on_lines=True),
        encoding=Encoding(rows, columns, names, turns=tuple(range(images))),
    )

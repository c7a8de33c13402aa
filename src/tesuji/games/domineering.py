"""Domineering: one player puts dominoes upright, the other across; whoever finds no room has lost."""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implement_all, implements, kernel, state_type
from tesuji.core.encoding import Encoding
from tesuji.core.game import Game
from tesuji.core.random import below
from tesuji.core.symmetry import RECTANGLE
from tesuji.games import bitboard
from tesuji.games.bitboard import ZERO, add, bit_of, cell_of, holds, lowered, nth_bit, pairs_along, raised, remove, size_of
from tesuji.games.common import LAST_TO_MOVE_WINS
from tesuji.games.grid import Grid
from tesuji.games.strings import board_size, size_text

LARGEST = (bitboard.LARGEST, bitboard.LARGEST)

STATE = state_type(
    "domineering",
    [
        ("free", np.uint64, (2,)),  # cells without a domino
        ("taken", np.uint64, (2, 2)),  # by the dominoes of each player: only to be drawn
        ("columns", np.int32),
        ("rows", np.int32),
        ("to_play", np.int32),  # 0 puts dominoes upright, 1 across
        ("over", np.int32),
    ],
)


@kernel
def step_of(state, player):
    """How many bits are between the two cells of a player's domino."""
    return np.int64(state["columns"]) + 1 if player == 0 else 1


@kernel
def rooms(state, player):
    """The first cells of the places where a player can put a domino; the second is above it or to the right."""
    free = state["free"]
    low, high = lowered(free[0], free[1], np.uint64(step_of(state, player)))
    return free[0] & low, free[1] & high


@kernel
def first_number(state):
    """The moves of player 1 have other numbers than those of player 0."""
    return np.int64(state["to_play"]) * np.int64(state["columns"]) * np.int64(state["rows"])


@implements(rules.moves, STATE)
def moves(state, out):
    low, high = rooms(state, state["to_play"])
    return bitboard.write_cells(low, high, np.int64(state["columns"]), 1, first_number(state), out, 0)


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    low, high = rooms(state, state["to_play"])
    bit = nth_bit(low, high, below(rng, size_of(low, high)))
    return first_number(state) + cell_of(bit, np.int64(state["columns"]))


@implements(rules.play, STATE)
def play(state, move):
    free, taken, player = state["free"], state["taken"], np.int64(state["to_play"])
    bit = bit_of(np.int64(move) - first_number(state), np.int64(state["columns"]))
    for _ in range(2):
        remove(free, bit)
        add(taken[player], bit)
        bit += step_of(state, player)
    state["to_play"] = 1 - player
    find_end(state)


@kernel
def find_end(state):
    low, high = rooms(state, state["to_play"])
    state["over"] = 1 if low | high == ZERO else 0


implement_all(STATE, LAST_TO_MOVE_WINS)


# -- bounds: safe moves ------------------------------------------------------------------------------------------------------
@implements(rules.bounds, STATE)
def bounds(state, lowest, highest):
    """A player wins who is sure of more moves than the other can have at most, or of as many if the other is to move."""
    player = np.int64(state["to_play"])
    sign = 1 - 2 * player
    if sure_moves(state, player, True) > most_moves(state, 1 - player):
        return sign, sign
    if sure_moves(state, 1 - player, False) >= most_moves(state, player):
        return -sign, -sign
    return lowest, highest


@kernel
def most_moves(state, player):
    """How many dominoes of a player fit on the board."""
    free = state["free"]
    count, _low, _high = pairs_along(free[0], free[1], step_of(state, player))
    return count


@kernel
def sure_moves(state, player, moves_next):
    """How many moves a player is sure of: those that the other can never spoil, and a third of those of which a domino of the
    other spoils two at most while he takes one himself.
    """
    free, step, across = state["free"], step_of(state, player), np.uint64(step_of(state, 1 - player))
    up_low, up_high = raised(free[0], free[1], across)
    down_low, down_high = lowered(free[0], free[1], across)
    safe_low, safe_high = free[0] & ~(up_low | down_low), free[1] & ~(up_high | down_high)
    safe, low, high = pairs_along(safe_low, safe_high, step)
    next_low, next_high = raised(low, high, np.uint64(step))
    open_moves, _low, _high = pairs_along(free[0] & ~(low | next_low), free[1] & ~(high | next_high), step)
    return safe + (open_moves + 2 * np.int64(moves_next)) // 3


# -- equal positions ---------------------------------------------------------------------------------------------------------
@implements(rules.position_hash, STATE)
def position_hash(state):
    free = state["free"]
    return bitboard.hash_of_sets(free, free, np.uint64(state["to_play"]))


@implements(rules.symmetries, STATE)
def symmetries(state):
    """Rows and columns cannot be exchanged: the players would be."""
    return RECTANGLE


@implements(rules.image, STATE)
def image(state, number, out):
    """Whose dominoes they are does not matter any more, so that equal positions become equal records."""
    columns, rows = np.int64(state["columns"]), np.int64(state["rows"])
    free, taken, images = state["free"], state["taken"], out["taken"]
    bitboard.write_image(free, rows, columns, number, out["free"])
    images[1, 0] = ZERO
    images[1, 1] = ZERO
    images[0, 0] = taken[0, 0] | taken[1, 0]
    images[0, 1] = taken[0, 1] | taken[1, 1]
    bitboard.write_image(images[0], rows, columns, number, images[0])


@implements(rules.symmetric_hash, STATE)
def symmetric_hash(state, _image_buffer):
    free, rows, columns = state["free"], np.int64(state["rows"]), np.int64(state["columns"])
    return bitboard.least_hash(free, free, rows, columns, RECTANGLE, np.uint64(state["to_play"]))


# -- what networks see: cells at even rows and columns, and between two of them the dominoes ---------------------------------
@implements(rules.planes, STATE)
def planes(state, planes):
    free, one = state["free"], np.float32(1)
    columns, rows = np.int64(state["columns"]), np.int64(state["rows"])
    for row in range(2 * rows - 1):
        for column in range(2 * columns - 1):
            planes[row, column, 2] = one
            if state["to_play"] == 0:
                planes[row, column, 1] = one
            bit = np.int64(row // 2 * (columns + 1) + column // 2)
            if row % 2 == 0 and column % 2 == 0 and holds(free, bit):
                planes[row, column, 0] = one


@implements(rules.place, STATE)
def place(state, move):
    columns = np.int64(state["columns"])
    cell = np.int64(move) - first_number(state)
    row = cell // columns
    width = 2 * columns - 1
    return 2 * row * width + 2 * (cell - row * columns) + (width if state["to_play"] == 0 else 1)


# -- the game ----------------------------------------------------------------------------------------------------------------
def make(text: str) -> Game:
    """The game for 'N' or 'WxH'; '' is 8."""
    usage = f"domineering:N or domineering:WxH, W columns and H rows from 1 to {LARGEST[0]}, two cells at least"
    columns, rows = board_size(text or "8", usage, (1, 2) if text in ("1", "1x1") else (1, 1), LARGEST)
    cells = columns * rows
    start = bitboard.empty_board(STATE, columns, rows)
    bitboard.set_words(start["free"], bitboard.board_bits(columns, rows))
    find_end(start)

    def ends(_state: Any, move: int) -> tuple[int, int]:
        return (move, move + columns) if move < cells else (move - cells, move - cells + 1)

    grid = Grid(columns, rows, bitboard.holder_of(columns, "taken"))
    names = ("free", "upright to move", "board")
    return Game(
        name=f"domineering:{size_text(columns, rows)}",
        title="Domineering",
        goal="Be the last who finds room for a domino.",
        how_to_play=(
            "The players take turns to put a domino on two free cells that are side by side. The first player "
            "puts them upright, the second across. Who finds no room has lost."
        ),
        click="Click the lower or the left cell of a domino, then its other cell.",
        won_by="b3-b4 b2-c2 c3-c4 b1-c1 d3-d4",
        won_in="domineering:4",
        initial=start,
        outcomes=(-1, 1),
        move_count=2 * cells,
        max_plies=max(1, cells // 2),
        max_moves=cells,
        player_names=("upright", "across"),
        move_text=lambda state, move: grid.names(*ends(state, move)),
        draw=grid.draw,
        points=cells,
        picture=grid.picture(ends, input="from-to", piece="tile"),
        encoding=Encoding(2 * rows - 1, 2 * columns - 1, names, turns=tuple(range(RECTANGLE))),
    )

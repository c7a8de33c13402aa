"""Breakthrough: pieces go one step forwards, straight or diagonally, and capture diagonally; the first on the far side wins."""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implement_all, implements, kernel, state_type
from tesuji.core.encoding import Encoding
from tesuji.core.game import Game
from tesuji.core.random import below
from tesuji.games import bitboard
from tesuji.games.bitboard import ZERO, add, bit_of, cell_of, holds, lowered, nth_bit, raised, remove, size_of
from tesuji.games.common import FIRST_TO_SUCCEED
from tesuji.games.grid import Grid
from tesuji.games.strings import board_size, size_text

SMALLEST = (2, 4)  # columns and rows
LARGEST = (bitboard.LARGEST, bitboard.LARGEST)
WAYS = 3  # a move is WAYS * cell + way: towards column a, straight, away from it

# Player 0 goes up.
STATE = state_type("breakthrough", [*bitboard.FIELDS, bitboard.CELLS, ("winner", np.int32)])


@kernel
def movers(state, player, way):
    """The pieces of a player that can go that way."""
    stones, cells = state["stones"], state["cells"]
    own_low, own_high = stones[player, 0], stones[player, 1]
    low, high = cells[0] & ~own_low, cells[1] & ~own_high  # where one may go
    if way == 1:
        low &= ~stones[1 - player, 0]
        high &= ~stones[1 - player, 1]
    if player == 0:
        low, high = lowered(low, high, np.uint64(state["columns"] + way))
    else:
        low, high = raised(low, high, np.uint64(state["columns"] + 2 - way))
    return own_low & low, own_high & high


@implements(rules.moves, STATE)
def moves(state, out):
    count, columns = 0, np.int64(state["columns"])
    for way in range(WAYS):
        low, high = movers(state, state["to_play"], way)
        count = bitboard.write_cells(low, high, columns, WAYS, way, out, count)
    return count


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    player = state["to_play"]
    left_low, left_high = movers(state, player, 0)
    low, high = movers(state, player, 1)
    right_low, right_high = movers(state, player, 2)
    left, straight = size_of(left_low, left_high), size_of(low, high)
    number, way = below(rng, left + straight + size_of(right_low, right_high)), 1
    if number < left:
        low, high, way = left_low, left_high, 0
    elif number < left + straight:
        number -= left
    else:
        low, high, way = right_low, right_high, 2
        number -= left + straight
    return WAYS * cell_of(nth_bit(low, high, number), np.int64(state["columns"])) + way


@implements(rules.play, STATE)
def play(state, move):
    stones = state["stones"]
    columns, player = np.int64(state["columns"]), np.int64(state["to_play"])
    cell = np.int64(move) // WAYS
    way = np.int64(move) - WAYS * cell
    bit = bit_of(cell, columns)
    target = bit + columns + way if player == 0 else bit - columns - 2 + way
    remove(stones[player], bit)
    add(stones[player], target)
    if holds(stones[1 - player], target):
        remove(stones[1 - player], target)
    row = target // (columns + 1)
    goal = np.int64(state["rows"]) - 1 if player == 0 else 0
    if row == goal or stones[1 - player, 0] | stones[1 - player, 1] == ZERO:
        state["winner"] = 1 - 2 * player
    state["to_play"] = 1 - player


@implements(rules.bounds, STATE)
def bounds(state, lowest, highest):
    """A piece one step from the far side always has a diagonal step to it: who has one wins on his turn, and also on
    the other's if that cannot capture it, or if there are two of them.
    """
    player = np.int64(state["to_play"])
    wins = 0
    low, high = one_step_away(state, player)
    if low | high != ZERO:
        wins = 1 - 2 * player
    else:
        low, high = one_step_away(state, 1 - player)
        count = size_of(low, high)
        if count > 1 or (count == 1 and not can_capture(state, player, low, high)):
            wins = 2 * player - 1
    return (lowest if wins <= 0 else highest), (highest if wins >= 0 else lowest)


@kernel
def one_step_away(state, player):
    """The pieces of a player on the row before the last."""
    stones, step = state["stones"], np.uint64(state["columns"] + 1)
    low, high = (bitboard.ONE << step) - bitboard.ONE, ZERO  # a row, from the first one on
    for _ in range(state["rows"] - 2 if player == 0 else 1):
        low, high = raised(low, high, step)
    return stones[player, 0] & low, stones[player, 1] & high


@kernel
def can_capture(state, player, low, high):
    """Whether a piece of the player stands diagonally before one of these cells."""
    stones, columns = state["stones"], np.uint64(state["columns"])
    for beside in range(2):
        step = columns + np.uint64(2 * beside)
        from_low, from_high = lowered(low, high, step) if player == 0 else raised(low, high, step)
        if stones[player, 0] & from_low | stones[player, 1] & from_high != ZERO:
            return True
    return False


@implements(rules.symmetries, STATE)
def symmetries(state):
    """Itself and its mirror image."""
    return 2


implement_all(STATE, FIRST_TO_SUCCEED, bitboard.TWO_SETS)


# -- what networks see: the player to move goes up ---------------------------------------------------------------------------
@implements(rules.planes, STATE)
def planes(state, planes):
    cells = state["cells"]
    bitboard.show_stones(state, state["to_play"] == 1, planes)
    bitboard.show_set(cells[0], cells[1], np.int64(state["rows"]), np.int64(state["columns"]), False, planes, 2)


@implements(rules.place, STATE)
def place(state, move):
    rows, columns = np.int64(state["rows"]), np.int64(state["columns"])
    cell = np.int64(move) // WAYS
    way = np.int64(move) - WAYS * cell
    if state["to_play"] == 1:
        row = cell // columns
        cell += (rows - 1 - 2 * row) * columns
    return way * rows * columns + cell


# -- the game ----------------------------------------------------------------------------------------------------------------
def make(text: str) -> Game:
    """The game for 'N' or 'WxH'; '' is 8."""
    usage = f"breakthrough:N or breakthrough:WxH, W columns from 2 to {LARGEST[0]} and H rows from 4 to {LARGEST[1]}"
    columns, rows = board_size(text or "8", usage, SMALLEST, LARGEST)
    cells, rank = columns * rows, columns + 1
    start = bitboard.empty_board(STATE, columns, rows)
    both_ranks = bitboard.board_bits(columns, 2)
    bitboard.set_words(start["stones"][0], both_ranks)
    bitboard.set_words(start["stones"][1], both_ranks << (rows - 2) * rank)

    def ends(state: Any, move: int) -> tuple[int, int]:
        cell, way = divmod(move, WAYS)
        return cell, cell + (columns if state["to_play"] == 0 else -columns) + way - 1

    grid = Grid(columns, rows, bitboard.holder_of(columns))
    names, turned = ("own", "other's", "board"), ((0, 1, 2), (2, 1, 0))
    return Game(
        name=f"breakthrough:{size_text(columns, rows)}",
        title="Breakthrough",
        goal="Bring one piece to the far row.",
        how_to_play=(
            "The players take turns to move a piece one step forwards, straight or diagonally; White, at the "
            "bottom, begins. A diagonal step may capture. Who captures the last piece wins, too."
        ),
        click="Click a piece, then the cell that it goes to.",
        won_by="b2-a3 b3-b2 a3-b4",
        won_in="breakthrough:4",
        initial=start,
        outcomes=(-1, 1),
        move_count=WAYS * cells,
        max_plies=2 * columns * (2 * rows - 3),  # all pieces of both players from their two ranks to the far side
        max_moves=WAYS * 2 * columns,
        player_names=("White", "Black"),
        move_text=lambda state, move: grid.names(*ends(state, move)),
        draw=grid.draw,
        points=cells,
        picture=grid.picture(ends, surface="chequered", input="from-to", colours=("white", "black"), signs=("○", "●")),
        encoding=Encoding(rows, columns, names, policy_planes=WAYS, turns=(0, 1), policy_turns=turned),
    )

"""Clobber: a stone goes to a cell beside it and takes the opponent's stone there; whoever cannot do that has lost."""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implement_all, implements, kernel, state_type
from tesuji.core.encoding import Encoding
from tesuji.core.game import Game
from tesuji.core.random import below
from tesuji.core.symmetry import RECTANGLE, SQUARE
from tesuji.games import bitboard
from tesuji.games.bitboard import ZERO, add, bit_of, cell_of, lowered, nth_bit, raised, remove, size_of
from tesuji.games.common import LAST_TO_MOVE_WINS
from tesuji.games.grid import Grid, turned_steps
from tesuji.games.strings import board_size, size_text

LARGEST = (bitboard.LARGEST, bitboard.LARGEST)
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))  # columns and rows of each way; a move is WAYS * cell + way
WAYS = len(STEPS)

STATE = state_type("clobber", [*bitboard.FIELDS, ("over", np.int32)])


@kernel
def movers(state, player, way):
    """The stones of a player that can go that way."""
    stones = state["stones"]
    low, high = stones[1 - player, 0], stones[1 - player, 1]
    step = np.uint64(1 if way & 1 == 0 else state["columns"] + 1)
    low, high = lowered(low, high, step) if way < 2 else raised(low, high, step)
    return stones[player, 0] & low, stones[player, 1] & high


@implements(rules.moves, STATE)
def moves(state, out):
    count = 0
    for way in range(WAYS):
        low, high = movers(state, state["to_play"], way)
        count = bitboard.write_cells(low, high, np.int64(state["columns"]), WAYS, way, out, count)
    return count


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    player, total = state["to_play"], 0
    for way in range(WAYS):
        low, high = movers(state, player, way)
        total += size_of(low, high)
    number, way = below(rng, total), 0
    low, high = movers(state, player, 0)
    while number >= size_of(low, high):
        number -= size_of(low, high)
        way += 1
        low, high = movers(state, player, way)
    return WAYS * cell_of(nth_bit(low, high, number), np.int64(state["columns"])) + way


@implements(rules.play, STATE)
def play(state, move):
    stones, player, columns = state["stones"], np.int64(state["to_play"]), np.int64(state["columns"])
    cell, way = np.int64(move) >> 2, np.int64(move) & 3
    bit = bit_of(cell, columns)
    step = 1 if way & 1 == 0 else columns + 1
    target = bit + step if way < 2 else bit - step
    remove(stones[player], bit)
    remove(stones[1 - player], target)
    add(stones[player], target)
    state["to_play"] = 1 - player
    find_end(state)


@kernel
def find_end(state):
    for way in range(WAYS):
        low, high = movers(state, np.int64(state["to_play"]), way)
        if low | high != ZERO:
            return
    state["over"] = 1


implement_all(STATE, LAST_TO_MOVE_WINS, bitboard.TWO_SETS)


# -- what networks see -------------------------------------------------------------------------------------------------------
@implements(rules.planes, STATE)
def planes(state, planes):
    bitboard.show_stones(state, False, planes)


@implements(rules.place, STATE)
def place(state, move):
    return (np.int64(move) & 3) * np.int64(state["rows"]) * np.int64(state["columns"]) + (np.int64(move) >> 2)


# -- the game ----------------------------------------------------------------------------------------------------------------
def make(text: str) -> Game:
    """The game for 'N' or 'WxH'; '' is 6x5."""
    usage = f"clobber:N or clobber:WxH, W columns and H rows from 1 to {LARGEST[0]}, two cells at least"
    columns, rows = board_size(text or "6x5", usage, (1, 2) if text in ("1", "1x1") else (1, 1), LARGEST)
    cells = columns * rows
    start = bitboard.empty_board(STATE, columns, rows)
    for cell in range(cells):
        add(start["stones"][(cell % columns + cell // columns) % 2], bit_of(cell, columns))
    find_end(start)

    def ends(_state: Any, move: int) -> tuple[int, int]:
        cell, way = divmod(move, WAYS)
        return cell, cell + STEPS[way][0] + columns * STEPS[way][1]

    grid, images = Grid(columns, rows, bitboard.holder_of(columns)), SQUARE if columns == rows else RECTANGLE
    turned = turned_steps(STEPS, images)
    return Game(
        name=f"clobber:{size_text(columns, rows)}",
        title="Clobber",
        goal="Be the last who can take a stone.",
        how_to_play=(
            "In turn, one of your stones moves to a cell beside it, across or up and down, and takes the "
            "opponent's stone there; White begins. Every move takes a stone. Who has no move has lost."
        ),
        click="Click one of your stones, then the stone beside it that it takes.",
        won_by="d2-c2 a4-b4 c3-b3 d3-d4 c1-b1 a2-b2 b3-b2",
        won_in="clobber:4x4",
        initial=start,
        outcomes=(-1, 1),
        move_count=WAYS * cells,
        max_plies=cells - 1,
        max_moves=WAYS * (cells + 1) // 2,
        player_names=("White", "Black"),
        move_text=lambda state, move: grid.names(*ends(state, move)),
        draw=grid.draw,
        points=cells,
        picture=grid.picture(ends, input="from-to", colours=("white", "black"), signs=("○", "●")),
        encoding=Encoding(
            rows, columns, ("own", "other's"), policy_planes=WAYS, turns=tuple(range(images)), policy_turns=turned
        ),
    )

"""Ataxx: a piece splits to a cell beside it or jumps two cells away, and takes over what it then touches; the majority wins."""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implement_all, implements, kernel, state_type
from tesuji.core.encoding import Encoding
from tesuji.core.game import Game
from tesuji.core.position import Position
from tesuji.core.random import below
from tesuji.core.symmetry import SQUARE
from tesuji.games import bitboard
from tesuji.games.bitboard import ONE, ZERO, add, bit_of, cell_of, lowered, nth_bit, raised, remove, size_of
from tesuji.games.grid import Grid, turned_steps
from tesuji.games.strings import side_length

SMALLEST, LARGEST = 4, bitboard.LARGEST
QUIET_LIMIT = 50  # moves in a row without a new piece, after which the game is over
JUMPS = tuple((across, up) for across in range(-2, 3) for up in range(-2, 3) if max(abs(across), abs(up)) == 2)
JUMP_COUNT = len(JUMPS)
ACROSS, UP = np.array([jump[0] for jump in JUMPS], np.int64), np.array([jump[1] for jump in JUMPS], np.int64)
PASS_TEXT = "pass"

# Moves, for N cells: the cell to which a piece splits; N + JUMP_COUNT * cell + jump from a cell; then the pass.
STATE = state_type(
    "ataxx",
    [
        *bitboard.FIELDS,
        bitboard.CELLS,
        ("quiet", np.int32),  # moves since the last new piece
        ("over", np.int32),
    ],
)


@kernel
def free_cells(state):
    stones, cells = state["stones"], state["cells"]
    return cells[0] & ~(stones[0, 0] | stones[1, 0]), cells[1] & ~(stones[0, 1] | stones[1, 1])


@kernel
def spread(state, low, high):
    """A set with all cells around it."""
    cells, step = state["cells"], np.uint64(state["columns"] + 1)
    left_low, left_high = raised(low, high, ONE)
    right_low, right_high = lowered(low, high, ONE)
    low = (low | left_low | right_low) & cells[0]
    high = (high | left_high | right_high) & cells[1]
    up_low, up_high = raised(low, high, step)
    down_low, down_high = lowered(low, high, step)
    return (low | up_low | down_low) & cells[0], (high | up_high | down_high) & cells[1]


@kernel
def splits(state):
    """The cells to which a piece of the player to move can split."""
    stones, player = state["stones"], state["to_play"]
    low, high = spread(state, stones[player, 0], stones[player, 1])
    free_low, free_high = free_cells(state)
    return low & free_low, high & free_high


@kernel
def jumpers(state, jump):
    """The pieces of the player to move for which a jump ends on a free cell of the board."""
    stones, cells, player = state["stones"], state["cells"], state["to_play"]
    low, high = free_cells(state)
    across, up, step = ACROSS[jump], UP[jump], np.uint64(state["columns"] + 1)
    for _ in range(abs(across)):  # from the ends back to the beginnings, one column at a time, and never around an edge
        low, high = lowered(low, high, ONE) if across > 0 else raised(low, high, ONE)
        low &= cells[0]
        high &= cells[1]
    for _ in range(abs(up)):
        low, high = lowered(low, high, step) if up > 0 else raised(low, high, step)
    return stones[player, 0] & low, stones[player, 1] & high


@implements(rules.moves, STATE)
def moves(state, out):
    size = np.int64(state["columns"])
    low, high = splits(state)
    count = bitboard.write_cells(low, high, size, 1, 0, out, 0)
    for jump in range(JUMP_COUNT):
        low, high = jumpers(state, jump)
        count = bitboard.write_cells(low, high, size, JUMP_COUNT, size * size + jump, out, count)
    if count == 0:
        out[0] = (1 + JUMP_COUNT) * size * size
        count = 1
    return count


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    size = np.int64(state["columns"])
    low, high = splits(state)
    total = size_of(low, high)
    for jump in range(JUMP_COUNT):
        jump_low, jump_high = jumpers(state, jump)
        total += size_of(jump_low, jump_high)
    if total == 0:
        return (1 + JUMP_COUNT) * size * size
    number = below(rng, total)
    if number < size_of(low, high):
        return cell_of(nth_bit(low, high, number), size)
    jump = -1
    while number >= size_of(low, high):
        number -= size_of(low, high)
        jump += 1
        low, high = jumpers(state, jump)
    return size * size + JUMP_COUNT * cell_of(nth_bit(low, high, number), size) + jump


@implements(rules.play, STATE)
def play(state, move):
    stones, player, size = state["stones"], np.int64(state["to_play"]), np.int64(state["columns"])
    cells = size * size
    state["quiet"] += 1
    if move < cells:
        state["quiet"] = 0
        take(state, player, bit_of(move, size))
    elif move < (1 + JUMP_COUNT) * cells:
        cell = (np.int64(move) - cells) // JUMP_COUNT
        jump = np.int64(move) - cells - JUMP_COUNT * cell
        bit = bit_of(cell, size)
        remove(stones[player], bit)
        take(state, player, bit + ACROSS[jump] + UP[jump] * (size + 1))
    state["to_play"] = 1 - player
    find_end(state)


@kernel
def take(state, player, bit):
    """Puts a piece on a cell and takes over the other's pieces around it."""
    stones = state["stones"]
    low, high = bitboard.set_of(bit)
    near_low, near_high = spread(state, low, high)
    near_low &= stones[1 - player, 0]
    near_high &= stones[1 - player, 1]
    stones[1 - player, 0] ^= near_low
    stones[1 - player, 1] ^= near_high
    stones[player, 0] |= near_low | low
    stones[player, 1] |= near_high | high


@kernel
def find_end(state):
    """Over is a game with a full board, with pieces of one player only, or in which nothing new has come for long."""
    stones = state["stones"]
    low, high = free_cells(state)
    gone = stones[0, 0] | stones[0, 1] == ZERO or stones[1, 0] | stones[1, 1] == ZERO
    state["over"] = 1 if low | high == ZERO or gone or state["quiet"] >= QUIET_LIMIT else 0


@implements(bitboard.rest_of, STATE)
def rest_of(state):
    return np.uint64(2 * state["quiet"] + state["to_play"])


implement_all(STATE, bitboard.MAJORITY_WINS, bitboard.TWO_SETS)


# -- what networks see -------------------------------------------------------------------------------------------------------
@implements(rules.planes, STATE)
def planes(state, planes):
    size, quiet = np.int64(state["columns"]), np.float32(state["quiet"] / QUIET_LIMIT)
    bitboard.show_stones(state, False, planes)
    for row in range(size):
        for column in range(size):
            planes[row, column, 2] = quiet
            planes[row, column, 3] = np.float32(1)


@implements(rules.place, STATE)
def place(state, move):
    """Splits in the first plane, each jump in one of its own."""
    cells = np.int64(state["columns"]) * np.int64(state["columns"])
    jump = np.int64(move) - cells
    if jump < 0 or jump >= JUMP_COUNT * cells:
        return np.int64(move)
    return (1 + jump % JUMP_COUNT) * cells + jump // JUMP_COUNT


# -- the game ----------------------------------------------------------------------------------------------------------------
def make(text: str) -> Game:
    """The game for the size of its board; '' is 7."""
    usage = f"ataxx:N on a board of NxN, N from {SMALLEST} to {LARGEST}"
    size = side_length(text or "7", usage, range(SMALLEST, LARGEST + 1))
    cells, last = size * size, size - 1
    start = bitboard.empty_board(STATE, size, size)
    for row, column, player in ((0, 0, 1), (last, last, 1), (0, last, 0), (last, 0, 0)):
        add(start["stones"][player], row * (size + 1) + column)

    def parts(_state: Any, move: int) -> tuple[int, ...]:
        if move < cells:
            return (move,)
        cell, jump = divmod(move - cells, JUMP_COUNT)
        return () if cell >= cells else (cell, cell + JUMPS[jump][0] + size * JUMPS[jump][1])

    def caption(position: Position) -> str:
        count = [sum(int(word).bit_count() for word in words) for words in position.state["stones"]]
        return f"Red {count[0]}, Blue {count[1]}"

    grid = Grid(size, size, bitboard.holder_of(size))
    turned = [(0, *(1 + jump for jump in jumps)) for jumps in turned_steps(JUMPS, SQUARE)]
    names = ("own", "other's", "moves without a new piece", "board")
    return Game(
        name=f"ataxx:{size}",
        title="Ataxx",
        goal="Have more pieces than your opponent at the end.",
        how_to_play=(
            "A piece splits to a free cell beside it, or jumps to one that is two cells away; Red begins. All of "
            "the opponent's pieces around that cell then change hands. Who has no move passes. When the board is "
            "full, or a player has no piece left, whoever has more has won."
        ),
        click="Click a cell twice to split to it, or a piece and then the cell that it jumps to.",
        won_by="a4-a2 d4-b3 a1-c2 a2-c4 b2 c4-a2 c2-b4 a2-c2 b4-a2 d2 c1",
        won_in="ataxx:4",
        initial=start,
        outcomes=(-cells, cells),
        move_count=(1 + JUMP_COUNT) * cells + 1,
        max_plies=(cells - 3) * QUIET_LIMIT,
        max_moves=(1 + JUMP_COUNT) * cells,
        player_names=("Red", "Blue"),
        move_text=lambda state, move: grid.names(*parts(state, move)) or PASS_TEXT,
        draw=grid.draw,
        points=cells,
        picture=grid.picture(parts, input="from-to", caption=caption, colours=("red", "blue"), signs=("x", "o")),
        encoding=Encoding(
            size, size, names, policy_planes=1 + JUMP_COUNT, others=1, turns=tuple(range(SQUARE)), policy_turns=tuple(turned)
        ),
    )

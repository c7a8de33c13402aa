"""Gomoku and all m,n,k games: whoever first has `length` stones or more in a row wins; a full board is a draw."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implement_all, implements, kernel, state_type
from tesuji.core.encoding import Encoding
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.hashing import mixed, random_words
from tesuji.core.numba.bits import lowest_bit
from tesuji.core.picture.rows import in_rows
from tesuji.core.position import Position
from tesuji.core.random import U32, below, next_u64
from tesuji.core.symmetry import RECTANGLE, SQUARE, cell_image
from tesuji.games import bitboard
from tesuji.games.common import FIRST_TO_SUCCEED_OR_DRAW
from tesuji.games.grid import Grid
from tesuji.games.strings import board_size, size_text, whole_numbers

LARGEST = 19
MOST_CELLS = LARGEST * LARGEST
DEFAULT_LENGTH = 5
AXES, TRIALS = 4, 12  # draws of a random cell before the free ones are listed
ZERO, ONE = np.uint32(0), np.uint32(1)
NO_KEY, LOW_BITS = np.uint64(0), np.uint64(0xFFFFFFFF)
CELL_KEYS = np.array(random_words(2 * MOST_CELLS, 0x60C0), np.uint64).reshape(2, LARGEST, LARGEST)
NOWHERE = -1

STATE = state_type(
    "gomoku",
    [
        ("key", np.uint64),  # of the stones
        ("stones", np.uint32, (2, LARGEST)),  # of each player, a bit mask a row
        ("columns", np.int32),
        ("rows", np.int32),
        ("length", np.int32),  # stones in a row that win
        ("left", np.int32),  # free cells
        ("to_play", np.int32),
        ("winner", np.int32),
    ],
)


@implements(rules.moves, STATE)
def moves(state, out):
    stones, columns = state["stones"], np.int64(state["columns"])
    count = 0
    for row in range(state["rows"]):
        taken = stones[0, row] | stones[1, row]
        for column in range(columns):
            out[count] = row * columns + column  # written over by the next one if this cell is taken
            count += 1 - np.int64(taken >> np.uint32(column) & ONE)
    return count


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    """Draws a row and a column until the cell is free, and lists the free cells only when that takes long."""
    stones, columns, rows = state["stones"], np.int64(state["columns"]), np.int64(state["rows"])
    for _ in range(TRIALS):
        bits = next_u64(rng)
        row = np.int64(((bits >> U32) * np.uint64(rows)) >> U32)
        column = np.int64(((bits & LOW_BITS) * np.uint64(columns)) >> U32)
        if (stones[0, row] | stones[1, row]) >> np.uint32(column) & ONE == ZERO:
            return row * columns + column
    return np.int64(buffer[below(rng, rules.moves(state, buffer))])


@implements(rules.play, STATE)
def play(state, move):
    stones, player, columns = state["stones"], np.int64(state["to_play"]), np.int64(state["columns"])
    row = np.int64(np.int32(move) // np.int32(columns))
    column = np.int64(move) - row * columns
    stones[player, row] |= ONE << np.uint32(column)
    state["key"] ^= CELL_KEYS[player, row, column]
    state["left"] -= 1
    for axis in range(AXES):
        up, across = (0 if axis == 0 else 1), (1 if axis < 2 else 0 if axis == 2 else -1)
        beyond = stones_along(state, player, row, column, up, across) + stones_along(state, player, row, column, -up, -across)
        if beyond + 1 >= state["length"]:
            state["winner"] = 1 - 2 * player
    state["to_play"] = 1 - player


@kernel
def stones_along(state, player, row, column, up, across):
    """How many stones of a player follow on a cell in a direction."""
    stones, columns, rows = state["stones"], np.int64(state["columns"]), np.int64(state["rows"])
    count = 0
    row += up
    column += across
    while 0 <= row < rows and 0 <= column < columns and stones[player, row] >> np.uint32(column) & ONE != ZERO:
        count += 1
        row += up
        column += across
    return count


implement_all(STATE, FIRST_TO_SUCCEED_OR_DRAW, {rules.symmetries: bitboard.symmetries})


# -- bounds ------------------------------------------------------------------------------------------------------------------
@implements(rules.bounds, STATE)
def bounds(state, lowest, highest):
    """Who can make a line on his turn wins; who cannot stop two lines loses; without a line still open to him nobody wins."""
    player = np.int64(state["to_play"])
    sign = 1 - 2 * player
    if line_cell(state, player, 1, NOWHERE) != NOWHERE:
        return sign, sign
    threat = line_cell(state, 1 - player, 1, NOWHERE)
    if threat != NOWHERE and line_cell(state, 1 - player, 1, threat) != NOWHERE:
        return -sign, -sign
    lower = lowest if line_cell(state, 1, state["length"], NOWHERE) != NOWHERE else 0
    upper = highest if line_cell(state, 0, state["length"], NOWHERE) != NOWHERE else 0
    return lower, upper


@kernel
def line_cell(state, player, missing, stopped):
    """The first free cell of a line of the player to which at most `missing` stones are missing, and the other has none in it.

    `stopped` is a cell that counts as the other's; NOWHERE, if there is no such line. Lines that begin in one row are looked
    at all at once. `missing` is 1, or the length of a line.
    """
    stones, columns, rows, length = state["stones"], np.int64(state["columns"]), np.int64(state["rows"]), state["length"]
    board = (ONE << np.uint32(columns)) - ONE
    for axis in range(AXES):
        up, across = (0 if axis == 0 else 1), (1 if axis < 2 else 0 if axis == 2 else -1)
        for row in range(rows - up * (length - 1)):
            whole, begun = board, ZERO  # where lines begin that are whole so far, and those that miss stones
            for step in range(length):
                own, free = stones[player, row + up * step], board & ~stones[1 - player, row + up * step]
                free &= ~own
                if stopped != NOWHERE and stopped // columns == row + up * step:
                    free &= ~(ONE << np.uint32(stopped % columns))
                shift = np.uint32(step)
                if across > 0:
                    own, free = own >> shift, free >> shift
                elif across < 0:
                    own, free = own << shift, free << shift
                begun = (begun & (own | free if missing > 1 else own)) | (whole & free)
                whole &= own
            if begun != ZERO:
                column = lowest_bit(np.uint64(begun))
                for step in range(length):
                    r, c = row + up * step, column + across * step
                    if (stones[0, r] | stones[1, r]) >> np.uint32(c) & ONE == ZERO:
                        return r * columns + c
    return NOWHERE


# -- equal positions ---------------------------------------------------------------------------------------------------------
@implements(rules.position_hash, STATE)
def position_hash(state):
    return mixed(state["key"], np.uint64(state["to_play"]))


@implements(rules.image, STATE)
def image(state, number, out):
    stones, images = state["stones"], out["stones"]
    last_row, last_column = np.int64(state["rows"]) - 1, np.int64(state["columns"]) - 1
    out["key"] = image_key(state, number)
    for player in range(2):
        for row in range(LARGEST):
            images[player, row] = ZERO
        for row in range(last_row + 1):
            word = stones[player, row]
            while word != ZERO:
                r, c = cell_image(row, lowest_bit(np.uint64(word)), last_row, last_column, number)
                images[player, r] |= ONE << np.uint32(c)
                word &= word - ONE


@kernel
def image_key(state, number):
    stones = state["stones"]
    last_row, last_column = np.int64(state["rows"]) - 1, np.int64(state["columns"]) - 1
    key = NO_KEY
    for player in range(2):
        for row in range(last_row + 1):
            word = stones[player, row]
            while word != ZERO:
                r, c = cell_image(row, lowest_bit(np.uint64(word)), last_row, last_column, number)
                key ^= CELL_KEYS[player, r, c]
                word &= word - ONE
    return key


@implements(rules.symmetric_hash, STATE)
def symmetric_hash(state, _image_buffer):
    least = rules.position_hash(state)
    for number in range(1, rules.symmetries(state)):
        least = min(least, mixed(image_key(state, number), np.uint64(state["to_play"])))
    return least


@implements(rules.planes, STATE)
def planes(state, planes):
    stones, one = state["stones"], np.float32(1)
    for row in range(state["rows"]):
        for column in range(state["columns"]):
            planes[row, column, 2] = one
            for side in range(2):
                if stones[state["to_play"] ^ side, row] >> np.uint32(column) & ONE != ZERO:
                    planes[row, column, side] = one


# -- the game ----------------------------------------------------------------------------------------------------------------
def make(text: str) -> Game:
    """The game for 'N', 'WxH' or 'WxH:LENGTH'; '' is 15x15, five in a row."""
    usage = (
        f"gomoku:N or gomoku:WxH, sides from 1 to {LARGEST}, then :LENGTH, the stones in a row that win, from 2 to {LARGEST}"
    )
    size, _, length_text = text.partition(":")
    columns, rows = board_size(size or "15", usage, (1, 1), (LARGEST, LARGEST))
    (length,) = whole_numbers(length_text or str(DEFAULT_LENGTH), "x", 1, usage)
    if not 2 <= length <= LARGEST:
        raise UserError(f"gomoku:{text}: a length of {length} is out of range: {usage}")
    cells = columns * rows
    start = np.zeros(1, STATE)[0]
    start["columns"], start["rows"], start["length"], start["left"] = columns, rows, length, cells

    def holder(state: Any, cell: int) -> int | None:
        row, column = divmod(cell, columns)
        return next((player for player in (0, 1) if int(state["stones"][player][row]) >> column & 1), None)

    def vary(size: int | None = None, komi: float | None = None, columns: int | None = None) -> Game:
        """The same game on another board: `size` rows, and as many columns unless `columns` says how many."""
        if komi:
            raise UserError(f"gomoku has no komi; {komi:g} is not possible")
        return game if size is None else make(f"{columns or size}x{size}:{length}")

    def won(position: Position) -> Iterable[str]:
        for player in (0, 1):
            stones = [grid.point(cell) for cell in range(cells) if holder(position.state, cell) == player]
            yield from (grid.name(row * columns + column) for column, row in in_rows(stones, length))

    grid = Grid(columns, rows, holder)
    game = Game(
        name=f"gomoku:{size_text(columns, rows)}" + (f":{length}" if length != DEFAULT_LENGTH else ""),
        title="Gomoku",
        goal=f"Get {length} stones of your colour in a row.",
        how_to_play=(
            f"The players take turns to put a stone on a free point; Black begins. {length} or more in a row, a "
            "column or a diagonal win. A full board without such a row is a draw."
        ),
        click="Click a free point to put a stone there.",
        won_by="d2 d5 f3 e4 a5 a3 b3 c2 e5 d3 b4 e3 f1 b5 c4 a2 c3",
        won_in="gomoku:6x5:4",
        initial=start,
        outcomes=(-1, 1),
        move_count=cells,
        max_plies=cells,
        player_names=("Black", "White"),
        move_text=lambda _state, move: grid.name(move),
        draw=grid.draw,
        points=cells,
        board=grid.board(captures=False),
        picture=grid.picture(lambda _state, move: (move,), on_lines=True, won=won),
        sgf_number=4,
        vary=vary,
        has_rectangles=True,
        encoding=Encoding(
            rows, columns, ("own", "other's", "board"), turns=tuple(range(SQUARE if columns == rows else RECTANGLE))
        ),
    )
    return game

"""Othello: turn over the opponent's discs between your own; whoever has more discs at the end wins by the difference."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implement_all, implements, kernel, state_type
from tesuji.core.encoding import Encoding
from tesuji.core.game import Game
from tesuji.core.position import Position
from tesuji.core.random import below
from tesuji.core.symmetry import SQUARE
from tesuji.games import bitboard
from tesuji.games.bitboard import ZERO, add, bit_of, cell_of, holds, lowered, nth_bit, raised, size_of
from tesuji.games.grid import Grid
from tesuji.games.strings import side_length

SMALLEST, LARGEST = 4, bitboard.LARGEST
AXES, DIRECTIONS = 4, 8
PASS_TEXT = "pass"

STATE = state_type(
    "othello",
    [
        *bitboard.FIELDS,
        bitboard.CELLS,
        ("open", np.uint64, (2,)),  # where the player to move may put a disc
        ("over", np.int32),  # 1 when neither player can put a disc
    ],
)


@kernel
def step_along(axis, size):
    """How many bits the next cell along an axis is away: in a row, in the two diagonals and in a column."""
    return np.uint64(1) if axis == 0 else np.uint64(size - 1 + axis)


@kernel
def turning_cells(own, other, cells, size):
    """The empty cells on which a disc would turn over others: floods from one's own discs through the opponent's."""
    own_low, own_high, other_low, other_high = own[0], own[1], other[0], other[1]
    ends_low, ends_high = ZERO, ZERO
    for axis in range(AXES):
        step = step_along(axis, size)
        up_low, up_high, down_low, down_high = own_low, own_high, own_low, own_high
        for _ in range(size - 2):
            up_low, up_high = raised(up_low, up_high, step)
            down_low, down_high = lowered(down_low, down_high, step)
            up_low &= other_low
            up_high &= other_high
            down_low &= other_low
            down_high &= other_high
            low, high = raised(up_low, up_high, step)
            ends_low |= low
            ends_high |= high
            low, high = lowered(down_low, down_high, step)
            ends_low |= low
            ends_high |= high
    return ends_low & cells[0] & ~(own_low | other_low), ends_high & cells[1] & ~(own_high | other_high)


@kernel
def find_open(state):
    """Writes where the player to move may put a disc; the game is over if there is no such cell for either player."""
    stones, cells, places = state["stones"], state["cells"], state["open"]
    player, size = state["to_play"], np.int64(state["columns"])
    low, high = turning_cells(stones[player], stones[1 - player], cells, size)
    places[0] = low
    places[1] = high
    if low | high == ZERO:
        low, high = turning_cells(stones[1 - player], stones[player], cells, size)
        state["over"] = 1 if low | high == ZERO else 0


@implements(rules.moves, STATE)
def moves(state, out):
    """The cells that turn something over; without one, only the pass."""
    places, size = state["open"], np.int64(state["columns"])
    count = bitboard.write_cells(places[0], places[1], size, 1, 0, out, 0)
    if count == 0:
        out[0] = size * size
        return 1
    return count


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    places, size = state["open"], np.int64(state["columns"])
    count = size_of(places[0], places[1])
    return cell_of(nth_bit(places[0], places[1], below(rng, count)), size) if count > 0 else size * size


@implements(rules.play, STATE)
def play(state, move):
    size, player = np.int64(state["columns"]), state["to_play"]
    if move < size * size:
        put_disc(state, player, bit_of(move, size))
    state["to_play"] = 1 - player
    find_open(state)


@kernel
def put_disc(state, player, bit):
    stones = state["stones"]
    own, other = stones[player], stones[1 - player]
    size = np.int64(state["columns"])
    for direction in range(DIRECTIONS):
        step = np.int64(step_along(direction >> 1, size))
        if direction & 1 != 0:
            step = -step
        end = bit + step
        while end >= 0 and holds(other, end):
            end += step
        if end >= 0 and end != bit + step and holds(own, end):
            while end != bit:  # those between, from the far end
                end -= step
                add(own, end)
                bitboard.remove(other, end)
    add(own, bit)


# -- bounds: stable discs ----------------------------------------------------------------------------------------------------
@implements(rules.bounds, STATE)
def bounds(state, lowest, highest):
    """Each player keeps the discs that can never be turned over."""
    size = np.int64(state["columns"])
    cells = size * size
    return 2 * stable_discs(state, 0) - cells, cells - 2 * stable_discs(state, 1)


@kernel
def stable_discs(state, player):
    """How many discs of the player are safe along all axes: at an end, beside a stable one, or where no cell is empty."""
    stones, cells, size = state["stones"], state["cells"], np.int64(state["columns"])
    own_low, own_high = stones[player, 0], stones[player, 1]
    stable_low, stable_high = ZERO, ZERO
    while True:
        new_low, new_high = own_low, own_high
        for axis in range(AXES):
            step = step_along(axis, size)
            low, high = raised(~cells[0] | stable_low, ~cells[1] | stable_high, step)
            down_low, down_high = lowered(~cells[0] | stable_low, ~cells[1] | stable_high, step)
            full_low, full_high = full_lines(state, step, size)
            # What is shifted in from outside of the words is no cell either.
            new_low &= low | down_low | full_low | (bitboard.ONE << step) - bitboard.ONE
            new_high &= high | down_high | full_high | ~(~ZERO >> step)
        if new_low == stable_low and new_high == stable_high:
            return size_of(stable_low, stable_high)
        stable_low, stable_high = new_low, new_high


@kernel
def full_lines(state, step, size):
    """The cells from which no empty cell can be reached along an axis."""
    stones, cells = state["stones"], state["cells"]
    low = up_low = down_low = cells[0] & ~(stones[0, 0] | stones[1, 0])
    high = up_high = down_high = cells[1] & ~(stones[0, 1] | stones[1, 1])
    for _ in range(size - 1):
        up_low, up_high = raised(up_low, up_high, step)
        down_low, down_high = lowered(down_low, down_high, step)
        up_low &= cells[0]
        up_high &= cells[1]
        down_low &= cells[0]
        down_high &= cells[1]
        low |= up_low | down_low
        high |= up_high | down_high
    return cells[0] & ~low, cells[1] & ~high


@implements(rules.image, STATE)
def image(state, number, out):
    size = np.int64(state["columns"])
    bitboard.write_images(state, number, out)
    bitboard.write_image(state["open"], size, size, number, out["open"])


implement_all(STATE, bitboard.MAJORITY_WINS, bitboard.TWO_SETS)


@implements(rules.planes, STATE)
def planes(state, planes):
    places, cells, size = state["open"], state["cells"], np.int64(state["columns"])
    bitboard.show_stones(state, False, planes)
    bitboard.show_set(places[0], places[1], size, size, False, planes, 2)
    bitboard.show_set(cells[0], cells[1], size, size, False, planes, 3)


# -- the game ----------------------------------------------------------------------------------------------------------------
def make(text: str) -> Game:
    """The game for the size of its board; '' is 8."""
    usage = f"othello:N on a board of NxN, N even, from {SMALLEST} to {LARGEST}"
    size = side_length(text or "8", usage, range(SMALLEST, LARGEST + 1, 2))
    cells, middle = size * size, size // 2
    start = bitboard.empty_board(STATE, size, size)
    for row, column, player in ((-1, -1, 1), (-1, 0, 0), (0, -1, 0), (0, 0, 1)):
        add(start["stones"][player], (middle + row) * (size + 1) + middle + column)
    find_open(start)

    def caption(position: Position) -> str:
        count = [sum(int(word).bit_count() for word in stones) for stones in position.state["stones"]]
        return f"Black {count[0]}, White {count[1]}"

    grid = Grid(size, size, bitboard.holder_of(size), from_top=True)
    return Game(
        name=f"othello:{size}",
        title="Othello",
        goal="Have more discs than your opponent at the end.",
        how_to_play=(
            "The players take turns to put down a disc so that a row of the opponent's lies between it and "
            "another disc of one's own; Black begins. All discs of such rows turn over. Who can turn none "
            "passes; when neither can, whoever has more discs has won."
        ),
        click="Click a cell where a disc turns others over.",
        won_by="a2 a3 d4 d3 c4 a1 d2 c1 b1 pass d1",
        won_in="othello:4",
        initial=start,
        outcomes=(-cells, cells),
        move_count=cells + 1,
        max_plies=2 * cells,  # no player passes twice in a row
        player_names=("Black", "White"),
        move_text=lambda _state, move: grid.name(move) if move < cells else PASS_TEXT,
        draw=grid.draw,
        points=cells,
        board=grid.board(captures=False),  # discs are turned, not taken
        picture=grid.picture(lambda _state, move: (move,) if move < cells else (), caption=caption, colours=("black", "white")),
        encoding=Encoding(size, size, ("own", "other's", "open", "board"), others=1, turns=tuple(range(SQUARE))),
    )

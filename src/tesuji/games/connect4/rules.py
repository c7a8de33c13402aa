"""Connect Four as bitboards: one bit a cell, columns of H + 1 bits (the top bit stays empty), bit 0 at the bottom left.

`stones` holds each player's cells. A column's next cell is found by adding the column's bottom bit to the occupied
cells. A line is found by shifting the board onto itself: by 1 (vertical), H + 1 (horizontal), H and H + 2 (diagonals).
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, kernel, state_type
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.games.connect4.drawing import draw, move_text
from tesuji.games.strings import whole_numbers

STATE = state_type(
    "connect4",
    [
        ("stones", np.uint64, (2,)),
        ("bottom", np.uint64),  # the lowest cell of every column
        ("cells", np.uint64),  # every cell of the board
        ("width", np.int32),
        ("height", np.int32),
        ("length", np.int32),  # stones in a row that win
        ("to_play", np.int32),
        ("left", np.int32),  # empty cells
        ("winner", np.int32),  # +1 player 0, -1 player 1, 0 nobody yet
    ],
)
ZERO = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)
MIX = np.uint64(0x9E3779B97F4A7C15)
U29, U32 = np.uint64(29), np.uint64(32)


def make(text: str) -> Game:
    """The game for 'WxH' or 'WxH:length'; '' is the usual 7x6."""
    usage = "connect4:WxH with W*(H+1) <= 64, or connect4:WxH:LENGTH (7x6 and 4 are usual)"
    size, _, length_text = text.partition(":")
    width, height = whole_numbers(size or "7x6", "x", 2, usage)
    (length,) = whole_numbers(length_text or "4", "x", 1, usage)
    if not (1 <= width and 1 <= height and width * (height + 1) <= 64):
        raise UserError(f"connect4:{text}: a board of {width}x{height} is out of range: {usage}")
    if not 2 <= length <= 64:
        raise UserError(f"connect4:{text}: a length of {length} is out of range: 2 to 64")
    start = np.zeros(1, STATE)[0]
    step = height + 1
    bottom = sum(1 << (column * step) for column in range(width))
    start["bottom"] = bottom
    start["cells"] = bottom * ((1 << height) - 1)
    start["width"], start["height"], start["length"] = width, height, length
    start["left"] = width * height
    return Game(
        name=f"connect4:{width}x{height}" + (f":{length}" if length != 4 else ""),
        title="Connect Four",
        start=start,
        outcomes=(-1, 1),
        move_count=width,
        max_plies=width * height,
        player_names=("x", "o"),
        move_text=move_text,
        draw=draw,
    )


@kernel
def has_line(stones, step, length):
    """Whether `stones` holds `length` cells in a row along the shift `step`."""
    shift = np.uint64(step)
    run = stones
    have = 1
    while have + have <= length:  # doubling: after each step a set bit starts a run of twice the length
        run &= run >> (shift * np.uint64(have))
        have += have
    if have < length:
        run &= run >> (shift * np.uint64(length - have))
    return run != ZERO


@kernel
def has_four(stones, height):
    """Whether `stones` holds four in a row in any direction: all directions at once, as no loop and no jump is fastest."""
    rising, falling, across = np.uint64(height + 2), np.uint64(height), np.uint64(height + 1)
    a = stones & (stones >> rising)
    b = stones & (stones >> falling)
    c = stones & (stones >> across)
    d = stones & (stones >> ONE)
    return (a & (a >> (rising + rising))) | (b & (b >> (falling + falling))) | (c & (c >> (across + across))) | (
        d & (d >> TWO)
    ) != ZERO


@kernel
def wins(stones, height, length):
    """Whether `stones` holds a line in any direction."""
    if length == 4:
        return has_four(stones, height)
    return (
        has_line(stones, height + 1, length)
        or has_line(stones, 1, length)
        or has_line(stones, height, length)
        or has_line(stones, height + 2, length)
    )


@kernel
def playable(state):
    """The cells that a stone can fall into now, at most one a column."""
    stones = state["stones"]
    return ((stones[0] | stones[1]) + state["bottom"]) & state["cells"]


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    stones = state["stones"]
    occupied = stones[0] | stones[1]
    height = state["height"]
    top = ONE << np.uint64(height - 1)
    step = np.uint64(height + 1)
    count = 0
    for column in range(state["width"]):
        out[count] = column  # written over by the next one if this column is full: no jump to mispredict
        if occupied & top == ZERO:
            count += 1
        top <<= step
    return count


@implements(rules.play, STATE)
def play(state, move):
    stones = state["stones"]
    height = state["height"]
    player = state["to_play"]
    occupied = stones[0] | stones[1]
    column = ((ONE << np.uint64(height)) - ONE) << np.uint64(move * (height + 1))
    own = stones[player] | ((occupied + (state["bottom"] & column)) & column)
    stones[player] = own
    state["left"] -= 1
    if wins(own, height, state["length"]):
        state["winner"] = 1 - 2 * player
    state["to_play"] = 1 - player


@implements(rules.is_over, STATE)
def is_over(state):
    return state["winner"] != 0 or state["left"] == 0


@implements(rules.outcome, STATE)
def outcome(state):
    return state["winner"]


@implements(rules.position_hash, STATE)
def position_hash(state):
    """One player's stones and the occupied cells name a position; the mixing is that of splitmix64."""
    stones = state["stones"]
    occupied = stones[0] | stones[1]
    x = stones[0] * MIX + occupied + state["bottom"]
    x = (x ^ (x >> U32)) * MIX
    x = (x ^ (x >> U29)) * MIX + stones[0]
    return (x ^ (x >> U32)) | ONE

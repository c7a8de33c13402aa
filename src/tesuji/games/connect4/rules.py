"""Connect Four: the rules on bitboards (state.py), with lines.py for what wins and bounds.py for what a glance proves."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.board import Board
from tesuji.core.dispatch import implements
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.random import below
from tesuji.games.connect4 import bounds as bounds  # registers the bounds
from tesuji.games.connect4.drawing import draw, move_text, point, stones
from tesuji.games.connect4.lines import wins
from tesuji.games.connect4.state import ONE, STATE, ZERO
from tesuji.games.strings import whole_numbers

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
        points=width * height,
        board=Board(width, height, stones, point),
    )


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


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    """Draws columns until one is not full: most are not, and nothing needs to be listed."""
    stones = state["stones"]
    top = (stones[0] | stones[1]) >> np.uint64(state["height"] - 1)
    step = state["height"] + 1
    column = below(rng, state["width"])
    while top >> np.uint64(column * step) & ONE != ZERO:
        column = below(rng, state["width"])
    return column


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

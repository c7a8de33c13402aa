"""The rules of Connect Four on bitboards; lines.py says what wins, bounds.py what a glance proves."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, kernel
from tesuji.core.hashing import mixed
from tesuji.core.random import below
from tesuji.games.connect4 import bounds as bounds  # registers the bounds
from tesuji.games.connect4.lines import wins
from tesuji.games.connect4.state import ONE, STATE, ZERO

# By height and by level: of eight columns those that are left in their pair, their four, the eight.
LEFT_COLUMNS = np.array(
    [
        [
            sum(((1 << height + 1) - 1) << column * (height + 1) for column in range(8) if not column >> level & 1)
            for level in range(3)
        ]
        for height in range(8)
    ],
    np.uint64,
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
    return mixed(ZERO, name_of(state))


@kernel
def name_of(state):
    """One word that no other position of the game has.

    The sum of a column's occupied cells, the first player's, and 1 has H + 1 bits and stands for this column alone.
    """
    stones = state["stones"]
    return stones[0] + (stones[0] | stones[1]) + state["bottom"]


# -- the mirror image --------------------------------------------------------------------------------------------------------
@kernel
def mirrored(board, width, height):
    """A word of H + 1 bits a column with left and right exchanged."""
    if width == 1:  # its column may be as long as the word, and no shift may be
        return board
    if width <= 8 and height <= 7:  # exchange neighbours, then pairs, then fours of eight columns: no loop
        step = np.uint64(height + 1)
        for level in range(3):
            left = LEFT_COLUMNS[height, level]
            shift = step << np.uint64(level)
            board = (board >> shift & left) | (board & left) << shift
        return board >> step * np.uint64(8 - width)
    step = np.uint64(height + 1)
    column = (ONE << step) - ONE
    near = ZERO
    far = np.uint64((width - 1) * (height + 1))
    turned = ZERO
    for _ in range(width):
        turned |= (board >> near & column) << far
        near += step
        far -= step
    return turned


@implements(rules.symmetries, STATE)
def symmetries(state):
    """Itself and its mirror image; only itself once opposite cells belong to different players, as they always will."""
    stones = state["stones"]
    return 1 if mirrored(stones[0], state["width"], state["height"]) & stones[1] != ZERO else 2


@implements(rules.image, STATE)
def image(state, number, out):
    if number == 1:
        stones = state["stones"]
        turned = out["stones"]
        for player in range(2):
            turned[player] = mirrored(stones[player], state["width"], state["height"])


@implements(rules.canonical, STATE)
def canonical(state, out):
    """The image that `symmetric_hash` is of: it has one where `symmetries` says that the search need not look."""
    name = name_of(state)
    if mirrored(name, state["width"], state["height"]) < name:
        rules.image(state, 1, out)


@implements(rules.symmetric_hash, STATE)
def symmetric_hash(state, _image_buffer):
    """The hash of the position, or of its mirror image if the name of that is less."""
    name = name_of(state)
    return mixed(ZERO, min(name, mirrored(name, state["width"], state["height"])))

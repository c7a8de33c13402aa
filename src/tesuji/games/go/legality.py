"""Which points may be played: no suicide, ko, positional superko; and which are eyes that random play leaves alone."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import implements, kernel, operation
from tesuji.games.go.state import (
    BOARD,
    BORDER,
    CORNERS,
    HISTORY,
    NEIGHBOURS,
    SIDES,
    STATE,
    SUPERKO_STATE,
    ZOBRIST,
)

NONE = np.uint64(0)
LAST_PLACE = np.uint64(HISTORY - 1)
BELOW, LEFT, RIGHT, ABOVE = SIDES
ALL_SIDES = sum(1 << bit for bit in SIDES)


@operation
def repeats(state, point, player):
    """Whether a stone of `player` on `point`, where it is no suicide, makes a position that was there before."""


@operation
def remember(state):
    """Notes the position for superko."""


@implements(repeats, STATE)
def never_repeats(state, point, player):
    return False


@implements(remember, STATE)
def remember_nothing(state):
    return 0


@kernel
def hash_after(state, point, player):
    """The hash of the board after a stone of `player` on `point` with its captures."""
    colour = state["colour"]
    head = state["head"]
    next_stone = state["next_stone"]
    atari_at = state["atari_at"]
    hashed = state["hash"] ^ ZOBRIST[player * BOARD + point]
    enemy = 2 - player
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        if colour[neighbour] == enemy and atari_at[head[neighbour]] != 0:
            string = np.int64(head[neighbour])
            seen = False  # through an earlier neighbour: a string is taken once
            for j in range(i):
                seen = seen or head[point + NEIGHBOURS[j]] == string
            if not seen:
                stone = string
                while True:
                    hashed ^= ZOBRIST[(1 - player) * BOARD + stone]
                    stone = np.int64(next_stone[stone])
                    if stone == string:
                        break
    return hashed


@kernel
def place_in_history(state, hashed):
    """Where a hash is in the history, or the free place where it belongs."""
    history = state["history"]
    place = hashed & LAST_PLACE
    while history[place] != NONE and history[place] != hashed:
        place = (place + np.uint64(1)) & LAST_PLACE
    return place


@implements(repeats, SUPERKO_STATE)
def was_there_before(state, point, player):
    hashed = hash_after(state, point, player)
    return state["history"][place_in_history(state, hashed)] != NONE


@implements(remember, SUPERKO_STATE)
def remember_position(state):
    hashed = state["hash"]
    state["history"][place_in_history(state, hashed)] = hashed
    return 0


@kernel
def has_open_side(state, point):
    """Whether one of the four neighbours of a point is empty."""
    code = np.int64(state["around"][point])
    return (code | code >> 1) & ALL_SIDES != ALL_SIDES


@kernel
def has_two_open_sides(state, point):
    """Whether at least two of the four neighbours of a point are empty."""
    code = np.int64(state["around"][point])
    empty = ALL_SIDES & ~(code | code >> 1)
    return empty & (empty - 1) != 0


@kernel
def is_suicide(state, point, player):
    """Whether a stone on an empty point would have no liberty: no neighbour is empty, captured or a safe friend."""
    colour = state["colour"]
    head = state["head"]
    atari_at = state["atari_at"]
    own = player + 1
    if has_open_side(state, point):
        return False
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        who = colour[neighbour]
        if who != BORDER and (who == own) == (atari_at[head[neighbour]] == 0):
            return False
    return True


@kernel
def is_legal(state, point, player):
    """Whether `player`, who is to move, may play on an empty point."""
    return point != state["ko"] and not is_suicide(state, point, player) and not repeats(state, point, player)


@kernel
def is_eye(state, point, own):
    """Whether an empty point is a one-point eye of the colour `own`.

    All neighbours are of that colour, and so many of the diagonal ones that the string cannot be cut off there: all on
    the edge, all but one elsewhere.
    """
    colour = state["colour"]
    code = np.int64(state["around"][point])
    if code >> BELOW & code >> LEFT & code >> RIGHT & code >> ABOVE & own == 0:  # the border has the bits of both colours
        return False
    enemies, edge = 0, 0
    for i in range(4):
        who = colour[point + CORNERS[i]]
        if who == BORDER:
            edge = 1
        elif who == 3 - own:
            enemies += 1
    return enemies + edge < 2


@kernel
def is_sensible(state, point, player):
    """Whether random play may put a stone of `player` on an empty point: legal, and no eye of his own filled."""
    if has_open_side(state, point):  # no eye, no suicide, no ko
        return not repeats(state, point, player)
    return not is_eye(state, point, player + 1) and is_legal(state, point, player)

"""Seki problems: two facing strings, each with outside liberties of its own, and shared liberties between them.

After Cazenave and Saffidine, "Score Bounded Monte-Carlo Tree Search", section 5.1. A turn fills one empty point of any
kind, or passes. Who takes the other's last liberty captures and wins; a move that takes only one's own last liberty is
suicide and illegal. Two passes in a row, or three, end the game as a draw, both strings alive: the seki. The paper does not
state its pass rule; both give its table of results.
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements
from tesuji.core.hashing import mixed
from tesuji.games.seki.state import ONE, SHARED, STATE, ZERO


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    outside = state["outside"]
    sizes = state["sizes"]
    still_open = state["open"]
    player = state["to_play"]
    own = outside[player] + state["shared"]
    other = outside[1 - player] + state["shared"]
    count = 0
    first = 0  # the first point of this kind
    for kind in range(3):
        after = first + sizes[kind]
        if kind == player:
            legal = own > 1
        elif kind == SHARED:
            legal = own > 1 or other == 1
        else:
            legal = True
        if legal:
            for point in range(first, after):
                out[count] = point  # written over by the next one if this point is filled
                if still_open >> np.uint64(point) & ONE != ZERO:
                    count += 1
        first = after
    out[count] = first  # pass
    return count + 1


@implements(rules.play, STATE)
def play(state, move):
    outside = state["outside"]
    sizes = state["sizes"]
    player = state["to_play"]
    state["to_play"] = 1 - player
    if move == sizes[0] + sizes[1] + sizes[SHARED]:
        state["passes"] += 1
        return
    state["passes"] = 0
    state["open"] ^= ONE << np.uint64(move)
    if move < sizes[0]:
        outside[0] -= 1
    elif move < sizes[0] + sizes[1]:
        outside[1] -= 1
    else:
        state["shared"] -= 1
    if outside[1 - player] + state["shared"] == 0:
        state["winner"] = 1 - 2 * player


@implements(rules.is_over, STATE)
def is_over(state):
    return state["winner"] != 0 or state["passes"] == state["last_pass"]


@implements(rules.outcome, STATE)
def outcome(state):
    return state["winner"]


@implements(rules.position_hash, STATE)
def position_hash(state):
    """Points of one kind are interchangeable, so only their counts, the side to move and the passes are mixed."""
    outside = state["outside"]
    key = ((outside[0] * 32 + outside[1]) * 16 + state["shared"]) * 8 + state["to_play"] * 4 + state["passes"]
    return mixed(ONE, np.uint64(key))


@implements(rules.image, STATE)
def image(state, number, out):
    """The position itself, with the highest points of each kind filled first: points of one kind are interchangeable."""
    outside = state["outside"]
    sizes = state["sizes"]
    first = ((ONE << np.uint64(outside[0])) - ONE) | ((ONE << np.uint64(outside[1])) - ONE) << np.uint64(sizes[0])
    out["open"] = first | ((ONE << np.uint64(state["shared"])) - ONE) << np.uint64(sizes[0] + sizes[1])

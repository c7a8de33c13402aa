"""Semeai: a race to capture between two strings that share no liberty.

After Cazenave and Saffidine, "Score Bounded Monte-Carlo Tree Search", section 4. A turn fills one liberty, the
opponent's or one's own; who fills the opponent's last one captures and wins. Filling one's own last liberty is suicide
and illegal, but the opponent always has a liberty to fill, so there is always a move.

The number `elsewhere` is the probability that a random game plays somewhere else on the board (`random_move`
reads it). If it is above 0, playing elsewhere is also a move; the 16th such move in a row ends the game as a draw, which
keeps games finite.
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements
from tesuji.core.hashing import mixed
from tesuji.core.random import below, unit
from tesuji.games.semeai.state import AWAY_LIMIT, ONE, STATE, ZERO


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    sizes = state["sizes"]
    liberties = state["liberties"]
    still_open = state["open"]
    player = state["to_play"]
    count = 0
    first = 0  # the first liberty of this string
    for owner in range(2):
        after = first + sizes[owner]
        if owner != player or liberties[player] > 1:
            for point in range(first, after):
                out[count] = point  # written over by the next one if this point is filled
                if still_open >> np.uint64(point) & ONE != ZERO:
                    count += 1
        first = after
    if state["elsewhere"] > 0.0:
        out[count] = first
        count += 1
    return count


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    """The paper's random player: captures if it can; else elsewhere, with its probability; else any liberty, its own too.

    So the share of games that the side to move wins is `win_probability` of the position. With one liberty left to it and
    nothing to capture, the side to move may only fill the opponent's, and loses all the same.
    """
    sizes = state["sizes"]
    liberties = state["liberties"]
    player = state["to_play"]
    points = rules.moves(state, buffer)  # liberties in order of their numbers, and elsewhere at the end if it is a move at all
    if liberties[1 - player] == 1:
        for i in range(points):
            is_second = buffer[i] >= sizes[0]
            if is_second != (player == 1):  # the first one listed that belongs to the opponent is the one to capture
                return buffer[i]
    if state["elsewhere"] > 0.0:
        points -= 1
        if unit(rng) < state["elsewhere"]:
            return buffer[points]
    return buffer[below(rng, points)]


@implements(rules.play, STATE)
def play(state, move):
    sizes = state["sizes"]
    liberties = state["liberties"]
    player = state["to_play"]
    state["to_play"] = 1 - player
    if move == sizes[0] + sizes[1]:
        state["away"] += 1
        return
    state["away"] = 0
    state["open"] ^= ONE << np.uint64(move)
    if move < sizes[0]:
        liberties[0] -= 1
    else:
        liberties[1] -= 1
    if liberties[1 - player] == 0:
        state["winner"] = 1 - 2 * player


@implements(rules.is_over, STATE)
def is_over(state):
    return state["winner"] != 0 or state["away"] == AWAY_LIMIT


@implements(rules.outcome, STATE)
def outcome(state):
    return state["winner"]


@implements(rules.position_hash, STATE)
def position_hash(state):
    """Liberties of one string are interchangeable, so only their counts, the side to move and the moves away are mixed."""
    liberties = state["liberties"]
    key = ((liberties[0] * 32 + liberties[1]) * 32 + state["away"]) * 2 + state["to_play"]
    return mixed(ONE, np.uint64(key))


@implements(rules.image, STATE)
def image(state, number, out):
    """The position itself, with the highest liberties of each string filled first: those of one string are interchangeable."""
    liberties = state["liberties"]
    sizes = state["sizes"]
    out["open"] = ((ONE << np.uint64(liberties[0])) - ONE) | ((ONE << np.uint64(liberties[1])) - ONE) << np.uint64(sizes[0])

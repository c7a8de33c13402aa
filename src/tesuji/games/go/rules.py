"""Go: moves, play, and the end. The board is kept in strings.py, legality.py says what may be played, scoring.py counts."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements
from tesuji.core.random import below
from tesuji.games.go import symmetry as symmetry  # registers the hash and the symmetries
from tesuji.games.go.legality import is_legal, is_sensible, remember
from tesuji.games.go.scoring import half_points
from tesuji.games.go.state import EMPTY, NOWHERE, STATE, SUPERKO_STATE
from tesuji.games.go.strings import put_stone, set_aside


def for_both(declared):
    """Registers a function for both records: with simple ko and with superko."""

    def register(function):
        implements(declared, STATE)(function)
        return implements(declared, SUPERKO_STATE)(function)

    return register


@for_both(rules.to_play)
def to_play(state):
    return state["to_play"]


@for_both(rules.moves)
def moves(state, out):
    colour = state["colour"]
    point_of = state["point_of"]
    player = np.int64(state["to_play"])
    size = np.int64(state["size"])
    count = 0
    for move in range(size * size):
        point = np.int64(point_of[move])
        if colour[point] == EMPTY and is_legal(state, point, player):
            out[count] = move
            count += 1
    out[count] = size * size
    return count + 1


@for_both(rules.play)
def play(state, move):
    player = np.int64(state["to_play"])
    point = np.int64(state["point_of"][move])
    state["second_last_move"] = state["last_move"]
    state["last_move"] = move
    state["ply"] += 1
    state["to_play"] = 1 - player
    if point == NOWHERE:
        state["passes"] += 1
        state["ko"] = NOWHERE
    else:
        state["passes"] = 0
        state["ko"] = put_stone(state, point, player)
        remember(state)


@for_both(rules.is_over)
def is_over(state):
    return state["passes"] >= 2 or state["ply"] >= state["longest"]


@for_both(rules.outcome)
def outcome(state):
    return half_points(state) - state["komi"]


@for_both(rules.random_move)
def random_move(state, buffer, rng):
    """Uniform over the legal moves that fill no eye of the player's own; pass if there is none.

    Draws from the empty points; one that will not do changes places with the last, and is not drawn again. So the list is
    in another order afterwards, which means nothing.
    """
    empties = state["empties"]
    player = np.int64(state["to_play"])
    count = np.int64(state["empty_count"])
    while count > 0:
        at = below(rng, count)
        point = np.int64(empties[at])
        if is_sensible(state, point, player):
            return np.int64(state["move_of"][point])
        count -= 1
        set_aside(state, at, count)
    size = np.int64(state["size"])
    return size * size

"""Playouts that answer the last move: strings in atari first, by their urgencies, then a pattern next to the last move.

Where neither says anything, a move is drawn as in Crazy Stone's playouts. That is MoGo's idea (Gelly et al. 2006) with Crazy
Stone's urgencies in place of MoGo's captures and rescues.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.games.go.state import NOWHERE
from tesuji.knowledge.go.crazystone import PRIOR_GAMES, USELESS_RULES, draw_by_urgency
from tesuji.knowledge.go.expectations import expect
from tesuji.knowledge.go.patterns import fits_pattern, pattern_near
from tesuji.knowledge.go.tree_moves import prune_idle_moves
from tesuji.knowledge.go.urgency import list_extras
from tesuji.search.policy import VALUE, playout_move, prunes_by_guess, rate_moves

SHAPE = 0.65  # what is expected of a move that fits a pattern, at the least


class Local(NamedTuple):
    useless_rules: bool
    prior_games: int

    PARAMETERS = (USELESS_RULES, PRIOR_GAMES)
    GIVES = (VALUE,)


@implements(playout_move, Local)
def local_move(policy, notes, state, rng):
    buffer = notes["moves"]
    player = np.int64(state["to_play"])
    count, units = list_extras(state, player, buffer)
    if units == 0 and state["last_move"] >= 0:
        last = np.int64(state["point_of"][state["last_move"]])
        if last != NOWHERE:
            point = pattern_near(state, last, player, rng)
            if point != NOWHERE:
                return np.int64(state["move_of"][point])
    return draw_by_urgency(state, buffer, count, units, policy.useless_rules, rng)


@implements(prunes_by_guess, Local)
def local_guesses(policy):
    return True


@implements(rate_moves, Local)
def rate_local_moves(policy, state, moves, count, ratings):
    rate_by_shape(state, moves, count, ratings, policy.prior_games)


@kernel
def rate_by_shape(state, moves, count, ratings, games):
    """The expectations of expectations.py, of moves that fit a pattern at least SHAPE, as those of so many games."""
    prune_idle_moves(state, moves, count, ratings)
    if games == 0:
        return
    expect(state, moves, count, ratings, games)
    point_of = state["point_of"]
    player = np.int64(state["to_play"])
    for i in range(count):
        point = np.int64(point_of[moves[i]])
        if (
            point != NOWHERE
            and ratings[i]["kept"]
            and 0.5 <= ratings[i]["value"] < SHAPE
            and fits_pattern(state, point, player)
        ):
            ratings[i]["value"] = SHAPE

"""Playouts that answer the last move: strings in atari first, by their urgencies, then a pattern next to the last move.

Where neither says anything, a move is drawn as in Crazy Stone's playouts. That is MoGo's idea (Gelly et al. 2006) with Crazy
Stone's urgencies in place of MoGo's captures and rescues.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements
from tesuji.games.go.state import NOWHERE
from tesuji.knowledge.go.crazystone import draw_by_urgency, moves_with_urgency
from tesuji.knowledge.go.expectations import list_expectations
from tesuji.knowledge.go.patterns import fits_pattern, pattern_near
from tesuji.knowledge.go.urgency import list_extras
from tesuji.search.playout import candidates, playout_move, set_expectations

SHAPE = 0.65  # what is expected of a move that fits a pattern, at the least


class Local(NamedTuple):
    useless_rules: bool  # as in Crazy Stone's playouts: some of the moves that are drawn are corrected


@implements(playout_move, Local)
def local_move(policy, state, buffer, rng):
    player = np.int64(state["to_play"])
    count, units = list_extras(state, player, buffer)
    if units == 0 and state["last_move"] >= 0:
        last = np.int64(state["point_of"][state["last_move"]])
        if last != NOWHERE:
            point = pattern_near(state, last, player, rng)
            if point != NOWHERE:
                return np.int64(state["move_of"][point])
    return draw_by_urgency(state, buffer, count, units, policy.useless_rules, rng)


@implements(candidates, Local)
def local_candidates(policy, state, out):
    return moves_with_urgency(state, out)


@implements(set_expectations, Local)
def expect_shapes(policy, state, moves, count, values):
    list_expectations(state, moves, count, values)
    point_of = state["point_of"]
    player = np.int64(state["to_play"])
    for i in range(count):
        point = np.int64(point_of[moves[i]])
        if point != NOWHERE and 0.5 <= values[i] < SHAPE and fits_pattern(state, point, player):
            values[i] = SHAPE

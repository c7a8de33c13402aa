"""The policy of Crazy Stone's playouts (Coulom 2006, appendix A): a draw by urgency, then the rules against useless moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.parameters import Parameter
from tesuji.core.random import below
from tesuji.games.go.state import NEIGHBOURS, NOWHERE
from tesuji.knowledge.go.expectations import expect
from tesuji.knowledge.go.liberties import at_most_one_liberty_besides
from tesuji.knowledge.go.tree_moves import prune_idle_moves
from tesuji.knowledge.go.urgency import POINT_BITS, POINT_MASK, UNIT, is_open, list_extras, list_rest, place_of
from tesuji.knowledge.go.useless import KEEP, REDRAW, replacement_for
from tesuji.search.policy import PRIOR, VALUE, playout_move, prunes_by_guess, rate_moves

DRAWS = 4  # failed draws (more on fuller boards) before the points with urgency are listed


USELESS_RULES = Parameter("useless_rules", True, "replace useless moves drawn by urgency (A.2)")
PRIOR_GAMES = Parameter(
    "prior_games", 0, "games that the initial expectation of a move counts for", 0, 1_000_000, needs=VALUE, tuning="0..60"
)


class CrazyStone(NamedTuple):
    """Moves in proportion to their urgency, and corrected as in the paper, or not. The expectations are not the paper's."""

    useless_rules: bool
    prior_games: int

    PARAMETERS = (USELESS_RULES, PRIOR_GAMES)
    GIVES = (PRIOR, VALUE)


@implements(playout_move, CrazyStone)
def crazystone_move(policy, notes, state, rng):
    buffer = notes["moves"]
    count, units = list_extras(state, np.int64(state["to_play"]), buffer)
    return draw_by_urgency(state, buffer, count, units, policy.useless_rules, rng)


@kernel
def draw_by_urgency(state, buffer, count, units, useless_rules, rng):
    """A move drawn in proportion to its urgency, or what is played instead of it; pass if no point has any.

    The draw is exact although most urgencies are never computed. Let e(p) be the urgency of p above 1 (of points that may be
    played; `list_extras` knows all of it) and n the number of empty points. A point is drawn with chance (1 + e(p)) / T,
    T = n + sum of e, and drawn again if the 1 made it and its urgency is zero. Each draw ends with a point p of
    urgency u(p) = 1 + e(p) with chance u(p) / T, so the whole ends with it in proportion to u(p). When too many draws fail, the
    points with urgency are listed and T becomes the sum of their urgencies: the same distribution. `count` entries of the
    buffer, from `list_extras`, hold all that is above 1, `units` in sum.
    """
    empties = state["empties"]
    player = np.int64(state["to_play"])
    places = np.int64(state["empty_count"])
    is_listed = False
    failures = 0
    patience = DRAWS + (places >> 3)
    while True:
        if failures == patience and not is_listed:
            places = np.int64(list_rest(state, player, buffer, count))
            is_listed = True
        if places == 0:
            return pass_move(state)
        number = below(rng, places + UNIT * units)
        if number >= places:
            place = place_by_units(buffer, (number - places) // UNIT)
            point = np.int64(buffer[place]) & POINT_MASK
        elif is_listed:
            point = np.int64(buffer[number]) & POINT_MASK
            place = place_of(buffer, count, point)
        else:
            point = np.int64(empties[number])
            if not is_open(state, point, player):
                failures += 1
                continue
            place = place_of(buffer, count, point)
        if useless_rules:
            own_units = np.int64(buffer[place]) >> POINT_BITS if place >= 0 else 0
            better = replacement_for(state, point, player, own_units > 0)
            if better == REDRAW:
                buffer[place] = point
                units -= own_units
                continue
            if better != KEEP:
                point = better
        return np.int64(state["move_of"][point])


@kernel
def place_by_units(buffer, number):
    """The entry that the unit of this number belongs to, when all units of all entries are numbered in order."""
    place = 0
    left = number - (np.int64(buffer[0]) >> POINT_BITS)
    while left >= 0:
        place += 1
        left -= np.int64(buffer[place]) >> POINT_BITS
    return place


@kernel
def pass_move(state):
    size = np.int64(state["size"])
    return size * size


@implements(prunes_by_guess, CrazyStone)
def crazystone_guesses(policy):
    return True


@implements(rate_moves, CrazyStone)
def rate_ataris(policy, state, moves, count, ratings):
    """The paper's a_i (section 3.2) is the prior: 1 for a move that puts an enemy string into atari, 0 for the others."""
    prune_idle_moves(state, moves, count, ratings)
    mark_ataris(state, moves, count, ratings)
    if policy.prior_games > 0:
        expect(state, moves, count, ratings, policy.prior_games)


@kernel
def mark_ataris(state, moves, count, ratings):
    colour = state["colour"]
    head = state["head"]
    atari_at = state["atari_at"]
    point_of = state["point_of"]
    enemy = 2 - np.int64(state["to_play"])
    for i in range(count):
        point = np.int64(point_of[moves[i]])
        if point == NOWHERE:
            continue
        for k in range(4):
            neighbour = point + NEIGHBOURS[k]
            if colour[neighbour] == enemy and atari_at[head[neighbour]] == 0:
                if at_most_one_liberty_besides(state, np.int64(head[neighbour]), point):
                    ratings[i]["prior"] = 1.0

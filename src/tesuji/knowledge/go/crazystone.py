"""The policy of Crazy Stone's playouts (Coulom 2006, appendix A): a draw by urgency, then the rules against useless moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.random import below
from tesuji.games.go.state import EMPTY, NEIGHBOURS, NOWHERE
from tesuji.knowledge.go.expectations import list_expectations
from tesuji.knowledge.go.urgency import POINT_BITS, POINT_MASK, UNIT, is_open, list_extras, list_rest, place_of
from tesuji.knowledge.go.useless import KEEP, REDRAW, at_most_one_liberty_besides, instead_of
from tesuji.search.playout import candidates, playout_move, set_expectations, set_priors

FEW_MOVES, FEW_SHARE = 4, 8  # so many moves and a move for each 8 points of the board are few: 14 on 9x9
DRAWS = 4  # so many draws, and more the more there is to list, may hit a point without urgency before the points are listed


class CrazyStone(NamedTuple):
    """Moves in proportion to their urgency; `useless_rules` = as in the paper, the others are then corrected (A.2)."""

    useless_rules: bool


@implements(playout_move, CrazyStone)
def crazystone_move(policy, state, buffer, rng):
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
            better = instead_of(state, point, player, own_units > 0)
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


@implements(candidates, CrazyStone)
def crazystone_candidates(policy, state, out):
    return moves_with_urgency(state, out)


@kernel
def moves_with_urgency(state, out):
    """The moves whose urgency is not zero. Pass is there to end the game after a pass, or when few others are left.

    Few, not none: in a seki every move loses, and if the opponent could not pass, he would seem to be forced to make one.
    """
    colour = state["colour"]
    point_of = state["point_of"]
    player = np.int64(state["to_play"])
    count = 0
    for move in range(pass_move(state)):
        point = np.int64(point_of[move])
        if colour[point] == EMPTY and is_open(state, point, player):
            out[count] = move
            count += 1
    if count <= FEW_MOVES + pass_move(state) // FEW_SHARE or state["passes"] > 0:
        out[count] = pass_move(state)
        count += 1
    return count


@implements(set_priors, CrazyStone)
def mark_ataris(policy, state, moves, count, priors):
    """The paper's a_i (section 3.2): 1 for a move that puts an enemy string into atari, 0 for the others."""
    colour = state["colour"]
    head = state["head"]
    atari_at = state["atari_at"]
    point_of = state["point_of"]
    enemy = 2 - np.int64(state["to_play"])
    for i in range(count):
        point = np.int64(point_of[moves[i]])
        priors[i] = 0.0
        if point == NOWHERE:
            continue
        for k in range(4):
            neighbour = point + NEIGHBOURS[k]
            if colour[neighbour] == enemy and atari_at[head[neighbour]] == 0:
                if at_most_one_liberty_besides(state, np.int64(head[neighbour]), point):
                    priors[i] = 1.0


@implements(set_expectations, CrazyStone)
def expect_at_first_sight(policy, state, moves, count, values):
    """Not the paper's: for all moves as first (`prior_games`)."""
    list_expectations(state, moves, count, values)

"""Crazy Stone's useless moves (Coulom 2006, appendix A.2): a move is drawn, and then another one may be played instead.

The situations are tried in the printed order, and the first that fits decides: what it chooses is not examined again. A
move that may not be chosen because its urgency is zero (under superko, or a ko, or an own eye in the last situation) is
not chosen here either; then the situation does not fit.

No move is made and undone for this (see liberties.py).
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.games.go.legality import is_legal
from tesuji.games.go.state import EMPTY, NEIGHBOURS, NOWHERE, STONES
from tesuji.games.go.strings import last_liberty
from tesuji.knowledge.go.liberties import at_most_one_liberty_besides, is_next_to_joined, self_atari
from tesuji.knowledge.go.urgency import is_open

KEEP, REDRAW = 0, -1  # what `replacement_for` answers besides a point


@kernel
def replacement_for(state, point, player, is_urgent):
    """The point to play on instead of `point`, which was drawn; KEEP if it is fine, REDRAW if another is to be drawn.

    `is_urgent`: its urgency is 1,000 or more. REDRAW asks the caller to reset that to 1 first.
    """
    colour = state["colour"]
    empty, gap = 0, NOWHERE
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        if colour[neighbour] == EMPTY:
            empty += 1
            gap = neighbour
    if empty >= 2:  # two liberties: no situation fits
        return KEEP
    if empty == 1:
        if makes_better_eye(state, point, gap, player) or is_pointless_inside(state, point, player):
            if is_legal(state, gap, player):
                return gap
    liberty = self_atari(state, point, player)
    if liberty == NOWHERE:
        return KEEP
    if is_urgent:
        return REDRAW
    capture = capture_instead(state, point, player)
    if capture != NOWHERE:
        return capture
    if joins_safe_string(state, point, player) and is_open(state, liberty, player):
        return liberty
    return KEEP


@kernel
def makes_better_eye(state, point, gap, player):
    """The first situation: stones of one own string all around but for the empty point `gap`, which touches it as well."""
    colour = state["colour"]
    head = state["head"]
    own = player + 1
    string = NOWHERE
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        who = colour[neighbour]
        if who == own:
            if string != NOWHERE and head[neighbour] != string:
                return False
            string = np.int64(head[neighbour])
        elif who == 3 - own:
            return False
    if string == NOWHERE:
        return False
    for i in range(4):
        if head[gap + NEIGHBOURS[i]] == string:
            return True
    return False


@kernel
def is_pointless_inside(state, point, player):
    """The second: enemy stones all around but for one empty point, and none of their strings comes into atari or is taken."""
    colour = state["colour"]
    head = state["head"]
    enemy = 2 - player
    found = False
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        who = colour[neighbour]
        if who == enemy:
            found = True
            if at_most_one_liberty_besides(state, np.int64(head[neighbour]), point):
                return False
        elif who == player + 1:
            return False
    return found


@kernel
def capture_instead(state, point, player):
    """The third, second part: where to take the largest enemy string in atari that touches a string which `point` joins.

    NOWHERE if there is none, or if `point` itself takes it.
    """
    colour = state["colour"]
    next_stone = state["next_stone"]
    strings = state["strings"]
    ataris = state["ataris"]
    own = player + 1
    best, most = NOWHERE, 0
    for i in range(state["atari_count"]):
        string = np.int64(ataris[i])
        size = np.int64(strings[string, STONES])
        if colour[string] == own or size <= most:
            continue
        liberty = last_liberty(state, string)
        if liberty == point or not is_legal(state, liberty, player):
            continue
        stone = string
        while True:
            if is_next_to_joined(state, point, stone, own):
                best, most = liberty, size
                break
            stone = np.int64(next_stone[stone])
            if stone == string:
                break
    return best


@kernel
def joins_safe_string(state, point, player):
    """The third, last part: whether a string that `point` joins, and that is in atari then, had two liberties before."""
    colour = state["colour"]
    head = state["head"]
    atari_at = state["atari_at"]
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        if colour[neighbour] == player + 1 and atari_at[head[neighbour]] == 0:
            return True
    return False

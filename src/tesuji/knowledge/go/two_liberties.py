"""Tactics of strings with two liberties beside the last move, as in the playouts of MoGo's successors; not in the paper.

The string of the last move, if it has two liberties, is attacked on one of them. An own string beside it that has two left
is given more: by a liberty that leads to new ones, connects it to a string with three or more, or captures something.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.games.go.legality import is_sensible
from tesuji.games.go.state import COUNT, EMPTY, NEIGHBOURS, NOWHERE
from tesuji.knowledge.go.liberties import first_liberties, is_first_touch, only_liberty
from tesuji.knowledge.go.mogo_playouts import add_once, one_of

MOST_TOUCHES = 8  # of the stones of a string by its liberties, if it has two: four each
NEW_LIBERTIES = 2  # so many make a string of two liberties one of three


@kernel
def two_liberty_move(state, last, player, points, rng):
    """An attack or a defence, each as likely; NOWHERE if there is none."""
    colour = state["colour"]
    head = state["head"]
    count = 0
    for i in range(5):  # the four neighbours, then the last move itself
        stone = last + NEIGHBOURS[i] if i < 4 else last
        if i < 4 and (colour[stone] != player + 1 or not is_first_touch(head, last, i)):
            continue
        string = np.int64(head[stone])
        if state["strings"][string, COUNT] > MOST_TOUCHES:
            continue
        liberties, one, two = first_liberties(state, string)
        if liberties == 2:
            for k in range(2):
                point = one if k == 0 else two
                if is_sensible(state, point, player) and only_liberty(state, point, player) == NOWHERE:
                    if i == 4 or gains_liberties(state, point, string, player):
                        count = add_once(points, count, point)
    return one_of(points, count, rng)


@kernel
def gains_liberties(state, point, string, player):
    """Whether a stone on one of the two liberties of an own string leaves it with three or more, or captures something."""
    colour = state["colour"]
    head = state["head"]
    new = 0
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        who = colour[neighbour]
        if who == EMPTY:
            new += 0 if touches(head, neighbour, string) else 1
        elif who == 2 - player:
            if state["atari_at"][head[neighbour]] != 0:
                return True
        elif who == player + 1 and head[neighbour] != string:
            if first_liberties(state, np.int64(head[neighbour]))[0] > 2:
                return True
    return new >= NEW_LIBERTIES


@kernel
def touches(head, point, string):
    for i in range(4):
        if head[point + NEIGHBOURS[i]] == string:
            return True
    return False

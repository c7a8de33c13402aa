"""The clauses of MoGo's playouts (Chaslot et al. 2009, Algorithms 1 to 4), one function each, in the paper's order.

Each returns the point that its clause plays for `player`, who is to move, or NOWHERE if the clause has nothing to say. `last`
is the point of the last move, `points` a buffer. All of them answer from what the board keeps up to date: strings with the
sums of their liberties, the strings in atari, and the surroundings of each point.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.random import below, unit
from tesuji.games.go.legality import is_legal, is_sensible
from tesuji.games.go.state import AROUND, EMPTY, NEIGHBOURS, NOWHERE, STRIDE
from tesuji.games.go.strings import last_liberty, set_aside
from tesuji.knowledge.go.liberties import only_liberty, self_atari
from tesuji.knowledge.go.patterns import fits_pattern

# The 24 points nearest to a point, nearest first. The fill-board clause wants the first so many of them empty.
NEAREST = tuple(
    row * STRIDE + column
    for row, column in sorted(
        ((row, column) for row in range(-2, 3) for column in range(-2, 3) if row or column),
        key=lambda step: step[0] ** 2 + step[1] ** 2,
    )
)
OWN_STONE = 9  # instead of a number of empty neighbours


# -- lists of points -------------------------------------------------------------------------------------------------------
@kernel
def add_once(points, count, point):
    """Adds a point to the first `count`, if it is not among them; returns how many there are then."""
    for i in range(count):
        if points[i] == point:
            return count
    points[count] = point
    return count + 1


@kernel
def one_of(points, count, rng):
    """One of the first `count` points, each as likely as the others; NOWHERE if there is none."""
    if count == 0:
        return np.int64(NOWHERE)
    return np.int64(points[below(rng, count) if count > 1 else 0])


@kernel
def happens(chance, rng):
    """True with this chance. Nothing is drawn where it is certain."""
    return chance >= 1.0 or (chance > 0.0 and unit(rng) < chance)


# -- Algorithm 1: the last move is an atari ----------------------------------------------------------------------------------
@kernel
def saving_move(state, last, player, points, rng):
    """Saves a string that the last move put into atari, or left there: one of the rescues of all such strings."""
    colour = state["colour"]
    head = state["head"]
    atari_at = state["atari_at"]
    count = 0
    for i in range(4):
        neighbour = last + NEIGHBOURS[i]
        if colour[neighbour] == player + 1 and atari_at[head[neighbour]] != 0:
            count = list_rescues(state, np.int64(head[neighbour]), player, points, count)
    return one_of(points, count, rng)


@kernel
def list_rescues(state, string, player, points, count):
    """Adds what saves a string in atari: its last liberty, if it then has two or more, and the capture of a neighbour."""
    colour = state["colour"]
    head = state["head"]
    next_stone = state["next_stone"]
    atari_at = state["atari_at"]
    liberty = last_liberty(state, string)
    if is_legal(state, liberty, player) and only_liberty(state, liberty, player) == NOWHERE:
        count = add_once(points, count, liberty)
    stone = string
    while True:
        for i in range(4):
            neighbour = stone + NEIGHBOURS[i]
            if colour[neighbour] == 2 - player and atari_at[head[neighbour]] != 0:
                capture = last_liberty(state, np.int64(head[neighbour]))
                if capture != liberty and is_legal(state, capture, player):
                    count = add_once(points, count, capture)
        stone = np.int64(next_stone[stone])
        if stone == string:
            return count


# -- Algorithm 3: nakade -----------------------------------------------------------------------------------------------------
@kernel
def nakade_move(state, last, player):
    """The centre of a hole of three points beside the last move that only enemy stones and the edge surround."""
    colour = state["colour"]
    for i in range(4):
        point = last + NEIGHBOURS[i]
        if colour[point] == EMPTY:
            centre = centre_of_three(state, point, player + 1)
            if centre != NOWHERE and is_legal(state, centre, player):
                return centre
    return np.int64(NOWHERE)


@kernel
def centre_of_three(state, point, own):
    """The middle of the three empty points that `point` is one of, straight or bent; NOWHERE if they are not three, or if a
    stone of the colour `own` touches them."""
    count, one, other = empty_neighbours(state, point, own)
    centre = point
    if count == 1:  # `point` can only be an end
        centre = one
        count, one, other = empty_neighbours(state, centre, own)
    if count == 2 and empty_neighbours(state, one, own)[0] == 1 and empty_neighbours(state, other, own)[0] == 1:
        return centre
    return np.int64(NOWHERE)


@kernel
def empty_neighbours(state, point, own):
    """How many of the four neighbours are empty, and two of them; OWN_STONE if one is of the colour `own`."""
    colour = state["colour"]
    count = 0
    one, other = np.int64(NOWHERE), np.int64(NOWHERE)
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        who = colour[neighbour]
        if who == own:
            return OWN_STONE, one, other
        if who == EMPTY:
            count += 1
            other = one
            one = neighbour
    return count, one, other


# -- Algorithm 2: fill the board ---------------------------------------------------------------------------------------------
@kernel
def open_space_move(state, player, tries, empty, rng):
    """A point drawn on the board, if it and its `empty` nearest points are empty; `tries` draws at most.

    Points off the board are not empty. No symmetric surroundings have the 22 points of the paper: here they are the nearest 22.
    """
    colour = state["colour"]
    around = state["around"]
    point_of = state["point_of"]
    size = np.int64(state["size"])
    for _ in range(tries):
        point = np.int64(point_of[below(rng, size * size)])
        if colour[point] != EMPTY or (empty >= 8 and around[point] != 0):
            continue
        fits = True
        for i in range(empty):
            fits = fits and colour[point + NEAREST[i]] == EMPTY
        if fits and is_legal(state, point, player):
            return point
    return np.int64(NOWHERE)


# -- Algorithms 1 and 4: patterns, and approach moves in their place ---------------------------------------------------------
@kernel
def list_patterns(state, middle, player, avoid, points, count, rng):
    """Adds the moves around a point that fit a 3x3 pattern and fill no own eye, which some patterns do.

    With chance `avoid`, one that is a self-atari is left out.
    """
    colour = state["colour"]
    for place in range(8):
        point = middle + AROUND[place]
        if colour[point] == EMPTY and fits_pattern(state, point, player) and is_sensible(state, point, player):
            if not (happens(avoid, rng) and self_atari(state, point, player) != NOWHERE):
                count = add_once(points, count, point)
    return count


@kernel
def approach_move(state, point, player):
    """What to play before a self-atari on `point`: the one liberty that it would leave, if a stone there connects.

    It connects if it touches an own string that `point` does not, and has two liberties or more.
    """
    colour = state["colour"]
    liberty = only_liberty(state, point, player)
    if liberty == NOWHERE or colour[liberty] != EMPTY or not is_sensible(state, liberty, player):  # a stone: it is captured
        return np.int64(NOWHERE)
    head = state["head"]
    connects = False
    for i in range(4):
        neighbour = liberty + NEIGHBOURS[i]
        if colour[neighbour] == player + 1:
            is_other = True
            for j in range(4):
                is_other = is_other and head[point + NEIGHBOURS[j]] != head[neighbour]
            connects = connects or is_other
    if connects and only_liberty(state, liberty, player) == NOWHERE:
        return liberty
    return np.int64(NOWHERE)


# -- Algorithm 1: capture, random ----------------------------------------------------------------------------------------------
@kernel
def capturing_move(state, player, points, rng):
    """A move that captures something, anywhere."""
    colour = state["colour"]
    ataris = state["ataris"]
    count = 0
    for i in range(state["atari_count"]):
        string = np.int64(ataris[i])
        if colour[string] != player + 1:
            liberty = last_liberty(state, string)
            if is_legal(state, liberty, player):
                count = add_once(points, count, liberty)
    return one_of(points, count, rng)


@kernel
def random_point(state, player, avoid, rng):
    """Any legal point that is not an own eye, each as likely. With chance `avoid`, a self-atari is not played."""
    empties = state["empties"]
    count = np.int64(state["empty_count"])
    while count > 0:
        at = below(rng, count)
        point = np.int64(empties[at])
        if is_sensible(state, point, player):
            if not (happens(avoid, rng) and self_atari(state, point, player) != NOWHERE):
                return point
        count -= 1
        set_aside(state, at, count)
    return np.int64(NOWHERE)

"""SameGame: remove groups of equal colour; the stones above fall, empty columns close to the left.

A group is two or more stones of one colour joined by their sides. Removing n of them scores (n - 2)**2, clearing the board
1000 more; the game is over when no group is left. The outcome is the score.
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, kernel
from tesuji.core.hashing import mixed
from tesuji.games.samegame.state import MOST_COLOURS, STATE

CLEAR_BONUS = 1000
ONE = np.uint64(1)
U4 = np.uint64(4)


@kernel
def find_groups(state):
    """Labels every stone with the lowest cell number of its group, and counts the stones and the groups.

    Union-find in which the lower number is always the root: one pass over the cells joins each stone to those below it and
    to its left; a second pass in the same order meets every root before the stones that point to it.
    """
    cells = state["cells"]
    group = state["group"]
    size = state["size"]
    rows = state["rows"]
    end = state["used"] * rows
    row = 0
    for cell in range(end):
        colour = cells[cell]
        group[cell] = cell
        size[cell] = 0
        if colour != 0:
            if row > 0 and cells[cell - 1] == colour:
                group[cell] = root_of(group, cell - 1)
            if cell >= rows and cells[cell - rows] == colour:
                ours, theirs = group[cell], root_of(group, cell - rows)
                if theirs < ours:
                    group[ours] = theirs
                    group[cell] = theirs
                else:
                    group[theirs] = ours
        row += 1
        if row == rows:
            row = 0
    groups = 0
    for cell in range(end):
        if cells[cell] != 0:
            root = group[group[cell]]
            group[cell] = root
            size[root] += 1
            if size[root] == 2:
                groups += 1
    state["groups"] = groups


@kernel
def root_of(group, cell):
    """The lowest cell number of the group found so far; halves the path on the way."""
    while group[cell] != cell:
        group[cell] = group[group[cell]]
        cell = group[cell]
    return cell


@kernel
def most_to_come(state):
    """No more can be scored than by taking each colour in one piece and clearing the board; a lone stone cannot be taken."""
    left = state["left"]
    most = np.int64(CLEAR_BONUS)
    for colour in range(1, MOST_COLOURS + 1):
        stones = np.int64(left[colour])
        if stones >= 2:
            most += (stones - 2) * (stones - 2)
    for colour in range(1, MOST_COLOURS + 1):
        if left[colour] == 1:
            return most - CLEAR_BONUS
    return most


@implements(rules.to_play, STATE)
def to_play(_state):
    return 0


@implements(rules.moves, STATE)
def moves(state, out):
    size = state["size"]
    count = 0
    for cell in range(state["used"] * state["rows"]):
        if size[cell] >= 2:
            out[count] = cell
            count += 1
    return count


@implements(rules.play, STATE)
def play(state, move):
    cells = state["cells"]
    group = state["group"]
    size = state["size"]
    left = state["left"]
    rows = state["rows"]
    stones = np.int64(size[move])
    colour = cells[move]
    left[colour] -= stones
    left[0] -= stones
    state["score"] += (stones - 2) * (stones - 2)
    if left[0] == 0:
        state["score"] += CLEAR_BONUS
    to_column = 0  # columns and, within them, stones move down to the first free place
    for column in range(state["used"]):
        base, to = column * rows, to_column * rows
        kept = 0
        for cell in range(base, base + rows):
            stone = cells[cell]
            if stone == 0:
                break
            if group[cell] != move:
                cells[to + kept] = stone
                kept += 1
        if kept > 0:
            for cell in range(to + kept, to + rows):
                cells[cell] = 0
            to_column += 1
    for cell in range(to_column * rows, state["used"] * rows):
        cells[cell] = 0
        size[cell] = 0
        group[cell] = 0
    state["used"] = to_column
    find_groups(state)


@implements(rules.is_over, STATE)
def is_over(state):
    return state["groups"] == 0


@implements(rules.outcome, STATE)
def outcome(state):
    return state["score"]


@implements(rules.bounds, STATE)
def bounds(state, _lowest, _highest):
    return np.int64(state["score"]), state["score"] + most_to_come(state)


@implements(rules.position_hash, STATE)
def position_hash(state):
    """The score and the cells that can still hold stones, sixteen to a word."""
    cells = state["cells"]
    hashed = mixed(ONE, np.uint64(state["score"]))
    word = np.uint64(0)
    filled = 0
    for cell in range(state["used"] * state["rows"]):
        word = word << U4 | np.uint64(cells[cell])
        filled += 1
        if filled == 16:
            hashed = mixed(hashed, word)
            word = np.uint64(0)
            filled = 0
    return mixed(hashed, word)

"""The liberties that strings would have after a move, which is not made for this.

They follow from the sums that the board keeps for each string (see games/go/state.py); only of a string that is captured, and
where two liberties must be told from three, are the stones looked at one by one.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.games.go.legality import has_two_open_sides
from tesuji.games.go.state import COUNT, EMPTY, NEIGHBOURS, NOWHERE, SQUARES, SUM


@kernel
def at_most_one_liberty_besides(state, string, point):
    """Whether a string next to the empty `point` would be in atari or taken after an enemy stone there."""
    strings = state["strings"]
    head = state["head"]
    touches = 0
    for i in range(4):
        if head[point + NEIGHBOURS[i]] == string:
            touches += 1
    count = np.int64(strings[string, COUNT]) - touches
    total = np.int64(strings[string, SUM]) - touches * point
    squares = np.int64(strings[string, SQUARES]) - touches * point * point
    return count * squares == total * total


@kernel
def self_atari(state, point, player):
    """The one liberty that the string of a stone on `point` would have; NOWHERE if there are more, or it is the only stone."""
    colour = state["colour"]
    joins = False
    for i in range(4):
        joins = joins or colour[point + NEIGHBOURS[i]] == player + 1
    return only_liberty(state, point, player) if joins else NOWHERE


@called_kernel
def only_liberty(state, point, player):
    """The one liberty that the string of a stone on `point`, where it is no suicide, would have; NOWHERE if there are more."""
    if has_two_open_sides(state, point):
        return NOWHERE
    colour = state["colour"]
    head = state["head"]
    strings = state["strings"]
    atari_at = state["atari_at"]
    own = player + 1
    square = point * point
    count, total, squares = 0, 0, 0
    captures = False
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        who = colour[neighbour]
        if who == EMPTY:
            count += 1
            total += neighbour
            squares += neighbour * neighbour
        elif who == own:
            string = np.int64(head[neighbour])
            count -= 1  # the point is a liberty no longer
            total -= point
            squares -= square
            if is_first_touch(head, point, i):
                count += np.int64(strings[string, COUNT])
                total += np.int64(strings[string, SUM])
                squares += np.int64(strings[string, SQUARES])
        elif who == 3 - own and atari_at[head[neighbour]] != 0:
            captures = True
    if count * squares != total * total:
        return NOWHERE
    if captures:  # each captured stone next to the new string is a liberty
        next_stone = state["next_stone"]
        for i in range(4):
            neighbour = point + NEIGHBOURS[i]
            if colour[neighbour] == 3 - own and atari_at[head[neighbour]] != 0 and is_first_touch(head, point, i):
                stone = neighbour
                while True:
                    if is_next_to_joined(state, point, stone, own):
                        count += 1
                        total += stone
                        squares += stone * stone
                    stone = np.int64(next_stone[stone])
                    if stone == neighbour:
                        break
        if count * squares != total * total:
            return NOWHERE
    return total // count


@kernel
def is_first_touch(head, point, i):
    """Whether the string at neighbour number `i` of a point touches it at no neighbour before."""
    string = head[point + NEIGHBOURS[i]]
    for j in range(i):
        if head[point + NEIGHBOURS[j]] == string:
            return False
    return True


@kernel
def is_next_to_joined(state, point, other, own):
    """Whether the point `other` is next to `point` or to a string of the colour `own` that touches `point`."""
    colour = state["colour"]
    head = state["head"]
    for i in range(4):
        neighbour = other + NEIGHBOURS[i]
        if neighbour == point:
            return True
        if colour[neighbour] == own:
            for j in range(4):
                if head[point + NEIGHBOURS[j]] == head[neighbour]:
                    return True
    return False


@kernel
def first_liberties(state, string):
    """How many liberties the string of a stone has, up to three, and the first two that are found (NOWHERE: none)."""
    colour = state["colour"]
    next_stone = state["next_stone"]
    count = 0
    one, two = np.int64(NOWHERE), np.int64(NOWHERE)
    stone = string
    while True:
        for i in range(4):
            neighbour = stone + NEIGHBOURS[i]
            if colour[neighbour] == EMPTY and neighbour != one and neighbour != two:
                count += 1
                if count == 1:
                    one = neighbour
                elif count == 2:
                    two = neighbour
                else:
                    return count, one, two
        stone = np.int64(next_stone[stone])
        if stone == string:
            return count, one, two

"""Crazy Stone's urgencies (Coulom 2006, appendix A.1): how much a player wants to play on each point.

There are two forms. `urgency` follows the text word by word and counts liberties stone by stone; nothing but tests and the
curious need it. `list_extras` is what playouts use: only points that are the last liberty of a string have an urgency above 1,
so the few strings in atari are all that must be looked at.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.games.go.legality import is_legal
from tesuji.games.go.state import BORDER, EMPTY, NEIGHBOURS, NOWHERE, STONES, STRIDE
from tesuji.games.go.strings import last_liberty

UNIT = 1000  # everything above 1 is a multiple of it
SAVE, CAPTURE, RESCUE = 1, 10, 100  # units for each stone of the string

# An entry of a playout's buffer: the units of a point above the point. 110 units for each of 361 stones leave room in 32 bits.
POINT_BITS = 9
POINT_MASK = (1 << POINT_BITS) - 1


# -- the text, word by word -----------------------------------------------------------------------------------------------
@kernel
def urgency(state, point, colour):
    """The urgency of a point for the player of `colour`, who is to move: appendix A.1.

    What is added is added for each string: one point can be the only liberty of several.
    """
    stones = state["colour"]
    head = state["head"]
    if stones[point] != EMPTY or not is_legal(state, point, colour - 1):
        return 0
    surrounded = True  # by own stones that are not in atari
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        if stones[neighbour] == colour:
            surrounded = surrounded and counted_liberties(state, neighbour) != 1
        elif stones[neighbour] != BORDER:
            surrounded = False
    if surrounded:
        return 0
    result = 1
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        who = np.int64(stones[neighbour])
        if who != colour and who != 3 - colour:
            continue
        seen = False  # a string that touches the point twice counts once
        for j in range(i):
            seen = seen or head[point + NEIGHBOURS[j]] == head[neighbour]
        if seen or counted_liberties(state, neighbour) != 1:
            continue
        size = counted_stones(state, neighbour)
        if who == colour:
            if not is_hopeless_by_counting(state, point, who):
                result += 1000 * size
        else:
            if not is_hopeless_by_counting(state, point, who):
                result += 10000 * size
            if touches_atari_by_counting(state, neighbour):
                result += 100000 * size
    return result


@kernel
def is_hopeless_by_counting(state, point, own):
    """Whether a string of colour `own` hardly lives on by playing on its only liberty."""
    stones = state["colour"]
    empty, enemies_in_atari, safe_friends = 0, 0, 0
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        who = stones[neighbour]
        if who == EMPTY:
            empty += 1
        elif who == 3 - own and counted_liberties(state, neighbour) == 1:
            enemies_in_atari += 1
        elif who == own and counted_liberties(state, neighbour) != 1:
            safe_friends += 1
    return empty <= 1 and enemies_in_atari == 0 and safe_friends == 0


@kernel
def touches_atari_by_counting(state, stone):
    """Whether a string is next to a string of the other colour that has one liberty."""
    stones = state["colour"]
    other = 3 - np.int64(stones[stone])
    at = stone
    while True:
        for i in range(4):
            neighbour = at + NEIGHBOURS[i]
            if stones[neighbour] == other and counted_liberties(state, neighbour) == 1:
                return True
        at = np.int64(state["next_stone"][at])
        if at == stone:
            return False


@kernel
def counted_stones(state, stone):
    count = 1
    at = np.int64(state["next_stone"][stone])
    while at != stone:
        count += 1
        at = np.int64(state["next_stone"][at])
    return count


@kernel
def counted_liberties(state, stone):
    """0, 1, or 2 for more: the liberties of the string of a stone, looked for stone by stone."""
    stones = state["colour"]
    only = NOWHERE
    at = stone
    while True:
        for i in range(4):
            neighbour = at + NEIGHBOURS[i]
            if stones[neighbour] == EMPTY and neighbour != only:
                if only != NOWHERE:
                    return 2
                only = neighbour
        at = np.int64(state["next_stone"][at])
        if at == stone:
            return 1 if only != NOWHERE else 0


# -- the same at speed ----------------------------------------------------------------------------------------------------
@kernel
def is_open(state, point, player):
    """Whether an empty point has any urgency for the player to move."""
    colour = state["colour"]
    own = player + 1
    around = colour[point - STRIDE] & colour[point - 1] & colour[point + 1] & colour[point + STRIDE]
    if around & own != 0:  # only own stones and border, which has the bits of both colours
        head = state["head"]
        atari_at = state["atari_at"]
        safe = True
        for i in range(4):
            safe = safe and atari_at[head[point + NEIGHBOURS[i]]] == 0  # the border has no string, and 0 there
        if safe:
            return False
    return is_legal(state, point, player)


@kernel
def is_hopeless(state, point, own):
    """As `is_hopeless_by_counting`."""
    colour = state["colour"]
    head = state["head"]
    atari_at = state["atari_at"]
    empty = 0
    helped = False
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        string = head[neighbour]
        who = colour[neighbour]
        empty += 1 if who == EMPTY else 0
        # by a friend with liberties, or an enemy that can be taken; | and & because branches cost more here
        helped |= (string != NOWHERE) & ((who == own) == (atari_at[string] == 0))
    return empty <= 1 and not helped


@kernel
def touches_atari(state, string):
    """Whether a string is next to a string of the other colour in atari."""
    head = state["head"]
    next_stone = state["next_stone"]
    atari_at = state["atari_at"]
    stone = string
    while True:
        found = False
        for i in range(4):
            other = head[stone + NEIGHBOURS[i]]  # 0, which is never in atari, where there is no stone
            found |= (other != string) & (atari_at[other] != 0)
        stone = np.int64(next_stone[stone])
        if found or stone == string:
            return found


@kernel
def list_extras(state, player, buffer):
    """Writes each point whose urgency is above 1, with its units, into the buffer; returns how many, and the sum of the units.

    Such a point has the urgency 1 + UNIT * units.
    """
    colour = state["colour"]
    ataris = state["ataris"]
    strings = state["strings"]
    own = player + 1
    atari_count = np.int64(state["atari_count"])
    threatened = False
    for i in range(atari_count):
        threatened = threatened or colour[ataris[i]] == own
    count, total = 0, 0
    for i in range(atari_count):
        string = np.int64(ataris[i])
        who = np.int64(colour[string])
        point = last_liberty(state, string)
        units = 0
        if not is_hopeless(state, point, who):
            units = SAVE if who == own else CAPTURE
        if threatened and who != own and touches_atari(state, string):
            units += RESCUE
        if units == 0 or not is_legal(state, point, player):
            continue
        units *= np.int64(strings[string, STONES])
        total += units
        place = 0
        while place < count and buffer[place] & POINT_MASK != point:
            place += 1
        if place == count:
            buffer[count] = point
            count += 1
        buffer[place] += units << POINT_BITS
    return count, total


@kernel
def list_rest(state, player, buffer, count):
    """Writes the points of urgency 1 behind the `count` entries that `list_extras` left; returns the number of all entries."""
    empties = state["empties"]
    found = count
    for i in range(state["empty_count"]):
        point = np.int64(empties[i])
        if is_open(state, point, player) and place_of(buffer, count, point) < 0:
            buffer[found] = point
            found += 1
    return found


@kernel
def place_of(buffer, count, point):
    """The entry of a point among the first `count`; -1 if it has none."""
    for i in range(count):
        if buffer[i] & POINT_MASK == point:
            return i
    return -1

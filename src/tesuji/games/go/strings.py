"""Stones go on and off the board: strings, their pseudo-liberties, the empty points and the strings in atari follow.

Everything is kept up to date by differences, in time that grows with the stones captured or joined, not with the board.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.games.go.state import AROUND, BOARD, COUNT, EMPTY, NEIGHBOURS, NOWHERE, SIDES, SQUARES, STONES, SUM, ZOBRIST


@kernel
def add_atari(state, head):
    """Lists a string as being in atari; it must not be listed."""
    count = state["atari_count"]
    state["ataris"][count] = head
    state["atari_at"][head] = count + 1
    state["atari_count"] = count + 1


@kernel
def drop_atari(state, head):
    """Takes a string off the list of those in atari, if it is there."""
    atari_at = state["atari_at"]
    at = atari_at[head]
    if at != 0:
        ataris = state["ataris"]
        count = state["atari_count"] - 1
        last = ataris[count]
        ataris[at - 1] = last
        atari_at[last] = at
        atari_at[head] = 0
        state["atari_count"] = count


@kernel
def last_liberty(state, head):
    """The one liberty of a string in atari."""
    strings = state["strings"]
    total, count = np.int64(strings[head, SUM]), np.int64(strings[head, COUNT])
    return total if count == 1 else total // count  # most have one: no division


@kernel
def set_aside(state, at, last):
    """Two entries of the list of empty points change places, as when draws are not to find one of them again."""
    empties = state["empties"]
    empty_at = state["empty_at"]
    point, other = empties[at], empties[last]
    empties[at] = other
    empty_at[other] = at
    empties[last] = point
    empty_at[point] = last


@kernel
def recolour(state, point, own):
    """Puts a stone of the colour `own` on an empty point, or takes it off: tells the points around."""
    around = state["around"]
    for place in range(8):
        around[point - AROUND[place]] ^= own << 2 * place


@kernel
def join(state, one, other):
    """Makes two strings one; returns its head. The stones of the smaller are given the head of the larger."""
    strings = state["strings"]
    head = state["head"]
    next_stone = state["next_stone"]
    large, small = one, other
    if strings[large, STONES] < strings[small, STONES]:
        large, small = other, one
    stone = small
    while True:
        head[stone] = large
        stone = np.int64(next_stone[stone])
        if stone == small:
            break
    after = next_stone[large]
    next_stone[large] = next_stone[small]
    next_stone[small] = after
    for column in range(4):
        strings[large, column] += strings[small, column]
    drop_atari(state, small)
    return large


@kernel
def take_off(state, captured, player):
    """Removes a string of `player` from the board; returns the number of its stones."""
    strings = state["strings"]
    colour = state["colour"]
    head = state["head"]
    next_stone = state["next_stone"]
    empties = state["empties"]
    empty_at = state["empty_at"]
    atari_at = state["atari_at"]
    taker = 2 - player  # the colour of the other player
    drop_atari(state, captured)
    hashed = state["hash"]
    empty_count = np.int64(state["empty_count"])
    before = empty_count
    stone = captured
    while True:
        following = np.int64(next_stone[stone])
        colour[stone] = EMPTY
        recolour(state, stone, player + 1)
        head[stone] = NOWHERE
        next_stone[stone] = NOWHERE
        empties[empty_count] = stone
        empty_at[stone] = empty_count
        empty_count += 1
        hashed ^= ZOBRIST[player * BOARD + stone]
        for i in range(4):
            neighbour = stone + NEIGHBOURS[i]
            if colour[neighbour] == taker:
                freed = np.int64(head[neighbour])
                strings[freed, COUNT] += 1
                strings[freed, SUM] += stone
                strings[freed, SQUARES] += stone * stone
                if atari_at[freed] != 0:  # its last liberty was another point
                    drop_atari(state, freed)
        stone = following
        if stone == captured:
            break
    state["hash"] = hashed
    state["empty_count"] = empty_count
    state["stone_count"][player] -= empty_count - before
    return empty_count - before


@kernel
def put_stone(state, point, player):
    """Puts a stone on an empty point where it is no suicide and takes what it captures; returns the new ko point or 0."""
    strings = state["strings"]
    colour = state["colour"]
    head = state["head"]
    next_stone = state["next_stone"]
    empties = state["empties"]
    empty_at = state["empty_at"]
    own = player + 1
    # 1. The point is no longer empty.
    last = empties[state["empty_count"] - 1]
    at = empty_at[point]
    empties[at] = last
    empty_at[last] = at
    state["empty_count"] -= 1
    colour[point] = own
    recolour(state, point, own)
    state["hash"] ^= ZOBRIST[player * BOARD + point]
    state["stone_count"][player] += 1
    # 2. The strings around lose a liberty; those of the same colour become one string.
    square = point * point
    count, total, squares = 0, 0, 0
    home = np.int64(NOWHERE)
    captures = False
    code = np.int64(state["around"][point])
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        who = code >> SIDES[i] & 3
        if who == EMPTY:
            count += 1
            total += neighbour
            squares += neighbour * neighbour
        elif head[neighbour] != NOWHERE:  # the border has no string
            string = np.int64(head[neighbour])
            left = np.int64(strings[string, COUNT]) - 1
            left_total = np.int64(strings[string, SUM]) - point
            left_squares = np.int64(strings[string, SQUARES]) - square
            strings[string, COUNT] = left
            strings[string, SUM] = left_total
            strings[string, SQUARES] = left_squares
            if who == own:
                if home == NOWHERE:
                    home = string
                elif home != string:
                    home = join(state, home, string)
            elif left == 0:
                captures = True
            elif left * left_squares == left_total * left_total and state["atari_at"][string] == 0:
                add_atari(state, string)
    # 3. The stone itself joins that string, or is a new one.
    if home == NOWHERE:
        home = point
        next_stone[point] = point
        strings[point, COUNT] = count
        strings[point, SUM] = total
        strings[point, SQUARES] = squares
        strings[point, STONES] = 1
    else:
        next_stone[point] = next_stone[home]
        next_stone[home] = point
        strings[home, COUNT] += count
        strings[home, SUM] += total
        strings[home, SQUARES] += squares
        strings[home, STONES] += 1
    head[point] = home
    # 4. Strings of the other colour without a liberty go.
    ko = np.int64(NOWHERE)
    if captures:
        captured = 0
        for i in range(4):
            neighbour = point + NEIGHBOURS[i]
            if colour[neighbour] == 3 - own and strings[head[neighbour], COUNT] == 0:
                captured += take_off(state, np.int64(head[neighbour]), 1 - player)
                ko = neighbour
        if captured != 1 or strings[home, STONES] != 1 or strings[home, COUNT] != 1:
            ko = np.int64(NOWHERE)
    # 5. Is the string itself in atari now?
    left = np.int64(strings[home, COUNT])
    left_total = np.int64(strings[home, SUM])
    if left * np.int64(strings[home, SQUARES]) == left_total * left_total:
        if state["atari_at"][home] == 0:
            add_atari(state, home)
    else:
        drop_atari(state, home)
    return ko

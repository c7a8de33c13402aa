"""The graph of a player in Hex, in which chains are short cuts, and the cells that no shortest path needs.

In a player's graph the vertices are the empty cells and his two edges; two are neighbours if they touch, or touch the same of
his chains (Bjornsson, Hayward, Johanson and van Rijswijk, Dead cell analysis in Hex and the Shannon game, 2007). He wins if at
the end his cells hold a path between his edges, and then they hold one without short cuts. So:

- A cell whose neighbours are all neighbours of each other is dead (simplicial): a path through it has a short cut.
- If all but one of its neighbours are so, then an opponent's stone on that one kills it.
- If every neighbour of c, but d, is one of d, then his stone on d is at least as good as one on c: d dominates c for him. With
  his stone on d those neighbours are neighbours of each other, so that it kills an opponent's stone on c.
- The liberties of a chain are neighbours of each other. What they cut off from both edges is dead: a path that goes there
  must come back through another one of them.

All that stays true whatever stones are added, as long as the cells that it is about are empty.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.core.numba.bits import bit_count, lowest_bit
from tesuji.knowledge.hex.geometry import (
    BLACK_STONE,
    EMPTY,
    PLACES,
    RING,
    RING_STEPS,
    WHITE_STONE,
    move_of_place,
    place_of,
)
from tesuji.knowledge.hex.inferior.board import CAPTURED_BY_GRAPH, CUT_OFF, DEAD_BY_GRAPH, NO_CELL, add_stone
from tesuji.knowledge.hex.inferior.dead_cells import MAJORITY

ZERO, ONE, WORD_BITS = np.uint64(0), np.uint64(1), 64
U32_ZERO, U32_ONE = np.uint32(0), np.uint32(1)
EDGES = 4  # the first chains: Black's top and bottom, White's left and right
NO_CHAIN = -1
DEAD_CELL = -2  # in place of a killer
# The half of the 18 cells within two steps that comes later on the board: a pair is looked at once.
LATER = np.array(sorted({int(a + b) for a in (*RING_STEPS, 0) for b in RING_STEPS if a + b > 0}), np.int64)


# -- chains --------------------------------------------------------------------------------------------------------------------
@kernel
def build_graph(work):
    """Finds all chains with their liberties, and the neighbours of all cells. False: someone has joined his edges."""
    if not find_chains(work):
        return False
    find_liberties(work)
    find_neighbours(work)
    return True


@kernel
def find_chains(work):
    """Numbers the chains; borders are stones of the first four. False: a chain has both edges of its colour."""
    width, height = work["width"], work["height"]
    colours, chain, owner = work["colours"], work["chain"], work["owner"]
    for number in range(EDGES):
        owner[number] = number >> 1
    for place in range(PLACES):
        chain[place] = NO_CHAIN
    for column in range(-1, width + 1):
        chain[place_of(column, -1)] = 0
        chain[place_of(column, height)] = 1
    for row in range(height):
        chain[place_of(-1, row)] = 2
        chain[place_of(width, row)] = 3
    work["winner"] = 0
    for column in range(width):
        if not spread(work, place_of(column, 0), 0, 1) or not spread(work, place_of(column, height - 1), 1, 1):
            work["winner"] = 1
            return False
    for row in range(height):
        if not spread(work, place_of(0, row), 2, 2) or not spread(work, place_of(width - 1, row), 3, 2):
            work["winner"] = -1
            return False
    count = EDGES
    for row in range(height):
        for place in range(place_of(0, row), place_of(width, row)):
            if colours[place] != EMPTY and chain[place] == NO_CHAIN:
                owner[count] = colours[place] - 1
                spread(work, place, count, np.int64(colours[place]))
                count += 1
    work["chains"] = count
    return True


@called_kernel
def spread(work, start, number, colour):
    """Gives the chain of this stone a number, if it has none and is of this colour. False: it touches both edges."""
    colours, chain, stack = work["colours"], work["chain"], work["queue"]
    if colours[start] != colour or chain[start] == number:
        return True
    if chain[start] != NO_CHAIN:
        return False  # the first stone at the second edge, reached from the first edge
    chain[start] = number
    stack[0] = start
    size = 1
    while size > 0:
        size -= 1
        place = np.int64(stack[size])
        for i in range(RING):
            near = place + RING_STEPS[i]
            if colours[near] == colour and chain[near] == NO_CHAIN:
                chain[near] = number
                stack[size] = near
                size += 1
    return True


@kernel
def find_liberties(work):
    """The empty cells next to each chain, as a set and by rows. The set of an edge has the edge itself, too: the number of
    cells for the first edge of a colour, and one more for the second.
    """
    width, height = work["width"], work["height"]
    colours, chain, sets, rows = work["colours"], work["chain"], work["sets"], work["rows"]
    cells = width * height
    words = set_words(work)
    for number in range(work["chains"]):
        for word in range(words):
            sets[number, word] = ZERO
        for row in range(height):
            rows[number, row] = U32_ZERO
    for number in range(EDGES):
        edge = cells + (number & 1)
        sets[number, edge // WORD_BITS] |= ONE << np.uint64(edge % WORD_BITS)
    cell = np.int64(0)
    for row in range(height):
        for column in range(width):
            place = place_of(column, row)
            if colours[place] == EMPTY:
                word, bit = cell // WORD_BITS, ONE << np.uint64(cell % WORD_BITS)
                for i in range(RING):
                    number = np.int64(chain[place + RING_STEPS[i]])
                    if number != NO_CHAIN:
                        sets[number, word] |= bit
                        rows[number, row] |= U32_ONE << np.uint32(column)
            cell += 1


@kernel
def set_words(work):
    return (work["width"] * work["height"] + 2 + WORD_BITS - 1) // WORD_BITS


@kernel
def find_neighbours(work):
    """By player and empty cell: the set of its neighbours in his graph."""
    width, height = work["width"], work["height"]
    colours, chain, sets, near = work["colours"], work["chain"], work["sets"], work["near"]
    words = set_words(work)
    cell = np.int64(0)
    for row in range(height):
        for column in range(width):
            place = place_of(column, row)
            if colours[place] == EMPTY:
                for word in range(words):
                    near[0, cell, word] = ZERO
                    near[1, cell, word] = ZERO
                for i in range(RING):
                    other = place + RING_STEPS[i]
                    number = np.int64(chain[other])
                    if number != NO_CHAIN:
                        player = (np.int64(colours[other]) & 3) - 1
                        for word in range(words):
                            near[player, cell, word] |= sets[number, word]
                    else:
                        at = move_of_place(other, width)
                        bit = ONE << np.uint64(at % WORD_BITS)
                        near[0, cell, at // WORD_BITS] |= bit
                        near[1, cell, at // WORD_BITS] |= bit
                own = ~(ONE << np.uint64(cell % WORD_BITS))
                near[0, cell, cell // WORD_BITS] &= own
                near[1, cell, cell // WORD_BITS] &= own
            cell += 1


# -- single cells --------------------------------------------------------------------------------------------------------------
@kernel
def has_neighbour(near, player, cell, other):
    return near[player, cell, other // WORD_BITS] >> np.uint64(other % WORD_BITS) & ONE != ZERO


@kernel
def is_covered(near, player, cell, other, words):
    """Whether all neighbours of the cell in the player's graph, but the other cell, are neighbours of that one."""
    for word in range(words):
        extra = near[player, cell, word] & ~near[player, other, word]
        if word == other // WORD_BITS:
            extra &= ~(ONE << np.uint64(other % WORD_BITS))
        if extra != ZERO:
            return False
    return True


@kernel
def killer_of(work, place, player):
    """The place where an opponent's stone makes the player's stone on `place` dead, as his graph shows; DEAD_CELL if it is dead
    already, NO_CELL if there is none.
    """
    colours, chain, sets, near = work["colours"], work["chain"], work["sets"], work["near"]
    width = work["width"]
    words = set_words(work)
    cell = move_of_place(place, width)
    found = np.int64(NO_CELL)
    touches = False
    for i in range(RING):
        if np.int64(colours[place + RING_STEPS[i]]) & 3 != player + 1:
            continue
        touches = True
        number = np.int64(chain[place + RING_STEPS[i]])
        extra, last = 0, np.int64(0)  # neighbours that are not liberties of this chain; the last of them
        for word in range(words):
            outside = near[player, cell, word] & ~sets[number, word]
            if outside != ZERO:
                extra += bit_count(outside)
                last = word * WORD_BITS + lowest_bit(outside)
                if extra > 1:
                    break
        if extra == 0:
            return np.int64(DEAD_CELL)
        if extra == 1 and last < width * work["height"]:
            found = place_of(last % width, last // width)
    return found if touches else lone_killer(work, place, player, width)


@kernel
def lone_killer(work, place, player, width):
    """The same for a cell without stones of the player around it: its neighbours are the empty cells that it touches."""
    colours, near = work["colours"], work["near"]
    strangers = 0  # pairs of neighbours that are not neighbours of each other
    first_at, second_at = 0, 0
    common = (1 << RING) - 1  # the cells that are in all such pairs
    for i in range(RING):
        one = place + RING_STEPS[i]
        if colours[one] != EMPTY:
            continue
        for j in range(i + 1, RING):
            other = place + RING_STEPS[j]
            cell, second = move_of_place(one, width), move_of_place(other, width)
            if colours[other] == EMPTY and not has_neighbour(near, player, cell, second):
                strangers += 1
                common &= 1 << i | 1 << j
                first_at, second_at = i, j
    if strangers == 0:
        return np.int64(DEAD_CELL)
    if common >> first_at & 1 != 0:
        return place + RING_STEPS[first_at]
    if common >> second_at & 1 != 0:
        return place + RING_STEPS[second_at]
    return np.int64(NO_CELL)


# -- filling -------------------------------------------------------------------------------------------------------------------
@kernel
def fill_by_graph(work):
    """Fills dead cells and captured pairs; leaves in work["killer"] what kills the cells that are left."""
    width, height = work["width"], work["height"]
    colours, killer, near = work["colours"], work["killer"], work["near"]
    words = set_words(work)
    for row in range(height):
        for place in range(place_of(0, row), place_of(width, row)):
            if colours[place] == EMPTY:
                for player in range(2):
                    killer[player, place] = killer_of(work, place, player)
                    if killer[player, place] == DEAD_CELL:
                        add_stone(work, place, MAJORITY[work["rings"][place]], DEAD_BY_GRAPH)
                        break
    for row in range(height):
        for place in range(place_of(0, row), place_of(width, row)):
            if colours[place] != EMPTY:
                continue
            cell = move_of_place(place, width)
            for i in range(len(LATER)):
                other = place + LATER[i]
                if colours[other] != EMPTY:
                    continue
                second = move_of_place(other, width)
                for player in range(2):
                    if (killer[1 - player, place] == other or is_covered(near, player, cell, second, words)) and (
                        killer[1 - player, other] == place or is_covered(near, player, second, cell, words)
                    ):
                        add_stone(work, place, player, CAPTURED_BY_GRAPH)
                        add_stone(work, other, player, CAPTURED_BY_GRAPH)
                        break
                if colours[place] != EMPTY:
                    break


@kernel
def fill_cut_off_regions(work):
    """Fills what the liberties of some chain cut off from the edges of its colour."""
    colours, reach, free = work["colours"], work["reach"], work["free"]
    see_rows(work)
    for number in range(work["chains"]):
        player = np.int64(work["owner"][number])
        flood(work, number, player)
        for row in range(1, work["height"] + 1):
            rest = free[row] & ~reach[row]
            while rest != U32_ZERO:
                place = place_of(lowest_bit(np.uint64(rest)), row - 1)
                rest &= rest - U32_ONE
                if colours[place] == EMPTY:
                    add_stone(work, place, player, CUT_OFF)


@kernel
def see_rows(work):
    """The stones by rows."""
    colours, stones = work["colours"], work["stones"]
    for row in range(work["height"]):
        black, white = U32_ZERO, U32_ZERO
        first = place_of(0, row)
        for column in range(work["width"]):
            colour = colours[first + column]
            if colour == BLACK_STONE:
                black |= U32_ONE << np.uint32(column)
            elif colour == WHITE_STONE:
                white |= U32_ONE << np.uint32(column)
        stones[0, row] = black
        stones[1, row] = white


@kernel
def flood(work, number, player):
    """Leaves in work["reach"] which cells of work["free"] can be reached from the edges of the chain's player, without its
    liberties and the opponent's stones. Rows are counted from 1. The chain is not an edge for itself.
    """
    width, height = work["width"], work["height"]
    reach, free, stones, rows = work["reach"], work["free"], work["stones"], work["rows"]
    whole = (U32_ONE << np.uint32(width)) - U32_ONE
    sides = U32_ZERO
    if player == 1:
        if number != 2:
            sides |= U32_ONE
        if number != 3:
            sides |= U32_ONE << np.uint32(width - 1)
    reach[0] = U32_ZERO
    reach[height + 1] = U32_ZERO
    for row in range(1, height + 1):
        free[row] = whole & ~stones[1 - player, row - 1] & ~rows[number, row - 1]
        reach[row] = free[row] & sides
    if player == 0 and number != 0:
        reach[1] = free[1]
    if player == 0 and number != 1:
        reach[height] = free[height]
    changed = True
    while changed:
        changed = False
        for step in range(2 * height):  # down and up again
            row = step + 1 if step < height else 2 * height - step
            here = reach[row]
            above, under = reach[row - 1], reach[row + 1]
            grown = here | free[row] & (above | above >> U32_ONE | under | under << U32_ONE)
            before = U32_ZERO
            while grown != before:
                before = grown
                grown |= free[row] & (grown << U32_ONE | grown >> U32_ONE)
            if grown != here:
                reach[row] = grown
                changed = True

"""H-search: all connections that follow from known ones by two rules (Anshelevich 2002), as fast as the sets allow.

*AND*: a full connection of x and z and one of z and y that have no cell in common make one of x and y: a full one if z is the
owner's already, a semi one if z is empty, since he must take z first.
*OR*: semi connections of x and y that have no cell in common to all of them make a full one: whatever the opponent takes, one
of them is left.
*Captured cells* may be in common. Cells under a stone that rests on a base of own stones,

      x
     . .        if the opponent takes one of the two empty cells, the other one makes his stone useless,
    o o o

are as good as the owner's once he has x (or z). They become part of the carrier.

Which results are kept, and in which order the rules are applied, follows Pawlewicz, Hayward, Henderson and Arneson (Stronger
virtual connections in Hex, 2015): a full one only if it makes the common part of the pair's carriers smaller or replaces one;
first AND for each new full, then OR for one pair, and so on; OR takes a cell that all fulls need and looks for semis without
it.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.knowledge.hex.bitsets import (
    both,
    either,
    everything,
    has_point,
    is_empty,
    load,
    lowest_point,
    minus,
    store,
    with_point,
    within,
)
from tesuji.knowledge.hex.connections.lists import (
    DONE,
    EDGE,
    EMPTY_CELL,
    FIRST_FULL,
    FIRST_OR,
    FULLS,
    FULLS_AT,
    IS_NEAR,
    LAST_FULL,
    LAST_OR,
    OF_DONE,
    OF_FULLS,
    ONE_END,
    OTHER_END,
    PAIR_NUMBERS,
    PAIR_SETS,
    SEEN,
    SEMIS,
    SEMIS_AT,
    WAITS,
    add_full,
    add_semi,
    relieving,
)


@called_kernel
def deduce(connections):
    """Applies both rules until nothing new follows."""
    counts = connections.counts
    while True:
        if counts[FIRST_FULL] < counts[LAST_FULL]:
            pair = np.int64(connections.full_queue[counts[FIRST_FULL] % len(connections.full_queue)])
            counts[FIRST_FULL] += 1
            combine_next(connections, pair)
        elif counts[FIRST_OR] < counts[LAST_OR]:
            pair = np.int64(connections.or_queue[counts[FIRST_OR] % len(connections.or_queue)])
            counts[FIRST_OR] += 1
            join_semis(connections, pair)
        else:
            return


# -- AND -----------------------------------------------------------------------------------------------------------------------
@kernel
def combine_next(connections, pair):
    """Combines the next full of the pair that waits for it, over both ends."""
    pairs = connections.pairs
    first = pair * PAIR_NUMBERS
    done = np.int64(pairs[first + DONE])
    if done >= pairs[first + FULLS]:
        return  # a better one has replaced it
    pairs[first + DONE] = done + 1
    carrier = load(connections.kind, connections.arena, np.int64(pairs[first + FULLS_AT]) + done)
    place = pair * PAIR_SETS + OF_DONE
    store(both(load(connections.kind, connections.common, place), carrier), connections.common, place)
    x, y = np.int64(pairs[first + ONE_END]), np.int64(pairs[first + OTHER_END])
    if pairs[first + IS_NEAR] == 0:
        pairs[first + IS_NEAR] = 1
        enter_near(connections, x, y)
        enter_near(connections, y, x)
    for end in range(2):
        middle, other = (x, y) if end == 0 else (y, x)
        if connections.status[middle] != EDGE:
            combine_over(connections, other, middle, carrier)


@kernel
def enter_near(connections, x, y):
    place = np.int64(connections.near_count[x])
    connections.near[x * connections.points + place] = y
    connections.near_count[x] = place + 1


@kernel
def combine_over(connections, x, middle, carrier):
    """Combines the full connection of x and `middle` with all others of `middle` that have been combined."""
    pairs, arena = connections.pairs, connections.arena
    is_empty_cell = connections.status[middle] == EMPTY_CELL
    for place in range(connections.near_count[middle]):
        y = np.int64(connections.near[middle * connections.points + place])
        if y == x or has_point(carrier, y):
            continue
        pair = np.int64(connections.pair_of[middle * connections.points + y])
        overlap = both(load(connections.kind, connections.common, pair * PAIR_SETS + OF_DONE), carrier)
        if not is_empty(overlap):
            overlap = minus(overlap, load(connections.kind, connections.captured, middle))
            overlap = minus(overlap, load(connections.kind, connections.captured, x))
            if not is_empty(minus(overlap, load(connections.kind, connections.captured, y))):
                continue
        first = pair * PAIR_NUMBERS
        at = np.int64(pairs[first + FULLS_AT])
        for i in range(pairs[first + DONE]):
            other = load(connections.kind, arena, at + i)
            if has_point(other, x):
                continue
            whole = either(carrier, other)
            overlap = both(carrier, other)
            if not is_empty(overlap):
                relief = relieving(connections, overlap, x, y, middle)
                if is_empty(relief):
                    continue
                whole = either(whole, relief)
            if is_empty_cell:
                add_semi(connections, x, y, with_point(whole, middle))
            else:
                add_full(connections, x, y, whole, True)


# -- OR ------------------------------------------------------------------------------------------------------------------------
@kernel
def join_semis(connections, pair):
    """Makes fulls of the pair's semis, at least one of them new, as long as they make the common part of the fulls smaller.

    `needed`: cells that every full has so far. In each round the lowest of them is either avoided by some of the semis, or
    given up. Semis with all of `needed` cannot help.
    """
    pairs, work = connections.pairs, connections.work
    first = pair * PAIR_NUMBERS
    pairs[first + WAITS] = 0
    at, count, seen = np.int64(pairs[first + SEMIS_AT]), np.int64(pairs[first + SEMIS]), np.int64(pairs[first + SEEN])
    pairs[first + SEEN] = count
    x, y = np.int64(pairs[first + ONE_END]), np.int64(pairs[first + OTHER_END])
    count = min(count, len(work) // len(connections.kind))
    seen = min(seen, count)
    for i in range(count):
        store(load(connections.kind, connections.arena, at + i), work, i)
    needed = load(connections.kind, connections.common, pair * PAIR_SETS + OF_FULLS)
    free = either(load(connections.kind, connections.captured, x), load(connections.kind, connections.captured, y))
    while True:
        kept, seen_kept = 0, 0
        shared, shared_new = everything(connections.kind), everything(connections.kind)
        for i in range(count):
            semi = load(connections.kind, work, i)
            if not within(needed, semi):
                store(semi, work, kept)
                kept += 1
                shared = both(shared, semi)
                if i < seen:
                    seen_kept += 1
                else:
                    shared_new = both(shared_new, semi)
        count, seen = kept, seen_kept
        if count == seen or not within(shared, free):
            return
        needed = minus(needed, shared_new)
        if is_empty(needed):
            return
        cell = lowest_point(needed)
        union, shared = connections.kind, everything(connections.kind)
        for place in range(count):
            i = place + seen if place + seen < count else place + seen - count  # the new ones first
            semi = load(connections.kind, work, i)
            if not has_point(semi, cell) and not within(shared, semi):
                union = either(union, semi)
                shared = both(shared, semi)
                if within(shared, free):
                    break
        found = within(shared, free)
        if found and not is_empty(shared):
            relief = relieving(connections, shared, x, y, x)
            found = not is_empty(relief) and not has_point(relief, cell)
            union = either(union, relief)
        if found:
            add_full(connections, x, y, union, False)
            needed = both(needed, union)
        else:
            needed = minus(needed, with_point(connections.kind, cell))

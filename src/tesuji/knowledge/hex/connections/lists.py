"""The known connections of one colour: for each pair of points two lists of carriers, in one arena of fixed size.

A *point* is an empty cell, a chain of own stones (its *captain*: the lowest of its cells) or one of the two own edges, with
the stones that reach it. A *carrier* is a set of empty cells, without the two ends. A connection is *full* if its owner can
join the ends with stones on the carrier alone although the opponent moves first, and *semi* if he can when he moves first
himself; an end that is empty counts as his stone. Each list is an antichain: no carrier contains another one of its list.

The lists of a pair are blocks of 2^k sets in the arena; a block that becomes too small is copied to one twice as large, and the
old one is used again. Where the room ends, a connection is not kept: fewer are known, none is wrong.

The order inside the lists matters. Fulls: first those that have been combined with their neighbours (`DONE` of them), then the
others, each of which has one entry of its pair in the queue. Semis: first those that the OR rule has seen (`SEEN`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.knowledge.hex.bitsets import both, either, everything, has_point, is_empty, load, minus, store, within

# What a point is: `status`.
ABSENT = 0  # an opponent's stone, or an own one that is not a captain
EMPTY_CELL = 1
CHAIN = 2
EDGE = 3

# The columns of `pairs`: whole numbers about each pair. Pair 0 is nobody's.
PAIR_NUMBERS = 16
ONE_END, OTHER_END = 0, 1
FULLS_AT, FULLS_CLASS, FULLS, DONE = 2, 3, 4, 5  # first set in the arena, size class of the block, how many, how many combined
SEMIS_AT, SEMIS_CLASS, SEMIS, SEEN = 6, 7, 8, 9
WAITS = 10  # whether the pair is in the queue for OR
IS_NEAR = 11  # whether it has been entered in `near`

# The sets of each pair: `common`.
PAIR_SETS = 3
OF_FULLS, OF_DONE, OF_SEMIS = 0, 1, 2  # the intersection of these carriers (all points if there are none)

# The columns of `counts`.
PAIRS_USED, ARENA_USED = 0, 1
FIRST_FULL, LAST_FULL, FIRST_OR, LAST_OR = 2, 3, 4, 5  # ends of the two queues
OVERFLOWED = 6  # how many connections were left out because there was no room
JOINED = 7  # whether the owner has joined his edges with stones
ATTEMPTS = 8  # additions that were tried, for measurements
FREE = 16  # from here on: the first free block of each size class (0: none)
CLASSES = 24
COUNTS = FREE + CLASSES
SMALLEST_FULLS, SMALLEST_SEMIS = 1, 2  # size classes of new blocks: room for 2 and 4


class Connections(NamedTuple):
    """The connections of one colour on boards of one size; all arrays are allocated once, by `new_connections`."""

    kind: Any  # an empty set of the width in use
    colour: Any
    points: Any  # cells and two edges
    soft_limit: Any  # semis of a pair; more only if they have less in common
    status: Any  # [point]
    captain: Any  # [point] the point that stands for it; -1 for an opponent's stone
    captured: Any  # [point] sets: cells that are as good as own stones once the owner has the point
    near: Any  # [point, i] the points with which it has combined fulls
    near_count: Any  # [point]
    pair_of: Any  # [point * points + point] the number of the pair, 0 if it has no connections
    pairs: Any  # [pair * PAIR_NUMBERS + column]
    common: Any  # [pair * PAIR_SETS + kind] sets
    arena: Any  # sets
    full_queue: Any
    or_queue: Any
    work: Any  # sets: room for the semis of one pair
    counts: Any
    occupied: Any  # three sets: own stones, opponent's stones, empty cells
    stack: Any  # [point] room for a flood
    touched: Any  # [point] whether an update has changed it
    templates: Any  # TemplateInstances


# -- pairs and blocks ----------------------------------------------------------------------------------------------------------
@kernel
def find_pair(connections, x, y):
    """The number of the pair, made if there is none yet; 0 if there is no room."""
    pair = np.int64(connections.pair_of[x * connections.points + y])
    if pair == 0:
        counts, pairs = connections.counts, connections.pairs
        pair = counts[PAIRS_USED]
        if (pair + 1) * PAIR_NUMBERS > len(pairs):
            return np.int64(0)
        counts[PAIRS_USED] = pair + 1
        connections.pair_of[x * connections.points + y] = pair
        connections.pair_of[y * connections.points + x] = pair
        first = pair * PAIR_NUMBERS
        for column in range(PAIR_NUMBERS):
            pairs[first + column] = 0
        pairs[first + ONE_END] = x
        pairs[first + OTHER_END] = y
        for which in range(PAIR_SETS):
            store(everything(connections.kind), connections.common, pair * PAIR_SETS + which)
    return pair


@kernel
def pair_at(connections, x, y):
    """Where the numbers of this pair begin in `pairs`; those of pair 0, which has no connections, if it has none."""
    return np.int64(connections.pair_of[x * connections.points + y]) * PAIR_NUMBERS


@kernel
def take_block(connections, size_class):
    """The first set of a block of 2^size_class sets; 0 if there is no room."""
    counts, arena = connections.counts, connections.arena
    width = len(connections.kind)
    at = counts[FREE + size_class]
    if at != 0:
        counts[FREE + size_class] = np.int64(arena[at * width])
        return at
    at = counts[ARENA_USED]
    after = at + (1 << size_class)
    if after * width > len(arena):
        return np.int64(0)
    counts[ARENA_USED] = after
    return at


@kernel
def free_block(connections, at, size_class):
    counts = connections.counts
    connections.arena[at * len(connections.kind)] = np.uint64(counts[FREE + size_class])
    counts[FREE + size_class] = at


@kernel
def make_room(connections, first, at_column, count, smallest):
    """Makes room for one more set in a list of `count` sets: whether there is."""
    pairs, arena = connections.pairs, connections.arena
    at, size_class = np.int64(pairs[first + at_column]), np.int64(pairs[first + at_column + 1])
    if at == 0:
        at = take_block(connections, smallest)
        pairs[first + at_column] = at
        pairs[first + at_column + 1] = smallest
        return at != 0
    if count < 1 << size_class:
        return True
    larger = take_block(connections, size_class + 1)
    if larger == 0:
        return False
    for i in range(count):
        store(load(connections.kind, arena, at + i), arena, larger + i)
    free_block(connections, at, size_class)
    pairs[first + at_column] = larger
    pairs[first + at_column + 1] = size_class + 1
    return True


@kernel
def intersection(connections, at, count):
    """What these carriers have in common; all points if there are none."""
    shared = everything(connections.kind)
    for i in range(count):
        shared = both(shared, load(connections.kind, connections.arena, at + i))
    return shared


@kernel
def remove_set(connections, at, first_part, count, i):
    """Removes set i of a list in two parts; the last set of its part takes its place. Returns the new length of the first
    part.
    """
    arena = connections.arena
    if i < first_part:
        first_part -= 1
        store(load(connections.kind, arena, at + first_part), arena, at + i)
        i = first_part
    store(load(connections.kind, arena, at + count - 1), arena, at + i)
    return first_part


# -- additions -----------------------------------------------------------------------------------------------------------------
@kernel
def add_full(connections, x, y, carrier, drops_semis):
    """Adds a full connection, unless it contains a known one, or neither replaces one nor makes the common part smaller."""
    counts, pairs, arena = connections.counts, connections.pairs, connections.arena
    counts[ATTEMPTS] += 1
    pair = find_pair(connections, x, y)
    if pair == 0:
        counts[OVERFLOWED] += 1
        return
    first = pair * PAIR_NUMBERS
    at, count, done = np.int64(pairs[first + FULLS_AT]), np.int64(pairs[first + FULLS]), np.int64(pairs[first + DONE])
    shared = load(connections.kind, connections.common, pair * PAIR_SETS + OF_FULLS)
    before, done_before = count, done
    i = 0
    while i < count:
        old = load(connections.kind, arena, at + i)
        if within(old, carrier):
            return
        if within(carrier, old):
            done = remove_set(connections, at, done, count, i)
            count -= 1
        else:
            i += 1
    if count == before and within(shared, carrier) and count > 0:
        return
    pairs[first + DONE] = done
    if not make_room(connections, first, FULLS_AT, count, SMALLEST_FULLS):
        counts[OVERFLOWED] += 1  # only if nothing was removed
        return
    at = np.int64(pairs[first + FULLS_AT])
    store(carrier, arena, at + count)
    pairs[first + FULLS] = count + 1
    store(both(shared, carrier), connections.common, pair * PAIR_SETS + OF_FULLS)
    if done < done_before:
        store(intersection(connections, at, done), connections.common, pair * PAIR_SETS + OF_DONE)
    queue_full(connections, pair)
    if drops_semis and pairs[first + SEMIS] > 0:
        drop_semis(connections, pair, carrier)


@called_kernel
def enter_full(connections, x, y, carrier):
    """`add_full` where it is not needed often, compiled once."""
    add_full(connections, x, y, carrier, True)


@kernel
def queue_full(connections, pair):
    """Enters the pair in the queue, once for each of its fulls that has not been combined."""
    counts, queue = connections.counts, connections.full_queue
    last = counts[LAST_FULL]
    if last - counts[FIRST_FULL] < len(queue):
        queue[last % len(queue)] = pair
        counts[LAST_FULL] = last + 1
    else:
        counts[OVERFLOWED] += 1


@kernel
def drop_semis(connections, pair, carrier):
    """Removes the semis that contain a full carrier of the pair."""
    pairs, arena = connections.pairs, connections.arena
    first = pair * PAIR_NUMBERS
    at, count, seen = np.int64(pairs[first + SEMIS_AT]), np.int64(pairs[first + SEMIS]), np.int64(pairs[first + SEEN])
    before = count
    i = 0
    while i < count:
        if within(carrier, load(connections.kind, arena, at + i)):
            seen = remove_set(connections, at, seen, count, i)
            count -= 1
        else:
            i += 1
    if count < before:
        pairs[first + SEMIS] = count
        pairs[first + SEEN] = seen
        store(intersection(connections, at, count), connections.common, pair * PAIR_SETS + OF_SEMIS)


@kernel
def add_semi(connections, x, y, carrier):
    """Adds a semi connection, unless it contains a known full or semi one, or there are many and it is one more like them."""
    counts, pairs, arena = connections.counts, connections.pairs, connections.arena
    counts[ATTEMPTS] += 1
    pair = find_pair(connections, x, y)
    if pair == 0:
        counts[OVERFLOWED] += 1
        return
    first = pair * PAIR_NUMBERS
    fulls = np.int64(pairs[first + FULLS])
    if fulls > 0 and within(load(connections.kind, connections.common, pair * PAIR_SETS + OF_FULLS), carrier):
        at = np.int64(pairs[first + FULLS_AT])
        for i in range(fulls):
            if within(load(connections.kind, arena, at + i), carrier):
                return
    at, count, seen = np.int64(pairs[first + SEMIS_AT]), np.int64(pairs[first + SEMIS]), np.int64(pairs[first + SEEN])
    shared = load(connections.kind, connections.common, pair * PAIR_SETS + OF_SEMIS)
    if count >= connections.soft_limit and within(shared, carrier):
        return
    i = 0
    while i < count:
        old = load(connections.kind, arena, at + i)
        if within(old, carrier):
            return
        if within(carrier, old):
            seen = remove_set(connections, at, seen, count, i)
            count -= 1
        else:
            i += 1
    pairs[first + SEEN] = seen
    if not make_room(connections, first, SEMIS_AT, count, SMALLEST_SEMIS):
        counts[OVERFLOWED] += 1
        return
    at = np.int64(pairs[first + SEMIS_AT])
    store(carrier, arena, at + count)
    pairs[first + SEMIS] = count + 1
    shared = both(shared, carrier)
    store(shared, connections.common, pair * PAIR_SETS + OF_SEMIS)
    queue_or(connections, pair, shared)


@kernel
def queue_or(connections, pair, shared):
    """Enters the pair in the queue for OR, if its semis have nothing in common but what its ends capture."""
    counts, pairs, queue = connections.counts, connections.pairs, connections.or_queue
    first = pair * PAIR_NUMBERS
    if pairs[first + WAITS] != 0:
        return
    if not is_empty(shared):
        x, y = np.int64(pairs[first + ONE_END]), np.int64(pairs[first + OTHER_END])
        shared = minus(shared, load(connections.kind, connections.captured, x))
        if not is_empty(minus(shared, load(connections.kind, connections.captured, y))):
            return
    last = counts[LAST_OR]
    if last - counts[FIRST_OR] < len(queue):
        queue[last % len(queue)] = pair
        counts[LAST_OR] = last + 1
        pairs[first + WAITS] = 1
    else:
        counts[OVERFLOWED] += 1


# -- captured cells ------------------------------------------------------------------------------------------------------------
@kernel
def relieving(connections, overlap, x, y, z):
    """The captured cells of some of the three points that hold all of `overlap`; no cells if that is not possible.

    Each set is used only if it contains none of the points and has no cell of the sets used before: what the opponent takes of
    one set is answered inside it.
    """
    used = connections.kind
    for place in range(3):
        point = z if place == 0 else x if place == 1 else y
        cells = load(connections.kind, connections.captured, point)
        if not is_empty(both(cells, minus(overlap, used))) and is_empty(both(cells, used)):
            if not (has_point(cells, x) or has_point(cells, y) or has_point(cells, z)):
                used = either(used, cells)
    if not within(overlap, used):
        used = connections.kind
    return used

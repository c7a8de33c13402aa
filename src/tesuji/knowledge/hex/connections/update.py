"""The connections after some more stones, from those before: what no new stone touches is taken over as it is.

An opponent's stone ends the connections whose carrier it is in; no other can become wrong. What contained a carrier that it
hits is hit too, so nothing is missing that was left out for containing it. An own stone leaves the carriers, and the points
that it joins become one; their connections have to be combined again, since what was a semi connection over the cell is a
full one now. The result is sound, and nearly as large as what `build` finds: the limits may keep other connections.

The earlier position stays as it is, so a move is taken back by going on with that.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.knowledge.hex.bitsets import both, either, everything, has_point, is_empty, load, minus, store, within
from tesuji.knowledge.hex.connections.build import build_from_nothing, forget
from tesuji.knowledge.hex.connections.deduction import deduce, enter_near
from tesuji.knowledge.hex.connections.edge_templates import add_templates
from tesuji.knowledge.hex.connections.lists import (
    DONE,
    EMPTY_CELL,
    FULLS,
    FULLS_AT,
    IS_NEAR,
    JOINED,
    OF_DONE,
    OF_FULLS,
    OF_SEMIS,
    ONE_END,
    OTHER_END,
    OVERFLOWED,
    PAIR_NUMBERS,
    PAIR_SETS,
    PAIRS_USED,
    SEEN,
    SEMIS,
    SEMIS_AT,
    SMALLEST_FULLS,
    SMALLEST_SEMIS,
    add_semi,
    enter_full,
    find_pair,
    make_room,
    queue_full,
    queue_or,
)
from tesuji.knowledge.hex.connections.points import NO_CAPTAIN, OPPONENT, OWN, read_position


@called_kernel
def update(before, after, state):
    """Finds the connections of the position `state` in `after`, from those in `before`, of a position with fewer stones.

    If some stone of the earlier position is not there, all is built from nothing.
    """
    forget(after)
    read_position(after, state)
    old_own, old_opponent = load(before.kind, before.occupied, OWN), load(before.kind, before.occupied, OPPONENT)
    own, opponent = load(after.kind, after.occupied, OWN), load(after.kind, after.occupied, OPPONENT)
    if after.counts[JOINED] != 0 or before.counts[JOINED] != 0 or not (within(old_own, own) and within(old_opponent, opponent)):
        build_from_nothing(after, state)
        return
    mark_touched(before, after)
    for pair in range(1, before.counts[PAIRS_USED]):
        first = pair * PAIR_NUMBERS
        x = np.int64(after.captain[before.pairs[first + ONE_END]])
        y = np.int64(after.captain[before.pairs[first + OTHER_END]])
        if x != NO_CAPTAIN and y != NO_CAPTAIN and x != y and after.touched[x] == 0 and after.touched[y] == 0:
            keep_untouched(before, after, pair, x, y, either(own, opponent))
    for pair in range(1, before.counts[PAIRS_USED]):
        first = pair * PAIR_NUMBERS
        x = np.int64(after.captain[before.pairs[first + ONE_END]])
        y = np.int64(after.captain[before.pairs[first + OTHER_END]])
        if x != NO_CAPTAIN and y != NO_CAPTAIN and x != y:
            keep_changed(before, after, pair, x, y, own, opponent)
    fresh = minus(own, old_own)
    if not is_empty(fresh):
        add_templates(after, fresh)
    deduce(after)


@kernel
def mark_touched(before, after):
    """Marks the points that have gained own stones, or that capture other cells than before."""
    touched = after.touched
    old_own = load(before.kind, before.occupied, OWN)
    own = load(after.kind, after.occupied, OWN)
    fresh = minus(own, old_own)
    for point in range(after.points):
        touched[point] = 0
    for cell in range(after.points - 2):
        if has_point(fresh, cell):
            touched[after.captain[cell]] = 1
        elif after.status[cell] == EMPTY_CELL:
            now, then = load(after.kind, after.captured, cell), load(before.kind, before.captured, cell)
            if not (within(now, then) and within(then, now)):
                touched[cell] = 1


@kernel
def keep_untouched(before, after, old_pair, x, y, stones):
    """Takes over the carriers of a pair that no stone is in, whose ends are what they were."""
    old = old_pair * PAIR_NUMBERS
    fulls, semis = np.int64(before.pairs[old + FULLS]), np.int64(before.pairs[old + SEMIS])
    if fulls + semis == 0:
        return
    pair = find_pair(after, x, y)
    if pair == 0:
        after.counts[OVERFLOWED] += 1
        return
    pairs, arena = after.pairs, after.arena
    first = pair * PAIR_NUMBERS
    count, done, at = 0, 0, np.int64(before.pairs[old + FULLS_AT])
    shared, shared_done = everything(after.kind), everything(after.kind)
    for i in range(fulls):
        carrier = load(before.kind, before.arena, at + i)
        if is_empty(both(carrier, stones)) and make_room(after, first, FULLS_AT, count, SMALLEST_FULLS):
            store(carrier, arena, np.int64(pairs[first + FULLS_AT]) + count)
            count += 1
            shared = both(shared, carrier)
            if i < before.pairs[old + DONE]:
                done = count
                shared_done = shared
    pairs[first + FULLS] = count
    pairs[first + DONE] = done
    store(shared, after.common, pair * PAIR_SETS + OF_FULLS)
    store(shared_done, after.common, pair * PAIR_SETS + OF_DONE)
    if done > 0:
        pairs[first + IS_NEAR] = 1
        enter_near(after, x, y)
        enter_near(after, y, x)
    for _ in range(done, count):
        queue_full(after, pair)
    lost = count < fulls
    count, seen, at = 0, 0, np.int64(before.pairs[old + SEMIS_AT])
    shared = everything(after.kind)
    for i in range(semis):
        carrier = load(before.kind, before.arena, at + i)
        if is_empty(both(carrier, stones)) and make_room(after, first, SEMIS_AT, count, SMALLEST_SEMIS):
            store(carrier, arena, np.int64(pairs[first + SEMIS_AT]) + count)
            count += 1
            shared = both(shared, carrier)
            if i < before.pairs[old + SEEN]:
                seen = count
    pairs[first + SEMIS] = count
    pairs[first + SEEN] = 0 if lost else seen  # a full is gone: perhaps they make another one
    store(shared, after.common, pair * PAIR_SETS + OF_SEMIS)
    if count > pairs[first + SEEN]:
        queue_or(after, pair, shared)


@kernel
def keep_changed(before, after, old_pair, x, y, own, opponent):
    """Adds the carriers that own stones have become part of, and all of a pair with an end that has changed."""
    old = old_pair * PAIR_NUMBERS
    touched = after.touched[x] != 0 or after.touched[y] != 0
    at = np.int64(before.pairs[old + FULLS_AT])
    for i in range(before.pairs[old + FULLS]):
        carrier = load(before.kind, before.arena, at + i)
        if is_empty(both(carrier, opponent)) and (touched or not is_empty(both(carrier, own))):
            enter_full(after, x, y, minus(carrier, own))
    at = np.int64(before.pairs[old + SEMIS_AT])
    for i in range(before.pairs[old + SEMIS]):
        carrier = load(before.kind, before.arena, at + i)
        if is_empty(both(carrier, opponent)) and (touched or not is_empty(both(carrier, own))):
            add_semi(after, x, y, minus(carrier, own))

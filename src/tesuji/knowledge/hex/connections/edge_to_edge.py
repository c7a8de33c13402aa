"""Connections from edge to edge: who wins by one, and where his opponent must move."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.knowledge.hex.bitsets import both, has_point, is_empty, load, within
from tesuji.knowledge.hex.connections.lists import EMPTY_CELL, FULLS, FULLS_AT, SEMIS, SEMIS_AT, pair_at, relieving
from tesuji.knowledge.hex.connections.points import FREE_CELLS

NO_KEY_CELL = -1


@kernel
def wins_as_second(connections):
    """Whether the owner joins his edges although the opponent moves."""
    return connections.pairs[pair_at(connections, connections.points - 2, connections.points - 1) + FULLS] > 0


@kernel
def wins_as_first(connections):
    """Whether the owner joins his edges if he moves."""
    first = pair_at(connections, connections.points - 2, connections.points - 1)
    return connections.pairs[first + FULLS] > 0 or connections.pairs[first + SEMIS] > 0


@kernel
def mustplay(connections, marks):
    """Marks the cells on which the owner's opponent, who is to move, need look: 1 or 0 for each cell. Returns how many.

    All other moves leave the owner a semi connection from edge to edge, and lose. Without one all empty cells are marked; with
    a full connection none, as all moves lose.
    """
    left = load(connections.kind, connections.occupied, FREE_CELLS)
    first = pair_at(connections, connections.points - 2, connections.points - 1)
    at = np.int64(connections.pairs[first + SEMIS_AT])
    for i in range(connections.pairs[first + SEMIS]):
        left = both(left, load(connections.kind, connections.arena, at + i))
    if connections.pairs[first + FULLS] > 0:
        left = connections.kind
    count = 0
    for cell in range(connections.points - 2):
        marks[cell] = 1 if has_point(left, cell) else 0
        count += np.int64(marks[cell])
    return count


@kernel
def key_of(connections, x, y, number):
    """The cell that the owner takes to make semi connection `number` of this pair a full one; -1 if none is known any more."""
    first = pair_at(connections, x, y)
    carrier = load(connections.kind, connections.arena, np.int64(connections.pairs[first + SEMIS_AT]) + number)
    for key in range(connections.points - 2):
        if has_point(carrier, key) and connections.status[key] == EMPTY_CELL and joins_inside(connections, x, y, key, carrier):
            return np.int64(key)
    return np.int64(NO_KEY_CELL)


@kernel
def joins_inside(connections, x, y, key, carrier):
    """Whether full connections of x and y with the key lie inside the carrier, without a common cell but captured ones."""
    one, other = pair_at(connections, x, key), pair_at(connections, key, y)
    for i in range(connections.pairs[one + FULLS]):
        first = load(connections.kind, connections.arena, np.int64(connections.pairs[one + FULLS_AT]) + i)
        if not within(first, carrier):
            continue
        for j in range(connections.pairs[other + FULLS]):
            second = load(connections.kind, connections.arena, np.int64(connections.pairs[other + FULLS_AT]) + j)
            if not within(second, carrier):
                continue
            overlap = both(first, second)
            if is_empty(overlap):
                return True
            relief = relieving(connections, overlap, x, y, key)
            if not is_empty(relief) and within(relief, carrier):
                return True
    return False


@kernel
def winning_key(own):
    """A move after which the edges are fully connected; NO_KEY_CELL if none is known.

    If they are connected already, a cell of the connection: another stone there does no harm.
    """
    first, second = own.points - 2, own.points - 1
    pair = pair_at(own, first, second)
    if own.pairs[pair + FULLS] > 0:
        carrier = load(own.kind, own.arena, np.int64(own.pairs[pair + FULLS_AT]))
        for cell in range(own.points - 2):
            if has_point(carrier, cell):
                return np.int64(cell)
    for number in range(own.pairs[pair_at(own, first, second) + SEMIS]):
        key = key_of(own, first, second, number)
        if key != NO_KEY_CELL:
            return key
    return np.int64(NO_KEY_CELL)


@kernel
def count_needed(connections, counts):
    """How many of the owner's connections from edge to edge need each cell: of the full ones, if there are any."""
    first = pair_at(connections, connections.points - 2, connections.points - 1)
    fulls = np.int64(connections.pairs[first + FULLS])
    at = np.int64(connections.pairs[first + FULLS_AT] if fulls > 0 else connections.pairs[first + SEMIS_AT])
    for cell in range(connections.points - 2):
        counts[cell] = 0
    for number in range(fulls if fulls > 0 else np.int64(connections.pairs[first + SEMIS])):
        carrier = load(connections.kind, connections.arena, at + number)
        for cell in range(connections.points - 2):
            if has_point(carrier, cell):
                counts[cell] += 1


@kernel
def most_needed(connections, counts):
    """The cell that most of them need: where to cut, if at all. NO_KEY_CELL if there are none; `counts` is room to count in."""
    count_needed(connections, counts)
    best = np.int64(NO_KEY_CELL)
    for cell in range(connections.points - 2):
        if counts[cell] > (counts[best] if best != NO_KEY_CELL else 0):
            best = np.int64(cell)
    return best

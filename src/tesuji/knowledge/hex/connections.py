"""Virtual connections of one colour: `build` finds them for a position, the functions below ask for those from edge to edge.

    known = new_connections(11, 11, BLACK)
    build(known, state)
    if wins_as_second(known): ...           # Black wins, whoever moves
    if wins_as_first(known): ...            # Black wins if he moves
    mustplay(known, marks)                  # where White must move, as all other moves lose

The position is any record of the rules. Cells that are filled in with stones (games/hex/rules.py, `put_stone`) count as stones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.games.hex.state import MOST_CELLS
from tesuji.knowledge.hex.bitsets import bits_for, both, everything, has_point, is_empty, load, within
from tesuji.knowledge.hex.connection_lists import (
    ARENA_USED,
    ATTEMPTS,
    CLASSES,
    COUNTS,
    EMPTY_CELL,
    FIRST_FULL,
    FIRST_OR,
    FREE,
    FULLS,
    FULLS_AT,
    JOINED,
    LAST_FULL,
    LAST_OR,
    ONE_END,
    OTHER_END,
    OVERFLOWED,
    PAIR_NUMBERS,
    PAIR_SETS,
    PAIRS_USED,
    SEMIS,
    SEMIS_AT,
    Connections,
    enter_full,
    relieving,
)
from tesuji.knowledge.hex.connection_points import FREE_CELLS, add_neighbours, read_position
from tesuji.knowledge.hex.connection_search import deduce
from tesuji.knowledge.hex.edge_templates import EdgeTemplate, add_templates, instances, shipped_instances

SOFT_LIMIT = 32
ARENA = 1 << 17  # carriers
NO_KEY_CELL = -1


def new_connections(
    width: int,
    height: int,
    colour: int,
    arena: int = ARENA,
    soft_limit: int = SOFT_LIMIT,
    templates: Sequence[EdgeTemplate] | None = None,
) -> Connections:
    """Room for the connections of one colour on a board of this size.

    `arena`: how many carriers there is room for. `soft_limit`: how many semi connections of a pair are kept before only those
    are added that have less in common with the others. `templates`: at the edges; None for those that come with the program.
    """
    cells = width * height
    points = cells + 2
    if cells > MOST_CELLS:
        raise ValueError(f"{width}x{height} is larger than any board")
    placed = shipped_instances(width, height, colour) if templates is None else instances(templates, width, height, colour)
    kind = bits_for(points)
    words = len(kind)
    arena = max(arena, 8)
    pairs = min(points * (points - 1) // 2 + 1, arena)
    return Connections(
        kind=kind,
        colour=np.int64(colour),
        points=np.int64(points),
        soft_limit=np.int64(soft_limit),
        status=np.zeros(points, np.int8),
        captain=np.zeros(points, np.int16),
        captured=np.zeros(points * words, np.uint64),
        near=np.zeros(points * points, np.int16),
        near_count=np.zeros(points, np.int32),
        pair_of=np.zeros(points * points, np.int32),
        pairs=np.zeros(pairs * PAIR_NUMBERS, np.int32),
        common=np.zeros(pairs * PAIR_SETS * words, np.uint64),
        arena=np.zeros(arena * words, np.uint64),
        full_queue=np.zeros(max(64, arena // 8), np.int32),
        or_queue=np.zeros(pairs, np.int32),
        work=np.zeros(min(arena, 4096) * words, np.uint64),
        counts=np.zeros(COUNTS, np.int64),
        occupied=np.zeros(3 * words, np.uint64),
        stack=np.zeros(points, np.int16),
        touched=np.zeros(points, np.int8),
        templates=placed,
    )


# -- finding them --------------------------------------------------------------------------------------------------------------
@called_kernel
def build(known, state):
    """Finds the connections of the position, from nothing."""
    forget(known)
    read_position(known, state)
    build_from_nothing(known, state)


@kernel
def build_from_nothing(known, state):
    """The same after `read_position`, while no connection is known."""
    if known.counts[JOINED] != 0:
        enter_full(known, known.points - 2, known.points - 1, known.kind)
        return
    add_neighbours(known, state)
    add_templates(known, everything(known.kind))
    deduce(known)


@kernel
def forget(known):
    """Removes all connections."""
    counts, pairs, points = known.counts, known.pairs, known.points
    for pair in range(1, counts[PAIRS_USED]):
        x, y = np.int64(pairs[pair * PAIR_NUMBERS + ONE_END]), np.int64(pairs[pair * PAIR_NUMBERS + OTHER_END])
        known.pair_of[x * points + y] = 0
        known.pair_of[y * points + x] = 0
    for point in range(points):
        known.near_count[point] = 0
    for size_class in range(CLASSES):
        counts[FREE + size_class] = 0
    counts[PAIRS_USED] = 1
    counts[ARENA_USED] = 1
    counts[FIRST_FULL] = 0
    counts[LAST_FULL] = 0
    counts[FIRST_OR] = 0
    counts[LAST_OR] = 0
    counts[OVERFLOWED] = 0
    counts[ATTEMPTS] = 0


# -- from edge to edge ---------------------------------------------------------------------------------------------------------
@kernel
def pair_at(known, x, y):
    """Where the numbers of this pair begin in `pairs`; those of pair 0, which has no connections, if it has none."""
    return np.int64(known.pair_of[x * known.points + y]) * PAIR_NUMBERS


@kernel
def wins_as_second(known):
    """Whether the owner joins his edges although the opponent moves."""
    return known.pairs[pair_at(known, known.points - 2, known.points - 1) + FULLS] > 0


@kernel
def wins_as_first(known):
    """Whether the owner joins his edges if he moves."""
    first = pair_at(known, known.points - 2, known.points - 1)
    return known.pairs[first + FULLS] > 0 or known.pairs[first + SEMIS] > 0


@kernel
def mustplay(known, marks):
    """Marks the cells on which the owner's opponent, who is to move, need look: 1 or 0 for each cell. Returns how many.

    All other moves leave the owner a semi connection from edge to edge, and lose. Without one all empty cells are marked; with
    a full connection none, as all moves lose.
    """
    left = load(known.kind, known.occupied, FREE_CELLS)
    first = pair_at(known, known.points - 2, known.points - 1)
    at = np.int64(known.pairs[first + SEMIS_AT])
    for i in range(known.pairs[first + SEMIS]):
        left = both(left, load(known.kind, known.arena, at + i))
    if known.pairs[first + FULLS] > 0:
        left = known.kind
    count = 0
    for cell in range(known.points - 2):
        marks[cell] = 1 if has_point(left, cell) else 0
        count += np.int64(marks[cell])
    return count


@kernel
def key_of(known, x, y, number):
    """The cell that the owner takes to make semi connection `number` of this pair a full one; -1 if none is known any more."""
    first = pair_at(known, x, y)
    carrier = load(known.kind, known.arena, np.int64(known.pairs[first + SEMIS_AT]) + number)
    for key in range(known.points - 2):
        if has_point(carrier, key) and known.status[key] == EMPTY_CELL and joins_inside(known, x, y, key, carrier):
            return np.int64(key)
    return np.int64(NO_KEY_CELL)


@kernel
def joins_inside(known, x, y, key, carrier):
    """Whether full connections of x and y with the key lie inside the carrier, without a common cell but captured ones."""
    one, other = pair_at(known, x, key), pair_at(known, key, y)
    for i in range(known.pairs[one + FULLS]):
        first = load(known.kind, known.arena, np.int64(known.pairs[one + FULLS_AT]) + i)
        if not within(first, carrier):
            continue
        for j in range(known.pairs[other + FULLS]):
            second = load(known.kind, known.arena, np.int64(known.pairs[other + FULLS_AT]) + j)
            if not within(second, carrier):
                continue
            overlap = both(first, second)
            if is_empty(overlap):
                return True
            relief = relieving(known, overlap, x, y, key)
            if not is_empty(relief) and within(relief, carrier):
                return True
    return False


# -- looking at them -----------------------------------------------------------------------------------------------------------
def carriers(known: Connections, x: int, y: int, full: bool) -> list[list[int]]:
    """The carriers of the full, or the semi, connections of two points, as lists of cells."""
    first = int(known.pair_of[x * int(known.points) + y]) * PAIR_NUMBERS
    at, count = (FULLS_AT, FULLS) if full else (SEMIS_AT, SEMIS)
    width = len(known.kind)
    found = []
    for i in range(int(known.pairs[first + count])):
        place = (int(known.pairs[first + at]) + i) * width
        bits = sum(int(word) << 64 * number for number, word in enumerate(known.arena[place : place + width]))
        found.append([cell for cell in range(int(known.points)) if bits >> cell & 1])
    return found


def all_pairs(known: Connections) -> list[tuple[int, int]]:
    """The pairs of points that have a connection."""
    rows = known.pairs[: int(known.counts[PAIRS_USED]) * PAIR_NUMBERS].reshape(-1, PAIR_NUMBERS)[1:]
    return [(int(row[ONE_END]), int(row[OTHER_END])) for row in rows if row[FULLS] + row[SEMIS] > 0]


def sizes(known: Connections) -> dict[str, Any]:
    """How many connections there are, and on how many pairs."""
    rows = known.pairs[: int(known.counts[PAIRS_USED]) * PAIR_NUMBERS].reshape(-1, PAIR_NUMBERS)[1:]
    return {
        "fulls": int(rows[:, FULLS].sum()),
        "full_pairs": int((rows[:, FULLS] > 0).sum()),
        "semis": int(rows[:, SEMIS].sum()),
        "semi_pairs": int((rows[:, SEMIS] > 0).sum()),
        "left_out": int(known.counts[OVERFLOWED]),
        "attempts": int(known.counts[ATTEMPTS]),
    }

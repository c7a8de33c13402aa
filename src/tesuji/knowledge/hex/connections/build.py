"""Virtual connections of one colour: `build` finds them for a position, edge_to_edge.py asks for those from edge to edge.

    connections = new_connections(11, 11, BLACK)
    build(connections, state)
    if wins_as_second(connections): ...     # Black wins, whoever moves
    if wins_as_first(connections): ...      # Black wins if he moves
    mustplay(connections, marks)            # where White must move, as all other moves lose

The position is any record of the rules. Cells that are filled in with stones (games/hex/rules.py, `put_stone`) count as stones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.games.hex.state import MOST_CELLS
from tesuji.knowledge.hex.bitsets import bits_for, everything
from tesuji.knowledge.hex.connections.deduction import deduce
from tesuji.knowledge.hex.connections.edge_templates import EdgeTemplate, add_templates, instances, shipped_instances
from tesuji.knowledge.hex.connections.lists import (
    ARENA_USED,
    ATTEMPTS,
    CLASSES,
    COUNTS,
    FIRST_FULL,
    FIRST_OR,
    FREE,
    JOINED,
    LAST_FULL,
    LAST_OR,
    ONE_END,
    OTHER_END,
    OVERFLOWED,
    PAIR_NUMBERS,
    PAIR_SETS,
    PAIRS_USED,
    Connections,
    enter_full,
)
from tesuji.knowledge.hex.connections.points import add_neighbours, read_position

SOFT_LIMIT = 32
ARENA = 1 << 17  # carriers


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
def build(connections, state):
    """Finds the connections of the position, from nothing."""
    forget(connections)
    read_position(connections, state)
    build_from_nothing(connections, state)


@kernel
def build_from_nothing(connections, state):
    """The same after `read_position`, while no connection is known."""
    if connections.counts[JOINED] != 0:
        enter_full(connections, connections.points - 2, connections.points - 1, connections.kind)
        return
    add_neighbours(connections, state)
    add_templates(connections, everything(connections.kind))
    deduce(connections)


@kernel
def forget(connections):
    """Removes all connections."""
    counts, pairs, points = connections.counts, connections.pairs, connections.points
    for pair in range(1, counts[PAIRS_USED]):
        x, y = np.int64(pairs[pair * PAIR_NUMBERS + ONE_END]), np.int64(pairs[pair * PAIR_NUMBERS + OTHER_END])
        connections.pair_of[x * points + y] = 0
        connections.pair_of[y * points + x] = 0
    for point in range(points):
        connections.near_count[point] = 0
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

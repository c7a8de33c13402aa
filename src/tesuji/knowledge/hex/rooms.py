"""Working memory of threads: each enters a room of its own, which has slots for the connections of several positions.

All slots are one tuple of arrays, with the slot as their first axis. Slots of even numbers are Black's, of odd ones White's, so
a player's slot is found by a number. A choice between two tuples of twenty arrays would be one between hundreds of numbers,
which took the compiler seconds.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.numba.atomics import compare_and_swap
from tesuji.games.hex.state import BLACK, WHITE
from tesuji.knowledge.hex.connection_lists import Connections
from tesuji.knowledge.hex.connections import new_connections
from tesuji.knowledge.hex.edge_templates import shipped_instances, side_by_side

NONE = -1


def new_slots(width: int, height: int, arena: int, soft_limit: int, count: int) -> Connections:
    """Slots for the connections of so many positions, Black's and White's in turn."""
    one = new_connections(width, height, BLACK, arena, soft_limit)
    arrays = {name: np.stack([value] * count) for name, value in one._asdict().items() if isinstance(value, np.ndarray)}
    templates = side_by_side(shipped_instances(width, height, BLACK), shipped_instances(width, height, WHITE))
    return one._replace(**arrays, templates=templates)


@kernel
def connections_in(slots, slot):
    """The connections in one slot."""
    return Connections(
        slots.kind,
        np.int64(slot & 1),
        slots.points,
        slots.soft_limit,
        slots.status[slot],
        slots.captain[slot],
        slots.captured[slot],
        slots.near[slot],
        slots.near_count[slot],
        slots.pair_of[slot],
        slots.pairs[slot],
        slots.common[slot],
        slots.arena[slot],
        slots.full_queue[slot],
        slots.or_queue[slot],
        slots.work[slot],
        slots.counts[slot],
        slots.occupied[slot],
        slots.stack[slot],
        slots.touched[slot],
        slots.templates,
    )


# -- threads ---------------------------------------------------------------------------------------------------------------
@kernel
def enter_room(taken):
    """A room that no other thread is in; NONE if there is none."""
    for room in range(len(taken)):
        if compare_and_swap(taken, room, 0, 1) == 0:
            return np.int64(room)
    return np.int64(NONE)


@kernel
def leave_room(taken, room):
    compare_and_swap(taken, room, 1, 0)

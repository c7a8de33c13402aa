"""Memory that threads work in: each takes a workspace of its own, with slots for the connections of several positions.

All slots are one tuple of arrays, with the slot as their first axis. Slots of even numbers are Black's, of odd ones White's, so
a player's slot is found by a number. A choice between two tuples of twenty arrays would be one between hundreds of numbers,
which took the compiler seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.game import Game
from tesuji.core.numba.atomics import compare_and_swap
from tesuji.core.parameters import Parameter
from tesuji.games.hex.state import BLACK, MOST_CELLS, STATE, WHITE
from tesuji.knowledge.hex.connections.build import ARENA, SOFT_LIMIT, new_connections
from tesuji.knowledge.hex.connections.edge_templates import shipped_instances, side_by_side
from tesuji.knowledge.hex.connections.lists import Connections
from tesuji.knowledge.hex.inferior.board import WORK

NONE = -1
SMALLEST_ARENA = 8
CONNECTION_PARAMETERS = (
    Parameter(
        "connection_limit", SOFT_LIMIT, "semi connections that are kept for two points before most are left out", 1, 1 << 20
    ),
    Parameter(
        "connection_room", ARENA, "carriers of connections that there is room for, for each colour", SMALLEST_ARENA, 1 << 24
    ),
)


class Workspaces(NamedTuple):
    """What an assessment needs, for each thread."""

    taken: np.ndarray  # int64[workspace]: 1 while a thread has it
    slots: Connections  # of both colours in turn, as many for each workspace
    boards: np.ndarray  # STATE[workspace, position]
    work: np.ndarray  # WORK[workspace]
    marks: np.ndarray  # int64[workspace, cell]


def new_workspaces(game: Game, settings: Mapping[str, Any], positions: int) -> Workspaces:
    """One for each thread, with the boards and the connections of so many positions."""
    width, height = int(game.initial["width"]), int(game.initial["height"])
    threads = int(settings.get("threads", 1))
    arena, limit = int(settings["connection_room"]), int(settings["connection_limit"])
    return Workspaces(
        taken=np.zeros(threads, np.int64),
        slots=_new_slots(width, height, arena, limit, 2 * positions * threads),
        boards=np.zeros((threads, positions), STATE),
        work=np.zeros(threads, WORK),
        marks=np.zeros((threads, MOST_CELLS), np.int64),
    )


def _new_slots(width: int, height: int, arena: int, soft_limit: int, count: int) -> Connections:
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
def take_workspace(taken):
    """A workspace that no other thread has; NONE if there is none."""
    for workspace in range(len(taken)):
        if compare_and_swap(taken, workspace, 0, 1) == 0:
            return np.int64(workspace)
    return np.int64(NONE)


@kernel
def give_back(taken, workspace):
    compare_and_swap(taken, workspace, 1, 0)

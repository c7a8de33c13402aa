"""The board on which inferior cells are looked for, and what is found there: a record, filled anew for every position."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.games.hex.state import LARGEST, MOST_CELLS
from tesuji.knowledge.hex.geometry import (
    EMPTY,
    OPPOSITE,
    PLACES,
    RING,
    RING_STEPS,
    colour_position,
    place_of,
    place_of_move,
)

SET_WORDS = (MOST_CELLS + 2 + 63) // 64  # of a set of cells and a player's two edges
MOST_CHAINS = MOST_CELLS + 4
MOST_RELATIONS = 1024
NO_CELL = -1
# Why a cell was filled.
DEAD_BY_RING, BY_WINDOW, DEAD_BY_GRAPH, CAPTURED_BY_GRAPH, CUT_OFF, CLOSED_CARRIER = 1, 2, 3, 4, 5, 6

# What windows need; and that with the graphs of both players.
WINDOW_FIELDS = (
    ("width", np.int64),
    ("height", np.int64),
    ("filled_count", np.int64),
    ("waiting", np.int64),  # how many places `queue` holds
    ("relation_count", np.int64),
    ("rings", np.int32, (PLACES,)),  # the number of the ring around each cell
    ("queue", np.int32, (PLACES,)),
    ("filled", np.int32, (MOST_CELLS,)),  # the places that `fill_in` has filled, in their order
    ("relations", np.int32, (MOST_RELATIONS,)),  # dominated place * PLACES + dominating place
    ("leader", np.int16, (PLACES,)),  # the place that dominates a dominated one, or that answers a reversible one
    ("colours", np.uint8, (PLACES,)),
    ("queued", np.uint8, (PLACES,)),
    ("why", np.uint8, (PLACES,)),  # of those that were filled
    ("pruned", np.uint8, (PLACES,)),  # why the place need not be considered, or 0
)
GRAPH_FIELDS = (
    ("chains", np.int64),
    ("winner", np.int64),  # who has joined his edges, with the filled stones: 1 Black, -1 White, 0 nobody
    ("sets", np.uint64, (MOST_CHAINS, SET_WORDS)),  # the liberties of each chain
    ("near", np.uint64, (2, MOST_CELLS, SET_WORDS)),  # by player and cell: its neighbours in his graph
    ("rows", np.uint32, (MOST_CHAINS, LARGEST)),  # the liberties of each chain by rows
    ("stones", np.uint32, (2, LARGEST)),  # by player and row
    ("reach", np.uint32, (LARGEST + 2,)),
    ("free", np.uint32, (LARGEST + 2,)),
    ("chain", np.int16, (PLACES,)),  # the number of the chain of a stone or border
    ("killer", np.int16, (2, PLACES)),  # the place on which an opponent's stone kills the player's here, or NO_CELL
    ("owner", np.int8, (MOST_CHAINS,)),  # the player of each chain
)
WINDOW_WORK = np.dtype([*WINDOW_FIELDS], align=True)
WORK = np.dtype([*WINDOW_FIELDS, *GRAPH_FIELDS], align=True)
NO_WINDOW_WORK, NO_WORK = np.zeros(1, WINDOW_WORK)[0], np.zeros(1, WORK)[0]  # to make local copies of

RING_POWERS = np.array([3 ** int(OPPOSITE[i]) for i in range(RING)], np.int64)  # of a stone, in the ring of that neighbour


# -- the board -----------------------------------------------------------------------------------------------------------------
@kernel
def see_stones(work, state):
    """Fills the record with the stones of a position and the borders around it."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    colours, rings, queued = work["colours"], work["rings"], work["queued"]
    work["width"] = width
    work["height"] = height
    work["filled_count"] = 0
    work["waiting"] = 0
    colour_position(colours, state)
    for place in range(PLACES):
        rings[place] = 0
        queued[place] = 0
    for row in range(height):
        for column in range(width):
            place = place_of(column, row)
            number = np.int64(0)
            for i in range(RING - 1, -1, -1):
                number = 3 * number + (colours[place + RING_STEPS[i]] & 3)
            rings[place] = number


@called_kernel
def add_stone(work, place, player, why):
    """Fills a place; the empty places around it are looked at again."""
    colours, rings, queue, queued = work["colours"], work["rings"], work["queue"], work["queued"]
    colours[place] = player + 1
    work["why"][place] = why
    work["filled"][work["filled_count"]] = place
    work["filled_count"] += 1
    for i in range(RING):
        near = place + RING_STEPS[i]
        rings[near] += (player + 1) * RING_POWERS[i]
        if colours[near] == EMPTY and queued[near] == 0:
            queued[near] = 1
            queue[work["waiting"]] = near
            work["waiting"] += 1


@kernel
def is_left(work, move):
    """Whether a move is neither filled nor pruned."""
    place = place_of_move(move, work["width"])
    return work["colours"][place] == EMPTY and work["pruned"][place] == 0

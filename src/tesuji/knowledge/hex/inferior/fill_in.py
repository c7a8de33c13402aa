"""Fill-in: stones that may be added to a position of Hex without changing who wins, to a fixed point.

A dead cell may have either colour; a captured set and a permanently inferior cell have their owner's. Windows (windows.py) are
looked up around every cell next to a new stone until nothing changes. Then the graphs of both players (player_graph.py) show
dead cells and captured pairs that depend on chains, and regions behind a chain's liberties that no winning path needs. Every
such fact holds whatever is added later, as long as its own cells are empty; so facts of one look at the board can be used one
after the other.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.core.numba.bits import lowest_bit
from tesuji.games.hex.rules import put_stone
from tesuji.knowledge.hex.geometry import EMPTY, move_of_place, place_of
from tesuji.knowledge.hex.inferior.board import BY_WINDOW, DEAD_BY_RING, add_stone, see_stones
from tesuji.knowledge.hex.inferior.dead_cells import DEAD, MAJORITY
from tesuji.knowledge.hex.inferior.player_graph import build_graph, fill_by_graph, fill_cut_off_regions
from tesuji.knowledge.hex.inferior.windows import AREA_BITS, AREA_SIZES, AREA_STEPS, PLACEMENTS

NONE, ONE = np.uint64(0), np.uint64(1)


# -- windows -------------------------------------------------------------------------------------------------------------------
@kernel
def rim_number(tables, work, image, place):
    """The number of the rim of this image with its first cell at `place`; -1 if its area is not empty."""
    colours, rings = work["colours"], work["rings"]
    number = np.int64(0)
    for i in range(AREA_SIZES[image]):
        cell = place + AREA_STEPS[image, i]
        if colours[cell] != EMPTY:
            return np.int64(-1)
        number += tables.digits[image, i, rings[cell]]
    return number


@kernel
def fill_window(tables, work, image, place):
    """Fills what the window shows, if it shows something; whether it did."""
    number = rim_number(tables, work, image, place)
    if number < 0:
        return False
    fills = np.int64(tables.fills[tables.first[image] + number])
    if fills == 0:
        return False
    player = 0
    if fills & ((1 << AREA_BITS) - 1) == 0:
        player = 1
        fills >>= AREA_BITS
    for i in range(AREA_SIZES[image]):
        if fills >> i & 1 != 0:
            add_stone(work, place + AREA_STEPS[image, i], player, BY_WINDOW)
    return True


@kernel
def fill_around(tables, work, place):
    """Looks at all windows that have this place in their area; stops when it is filled itself."""
    colours, rings = work["colours"], work["rings"]
    ring = rings[place]
    if DEAD[ring]:
        add_stone(work, place, MAJORITY[ring], DEAD_BY_RING)
        return
    for image in range(PLACEMENTS):
        for i in range(AREA_SIZES[image]):
            first = place - AREA_STEPS[image, i]
            if colours[first] == EMPTY and tables.may_fill[rings[first]] >> np.uint64(image) & ONE != NONE:
                fill_window(tables, work, image, first)
                if colours[place] != EMPTY:
                    return


@kernel
def fill_windows(tables, work):
    """Fills by windows until nothing changes. The places to begin with are in the queue."""
    queue, queued, colours = work["queue"], work["queued"], work["colours"]
    while work["waiting"] > 0:
        work["waiting"] -= 1
        place = np.int64(queue[work["waiting"]])
        queued[place] = 0
        if colours[place] == EMPTY:
            fill_around(tables, work, place)


@kernel
def fill_all_windows(tables, work):
    """Looks at all windows of the board, each once, and then around what was filled."""
    colours, rings = work["colours"], work["rings"]
    for row in range(work["height"]):
        for place in range(place_of(0, row), place_of(work["width"], row)):
            if colours[place] == EMPTY and DEAD[rings[place]]:
                add_stone(work, place, MAJORITY[rings[place]], DEAD_BY_RING)
            if colours[place] == EMPTY:
                images = tables.may_fill[rings[place]]
                while images != NONE and colours[place] == EMPTY:
                    fill_window(tables, work, lowest_bit(images), place)
                    images &= images - ONE
    fill_windows(tables, work)


# -- everything ----------------------------------------------------------------------------------------------------------------
@called_kernel
def fill_in(tables, work, state):
    """Finds all that may be filled in a position, which stays as it is; returns how many cells that is.

    `work["filled"]` has their places, `work["why"]` the reasons, `work["colours"]` the board with the new stones, and the
    graphs of both players are those of that board, unless one of them has joined his edges: then work["winner"] is 1 (Black)
    or -1 instead of 0, and nothing more is looked for.
    """
    fill_in_by_windows(tables, work, state)
    while build_graph(work):
        before = work["filled_count"]
        fill_by_graph(work)
        if work["filled_count"] == before:
            fill_cut_off_regions(work)
        if work["filled_count"] == before:
            break
        fill_windows(tables, work)
    return work["filled_count"]


@called_kernel
def fill_in_by_windows(tables, work, state):
    """The same without graphs, in a third of the time; `work` may be a WINDOW_WORK."""
    see_stones(work, state)
    fill_all_windows(tables, work)
    return work["filled_count"]


@kernel
def put_filled_stones(work, state):
    """Adds the stones that `fill_in` has found to the position."""
    width = work["width"]
    for i in range(work["filled_count"]):
        place = np.int64(work["filled"][i])
        put_stone(state, np.int64(work["colours"][place]) - 1, move_of_place(place, width))

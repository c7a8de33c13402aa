"""Area scoring (Tromp-Taylor): a point counts for the colour of its stone, or for the only colour that its region reaches."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.games.go.state import BORDER, EMPTY, NEIGHBOURS, NOWHERE, STRIDE


@kernel
def half_points(state):
    """Black's area minus White's, in half points: one point of difference is 2."""
    colour = state["colour"]
    empties = state["empties"]
    stones = state["stone_count"]
    points = np.int64(stones[0]) - np.int64(stones[1])
    for i in range(state["empty_count"]):
        point = np.int64(empties[i])
        a, b, c, d = colour[point - STRIDE], colour[point - 1], colour[point + 1], colour[point + STRIDE]
        if a == EMPTY or b == EMPTY or c == EMPTY or d == EMPTY:
            return 2 * (np.int64(stones[0]) - np.int64(stones[1]) + region_points(state))
        reached = np.int64(a & b & c & d)  # 1 = Black only, 2 = White only, 0 = both (the border has both bits)
        points += (reached & 1) - (reached >> 1)
    return 2 * points


@kernel
def region_points(state):
    """The same for the empty points alone, whatever their regions: they are filled one after the other.

    `head` and `next_stone` mean nothing at empty points and are 0 there: they serve as marks and as the list of what is
    still to be looked at, and are 0 again at the end.
    """
    colour = state["colour"]
    empties = state["empties"]
    seen = state["head"]
    following = state["next_stone"]
    points = 0
    for i in range(state["empty_count"]):
        start = np.int64(empties[i])
        if seen[start] != NOWHERE:
            continue
        seen[start] = start
        waiting = start
        area, reached = 0, 0
        while waiting != NOWHERE:
            point = waiting
            waiting = np.int64(following[point])
            area += 1
            for k in range(4):
                neighbour = point + NEIGHBOURS[k]
                who = np.int64(colour[neighbour])
                if who == EMPTY:
                    if seen[neighbour] == NOWHERE:
                        seen[neighbour] = start
                        following[neighbour] = waiting
                        waiting = neighbour
                elif who != BORDER:
                    reached |= who
        if reached == 1:
            points += area
        elif reached == 2:
            points -= area
    for i in range(state["empty_count"]):
        point = empties[i]
        seen[point] = NOWHERE
        following[point] = NOWHERE
    return points

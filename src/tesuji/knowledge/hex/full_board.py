"""Games played until the board is full, which is quicker than to look for the winner after each move.

Stones that are placed after the game is won cannot change who has joined their sides. So a playout fills the board, and the
winner is found once, by a walk along the line that separates the stones joined with Black's top edge from those joined with White's
left edge: it begins at the corner between the two, and ends at the bottom if Black has won, at the right if White has.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.knowledge.hex.patterns import BLACK, MARGIN, ROW_SHIFT, STRIDE, place_of

COLUMN_MASK = STRIDE - 1


@kernel
def winner_of(colours, width, height):
    """+1 if Black has joined top and bottom on a full board, -1 if White has joined left and right."""
    right, below = width + MARGIN, height + MARGIN
    black, white = place_of(0, -1), place_of(-1, 0)  # neighbours, of which the line passes between
    before = place_of(-1, -1)  # the place that the line has left
    while True:
        ahead = black + white - before  # the other common neighbour of the two
        if ahead >> ROW_SHIFT >= below:
            return 1
        if ahead & COLUMN_MASK >= right:
            return -1
        if colours[ahead] & 3 == BLACK:
            before = black
            black = ahead
        else:
            before = white
            white = ahead


@kernel
def move_of_place(place, width):
    return ((place >> ROW_SHIFT) - MARGIN) * width + (place & COLUMN_MASK) - MARGIN


@kernel
def list_empty(state, places):
    """Writes the places of all empty cells; returns how many."""
    width = np.int64(state["width"])
    stones = state["stones"]
    count = 0
    for row in range(np.int64(state["height"])):
        taken = np.int64(stones[0, row] | stones[1, row])
        place = place_of(0, row)
        for column in range(width):
            places[count] = place + column
            count += 1 - (taken >> column & 1)
    return count

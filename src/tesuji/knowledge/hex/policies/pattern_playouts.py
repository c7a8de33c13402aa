"""Playouts that draw each move in proportion to its pattern's weight (Huang et al. 2013, section 4.6).

The weight of a cell is that of its pattern, but no more than the cap; near the last move the pattern's weight as a reply is
added, and that is not capped. Both players' weights of a cell are one word, Black's in the low half and White's in the high
half, so that one addition keeps the sums of both up to date, by row and in all. A new stone changes the patterns of the 12
cells around it and no others.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.core.random import U32, next_u64
from tesuji.games.hex.state import LARGEST
from tesuji.knowledge.hex.geometry import CELLS, EMPTY, MARGIN, PLACES, ROW_SHIFT, STEPS, STRIDE, place_of, place_of_move
from tesuji.knowledge.hex.patterns.codes import STONE_BITS, empty_board, put_stones
from tesuji.knowledge.hex.patterns.playout_table import find_pattern, reply_weight, weights_of

LOW = np.uint64(0xFFFFFFFF)
U0, U24, U40 = np.uint64(0), np.uint64(24), np.uint64(40)
ROWS = LARGEST + 2 * MARGIN
BOARD = np.dtype(
    [
        ("weights", np.uint64, (PLACES,)),  # of empty cells; 0 elsewhere
        ("rows", np.uint64, (ROWS,)),  # their sums by row
        ("total", np.uint64),  # their sum
        ("codes", np.uint32, (PLACES,)),
        ("colours", np.uint8, (PLACES,)),
    ],
    align=True,
)
NOTES = (
    *((name, BOARD[name].base, BOARD[name].shape) for name in ("weights", "rows", "codes", "colours")),
    ("total", np.uint64),
    ("near", np.int32, (CELLS + 1,)),  # the empty cells around the last stone
    ("replies", np.uint64, (CELLS + 1,)),  # their weights as replies
    ("near_count", np.int64),
    ("reply_total", np.uint64),
)


def weighed_board(table, width: int, height: int) -> np.ndarray:
    """The empty board with its weights, as an array of one record."""
    boards = np.zeros(1, BOARD)
    board = boards[0]
    with np.errstate(over="ignore"):
        empty_board(board, width, height)
        total = U0
        for row in range(height):
            for column in range(width):
                place = place_of(column, row)
                board["weights"][place] = weights_of(table, find_pattern(table, board["codes"][place]))
                board["rows"][row + MARGIN] += board["weights"][place]
                total += board["weights"][place]
        board["total"] = total
    return boards


@called_kernel
def weigh_position(table, start, notes, state):
    """Fills the notes for a position. `start` is the empty board of its size."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    codes, colours, weights, rows = notes["codes"], notes["colours"], notes["weights"], notes["rows"]
    old_codes, old_colours, old_weights, old_rows = start["codes"], start["colours"], start["weights"], start["rows"]
    for place in range(PLACES):
        codes[place] = old_codes[place]
        colours[place] = old_colours[place]
        weights[place] = old_weights[place]
    for row in range(ROWS):
        rows[row] = old_rows[row]
    put_stones(notes, state)
    total = U0
    for row in range(height):
        first = place_of(0, row)
        row_sum = U0
        for place in range(first, first + width):
            if colours[place] != EMPTY:
                weights[place] = U0
            elif codes[place] != old_codes[place]:
                weights[place] = weights_of(table, find_pattern(table, codes[place]))
            row_sum += weights[place]
        rows[row + MARGIN] = row_sum
        total += row_sum
    notes["total"] = total
    note_replies(table, notes, np.int64(state["last_move"]), np.int64(state["to_play"]), width)


@kernel
def note_replies(table, notes, last_move, player, width):
    """Lists the empty cells around the last stone with their weights as replies by this player."""
    codes, colours, near, replies = notes["codes"], notes["colours"], notes["near"], notes["replies"]
    count = 0
    total = U0
    if last_move >= 0:
        last = place_of_move(last_move, width)
        for i in range(CELLS):
            place = last + STEPS[i]
            if colours[place] == EMPTY:
                near[count] = place
                replies[count] = reply_weight(table, find_pattern(table, codes[place]), player)
                total += replies[count]
                count += 1
    notes["near_count"] = count
    notes["reply_total"] = total


@kernel
def put_weighed_stone(table, notes, place, player, total):
    """Puts a stone on an empty place; returns the new sum of all weights and that of the replies to it."""
    codes, weights, rows, near, replies = notes["codes"], notes["weights"], notes["rows"], notes["near"], notes["replies"]
    notes["colours"][place] = player + 1
    own = weights[place]
    weights[place] = U0
    rows[place >> ROW_SHIFT] -= own
    total -= own
    count = 0
    for i in range(CELLS):  # without a branch: that is a quarter faster than to look only at empty places
        other = place + STEPS[i]
        codes[other] |= STONE_BITS[player, i]
        near[count] = other
        count += weights[other] != U0
    reply_total = U0
    for i in range(count):
        other = near[i]
        entry = find_pattern(table, codes[other])
        new = weights_of(table, entry)
        change = new - weights[other]  # of both halves: what one borrows from the other comes back in the sums
        weights[other] = new
        rows[other >> ROW_SHIFT] += change
        total += change
        reply = reply_weight(table, entry, 1 - player)
        replies[i] = reply
        reply_total += reply
    return total, reply_total


@kernel
def draw_place(notes, player, total, reply_total, rng):
    """An empty place, drawn in proportion to its weight for this player."""
    shift = U32 * np.uint64(player)
    target = draw_below(total >> shift & LOW, reply_total, rng)
    if target < reply_total:
        replies = notes["replies"]
        i = 0
        while target >= replies[i]:
            target -= replies[i]
            i += 1
        return np.int64(notes["near"][i])
    target -= reply_total
    rows, weights = notes["rows"], notes["weights"]
    row = MARGIN
    weight = rows[row] >> shift & LOW
    while target >= weight:
        target -= weight
        row += 1
        weight = rows[row] >> shift & LOW
    place = row * STRIDE + MARGIN
    weight = weights[place] >> shift & LOW
    while target >= weight:
        target -= weight
        place += 1
        weight = weights[place] >> shift & LOW
    return np.int64(place)


@kernel
def draw_below(everywhere, nearby, rng):
    """A number below the sum of the two, which is below 2**40."""
    total = everywhere + nearby
    if total <= LOW:
        return (next_u64(rng) >> U32) * total >> U32
    return (next_u64(rng) >> U40) * total >> U24

"""Hex: whoever joins his two edges by a chain of stones wins. The board cannot fill up without a winner, so there is no draw.

Who has won is kept up to date: `joined` holds the stones that reach each edge. A new stone that touches one of these, or the
edge itself, brings in the stones of its own chain that did not reach that edge yet; no stone is brought in twice. A stone
that reaches both edges wins.
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import called_kernel, implements, kernel
from tesuji.core.hashing import mixed
from tesuji.core.numba.bits import bit_count, lowest_bit
from tesuji.core.random import U32, below, next_u64
from tesuji.games.hex.state import BLACK, CELL_KEYS, MAY_SWAP, NO_KEY, NO_SWAP, ONE, STATE, SWAPPED, WHITE, ZERO, mark_edges

TRIALS = 12  # draws of a random cell before the empty ones are counted
LOW_BITS = np.uint64(0xFFFFFFFF)
FIVE = np.uint32(5)
THREE = np.uint32(3)
EDGES = 2
AROUND = np.array([(-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1)], np.int64)  # columns and rows to the neighbours


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    """The empty cells by rows from the top, then the swap."""
    stones = state["stones"]
    width, height = np.int64(state["width"]), np.int64(state["height"])
    row_mask = (ONE << np.uint32(width)) - ONE
    count = 0
    for row in range(height):
        free = np.uint64(row_mask ^ (stones[0, row] | stones[1, row]))
        start = row * width
        for _ in range(bit_count(free)):
            column = lowest_bit(free)
            free &= free - np.uint64(1)
            out[count] = start + column
            count += 1
    if can_swap(state):
        out[count] = width * height
        count += 1
    return count


@kernel
def can_swap(state):
    return state["swap"] == MAY_SWAP and state["count"] == 1


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    """Draws a row and a column until the cell is empty, and counts only when that takes long."""
    if can_swap(state):
        return np.int64(buffer[below(rng, rules.moves(state, buffer))])
    stones = state["stones"]
    width, height = np.int64(state["width"]), np.int64(state["height"])
    for _ in range(TRIALS):
        bits = next_u64(rng)
        row = np.int64(((bits >> U32) * np.uint64(height)) >> U32)
        column = np.int64(((bits & LOW_BITS) * np.uint64(width)) >> U32)
        if ((stones[0, row] | stones[1, row]) >> np.uint32(column)) & ONE == ZERO:
            return row * width + column
    return np.int64(buffer[below(rng, rules.moves(state, buffer))])


@implements(rules.play, STATE)
def play(state, move):
    player = np.int64(state["to_play"])
    cells = np.int64(state["width"]) * np.int64(state["height"])
    if move == cells:
        take_over(state)
    else:
        put_stone(state, player, np.int64(move))
        state["last_move"] = move
        if player == WHITE and state["swap"] == MAY_SWAP:
            state["swap"] = NO_SWAP
    state["to_play"] = 1 - player


@called_kernel
def put_stone(state, player, cell):
    """Adds a stone, and finds out whether its player has won. Whose turn it is does not change."""
    stones, joined, keys = state["stones"], state["joined"], state["keys"]
    width = np.int32(state["width"])
    row = np.int64(np.int32(cell) // width)
    column = cell - row * np.int64(width)
    stones[player, row] |= ONE << np.uint32(column)
    state["count"] += 1
    cells = np.int64(width) * np.int64(state["height"])
    keys[0] ^= CELL_KEYS[player, cell]
    keys[1] ^= CELL_KEYS[player, cells - 1 - cell]
    reached = 0
    for edge in range(EDGES):
        near = joined[player, edge, row] & (THREE << np.uint32(column + 1))
        near |= joined[player, edge, row + 1] & (FIVE << np.uint32(column))
        near |= joined[player, edge, row + 2] & (THREE << np.uint32(column))
        if near != ZERO:
            reached += 1
            join(stones, joined, player, edge, row, column, np.int64(state["height"]))
    if reached == EDGES:
        state["winner"] = 1 if player == BLACK else -1


@kernel
def join(stones, joined, player, edge, row, column, height):
    """Adds the stone at (column, row) to those that reach the edge, and with it the rest of its chain.

    All rows from the first to the last that gained a stone, and those next to them, are swept until nothing changes.
    """
    first, last = row + 1, row + 1
    joined[player, edge, row + 1] |= ONE << np.uint32(column + 1)
    changed = True
    while changed:
        changed = False
        low, high = max(first - 1, 1), min(last + 1, height)
        for r in range(low, high + 1):
            here = joined[player, edge, r]
            own = stones[player, r - 1] << ONE
            own ^= own & here
            if own == ZERO:
                continue
            above, below_it = joined[player, edge, r - 1], joined[player, edge, r + 1]
            gained = own & (here << ONE | here >> ONE | above | above >> ONE | below_it | below_it << ONE)
            if gained == ZERO:
                continue
            grown = ZERO
            while grown != gained:
                grown = gained
                gained |= own & (gained << ONE | gained >> ONE)
            joined[player, edge, r] = here | gained
            first, last = min(first, r), max(last, r)
            changed = True


@implements(rules.neighbours, STATE)
def neighbours(state, player, cell, out):
    """The cells around, and the own edges that the cell lies on. While there may be a swap a stone can still change hands."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    if state["swap"] == MAY_SWAP or cell < 0 or cell >= width * height:
        return 0
    row = cell // width
    column = cell - row * width
    count = 0
    for direction in range(len(AROUND)):
        c, r = column + AROUND[direction, 0], row + AROUND[direction, 1]
        if 0 <= c < width and 0 <= r < height:
            out[count] = r * width + c
            count += 1
    place, last = (row, height - 1) if player == BLACK else (column, width - 1)
    if place == 0:
        out[count] = rules.FIRST_END
        count += 1
    if place == last:
        out[count] = rules.SECOND_END
        count += 1
    return count


@implements(rules.holder, STATE)
def holder(state, cell):
    stones = state["stones"]
    width = np.int64(state["width"])
    if cell < 0 or cell >= width * np.int64(state["height"]):
        return rules.NO_CELL
    row = cell // width
    bit = ONE << np.uint32(cell - row * width)
    for player in range(2):
        if stones[player, row] & bit != ZERO:
            return player
    return rules.FREE


@kernel
def take_over(state):
    """The swap: Black's only stone becomes White's, mirrored at the long diagonal, so that it means to White what it did to
    Black.
    """
    stones, keys = state["stones"], state["keys"]
    size = np.int64(state["width"])
    row = 0
    while stones[BLACK, row] == ZERO:
        row += 1
    column = lowest_bit(np.uint64(stones[BLACK, row]))
    stones[BLACK, row] = ZERO
    keys[0] = NO_KEY
    keys[1] = NO_KEY
    state["count"] = 0
    mark_edges(state)
    put_stone(state, WHITE, column * size + row)
    state["last_move"] = -1
    state["swap"] = SWAPPED


@implements(rules.is_over, STATE)
def is_over(state):
    return state["winner"] != 0


@implements(rules.outcome, STATE)
def outcome(state):
    return state["winner"]


@implements(rules.bounds, STATE)
def bounds(state, lowest, highest):
    """A player who can join his edges with one stone wins on his turn; with two such cells also on the other's, unless that one
    can swap.
    """
    player = np.int64(state["to_play"])
    lower, upper = lowest, highest
    if winning_cells(state, player, 1) >= 1:
        lower = highest if player == BLACK else lowest
        upper = lower
    elif not can_swap(state) and winning_cells(state, 1 - player, 2) >= 2:
        lower = lowest if player == BLACK else highest
        upper = lower
    return lower, upper


@kernel
def winning_cells(state, player, enough):
    """How many empty cells touch both what reaches his one edge and what reaches the other; not counted beyond `enough`."""
    stones, joined = state["stones"], state["joined"]
    width, height = np.int64(state["width"]), np.int64(state["height"])
    row_mask = (ONE << np.uint32(width)) - ONE
    found = 0
    for row in range(height):
        free = (row_mask ^ (stones[0, row] | stones[1, row])) << ONE
        for edge in range(EDGES):
            above, here, below_it = joined[player, edge, row], joined[player, edge, row + 1], joined[player, edge, row + 2]
            free &= here << ONE | here >> ONE | above | above >> ONE | below_it | below_it << ONE
        if free != ZERO:
            found += bit_count(np.uint64(free))
            if found >= enough:
                break
    return found


# -- equal positions -----------------------------------------------------------------------------------------------------
@kernel
def hash_of(state, key):
    """Which stone was the last does not matter, nor whether there was a swap once it cannot come any more."""
    return mixed(key, np.uint64(2 * np.int64(state["swap"] == MAY_SWAP) + np.int64(state["to_play"])))


@implements(rules.position_hash, STATE)
def position_hash(state):
    keys = state["keys"]
    return hash_of(state, keys[0])


@implements(rules.symmetries, STATE)
def symmetries(state):
    """The position itself, and turned by 180 degrees."""
    return 2


@implements(rules.symmetric_hash, STATE)
def symmetric_hash(state, _image_buffer):
    keys = state["keys"]
    return min(hash_of(state, keys[0]), hash_of(state, keys[1]))


@implements(rules.image, STATE)
def image(state, number, out):
    """Equal positions become equal records: the last move and a swap that was made are forgotten."""
    out["last_move"] = -1
    if state["swap"] == SWAPPED:
        out["swap"] = NO_SWAP
    if number == 0:
        return
    width, height = np.int64(state["width"]), np.int64(state["height"])
    stones, joined, keys = state["stones"], state["joined"], state["keys"]
    new_stones, new_joined, new_keys = out["stones"], out["joined"], out["keys"]
    for player in range(2):
        for row in range(height):
            new_stones[player, height - 1 - row] = reversed_bits(stones[player, row], width)
        for edge in range(EDGES):
            for row in range(height + 2):
                new_joined[player, EDGES - 1 - edge, height + 1 - row] = reversed_bits(joined[player, edge, row], width + 2)
    new_keys[0] = keys[1]
    new_keys[1] = keys[0]


@kernel
def reversed_bits(bits, count):
    """The lowest `count` bits in the opposite order."""
    result = ZERO
    for place in range(count):
        if bits >> np.uint32(place) & ONE != ZERO:
            result |= ONE << np.uint32(count - 1 - place)
    return result

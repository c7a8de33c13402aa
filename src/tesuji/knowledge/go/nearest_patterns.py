"""Patterns of the K nearest neighbours (Bouzy and Chaslot 2005): what stands nearest to a move, and how often it is played.

The neighbours of a move are the stones around it and the edges of the board: of each edge the point next to the board that is
straight ahead. They are taken ring by ring, a ring being all points at one distance, until there are K or more. So a move has a
row of patterns, each part of the next: after each ring that is not empty, and once more if the last ring leaves fewer than K.
What is not among the neighbours is empty as far as the last of them. Patterns are the same in all symmetries and with
colours exchanged, on boards of every size.

Whoever looks a move up follows its row of patterns through the table until one is missing: the last one found is the largest
that matches. (A table must hold every part of the patterns that it holds.)
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.hashing import mixed, random_words
from tesuji.games.go.state import EMPTY, LARGEST, STRIDE

REACH = 10  # the distance of the farthest ring
MOST_NEIGHBOURS = 15  # the K of the paper's best program

# The board as patterns see it: of the player to move's point of view, with room around it for the farthest ring.
OWN, OTHER, EDGE = 1, 2, 3
WIDTH = LARGEST + 2 * REACH
CORNER = REACH * WIDTH + REACH  # the place of the point in column 0, row 0


def _rings() -> list[list[tuple[int, int]]]:
    """The offsets (column, row) of each ring, nearest first."""
    reach = range(-REACH, REACH + 1)
    by_distance: dict[int, list[tuple[int, int]]] = {}
    for row in reach:
        for column in reach:
            by_distance.setdefault(column * column + row * row, []).append((column, row))
    return [by_distance[square] for square in sorted(by_distance) if 0 < square <= REACH * REACH]


RINGS = _rings()
OFFSETS = [offset for ring in RINGS for offset in ring]
RING_START = np.cumsum([0, *(len(ring) for ring in RINGS)]).astype(np.int64)
STEPS = np.array([row * WIDTH + column for column, row in OFFSETS], np.int64)
IS_STRAIGHT = np.array([column == 0 or row == 0 for column, row in OFFSETS], np.bool_)
RING_COUNT = len(RINGS)


def turned(offset: tuple[int, int]) -> list[tuple[int, int]]:
    """An offset in the eight symmetries."""
    column, row = offset
    return [(a * x, b * y) for x, y in ((column, row), (row, column)) for a in (1, -1) for b in (1, -1)]


def _words() -> np.ndarray:
    """By offset and neighbour: the word that it adds to the hash in each of the eight symmetries."""
    base = np.array(random_words(3 * len(OFFSETS), 0x9A77E1), np.uint64).reshape(len(OFFSETS), 3)
    number = {offset: place for place, offset in enumerate(OFFSETS)}
    return np.array([[[base[number[image], who] for image in turned(offset)] for who in range(3)] for offset in OFFSETS])


WORDS = _words()
NO_NEIGHBOURS = np.uint64(0x2545F4914F6CDD1D)  # what hashes begin with
NOTHING_ELSE = np.uint64(0x5851F42D4C957F2D)  # mixed into the hash when there are fewer than K within reach

WORK = np.dtype(
    [
        ("board", np.int8, (WIDTH * WIDTH,)),  # EMPTY, OWN, OTHER or EDGE
        ("hashes", np.uint64, (8,)),  # of the neighbours so far, in each symmetry
        ("place", np.int64),  # of the move on that board
        ("ring", np.int64),  # the next to look at
        ("neighbours", np.int64),  # so far
    ],
    align=True,
)
EMPTY_WORK = np.zeros(1, WORK)[0]

# An entry of a table: 40 bits of the key above the probability of play in units of 2**-24. 0 = a free place.
KEY_BITS, CHANCE_BITS = 40, 24
KEY_SHIFT, CHANCE_SHIFT = np.uint64(64 - KEY_BITS), np.uint64(CHANCE_BITS)
CHANCE_UNITS = 1 << CHANCE_BITS
CHANCE_MASK = np.uint64(CHANCE_UNITS - 1)
FREE, ONE = np.uint64(0), np.uint64(1)
END = np.uint64(0)  # no key: a move has no larger pattern


@kernel
def see_board(work, state):
    """Draws the position as patterns see it."""
    board = work["board"]
    colour = state["colour"]
    own = np.int64(state["to_play"]) + 1
    size = np.int64(state["size"])
    for row in range(size):
        point = (row + 1) * STRIDE + 1
        place = CORNER + row * WIDTH
        for column in range(size):
            who = np.int64(colour[point + column])
            board[place + column] = who if who == EMPTY else OWN if who == own else OTHER
    for i in range(size):
        board[CORNER + i - WIDTH] = EDGE
        board[CORNER + i + size * WIDTH] = EDGE
        board[CORNER + i * WIDTH - 1] = EDGE
        board[CORNER + i * WIDTH + size] = EDGE


@kernel
def place_on_board(point):
    """The place of a point of the position."""
    return CORNER + (point // STRIDE - 1) * WIDTH + point % STRIDE - 1


@kernel
def begin_patterns(work, place):
    """Gets ready for the patterns of a move; returns the key of the one without neighbours, which always matches."""
    hashes = work["hashes"]
    for i in range(8):
        hashes[i] = NO_NEIGHBOURS
    work["place"] = place
    work["ring"] = 0
    work["neighbours"] = 0
    return key_of(work)


@kernel
def next_pattern(work):
    """The key of the next larger pattern of the move; END if there is none."""
    board = work["board"]
    hashes = work["hashes"]
    place = work["place"]
    ring = np.int64(work["ring"])
    before = np.int64(work["neighbours"])
    found = before
    if before >= MOST_NEIGHBOURS or ring > RING_COUNT:
        return END
    while found == before and ring < RING_COUNT:
        for i in range(RING_START[ring], RING_START[ring + 1]):
            who = np.int64(board[place + STEPS[i]])
            if who != EMPTY and (who != EDGE or IS_STRAIGHT[i]):
                found += 1
                for k in range(8):
                    hashes[k] ^= WORDS[i, who - 1, k]
        ring += 1
    work["ring"] = ring
    work["neighbours"] = found
    if found == before:
        work["ring"] = RING_COUNT + 1
        for k in range(8):
            hashes[k] ^= NOTHING_ELSE
    return key_of(work)


@kernel
def key_of(work):
    """The least of the eight hashes stands for all."""
    hashes = work["hashes"]
    least = hashes[0]
    for k in range(1, 8):
        least = min(least, hashes[k])
    return mixed(least, NO_NEIGHBOURS) >> KEY_SHIFT


@kernel
def find_pattern(table, key):
    """The index of a pattern's entry, or of the free place where it would be."""
    last = np.uint64(len(table) - 1)
    place = key & last
    while table[place] != FREE and table[place] >> CHANCE_SHIFT != key:
        place = (place + ONE) & last
    return np.int64(place)


@kernel
def largest_pattern(table, work, place):
    """The index of the largest pattern of a move that is in the table. `see_board` has drawn the board."""
    best = find_pattern(table, begin_patterns(work, place))
    while True:
        key = next_pattern(work)
        if key == END:
            return best
        found = find_pattern(table, key)
        if table[found] == FREE:
            return best
        best = found


@kernel
def chance_in(entry):
    """The probability of play of an entry."""
    return np.int64(entry & CHANCE_MASK) / CHANCE_UNITS


@kernel
def chance_of_play(table, work, point):
    """How often a move like that on `point` is played, from 0 to 1. `see_board` has drawn the board."""
    return chance_in(table[largest_pattern(table, work, place_on_board(point))])


def table_of(keys: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """The table of patterns with these keys and probabilities of play, for `find_pattern`; at most half full."""
    table = np.zeros(1 << max(4, (2 * len(keys)).bit_length()), np.uint64)
    units = np.clip(np.rint(chances * CHANCE_UNITS), 1, CHANCE_UNITS - 1).astype(np.uint64)
    last = np.uint64(len(table) - 1)
    waiting, places = np.arange(len(keys)), keys & last
    while len(waiting):  # all that wait try their place at once; of those with one place, the first gets it
        _, first = np.unique(places, return_index=True)
        first = first[table[places[first]] == FREE]
        table[places[first]] = keys[waiting[first]] << CHANCE_SHIFT | units[waiting[first]]
        left = np.ones(len(waiting), np.bool_)
        left[first] = False
        waiting, places = waiting[left], (places[left] + ONE) & last
    return table

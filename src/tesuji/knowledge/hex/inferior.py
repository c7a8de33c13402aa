"""Cells that a player need not consider, as far as the six cells around each show it; derived by trying all completions.

A cell is *dead* if, however the empty cells around it are filled, the stones of each colour around it are in one piece: then it
never joins anything that is not joined without it. A stone that makes a cell dead *kills* it. Two neighbours of which each is
killed by an opponent's stone on the other are *captured* by the opponent: whichever one is taken, the answer is the other one.
A cell is *vulnerable* for the player to move if an opponent's stone kills it. Borders count as stones.

A position keeps its value without such moves (Hayward and others; the proof in short). A dead cell is as good as a pass, and in
Hex a move is never worse than a pass. Captured pairs without a common cell may be filled with the stones of the player who
captures them: the value stays, so if there is a winning move, there is one outside. If a vulnerable cell wins, the opponent may
kill it, and the mover still wins with another move; that one wins without the opponent's stone as well. It may be vulnerable
itself, and so on; but no killer is ever left out, so in the end there is a winning move that stays.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.knowledge.hex.patterns import (
    CLOCKWISE,
    EDGE_CLASSES,
    EMPTY,
    OFFSETS,
    OPPOSITE,
    RING,
    RING_BITS,
    RING_CONTENT,
    SIX,
    STEPS,
    U24,
    edge_distances,
)

RINGS = 3**RING
CLASS_BITS = np.uint32(127)


# -- one ring ------------------------------------------------------------------------------------------------------------------
def _is_dead(ring: tuple[int, ...]) -> bool:
    """Whether a cell with these colours around it is dead (0 = not filled yet)."""
    around = [ring[cell] for cell in CLOCKWISE]
    for filled in product((1, 2), repeat=around.count(0)):
        stones = iter(filled)
        colours = [colour or next(stones) for colour in around]
        if sum(colours[i] != colours[i - 1] for i in range(RING)) > 2:
            return False
    return True


def _number(ring: tuple[int, ...]) -> int:
    return sum(colour * 3**cell for cell, colour in enumerate(ring))


def _tables() -> tuple[np.ndarray, np.ndarray]:
    """By ring: whether the cell is dead; and by player and ring: the empty cells, a bit each, on which its stone would kill
    it.
    """
    rings = [tuple(reversed(ring)) for ring in product(range(3), repeat=RING)]  # ring number n is rings[n]
    dead = np.array([_is_dead(ring) for ring in rings], np.bool_)
    killers = np.zeros((2, RINGS), np.uint8)
    for number, ring in enumerate(rings):
        for player in range(2):
            for cell in range(RING):
                if ring[cell] == EMPTY and not dead[number] and dead[number + (player + 1) * 3**cell]:
                    killers[player, number] |= 1 << cell
    return dead, killers


def _majorities() -> np.ndarray:
    """By ring: the player who has more stones in it."""
    digits = np.arange(RINGS)[:, None] // 3 ** np.arange(RING) % 3
    return ((digits == 2).sum(axis=1) > (digits == 1).sum(axis=1)).astype(np.int64)


DEAD, KILLERS = _tables()
MAJORITY = _majorities()


# -- rings of codes ------------------------------------------------------------------------------------------------------------
def _beyond(edge_class: int, column: int, row: int) -> int:
    """The colour of the border at so many columns and rows from a cell of this class; 0 if that is on the board or not known.

    Black's is above and below, so that the obtuse corners are Black's too; White's is at the sides.
    """
    left, right, top, bottom = edge_distances(edge_class)
    if -row > top or row > bottom:
        return 1
    return 2 if -column > left or column > right else 0


def _border_ring(edge_class: int) -> int:
    """The number of the ring of an empty board around a cell of this class."""
    return _number(tuple(_beyond(edge_class, *offset) for offset in OFFSETS[:RING]))


BORDER_RING = np.array([_border_ring(one) for one in range(EDGE_CLASSES)], np.int64)
RING_NUMBER = np.array(
    [sum((bits >> 2 * cell & 3) * 3**cell for cell in range(RING)) % RINGS for bits in range(1 << RING_BITS)], np.int64
)


@kernel
def ring_of(code):
    """The number of the ring around a cell with this code."""
    return RING_NUMBER[code & RING_CONTENT] + BORDER_RING[code >> U24 & CLASS_BITS]


OPEN, USELESS, NEEDED = 0, 1, 2  # marks of empty places; needed: it kills one that is left out


# -- a whole board -------------------------------------------------------------------------------------------------------------
@kernel
def mark_inferior(board, places, count, player, useless):
    """Marks which of the empty places (all of the board) the player to move need not consider: useless[i] for places[i].

    At least one place is always left. `board["spare"]` is used.
    """
    codes = board["codes"]
    marks = board["spare"]
    other = 1 - player
    for i in range(count):
        marks[places[i]] = USELESS if DEAD[ring_of(codes[places[i]])] else OPEN
    for i in range(count):
        place = np.int64(places[i])
        if marks[place] == OPEN:
            capture(codes, marks, place)
    for i in range(count):
        place = np.int64(places[i])
        if marks[place] == OPEN:
            killers = np.int64(KILLERS[other, ring_of(codes[place])])
            for cell in range(RING):
                killer = place + STEPS[cell]
                if killers >> cell & 1 != 0 and marks[killer] != USELESS:
                    marks[place] = USELESS
                    marks[killer] = NEEDED
                    break
    left = 0
    for i in range(count):
        useless[i] = 1 if marks[places[i]] == USELESS else 0
        left += 1 - useless[i]
    if left == 0:
        useless[0] = 0


@kernel
def capture(codes, marks, place):
    """Marks the place and one neighbour as useless, if someone has captured the two."""
    ring = ring_of(codes[place])
    for player in range(2):
        killers = np.int64(KILLERS[player, ring])
        for cell in range(RING):
            if killers >> cell & 1 != 0:
                partner = place + STEPS[cell]
                mutual = np.int64(KILLERS[player, ring_of(codes[partner])]) >> OPPOSITE[cell] & 1
                if mutual != 0 and marks[partner] == OPEN:
                    marks[place] = USELESS
                    marks[partner] = USELESS
                    return


# -- single patterns -----------------------------------------------------------------------------------------------------------
def inferior_patterns(codes: np.ndarray, player: int) -> tuple[np.ndarray, np.ndarray]:
    """By pattern, for the player to move in its middle: whether it is dead or captured, and whether it is vulnerable.

    What the pattern does not show, such as the cell two steps ahead of it, may be anything.
    """
    rings = ring_of(codes)
    dead = DEAD[rings]
    captured = np.zeros(len(codes), np.bool_)
    is_six = codes & SIX != 0
    for cell in range(RING):
        partner = _partner_rings(codes, cell)
        for owner in range(2):
            mutual = (KILLERS[owner, rings] >> cell & 1) & (KILLERS[owner, partner] >> int(OPPOSITE[cell]) & 1)
            captured |= mutual.astype(np.bool_) & ~is_six
    vulnerable = KILLERS[1 - player, rings] != 0
    return dead | captured, vulnerable & ~dead & ~captured


def _partner_rings(codes: np.ndarray, cell: int) -> np.ndarray:
    """The rings around that neighbour of the middle, as far as the patterns show them."""
    column, row = OFFSETS[cell]
    rings = np.zeros(len(codes), np.int64)
    classes = (codes >> U24 & CLASS_BITS).astype(np.int64)
    for around, (columns, rows) in enumerate(OFFSETS[:RING]):
        place = column + columns, row + rows
        if place == (0, 0):
            continue  # empty
        digits = np.zeros(len(codes), np.int64)
        if place in OFFSETS:
            shown = OFFSETS.index(place)
            digits = (codes >> np.uint32(2 * shown) & np.uint32(3)).astype(np.int64)
        for edge in np.unique(classes):
            colour = _beyond(int(edge), *place)
            if colour:
                digits[classes == edge] = colour
        rings += digits * 3**around
    return rings

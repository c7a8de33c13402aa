"""Patterns of moves that playouts should hardly make: those that windows within the pattern show to be inferior.

What a pattern does not show, such as the cell two steps ahead of it, may be anything.
"""

from __future__ import annotations

import numpy as np

from tesuji.knowledge.hex.geometry import CELLS, OFFSETS, RING
from tesuji.knowledge.hex.inferior.dead_cells import DEAD
from tesuji.knowledge.hex.inferior.windows import (
    AREA_BITS,
    IMAGES,
    Cell,
    WindowShape,
    dominated_bit,
    reversible_bit,
    window_tables,
)
from tesuji.knowledge.hex.patterns.codes import CLASS_SHIFT, EDGE_CLASSES, SIX, edge_distances

CLASS_BITS = np.uint32(127)
MOST_DISTANCE, FAR = 2, 99  # an edge class says of an edge only that it is so far away or farther


def beyond(edge_class: int, column: int, row: int) -> int:
    """The colour of the border at so many columns and rows from a cell of this class; 0 if that is on the board or not known.

    Black's is above and below, so that the obtuse corners are Black's too; White's is at the sides.
    """
    left, right, top, bottom = (FAR if distance == MOST_DISTANCE else distance for distance in edge_distances(edge_class))
    if -row > top or row > bottom:
        return 1
    return 2 if -column > left or column > right else 0


class Contents:
    """What many patterns show: by place around the move, the colour there in each of them."""

    def __init__(self, codes: np.ndarray):
        self.classes = (codes >> np.uint32(CLASS_SHIFT) & CLASS_BITS).astype(np.int64)
        self.is_six = codes & SIX != 0
        shown = [(codes >> np.uint32(2 * cell) & np.uint32(3)).astype(np.int32) for cell in range(CELLS)]
        self.colours: dict[Cell, np.ndarray] = {(0, 0): np.zeros(len(codes), np.int32)}
        for cell, offset in enumerate(OFFSETS):
            self.colours[offset] = np.maximum(shown[cell], self._border(offset))

    def _border(self, place: Cell) -> np.ndarray:
        return np.array([beyond(edge, *place) for edge in range(EDGE_CLASSES)], np.int32)[self.classes]

    def colour_at(self, place: Cell) -> np.ndarray:
        """0 empty or not known, 1 black, 2 white."""
        if place not in self.colours:
            self.colours[place] = self._border(place)
        return self.colours[place]

    def is_empty_at(self, place: Cell) -> np.ndarray:
        """Whether the pattern shows that this cell is empty."""
        if place == (0, 0):
            return np.ones(len(self.classes), np.bool_)
        if place not in OFFSETS:
            return np.zeros(len(self.classes), np.bool_)
        return (self.colours[place] == 0) & ~(self.is_six & (OFFSETS.index(place) >= RING))


def inferior_patterns(codes: np.ndarray, player: int) -> tuple[np.ndarray, np.ndarray]:
    """By pattern, for the player to move in its middle: whether it is dead, to be filled or reversible; and, if not, whether
    another cell of the pattern is better.
    """
    contents, tables = Contents(codes), window_tables()
    useless = DEAD[sum(contents.colour_at(offset) * 3**i for i, offset in enumerate(OFFSETS[:RING]))]
    dominated = np.zeros(len(codes), np.bool_)
    for image, (_, one) in enumerate(IMAGES):
        for at in range(len(one.area)):
            area, rim = _seen_from(one, at)
            fits = np.flatnonzero(np.logical_and.reduce([contents.is_empty_at(cell) for cell in area]))
            if not len(fits):
                continue
            number = sum(contents.colour_at(cell)[fits] * 3**i for i, cell in enumerate(rim)) + tables.first[image]
            fills = tables.fills[number]
            facts = tables.words[player, number]
            useless[fits] |= (fills >> at | fills >> (AREA_BITS + at)) & 1 != 0
            for other in range(len(area)):
                if other != at:
                    useless[fits] |= facts >> reversible_bit(len(area), at, other) & 1 != 0
                    better = facts >> dominated_bit(len(area), at, other) & ~(facts >> dominated_bit(len(area), other, at))
                    dominated[fits] |= better & 1 != 0
    return useless, dominated & ~useless


def _seen_from(one: WindowShape, at: int) -> tuple[list[Cell], list[Cell]]:
    """The area and the rim with that cell of the area in the middle."""
    column, row = one.area[at]
    area, rim = ([(x - column, y - row) for x, y in cells] for cells in (one.area, one.rim))
    return area, rim

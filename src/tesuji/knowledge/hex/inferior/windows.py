"""Windows: small shapes of empty cells with all cells around them, and what is proven of them (learn/hex_inferior.py).

A window has an area of two to four empty cells and a rim, the cells next to it. The number of a rim has a digit of base 3 for
each cell: 0 empty (it may become anything), 1 black, 2 white; borders count as stones. Every shape is there once, with all its
turned and mirrored images; what is proven needs only to know which cells are neighbours, so it holds in all of them.

What is proven for a player, as bits, with n cells in the area: the set of cells that may be filled with his stones; then for
each ordered pair (c, d) whether d dominates c; then whether an opponent's stone on d reverses his stone on c.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tesuji.knowledge.hex.geometry import CLOCKWISE, OFFSETS, RING, STRIDE
from tesuji.knowledge.weight_files import packed, unpacked

Cell = tuple[int, int]  # column, row
FILE = Path(__file__).parent / "windows.json"
FORMAT = "tesuji hex windows"
LARGEST_AREA = 4
AREA_BITS = 4  # of the sets of cells in `WindowTables.fills`


@dataclass(frozen=True)
class WindowShape:
    area: tuple[Cell, ...]
    rim: tuple[Cell, ...]


def neighbours(cell: Cell) -> list[Cell]:
    return [(cell[0] + OFFSETS[i][0], cell[1] + OFFSETS[i][1]) for i in CLOCKWISE]


def shape(*area: Cell) -> WindowShape:
    """The shape with this area; its rim has the neighbours of the first cell first."""
    near = dict.fromkeys(other for cell in area for other in neighbours(cell))
    return WindowShape(area, tuple(cell for cell in near if cell not in area))


SHAPES = {
    "pair": shape((0, 0), (1, 0)),
    "triangle": shape((0, 0), (1, 0), (0, 1)),
    "line": shape((0, 0), (1, 0), (2, 0)),
    "bend": shape((0, 0), (1, 0), (1, 1)),
    "rhombus": shape((0, 0), (1, 0), (0, 1), (1, -1)),
}


# -- bits ----------------------------------------------------------------------------------------------------------------------
def _pair(cells: int, one: int, other: int) -> int:
    return one * (cells - 1) + other - (other > one)


def dominated_bit(cells: int, one: int, other: int) -> int:
    return cells + _pair(cells, one, other)


def reversible_bit(cells: int, one: int, other: int) -> int:
    return cells + cells * (cells - 1) + _pair(cells, one, other)


# -- images of shapes ----------------------------------------------------------------------------------------------------------
def images(one: WindowShape) -> list[WindowShape]:
    """The shape turned and mirrored, each set of cells once; cells keep their order."""
    found: dict[frozenset[Cell], WindowShape] = {}
    for mirrored in (False, True):
        cells = [(y, x) if mirrored else (x, y) for x, y in (*one.area, *one.rim)]
        for _ in range(6):
            area, rim = tuple(cells[: len(one.area)]), tuple(cells[len(one.area) :])
            x, y = min(area)
            found.setdefault(frozenset((a - x, b - y) for a, b in area), WindowShape(area, rim))
            cells = [(-b, a + b) for a, b in cells]
    return list(found.values())


IMAGES = [(name, image) for name, one in SHAPES.items() for image in images(one)]
PLACEMENTS = len(IMAGES)
AREA_SIZES = np.array([len(image.area) for _, image in IMAGES], np.int64)
# By image and cell of the area: the step to it from the first cell.
AREA_STEPS = np.array(
    [
        [(row - image.area[0][1]) * STRIDE + column - image.area[0][0] for column, row in image.area]
        + [0] * (LARGEST_AREA - len(image.area))
        for _, image in IMAGES
    ],
    np.int64,
)


def _digits() -> np.ndarray:
    """By image, cell of its area and number of the ring around that cell: what this ring adds to the number of the rim. Every
    cell of the rim is counted in the ring of the first cell that it is next to.
    """
    rings = np.arange(3**RING)
    table = np.zeros((PLACEMENTS, LARGEST_AREA, 3**RING), np.int32)
    for at, (_, image) in enumerate(IMAGES):
        counted: set[Cell] = set()
        for i, (column, row) in enumerate(image.area):
            for cell, (x, y) in enumerate(OFFSETS[:RING]):
                near = column + x, row + y
                if near in image.rim and near not in counted:
                    counted.add(near)
                    table[at, i] += (rings // 3**cell % 3 * 3 ** image.rim.index(near)).astype(np.int32)
    return table


# -- rims ----------------------------------------------------------------------------------------------------------------------
class Rims:
    """All rims of a shape, as arrays over their numbers."""

    def __init__(self, one: WindowShape):
        self.shape = one
        self.numbers = np.arange(3 ** len(one.rim))
        self.colours = {cell: self.numbers // 3**i % 3 for i, cell in enumerate(one.rim)}

    def number_of(self, cells: Sequence[Cell]) -> np.ndarray:
        """The number that these cells make in each, those of the area being empty."""
        digits = (self.colours[cell] * 3**i for i, cell in enumerate(cells) if cell in self.colours)
        return sum(digits, np.zeros(len(self.numbers), np.int64))

    def ring_of(self, cell: Cell) -> np.ndarray:
        return self.number_of([(cell[0] + x, cell[1] + y) for x, y in OFFSETS[:RING]])


def exchanged(cells: int) -> np.ndarray:
    """By the number of a rim of so many cells: that with colours exchanged."""
    numbers = np.arange(3**cells)
    digits = [numbers // 3**i % 3 for i in range(cells)]
    return np.sum([np.array([0, 2, 1])[digit] * 3**i for i, digit in enumerate(digits)], axis=0)


# -- tables --------------------------------------------------------------------------------------------------------------------
class WindowTables(NamedTuple):
    digits: np.ndarray  # int32, by image, cell of its area, ring around that cell
    first: np.ndarray  # int64, by image: where its shape begins in the two that follow
    fills: np.ndarray  # uint8: the cells to fill for Black, in the low half, and for White
    words: np.ndarray  # uint32, by player: all that is proven for him
    may_fill: np.ndarray  # uint64, by the ring around the first cell: the images that can show something to fill
    may_prune: np.ndarray  # uint64, by player and that ring: the images that can show something else for him


def make_tables(proven: dict[str, np.ndarray]) -> WindowTables:
    """The tables from what is proven for Black, by shape and number of the rim (without what smaller windows show)."""
    starts, count = {}, 0
    for name in SHAPES:
        starts[name] = count
        count += len(proven[name])
    words, fills = np.zeros((2, count), np.uint32), np.zeros(count, np.uint8)
    for name, one in SHAPES.items():
        part = slice(starts[name], starts[name] + len(proven[name]))
        words[0, part] = proven[name]
        words[1, part] = words[0, part][exchanged(len(one.rim))]
        mask = np.uint32((1 << len(one.area)) - 1)
        fills[part] = words[0, part] & mask | (words[1, part] & mask) << np.uint32(AREA_BITS)
    may_fill, may_prune = np.zeros(3**RING, np.uint64), np.zeros((2, 3**RING), np.uint64)
    for at, (name, image) in enumerate(IMAGES):
        part = slice(starts[name], starts[name] + len(proven[name]))
        rings, bit = Rims(image).ring_of(image.area[0]), np.uint64(1 << at)
        may_fill[np.unique(rings[fills[part] != 0])] |= bit
        for player in range(2):
            may_prune[player, np.unique(rings[words[player, part] >> np.uint32(len(image.area)) != 0])] |= bit
    first = np.array([starts[name] for name, _ in IMAGES], np.int64)
    return WindowTables(_digits(), first, fills, words, may_fill, may_prune)


def as_text(proven: dict[str, np.ndarray]) -> str:
    """The file of what is proven."""
    return json.dumps({"format": FORMAT, **{name: packed(words) for name, words in proven.items()}}, indent=2) + "\n"


@cache
def shipped_proofs() -> dict[str, np.ndarray]:
    data = json.loads(FILE.read_text())
    return {name: unpacked(data[name], 3 ** len(one.rim)).astype(np.uint32) for name, one in SHAPES.items()}


@cache
def window_tables() -> WindowTables:
    """The tables that come with the package."""
    return make_tables(shipped_proofs())

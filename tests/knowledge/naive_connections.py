"""Connections of Hex judged by playing: stones and carriers as bits, cell (c, r) is bit r * width + c. For the tests only.

The edges are points as well: bits width * height (top or left) and the next one. What touches an edge is joined with it.
"""

from __future__ import annotations

from functools import cache
from itertools import count

AROUND = ((-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1))


class TooHard(Exception):
    """The judge has looked at as many positions as it may for one question."""


class ConnectionJudge:
    """Whether one colour can join two points with stones on a carrier; `most`: positions that one question may take."""

    def __init__(self, width: int, height: int, colour: int, most: int = 10**9):
        self.most, self.looked = most, 0
        self.cells = width * height
        self.near = [0] * (self.cells + 2)
        for cell in range(self.cells):
            column, row = cell % width, cell // width
            for across, down in AROUND:
                c, r = column + across, row + down
                if 0 <= c < width and 0 <= r < height:
                    self.near[cell] |= 1 << r * width + c
            place, last = (column, width - 1) if colour else (row, height - 1)
            for edge, is_there in enumerate((place == 0, place == last)):
                if is_there:
                    self.near[cell] |= 1 << self.cells + edge
                    self.near[self.cells + edge] |= 1 << cell
        self.edges = 3 << self.cells
        self.second = cache(self._second)
        self.first = cache(self._first)

    def flood(self, stones: int, start: int) -> int:
        """The stones, edges included, that are joined with these."""
        reached = frontier = start
        while frontier:
            bit = frontier & -frontier
            frontier ^= bit
            new = self.near[bit.bit_length() - 1] & stones & ~reached
            reached |= new
            frontier |= new
        return reached

    def joins(self, own: int, carrier: int, x: int, y: int, moves_first: bool) -> bool:
        """Whether the owner joins x and y by stones on the carrier. Empty ends count as his stones."""
        own |= self.edges | 1 << x | 1 << y
        self.looked = 0
        # Chains that do not touch the carrier or an end make no difference: so equal cases are judged once.
        kept = self.flood(own | carrier, 1 << x) & own
        return (self.first if moves_first else self.second)(kept, carrier, x, y)[0]

    def touching(self, stones: int) -> int:
        around = 0
        while stones:
            bit = stones & -stones
            stones ^= bit
            around |= self.near[bit.bit_length() - 1]
        return around

    def by_distance(self, own: int, free: int, x: int, y: int) -> list[int]:
        """The free cells in sets, those on a shortest way from x to y first."""
        rings: list[list[int]] = []
        for end in (x, y):
            reached = self.flood(own, 1 << end)
            layers = []
            while layer := self.touching(reached) & free & ~reached:
                layers.append(layer)
                reached = self.flood(own, reached | layer)
            rings.append(layers)
        sums = [0] * (len(rings[0]) + len(rings[1]))
        for i, one in enumerate(rings[0]):
            for j, other in enumerate(rings[1]):
                sums[i + j] |= one & other
        return [*sums, free]

    def _first(self, own: int, free: int, x: int, y: int) -> tuple[bool, int]:
        """Whether the owner joins the points if he moves, and the free cells that the winning side needs for it.

        A move outside of what the opponent needs to refute another one is refuted in the same way.
        """
        self.looked += 1
        if self.looked > self.most:
            raise TooHard
        here = self.flood(own, 1 << x)
        if here >> y & 1:
            return True, 0
        if not self.flood(own | free, 1 << x) >> y & 1:
            return False, 0
        around_x, around_y = self.touching(here), self.touching(self.flood(own, 1 << y))
        joining = around_x & around_y & free
        if joining:
            return True, joining & -joining
        left, union = free, 0
        ranked = self.by_distance(own, free, x, y)
        while left:
            best = next(cells & left for cells in ranked if cells & left)
            move = best & -best
            joins, needed = self.second(own | move, free & ~move, x, y)
            if joins:
                return True, needed | move
            left &= needed
            union |= needed | move
        return False, union

    def _second(self, own: int, free: int, x: int, y: int) -> tuple[bool, int]:
        """The same if the opponent moves. What he can do at most depends on what the owner would do first."""
        if self.flood(own, 1 << x) >> y & 1:
            return True, 0
        joins, needed = self.first(own, free, x, y)
        if not joins:
            return False, needed
        left, union = needed, needed
        while left:
            move = left & -left
            joins, needed = self.first(own, free & ~move, x, y)
            if not joins:
                return False, needed | move
            left &= needed
            union |= needed | move
        return True, union


def plainly_joins(judge: ConnectionJudge, own: int, free: int, x: int, y: int, owner_moves: bool) -> bool:
    """The same by trying every move, to judge the judge. Who has no move passes."""
    if judge.flood(own | judge.edges | 1 << x | 1 << y, 1 << x) >> y & 1:
        return True
    if not free:
        return False
    moves = [1 << cell for cell in range(judge.cells) if free >> cell & 1]
    if owner_moves:
        return any(plainly_joins(judge, own | move, free & ~move, x, y, False) for move in moves)
    return all(plainly_joins(judge, own, free & ~move, x, y, True) for move in moves)


def stones_of_number(number: int, cells: int) -> tuple[int, int]:
    """Position `number` of all: the digits to base 3 are empty, Black, White."""
    black = white = 0
    for cell in count():
        if cell == cells:
            return black, white
        number, digit = divmod(number, 3)
        black |= (digit == 1) << cell
        white |= (digit == 2) << cell
    raise AssertionError

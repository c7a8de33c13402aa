"""Connections that are proven step by step, for games in which a player wins by joining his two ends (`rules.neighbours`).

A *connection* belongs to one player. It has two points (cells, or his ends) and two sets of cells, and it says:

    If he holds all cells of `needs`, and his opponent none of `carrier`, then he can join the two points by cells of `needs`
    and `carrier` alone, although the opponent moves first and whatever is played elsewhere.

Each step proves one connection, from the rules alone or from connections proven before:

- PATH: points in a row, each touching the next. `needs` are its cells; `carrier` is empty.
- AND: connections with no carrier cell in common. Seen as the edges of a graph, exactly two points have an odd number of them,
  and these two are joined: every connected part of a graph has an even number of such points, so both are in the same part.
- OR: ways to join the same two points. A way is a cell to take and the connection that exists afterwards. No cell is used by
  all of the ways, be it as the cell to take or in the carrier of the connection.
- PAIR: a connection that needs two cells which are *captured*, and so as good as taken: each of them, with cells that are
  needed anyway, touches all that the other one touches. They move from `needs` to `carrier`; more cells may be
  named that are needed.

Why this holds, by induction over the steps. The player answers each move in the carrier, and otherwise takes any cell: more
cells of his own never hurt him.

- PATH: the two points are joined already.
- AND: the carriers are disjoint. So a move of the opponent is in one of them at most, and is answered there. Being joined is
  transitive.
- OR: the opponent's first move in the carrier misses at least one of the ways. The player takes the cell of that way, if he
  does not have it yet, and has its connection. If the opponent never moves there, the whole carrier is the player's in the
  end, and with it every way.
- PAIR: he plays as if he had both cells. When the opponent takes one of them, b, he takes the other one, a. Let K be all that
  is joined with a through `needs`. If his path was to go through b, the point before b and the point after it touch b. So each
  of them is in K or touches it, and the path can go through K instead.

The sets of cells shrink with every move, so the play ends. Hence a connection of his two ends wins for the player in a position
in which he holds `needs` and all of `carrier` is free, whoever is to move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from tesuji.core.rules import ENDS, FREE
from tesuji.proof.trusted.claims import Refused

PATH, AND, OR, PAIR = 0, 1, 2, 3
KIND_COUNT = 4
FIRST_CELL = 2  # in a step, points are numbers from 0: 0 and 1 are the ends, then come the cells


class Step(NamedTuple):
    """One step. `numbers` are: of PATH the points; of AND the connections; of OR a cell and a connection alternately; of PAIR
    the connection, the two cells, and more cells to need. A connection is given by the distance back to its step.
    """

    kind: int
    numbers: tuple[int, ...]


class ProvenConnection(NamedTuple):
    """What a step proves. Sets of cells are bits."""

    ends: frozenset[int]
    needs: int
    carrier: int


class ProvenConnections:
    """The connections of one player that have been proven, in order. `add` refuses a step that proves nothing.

    player      whose they are, 0 or 1
    cells       how many cells there are: their numbers are below
    neighbours  gives the points that a cell touches: cells, and the ends (negative)
    name        gives the name of a cell, for messages
    """

    def __init__(self, player: int, cells: int, neighbours: Callable[[int], Sequence[int]], name: Callable[[int], str] = str):
        self.player = player
        self.cells = cells
        self.proven: list[ProvenConnection] = []
        self._neighbours = neighbours
        self._name = name

    def add(self, step: Step) -> ProvenConnection:
        kind, numbers = step
        if kind == PATH:
            connection = self._path([_point(number) for number in numbers])
        elif kind == AND:
            connection = self._and([self._back(number) for number in numbers])
        elif kind == OR:
            connection = self._or(numbers[::2], [self._back(number) for number in numbers[1::2]])
        else:
            connection = self._pair(numbers)
        if connection.needs & connection.carrier:
            both = self._first_name(connection.needs & connection.carrier)
            raise Refused(f"a connection needs {both} and has it in its carrier too")
        self.proven.append(connection)
        return connection

    def check_win(self, holder: Callable[[int], int]) -> None:
        """Refused unless the last connection joins the player's two ends and fits the position: `holder` gives the player who
        holds a cell, or FREE.
        """
        if not self.proven or self.proven[-1].ends != frozenset(ENDS):
            raise Refused("the connection does not join the two ends")
        for cell in cells_of(self.proven[-1].needs):
            if holder(cell) != self.player:
                raise Refused(f"the connection needs {self._name(cell)}, which the player does not hold")
        for cell in cells_of(self.proven[-1].carrier):
            if holder(cell) != FREE:
                raise Refused(f"the carrier of the connection has {self._name(cell)}, which is not free")

    # -- the four kinds of steps -----------------------------------------------------------------------------------------------
    def _path(self, points: Sequence[int]) -> ProvenConnection:
        needs = 0
        for point in points:
            if point >= self.cells:
                raise Refused("a path goes through a cell outside of the board")
            needs |= 1 << point if point >= 0 else 0
        for one, other in pairwise(points):
            if not (one >= 0 and other in self._neighbours(one)) and not (other >= 0 and one in self._neighbours(other)):
                raise Refused("two points of a path do not touch")
        return ProvenConnection(_two({points[0]} ^ {points[-1]} if points else set()), needs, 0)

    def _and(self, parts: Sequence[ProvenConnection]) -> ProvenConnection:
        ends: set[int] = set()
        needs = carrier = 0
        for part in parts:
            if carrier & part.carrier:
                raise Refused(f"connections overlap: both carriers have {self._first_name(carrier & part.carrier)}")
            ends ^= part.ends
            needs |= part.needs
            carrier |= part.carrier
        return ProvenConnection(_two(ends), needs, carrier)

    def _or(self, cells: Sequence[int], parts: Sequence[ProvenConnection]) -> ProvenConnection:
        if not parts or len(cells) != len(parts):
            raise Refused("a connection names no way to answer")
        needs = carrier = 0
        common = -1
        for cell, part in zip(cells, parts, strict=True):
            if cell >= self.cells:
                raise Refused("an answer is outside of the board")
            if part.ends != parts[0].ends:
                raise Refused("the answers do not join the same two points")
            answer = 1 << cell
            if part.carrier & answer:
                raise Refused(f"an answer takes {self._first_name(answer)}, which is in the carrier of its connection")
            needs |= part.needs & ~answer
            carrier |= part.carrier | answer
            common &= part.carrier | answer
        if common:
            raise Refused(f"the connection has no reply to {self._first_name(common)}")
        return ProvenConnection(parts[0].ends, needs, carrier)

    def _pair(self, numbers: Sequence[int]) -> ProvenConnection:
        if len(numbers) < 3 or max(numbers[1:]) >= self.cells or numbers[1] == numbers[2]:
            raise Refused("a pair is not a connection and two cells of the board")
        part, (one, other), more = self._back(numbers[0]), numbers[1:3], numbers[3:]
        pair = 1 << one | 1 << other
        needs = part.needs & ~pair | sum(1 << cell for cell in set(more))
        if needs & pair or part.ends & {one, other}:
            raise Refused(f"{self._name(one)} and {self._name(other)} cannot be captured where one of them is needed")
        for answer, lost in ((one, other), (other, one)):
            joined = self._joined(answer, needs)
            for point in self._neighbours(lost):
                if point not in joined and (point < 0 or not joined & set(self._neighbours(point))):
                    raise Refused(f"{self._name(one)} and {self._name(other)} are not captured")
        return ProvenConnection(part.ends, needs, part.carrier | pair)

    # -- parts of steps --------------------------------------------------------------------------------------------------------
    def _back(self, distance: int) -> ProvenConnection:
        if not 1 <= distance <= len(self.proven):
            raise Refused("a connection rests on one that is not before it")
        return self.proven[-distance]

    def _joined(self, cell: int, needs: int) -> set[int]:
        """The points that are joined with a cell through needed cells, and through the ends."""
        joined = {cell, *(point for point in self._neighbours(cell) if point < 0)}
        others = cells_of(needs)
        before = 0
        while before != len(joined):
            before = len(joined)
            for other in others:
                near = self._neighbours(other)
                if other not in joined and not joined.isdisjoint(near):
                    joined.update((other, *(point for point in near if point < 0)))
        return joined

    def _first_name(self, cells: int) -> str:
        return self._name(cells_of(cells)[0])


def _point(number: int) -> int:
    return number - FIRST_CELL if number >= FIRST_CELL else ENDS[number]


def number_of(point: int) -> int:
    """A point as it is written in a step."""
    return point + FIRST_CELL if point >= 0 else ENDS.index(point)


def _two(points: set[int]) -> frozenset[int]:
    if len(points) != 2:
        raise Refused("a connection does not join two points")
    return frozenset(points)


def cells_of(bits: int) -> list[int]:
    """The numbers of the bits that are set."""
    cells = []
    while bits:
        cells.append((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return cells

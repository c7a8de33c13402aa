"""Connections that are proven step by step, for games in which a player wins by joining his two ends (`rules.neighbours`).

This file is part of what must be trusted. A *link* says of one player, two points (cells, or his ends) and two sets of cells:

    If he holds all cells of `needs` and his opponent none of `carrier`, then he can join the two points with the cells of
    `needs` and `carrier` alone, although the opponent moves first and whatever is played elsewhere.

There are four kinds of steps. Each makes a link out of the rules alone or out of links before it:

- PATH: points in a row that touch each other. `needs` are its cells, `carrier` is empty.
- ALL (AND): links with no carrier cell in common, seen as the edges of a graph. If just two points have an odd number of
  them, these two are joined: in each connected part of a graph the number of such points is even, so the two are in the same.
- ANY (OR): ways to join the same two points, each a cell to take and the link that is there afterwards, such that no cell is
  used by all of them: neither as the cell to take nor in the carrier of the link.
- PAIR: a link that needs two cells, which are as good as taken if they are *captured*: each, with cells that are needed anyway,
  touches all that the other one touches. The two cells move from `needs` to `carrier`; the step may name more cells to need.

Why it holds, by induction over the steps. The player moves only to answer a move on the carrier; otherwise he takes any cell,
as more cells of his never hurt. A path is there already. The links of ALL have separate carriers: each move of the opponent is
on one of them at most and is answered there, and joining is transitive. In ANY the opponent's first move on the carrier misses
one of the ways; the player takes the cell of that way, if it is not his yet, and has the link. If the opponent never moves
there, all of the carrier is the player's in the end, and any of the ways is there. A PAIR is played as the link would be if the
player had both cells; if the opponent takes one of them, b, the player takes the other one, a. Let K be what is joined with a
through `needs`. A path of the player that should go through b has a point before it and one after it; both touch b, so each of
them is in K or touches it, and the path can go through K instead. The sets of cells shrink with every move, so all this ends.

So a link between his two ends that fits the position (he holds `needs`, all of `carrier` is free) wins for him.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from tesuji.core.rules import ENDS

PATH, ALL, ANY, PAIR = 0, 1, 2, 3
KINDS = 4
CELLS_FROM = 2  # in a step points are numbers from 0: 0 and 1 the ends, then the cells


class Refused(Exception):
    """The proof does not hold; the text says why."""


class LinkStep(NamedTuple):
    """One step. `numbers` are: of PATH the points; of ALL the links; of ANY a cell and a link by turns; of PAIR the link, the
    two cells, and more cells to need. Links are given as distances back to their step.
    """

    kind: int
    numbers: tuple[int, ...]


class Link(NamedTuple):
    """What a step shows. Sets of cells are bits."""

    ends: frozenset[int]
    needs: int
    carrier: int


class Links:
    """The links that have been shown for one player, in order. `add` refuses a step that shows nothing."""

    def __init__(self, cells: int, neighbours: Callable[[int], Sequence[int]], name: Callable[[int], str] = str):
        self.cells = cells  # their numbers are below
        self.shown: list[Link] = []
        self._neighbours = neighbours
        self._name = name  # of a cell, for messages

    def add(self, step: LinkStep) -> Link:
        kind, numbers = step
        if kind == PATH:
            link = self._path([_point(number) for number in numbers])
        elif kind == ALL:
            link = self._all([self._back(number) for number in numbers])
        elif kind == ANY:
            link = self._any(numbers[::2], [self._back(number) for number in numbers[1::2]])
        else:
            link = self._pair(numbers)
        if link.needs & link.carrier:
            raise Refused(f"a connection needs {self._named(link.needs & link.carrier)} and leaves it open too")
        self.shown.append(link)
        return link

    def _back(self, distance: int) -> Link:
        if not 1 <= distance <= len(self.shown):
            raise Refused("a connection rests on one that is not before it")
        return self.shown[-distance]

    def _path(self, points: Sequence[int]) -> Link:
        needs = 0
        for point in points:
            if point >= self.cells:
                raise Refused("a path goes through a cell outside of the board")
            needs |= 1 << point if point >= 0 else 0
        for one, other in pairwise(points):
            if not (one >= 0 and other in self._neighbours(one)) and not (other >= 0 and one in self._neighbours(other)):
                raise Refused("two points of a path do not touch")
        return Link(_two({points[0]} ^ {points[-1]} if points else set()), needs, 0)

    def _all(self, parts: Sequence[Link]) -> Link:
        ends: set[int] = set()
        needs = carrier = 0
        for part in parts:
            if carrier & part.carrier:
                raise Refused(f"connections overlap: both rely on {self._named(carrier & part.carrier)}")
            ends ^= part.ends
            needs |= part.needs
            carrier |= part.carrier
        return Link(_two(ends), needs, carrier)

    def _any(self, cells: Sequence[int], links: Sequence[Link]) -> Link:
        if not links or len(cells) != len(links):
            raise Refused("a connection names no way to answer")
        needs = carrier = 0
        common = -1
        for cell, link in zip(cells, links, strict=True):
            if cell >= self.cells:
                raise Refused("an answer is outside of the board")
            if link.ends != links[0].ends:
                raise Refused("the answers do not join the same two points")
            taken = 1 << cell
            if link.carrier & taken:
                raise Refused(f"an answer takes {self._named(taken)}, which its connection leaves open")
            needs |= link.needs & ~taken
            carrier |= link.carrier | taken
            common &= link.carrier | taken
        if common:
            raise Refused(f"the connection has no reply to {self._named(common)}")
        return Link(links[0].ends, needs, carrier)

    def _pair(self, numbers: Sequence[int]) -> Link:
        if len(numbers) < 3 or max(numbers[1:]) >= self.cells or numbers[1] == numbers[2]:
            raise Refused("a pair is not a connection and two cells of the board")
        link, (one, other), more = self._back(numbers[0]), numbers[1:3], numbers[3:]
        pair = 1 << one | 1 << other
        needs = link.needs & ~pair | sum(1 << cell for cell in set(more))
        if needs & pair or link.ends & {one, other}:
            raise Refused(f"{self._name(one)} and {self._name(other)} cannot be captured where one of them is needed")
        for taken, lost in ((one, other), (other, one)):
            joined = self._joined(taken, needs)
            for point in self._neighbours(lost):
                if point not in joined and (point < 0 or not joined & set(self._neighbours(point))):
                    raise Refused(f"{self._name(one)} and {self._name(other)} are not captured")
        return Link(link.ends, needs, link.carrier | pair)

    def _joined(self, cell: int, held: int) -> set[int]:
        """The points that are joined with a cell through cells that are held, and through the ends."""
        found = {cell, *(point for point in self._neighbours(cell) if point < 0)}
        waiting = cells_of(held)
        before = 0
        while before != len(found):
            before = len(found)
            for other in waiting:
                near = self._neighbours(other)
                if other not in found and not found.isdisjoint(near):
                    found.update((other, *(point for point in near if point < 0)))
        return found

    def _named(self, bits: int) -> str:
        return self._name(cells_of(bits)[0])

    def demand_win(self, held: Callable[[int], bool], free: Callable[[int], bool]) -> Link:
        """The last link, if it joins the player's two ends and fits the position."""
        if not self.shown or self.shown[-1].ends != frozenset(ENDS):
            raise Refused("the connection does not join the two ends")
        link = self.shown[-1]
        for cell in cells_of(link.needs):
            if not held(cell):
                raise Refused(f"the connection needs {self._name(cell)}, which the player does not hold")
        for cell in cells_of(link.carrier):
            if not free(cell):
                raise Refused(f"the connection relies on {self._name(cell)}, which is not free")
        return link


def _point(number: int) -> int:
    return number - CELLS_FROM if number >= CELLS_FROM else ENDS[number]


def number_of(point: int) -> int:
    """A point as a step has it."""
    return point + CELLS_FROM if point >= 0 else ENDS.index(point)


def _two(points: set[int]) -> frozenset[int]:
    if len(points) != 2:
        raise Refused("a connection does not join two points")
    return frozenset(points)


def cells_of(bits: int) -> list[int]:
    """The numbers of the bits that are set."""
    found = []
    while bits:
        found.append((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return found

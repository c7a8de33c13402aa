"""The steps that prove a connection. A finder says which connections exist; here each is broken down into smaller ones.

Used when a certificate is written. Every step goes through the checker's `ProvenConnections`, so nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from tesuji.core.rules import ENDS
from tesuji.proof.trusted.connections import (
    AND,
    KIND_COUNT,
    OR,
    PAIR,
    PATH,
    ProvenConnection,
    ProvenConnections,
    Step,
    cells_of,
    number_of,
)

TRIED = 4  # carriers of two points that are tried before it is given up
EFFORT = 3  # plies by which a connection is played out where the finder does not say what it is made of
WORD, WHOLE_WORD = 64, (1 << 64) - 1

Way = tuple[int, int]  # a cell to take, and the number of the connection that exists afterwards
Pair = tuple[int, int]  # two cells


class CarrierLists(Protocol):
    """The connections that the finder knows in one position: carriers, the smallest first."""

    def fulls(self, one: int, other: int) -> Sequence[int]: ...

    def semis(self, one: int, other: int) -> Sequence[int]: ...


class Finder(Protocol):
    def carriers(self, own: int, free: int) -> CarrierLists: ...


class ConnectionTable:
    """The connections of two points, so that those that fit are found quickly: sets of cells as 64-bit words."""

    def __init__(self, cells: int):
        self._words = cells // WORD + 1
        self._sets = np.zeros((2 * self._words, 8), np.uint64)  # [word, connection] what each needs, and its carrier
        self._numbers: list[int] = []

    def add(self, connection: ProvenConnection, number: int) -> None:
        count = len(self._numbers)
        if count == self._sets.shape[1]:
            self._sets = np.concatenate((self._sets, np.zeros_like(self._sets)), axis=1)
        self._sets[:, count] = self._row(connection.needs, connection.carrier)
        self._numbers.append(number)

    def fitting(self, not_needed: int, not_used: int) -> list[int]:
        """The numbers of the connections that need none of some cells, and whose carriers have none of others, oldest first."""
        count, row = len(self._numbers), self._row(not_needed, not_used)
        wrong = self._sets[0, :count] & row[0]
        for word in range(1, len(row)):
            wrong |= self._sets[word, :count] & row[word]
        return [self._numbers[place] for place in np.flatnonzero(wrong == 0)]

    def _row(self, one: int, other: int) -> np.ndarray:
        return np.array([cells >> WORD * word & WHOLE_WORD for cells in (one, other) for word in range(self._words)], np.uint64)


class ConnectionBuilder:
    """Proves connections of one player, guided by what the finder knows.

    Sets of cells are bits: `own` are the player's cells, `free` those that are empty; the opponent has all others. `one` and
    `other` are the points to join, cells or ends. A connection is its number in `connections.proven`. `effort` is the number of
    plies that may be played out where the finder does not say what a connection is made of.
    """

    def __init__(self, connections: ProvenConnections, neighbours: Sequence[Sequence[int]], finder: Finder):
        self.connections = connections
        self.steps: list[Step] = []
        self._finder = finder
        self._near: dict[int, Sequence[int]] = dict(enumerate(neighbours))
        for end in ENDS:
            self._near[end] = [cell for cell in range(connections.cells) if end in self._near[cell]]
        self._near_bits = {cell: sum(1 << near for near in points if near >= 0) for cell, points in self._near.items()}
        self._at_end = sum(1 << cell for end in ENDS for cell in self._near[end])
        self._number: dict[tuple[int, tuple[int, ...]], int] = {}  # by kind, and points or connections, of each step
        self._by_ends: dict[frozenset[int], ConnectionTable] = {}
        self._failed: dict[tuple[int, int, int, int], int] = {}  # the effort that was in vain

    # -- steps -----------------------------------------------------------------------------------------------------------------
    def path_step(self, points: Sequence[int]) -> int:
        return self._add(PATH, tuple(number_of(point) for point in points), lambda numbers: numbers)

    def and_step(self, parts: Sequence[int]) -> int:
        if len(parts) == 1:
            return parts[0]
        return self._add(AND, tuple(sorted(parts)), lambda numbers: tuple(len(self.steps) - number for number in numbers))

    def or_step(self, ways: Sequence[Way]) -> int:
        """The connection by all these ways, less those that are not needed."""
        needed = list(ways)
        for way in ways:
            others = [other for other in needed if other != way]
            if others and not self._common(others):
                needed = others
        flat = tuple(number for way in sorted(needed) for number in way)

        def back(numbers: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(len(self.steps) - number if place % 2 else number for place, number in enumerate(numbers))

        return self._add(OR, flat, back)

    def captured(self, number: int, pair: Pair, own: int) -> int:
        """The connection where two cells that it needs are a captured pair of the position."""
        needs, (one, other) = self.connection(number).needs, pair
        if not needs & (1 << one | 1 << other):
            return number
        more = cells_of((self._near_bits[one] | self._near_bits[other]) & own & ~needs)
        numbers = number, one, other, *more

        def back(numbers: tuple[int, ...]) -> tuple[int, ...]:
            return len(self.steps) - numbers[0], *numbers[1:]

        return self._add(PAIR, numbers, back)

    def with_pair(self, number: int | None, way: Way | None, pair: Pair, own: int) -> tuple[int | None, Way | None]:
        """The connection or the way where the two cells are a captured pair, out of one where they are the player's own."""
        if number is not None:
            return self.captured(number, pair, own), None
        return None, None if way is None else (way[0], self.captured(way[1], pair, own | 1 << way[0]))

    def pair_in(self, own: int, free: int) -> Pair | None:
        """Two free cells that the neighbouring own cells capture."""
        reached = own | self._at_end
        for cell in cells_of(own):
            reached |= self._near_bits[cell]
        for one in cells_of(free & reached):
            near = self._near_bits[one]
            for other in cells_of(near & free & reached >> one << one):
                beyond = ~(reached | 1 << one | 1 << other)
                if near & ~self._near_bits[other] & beyond or self._near_bits[other] & ~near & beyond:
                    continue  # a cell that only one of the two reaches
                if self._are_captured(own, one, other):
                    return one, other
        return None

    def _replaces(self, own: int, taken: int, lost: int) -> bool:
        """Whether a cell, with own cells next to the two, touches all that the other one touches."""
        joined = self._near_bits[taken] & own | 1 << taken
        ends = {point for point in self._near[taken] if point < 0}
        around = self._near_bits[lost] & own
        for _ in range(2):  # further own cells around, reached over those that are joined
            for cell in cells_of(around & ~joined):
                if self._near_bits[cell] & joined or ends & set(self._near[cell]):
                    joined |= 1 << cell
                    ends |= {point for point in self._near[cell] if point < 0}
        for cell in cells_of(joined):
            ends |= {point for point in self._near[cell] if point < 0}
        for point in self._near[lost]:
            if point < 0:
                if point not in ends:
                    return False
            elif not (joined >> point & 1 or self._near_bits[point] & joined or ends & set(self._near[point])):
                return False
        return True

    def used_by(self, way: Way) -> int:
        """The cells that a way uses."""
        return self.connection(way[1]).carrier | 1 << way[0]

    def _common(self, ways: Sequence[Way]) -> int:
        common = -1
        for way in ways:
            common &= self.used_by(way)
        return common

    def _add(self, kind: int, numbers: tuple[int, ...], written: Callable[[tuple[int, ...]], tuple[int, ...]]) -> int:
        key = kind, numbers
        if key not in self._number:
            step = Step(kind, written(numbers))
            connection = self.connections.add(step)
            self.steps.append(step)
            self._number[key] = len(self.steps) - 1
            if connection.ends not in self._by_ends:
                self._by_ends[connection.ends] = ConnectionTable(self.connections.cells)
            self._by_ends[connection.ends].add(connection, len(self.steps) - 1)
        return self._number[key]

    # -- what is proven already ------------------------------------------------------------------------------------------------
    def proven(self, own: int, free: int, one: int, other: int) -> int | None:
        """A proven connection of two points that fits the position."""
        table = self._by_ends.get(frozenset((one, other)))
        fitting = [] if table is None else table.fitting(~own, ~free)
        return fitting[-1] if fitting else None

    def proven_way(self, own: int, free: int, one: int, other: int) -> Way | None:
        """A proven connection that fits when one more cell is taken."""
        table = self._by_ends.get(frozenset((one, other)))
        if table is not None:
            for number in reversed(table.fitting(~(own | free), ~free)):
                missing = self.connection(number).needs & ~own
                if missing and not missing & (missing - 1):
                    return missing.bit_length() - 1, number
        return None

    def _touching(self, own: int, one: int, other: int) -> int | None:
        """A path over own cells, the shortest."""
        came: dict[int, int] = {one: one}
        line = [one]
        for point in line:
            if point == other:
                points = [point]
                while points[-1] != one:
                    points.append(came[points[-1]])
                return self.path_step(points if points[0] <= points[-1] else points[::-1])
            for near in self._near[point]:
                if near not in came and (near < 0 or near == other or own >> near & 1):
                    came[near] = point
                    line.append(near)
        return None

    # -- what is to be proven --------------------------------------------------------------------------------------------------
    def full(self, own: int, free: int, one: int, other: int, effort: int = EFFORT) -> int | None:
        """A connection of two own points within `free`: one that the finder knows, or that can be played out."""
        number = self._touching(own, one, other)
        if number is None:
            number = self.proven(own, free, one, other)
        if number is not None:
            return number
        key = own, free, one, other
        if self._failed.get(key, -1) >= effort:
            return None
        pair = self.pair_in(own, free)
        if pair is not None:
            cells = 1 << pair[0] | 1 << pair[1]
            number = self.full(own | cells, free & ~cells, one, other, effort)
            if number is None:
                self._failed[key] = effort
            return None if number is None else self.captured(number, pair, own)
        carriers = self._finder.carriers(own, free)
        for carrier in carriers.fulls(one, other)[:TRIED]:
            number = self._in_series(carriers, own, carrier, one, other, effort)
            if number is None:
                number = self._answered(carriers, own, carrier, one, other, max(effort, 1))
            if number is not None:
                return number
        if effort > 0:
            number = self._answered(carriers, own, free, one, other, effort)
            if number is not None:
                return number
        self._failed[key] = effort
        return None

    def _in_series(self, carriers: CarrierLists, own: int, carrier: int, one: int, other: int, effort: int) -> int | None:
        """Two connections with an own chain between them."""
        for between in self._chains(own, one, other):
            for first in carriers.fulls(one, between):
                if first & ~carrier:
                    continue
                for second in carriers.fulls(between, other):
                    if second & ~carrier or first & second:
                        continue
                    number = self._both(own, first, second, one, between, other, effort)
                    if number is not None:
                        return number
        return None

    def _both(self, own: int, first: int, second: int, one: int, between: int, other: int, effort: int) -> int | None:
        """A connection by `between`: of `one` within `first`, and of `other` within `second`, two sets of free cells."""
        part = self.full(own, first, one, between, effort)
        if part is None:
            return None
        rest = self.full(own, second, between, other, effort)
        return None if rest is None else self.and_step((part, rest))

    def _chains(self, own: int, one: int, other: int) -> list[int]:
        """A cell of each own chain that reaches neither of the points."""
        reached = self._chain(own, one) | self._chain(own, other)
        chains = []
        for cell in cells_of(own):
            if not reached >> cell & 1:
                chains.append(cell)
                reached |= self._chain(own, cell)
        return chains

    def _chain(self, own: int, point: int) -> int:
        chain = 1 << point if point >= 0 else 0
        waiting = [point]
        while waiting:
            for near in self._near[waiting.pop()]:
                if near >= 0 and own >> near & 1 and not chain >> near & 1:
                    chain |= 1 << near
                    waiting.append(near)
        return chain

    def _answered(self, carriers: CarrierLists, own: int, free: int, one: int, other: int, effort: int) -> int | None:
        """Ways for all moves of the opponent: those that the finder knows, then those that are played out."""
        ways: list[Way] = []
        left = free
        waiting = [semi for semi in carriers.semis(one, other) if not semi & ~free]
        while left and waiting:
            semi = min(waiting, key=lambda cells: (left & cells).bit_count())
            if not left & ~semi:
                break
            waiting.remove(semi)
            way = self._by_key(carriers, own, semi, one, other, effort)
            if way is not None:
                ways.append(way)
                left &= self.used_by(way)
        while left:
            move = left & -left
            number, way = self.way(own, free & ~move, one, other, effort - 1)
            if number is not None:
                return number
            if way is None:
                return None
            ways.append(way)
            left &= self.used_by(way)
        return self.or_step(ways) if ways else None

    def _by_key(self, carriers: CarrierLists, own: int, semi: int, one: int, other: int, effort: int) -> Way | None:
        """A cell of the semi connection that makes it full, and the connection then."""
        overlapping = []
        for cell in cells_of(semi):
            with_cell = own | 1 << cell
            for first in carriers.fulls(one, cell):
                if first & ~semi:
                    continue
                for second in carriers.fulls(cell, other):
                    if second & ~semi:
                        continue
                    if first & second:
                        overlapping.append((cell, first, second))
                        continue
                    number = self._both(with_cell, first, second, one, cell, other, effort)
                    if number is not None:
                        return cell, number
        for cell, first, second in overlapping:  # they may overlap in cells that are captured then
            number = self._overlapping(own | 1 << cell, semi & ~(1 << cell), first, second, one, cell, other, effort)
            if number is not None:
                return cell, number
        return None

    def _overlapping(
        self, own: int, free: int, first: int, second: int, one: int, between: int, other: int, effort: int
    ) -> int | None:
        """The same where `first` and `second` overlap, if all cells that they share are in captured pairs."""
        overlap = first & second
        pairs: list[Pair] = []
        for cell in cells_of(overlap):
            if any(cell in pair for pair in pairs):
                continue
            pair = self._pair_with(own, free, cell)
            if pair is None:
                return None
            pairs.append(pair)
            free &= ~(1 << pair[0] | 1 << pair[1])
        captured = sum(1 << cell for pair in pairs for cell in pair)
        number = self._both(own | captured, first & ~captured, second & ~captured, one, between, other, effort)
        for pair in pairs:
            if number is not None:
                number = self.captured(number, pair, own)
        return number

    def _pair_with(self, own: int, free: int, cell: int) -> Pair | None:
        near = cells_of(self._near_bits[cell] & free)
        return next(((cell, mate) for mate in near if self._are_captured(own, cell, mate)), None)

    def _are_captured(self, own: int, one: int, other: int) -> bool:
        return self._replaces(own, one, other) and self._replaces(own, other, one)

    def way(self, own: int, free: int, one: int, other: int, effort: int = EFFORT) -> tuple[int | None, Way | None]:
        """For the player to move: (a connection, None) if it exists, (None, a way) if a move makes one, else (None, None)."""
        number = self.proven(own, free, one, other)
        if number is not None:
            return number, None
        way = self.proven_way(own, free, one, other)
        if way is not None:
            return None, way
        pair = self.pair_in(own, free)
        if pair is not None:
            cells = 1 << pair[0] | 1 << pair[1]
            return self.with_pair(*self.way(own | cells, free & ~cells, one, other, effort), pair, own)
        carriers = self._finder.carriers(own, free)
        if carriers.fulls(one, other):
            number = self.full(own, free, one, other, 0)
            if number is not None:
                return number, None
        for semi in carriers.semis(one, other)[:TRIED]:
            way = self._by_key(carriers, own, semi, one, other, max(effort, 1))
            if way is not None:
                return None, way
        if effort > 0:
            for cell in cells_of(free):
                number = self.full(own | 1 << cell, free & ~(1 << cell), one, other, effort - 1)
                if number is not None:
                    return None, (cell, number)
        return None, None

    # -- what is written -------------------------------------------------------------------------------------------------------
    def steps_to(self, number: int) -> list[Step]:
        """The steps that a connection rests on, and its own at the end."""
        wanted = {number}
        for at in range(number, -1, -1):
            if at in wanted:
                kind, numbers = self.steps[at]
                backs = {PATH: (), AND: numbers, OR: numbers[1::2], PAIR: numbers[:1]}[kind]
                wanted.update(at - back for back in backs)
        place = {at: new for new, at in enumerate(sorted(wanted))}
        steps = []
        for at in sorted(wanted):
            kind, numbers = self.steps[at]
            is_back = {PATH: (), AND: range(len(numbers)), OR: range(1, len(numbers), 2), PAIR: (0,)}[kind]
            numbers = tuple(place[at] - place[at - number] if i in is_back else number for i, number in enumerate(numbers))
            steps.append(Step(kind, numbers))
        return steps

    def connection(self, number: int) -> ProvenConnection:
        return self.connections.proven[number]


def numbers_of(steps: Sequence[Step]) -> list[int]:
    """Steps as they are written among the choices of a certificate."""
    return [len(steps), *(number for kind, numbers in steps for number in (kind + KIND_COUNT * len(numbers), *numbers))]

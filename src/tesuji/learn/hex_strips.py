"""Strips at the edge of a Hex board, on which edge templates are proven (learn/hex_templates.py).

A strip is a few rows at the lower edge; Black is to connect a point with it, and all that is not in the strip is White's. A
point is connected if after every move of the opponent that interferes, a semi connection is left, or Black has a move after
which it is connected: this is a search on top of H-search. What is proven in this way is made minimal: as few own stones,
then as few cells as possible, with everything else the opponent's.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

import numpy as np

from tesuji.core.numba.registration import compiled
from tesuji.games.hex.state import BLACK, WHITE, empty_board
from tesuji.knowledge.hex.connections.build import build, new_connections
from tesuji.knowledge.hex.connections.edge_templates import EdgeTemplate, TemplateInstances, instances, template_text
from tesuji.knowledge.hex.connections.lists import EMPTY_CELL, FULLS, FULLS_AT, PAIR_NUMBERS, SEMIS, SEMIS_AT, Connections
from tesuji.knowledge.hex.connections.update import update

ARENA = 1 << 14
MOST_LEFT = 10  # cells that all semi connections of a point have in common: with more, a proof is not tried
WIDEST = 8  # moves of Black that are tried where H-search shows none
SEARCHES = 400  # positions for one proof


class GivenUp(Exception):
    """A proof has taken as many positions as it may."""


class Strip:
    """A strip at the lower edge; the row above it is White's. Cell (column, height) is one bit."""

    def __init__(self, rows: int, templates: Iterable[EdgeTemplate] = (), span: int = 14):
        self.rows, self.span = rows, span
        self.edge = span * (rows + 1) + 1
        self.all = (1 << span * (rows + 1)) - 1
        self.top = (1 << span) - 1
        self._state = empty_board(span, rows + 1)
        self._build, self._update = compiled(build), compiled(update)
        self._levels: list[Connections] = []  # of the positions of a line of play
        self._placed = instances(list(templates), span, rows + 1, BLACK)
        self._left = 0
        self._failed: set[tuple[int, int, int]] = set()

    def add(self, template: EdgeTemplate) -> None:
        """Uses one more template from now on."""
        new, old = instances([template], self.span, self.rows + 1, BLACK), self._placed
        sets, points, edges = (np.concatenate(pair) for pair in zip(old[:3], new[:3], strict=True))
        self._placed = TemplateInstances(sets, points, edges, old.first + new.first)
        self._levels = [known._replace(templates=self._placed) for known in self._levels]

    def bit(self, column: int, height: int) -> int:
        return 1 << (self.rows - height) * self.span + column

    def place(self, cell: int) -> tuple[int, int]:
        return cell % self.span, self.rows - cell // self.span

    def cells(self) -> range:
        return range(self.span, self.span * (self.rows + 1))

    def touching(self, black: int, cells: int) -> int:
        """The black stones of chains that touch these cells: others are no part of a proof on them."""
        reached = 0
        while True:
            near = cells | reached
            for step in (1, self.span - 1, self.span):
                near |= (cells | reached) << step | (cells | reached) >> step
            if not black & near & ~reached:
                return reached
            reached |= black & near

    def bits(self, places: Iterable[tuple[int, int]], shift: int = 0) -> int:
        return sum(self.bit(column + shift, height) for column, height in places)

    # -- positions -------------------------------------------------------------------------------------------------------------
    def search(self, black: int, white: int, level: int = 0) -> Connections:
        """Finds the connections of a position; at a higher level from those of the position one level below."""
        while len(self._levels) <= level:
            fresh = new_connections(self.span, self.rows + 1, BLACK, arena=ARENA, templates=[])
            self._levels.append(fresh._replace(templates=self._placed))
        stones = self._state["stones"]
        for player, bits in ((BLACK, black), (WHITE, white | self.top)):
            for row in range(self.rows + 1):
                stones[player, row] = bits >> self.span * row & self.top
        known = self._levels[level]
        if level == 0:
            self._build(known, self._state)
        else:
            self._update(self._levels[level - 1], known, self._state)
        return known

    def carriers(self, cell: int, full: bool, level: int = 0) -> list[int]:
        """The carriers of a cell's connections with the edge, after `search`."""
        known = self._levels[level]
        point = int(known.captain[cell])
        if point == self.edge:
            return [0] if full else []
        first = int(known.pair_of[point * int(known.points) + self.edge]) * PAIR_NUMBERS
        at, count = (FULLS_AT, FULLS) if full else (SEMIS_AT, SEMIS)
        begin, width = int(known.pairs[first + at]), len(known.kind)
        words = known.arena[begin * width : (begin + int(known.pairs[first + count])) * width].tolist()
        return [
            sum(word << 64 * i for i, word in enumerate(words[place : place + width])) for place in range(0, len(words), width)
        ]

    # -- proofs ----------------------------------------------------------------------------------------------------------------
    def prove(self, black: int, white: int, cell: int, depth: int = 0, most: int = SEARCHES) -> int | None:
        """A carrier on which a Black stone on the cell is connected although White moves; None if none is found.

        `depth`: how often Black may answer with a move that H-search alone does not show to be enough. `most`: positions.
        """
        self._left = most
        self._failed.clear()
        black |= 1 << cell
        try:
            self.search(black, white)
            return self._after_black(0, black, white, cell, depth)
        except GivenUp:
            return None

    def _after_black(self, level: int, black: int, white: int, cell: int, depth: int) -> int | None:
        """The same for the position of this level, which has been searched; White moves."""
        if (black, white, depth) in self._failed:
            return None
        carrier = self._connected(level, black, white, cell, depth)
        if carrier is None:
            self._failed.add((black, white, depth))
        return carrier

    def _connected(self, level: int, black: int, white: int, cell: int, depth: int) -> int | None:
        fulls = self.carriers(cell, True, level)
        if fulls:
            return min(fulls, key=int.bit_count)
        semis = self.carriers(cell, False, level)
        common = self.all
        for semi in semis:
            common &= semi
        if not semis:  # perhaps Black has a move that H-search does not see
            semi = self._black_moves(level, black, white, cell, depth) if depth > 0 else None
            if semi is None:
                return None
            semis = [semi]
            common = semi
        elif common.bit_count() > MOST_LEFT:
            return None
        union = left = min(semis, key=lambda one: ((one & ~common).bit_count(), one.bit_count()))
        while left:
            needed = left & common
            move = needed & -needed or left & -left
            if needed:
                answer = self._after_white(level + 1, black, white | move, cell, depth, left)
            else:
                answer = min((semi for semi in semis if not semi & move), key=lambda one: (one & left).bit_count())
            if answer is None:
                return None
            union |= answer | move
            left &= answer
        return union

    def _after_white(self, level: int, black: int, white: int, cell: int, depth: int, left: int) -> int | None:
        """A carrier on which Black connects if he moves, with as little of `left` as possible."""
        self._left -= 1
        if self._left < 0:
            raise GivenUp
        self.search(black, white, level)
        found = self.carriers(cell, True, level) or self.carriers(cell, False, level)
        if found:
            return min(found, key=lambda one: ((one & left).bit_count(), one.bit_count()))
        return self._black_moves(level, black, white, cell, depth) if depth > 0 else None

    def _black_moves(self, level: int, black: int, white: int, cell: int, depth: int) -> int | None:
        """A carrier on which Black connects by a move that H-search does not show."""
        for move in self._promising(cell, level):
            if (black | move, white, depth - 1) in self._failed:
                continue
            self.search(black | move, white, level + 1)
            carrier = self._after_black(level + 1, black | move, white, cell, depth - 1)
            if carrier is not None:
                return carrier | move
        return None

    def _promising(self, cell: int, level: int) -> list[int]:
        """Black's moves, the most promising ones first: connected with the point, many semi connections with the edge."""
        known = self._levels[level]
        point, points = int(known.captain[cell]), int(known.points)
        ranked = []
        for other in self.cells():
            if known.status[other] == EMPTY_CELL:
                first = int(known.pair_of[point * points + other]) * PAIR_NUMBERS
                last = int(known.pair_of[self.edge * points + other]) * PAIR_NUMBERS
                near, far = (min(int(known.pairs[at + FULLS]), 1) * 2 + (known.pairs[at + SEMIS] > 0) for at in (first, last))
                if near and far:
                    ranked.append((-near - far, -int(known.pairs[last + SEMIS]), other))
        return [1 << other for *_rank, other in sorted(ranked)[:WIDEST]]

    # -- shapes ----------------------------------------------------------------------------------------------------------------
    def minimal(
        self, black: int, cell: int, carrier: int, depth: int, rng: random.Random | None = None, most: int = SEARCHES
    ) -> tuple[int, int]:
        """As few stones and cells as possible with which the proof succeeds, everything else White's.

        With `rng` cells are tried in random order, the ends of rows first; otherwise from the left of the highest row on.
        """
        whole = 1 << cell
        for bit in bits_of(black):
            if self.prove(black & ~bit, self.all & ~(black | carrier | whole) | bit, cell, depth, most) is not None:
                black &= ~bit
            elif self.prove(black & ~bit, self.all & ~(black | carrier | whole), cell, depth, most) is not None:
                black, carrier = black & ~bit, carrier | bit
        tried = 0
        while carrier & ~tried:
            bit = self._next_cell(carrier, black | whole, carrier & ~tried, rng)
            tried |= bit
            carrier = self._without(black, cell, carrier, bit, depth, most) or carrier
        return black, carrier

    def between_walls(
        self, black: int, cell: int, carrier: int, depth: int, leans: tuple[int, int], most: int = SEARCHES
    ) -> int:
        """What is left of a carrier when White's walls are moved in, from one side and then from the other.

        `leans`: for each wall, in this order, 1 or 2 from the left, -1 or -2 from the right; 2 and -2 follow the other
        direction of the grid.
        """
        for lean in leans:
            lines: dict[int, int] = {}
            for bit in bits_of(carrier):
                column, height = self.place(bit.bit_length() - 1)
                line = (column - height * (abs(lean) == 2)) * (1 if lean > 0 else -1)
                lines[line] = lines.get(line, 0) | bit
            for line in sorted(lines):
                rest = self._without(black, cell, carrier, lines[line], depth, most)
                if rest is None:
                    break
                carrier = rest
        return carrier

    def _without(self, black: int, cell: int, carrier: int, cells: int, depth: int, most: int) -> int | None:
        """A smaller carrier that does without these cells."""
        return self.prove(black, self.all & ~(black | carrier & ~cells | 1 << cell), cell, depth, most)

    def _next_cell(self, carrier: int, black: int, left: int, rng: random.Random | None) -> int:
        if rng is None:
            return left & -left
        free = carrier | black
        ends = [bit for bit in bits_of(left) if not (bit << 1 & free and bit >> 1 & free)]
        return rng.choice(ends or list(bits_of(left)))

    def template(self, black: int, cell: int, carrier: int) -> EdgeTemplate:
        column, height = self.place(cell)

        def places(bits: int) -> frozenset[tuple[int, int]]:
            cells = (self.place(bit.bit_length() - 1) for bit in bits_of(bits))
            return frozenset((c - column, h) for c, h in cells)

        template = EdgeTemplate(height, places(carrier), places(black))
        return min(template, template.mirrored(), key=template_text)

    def holds(self, template: EdgeTemplate, depth: int, most: int = SEARCHES) -> bool:
        """Whether a template is proven on its own cells, by the templates that the strip has."""
        black, carrier, cell = self.window(template)
        return self.prove(black, self.all & ~(black | carrier | 1 << cell), cell, depth, most) is not None

    def follows(self, template: EdgeTemplate) -> bool:
        """Whether H-search finds it, by the templates that the strip has."""
        black, carrier, cell = self.window(template)
        self.search(black | 1 << cell, self.all & ~(black | carrier | 1 << cell))
        return bool(self.carriers(cell, True))

    def window(self, template: EdgeTemplate) -> tuple[int, int, int]:
        """Its stones, its carrier and its point as far to the left as they fit."""
        shift = -min(0, *(column for column, _height in [*template.carrier, *template.stones]))
        black, carrier = (self.bits(places, shift) for places in (template.stones, template.carrier))
        return black, carrier, self.bit(shift, template.height).bit_length() - 1


def bits_of(bits: int) -> Iterator[int]:
    while bits:
        yield bits & -bits
        bits &= bits - 1

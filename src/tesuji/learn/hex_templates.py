"""Finds and proves edge templates of Hex: shapes that connect a stone with the edge and that H-search alone does not see.

Strips of a few rows at the edge with random stones are searched for points that have semi connections with the edge but no
full one. Such a point is connected if after every move of the opponent that interferes, a semi connection is left: this is
one ply of search on top of H-search. What is proven in this way is made minimal: as few own stones, then as few cells as
possible, with everything else the opponent's. Templates found so far are used to find larger ones: a ladder by a ladder that
is one step shorter. In the end those that follow from smaller ones by H-search are left out.

The tests judge the small templates again, by playing alone; benchmarks/hex_soundness.py judges all, as far as it can.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from tesuji.core.numba.registration import compiled
from tesuji.games.hex.state import BLACK, WHITE, empty_board
from tesuji.knowledge.hex.connections.build import build, new_connections
from tesuji.knowledge.hex.connections.edge_templates import EdgeTemplate, template_text
from tesuji.knowledge.hex.connections.lists import EMPTY_CELL, FULLS, FULLS_AT, PAIR_NUMBERS, SEMIS, SEMIS_AT

SPAN = 12  # columns of a strip
ARENA = 1 << 14
MOST_LEFT = 10  # cells that all semi connections of a point have in common: with more, a proof is not tried
# What the file of the program was made with: rows, strips, depth, whether they are shaped. About two minutes of CPU time.
PLAN = (
    (2, 300, 1, False),
    (3, 3000, 0, False),
    (3, 600, 1, False),
    (3, 1000, 1, True),
    (4, 4000, 0, False),
    (4, 1000, 1, False),
    (4, 4000, 1, True),
    (4, 300, 2, False),
    (4, 1000, 2, True),
    (5, 2000, 0, False),
    (5, 500, 1, False),
    (5, 1500, 1, True),
)
WIDEST = 12  # moves of Black that are tried where H-search shows none
MOST_CELLS = 40  # of a carrier that is kept


class Strip:
    """A strip at the lower edge; Black is to connect. The row above it is White's. Cell (column, height) is one bit."""

    def __init__(self, rows: int, templates: Sequence[EdgeTemplate]):
        self.rows = rows
        self.known = new_connections(SPAN, rows + 1, BLACK, arena=ARENA, templates=templates)
        self.edge = SPAN * (rows + 1) + 1
        self.build = compiled(build)
        self.all = (1 << SPAN * (rows + 1)) - 1
        self.top = (1 << SPAN) - 1
        self.state = empty_board(SPAN, rows + 1)

    def bit(self, column: int, height: int) -> int:
        return 1 << (self.rows - height) * SPAN + column

    def place(self, cell: int) -> tuple[int, int]:
        return cell % SPAN, self.rows - cell // SPAN

    def search(self, black: int, white: int) -> None:
        """Builds the connections of a position."""
        stones = self.state["stones"]
        for player, bits in ((BLACK, black), (WHITE, white | self.top)):
            for row in range(self.rows + 1):
                stones[player, row] = bits >> SPAN * row & (1 << SPAN) - 1
        self.build(self.known, self.state)

    def carriers(self, cell: int, full: bool) -> list[int]:
        """The carriers of a cell's connections with the edge, after `search`."""
        known = self.known
        point = int(known.captain[cell])
        first = int(known.pair_of[point * int(known.points) + self.edge]) * PAIR_NUMBERS
        at, count = (FULLS_AT, FULLS) if full else (SEMIS_AT, SEMIS)
        begin, width = int(known.pairs[first + at]), len(known.kind)
        words = known.arena[begin * width : (begin + int(known.pairs[first + count])) * width].tolist()
        return [
            sum(word << 64 * i for i, word in enumerate(words[place : place + width])) for place in range(0, len(words), width)
        ]

    def prove(self, black: int, white: int, cell: int, depth: int = 0) -> int | None:
        """A carrier on which a Black stone on the cell is connected although White moves; None if none is found.

        `depth`: how often Black may answer with a move that H-search alone does not show to be enough.
        """
        black |= 1 << cell
        self.search(black, white)
        if int(self.known.captain[cell]) == self.edge:
            return 0
        fulls = self.carriers(cell, True)
        if fulls:
            return min(fulls, key=int.bit_count)
        semis = self.carriers(cell, False)
        common = self.all
        for semi in semis:
            common &= semi
        if not semis or common.bit_count() > MOST_LEFT:
            return None
        union = left = min(semis, key=lambda one: ((one & ~common).bit_count(), one.bit_count()))
        while left:
            move = left & common & -(left & common) or left & -left
            answer = self.answer(black, white | move, cell, left, depth)
            if answer is None:
                return None
            union |= answer | move
            left &= answer
        return union

    def answer(self, black: int, white: int, cell: int, left: int, depth: int) -> int | None:
        """A carrier on which Black connects if he moves, with as little of `left` as possible."""
        self.search(black, white)
        found = self.carriers(cell, True) or self.carriers(cell, False)
        if found:
            return min(found, key=lambda one: ((one & left).bit_count(), one.bit_count()))
        if depth == 0:
            return None
        for move in self.promising(cell):
            carrier = self.prove(black | move, white, cell, depth - 1)
            if carrier is not None:
                return carrier | move
        return None

    def promising(self, cell: int) -> list[int]:
        """Black's moves, the most promising ones first: connected with the point, many semi connections with the edge."""
        known = self.known
        point, points = int(known.captain[cell]), int(known.points)
        ranked = []
        for other in range(SPAN, SPAN * (self.rows + 1)):
            if known.status[other] == EMPTY_CELL:
                first = int(known.pair_of[point * points + other]) * PAIR_NUMBERS
                last = int(known.pair_of[self.edge * points + other]) * PAIR_NUMBERS
                links = [min(int(known.pairs[at + FULLS]), 1) * 2 + (known.pairs[at + SEMIS] > 0) for at in (first, last)]
                ranked.append((-sum(links), -int(known.pairs[last + SEMIS]), other))
        return [1 << other for *_rank, other in sorted(ranked)[:WIDEST]]

    def minimal(self, black: int, cell: int, carrier: int, depth: int) -> tuple[int, int]:
        """As few stones and cells as possible with which the proof succeeds, everything else White's."""
        for bit in bits_of(black):
            if self.prove(black & ~bit, self.all & ~(black | carrier | 1 << cell) | bit, cell, depth) is not None:
                black &= ~bit
            elif self.prove(black & ~bit, self.all & ~(black | carrier | 1 << cell), cell, depth) is not None:
                black, carrier = black & ~bit, carrier | bit
        changed = True
        while changed:
            changed = False
            for bit in bits_of(carrier):
                if carrier & bit:
                    rest = self.prove(black, self.all & ~(black | carrier & ~bit | 1 << cell), cell, depth)
                    if rest is not None:
                        carrier, changed = rest, True
        return black, carrier


def bits_of(bits: int) -> Iterator[int]:
    while bits:
        yield bits & -bits
        bits &= bits - 1


def as_template(strip: Strip, black: int, cell: int, carrier: int) -> EdgeTemplate:
    column, height = strip.place(cell)

    def places(bits: int) -> frozenset[tuple[int, int]]:
        cells = (strip.place(bit.bit_length() - 1) for bit in bits_of(bits))
        return frozenset((c - column, h) for c, h in cells)

    template = EdgeTemplate(height, places(carrier), places(black))
    return min(template, template.mirrored(), key=template_text)


def random_position(strip: Strip, rng: random.Random) -> tuple[int, int]:
    """Stones on some cells of the strip: mostly White's."""
    white_share, black_share = rng.uniform(0.02, 0.4), rng.choice((0.0, 0.03, 0.08))
    black = white = 0
    for cell in range(SPAN, SPAN * (strip.rows + 1)):
        drawn = rng.random()
        if drawn < black_share:
            black |= 1 << cell
        elif drawn < black_share + white_share:
            white |= 1 << cell
    return black, white


def shaped_position(strip: Strip, rng: random.Random) -> tuple[int, int, int]:
    """A point in the highest row with a trapezoid of free cells below it, White around; the point may be a chain, and there may
    be single stones. Returns also the point's cell.
    """
    top, column = strip.rows - 1, rng.randrange(3, SPAN - 3)
    left = right = column
    chain = rng.choice((0, 0, 1, 1, 2))
    black, free = 0, 0
    for step in range(1, chain + 1):
        black |= strip.bit(min(column + step, SPAN - 1), top)
        right = min(column + step, SPAN - 1)
    for height in range(top, -1, -1):
        if height < top:
            left, right = left - 1 - rng.choice((0, 0, 1, 1, 2)), right + rng.choice((0, 0, 1, 1, 2))
        else:
            left, right = left - rng.choice((0, 0, 1, 2)), right + rng.choice((0, 0, 1, 2))
        left, right = max(left, 0), min(right, SPAN - 1)
        for place in range(left, right + 1):
            free |= strip.bit(place, height)
    stones = [bit for bit in bits_of(free & ~black & ~strip.bit(column, top)) if rng.random() < 0.06]
    for bit in stones:
        black, free = (black | bit, free) if rng.random() < 0.5 else (black, free & ~bit)
    return black, strip.all & ~(free | black), strip.bit(column, top).bit_length() - 1


def find_templates(
    rows: int,
    positions: int,
    depth: int,
    seed: int,
    shaped: bool,
    known: Sequence[EdgeTemplate],
    report: Callable[[str], object] = print,
) -> list[EdgeTemplate]:
    """More templates of up to so many rows, from so many random strips; `depth` as in `Strip.prove`.

    `shaped`: with one point and free cells below it, instead of stones anywhere.
    """
    rng = random.Random(seed)
    found = dict.fromkeys(known)
    strip = Strip(rows, list(found))
    fresh = 0
    for _ in range(positions):
        if shaped:
            black, white, only = shaped_position(strip, rng)
            points: Iterable[int] = [only]
        else:
            black, white = random_position(strip, rng)
            points = range(SPAN, SPAN * (rows + 1))
        strip.search(black, white)
        tried = [
            cell for cell in points if not white >> cell & 1 and not strip.carriers(cell, True) and strip.carriers(cell, False)
        ]
        for cell in tried:
            carrier = strip.prove(black & ~(1 << cell), white, cell, depth)
            if carrier is None:
                continue
            stones, carrier = strip.minimal(black & ~(1 << cell), cell, carrier, depth)
            template = as_template(strip, stones, cell, carrier)
            if carrier.bit_count() <= MOST_CELLS and template not in found:
                found[template] = None
                fresh += 1
        if fresh >= 10:
            strip, fresh = Strip(rows, list(found)), 0
    return list(found)


def irreducible(templates: Iterable[EdgeTemplate]) -> list[EdgeTemplate]:
    """Without those that follow from smaller ones by H-search."""
    kept: list[EdgeTemplate] = []
    for template in sorted(set(templates), key=lambda one: (len(one.carrier) + len(one.stones), template_text(one))):
        strip = Strip(max(height for _c, height in [(0, template.height), *template.carrier, *template.stones]) + 1, kept)
        shift = -min(0, *(column for column, _h in [*template.carrier, *template.stones]))
        cell = strip.bit(shift, template.height).bit_length() - 1
        black = sum(strip.bit(column + shift, height) for column, height in template.stones)
        free = sum(strip.bit(column + shift, height) for column, height in template.carrier)
        strip.search(black | 1 << cell, strip.all & ~(black | free | 1 << cell))
        if not strip.carriers(cell, True):
            kept.append(template)
    return kept


def generate(report: Callable[[str], object] = print) -> list[EdgeTemplate]:
    """The templates of the program, found anew by `PLAN`."""
    templates: list[EdgeTemplate] = []
    for number, (rows, strips, depth, shaped) in enumerate(PLAN):
        templates = irreducible(find_templates(rows, strips, depth, number, shaped, templates))
        report(f"{rows} rows, {strips} strips, depth {depth}, {'shaped' if shaped else 'random'}: {len(templates)} templates")
    return templates


def write_templates(path: Path, templates: Iterable[EdgeTemplate]) -> None:
    lines = ",\n".join(f"    {json.dumps(template_text(template))}" for template in templates)
    path.write_text(f'{{\n  "templates": [\n{lines}\n  ]\n}}\n', encoding="utf-8")

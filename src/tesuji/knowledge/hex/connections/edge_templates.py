"""Edge templates: shapes in which a stone is connected with an edge, found and proven beforehand (learn/hex_templates.py).

A template is written for the lower edge of a board on which Black joins top and bottom. Its cells are (column, height):
height 0 is the row at the edge, and the point that is connected is in column 0. In the next row up, a cell touches those of
its own column and of the column to the right. Example, the bridge to the edge:

        x          point (0, 1), carrier (-1, 0) (0, 0)
       . .

A template fits where no cell of it is the opponent's and its own stones are there. It fits as well mirrored, at the other edge,
and for the other colour. In a family one column without stones may be repeated any number of times: most are ladders.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import called_kernel
from tesuji.games.hex.state import BLACK
from tesuji.knowledge.hex.bitsets import bits_for, both, everything, is_empty, load, minus, within
from tesuji.knowledge.hex.connections.lists import enter_full
from tesuji.knowledge.hex.connections.points import NO_CAPTAIN, OPPONENT, OWN

FILE = Path(__file__).with_name("edge_templates.json")
INSTANCE_SETS = 2
WIDEST_BOARD = 19
CARRIER, STONES = 0, 1  # the sets of an instance; STONES: own stones that must be there
Place = tuple[int, int]  # column and height


class EdgeTemplate(NamedTuple):
    """The point is (0, height)."""

    height: int
    carrier: frozenset[Place]
    stones: frozenset[Place]
    repeated: int | None = None  # the column that may be repeated

    def mirrored(self) -> EdgeTemplate:
        def image(places: Iterable[Place]) -> frozenset[Place]:
            return frozenset((place[1] - place[0] - self.height, place[1]) for place in places)

        return EdgeTemplate(self.height, image(self.carrier), image(self.stones))

    def stretched(self, times: int) -> EdgeTemplate:
        """The member of the family that has its column so many times more."""
        column = self.repeated or 0  # never 0: there is the point

        def image(places: Iterable[Place]) -> frozenset[Place]:
            away = times if column > 0 else -times
            return frozenset((c + away if (c - column) * away > 0 else c, h) for c, h in places)

        more = (
            (column + (step if column > 0 else -step), h) for c, h in self.carrier if c == column for step in range(times + 1)
        )
        return EdgeTemplate(self.height, image(self.carrier) | frozenset(more), image(self.stones))

    def width(self) -> int:
        columns = [0, *(column for column, _height in [*self.carrier, *self.stones])]
        return max(columns) - min(columns) + 1

    def rows(self) -> int:
        return 1 + max(height for _column, height in [(0, self.height), *self.carrier, *self.stones])


class TemplateInstances(NamedTuple):
    """All places of the templates on boards of one size, for one colour or for both."""

    sets: np.ndarray  # flat: carrier and stones of each
    points: np.ndarray
    edges: np.ndarray  # the point number of the edge
    first: np.ndarray  # int64[3]: where those of Black begin, those of White, and the end


@cache
def edge_templates() -> tuple[EdgeTemplate, ...]:
    """The templates that come with the program, families member by member."""
    return tuple(member for template in written_templates() for member in expanded(template))


def written_templates(path: Path | None = None) -> list[EdgeTemplate]:
    """The same as they are in the file, or those of another one."""
    return [parse_template(text) for text in json.loads((path or FILE).read_text(encoding="utf-8"))["templates"]]


def expanded(template: EdgeTemplate, width: int = WIDEST_BOARD) -> list[EdgeTemplate]:
    """The members of a family that fit in so many columns; a template that is none is the only one."""
    if template.repeated is None:
        return [template]
    return [template.stretched(times) for times in range(width - template.width() + 1)]


def template_text(template: EdgeTemplate) -> str:
    """As in '1 -1,0 0,0' or '1 0,0 1,0 1,1 + 2,1 ~ 1': the height, the carrier, after a + the stones, after a ~ the column that
    may be repeated.
    """

    def listed(places: Iterable[Place]) -> list[str]:
        return [f"{column},{height}" for column, height in sorted(places, key=lambda place: (place[1], place[0]))]

    stones = ["+", *listed(template.stones)] if template.stones else []
    repeated = [] if template.repeated is None else ["~", str(template.repeated)]
    return " ".join([str(template.height), *listed(template.carrier), *stones, *repeated])


def parse_template(text: str) -> EdgeTemplate:
    text, _, repeated = text.partition(" ~ ")
    height, *words = text.split()
    places = [(0, 0) if word == "+" else (int(word.split(",")[0]), int(word.split(",")[1])) for word in words]
    cut = words.index("+") if "+" in words else len(words)
    column = int(repeated) if repeated else None
    return EdgeTemplate(int(height), frozenset(places[:cut]), frozenset(places[cut + 1 :]), column)


def instances(templates: Sequence[EdgeTemplate], width: int, height: int, colour: int) -> TemplateInstances:
    """The templates in all places of a board of this size, the smallest carriers first."""
    words = len(bits_for(width * height + 2))
    ordered = sorted(templates, key=lambda one: (len(one.carrier), template_text(one)))
    found = dict.fromkeys(placing for template in ordered for placing in _placings(template, width, height, colour))
    sets = np.zeros((len(found), INSTANCE_SETS, words), np.uint64)
    for number, (carrier, stones, _point, _edge) in enumerate(found):
        for word in range(words):
            sets[number, CARRIER, word] = carrier >> 64 * word & 0xFFFFFFFFFFFFFFFF
            sets[number, STONES, word] = stones >> 64 * word & 0xFFFFFFFFFFFFFFFF
    points = np.array([key[2] for key in found], np.int16)
    edges = np.array([key[3] for key in found], np.int16)
    first = np.array([0, len(found) if colour == BLACK else 0, len(found)])
    return TemplateInstances(sets.reshape(-1), points, edges, first)


def side_by_side(black: TemplateInstances, white: TemplateInstances) -> TemplateInstances:
    """Those of both colours."""
    first = np.array([0, len(black.points), len(black.points) + len(white.points)])
    sets, points, edges = (np.concatenate(pair) for pair in zip(black[:3], white[:3], strict=True))
    return TemplateInstances(sets, points, edges, first)


@cache
def _placings(template: EdgeTemplate, width: int, height: int, colour: int) -> list[tuple[int, int, int, int]]:
    """Carrier and stones as bits, point and edge, for each place on the board where the template has room."""
    along, deep = (width, height) if colour == BLACK else (height, width)
    found = []
    for shape in {template: None, template.mirrored(): None}:
        places = [(0, shape.height), *shape.carrier, *shape.stones]
        if max(place[1] for place in places) >= deep:
            continue
        left, right = min(place[0] for place in places), max(place[0] for place in places)
        for shift in range(-left, along - right):
            for edge in range(2):

                def cell(place: Place, shift: int = shift, edge: int = edge) -> int:
                    c, r = place[0] + shift, deep - 1 - place[1]
                    if edge == 0:
                        c, r = along - 1 - c, deep - 1 - r
                    return r * width + c if colour == BLACK else c * width + r

                carrier = sum(1 << cell(place) for place in shape.carrier)
                stones = sum(1 << cell(place) for place in shape.stones)
                found.append((carrier, stones, cell((0, shape.height)), width * height + edge))
    return found


@cache
def shipped_instances(width: int, height: int, colour: int) -> TemplateInstances:
    return instances(edge_templates(), width, height, colour)


@called_kernel
def add_templates(connections, fresh):
    """Adds the full connections of all templates that fit; of those with stones that have one among `fresh`, if that is a
    part of the board.
    """
    templates: Any = connections.templates
    own, opponent = load(connections.kind, connections.occupied, OWN), load(connections.kind, connections.occupied, OPPONENT)
    is_whole = within(everything(connections.kind), fresh)
    for number in range(templates.first[connections.colour], templates.first[connections.colour + 1]):
        carrier = load(connections.kind, templates.sets, number * INSTANCE_SETS + CARRIER)
        if not is_empty(both(carrier, opponent)):
            continue
        stones = load(connections.kind, templates.sets, number * INSTANCE_SETS + STONES)
        if not within(stones, own) or (not is_whole and is_empty(both(stones, fresh))):
            continue
        point, edge = np.int64(connections.captain[templates.points[number]]), np.int64(templates.edges[number])
        if point != NO_CAPTAIN and point != edge:
            enter_full(connections, point, edge, minus(carrier, own))

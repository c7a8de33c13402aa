"""Markup on the board in SGF: triangles, squares, circles, crosses, labels, arrows and lines of a node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tesuji.core.game import Game
from tesuji.core.picture.board import Point
from tesuji.io.sgf.conversion import board_point, point_texts
from tesuji.io.sgf.text import escaped, simple_text_of, split_composed

SHAPES = {"TR": "triangle", "SQ": "square", "CR": "circle", "MA": "cross", "SL": "square"}  # properties whose values are points
LABEL, LABELS = "label", "LB"
WAYS = {"AR": "arrow", "LN": "line"}  # from one point to another
WRITTEN = {"triangle": "TR", "square": "SQ", "circle": "CR", "cross": "MA"}
KINDS = (*WRITTEN, LABEL)  # what can be put at a point
LONGEST_LABEL = 20
MOST_WAYS = 200
Properties = Mapping[str, list[str]]


@dataclass(frozen=True)
class Markup:
    kind: str
    points: tuple[Point, ...]  # one, or the two ends of a way
    text: str = ""


def read_markup(properties: Properties, game: Game) -> list[Markup]:
    """The markup of a node, one mark a point. What cannot be read is left out."""
    found: dict[Point, Markup] = {}
    for name, kind in SHAPES.items():
        for value in properties.get(name, ()):
            for point in _points(game, value):
                found[point] = Markup(kind, (point,))
    for value in properties.get(LABELS, ()):
        parts = split_composed(value)
        point = None if parts is None else _point(game, parts[0])
        if parts is not None and point is not None:
            found[point] = Markup(LABEL, (point,), simple_text_of(parts[1])[:LONGEST_LABEL])
    ways = [
        Markup(kind, (ends[0], ends[1]))
        for name, kind in WAYS.items()
        for value in properties.get(name, ())[:MOST_WAYS]
        if (ends := _ends(game, value)) is not None
    ]
    return [*found.values(), *ways]


def put_mark(properties: dict[str, list[str]], game: Game, point: Point, kind: str, text: str = "") -> None:
    """Puts a mark of KINDS at a point in place of the one that is there; the same mark is taken away instead."""
    marks = {mark.points[0]: mark for mark in read_markup(properties, game) if len(mark.points) == 1}
    before, new = marks.pop(point, None), Markup(kind, (point,), text if kind == LABEL else "")
    if before is None or before.kind != kind or (kind == LABEL and before.text != text):
        marks[point] = new
    for name in (*SHAPES, LABELS):
        properties.pop(name, None)
    names = point_texts(game, [mark.points[0] for mark in marks.values()])
    for mark in marks.values():
        name = names[mark.points[0]]
        if mark.kind == LABEL:
            properties.setdefault(LABELS, []).append(f"{name}:{escaped(mark.text)}")
        else:
            properties.setdefault(WRITTEN[mark.kind], []).append(name)


def _point(game: Game, text: str) -> Point | None:
    return board_point(game, game.initial, text.strip())


def _ends(game: Game, value: str) -> tuple[Point, Point] | None:
    parts = split_composed(value)
    ends = None if parts is None else (_point(game, parts[0]), _point(game, parts[1]))
    return None if ends is None or ends[0] is None or ends[1] is None else (ends[0], ends[1])


def _points(game: Game, value: str) -> list[Point]:
    """One point, or all of a rectangle."""
    ends = _ends(game, value)
    if ends is None:
        point = _point(game, value)
        return [] if point is None else [point]
    (left, top), (right, bottom) = ends
    columns, rows = range(min(left, right), max(left, right) + 1), range(min(top, bottom), max(top, bottom) + 1)
    return [(column, row) for column in columns for row in rows]

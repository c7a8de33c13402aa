"""Pieces in a row, for games that are won by them."""

from __future__ import annotations

from collections.abc import Collection

from tesuji.core.picture.board import Point

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


def in_rows(points: Collection[Point], length: int) -> list[Point]:
    """The points that are part of a row of so many or more, across, up or diagonally."""
    taken, found = set(points), []
    for column, row in points:
        for right, up in DIRECTIONS:
            before = _run(taken, (column, row), -right, -up)
            if before + 1 + _run(taken, (column, row), right, up) >= length:
                found.append((column, row))
                break
    return found


def _run(points: set[Point], start: Point, right: int, up: int) -> int:
    """How many points follow on this one in that direction."""
    column, row = start
    count = 0
    while (column + right, row + up) in points:
        column, row, count = column + right, row + up, count + 1
    return count

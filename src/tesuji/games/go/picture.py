"""How Go is drawn: stones on the crossings of a wooden board, star points, letters without I."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tesuji.core.picture.drawing import BoardPlace, Picture, Piece, grid_labels, grid_lines
from tesuji.core.position import Position
from tesuji.games.go.text import COLUMNS, point_of, point_text, star_points, stones_of


def picture(size: int) -> Picture:
    lowest = size - 1
    places = [
        BoardPlace(point_text(c, r), c, lowest - r, lowest - r, c, "point") for r in range(lowest, -1, -1) for c in range(size)
    ]
    return Picture(
        "wood",
        left=-1.55,
        top=-0.8,
        width=size + 1.35,
        height=size + 1.1,
        places=tuple(places),
        pieces=pieces,
        at=places_of,
        territory=territory,
        caption=caption,
        ground=(-0.75, -0.75, size + 0.5, size + 0.5),
        lines=grid_lines(size, size),
        dots=tuple((column, lowest - row) for column, row in sorted(star_points(size))),
        labels=tuple(grid_labels(COLUMNS[:size], [str(row) for row in range(size, 0, -1)], beside=1.1, below=1.0)),
    )


def pieces(position: Position) -> Iterable[Piece]:
    for (column, row), player in stones_of(position.state).items():
        yield Piece(point_text(column, row), player)


def territory(state: Any) -> Iterable[tuple[str, int]]:
    """The empty points whose region reaches the stones of one player alone, as `scoring.py` counts them."""
    size, stones = int(state["size"]), stones_of(state)
    left = {(column, row) for column in range(size) for row in range(size)} - set(stones)
    while left:
        region, waiting, owners = set(), [left.pop()], set()
        while waiting:
            column, row = waiting.pop()
            region.add((column, row))
            for near in ((column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)):
                if near in stones:
                    owners.add(stones[near])
                elif near in left:
                    left.discard(near)
                    waiting.append(near)
        if len(owners) == 1:
            yield from ((point_text(*point), *owners) for point in sorted(region))


def places_of(state: Any, move: int) -> Sequence[str]:
    point = point_of(state, move)
    return () if point is None else (point_text(*point),)


def caption(position: Position) -> str:
    """Komi. Under area scoring nobody counts prisoners."""
    return f"komi {position.game.extra['komi']:g}"

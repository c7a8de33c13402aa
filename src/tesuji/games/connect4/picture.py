"""How Connect Four is drawn: discs behind a rack; a click anywhere in a column drops one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tesuji.core.picture.drawing import BoardPlace, Label, Picture, Piece
from tesuji.core.picture.rows import in_rows
from tesuji.core.position import Position
from tesuji.games.connect4.text import SIGNS, point_of, stones_of


def picture(width: int, height: int) -> Picture:
    return Picture(
        "rack",
        left=-0.75,
        top=-0.75,
        width=width + 0.5,
        height=height + 0.95,
        places=tuple(
            BoardPlace(cell_name(c, r), c, height - 1 - r, height - 1 - r, c)
            for r in range(height - 1, -1, -1)
            for c in range(width)
        ),
        pieces=pieces,
        at=places_of,
        won=won,
        area=lambda _state, move: [cell_name(move, row) for row in range(height)],
        colours=("red", "yellow"),
        signs=SIGNS,
        ground=(-0.6, -0.6, width + 0.2, height + 0.2),
        labels=tuple(Label(column, height - 0.12, str(column + 1)) for column in range(width)),
    )


def cell_name(column: int, row: int) -> str:
    """The column's number and the row from below, as in 4.1; the move itself is only the column."""
    return f"{column + 1}.{row + 1}"


def pieces(position: Position) -> Iterable[Piece]:
    for (column, row), player in stones_of(position.state).items():
        yield Piece(cell_name(column, row), player, sign=SIGNS[player], shape="disc")


def won(position: Position) -> Iterable[str]:
    stones, length = stones_of(position.state), int(position.state["length"])
    for player in (0, 1):
        for point in in_rows([point for point, owner in stones.items() if owner == player], length):
            yield cell_name(*point)


def places_of(state: Any, move: int) -> Sequence[str]:
    point = point_of(state, move)
    assert point is not None
    return (cell_name(*point),)

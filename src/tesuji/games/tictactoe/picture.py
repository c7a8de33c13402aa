"""How tic-tac-toe is drawn: signs in nine cells, row 1 at the top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tesuji.core.picture.drawing import BoardPlace, Picture, Piece, frame, grid_labels
from tesuji.core.picture.rows import in_rows
from tesuji.core.position import Position
from tesuji.games.tictactoe.text import move_text, stones_of

SIGNS = ("x", "o")


def picture() -> Picture:
    return Picture(
        "plain",
        *frame(3, 3),
        places=tuple(BoardPlace(move_text(None, cell), cell % 3, cell // 3, cell // 3, cell % 3) for cell in range(9)),
        pieces=pieces,
        at=places_of,
        won=won,
        colours=("blue", "orange"),
        signs=SIGNS,
        ground=(-0.5, -0.5, 3, 3),
        labels=tuple(grid_labels("abc", "123")),
    )


def pieces(position: Position) -> Iterable[Piece]:
    for (column, row), player in stones_of(position.state).items():
        yield Piece(move_text(None, 3 * row + column), player, sign=SIGNS[player], shape="glyph")


def won(position: Position) -> Iterable[str]:
    stones = stones_of(position.state)
    for player in (0, 1):
        for column, row in in_rows([point for point, owner in stones.items() if owner == player], 3):
            yield move_text(None, 3 * row + column)


def places_of(state: Any, move: int) -> Sequence[str]:
    return (move_text(state, move),)

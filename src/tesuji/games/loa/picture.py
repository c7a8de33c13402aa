"""How Lines of Action is drawn: a chequered board; a move goes from one square to another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tesuji.core.picture.drawing import BoardPlace, Picture, Piece, frame, grid_labels
from tesuji.core.position import Position
from tesuji.games.loa.lines import PASS
from tesuji.games.loa.text import COLUMNS, square_text, stones_of, target_square


def picture() -> Picture:
    return Picture(
        "chequered",
        *frame(8, 8),
        places=tuple(BoardPlace(square_text(8 * r + c), c, 7 - r, 7 - r, c) for r in range(7, -1, -1) for c in range(8)),
        pieces=pieces,
        at=places_of,
        won=won,
        input="from-to",
        ground=(-0.5, -0.5, 8, 8),
        labels=tuple(grid_labels(COLUMNS, [str(row) for row in range(8, 0, -1)])),
    )


def pieces(position: Position) -> Iterable[Piece]:
    for (column, row), player in stones_of(position.state).items():
        yield Piece(square_text(8 * row + column), player, shape="disc")


def won(position: Position) -> Iterable[str]:
    """The pieces of the winner, which hang together."""
    result = int(position.state["result"])
    for (column, row), player in stones_of(position.state).items():
        if result and player == (0 if result > 0 else 1):
            yield square_text(8 * row + column)


def places_of(state: Any, move: int) -> Sequence[str]:
    return () if move == PASS else (square_text(move >> 3), square_text(target_square(state, move)))

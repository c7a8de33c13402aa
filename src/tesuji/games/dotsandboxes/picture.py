"""How dots and boxes is drawn: edges between dots, and boxes in the colour of who closed them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tesuji.core.picture.drawing import BoardPlace, Picture, Piece
from tesuji.core.position import Position
from tesuji.games.dotsandboxes.text import SIGNS, move_text


def picture(state: Any) -> Picture:
    rows, columns = int(state["rows"]), int(state["columns"])
    edges = [_edge_place(state, move) for move in range(int(state["edges"]))]
    boxes = [
        BoardPlace(box_name(r, c), c + 0.5, r + 0.5, 2 * r + 1, 2 * c + 1, "box") for r in range(rows) for c in range(columns)
    ]
    return Picture(
        "paper",
        left=-0.6,
        top=-0.6,
        width=columns + 1.2,
        height=rows + 1.2,
        places=(*edges, *boxes),
        pieces=pieces,
        at=places_of,
        caption=caption,
        colours=("blue", "orange"),
        signs=SIGNS,
        ground=(-0.5, -0.5, columns + 1, rows + 1),
        dots=tuple((column, row) for row in range(rows + 1) for column in range(columns + 1)),
    )


def box_name(row: int, column: int) -> str:
    return f"box {row + 1}{column + 1}"


def _edge_place(state: Any, move: int) -> BoardPlace:
    columns, horizontals = int(state["columns"]), int(state["horizontals"])
    name = move_text(state, move)
    if move < horizontals:
        row, column = divmod(move, columns)
        return BoardPlace(name, column + 0.5, row, 2 * row, 2 * column + 1, "across")
    row, column = divmod(move - horizontals, columns + 1)
    return BoardPlace(name, column, row + 0.5, 2 * row + 1, 2 * column, "down")


def pieces(position: Position) -> Iterable[Piece]:
    state = position.state
    rows, columns, horizontals = int(state["rows"]), int(state["columns"]), int(state["horizontals"])
    across, down = (int(word) for word in state["drawn"])
    for box in range(rows * columns):
        for player in (0, 1):
            if int(state["owned"][player]) >> box & 1:
                yield Piece(box_name(*divmod(box, columns)), player, sign=SIGNS[player], shape="tile")
    for move in range(int(state["edges"])):
        if (across >> move if move < horizontals else down >> move - horizontals) & 1:
            yield Piece(move_text(state, move), None, "black", shape="line")


def places_of(state: Any, move: int) -> Sequence[str]:
    return (move_text(state, move),)


def caption(position: Position) -> str:
    first, second = (int(word).bit_count() for word in position.state["owned"])
    return f"boxes: Blue {first}, Orange {second}"

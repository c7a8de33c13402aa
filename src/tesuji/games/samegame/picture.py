"""How SameGame is drawn: coloured tiles with their numbers; a move is the whole group, and a click anywhere in it means it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tesuji.core.picture.drawing import BoardPlace, Picture, Piece, frame, grid_labels
from tesuji.core.position import Position
from tesuji.games.samegame.text import LETTERS, move_text

TILE_COLOURS = ("blue", "orange", "green", "red", "purple", "yellow", "pink", "grey", "brown")


def picture(state: Any) -> Picture:
    rows, columns = int(state["rows"]), int(state["columns"])
    return Picture(
        "plain",
        *frame(columns, rows),
        places=tuple(
            BoardPlace(move_text(state, c * rows + r), c, rows - 1 - r, rows - 1 - r, c)
            for r in range(rows - 1, -1, -1)
            for c in range(columns)
        ),
        pieces=pieces,
        at=places_of,
        caption=lambda position: f"score {int(position.state['score'])}",
        colours=("blue", "orange"),
        ground=(-0.5, -0.5, columns, rows),
        labels=tuple(grid_labels(LETTERS[:columns], [str(row) for row in range(rows, 0, -1)])),
    )


def pieces(position: Position) -> Iterable[Piece]:
    state = position.state
    for cell in range(int(state["rows"]) * int(state["columns"])):
        colour = int(state["cells"][cell])
        if colour:
            yield Piece(move_text(state, cell), None, TILE_COLOURS[colour - 1], str(colour), "tile")


def places_of(state: Any, move: int) -> Sequence[str]:
    """The cells of the group, the one that names the move first."""
    cells = range(int(state["rows"]) * int(state["columns"]))
    return [move_text(state, cell) for cell in cells if state["cells"][cell] and int(state["group"][cell]) == move]

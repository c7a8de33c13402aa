"""How Hex is drawn: a rhombus of hexagons with a corner at the top, and each player's two edges in his colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tesuji.core.drawing import BoardPlace, Border, Label, Picture, Piece
from tesuji.core.position import Position
from tesuji.games.hex.state import BLACK, MAY_SWAP, WHITE
from tesuji.games.hex.text import COLUMNS, cell_text, point_of, stones_of

RADIUS = 3**-0.5  # of a cell: neighbours are one unit apart
STEP = 1.5 * RADIUS  # from row to row
BAND = 0.34  # the width of a coloured edge


def picture(width: int, height: int) -> Picture:
    places = [BoardPlace(cell_text(c, r), c + r / 2, r * STEP, r, c, "hex") for r in range(height) for c in range(width)]
    left, right = -2.05, width - 1 + (height - 1) / 2 + 1.55
    top, bottom = -RADIUS - BAND - 0.75, (height - 1) * STEP + RADIUS + BAND + 0.2
    return Picture(
        "hex",
        left=left,
        top=top,
        width=right - left,
        height=bottom - top,
        places=tuple(places),
        pieces=pieces,
        at=places_of,
        caption=caption,
        labels=tuple(_labels(width, height)),
        borders=tuple(borders(width, height)),
    )


def pieces(position: Position) -> Iterable[Piece]:
    for (column, row), player in stones_of(position.state).items():
        yield Piece(cell_text(column, row), player, shape="disc")


def places_of(state: Any, move: int) -> Sequence[str]:
    point = point_of(state, move)
    return () if point is None else (cell_text(*point),)


def caption(position: Position) -> str:
    may_swap = int(position.state["swap"]) == MAY_SWAP and len(position.moves) == 1
    return "White may swap" if may_swap else ""


def _labels(width: int, height: int) -> Iterable[Label]:
    for column in range(width):
        yield Label(column - 0.55, -RADIUS - BAND - 0.35, COLUMNS[column])
    for row in range(height):
        yield Label(row / 2 - 1.3, row * STEP - 0.1, str(row + 1))


def borders(width: int, height: int) -> Iterable[Border]:
    """The four edges: inside along the cells, outside straight. At the sharp corners two edges meet in the middle of a side."""
    half, wide, high = RADIUS / 2, width - 1, height - 1
    end = high / 2  # how far the last row is to the right of the first
    low = high * STEP
    above, below = -RADIUS - BAND, low + RADIUS + BAND

    def on_left(y: float) -> tuple[float, float]:
        return -0.5 + (y - half) * RADIUS - BAND / (1.5 * RADIUS), y

    def on_right(y: float) -> tuple[float, float]:
        return wide + 0.5 + (y + half) * RADIUS + BAND / (1.5 * RADIUS), y

    top = [(c + dx, dy) for c in range(width) for dx, dy in ((-0.5, -half), (0, -RADIUS))]
    top.append((wide + 0.25, -0.75 * RADIUS))
    bottom = [(end + c + dx, low + dy) for c in range(width) for dx, dy in ((0, RADIUS), (0.5, half))]
    bottom.insert(0, (end - 0.25, low + 0.75 * RADIUS))
    left = [(r / 2 - 0.5, r * STEP + dy) for r in range(height) for dy in (-half, half)]
    left.append((end - 0.25, low + 0.75 * RADIUS))
    right = [(wide + r / 2 + 0.5, r * STEP + dy) for r in range(height) for dy in (-half, half)]
    right.insert(0, (wide + 0.25, -0.75 * RADIUS))
    yield Border(BLACK, "top", (*top, on_right(above), on_left(above)))
    yield Border(BLACK, "bottom", (*bottom, on_right(below), on_left(below)))
    yield Border(WHITE, "left", (*left, on_left(below), on_left(above)))
    yield Border(WHITE, "right", (*right, on_right(below), on_right(above)))

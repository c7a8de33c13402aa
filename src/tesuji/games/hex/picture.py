"""How Hex is drawn: a rhombus of hexagons with a corner at the top, and each player's two edges in his colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tesuji.core.picture.board import Point
from tesuji.core.picture.drawing import BoardPlace, Border, Label, Picture, Piece, Spot
from tesuji.core.position import Position
from tesuji.games.hex.state import BLACK, MAY_SWAP, WHITE
from tesuji.games.hex.text import COLUMNS, cell_text, point_of, stones_of

RADIUS = 3**-0.5  # of a cell: neighbours are one unit apart
STEP = 1.5 * RADIUS  # from row to row
BAND = 0.34  # the width of a coloured edge


def picture(width: int, height: int) -> Picture:
    places = [BoardPlace(cell_text(c, r), c + r / 2, r * STEP, r, c, "hex") for r in range(height) for c in range(width)]
    left, right = -2.0, width - 1 + (height - 1) / 2 + 1.2
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
        won=won,
        caption=caption,
        labels=tuple(_labels(width, height)),
        borders=tuple(borders(width, height)),
    )


def pieces(position: Position) -> Iterable[Piece]:
    for (column, row), player in stones_of(position.state).items():
        yield Piece(cell_text(column, row), player, shape="disc")


def won(position: Position) -> Iterable[str]:
    """A shortest chain of the winner's stones between his edges."""
    state = position.state
    winner = BLACK if int(state["winner"]) > 0 else WHITE
    last = (int(state["height"]) if winner == BLACK else int(state["width"])) - 1
    along = 1 if winner == BLACK else 0  # which coordinate goes from edge to edge
    stones = {point for point, owner in stones_of(state).items() if owner == winner}
    came_from: dict[Point, Point | None] = {point: None for point in sorted(stones) if point[along] == 0}
    waiting = list(came_from)
    for point in waiting:  # which grows meanwhile
        if point[along] == last:
            end: Point | None = point
            while end is not None:
                yield cell_text(*end)
                end = came_from[end]
            return
        for right, down in ((-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1)):
            near = (point[0] + right, point[1] + down)
            if near in stones and near not in came_from:
                came_from[near] = point
                waiting.append(near)


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
        yield Label(row / 2 - 1.5, row * STEP - 0.1, str(row + 1))


def borders(width: int, height: int) -> Iterable[Border]:
    """The four edges: inside along the cells, outside straight. Opposite edges are images of each other about the centre.

    At the sharp corner (top left) the frame is cut off; at the blunt one (top right) two edges meet in the middle of a side.
    """
    half, wide, high = RADIUS / 2, width - 1, height - 1
    end, low = high / 2, high * STEP  # how far the last row is to the right of the first, and below it
    above, below = -RADIUS - BAND, low + RADIUS + BAND

    def on_left(y: float) -> Spot:
        return -0.5 + (y - half) * RADIUS - BAND / (1.5 * RADIUS), y

    def turned(spots: Iterable[Spot]) -> tuple[Spot, ...]:
        return tuple((wide + end - x, low - y) for x, y in spots)

    cut, cut_left = (-0.72, above), on_left(-0.12)
    corner = ((cut[0] + cut_left[0]) / 2, (cut[1] + cut_left[1]) / 2)
    blunt = turned([on_left(below)])[0]  # the outer corner at the top right
    top: list[Spot] = [(c + dx, dy) for c in range(width) for dx, dy in ((-0.5, -half), (0.0, -RADIUS))]
    top += [(wide + 0.25, -0.75 * RADIUS), blunt, cut, corner]
    left: list[Spot] = [(r / 2 - 0.5, r * STEP + dy) for r in range(height) for dy in (-half, half)]
    left += [(end - 0.25, low + 0.75 * RADIUS), on_left(below), cut_left, corner]
    yield Border(BLACK, "top", tuple(top))
    yield Border(BLACK, "bottom", turned(top))
    yield Border(WHITE, "left", tuple(left))
    yield Border(WHITE, "right", turned(left))

"""Seki and semeai drawn as positions of Go: two facing strings, their liberties, and the living stones around them.

The strings lie across the board from edge to edge. Above and below, where the board goes on, are stones of the other colour
that are taken to be alive. So each open point is a liberty of just the strings that the problem says, by the rules of Go:

    row 0   White's living stones
    row 1   Black's outside liberties; a white stone where there is none
    row 2   Black's string
    row 3   shared liberties, in a seki with any; a black stone where there is none
    then    White's string, White's outside liberties, Black's living stones
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tesuji.core import rules
from tesuji.core.picture.drawing import BoardPlace, Mark, Picture, Piece
from tesuji.core.position import Position

BLACK, WHITE = 0, 1
NARROWEST = 5  # columns
CUT = 0.6  # how far lines run on beyond the last stones


def strings_picture(black: int, white: int, shared: int, move_text: Callable[[Any, int], str]) -> Picture:
    """A picture of so many outside liberties of each string and shared ones, which are numbered in this order."""
    columns = max(black, white, shared, NARROWEST)
    middle = [3] if shared else []
    rows = 6 + len(middle)
    liberty_rows = [(1, black), (rows - 2, white)] + [(row, shared) for row in middle]
    spots = [(column, row) for row, count in liberty_rows for column in _centred(count, columns)]
    fixed = {(column, row): player for row, player in _rows(rows, bool(shared)) for column in range(columns)}
    for spot in spots:
        fixed.pop(spot)
    names = {(column, row): f"column {column + 1}, row {row + 1}" for column in range(columns) for row in range(rows)}
    points = len(spots)
    strings = {BLACK: {2, *middle}, WHITE: {rows - 3}}

    def place_names(state: Any) -> dict[tuple[int, int], str]:
        return names | {spot: move_text(state, number) for number, spot in enumerate(spots)}

    def pieces(position: Position) -> Iterable[Piece]:
        winner = int(position.state["winner"])
        captured = strings[WHITE if winner > 0 else BLACK] if winner else set()
        loser = WHITE if winner > 0 else BLACK
        for spot, player in fixed.items():
            yield Piece(names[spot], player, faded=player == loser and spot[1] in captured)
        player = int(rules.to_play(position.begin))
        for move in position.move_numbers:  # players take turns, and every move is one of a point or none
            if move < points:
                yield Piece(move_text(position.state, move), player)
            player = 1 - player

    def marks(position: Position) -> Iterable[Mark]:
        for number in range(points):
            if int(position.state["open"]) >> number & 1:
                name = move_text(position.state, number)
                yield Mark(name, name)

    shown = place_names(_Sizes(black, white, shared))
    return Picture(
        "wood",
        left=-0.85,
        top=-0.95,
        width=columns + 0.7,
        height=rows + 0.9,
        places=tuple(BoardPlace(shown[c, r], c, r, r, c, "point") for r in range(rows) for c in range(columns)),
        pieces=pieces,
        at=lambda state, move: (move_text(state, move),) if move < points else (),
        marks=marks,
        caption=caption,
        ground=(-0.75, -0.85, columns + 0.5, rows + 0.7),
        lines=(
            *((0.0, float(row), columns - 1.0, float(row)) for row in range(rows)),
            *((float(column), 0.0, float(column), rows - 1.0) for column in range(columns)),
        ),
        faint_lines=tuple(
            (float(column), start, float(column), end)
            for column in range(columns)
            for start, end in ((-CUT, 0.0), (rows - 1.0, rows - 1 + CUT))
        ),
    )


class _Sizes(dict[str, Sequence[int]]):
    """All that names of points need to know of a state."""

    def __init__(self, black: int, white: int, shared: int):
        super().__init__(sizes=(black, white, shared) if shared else (black, white))


def _centred(count: int, columns: int) -> range:
    first = (columns - count) // 2
    return range(first, first + count)


def _rows(rows: int, has_shared: bool) -> list[tuple[int, int]]:
    """Which player's stones each row holds where there is no liberty."""
    middle = [(3, BLACK)] if has_shared else []
    return [(0, WHITE), (1, WHITE), (2, BLACK), *middle, (rows - 3, WHITE), (rows - 2, BLACK), (rows - 1, BLACK)]


def caption(position: Position) -> str:
    """How many liberties each string has."""
    state = position.state
    if "outside" in state.dtype.names:
        black, white = (int(count) + int(state["shared"]) for count in state["outside"])
    else:
        black, white = (int(count) for count in state["liberties"])
    return f"liberties: Black {black}, White {white}"

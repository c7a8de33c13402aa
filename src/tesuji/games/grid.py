"""A rectangular board as it is written, drawn in a terminal and in pictures, for games whose cells are numbered row by row.

Row 1 is at the bottom, or at the top with `from_top`. Cell 0 is a1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tesuji.core.picture.board import Board, Point
from tesuji.core.picture.drawing import BoardPlace, Picture, Piece, column_name, frame, grid_labels, grid_lines
from tesuji.core.position import Position
from tesuji.core.symmetry import cell_image

State = Any
NOBODY = 2  # the holder of a cell with a piece that is nobody's
SIGNS = "xo#"


@dataclass(frozen=True)
class Grid:
    columns: int
    rows: int
    holder: Callable[[State, int], int | None]  # of a cell: 0, 1, NOBODY, or None if it is empty
    from_top: bool = False

    @property
    def cells(self) -> int:
        return self.columns * self.rows

    # -- texts -------------------------------------------------------------------------------------------------------
    def name(self, cell: int) -> str:
        return f"{column_name(cell % self.columns)}{cell // self.columns + 1}"

    def names(self, *cells: int) -> str:
        """The cells of a move: a1-b2."""
        return "-".join(map(self.name, cells))

    @property
    def _rows_down(self) -> Sequence[int]:
        """The rows as they are seen, from the top."""
        return range(self.rows) if self.from_top else range(self.rows - 1, -1, -1)

    def draw(self, state: State) -> str:
        """The board in a terminal: x for player 0, o for player 1, # for what is nobody's."""
        wide = len(str(self.rows))
        lines = []
        for row in self._rows_down:
            holders = [self.holder(state, row * self.columns + column) for column in range(self.columns)]
            lines.append(f"{row + 1:>{wide}} " + " ".join("." if who is None else SIGNS[who] for who in holders))
        letters = " " * (wide + 1) + " ".join(column_name(column) for column in range(self.columns))
        return "\n".join([letters, *lines] if self.from_top else [*lines, letters])

    # -- boards of programs ------------------------------------------------------------------------------------------
    def point(self, cell: int) -> Point:
        return cell % self.columns, cell // self.columns

    def stones(self, state: State) -> dict[Point, int]:
        holders = {self.point(cell): self.holder(state, cell) for cell in range(self.cells)}
        return {point: who for point, who in holders.items() if who in (0, 1)}

    def board(self, captures: bool = True) -> Board:
        """For games whose moves are cells, and then perhaps others such as a pass."""
        letters = "".join(column_name(column) for column in range(self.columns))

        def point_of(_state: State, move: int) -> Point | None:
            return self.point(move) if move < self.cells else None

        return Board(self.columns, self.rows, self.stones, point_of, captures=captures, letters=letters, from_top=self.from_top)

    # -- pictures ----------------------------------------------------------------------------------------------------
    def picture(
        self, at: Callable[[State, int], Sequence[int]], on_lines: bool = False, piece: str = "disc", **more: Any
    ) -> Picture:
        """`at` gives the cells of a move; `more` is of `Picture`. With `on_lines` stones stand on the crossings of lines."""
        shape = "point" if on_lines else "cell"
        down = {row: place for place, row in enumerate(self._rows_down)}
        cells = [row * self.columns + column for row in self._rows_down for column in range(self.columns)]

        def place(cell: int) -> BoardPlace:
            column, row = self.point(cell)
            return BoardPlace(self.name(cell), column, down[row], down[row], column, shape)

        def pieces(position: Position) -> Iterable[Piece]:
            state = position.state
            for cell in cells:
                who = self.holder(state, cell)
                if who == NOBODY:
                    yield Piece(self.name(cell), colour="grey", shape="tile")
                elif who is not None:
                    yield Piece(self.name(cell), who, shape="stone" if on_lines else piece)

        letters = [column_name(column) for column in range(self.columns)]
        return Picture(
            **{
                "surface": "wood" if on_lines else "plain",
                "colours": ("black", "white") if on_lines else ("blue", "orange"),
                **dict(zip(("left", "top", "width", "height"), frame(self.columns, self.rows), strict=True)),
                "places": tuple(map(place, cells)),
                "pieces": pieces,
                "at": lambda state, move: tuple(map(self.name, at(state, move))),
                "ground": (-0.5, -0.5, self.columns, self.rows),
                "lines": grid_lines(self.columns, self.rows) if on_lines else (),
                "labels": tuple(grid_labels(letters, [str(row + 1) for row in self._rows_down])),
                **more,
            }
        )


def turned_steps(steps: Sequence[tuple[int, int]], images: int) -> tuple[tuple[int, ...], ...]:
    """By number of an image, where each of some steps (columns, rows) goes: how it exchanges policy planes."""
    turned = []
    for number in range(images):
        ends = [cell_image(4 + up, 4 + across, 8, 8, number) for across, up in steps]
        turned.append(tuple(steps.index((column - 4, row - 4)) for row, column in ends))
    return tuple(turned)

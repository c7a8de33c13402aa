"""A game on the points of a rectangular board, as SGF, GTP and board programs see it. Not every game has one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Point = tuple[int, int]  # column and row, both from 0; row 0 is at the bottom, so (0, 0) is A1
State = Any


@dataclass(frozen=True)
class Board:
    columns: int
    rows: int
    stones: Callable[[State], dict[Point, int]]  # occupied points and whose they are: player 0 or 1
    point: Callable[[State, int], Point | None]  # where a move puts its stone; None for a pass
    # (a state of the game, stones, player to move) -> a new state with just these stones; a UserError if there is none.
    set_up: Callable[[State, dict[Point, int], int], State] | None = None
    handicap: Callable[[int], list[Point]] | None = None  # the fixed points of a handicap; a UserError if it does not fit
    captures: bool = True  # stones may be taken off the board
    letters: str = "ABCDEFGHJKLMNOPQRSTUVWXYZ"  # of the columns in GTP
    from_top: bool = False  # rows are numbered from the top: SGF's two letters count them from the same side

    @classmethod
    def of_cells(cls, columns: int, rows: int, field: str, **others: Any) -> Board:
        """The board of a game whose moves are its cells, numbered row by row from the bottom left, and whose record has an
        array `field` with a number for each cell: 0 empty, else 1 + the player whose piece is there. A move that is no cell,
        as a pass, has a larger number. `others` are more fields of a Board."""

        def point(_state: State, move: int) -> Point | None:
            return (move % columns, move // columns) if 0 <= move < columns * rows else None

        def stones(state: State) -> dict[Point, int]:
            cells = state[field]
            return {
                (cell % columns, cell // columns): int(cells[cell]) - 1 for cell in range(columns * rows) if cells[cell] > 0
            }

        return cls(columns, rows, stones, point, **{"captures": False, **others})

    def name(self, point: Point) -> str:
        """A letter and a number."""
        return f"{self.letters[point[0]]}{point[1] + 1}"

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

    def name(self, point: Point) -> str:
        """A letter and a number."""
        return f"{self.letters[point[0]]}{point[1] + 1}"

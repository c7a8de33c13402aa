"""Boards of hexagons as they are written and drawn, for games on `chains.py`: columns are letters, rows numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tesuji.core.game import Game, copy_state
from tesuji.core.picture.drawing import BoardPlace, Label, Picture, Piece, column_name
from tesuji.core.position import Position
from tesuji.games.chains import point_of, put

State = Any
Cell = tuple[int, int]  # row and column
STEP = 3**0.5 / 2  # from row to row, where cells are one apart
SIGNS = ".xo"
NEIGHBOURS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1))  # as chains.py has them: rows and columns


@dataclass(frozen=True)
class Hexagons:
    columns: int  # a move is row * columns + column
    cells: Sequence[Cell]  # row by row from the top, each row half a cell to the left of the one above it

    @cached_property
    def _shift(self) -> float:
        return max(row / 2 - column for row, column in self.cells)

    def right(self, cell: Cell) -> float:
        """How far to the right a cell is seen."""
        return cell[1] - cell[0] / 2 + self._shift

    def name(self, cell: Cell) -> str:
        return f"{column_name(cell[1])}{cell[0] + 1}"

    def move_text(self, _state: State, move: int) -> str:
        return self.name(divmod(move, self.columns))

    def holder(self, state: State, cell: Cell) -> int | None:
        holder = int(state["holder"][point_of(*cell)]) - 1
        return None if holder < 0 else holder

    def draw(self, state: State) -> str:
        """The board in a terminal, each row with its number and the letter of its first column."""
        lines = []
        for row in sorted({row for row, _ in self.cells}):
            here = [cell for cell in self.cells if cell[0] == row]
            signs = " ".join(SIGNS[int(state["holder"][point_of(*cell)])] for cell in here)
            left = round(2 * self.right(here[0]))
            lines.append(f"{column_name(here[0][1])}{row + 1:<3}{' ' * left}{signs}")
        return "\n".join(lines)

    def won(self, position: Position) -> Iterable[str]:
        """The stones by which the game is won: those of the chain with the last one, without any that could be missing."""
        if not position.move_numbers or int(position.state["winner"]) == 0:
            return
        player = 0 if int(position.state["winner"]) > 0 else 1
        last = divmod(position.move_numbers[-1], self.columns)
        kept = chain = self._chain(position.state, player, last)
        for cell in chain[:0:-1]:  # the last stone is the first of them
            fewer = [other for other in kept if other != cell]
            if self._wins(position.game, player, fewer):
                kept = fewer
        yield from map(self.name, kept)

    def _chain(self, state: State, player: int, begin: Cell) -> list[Cell]:
        own = {cell for cell in self.cells if self.holder(state, cell) == player}
        found = [begin]
        for row, column in found:  # which grows meanwhile
            for down, right in NEIGHBOURS:
                near = (row + down, column + right)
                if near in own and near not in found:
                    found.append(near)
        return found

    def _wins(self, game: Game, player: int, cells: Iterable[Cell]) -> bool:
        """Whether these stones alone win."""
        state = copy_state(game.initial)
        with np.errstate(over="ignore"):  # hashes wrap, on purpose
            for row, column in cells:
                put(state, player, row, column)
        return int(state["winner"]) != 0

    def picture(self, **more: Any) -> Picture:
        spots = {cell: (self.right(cell), cell[0] * STEP) for cell in self.cells}
        right, low = max(x for x, _ in spots.values()), max(y for _, y in spots.values())

        def pieces(position: Position) -> Iterable[Piece]:
            for cell in self.cells:
                who = self.holder(position.state, cell)
                if who is not None:
                    yield Piece(self.name(cell), who, shape="disc")

        def labels() -> Iterable[Label]:
            """The name of the first cell of each row, beside it."""
            for row in {row: None for row, _ in self.cells}:
                first = min(cell for cell in self.cells if cell[0] == row)
                x, y = spots[first]
                yield Label(x - 1, y, self.name(first))

        return Picture(
            "hex",
            left=-1.7,
            top=-0.8,
            width=right + 2.6,
            height=low + 1.6,
            places=tuple(BoardPlace(self.name(cell), *spots[cell], *cell, "hex") for cell in self.cells),
            pieces=pieces,
            at=lambda state, move: (self.move_text(state, move),),
            labels=tuple(labels()),
            won=self.won,
            **more,
        )

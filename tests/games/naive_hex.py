"""Hex once more, as plainly as possible: a dictionary of stones and a union-find over cells and edges. For the tests only."""

from __future__ import annotations

Cell = tuple[int, int]  # column and row, row 0 at the top
AROUND = ((-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1))


class NaiveHex:
    def __init__(self, width: int, height: int, swap: bool = False):
        self.width, self.height, self.swap = width, height, swap
        self.stones: dict[Cell, int] = {}
        self.player = 0
        self.plies = 0
        self.winner: int | None = None
        self._parent: dict[object, object] = {}

    def moves(self) -> list[str]:
        if self.winner is not None:
            return []
        cells = [(c, r) for r in range(self.height) for c in range(self.width) if (c, r) not in self.stones]
        return [name(cell) for cell in cells] + (["swap-pieces"] if self.swap and self.plies == 1 else [])

    def play(self, text: str) -> None:
        if text == "swap-pieces":
            ((column, row),) = self.stones
            self.stones, self._parent = {}, {}
            self._put((row, column))
        else:
            self._put((ord(text[0]) - ord("a"), int(text[1:]) - 1))
        self.player = 1 - self.player
        self.plies += 1

    def _put(self, cell: Cell) -> None:
        self.stones[cell] = self.player
        column, row = cell
        for across, down in AROUND:
            near = (column + across, row + down)
            if self.stones.get(near) == self.player:
                self._join(cell, near)
        place, last = (row, self.height - 1) if self.player == 0 else (column, self.width - 1)
        if place == 0:
            self._join(cell, (self.player, "first edge"))
        if place == last:
            self._join(cell, (self.player, "second edge"))
        if self._root((self.player, "first edge")) == self._root((self.player, "second edge")):
            self.winner = self.player

    def _join(self, one: object, other: object) -> None:
        if self._root(one) != self._root(other):
            self._parent[self._root(one)] = self._root(other)

    def _root(self, item: object) -> object:
        while item in self._parent:
            item = self._parent[item]
        return item


def name(cell: Cell) -> str:
    return f"{chr(ord('a') + cell[0])}{cell[1] + 1}"

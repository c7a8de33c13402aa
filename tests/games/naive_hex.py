"""Hex once more, as plainly as possible: a dictionary of stones and a union-find over cells and edges. For the tests only."""

from __future__ import annotations

import functools

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


class NaiveSolver:
    """Who wins small boards, by trying everything. Stones are sets of cells as bits; cell (c, r) is bit r * width + c."""

    def __init__(self, width: int, height: int):
        cells = [(c, r) for r in range(height) for c in range(width)]
        bit = {cell: 1 << number for number, cell in enumerate(cells)}
        self.cells = [
            bit[cell] for cell in sorted(cells, key=lambda cell: abs(2 * cell[0] - width + 1) + abs(2 * cell[1] - height + 1))
        ]
        self.bit = bit
        self.near = {bit[c, r]: sum(bit.get((c + a, r + d), 0) for a, d in AROUND) for c, r in cells}
        top, bottom = (sum(bit[c, r] for c in range(width)) for r in (0, height - 1))
        left, right = (sum(bit[c, r] for r in range(height)) for c in (0, width - 1))
        self.edges = ((top, bottom), (left, right))
        self._known: dict[tuple[int, int, int], bool] = {}

    def is_joined(self, stones: int, player: int) -> bool:
        first, second = self.edges[player]
        return bool(self._reached(stones, first) & second)

    def _reached(self, stones: int, edge: int) -> int:
        """The stones that are joined with an edge."""
        reached = frontier = stones & edge
        while frontier:
            cell = frontier & -frontier
            frontier ^= cell
            new = self.near[cell] & stones & ~reached
            reached |= new
            frontier |= new
        return reached

    def mover_wins(self, black: int, white: int, player: int) -> bool:
        """Whether the player to move wins; nobody has yet."""
        key = (black, white, player)
        if key not in self._known:
            self._known[key] = self._search(black, white, player)
        return self._known[key]

    def _search(self, black: int, white: int, player: int) -> bool:
        own = white if player else black
        free = [cell for cell in self.cells if not cell & (black | white)]
        # A stone wins at once if it is at each edge, or next to what reaches it: one walk from each, not one for each cell.
        (first, from_first), (second, from_second) = ((edge, self._reached(own, edge)) for edge in self.edges[player])
        for cell in free:
            near = self.near[cell]
            if (cell & first or near & from_first) and (cell & second or near & from_second):
                return True
        for cell in free:
            after = (black, white | cell) if player else (black | cell, white)
            if not self.mover_wins(*after, 1 - player):
                return True
        return False

    def winning_openings(self) -> set[str]:
        return {name(cell) for cell, bit in self.bit.items() if self.is_joined(bit, 0) or not self.mover_wins(bit, 0, 1)}


@functools.cache
def winning_openings(width: int, height: int) -> frozenset[str]:
    """Worked out once, since all of 4x4 takes seconds."""
    return frozenset(NaiveSolver(width, height).winning_openings())

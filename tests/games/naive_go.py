"""Go written a second time, as plainly as possible, to check the fast rules by. Shares no code and no ideas with them.

A position is a dictionary of stones; strings, liberties and regions are found by searching the whole board at every move.
"""

from __future__ import annotations

Point = tuple[int, int]


class NaiveGo:
    """A game in progress. Points are (column, row) from 0, players 0 and 1, None is a pass."""

    def __init__(self, size: int, komi: float = 7.5, superko: bool = False):
        self.size, self.komi, self.superko = size, komi, superko
        self.stones: dict[Point, int] = {}
        self.player = 0
        self.passes = 0
        self.plies = 0
        self.forbidden: Point | None = None  # by ko
        self._found: list[tuple[set[Point], set[Point]]] | None = None  # the strings of this position, once looked for
        self.earlier: set[frozenset] = {frozenset()}
        self.near = {p: self._neighbours(*p) for p in self.points()}

    def points(self) -> list[Point]:
        return [(column, row) for row in range(self.size) for column in range(self.size)]

    def _neighbours(self, column: int, row: int) -> list[Point]:
        around = [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
        return [(c, r) for c, r in around if 0 <= c < self.size and 0 <= r < self.size]

    def string(self, board: dict[Point, int], point: Point) -> tuple[set[Point], set[Point]]:
        """The string of the stone on `point`, and its liberties."""
        stones, liberties, waiting = {point}, set(), [point]
        while waiting:
            for near in self.near[waiting.pop()]:
                if near not in board:
                    liberties.add(near)
                elif board[near] == board[point] and near not in stones:
                    stones.add(near)
                    waiting.append(near)
        return stones, liberties

    def result(self, point: Point) -> tuple[dict[Point, int], set[Point]] | None:
        """The board after a stone on `point` and what it captures; None if it is not legal."""
        if point in self.stones or point == self.forbidden:
            return None
        board = {**self.stones, point: self.player}
        captured: set[Point] = set()
        for near in self.near[point]:
            if board.get(near) == 1 - self.player and near not in captured:
                stones, liberties = self.string(board, near)
                if not liberties:
                    captured |= stones
        for stone in captured:
            del board[stone]
        if not self.string(board, point)[1]:
            return None
        if self.superko and frozenset(board.items()) in self.earlier:
            return None
        return board, captured

    def strings(self) -> list[tuple[set[Point], set[Point]]]:
        """Every string on the board with its liberties."""
        if self._found is None:
            self._found, seen = [], set()
            for point in self.stones:
                if point not in seen:
                    self._found.append(self.string(self.stones, point))
                    seen |= self._found[-1][0]
        return self._found

    def legal(self) -> list[Point]:
        """Where the player may put a stone. What `result` would say for every point, with the strings found only once."""
        at_risk: dict[Point, set[Point]] = {}
        for stones, liberties in self.strings():
            at_risk.update(dict.fromkeys(stones, liberties if len(liberties) == 1 else set()))
        legal = []
        for point in self.points():
            if point in self.stones or point == self.forbidden:
                continue
            for near in self.near[point]:
                if near not in self.stones or (self.stones[near] == self.player) != bool(at_risk[near]):
                    if not self.superko or self.result(point) is not None:
                        legal.append(point)
                    break
        return legal

    def play(self, point: Point | None) -> set[Point]:
        """Plays a legal move; returns the captured stones."""
        self.plies += 1
        self.forbidden = self._found = None
        captured: set[Point] = set()
        if point is None:
            self.passes += 1
        else:
            made = self.result(point)
            assert made is not None
            self.stones, captured = made
            self.passes = 0
            own, liberties = self.string(self.stones, point)
            if len(captured) == 1 and len(own) == 1 and liberties == captured:
                (self.forbidden,) = captured
            if self.superko:
                self.earlier.add(frozenset(self.stones.items()))
        self.player = 1 - self.player
        return captured

    def over(self) -> bool:
        return self.passes == 2 or self.plies == 6 * self.size**2 + 60

    def score(self) -> float:
        """Black's area minus White's minus komi."""
        area = [sum(1 for owner in self.stones.values() if owner == player) for player in (0, 1)]
        seen: set[Point] = set()
        for start in self.points():
            if start in self.stones or start in seen:
                continue
            region, owners, waiting = {start}, set(), [start]
            while waiting:
                for near in self.near[waiting.pop()]:
                    if near in self.stones:
                        owners.add(self.stones[near])
                    elif near not in region:
                        region.add(near)
                        waiting.append(near)
            seen |= region
            if len(owners) == 1:
                area[owners.pop()] += len(region)
        return area[0] - area[1] - self.komi

    def strings_in_atari(self) -> set[frozenset[Point]]:
        return {frozenset(stones) for stones, liberties in self.strings() if len(liberties) == 1}

"""Second implementations of rules: boards as dictionaries from (column, row) to a player, as short as they can be.

A naive game has `player`, `moves()` (a dictionary from the text of each legal move to what it does), and `result()`, the
outcome or None as long as the game goes on.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tesuji.core import rules
from tesuji.core.game import copy_state

SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))
AROUND = (*SIDES, (1, 1), (1, -1), (-1, 1), (-1, -1))


def name(cell: tuple[int, int]) -> str:
    return f"{'abcdefghijklmnopqrst'[cell[0]]}{cell[1] + 1}"


def agree_with_naive(game, make: Callable[[], Any], games: int, seed: int = 1) -> None:
    """Random games have the same moves, turns and outcomes; the hash is that of what the naive game calls its position."""
    chooser = random.Random(seed)
    hashes: dict[Any, int] = {}
    for _ in range(games):
        state, naive = game.new_state(), make()
        while naive.result() is None:
            assert not rules.is_over(state)
            assert int(rules.to_play(state)) == naive.player
            moves = naive.moves()
            legal = {game.text(state, move): move for move in game.legal_moves(state)}
            assert legal.keys() == moves.keys()
            key = (naive.player, naive.position())
            assert hashes.setdefault(key, int(rules.position_hash(state))) == int(rules.position_hash(state))
            text = chooser.choice(sorted(moves))
            rules.play(state, legal[text])
            moves[text]()
        assert rules.is_over(state) and int(rules.outcome(state)) == naive.result()
    assert len(set(hashes.values())) == len(hashes)


def perft(game, depth: int, state: Any = None) -> int:
    """How many lines of so many moves there are."""
    state = game.new_state() if state is None else state
    if depth == 0:
        return 1
    count = 0
    for move in game.legal_moves(state):
        child = copy_state(state)
        rules.play(child, move)
        count += perft(game, depth - 1, child)
    return count


class NaiveBoard:
    def __init__(self, columns: int, rows: int):
        self.cells = [(column, row) for row in range(rows) for column in range(columns)]
        self.columns, self.rows = columns, rows
        self.at: dict[tuple[int, int], int] = {}
        self.player = 0

    def position(self) -> Any:
        return frozenset(self.at.items())

    def free(self) -> list[tuple[int, int]]:
        return [cell for cell in self.cells if cell not in self.at]

    def beside(self, cell, steps=SIDES):
        return [at for dx, dy in steps if (at := (cell[0] + dx, cell[1] + dy)) in self.cells]

    def turn(self) -> None:
        self.player = 1 - self.player


class NaiveOthello(NaiveBoard):
    def __init__(self, size: int):
        super().__init__(size, size)
        low, high = size // 2 - 1, size // 2
        self.at = {(low, low): 1, (high, high): 1, (low, high): 0, (high, low): 0}

    def turned(self, cell, player):
        turned = []
        for dx, dy in AROUND:
            run, (x, y) = [], (cell[0] + dx, cell[1] + dy)
            while self.at.get((x, y)) == 1 - player:
                run.append((x, y))
                x, y = x + dx, y + dy
            turned += run if self.at.get((x, y)) == player else []
        return turned

    def open(self, player):
        return [cell for cell in self.free() if self.turned(cell, player)]

    def put(self, cell) -> None:
        self.at |= dict.fromkeys([cell, *self.turned(cell, self.player)], self.player)
        self.turn()

    def moves(self):
        return {name(cell): lambda cell=cell: self.put(cell) for cell in self.open(self.player)} or {"pass": self.turn}

    def result(self):
        if self.open(0) or self.open(1):
            return None
        return sum(1 - 2 * player for player in self.at.values())


class NaiveDomineering(NaiveBoard):
    def moves(self):
        dx, dy = ((0, 1), (1, 0))[self.player]
        pairs = [((x, y), (x + dx, y + dy)) for x, y in self.cells]
        return {
            "-".join(map(name, pair)): lambda pair=pair: self.put(pair)
            for pair in pairs
            if pair[1] in self.cells and not self.at.keys() & set(pair)
        }

    def put(self, pair) -> None:
        self.at |= dict.fromkeys(pair, 0)  # whose it is does not matter
        self.turn()

    def result(self):
        return None if self.moves() else 2 * self.player - 1


class NaiveNoGo(NaiveBoard):
    def has_liberty(self, cell) -> bool:
        group, waiting = {cell}, [cell]
        while waiting:
            for near in self.beside(waiting.pop()):
                if near not in self.at:
                    return True
                if self.at[near] == self.at[cell] and near not in group:
                    group.add(near)
                    waiting.append(near)
        return False

    def is_legal(self, cell) -> bool:
        self.at[cell] = self.player
        legal = all(self.has_liberty(stone) for stone in self.at)
        del self.at[cell]
        return legal

    def put(self, cell) -> None:
        self.at[cell] = self.player
        self.turn()

    def moves(self):
        return {name(cell): lambda cell=cell: self.put(cell) for cell in self.free() if self.is_legal(cell)}

    def result(self):
        return None if self.moves() else 2 * self.player - 1


class NaiveAtaxx(NaiveBoard):
    def __init__(self, size: int):
        super().__init__(size, size)
        last = size - 1
        self.at = {(0, 0): 1, (last, last): 1, (last, 0): 0, (0, last): 0}
        self.quiet = 0

    def position(self):
        return super().position(), self.quiet

    def go(self, origin, target) -> None:
        self.quiet += 1
        if target is not None:
            if origin is None:
                self.quiet = 0
            else:
                del self.at[origin]
            self.at[target] = self.player
            self.at |= {near: self.player for near in self.beside(target, AROUND) if near in self.at}
        self.turn()

    def moves(self):
        found = {}
        for origin in (cell for cell, player in self.at.items() if player == self.player):
            for target in self.free():
                away = max(abs(origin[0] - target[0]), abs(origin[1] - target[1]))
                if away == 1:
                    found[name(target)] = lambda target=target: self.go(None, target)
                elif away == 2:
                    found[f"{name(origin)}-{name(target)}"] = lambda origin=origin, target=target: self.go(origin, target)
        return found or {"pass": lambda: self.go(None, None)}

    def result(self):
        goes_on = self.free() and len({*self.at.values()}) == 2 and self.quiet < 50
        return None if goes_on else sum(1 - 2 * player for player in self.at.values())

"""Virtual connections for the writer of certificates: those of a position in which the opponent has all but some cells.

Nothing here needs to be trusted: the writer breaks each connection down into steps that a checker follows (docs/proofs.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core.game import Game
from tesuji.core.numba.registration import compiled
from tesuji.games.hex.state import empty_board
from tesuji.knowledge.hex.connections.build import build, new_connections
from tesuji.knowledge.hex.connections.lists import ARENA_USED, FULLS, FULLS_AT, PAIR_NUMBERS, PAIRS_USED, SEMIS, SEMIS_AT

WORD = 64


def build_position(connections, state):
    """An entry kernel."""
    build(connections, state)


class ConnectionFinder:
    """Builds the connections of one player in positions. Sets of cells are whole numbers, a bit for each cell."""

    def __init__(self, game: Game, player: int, pure: bool):
        width, height = int(game.initial["width"]), int(game.initial["height"])
        self._player = player
        self._width, self._height = width, height
        self._connections = new_connections(width, height, player)
        self._board = empty_board(width, height)
        self._build = np.errstate(over="ignore")(build_position) if pure else compiled(build_position)

    def carriers(self, own: int, free: int) -> Carriers:
        """The carriers of the connections with own stones on `own`, where the opponent has all cells that are not `free`."""
        row_mask = (1 << self._width) - 1
        for row in range(self._height):
            mine, open_ = own >> row * self._width & row_mask, free >> row * self._width & row_mask
            self._board["stones"][self._player, row] = mine
            self._board["stones"][1 - self._player, row] = row_mask & ~(mine | open_)
        self._build(self._connections, self._board)
        return Carriers(self._connections)


class Carriers:
    """The carriers of one position: copies, which the next position does not change."""

    def __init__(self, connections: Any):
        self._points = int(connections.points)
        self._words = len(connections.kind)
        self._captain = connections.captain.tolist()
        self._pair_of = connections.pair_of.copy()
        self._pairs = connections.pairs[: int(connections.counts[PAIRS_USED]) * PAIR_NUMBERS].copy()
        self._arena = connections.arena[: int(connections.counts[ARENA_USED]) * self._words].copy()
        self._read: dict[tuple[int, int, int], list[int]] = {}

    def fulls(self, one: int, other: int) -> list[int]:
        """Carriers of the full connections of two points, the smallest first: cells, or -1 and -2 for the player's edges."""
        return self._carriers(one, other, FULLS_AT, FULLS)

    def semis(self, one: int, other: int) -> list[int]:
        """The same for the semi connections."""
        return self._carriers(one, other, SEMIS_AT, SEMIS)

    def _carriers(self, one: int, other: int, at: int, count: int) -> list[int]:
        cells = self._points - 2
        x, y = (int(self._captain[point if point >= 0 else cells - 1 - point]) for point in (one, other))
        key = (x, y, at) if x < y else (y, x, at)
        if key not in self._read:
            first = int(self._pair_of[x * self._points + y]) * PAIR_NUMBERS
            found = []
            for i in range(int(self._pairs[first + count])):
                place = (int(self._pairs[first + at]) + i) * self._words
                words = self._arena[place : place + self._words].tolist()
                found.append(sum(word << WORD * number for number, word in enumerate(words)))
            self._read[key] = sorted(found, key=int.bit_count)
        return self._read[key]

"""All that is known of one position of Hex without a search, for whoever looks at it: fills, inferior cells, connections, where
to move, who wins.

It is what a study of a node knows, by the same kernel (assessment.py). Everything is about the board with the filled cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tesuji.core.game import State, copy_state
from tesuji.core.numba.registration import compiled
from tesuji.core.picture.board import Point
from tesuji.games.hex.state import BLACK, WHITE
from tesuji.games.hex.text import stones_of
from tesuji.knowledge.hex.assessment import (
    FILLED,
    MOVER_CONNECTED,
    NOTHING_LEFT,
    OPEN,
    OPPONENT_CONNECTED,
    THREATS_UNMET,
    assess,
)
from tesuji.knowledge.hex.connections.build import build, new_connections
from tesuji.knowledge.hex.connections.edge_to_edge import NO_KEY_CELL, key_of, mustplay
from tesuji.knowledge.hex.connections.listing import carriers
from tesuji.knowledge.hex.connections.lists import EMPTY_CELL, FULLS, JOINED, SEMIS, Connections, pair_at
from tesuji.knowledge.hex.geometry import cell_of_place, place_of
from tesuji.knowledge.hex.inferior.board import (
    BY_WINDOW,
    CAPTURED_BY_GRAPH,
    CLOSED_CARRIER,
    CUT_OFF,
    DEAD_BY_GRAPH,
    DEAD_BY_RING,
    WORK,
)
from tesuji.knowledge.hex.inferior.pruning import DOMINATED, KEPT, prune_inferior
from tesuji.knowledge.hex.inferior.windows import window_tables

DEAD, CAPTURED, CUT = "dead", "captured", "cut off"
REASONS = {
    DEAD_BY_RING: (DEAD, "by the cells around it"),
    BY_WINDOW: (CAPTURED, "in a window of up to four cells"),
    DEAD_BY_GRAPH: (DEAD, "a path through it has a short cut"),
    CAPTURED_BY_GRAPH: (CAPTURED, "one of a pair, of which each answers the other"),
    CUT_OFF: (CUT, "behind the liberties of one chain"),
    CLOSED_CARRIER: (CAPTURED, "in the carrier of a connection that leads nowhere else"),
}
HOW = {
    FILLED: "joined by stones and filled cells",
    OPPONENT_CONNECTED: "a full connection from edge to edge",
    MOVER_CONNECTED: "a semi connection from edge to edge, and the first move",
    THREATS_UNMET: "no move meets all threats",
    NOTHING_LEFT: "no move that meets all threats is worth considering",
}
EDGES = (("top", "bottom"), ("left", "right"))  # of Black and White, as their points are numbered


class Fill(NamedTuple):
    player: int
    kind: str  # DEAD, CAPTURED (or permanently inferior), CUT
    why: str


class Inferior(NamedTuple):
    dominated: bool  # else reversible
    by: Point  # the dominating cell; or that of the opponent's answer


class Connection(NamedTuple):
    full: bool
    carrier: tuple[Point, ...]
    key: Point | None  # of a semi connection: the cell that makes it full, if it is known


@dataclass(frozen=True)
class Decided:
    winner: int
    how: str


def assess_fully(windows, work, marks, board, mover, own, other):
    """The assessment, and of a decided game what it leaves out, as far as there is such. An entry kernel."""
    decided = assess(windows, work, marks, board, mover, own, other, True)
    if decided != OPEN:
        build(other, board)
        build(own, board)
        mustplay(other, marks)
    if decided not in (OPEN, FILLED, NOTHING_LEFT):
        prune_inferior(windows, work, mover)
    return decided


class AssessedPosition:
    """What is known of a position in which nobody has won yet, for `mover`, who need not be the one whose turn it is."""

    def __init__(self, state: State, mover: int | None = None):
        self.mover = int(state["to_play"]) if mover is None else mover
        self.width, self.height = int(state["width"]), int(state["height"])
        self.filled = copy_state(state)  # the position with the filled cells
        self._stones = stones_of(state)
        self._work = np.zeros(1, WORK)[0]
        self._marks = np.zeros(self.width * self.height, np.int64)
        self._connections = tuple(new_connections(self.width, self.height, player) for player in (BLACK, WHITE))
        own, other = self._connections[self.mover], self._connections[1 - self.mover]
        self._decided = int(
            compiled(assess_fully)(window_tables(), self._work, self._marks, self.filled, np.int64(self.mover), own, other)
        )

    @cached_property
    def fills(self) -> dict[Point, Fill]:
        """The cells that were filled, by rows."""
        reasons = self._work["why"]
        return {
            cell: Fill(player, *REASONS[int(reasons[place_of(*cell)])])
            for cell, player in sorted(stones_of(self.filled).items(), key=lambda item: item[0][::-1])
            if cell not in self._stones
        }

    @cached_property
    def winner(self) -> int | None:
        """Who has joined his edges on the filled board."""
        return {0: None, 1: BLACK, -1: WHITE}[int(self.filled["winner"])]

    @cached_property
    def empty(self) -> list[Point]:
        """The cells that are left, by rows."""
        stones = stones_of(self.filled)
        return [cell for cell in map(self.cell, range(self.width * self.height)) if cell not in stones]

    @cached_property
    def inferior(self) -> dict[Point, Inferior]:
        """The empty cells that the mover need not consider."""
        if self.winner is not None:
            return {}
        pruned, leader = self._work["pruned"], self._work["leader"]
        places = {cell: place_of(*cell) for cell in self.empty}
        return {
            cell: Inferior(bool(pruned[place] == DOMINATED), cell_of_place(int(leader[place])))
            for cell, place in places.items()
            if pruned[place] != KEPT
        }

    # -- connections -----------------------------------------------------------------------------------------------------------
    def connections(self, player: int) -> Connections:
        """The player's connections."""
        return self._connections[player]

    def is_joined(self, player: int) -> bool:
        """Whether the player's stones reach from edge to edge."""
        return bool(self.connections(player).counts[JOINED])

    @property
    def edges(self) -> tuple[int, int]:
        """The numbers of a player's edges among his points, in the order of EDGES."""
        return self.width * self.height, self.width * self.height + 1

    def number(self, cell: Point) -> int:
        return cell[1] * self.width + cell[0]

    def captain(self, player: int, point: int) -> int:
        """The point that stands for this one in the player's connections; -1 for an opponent's stone."""
        return int(self.connections(player).captain[point])

    def between(self, player: int, x: int, y: int, full: bool) -> list[Connection]:
        """The player's full, or semi, connections of two points (captains), the smallest first."""
        connections = self.connections(player)
        found = []
        for number, carrier in enumerate(carriers(connections, x, y, full)):
            key = NO_KEY_CELL if full else int(key_of(connections, x, y, number))
            found.append(Connection(full, tuple(map(self.cell, carrier)), None if key == NO_KEY_CELL else self.cell(key)))
        return sorted(found, key=lambda one: (len(one.carrier), one.carrier))

    def count(self, player: int, x: int, y: int, full: bool) -> int:
        """How many of them there are."""
        connections = self.connections(player)
        return int(connections.pairs[pair_at(connections, x, y) + (FULLS if full else SEMIS)])

    def smallest(self, player: int) -> Connection | None:
        """The smallest full connection from edge to edge; if there is none, the smallest semi one, if there is one."""
        x, y = self.edges
        return next(iter(self.between(player, x, y, True) or self.between(player, x, y, False)), None)

    def cell(self, point: int) -> Point:
        return point % self.width, point // self.width

    def points(self, player: int) -> list[int]:
        """What may be the end of a connection: empty cells, chains by their captains, edges."""
        return [point for point, status in enumerate(self.connections(player).status.tolist()) if status >= EMPTY_CELL]

    # -- where to move ---------------------------------------------------------------------------------------------------------
    @cached_property
    def must_play(self) -> list[Point]:
        """Where the mover must move: all other moves leave the opponent a connection from edge to edge."""
        return [self.cell(int(number)) for number in np.flatnonzero(self._marks)]

    @cached_property
    def consider(self) -> list[Point]:
        """The cells of the must-play region that are not inferior."""
        return [cell for cell in self.must_play if cell not in self.inferior]

    @cached_property
    def decided(self) -> Decided | None:
        """Who wins if the mover begins, and how that is known; None if it is not."""
        if self._decided == OPEN:
            return None
        winner = self.winner if self._decided == FILLED else self.mover if self._decided == MOVER_CONNECTED else 1 - self.mover
        assert winner is not None
        return Decided(winner, HOW[self._decided])

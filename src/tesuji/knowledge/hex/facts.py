"""All that is known of one position of Hex without a search: fill-in, inferior cells, connections, where to move, who wins.

It is what a study of a node works out (knowing.py), kept apart so that it can be looked at. Everything but the fill-in is about
the board with the filled cells, as in the search.
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
from tesuji.knowledge.hex.connection_lists import EMPTY_CELL, FULLS, JOINED, SEMIS, Connections
from tesuji.knowledge.hex.connections import (
    NO_KEY_CELL,
    build,
    carriers,
    key_of,
    mustplay,
    new_connections,
    pair_at,
    wins_as_first,
    wins_as_second,
)
from tesuji.knowledge.hex.fill_in import fill_in, put_filled_stones
from tesuji.knowledge.hex.patterns import EMPTY, MARGIN, ROW_SHIFT, place_of
from tesuji.knowledge.hex.pruning import DOMINATED, KEPT, prune_inferior
from tesuji.knowledge.hex.windows import window_tables
from tesuji.knowledge.hex.working_board import (
    BY_WINDOW,
    CAPTURED_BY_GRAPH,
    COLUMN_MASK,
    CUT_OFF,
    DEAD_BY_GRAPH,
    DEAD_BY_RING,
    WORK,
)

DEAD, CAPTURED, CUT = "dead", "captured", "cut off"
KINDS = {DEAD_BY_RING: DEAD, BY_WINDOW: CAPTURED, DEAD_BY_GRAPH: DEAD, CAPTURED_BY_GRAPH: CAPTURED, CUT_OFF: CUT}
REASONS = {
    DEAD_BY_RING: "by the cells around it",
    BY_WINDOW: "in a window of up to four cells",
    DEAD_BY_GRAPH: "a path through it has a short cut",
    CAPTURED_BY_GRAPH: "one of a pair, of which each answers the other",
    CUT_OFF: "behind the liberties of one chain",
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


# -- entry kernels: compiled by whoever looks ----------------------------------------------------------------------------------
def fill_position(tables, work, state):
    fill_in(tables, work, state)
    put_filled_stones(work, state)


def prune_position(tables, work, player):
    return prune_inferior(tables, work, player)


def build_position(known, state):
    build(known, state)


# -- a position ----------------------------------------------------------------------------------------------------------------
class Facts:
    """What is known of a position in which nobody has won yet, for `mover`, who need not be the one whose turn it is."""

    def __init__(self, state: State, mover: int | None = None):
        self.mover = int(state["to_play"]) if mover is None else mover
        self.width, self.height = int(state["width"]), int(state["height"])
        self.filled = copy_state(state)  # the position with the filled cells
        self._work = np.zeros(1, WORK)[0]
        self._known: dict[int, Connections] = {}
        compiled(fill_position)(window_tables(), self._work, self.filled)

    @cached_property
    def fills(self) -> dict[Point, Fill]:
        """The cells that were filled, in their order."""
        places = self._work["filled"][: int(self._work["filled_count"])].tolist()
        colours, reasons = self._work["colours"], self._work["why"]
        return {
            _point(place): Fill(int(colours[place]) - 1, KINDS[int(reasons[place])], REASONS[int(reasons[place])])
            for place in places
        }

    @cached_property
    def winner(self) -> int | None:
        """Who has joined his edges on the filled board."""
        return {0: None, 1: BLACK, -1: WHITE}[int(self.filled["winner"])]

    @cached_property
    def empty(self) -> list[Point]:
        """The cells that are left, by rows."""
        colours = self._work["colours"]
        cells = [(column, row) for row in range(self.height) for column in range(self.width)]
        return [cell for cell in cells if colours[place_of(*cell)] == EMPTY]

    @cached_property
    def inferior(self) -> dict[Point, Inferior]:
        """The empty cells that the mover need not consider."""
        if self.winner is not None:
            return {}
        work = self._work
        compiled(prune_position)(window_tables(), work, np.int64(self.mover))
        pruned, leader = work["pruned"], work["leader"]
        found = {}
        for cell in self.empty:
            place = place_of(*cell)
            if pruned[place] != KEPT:
                found[cell] = Inferior(bool(pruned[place] == DOMINATED), _point(int(leader[place])))
        return found

    # -- connections -----------------------------------------------------------------------------------------------------------
    def known(self, player: int) -> Connections:
        """The player's connections."""
        if player not in self._known:
            self._known[player] = new_connections(self.width, self.height, player)
            compiled(build_position)(self._known[player], self.filled)
        return self._known[player]

    def is_joined(self, player: int) -> bool:
        """Whether the player's stones reach from edge to edge."""
        return bool(self.known(player).counts[JOINED])

    @property
    def edges(self) -> tuple[int, int]:
        """The numbers of a player's edges among his points, in the order of EDGES."""
        return self.width * self.height, self.width * self.height + 1

    def number(self, cell: Point) -> int:
        return cell[1] * self.width + cell[0]

    def captain(self, player: int, point: int) -> int:
        """The point that stands for this one in the player's connections; -1 for an opponent's stone."""
        return int(self.known(player).captain[point])

    def between(self, player: int, x: int, y: int, full: bool) -> list[Connection]:
        """The player's full, or semi, connections of two points (captains), the smallest first."""
        known = self.known(player)
        found = []
        for number, carrier in enumerate(carriers(known, x, y, full)):
            key = NO_KEY_CELL if full else int(key_of(known, x, y, number))
            found.append(Connection(full, tuple(map(self.cell, carrier)), None if key == NO_KEY_CELL else self.cell(key)))
        return sorted(found, key=lambda one: (len(one.carrier), one.carrier))

    def count(self, player: int, x: int, y: int, full: bool) -> int:
        """How many of them there are."""
        known = self.known(player)
        return int(known.pairs[pair_at(known, x, y) + (FULLS if full else SEMIS)])

    def smallest(self, player: int) -> Connection | None:
        """The smallest full connection from edge to edge; if there is none, the smallest semi one, if there is one."""
        x, y = self.edges
        return next(iter(self.between(player, x, y, True) or self.between(player, x, y, False)), None)

    def cell(self, point: int) -> Point:
        return point % self.width, point // self.width

    def points(self, player: int) -> list[int]:
        """What may be the end of a connection: empty cells, chains by their captains, edges."""
        return [point for point, status in enumerate(self.known(player).status.tolist()) if status >= EMPTY_CELL]

    # -- where to move ---------------------------------------------------------------------------------------------------------
    @cached_property
    def must_play(self) -> list[Point]:
        """Where the mover must move: all other moves leave the opponent a connection from edge to edge."""
        marks = np.zeros(self.width * self.height, np.int64)
        mustplay(self.known(1 - self.mover), marks)
        return [self.cell(int(number)) for number in np.flatnonzero(marks)]

    @cached_property
    def consider(self) -> list[Point]:
        """The cells of the must-play region that are not inferior."""
        return [cell for cell in self.must_play if cell not in self.inferior]

    @cached_property
    def decided(self) -> Decided | None:
        """Who wins if the mover begins, and how that is known; None if it is not."""
        mover, other = self.mover, 1 - self.mover
        if self.winner is not None:
            return Decided(self.winner, "joined by stones and filled cells")
        if wins_as_second(self.known(other)):
            return Decided(other, "a full connection from edge to edge")
        if wins_as_first(self.known(mover)):
            return Decided(mover, "a semi connection from edge to edge, and the first move")
        if not self.must_play:
            return Decided(other, "no move meets all threats")
        if not self.consider:
            return Decided(other, "no move that meets all threats is worth considering")
        return None


def _point(place: int) -> Point:
    return (place & COLUMN_MASK) - MARGIN, (place >> ROW_SHIFT) - MARGIN

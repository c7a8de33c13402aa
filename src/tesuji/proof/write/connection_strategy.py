"""A strategy for connection games: one connection, proven step by step (trusted/connections.py), wins whatever is played.

Where a player wins although the opponent is to move, his two ends are connected. Either the finder knows that connection, and
it is broken down into steps (connection_steps.py). Or it is made of ways: answers to moves of the opponent, each a cell to take
and the connection of the ends that exists then. There are enough when no cell is used by all of them. The answers come from the
search's tree, or from another search.

A connection says nothing about cells that it does not use. So lines that differ elsewhere share it, and independent parts of
the board are proven one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import State
from tesuji.core.limits import Limits
from tesuji.core.records import without_gaps
from tesuji.proof.trusted.connections import Step, cells_of
from tesuji.proof.trusted.walk import ALL_MOVES
from tesuji.proof.write.connection_steps import ConnectionBuilder, Way, numbers_of
from tesuji.proof.write.strategy import Survey, TreeStrategy
from tesuji.proof.write.survey import NOT_PROVEN
from tesuji.search.kernel.tree import PRUNED, ROOT
from tesuji.search.policy import connection_finder, without_inferior_moves

if TYPE_CHECKING:
    from tesuji.search.engine.tree_search import TreeSearch

ONE, OTHER = rules.ENDS
CONNECTION_PLAYOUTS = 200  # of a search by connections alone
SHOWN, HIDDEN = 1.0, 100.0  # the cost assumed for a part that the tree lacks: connections prove it, or it has to be searched
FIRST_STUDIES = 12  # playouts, after which the player's own studies have begun
STUDY_MEMORY = 0.25  # MiB


class ConnectionStrategy(TreeStrategy):
    """Gives the walk a connection wherever it asks for one, and the move that leads to one."""

    def __init__(self, search: TreeSearch, *arguments: Any):
        self._by_connections = without_inferior_moves(search.policy)  # before super(), which measures proofs with it
        super().__init__(search, *arguments)
        self._finder = connection_finder(search.policy, search.game, self.claim.player, search.pure)
        self._builder: ConnectionBuilder | None = None
        self._connections: dict[tuple[int, int], int] = {}  # by own and free cells, the opponent to move
        self._is_lost_by_study: dict[bytes, bool] = {}  # by record

    # -- what the walk asks ----------------------------------------------------------------------------------------------------
    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        if not self._applies(state):
            return super().visit(state, moves, chooses)
        if not chooses:
            return ALL_MOVES
        number, way = self._win(state, *self._cells(state))
        cell = way[0] if way is not None else self._any_move(moves, number)
        self.choices.append(list(moves).index(cell))
        return self.choices[-1]

    def connect(self, state: State) -> Sequence[Step]:
        steps: list[Step] = []
        if self._applies(state):
            assert self._builder is not None
            steps = self._builder.steps_to(self._connection(state, *self._cells(state)))
        self.choices += numbers_of(steps)
        return steps

    def _applies(self, state: State) -> bool:
        """Whether the rules of connections hold in the position. Proven connections are shared by all such positions."""
        cells = range(self.search.game.move_count)
        out = np.zeros(len(cells) + len(rules.ENDS), np.int32)
        near = [out[: int(rules.neighbours(state, self.claim.player, cell, out))].tolist() for cell in cells]
        if self._builder is None and any(near):
            connections = self.walk.rules.new_connections(without_gaps(state)[0], self.claim.player)
            self._builder = ConnectionBuilder(connections, near, self._finder)
        return any(near)

    def _any_move(self, moves: Sequence[int], number: int | None) -> int:
        """A move where none is needed: one on the connection."""
        assert self._builder is not None and number is not None
        carrier = self._builder.connection(number).carrier
        return next((move for move in moves if carrier >> move & 1), moves[0])

    # -- the proof -------------------------------------------------------------------------------------------------------------
    # A position is a set of own cells, one of free cells, and a record that may lack some of the own ones: captured pairs.
    # Where the player wins the record, he wins the position too.
    def _connection(self, state: State, own: int, free: int) -> int:
        """The number of a connection of the ends where the opponent is to move."""
        assert self._builder is not None
        key = own, free
        if key not in self._connections:
            number = self._builder.full(own, free, ONE, OTHER, 0)
            pair = self._builder.pair_in(own, free) if number is None else None
            if pair is not None:
                cells = 1 << pair[0] | 1 << pair[1]
                number = self._builder.captured(self._connection(state, own | cells, free & ~cells), pair, own)
            self._connections[key] = self._answers(state, own, free) if number is None else number
        return self._connections[key]

    def _answers(self, state: State, own: int, free: int) -> int:
        assert self._builder is not None
        moves = cells_of(free)
        children, _ = self.walk.rules.after(state, moves)
        after = dict(zip(moves, children, strict=True))
        costs = dict(zip(moves, self._costs(state, moves), strict=True))
        ways: list[Way] = []
        left = free
        while left:
            move = min(cells_of(left), key=costs.__getitem__)
            number, way = self._win(after[move], own, free & ~(1 << move))
            if number is not None:
                return number  # the opponent's move changed nothing
            assert way is not None
            ways.append(way)
            left &= self._builder.used_by(way)
            if self.walk.on_progress is not None:
                self.walk.on_progress(len(self._builder.steps), 0)
        return self._builder.or_step(ways)

    def _win(self, state: State, own: int, free: int) -> tuple[int | None, Way | None]:
        """A connection of the ends, or a way to one, where the claim's player is to move."""
        assert self._builder is not None
        number, way = self._builder.way(own, free, ONE, OTHER, 0)
        if number is not None or way is not None:
            return number, way
        pair = self._builder.pair_in(own, free)
        if pair is not None:
            cells = 1 << pair[0] | 1 << pair[1]
            return self._builder.with_pair(*self._win(state, own | cells, free & ~cells), pair, own)
        move = self._winning_move(state)
        after, cell = self._after(state, move), 1 << move
        number = self._connection(after, own | cell, free & ~cell)
        return (number, None) if own & cell else (None, (move, number))

    def _winning_move(self, state: State) -> int:
        """A move after which the claim is proven: in the tree, by another search, or by a study of the position after it.

        Another search may end when a study of its first position decides it. Then the moves that the study did not prune come
        first.
        """
        moves = self.walk.rules.legal_moves(state)
        costs = self._costs(state, moves)
        if min(costs) == NOT_PROVEN:
            again = self._search_again(state)
            costs = self._costs(state, moves)
            if min(costs) == NOT_PROVEN:
                for move in unpruned_first(again, moves):
                    if self._is_lost(self._after(state, move)):
                        return move
                raise UserError(f"no certificate: {self.claim} was proven again for a position, but not by its moves")
        return moves[costs.index(min(costs))]

    def _search_again(self, state: State) -> TreeSearch:
        """By connections alone if that is quick: then all below is in the tree. Else by all knowledge, for the move alone."""
        again, _ = self._find_again(state, self._by_connections, min(CONNECTION_PLAYOUTS, self.playouts))
        return super()._search_again(state) if again is None else again

    def _measured(self, survey: Survey, again: TreeSearch | None = None) -> np.ndarray:
        is_shown = again is not None and again.policy is self._by_connections
        cost = SHOWN if is_shown else HIDDEN
        return survey.proof_sizes(self.claim, cost, cost)

    def _is_lost(self, state: State) -> bool:
        """Whether a short search shows the claim, the opponent to move: what a study of the position finds."""
        record = state.tobytes()
        if record not in self._is_lost_by_study:
            old = self.search
            values = {"memory": STUDY_MEMORY, "initial_bounds": self.initial_bounds, "solver": "bounds"}
            settings = old.settings.overridden({name: value for name, value in values.items() if name in old.settings})
            result = type(old)(old.game, state, settings, old.policy, old.seed, old.pure, type(old.rule)).run(
                Limits(playouts=FIRST_STUDIES), with_moves=False
            )
            self._is_lost_by_study[record] = self.claim.holds(result.lower, result.upper)
        return self._is_lost_by_study[record]

    def _after(self, state: State, move: int) -> State:
        return self.walk.rules.after(state, [move])[0][0]

    def _cells(self, state: State) -> tuple[int, int]:
        """The cells of the claim's player, and those that are free."""
        own = free = 0
        for cell in range(self.search.game.move_count):
            who = int(rules.holder(state, cell))
            own |= (who == self.claim.player) << cell
            free |= (who == rules.FREE) << cell
        return own, free


def unpruned_first(search: TreeSearch, moves: Sequence[int]) -> list[int]:
    """The moves of a search's first position: those that were not pruned, by visits, then the others."""
    root = search.tree.nodes[ROOT]
    first = int(root["first_child"])
    children = search.tree.nodes[first : first + int(root["child_count"])]
    visits = {int(child["move"]): int(child["visits"]) for child in children if not child["flags"] & PRUNED}
    return sorted(moves, key=lambda move: -visits.get(move, -1))

"""A strategy for connection games: one connection, proven step by step (proof/connections.py), wins whatever is played.

Where a player wins although the opponent is to move, there is a link between his two ends. Either the finder knows it, a
virtual connection, and it is taken apart (proof/linking.py). Or it is made of ways: of answers to moves of the opponent, each a
cell to take and the link between the ends that is there then. There are enough when no cell is used by all of them. The answers
come out of the search's tree, or of another search.

A link says nothing about cells that it does not use. So lines that differ elsewhere share it, and parts of the board that have
nothing to do with each other are proven one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import State
from tesuji.core.limits import Limits
from tesuji.proof.checker import ALL_MOVES, canonical
from tesuji.proof.connections import KINDS, LinkStep, cells_of
from tesuji.proof.linking import Linker, Way
from tesuji.proof.strategy import TreeStrategy
from tesuji.proof.survey import NOT_PROVEN, PROOF_DROPPED
from tesuji.search.policy import link_finder, without_inferior_moves
from tesuji.search.tree import PRUNED, ROOT

if TYPE_CHECKING:
    from tesuji.search.engine import TreeSearch

ONE, OTHER = rules.ENDS
GLANCE = 12  # playouts, after which the player's own studies have begun
GLANCE_MEMORY = 0.25  # MiB


class ConnectingStrategy(TreeStrategy):
    """Gives the walk a connection wherever it asks for one, and the move that leads to one."""

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        search = self.search
        self._policy = without_inferior_moves(search.policy)
        self._finder = link_finder(search.policy, search.game, self.claim.player, search.pure)
        self._linker: Linker | None = None
        self._links: dict[bytes, int] = {}  # by record, of positions where the opponent is to move
        self._lost_at_once: dict[bytes, bool] = {}  # by record: what a glance at the position showed

    # -- what the walk asks ----------------------------------------------------------------------------------------------------
    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        if not self._begin(state):
            return super().visit(state, moves, chooses)
        if not chooses:
            return ALL_MOVES
        number, way = self._win(state, *self._cells(state))
        cell = way[0] if way is not None else self._any_move(moves, number)
        self.choices.append(list(moves).index(cell))
        return self.choices[-1]

    def connect(self, state: State) -> Sequence[LinkStep]:
        steps: list[LinkStep] = []
        if self._begin(state):
            assert self._linker is not None
            steps = self._linker.steps_to(self._link(state, *self._cells(state)))
        self.choices.append(len(steps))
        for kind, numbers in steps:
            self.choices += [kind + KINDS * len(numbers), *numbers]
        return steps

    def _begin(self, state: State) -> bool:
        """Whether the rules of connections hold in the position. Links are shared by all such positions."""
        cells = range(self.search.game.move_count)
        out = np.zeros(len(cells) + len(rules.ENDS), np.int32)
        near = [out[: int(rules.neighbours(state, self.claim.player, cell, out))].tolist() for cell in cells]
        if self._linker is None and any(near):
            links = self.walk.rules.new_links(canonical(state)[0], self.claim.player)
            self._linker = Linker(links, near, self._finder)
        return any(near)

    def _any_move(self, moves: Sequence[int], number: int | None) -> int:
        """A move where none is needed: one on the connection."""
        assert self._linker is not None and number is not None
        carrier = self._linker.link(number).carrier
        return next((move for move in moves if carrier >> move & 1), moves[0])

    # -- working out -----------------------------------------------------------------------------------------------------------
    def _link(self, state: State, own: int, free: int) -> int:
        """The number of a link between the ends where the opponent is to move."""
        assert self._linker is not None
        record = state.tobytes()
        if record not in self._links:
            found = self._linker.full(own, free, ONE, OTHER, 0)
            self._links[record] = self._answers(state, own, free) if found is None else found
        return self._links[record]

    def _answers(self, state: State, own: int, free: int) -> int:
        assert self._linker is not None
        moves = cells_of(free)
        children, _ = self.walk.rules.after(state, moves)
        after = dict(zip(moves, children, strict=True))
        costs = dict(zip(moves, self._costs(state, moves), strict=True))
        ways: list[Way] = []
        left = free
        while left:
            move = min(cells_of(left), key=lambda one: (costs[one] >= PROOF_DROPPED, costs[one] == NOT_PROVEN))
            found, way = self._win(after[move], own, free & ~(1 << move))
            if found is not None:
                return found  # the opponent's move changed nothing
            assert way is not None
            ways.append(way)
            left &= self._linker.used_by(way)
            if self.walk.on_progress is not None:
                self.walk.on_progress(len(self._linker.steps), 0)
        return self._linker.any_of(ways)

    def _win(self, state: State, own: int, free: int) -> tuple[int | None, Way | None]:
        """A link, or a way to one, where the claim's player is to move."""
        assert self._linker is not None
        found, way = self._linker.way(own, free, ONE, OTHER, 0)
        if found is None and way is None:
            move = self._winning_move(state)
            taken = 1 << move
            way = move, self._link(self._after(state, move), own | taken, free & ~taken)
        return found, way

    def _winning_move(self, state: State) -> int:
        """A move after which the claim is proven: in the tree, by another search, or by what a glance at the position shows.

        A search may end when a study of its first position decides it. Then the moves that the study has kept come first.
        """
        moves = self.walk.rules.legal(state)
        costs = self._costs(state, moves)
        if min(costs) == NOT_PROVEN:
            again = self._search_again(state)
            costs = self._costs(state, moves)
            if min(costs) == NOT_PROVEN:
                found = next((move for move in kept_first(again, moves) if self._is_lost(self._after(state, move))), None)
                if found is not None:
                    return found
                raise UserError(f"no certificate: {self.claim} was proven again for a position, but not by its moves")
        return moves[costs.index(min(costs))]

    def _is_lost(self, state: State) -> bool:
        """Whether a short search shows the claim, the opponent to move: what a study of the position finds."""
        record = state.tobytes()
        if record not in self._lost_at_once:
            old = self.search
            values = {"memory": GLANCE_MEMORY, "initial_bounds": self.initial_bounds, "solver": "bounds"}
            settings = old.settings.overridden({name: value for name, value in values.items() if name in old.settings})
            result = type(old)(old.game, state, settings, self._policy, old.seed, old.pure, type(old.rule)).run(
                Limits(playouts=GLANCE), with_moves=False
            )
            self._lost_at_once[record] = self.claim.holds(result.lower, result.upper)
        return self._lost_at_once[record]

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


def kept_first(search: TreeSearch, moves: Sequence[int]) -> list[int]:
    """The moves of a search's first position: those that were not pruned, by visits, then the others."""
    root = search.tree.nodes[ROOT]
    first = int(root["first_child"])
    children = search.tree.nodes[first : first + int(root["child_count"])]
    visits = {int(child["move"]): int(child["visits"]) for child in children if not child["flags"] & PRUNED}
    return sorted(moves, key=lambda move: -visits.get(move, -1))

"""The tree of a search for programs to walk: each node with its move, statistics and bounds in the game's own units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tesuji.core.arguments import whole
from tesuji.core.errors import UserError
from tesuji.core.position import Position
from tesuji.core.words import move_texts
from tesuji.search.engine import final_move
from tesuji.search.kernel.scale import value_range
from tesuji.search.kernel.tree import ROOT, apply_replacement
from tesuji.search.report.analysis import Bounds, in_own_units, statistics_of
from tesuji.search.report.explanations import Choice, choices_at
from tesuji.search.selection.interface import statistics_of as statistics_of_rule

if TYPE_CHECKING:
    from tesuji.core.game import State
    from tesuji.search.engine.tree_search import TreeSearch

DEPTH = 5
SHARE = 1000  # a node is written out if it has this part of the root's visits: at most so many nodes at each depth


class View:
    """A tree at one time: after the next run or move nodes have new places, and the view is out of date."""

    def __init__(self, search: TreeSearch, position: Position):
        self.search = search
        self.position = position
        self.is_current = True

    @property
    def root(self) -> TreeNode:
        return TreeNode(self, ROOT, None)


class TreeNode:
    """One node of a search's tree: a position, and the move that led there. It can be read until the search goes on.

    `value` and `bounds` are the first player's, as everywhere.
    """

    __slots__ = ("_below", "_index", "_parent", "_position", "_view")

    def __init__(self, view: View, index: int, parent: TreeNode | None):
        self._view = view
        self._index = index
        self._parent = parent
        self._position: Position | None = None
        self._below: State = None

    @property
    def _current_search(self) -> TreeSearch:
        if not self._view.is_current:
            raise UserError("the search has gone on since this node was taken: begin anew with search.tree")
        return self._view.search

    @property
    def _tree(self) -> Any:
        return self._current_search.tree

    @property
    def _record(self) -> Any:
        return self._tree.nodes[self._index]

    def _in_units(self, value: float) -> float:
        return in_own_units(self._view.position.game, value_range(self._view.search.options.scale), value)

    # -- its own numbers ---------------------------------------------------------------------------------------------
    @property
    def move(self) -> str | None:
        """The move that led here; None at the root."""
        if self._parent is None:
            return None
        return self._view.position.game.text(self._parent._state_below(), int(self._record["move"]))

    @property
    def position(self) -> Position:
        """The position after the moves. The search may have gone on from an equivalent one that the policy put in its place."""
        if self._position is None:
            parent = self._parent
            self._position = self._view.position if parent is None else parent.position.after([int(self._record["move"])])
        return self._position

    @property
    def visits(self) -> int:
        return int(self._record["visits"])

    @property
    def value(self) -> float:
        """The mean of its games, or what the player's rule makes of them, within the bounds; without games their middle."""
        return self._in_units(final_move.node_value(self._current_search, self._index))

    @property
    def prior(self) -> float:
        return float(self._record["prior"])

    @property
    def rave(self) -> float | None:
        """The value by all games in which the move came later; None = the rule has no RAVE, or there is no such game."""
        search = self._current_search
        statistics = statistics_of_rule(search.rule, search.tree.statistics, self._index)
        games, total = int(statistics.rave_games), int(statistics.rave_sum)
        return self._in_units(total / search.options.scale.unit / games) if games > 0 else None

    @property
    def bounds(self) -> Bounds:
        game, record = self._view.position.game, self._record
        return game.in_points(int(record["lower"])), game.in_points(int(record["upper"]))

    @property
    def is_pruned(self) -> bool:
        """Whether the policy has pruned this move."""
        return final_move.is_pruned(self._tree, self._index)

    # -- from here on -------------------------------------------------------------------------------------------------
    def children(self) -> list[TreeNode]:
        """The nodes after each move from here, best first for the player to move; none if the tree ends here."""
        ranked = final_move.ranked_children(self._current_search, self._index)
        return [TreeNode(self._view, child, self) for child in ranked]

    def choices(self) -> list[tuple[TreeNode, Choice]]:
        """The same nodes, each with what the selection rule makes of it: the terms of its formula, and whether it is next."""
        depth, node = 0, self._parent
        while node is not None:
            depth, node = depth + 1, node._parent
        by_index = {choice.index: choice for choice in choices_at(self._view.search, self._index, depth)}
        return [(child, by_index[child._index]) for child in self.children()]

    @property
    def line(self) -> tuple[str, ...]:
        """The expected line of play from here on."""
        search = self._current_search
        return tuple(move_texts(search.game, self._state_below(), final_move.principal_variation(search, self._index)))

    def _state_below(self) -> State:
        """The record from which the search goes on here."""
        if self._below is None:
            states = np.zeros(1, self._view.search.state.dtype)
            states[0] = self.position.state
            apply_replacement(self._tree, self._index, states, 0)
            self._below = states[0]
        return self._below

    def __repr__(self) -> str:
        if not self._view.is_current:
            return "<TreeNode, out of date>"
        return f"<TreeNode {self.move or 'root'}: {self.visits} visits, value {self.value:.3g}>"

    # -- as data ------------------------------------------------------------------------------------------------------
    def to_json(self, depth: int = DEPTH, visits: int | None = None) -> dict[str, Any]:
        """The tree below as nested dictionaries: `depth` moves deep, without nodes of fewer than `visits` visits.

        Without `visits` it is a thousandth of this node's, so that there are a thousand nodes of each depth at most. The root
        also has the game and the moves from its start to the position (null if the position was set up).
        """
        depth = whole("depth", depth, 0)
        fewest = max(1, self.visits // SHARE) if visits is None else whole("visits", visits, 0)
        top = self._as_dict()
        waiting: list[tuple[TreeNode, dict[str, Any], int]] = [(self, top, 0)]
        while waiting:
            node, written, level = waiting.pop()
            if level == depth:
                continue
            for child in node.children():
                if child.visits >= fewest:
                    written["children"].append(child._as_dict())
                    waiting.append((child, written["children"][-1], level + 1))
        if self._parent is not None:
            return top
        position, game = self._view.position, self._view.position.game
        from_start = Position(game, position.begin) == game.start
        return {"game": game.name, "moves": list(position.moves) if from_start else None, **top}

    def _as_dict(self) -> dict[str, Any]:
        return {**statistics_of(self), "children": []}

"""Explains the search: the numbers behind each choice in the tree, and one simulation step by step."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tesuji.core.rules import FIRST
from tesuji.search.engine import final_move
from tesuji.search.kernel.bounds import is_decided, is_open
from tesuji.search.kernel.scale import value_of
from tesuji.search.kernel.tree import ROOT, USED
from tesuji.search.report.terms import terms
from tesuji.search.selection.choose_child import choose_child, root_of_log, view_of
from tesuji.search.selection.interface import Parent, begin_choice, reported_value, worth

if TYPE_CHECKING:
    from tesuji.search.engine.tree_search import TreeSearch

NOBODY = -1  # in place of who made a move


@dataclass(frozen=True)
class Choice:
    """One child as the selection rule sees it, for the player to move at its parent."""

    index: int
    terms: tuple[tuple[str, float], ...]  # the summands of its worth; none if the rule does not give children a worth
    worth: float | None
    decided: bool  # its outcome is proven, so that a visit can tell nothing
    cut: bool  # it cannot improve on what is proven of its parent
    chosen: bool = False  # the one that would be visited next


def choices_at(search: TreeSearch, index: int, depth: int) -> list[Choice]:
    """The choices at an expanded node, `depth` moves below the root: what the rule makes of each child, in the tree's order.

    The chosen one has the highest worth of those that are open, as a visit of the others can tell nothing. Below `policy_below`
    visits the policy draws the move, and none is marked.
    """
    tree, options, rule, scratch = search.tree, search.options, search.rule, search.scratches[0]
    node = tree.nodes[index]
    maximises = bool(node["to_play"] == FIRST)
    visits = int(node["visits"])
    root = float(root_of_log(np.int64(visits))) if visits > 0 else 0.0
    children = final_move.children_of(tree, index)
    parent = Parent(float(visits), root, len(children), depth, maximises)
    has_worth = not choose_child.is_implemented(type(rule))
    begin_choice(rule, tree, scratch, index)
    choices, able = [], []
    for child in children:
        record = tree.nodes[child]
        decided = bool(is_decided(record, options))
        pruned = final_move.is_pruned(tree, child)
        cut = not pruned and not decided and not is_open(record, node, maximises, options)
        parts: tuple[tuple[str, float], ...] = ()
        value = None
        if has_worth:
            view = view_of(rule, tree, scratch, child, maximises, options)
            value = float(worth(rule, view, parent))
            parts = terms(rule, view, parent, value)
        choices.append(Choice(child, parts, value, decided, cut))
        if has_worth and not (decided or cut or pruned):
            able.append(choices[-1])
    if able and visits >= options.policy_below:
        best = max(able, key=lambda choice: choice.worth or 0.0)
        choices[choices.index(best)] = replace(best, chosen=True)
    return choices


@dataclass(frozen=True)
class PathNode:
    """One node of a simulation's path, before and after it."""

    index: int
    move: int | None  # None at the root
    mover: int
    visits: tuple[int, int]
    value: tuple[float, float]
    bounds: tuple[int, int]


@dataclass(frozen=True)
class SimulationStep:
    path: list[PathNode]
    playout: list[int]  # the moves after the path, as far as the search records them
    movers: list[int]
    expanded: int  # nodes that were added
    score: float | None  # what the last node counted, as a value; None if nothing was counted


def step(search: TreeSearch) -> SimulationStep | None:
    """Runs one simulation and returns what it did; None if the root is decided, so that there is nothing left to simulate.

    It is the search's own loop that runs, for one round: what it did is read off the counts before and after.
    """
    if search.is_decided():
        return None
    tree, scratch, options = search.tree, search.scratches[0], search.options
    before = _Before(search)
    scratch.movers[:] = NOBODY
    scratch.path[:] = 0
    search.options = options._replace(keeps_moves=True)
    try:
        done = search.simulate_once()
    finally:
        search.options = options
    search.playouts += done
    if done == 0:
        search._finish_round()  # the arena was full
        return None
    path = _path(search, before)
    path_nodes = []
    for depth, index in enumerate(path):
        record = tree.nodes[index]
        path_nodes.append(
            PathNode(
                index,
                None if depth == 0 else int(record["move"]),
                NOBODY if depth == 0 else int(scratch.movers[depth - 1]),
                (before.visits(index), int(record["visits"])),
                (before.value(index), final_move.node_value(search, index)),
                (int(record["lower"]), int(record["upper"])),
            )
        )
    start = len(path) - 1
    length = start
    while length < len(scratch.movers) and scratch.movers[length] != NOBODY:
        length += 1
    last = path[-1]
    gained, total = int(tree.nodes[last]["visits"]) - before.visits(last), int(tree.nodes[last]["sum"]) - before.sum(last)
    result = SimulationStep(
        path_nodes,
        [int(move) for move in scratch.history[start:length]],
        [int(mover) for mover in scratch.movers[start:length]],
        int(tree.counters[USED]) - before.used,
        total / options.scale.unit / gained if gained else None,
    )
    search._finish_round()
    return result


def _path(search: TreeSearch, before: _Before) -> list[int]:
    """The nodes that the simulation went through: each a child of the one before, and all counted it."""
    tree, scratch = search.tree, search.scratches[0]
    path = [ROOT]
    for index in scratch.path[1:].tolist():
        counted = index > 0 and int(tree.nodes[index]["visits"]) > before.visits(index)
        if not counted or int(tree.nodes[index]["parent"]) != path[-1]:
            return path
        path.append(index)
    return path


class _Before:
    """What the nodes had counted before the step."""

    def __init__(self, search: TreeSearch):
        self.used = int(search.tree.counters[USED])
        self._search = search
        self._visits = search.tree.nodes["visits"][: self.used].copy()
        self._sums = search.tree.nodes["sum"][: self.used].copy()
        self._records = search.tree.statistics[: self.used].copy()

    def visits(self, index: int) -> int:
        return int(self._visits[index]) if index < self.used else 0

    def sum(self, index: int) -> int:
        return int(self._sums[index]) if index < self.used else 0

    def value(self, index: int) -> float:
        """By the counts from then, or by the rule's own records; without games the middle of the bounds."""
        record, scale = self._search.tree.nodes[index], self._search.options.scale
        if self.visits(index) <= 0:
            return (value_of(scale, int(record["lower"])) + value_of(scale, int(record["upper"]))) / 2
        own = float(reported_value(self._search.rule, self._records, index))
        return self.sum(index) / scale.unit / self.visits(index) if math.isnan(own) else own

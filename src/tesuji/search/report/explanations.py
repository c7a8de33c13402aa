"""Explains the search: the numbers behind each choice in the tree, and one simulation step by step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tesuji.core.rules import FIRST
from tesuji.search.engine import final_move
from tesuji.search.kernel.bounds import is_decided, is_open
from tesuji.search.kernel.scale import value_of
from tesuji.search.kernel.tree import ROOT, USED
from tesuji.search.report.terms import terms
from tesuji.search.selection.interface import Parent, reported_value, worth
from tesuji.search.selection.loop import choose_child, root_of_log, view_of

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
    chosen: bool  # the one that would be visited next


def choices_at(search: TreeSearch, index: int, depth: int) -> list[Choice]:
    """The choices at an expanded node, `depth` moves below the root: what the rule makes of each child, in the tree's order.

    The chosen one has the highest worth of those that are open, as a visit of the others can tell nothing. Below `policy_below`
    visits the policy draws the move, and none is marked.
    """
    tree, options, rule, scratch = search.tree, search.options, search.rule, search.scratches[0]
    node = tree.nodes[index]
    maximises = bool(node["to_play"] == FIRST)
    visits = int(node["visits"])
    root = float(root_of_log(np.int64(max(visits, 0)))) if visits > 0 else 0.0
    children = final_move.children_of(tree, index)
    parent = Parent(float(visits), root, len(children), depth, maximises)
    has_worth = not choose_child.is_implemented(type(rule))
    choices = []
    for child in children:
        record = tree.nodes[child]
        decided = bool(is_decided(record, options))
        cut = not final_move.is_pruned(tree, child) and not decided and not is_open(record, node, maximises, options)
        parts: tuple[tuple[str, float], ...] = ()
        value = None
        if has_worth:
            view = view_of(rule, tree, scratch, child, maximises, options)
            parts, value = terms(rule, view, parent), float(worth(rule, view, parent))
        choices.append(Choice(child, parts, value, decided, cut, False))
    able = [
        number
        for number, choice in enumerate(choices)
        if choice.worth is not None and not choice.decided and not choice.cut and not final_move.is_pruned(tree, choice.index)
    ]
    if able and visits >= options.policy_below:
        best = max(able, key=lambda number: choices[number].worth or 0.0)
        choices[best] = Choice(choices[best].index, choices[best].terms, choices[best].worth, False, False, True)
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
    used = int(tree.counters[USED])
    visits = tree.nodes["visits"][:used].copy()
    sums = tree.nodes["sum"][:used].copy()
    scratch.movers[:] = NOBODY
    scratch.path[:] = 0
    value_before = _values_before(search, used)
    search.options = options._replace(keeps_moves=True)
    try:
        done = search.simulate_once()
    finally:
        search.options = options
    search.playouts += done
    if done == 0:
        search._finish_round()  # the arena was full
        return None
    path = _path(search, visits)
    path_nodes = []
    for depth, index in enumerate(path):
        record = tree.nodes[index]
        old = (int(visits[index]), value_before(index, visits, sums)) if index < used else (0, _middle(search, index))
        path_nodes.append(
            PathNode(
                index,
                None if depth == 0 else int(record["move"]),
                NOBODY if depth == 0 else int(scratch.movers[depth - 1]),
                (old[0], int(record["visits"])),
                (old[1], final_move.node_value(search, index)),
                (int(record["lower"]), int(record["upper"])),
            )
        )
    start = len(path) - 1
    length = start
    while length < len(scratch.movers) and scratch.movers[length] != NOBODY:
        length += 1
    last = path[-1]
    gained = int(tree.nodes[last]["visits"]) - (int(visits[last]) if last < used else 0)
    total = int(tree.nodes[last]["sum"]) - (int(sums[last]) if last < used else 0)
    result = SimulationStep(
        path_nodes,
        [int(move) for move in scratch.history[start:length]],
        [int(mover) for mover in scratch.movers[start:length]],
        int(tree.counters[USED]) - used,
        total / options.scale.unit / gained if gained else None,
    )
    search._finish_round()
    return result


def _path(search: TreeSearch, visits: np.ndarray) -> list[int]:
    """The nodes that the simulation went through: each a child of the one before, and all counted it."""
    tree, scratch = search.tree, search.scratches[0]
    path = [ROOT]
    for index in scratch.path[1:].tolist():
        counted = index > 0 and int(tree.nodes[index]["visits"]) > (int(visits[index]) if index < len(visits) else 0)
        if not counted or int(tree.nodes[index]["parent"]) != path[-1]:
            return path
        path.append(index)
    return path


def _values_before(search: TreeSearch, used: int):
    """A function for the value of a node before the step, by the counts from then, or by the rule's own records."""
    tree, scale, rule = search.tree, search.options.scale, search.rule
    records = tree.statistics[:used].copy()

    def value(index: int, visits: np.ndarray, sums: np.ndarray) -> float:
        if visits[index] <= 0:
            return _middle(search, index)
        own = float(reported_value(rule, records, index))
        return int(sums[index]) / scale.unit / int(visits[index]) if math.isnan(own) else own

    return value


def _middle(search: TreeSearch, index: int) -> float:
    record, scale = search.tree.nodes[index], search.options.scale
    return (value_of(scale, int(record["lower"])) + value_of(scale, int(record["upper"]))) / 2

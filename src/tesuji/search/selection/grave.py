"""GRAVE (Cazenave 2015): where a node has few games, RAVE is that of an ancestor with many."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.numba.atomics import load
from tesuji.core.parameters import Parameter
from tesuji.core.rules import FIRST, SECOND
from tesuji.search.kernel.tree import ROOT
from tesuji.search.policy import VALUE
from tesuji.search.selection.interface import begin_choice, seen_statistics, selection_rule, statistics_of, worth
from tesuji.search.selection.rave import (
    RAVE_ALONE,
    RAVE_PARAMETERS,
    confidence_with_rave,
    credits_by_parameter,
    credits_first_only,
)

# Where the child with this move is, of the node whose RAVE counts; in the last cell of the first player that node's first
# child, of the second how many it has, 0 = every child has its own. Nothing of it lasts from one choice to the next.
CHILD = np.dtype([("child", np.int32)])


@selection_rule(
    parameters=(
        *RAVE_PARAMETERS,
        Parameter(
            "grave_visits",
            50,
            "visits that a node must have for its own RAVE to count, in place of an ancestor's; 0 = RAVE",
            0,
            1 << 30,
            tuning="10..1000:log",
        ),
    ),
    uses=(VALUE,),
    statistics=RAVE_ALONE,
    by_move=CHILD,
)
class Grave(NamedTuple):
    """(1 - b) mean + b rave + C sqrt(ln N / n) as in `Rave`, with the RAVE of the nearest ancestor of `grave_visits` visits.

    Cazenave 2015, "Generalized rapid action value estimation". There, every node counts all moves of both players. Here RAVE is
    kept by the children of a node, so the ancestor is one with the same player to move, and a move that was not possible
    there has its own RAVE.
    """

    exploration: float
    first_play: float
    rave_bias: float
    rave_first: bool
    grave_visits: int


implements(worth, Grave)(confidence_with_rave)
implements(credits_first_only, Grave)(credits_by_parameter)


@implements(begin_choice, Grave)
@kernel
def enter_children_of_ancestor(rule, tree, scratch, index):
    nodes = tree.nodes
    entries = scratch.by_move
    last = entries.shape[1] - 1
    source = ancestor_of(rule, nodes, index)
    count = np.int64(load(nodes["child_count"], source)) if source != index else np.int64(0)  # it is published last
    first = np.int64(nodes[source]["first_child"])
    entries[FIRST, last]["child"] = first
    entries[SECOND, last]["child"] = count
    player = nodes[index]["to_play"]
    for child in range(first, first + count):
        entries[player, nodes[child]["move"]]["child"] = child


@kernel
def ancestor_of(rule, nodes, index):
    """The nearest node from `index` up that has the visits and the same player to move; without any, the last one of his."""
    player = nodes[index]["to_play"]
    source = np.int64(index)
    at = np.int64(index)
    while True:
        if nodes[at]["to_play"] == player:
            source = at
            if nodes[at]["visits"] >= rule.grave_visits:
                break
        if at == ROOT:
            break
        at = np.int64(nodes[at]["parent"])
    return source


@implements(seen_statistics, Grave)
@kernel
def statistics_at_ancestor(rule, tree, scratch, index, maximises, options):
    nodes = tree.nodes
    entries = scratch.by_move
    last = entries.shape[1] - 1
    count = entries[SECOND, last]["child"]
    source = np.int64(index)
    if count > 0:
        move = nodes[index]["move"]
        first = entries[FIRST, last]["child"]
        child = np.int64(entries[FIRST if maximises else SECOND, move]["child"])
        if first <= child < first + count and nodes[child]["move"] == move:  # else it is left from another node
            source = child
    return statistics_of(rule, tree.statistics, source)


RULES = {"grave": Grave}

"""Checks that what a file holds is a tree of this search. Compiled code trusts a tree, so its shape and every number of a node
are checked here, those of a rule's own record by the rule (`are_possible`); its moves and its bounds are compared with the
rules (`justified_bounds.py`). A checksum keeps chance out, not malice.
"""

from __future__ import annotations

import numpy as np

from tesuji.search.kernel.scale import Scale
from tesuji.search.kernel.table import packed_lower, packed_upper
from tesuji.search.kernel.tree import CLAIMED, MOST_VISITS, NOT_EXPECTED, PRESEARCHED, PRUNED, ROOT, RULE_BOUNDS, STUDIED


def is_tree(nodes: np.ndarray, move_count: int) -> bool:
    """Whether the children of all nodes are the nodes 1, 2, ... once each, every one above its parent in index."""
    count = len(nodes)
    if count == 0 or nodes[ROOT]["parent"] != -1 or nodes[ROOT]["move"] != -1:
        return False
    index = np.arange(count)
    first, children = nodes["first_child"].astype(np.int64), nodes["child_count"].astype(np.int64)
    expanded = children > 0
    inside = (first[expanded] > index[expanded]) & (first[expanded] + children[expanded] <= count)
    requests = (first[~expanded] <= 0) & (first[~expanded] >= -move_count)
    tree_moves = nodes["move"][1:]
    if np.any(children < 0) or not np.all(inside) or not np.all(requests):
        return False
    if children.sum() != count - 1 or np.any((tree_moves < 0) | (tree_moves >= move_count)):
        return False
    sizes = children[expanded]
    places = np.repeat(first[expanded] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    return np.array_equal(nodes["parent"][places], np.repeat(index[expanded], sizes))


def has_possible_numbers(nodes: np.ndarray, scale: Scale, studies: bool) -> bool:
    """Whether visits, sums, bounds, priors and flags are in their ranges."""
    visits, sums = nodes["visits"].astype(np.int64), nodes["sum"]
    lower, upper = nodes["lower"], nodes["upper"]
    flags = CLAIMED | RULE_BOUNDS | (STUDIED | PRUNED | PRESEARCHED if studies else 0)
    return bool(
        np.all((visits >= 0) & (visits <= MOST_VISITS))
        and np.all((visits * scale.least <= sums) & (sums <= visits * scale.most))
        and np.all((scale.lowest <= lower) & (lower <= upper) & (upper <= scale.highest))
        and np.all(np.isfinite(nodes["prior"]))
        and np.all((nodes["to_play"] == 0) | (nodes["to_play"] == 1))
        and np.all(nodes["flags"] & ~flags == 0)
    )


def has_possible_expectations(expectations: np.ndarray) -> bool:
    return bool(np.all((expectations == NOT_EXPECTED) | ((expectations >= 0.0) & (expectations <= 1.0))))


def has_possible_bounds(entries: np.ndarray, scale: Scale) -> bool:
    """Whether the entries of the table hold bounds of this game."""
    packed = entries[:, 1]
    lower, upper = packed_lower(packed), packed_upper(packed)
    return bool(np.all((scale.lowest <= lower) & (lower <= upper) & (upper <= scale.highest)))

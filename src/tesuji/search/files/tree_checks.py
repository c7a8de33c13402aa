"""Whether what a file says is a tree of this search. Compiled code follows a tree without looking, so its shape and every
number are checked here; its moves and its bounds are compared with the rules (`bound_checks.py`). A checksum keeps chance
out, not malice.
"""

from __future__ import annotations

import numpy as np

from tesuji.search.kernel.scale import Scale
from tesuji.search.kernel.table import packed_lower, packed_upper
from tesuji.search.kernel.tree import CLAIMED, LOOKED_AT, MOST_VISITS, PRUNED, ROOT, RULES_ASKED, STUDIED
from tesuji.search.selection.gaussian import MOMENTS, NO_GAME_BACK
from tesuji.search.selection.proof_numbers import MEMO, NUMBERS, RATED_NUMBERS
from tesuji.search.selection.rave import NOT_KEPT, RAVE, RAVE_ALONE

MANY_GAMES = 1 << 40  # of RAVE; more than anyone plays
LARGEST_SUM = 1 << 62


def is_tree(nodes: np.ndarray, move_count: int) -> bool:
    """Whether the children of all nodes are the nodes 1, 2, ... once each, every one above its parent in index."""
    count = len(nodes)
    if count == 0 or nodes[ROOT]["parent"] != -1 or nodes[ROOT]["move"] != -1:
        return False
    index = np.arange(count)
    first, children = nodes["first_child"].astype(np.int64), nodes["child_count"].astype(np.int64)
    expanded = children > 0
    inside = (first[expanded] > index[expanded]) & (first[expanded] + children[expanded] <= count)
    asked_for = (first[~expanded] <= 0) & (first[~expanded] >= -move_count)
    found = nodes["move"][1:]
    if np.any(children < 0) or not np.all(inside) or not np.all(asked_for):
        return False
    if children.sum() != count - 1 or np.any((found < 0) | (found >= move_count)):
        return False
    sizes = children[expanded]
    places = np.repeat(first[expanded] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    return np.array_equal(nodes["parent"][places], np.repeat(index[expanded], sizes))


def has_possible_numbers(nodes: np.ndarray, scale: Scale, studies: bool) -> bool:
    """Whether visits, sums, bounds, priors and flags are in their ranges."""
    visits, sums = nodes["visits"].astype(np.int64), nodes["sum"]
    lower, upper = nodes["lower"], nodes["upper"]
    flags = CLAIMED | RULES_ASKED | (STUDIED | PRUNED | LOOKED_AT if studies else 0)
    return bool(
        np.all((visits >= 0) & (visits <= MOST_VISITS))
        and np.all((visits * scale.least <= sums) & (sums <= visits * scale.most))
        and np.all((scale.lowest <= lower) & (lower <= upper) & (upper <= scale.highest))
        and np.all(np.isfinite(nodes["prior"]))
        and np.all((nodes["to_play"] == 0) | (nodes["to_play"] == 1))
        and np.all(nodes["flags"] & ~flags == 0)
    )


def has_possible_extra(extra: np.ndarray, scale: Scale) -> bool:
    """The same for the records that the selection rule keeps of the nodes."""
    if extra.dtype in (RAVE, RAVE_ALONE):
        games, sums = extra["visits"], extra["sum"]
        good = (games >= NOT_KEPT) & (games <= MANY_GAMES) & (sums >= -LARGEST_SUM) & (sums <= LARGEST_SUM)
        if extra.dtype == RAVE:
            own_games, own_sums = extra["own_games"].astype(np.int64), extra["own_sum"]
            good &= (own_games >= 0) & (own_games * scale.least <= own_sums) & (own_sums <= own_games * scale.most)
        return bool(np.all(good))
    if extra.dtype == MOMENTS:
        most = 2.0 * max(abs(scale.least), abs(scale.most)) + 1.0
        variance = extra["variance"]
        good = np.isfinite(variance) & ((variance >= 0.0) | (variance == NO_GAME_BACK)) & (np.abs(extra["value"]) <= most)
        return bool(np.all(good & (extra["squares"] >= 0) & (extra["squares"] <= LARGEST_SUM)))
    if extra.dtype in (NUMBERS, RATED_NUMBERS, MEMO):
        bonus = extra["bonus"] if extra.dtype == RATED_NUMBERS else np.zeros(1)
        return bool(np.all((extra["proof"] >= 0.0) & (extra["disproof"] >= 0.0)) and np.all((bonus >= 0.0) & (bonus <= 1.0)))
    return not extra.size


def has_possible_bounds(entries: np.ndarray, scale: Scale) -> bool:
    """Whether the entries of the table hold bounds of this game."""
    packed = entries[:, 1]
    lower, upper = packed_lower(packed), packed_upper(packed)
    return bool(np.all((scale.lowest <= lower) & (lower <= upper) & (upper <= scale.highest)))

"""The tree: one arena of nodes, root at index 0, the children of a node next to each other.

Point of view: `sum`, `lower` and `upper` are outcomes for player 0, whoever is to move. A node's statistics are those of the
games that went through it. Children are made all at once with the bounds of the whole range, so a move that was never
tried is the dummy child [lowest, highest] of the score-bounded paper (section 3.2).
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from tesuji.core.atomics import atomic_add
from tesuji.core.dispatch import kernel
from tesuji.core.errors import UserError
from tesuji.search.table import new_table

NODE = np.dtype(
    [
        ("sum", np.int64),  # outcomes of the games through here in units (options.sum_unit), added up
        ("visits", np.int32),
        ("first_child", np.int32),  # 0 = none
        ("parent", np.int32),
        ("move", np.int32),  # the move that leads here
        ("lower", np.int32),  # pessimistic bound of the outcome
        ("upper", np.int32),  # optimistic bound
        ("prior", np.float32),
        ("child_count", np.int16),  # written last when children appear: 0 = not expanded
        ("to_play", np.int8),  # known once expanded
        ("claimed", np.int8),  # a thread is adding, or has added, the children
    ]
)
RAVE = np.dtype([("sum", np.int64), ("visits", np.int64)])  # all moves as first: games in which the move came now or later
MOMENTS = np.dtype([("squares", np.int64), ("value", np.float32), ("variance", np.float32)])  # search/gaussian.py
assert NODE.itemsize <= 48 and NODE.itemsize + RAVE.itemsize <= 64

ROOT = 0
NO_GAME_BACK = -1.0  # in place of the variance of a new node
# The counters, those that change often far from those that are read often. KNOWN: entries of the table.
USED, KNOWN, CAPACITY, STATUS, KNOWN_LIMIT, COUNTERS = 0, 16, 32, 33, 34, 48
STATUS_FINE, STATUS_FULL, STATUS_ENDLESS, STATUS_TABLE_FULL, STATUS_CROSSED = 0, 1, 2, 3, 4
MOST_VISITS = 1 << 30
FIRST_TABLE = 1 << 14  # entries
KEPT_NOTHING = -1


class Tree(NamedTuple):
    nodes: np.ndarray  # NODE
    rave: np.ndarray  # RAVE, parallel to nodes; one entry when switched off
    moments: np.ndarray  # MOMENTS, parallel to nodes; one entry when switched off
    estimates: np.ndarray  # float32, parallel to nodes (search/estimates.py); one entry when switched off
    table: np.ndarray  # uint64: bounds of known positions (search/table.py); one entry when switched off
    counters: np.ndarray  # int64


def new_tree(
    memory: float,
    max_children: int,
    with_rave: bool,
    with_moments: bool,
    with_estimates: bool,
    with_table: bool,
    lowest: int,
    highest: int,
) -> Tree:
    """An empty tree that never takes more than `memory` MiB. Memory is only touched as the tree grows."""
    budget = int(memory * (1 << 20))
    node_size = NODE.itemsize + with_rave * RAVE.itemsize + with_moments * MOMENTS.itemsize + with_estimates * 4
    table_size = 16 * largest_table(memory) if with_table else 0
    capacity = min((budget - table_size) // node_size, 2**31 - 1)
    if capacity < 1 + max_children:
        need = (1 + max_children) * node_size / (1 << 20)
        raise UserError(f"memory={memory:g} MiB is too small for a tree of one move: {need * 1.25:.2g} MiB or more")
    tree = Tree(
        np.zeros(capacity, NODE),
        np.zeros(capacity if with_rave else 1, RAVE),
        np.zeros(capacity if with_moments else 1, MOMENTS),
        np.zeros(capacity if with_estimates else 1, np.float32),
        new_table(min(FIRST_TABLE, largest_table(memory)) if with_table else 0),
        np.zeros(COUNTERS, np.int64),
    )
    tree.counters[CAPACITY] = capacity
    set_table_limit(tree, memory)
    reset_root(tree, lowest, highest)
    return tree


def largest_table(memory: float) -> int:
    """Entries of the table at its largest: a power of two, at most a fifth of the memory, at least one bucket."""
    entries = 4
    while entries * 2 * 16 <= memory * (1 << 20) / 5:
        entries *= 2
    return entries


def set_table_limit(tree: Tree, memory: float) -> None:
    """The table asks to be made larger when it is half full, until it is as large as it may be."""
    entries = len(tree.table) // 2
    tree.counters[KNOWN_LIMIT] = entries // 2 if 1 < entries < largest_table(memory) else np.iinfo(np.int64).max


def reset_root(tree: Tree, lowest: int, highest: int) -> None:
    """Forgets the tree: a root without children."""
    root = np.zeros(1, NODE)
    root["lower"], root["upper"] = lowest, highest
    root["move"] = root["parent"] = -1
    tree.nodes[:1] = root
    tree.rave[:1] = 0
    tree.moments[:1] = 0
    tree.estimates[:1] = 0
    tree.counters[USED] = 1
    tree.counters[STATUS] = STATUS_FINE


def tree_hash(tree: Tree) -> str:
    """A digest of all nodes: equal searches give equal digests, whatever the mode they ran in."""
    used = int(tree.counters[USED])
    digest = hashlib.sha256(tree.nodes[:used].tobytes())
    if len(tree.rave) > 1:
        digest.update(tree.rave[:used].tobytes())
    if len(tree.moments) > 1:
        digest.update(tree.moments[:used].tobytes())
    if len(tree.estimates) > 1:
        digest.update(tree.estimates[:used].tobytes())
    return digest.hexdigest()


@kernel
def add_children(tree, node, moves, count, lowest, highest):
    """Makes `count` unvisited children with the moves given; returns the first, or 0 when the arena is full.

    They are not yet published: the caller may still change them, then calls `publish_children`.
    """
    counters = tree.counters
    first = atomic_add(counters, USED, count)
    if first + count > counters[CAPACITY]:
        atomic_add(counters, USED, -count)
        counters[STATUS] = STATUS_FULL
        return 0
    nodes = tree.nodes
    with_rave = len(tree.rave) > 1
    with_moments = len(tree.moments) > 1
    with_estimates = len(tree.estimates) > 1
    for i in range(count):
        child = nodes[first + i]
        child["sum"] = 0
        child["visits"] = 0
        child["first_child"] = 0
        child["parent"] = node
        child["move"] = moves[i]
        child["lower"] = lowest
        child["upper"] = highest
        child["prior"] = 0.0
        child["child_count"] = 0
        child["to_play"] = 0
        child["claimed"] = 0
        if with_rave:
            entry = tree.rave[first + i]
            entry["sum"] = 0
            entry["visits"] = 0
        if with_moments:
            moments = tree.moments[first + i]
            moments["squares"] = 0
            moments["value"] = 0.0
            moments["variance"] = NO_GAME_BACK
        if with_estimates:
            tree.estimates[first + i] = 0.0
    return first


@kernel
def publish_children(tree, node, first, count):
    """Makes finished children visible to every thread: the count is written last, with a barrier before it."""
    tree.nodes[node]["first_child"] = first
    atomic_add(tree.nodes["child_count"], node, count)


@kernel
def halve(tree):
    """Half of all visits and sums, so that counts never overflow; means stay what they are."""
    nodes = tree.nodes
    for i in range(tree.counters[USED]):
        nodes[i]["sum"] = nodes[i]["sum"] // 2
        nodes[i]["visits"] = nodes[i]["visits"] // 2
    if len(tree.moments) > 1:
        for i in range(tree.counters[USED]):
            tree.moments[i]["squares"] = tree.moments[i]["squares"] // 2


@kernel
def compact(tree, new_root, min_visits, drop_proven, new_index):
    """Keeps the subtree of `new_root`, without what lies below proven nodes (if asked) and below nodes of few visits.

    Slides the kept nodes down in place: a child's index is always above its parent's, so one pass in order of index
    meets every parent first. `new_index` (int32, one entry a node) is scratch: where each old node went.
    """
    nodes = tree.nodes
    with_rave = len(tree.rave) > 1
    with_moments = len(tree.moments) > 1
    with_estimates = len(tree.estimates) > 1
    used = tree.counters[USED]
    for i in range(used):
        new_index[i] = KEPT_NOTHING
    new_index[new_root] = ROOT
    if new_root != ROOT:
        nodes[ROOT] = nodes[new_root]
        if with_rave:
            tree.rave[ROOT] = tree.rave[new_root]
        if with_moments:
            tree.moments[ROOT] = tree.moments[new_root]
        if with_estimates:
            tree.estimates[ROOT] = tree.estimates[new_root]
    nodes[ROOT]["parent"] = -1
    nodes[ROOT]["move"] = -1
    free = 1
    old = new_root + 1
    while old < used:
        parent = nodes[old]["parent"]
        home = new_index[parent]
        if home == KEPT_NOTHING:
            old += 1
            continue
        # `old` is the first of a block of siblings; `home` is where their parent now lives.
        owner = nodes[home]
        count = np.int64(owner["child_count"])
        few = owner["visits"] < min_visits and home != ROOT
        proven = drop_proven and owner["lower"] == owner["upper"] and home != ROOT
        if few or proven:
            owner["first_child"] = 0
            owner["child_count"] = 0
            old += count
            continue
        owner["first_child"] = free
        for _ in range(count):
            nodes[free] = nodes[old]
            nodes[free]["parent"] = home
            if with_rave:
                tree.rave[free] = tree.rave[old]
            if with_moments:
                tree.moments[free] = tree.moments[old]
            if with_estimates:
                tree.estimates[free] = tree.estimates[old]
            new_index[old] = free
            free += 1
            old += 1
    for i in range(free):
        if nodes[i]["child_count"] == 0:
            nodes[i]["claimed"] = 0
    tree.counters[USED] = free
    tree.counters[STATUS] = STATUS_FINE

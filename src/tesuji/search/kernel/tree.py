"""The tree: one arena of nodes, root at index 0, the children of a node next to each other.

Point of view: `sum`, `lower` and `upper` are for player 0, whoever is to move. A node's statistics are those of the games that
went through it. Children are made all at once with the bounds of the whole range, so a move that was never tried is the dummy
child [lowest, highest] of the score-bounded paper (section 3.2).

What only one selection rule keeps of a node is in `statistics`, parallel to the nodes, whose record type the rule names, and
what the policy expects of its position in `expectations`. What a study put in place of a node's position is in `positions`.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.core.errors import UserError
from tesuji.core.numba.atomics import atomic_add, atomic_max, atomic_or, compare_and_swap, load
from tesuji.search.kernel.table import new_table
from tesuji.search.selection.interface import NOTHING, begin_statistics, copy_memo, halve_statistics

NODE = np.dtype(
    [
        ("sum", np.int64),  # scores of the games through here, added up (search/kernel/scale.py)
        ("visits", np.int32),
        ("first_child", np.int32),  # 0 = none; -1 - r in a node without children: a study requests the reply r
        ("parent", np.int32),
        ("move", np.int32),  # the move that leads here
        ("lower", np.int32),  # pessimistic bound of the outcome
        ("upper", np.int32),  # optimistic bound
        ("prior", np.float32),
        ("child_count", np.int16),  # written last when children appear: 0 = not expanded
        ("to_play", np.int8),  # known once expanded
        ("flags", np.int8),
    ]
)
assert NODE.itemsize <= 48

# Flags of a node.
CLAIMED = 1  # a thread is adding, or has added, the children
RULE_BOUNDS = 2  # the rules' own bounds of the position have been applied
STUDIED = 4  # the policy has studied the position, or is studying it
REPLACED = 8  # a study has replaced the position by one in `positions`
PRUNED = 16  # skipped by selection and by the parent's bounds; the node's own bounds stay valid
PRESEARCHED = 32  # a move of the root that the policy has studied before the search began

ROOT = 0
# Indices of the counters: those that change often lie far from those that are read often. STATUS holds the node where the
# slices have stopped in its NODE_BITS, and the reason above them.
USED, TABLE_ENTRIES, CAPACITY, STATUS, TABLE_LIMIT, REPLACEMENTS, COUNTERS = 0, 16, 32, 33, 34, 35, 48
NODE_BITS = 32
MEMO_LIMIT = 38  # the number of nodes above which the memory for the rule's records of positions is enlarged
NOTES, NOTES_END = 40, 44  # the counters that the selection rule has for notes of its own on the whole tree
# Why the slices have stopped, the worst reason last: it overrides the others.
FINE, TABLE_FULL, FULL, ENDLESS, ILLEGAL, BAD_EVALUATION, NO_NUMBER, ALL_PRUNED, BAD_STUDY, CROSSED = range(10)
MOST_VISITS = 1 << 30
FIRST_TABLE = 1 << 14  # entries
POSITIONS_SHARE, MEMO_SHARE = 8, 6  # the parts of the memory that each may take, at most
DROPPED = -1
NOT_EXPECTED = -1.0


class Tree(NamedTuple):
    nodes: np.ndarray  # NODE
    statistics: np.ndarray  # records of the rule's own, parallel to nodes; one if there is nothing in them
    expectations: np.ndarray  # float32, parallel to nodes: the result that the policy expects, from 0 to 1; one if none is used
    table: np.ndarray  # uint64: the transposition table (search/kernel/table.py); one entry when switched off
    memo: np.ndarray  # records that the rule keeps of positions, in buckets of four; one if it keeps none
    counters: np.ndarray  # int64
    positions: np.ndarray  # states that replace those of the nodes in `owners`; one when the policy never does that
    owners: np.ndarray  # int32, parallel to positions
    places: np.ndarray  # int32: a hash table from nodes to 1 + the index of their position; 0 = free


def new_tree(
    memory: float,
    max_children: int,
    statistics: np.dtype,
    memo: np.dtype,
    table_share: float,
    with_expectations: bool,
    with_positions: bool,
    start: Any,
) -> Tree:
    """A tree that never takes more than `memory` MiB; `reset_root` begins it. Memory is only touched as it grows.

    max_children        the most moves of a position
    statistics          the record type of what the rule keeps of every node
    memo                the record type of what it keeps of positions
    table_share         the part of the memory for the transposition table, 0 = no table
    with_expectations   whether what the policy expects of positions is kept
    with_positions      whether studies may put positions in place of those of nodes
    start               the position of the root
    """
    budget = int(memory * (1 << 20))
    with_table = table_share > 0.0
    node_size = NODE.itemsize + (0 if statistics == NOTHING else statistics.itemsize) + (4 if with_expectations else 0)
    table_size = 16 * largest_table(memory, table_share) if with_table else 0
    positions, places = position_capacity(budget, start.dtype.itemsize) if with_positions else (1, 2)
    position_size = positions * (start.dtype.itemsize + 4) + 4 * places if with_positions else 0
    memos = largest_memo(memory, memo, table_share)
    memo_size = memos * memo.itemsize if memos > 1 else 0
    capacity = min((budget - table_size - position_size - memo_size) // node_size, 2**31 - 1)
    if capacity < 1 + max_children:
        need = (1 + max_children) * node_size / (1 << 20)
        raise UserError(f"memory={memory:g} MiB is too small for a tree of one move: {need * 1.25:.2g} MiB or more")
    try:
        tree = Tree(
            nodes=np.zeros(capacity, NODE),
            statistics=np.zeros(1 if statistics == NOTHING else capacity, statistics),
            expectations=np.zeros(capacity if with_expectations else 1, np.float32),
            table=new_table(min(FIRST_TABLE, largest_table(memory, table_share)) if with_table else 0),
            memo=np.zeros(min(FIRST_TABLE, memos), memo),
            counters=np.zeros(COUNTERS, np.int64),
            positions=np.zeros(positions, start.dtype),
            owners=np.zeros(positions, np.int32),
            places=np.zeros(places, np.int32),
        )
    except MemoryError:
        raise UserError(f"memory={memory:g} MiB is more than there is") from None
    tree.counters[CAPACITY] = capacity
    set_table_limit(tree, memory, table_share)
    set_memo_limit(tree, memory, table_share)
    return tree


def largest_table(memory: float, share: float) -> int:
    """Entries of the table at its largest: a power of two, within its share of the memory, at least one bucket."""
    entries = 4
    while entries * 2 * 16 <= memory * (1 << 20) * share:
        entries *= 2
    return entries


def set_table_limit(tree: Tree, memory: float, share: float) -> None:
    """The table is enlarged when it is half full, until it is as large as it may be."""
    entries = len(tree.table) // 2
    tree.counters[TABLE_LIMIT] = entries // 2 if 1 < entries < largest_table(memory, share) else np.iinfo(np.int64).max


def largest_memo(memory: float, memo: np.dtype, table_share: float) -> int:
    """The most records that the rule may keep of positions: a power of two within a share of what the table leaves; 1 = none.

    They have the same keys as the entries of the transposition table, so there are none without it.
    """
    count = 4
    while count * 2 * memo.itemsize <= memory * (1 << 20) * (1.0 - table_share) / MEMO_SHARE:
        count *= 2
    return 1 if table_share == 0.0 or memo == NOTHING else count


def set_memo_limit(tree: Tree, memory: float, table_share: float) -> None:
    """The memo is enlarged when the tree has as many nodes as it has records, until it is as large as it may be."""
    count = len(tree.memo)
    full = count == largest_memo(memory, tree.memo.dtype, table_share)
    tree.counters[MEMO_LIMIT] = np.iinfo(np.int64).max if full else count


def position_capacity(budget: int, size: int) -> tuple[int, int]:
    """How many replaced positions, and places of the hash table that finds them, fit into their share of the memory."""
    count = max(1, budget // POSITIONS_SHARE // (size + 20))
    places = 2
    while places < 2 * count:
        places *= 2
    return count, places


def reset_root(tree: Tree, rule: Any, lowest: int, highest: int) -> None:
    """Empties the tree: a root without children. The transposition table and the memo, which hold of positions, stay."""
    root = np.zeros(1, NODE)
    root["lower"], root["upper"] = lowest, highest
    root["move"] = root["parent"] = -1
    tree.nodes[:1] = root
    begin_statistics(rule, tree.statistics[0])
    tree.expectations[0] = NOT_EXPECTED
    tree.places[:] = 0
    tree.counters[REPLACEMENTS] = 0
    tree.counters[NOTES:NOTES_END] = 0
    tree.counters[USED] = 1
    tree.counters[STATUS] = FINE


def tree_hash(tree: Tree) -> str:
    """A digest of all nodes: equal searches give equal digests, whatever the mode they ran in."""
    used = int(tree.counters[USED])
    digest = hashlib.sha256(tree.nodes[:used].tobytes())
    for array in (tree.statistics, tree.expectations):
        if len(array) > 1:
            digest.update(array[:used].tobytes())
    placed = int(tree.counters[REPLACEMENTS])
    if placed:
        digest.update(tree.owners[:placed].tobytes() + tree.positions[:placed].tobytes())
    return digest.hexdigest()


# -- stopping --------------------------------------------------------------------------------------------------------------
@called_kernel
def stop(counters, status, node):
    """Ends the slices of all threads. A reason never replaces a worse one of another thread, nor its node."""
    atomic_max(counters, STATUS, np.int64(status) << NODE_BITS | np.int64(node))


# -- children --------------------------------------------------------------------------------------------------------------
@kernel
def reserve(counters, used, count, capacity):
    """Reserves `count` places for this thread and returns the first, or -1. `used` is the index of their counter."""
    while True:
        first = load(counters, used)
        if first + count > capacity:
            return np.int64(-1)
        if compare_and_swap(counters, used, first, first + count) == first:
            return np.int64(first)


@kernel
def add_children(tree, rule, node, moves, count, lowest, highest):
    """Makes unvisited children of a node; returns the first, or 0 when the arena is full.

    They are not published yet: the caller may still change them, then calls `publish_children`.

    rule              the selection rule, which begins their statistics
    node              the index of their parent
    moves, count      int32[at least count]: their moves
    lowest, highest   the range of outcomes, which are their first bounds
    """
    first = reserve(tree.counters, USED, count, tree.counters[CAPACITY])
    if first < 0:
        stop(tree.counters, FULL, node)
        return np.int64(0)
    nodes = tree.nodes
    has_statistics = len(tree.statistics) > 1
    for i in range(count):
        if len(tree.expectations) > 1:
            tree.expectations[first + i] = NOT_EXPECTED
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
        child["flags"] = 0
        if has_statistics:
            begin_statistics(rule, tree.statistics[first + i])
    return first


@kernel
def publish_children(tree, node, first, count):
    """Makes finished children visible to every thread: the count is written last, with a barrier before it."""
    tree.nodes[node]["first_child"] = first
    atomic_add(tree.nodes["child_count"], node, count)


@kernel
def request_reply(nodes, node, reply):
    """Stores a reply for when the node gets its children; without effect if it has some."""
    compare_and_swap(nodes["first_child"], node, 0, -1 - reply)


@kernel
def requested_reply(record):
    """The reply that a study has requested at a node without children; -1 = none."""
    return -1 - np.int64(record["first_child"]) if record["first_child"] < 0 else np.int64(-1)


# -- positions that replace others -------------------------------------------------------------------------------------------
@kernel
def replace_position(tree, node, state):
    """Puts `state` in place of the node's position; if the memory for such positions is full, the node keeps its own."""
    index = reserve(tree.counters, REPLACEMENTS, 1, len(tree.positions))
    if index >= 0:
        tree.positions[index] = state
        tree.owners[index] = node
        hash_position(tree, node, index)
        atomic_or(tree.nodes["flags"], node, REPLACED)


@kernel
def hash_position(tree, node, index):
    """Enters a position into the hash table, which is never more than half full."""
    places = tree.places
    last = len(places) - 1
    place = node & last
    while compare_and_swap(places, place, 0, index + 1) != 0:
        place = (place + 1) & last


@kernel
def apply_replacement(tree, node, states, slot):
    """Changes states[slot], the node's position, to the one that a study put in its place, if there is one."""
    if load(tree.nodes["flags"], node) & REPLACED == 0:
        return
    last = len(tree.places) - 1
    place = node & last
    while tree.owners[tree.places[place] - 1] != node:
        place = (place + 1) & last
    states[slot] = tree.positions[tree.places[place] - 1]


@kernel
def copy_memo_entries(rule, old, new):
    """Puts the rule's records of positions into a larger array."""
    for slot in range(len(old)):
        copy_memo(rule, old[slot], new)
    return 0


# -- looking after the arena -------------------------------------------------------------------------------------------------
# These take the arrays, not the tree, whose type has the game's positions in it: one compilation serves all games.
@kernel
def halve(rule, nodes, statistics, used):
    """Half of all visits, and of what belongs to them, so that counts never overflow; means stay as near as they can.

    A move that was tried keeps a visit: selection may rely on the order in which moves were tried first.
    """
    for i in range(used):
        visits = np.int64(nodes[i]["visits"])
        left = (visits + 1) // 2
        nodes[i]["visits"] = left
        nodes[i]["sum"] = scaled_sum(np.int64(nodes[i]["sum"]), visits, left)
        if len(statistics) > 1:
            halve_statistics(rule, statistics[i], visits, left)


@kernel
def scaled_sum(total, visits, left):
    """The part of a total over `visits` games that falls to `left` of them, rounded down: its mean is in the same range."""
    if left == 0:
        return np.int64(0)
    whole = total // visits
    return whole * left + (total - whole * visits) * left // visits


@kernel
def compact(nodes, statistics, used, new_root, min_visits, drop_proven, new_index):
    """Keeps the subtree of `new_root` without what is dropped from it; returns how many nodes are left.

    Slides the nodes down in place: a child's index is always above its parent's, so one pass in order of index meets every
    parent first.

    nodes         NODE[at least used]
    statistics    the rule's records, parallel to nodes; one record if the rule has none
    used          how many nodes there are
    new_root      the index of the node that becomes the root
    min_visits    what lies below nodes with fewer visits is dropped
    drop_proven   whether what lies below proven nodes is dropped too
    new_index     int32[used]: becomes the new index of each node, DROPPED for those that are gone
    """
    has_statistics = len(statistics) > 1
    for i in range(used):
        new_index[i] = DROPPED
    new_index[new_root] = ROOT
    if new_root != ROOT:
        nodes[ROOT] = nodes[new_root]
        if has_statistics:
            statistics[ROOT] = statistics[new_root]
    nodes[ROOT]["parent"] = -1
    nodes[ROOT]["move"] = -1
    nodes[ROOT]["flags"] &= ~PRUNED
    free = 1
    old = new_root + 1
    while old < used:
        parent = nodes[old]["parent"]
        home = new_index[parent]
        if home == DROPPED:
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
            if has_statistics:
                statistics[free] = statistics[old]
            new_index[old] = free
            free += 1
            old += 1
    for i in range(free):
        if nodes[i]["child_count"] == 0:  # to be expanded and studied again
            nodes[i]["flags"] &= ~(CLAIMED | STUDIED | REPLACED)
    return free


def compact_expectations(tree: Tree, new_index: np.ndarray) -> None:
    """Moves what is expected of the nodes that are left to where these are now."""
    left = np.flatnonzero(new_index != DROPPED)
    tree.expectations[new_index[left]] = tree.expectations[left]


def compact_positions(tree: Tree, new_index: np.ndarray) -> None:
    """Keeps the positions of those nodes that are still there and have children. There are few: this is plain Python."""
    tree.places[:] = 0
    left = 0
    for index in range(int(tree.counters[REPLACEMENTS])):
        node = np.int64(new_index[tree.owners[index]])
        if node != DROPPED and tree.nodes[node]["flags"] & REPLACED != 0:
            tree.positions[left] = tree.positions[index]
            tree.owners[left] = node
            hash_position(tree, node, left)
            left += 1
    tree.counters[REPLACEMENTS] = left

"""Proof numbers: how much is left to prove, counted in leaves of the tree (Allis 1994; Saffidine and Cazenave 2012).

A rule with `statistics=NUMBERS`, or `RATED_NUMBERS`, keeps two numbers of every node, both from player 0's point of view:
    proof      the least number of leaves that must still turn out well to prove that the outcome is at least `high`
    disproof   the same for proving that it is less
The goal `high` is that of the whole tree and follows from the root's bounds. Where player 0 is to move

    proof = min over the moves of proof            disproof = sum over the moves of disproof

and where player 1 is, the other way round. Bounds decide: a node whose lower bound is `high` or more has proof 0, and so on.
So the numbers never prove anything themselves. They only say which node comes next; wrong ones cost time, not soundness.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tesuji.core.dispatch import kernel, operation, operation_with_default
from tesuji.core.numba.atomics import compare_and_swap, load
from tesuji.core.rules import FIRST
from tesuji.search.kernel.scale import for_mover
from tesuji.search.kernel.table import OFFSET, U2, UNKNOWN
from tesuji.search.kernel.tree import (
    MEMO_LIMIT,
    NOTES,
    PRUNED,
    ROOT,
    TABLE_FULL,
    USED,
    Tree,
    stop,
)
from tesuji.search.selection.interface import (
    NodeStatistics,
    Statistics,
    are_possible,
    are_possible_memos,
    begin_statistics,
    copy_memo,
    recall,
    statistics_of,
    take_rating,
)

MEMO = np.dtype([("key", np.uint64), ("proof", np.float32), ("disproof", np.float32)])
LARGEST = 1e30  # numbers are counted up to here; what is impossible has infinity
# Cells of the tree's notes: the goal, the size of the tree when it was last chosen (0 = never), and a lock. NOTES + 1 is unused
# and stays so, as the cells are part of saved searches.
HIGH, CHOSEN_AT, LOCK = NOTES, NOTES + 2, NOTES + 3
GOAL_FACTOR = np.uint64(0x9E3779B97F4A7C15)
NEVER_ANEW = 1 << 60  # as the size of the tree when the goal was chosen: none is twice as large
FIRST_CHOICE = 512  # nodes: the goal is not chosen anew in a tree of fewer than twice as many


# -- what a rule can say -----------------------------------------------------------------------------------------------------
@operation_with_default
def adds_up(rule):
    """Whether a number that needs several moves is their sum; else it is the largest, and one for each of the others.

    The sum counts a position that several moves lead to once for each (Ueda et al. 2008, weak proof-number search).
    """
    return True


@operation_with_default
def widening_of(rule):
    """The share of the open moves, first ones first, among which the mover's number is the least; 1 = all."""
    return 1.0


@operation
def choose_goal(rule, tree, scratch, options):
    """Sets the goal if it is not what it should be now; returns whether the numbers of all nodes are new.

    Called after every simulation, when the bounds of the root are up to date.
    """


# -- numbers of a node ---------------------------------------------------------------------------------------------------------
@kernel
def write_numbers(node, record, proof, disproof, high):
    """Writes the numbers into the record, except where the node's bounds answer the question already."""
    lower = np.int64(node["lower"])
    upper = np.int64(node["upper"])
    if lower >= high:
        proof, disproof = 0.0, math.inf
    elif upper < high:
        proof, disproof = math.inf, 0.0
    else:
        proof, disproof = min(max(proof, 1.0), LARGEST), min(max(disproof, 1.0), LARGEST)
    record["proof"] = proof
    record["disproof"] = disproof


@kernel
def number_leaf(tree, index, high):
    """The numbers of a node that has no children now. One that had some keeps its numbers: it was as hard as that."""
    node = tree.nodes[index]
    record = tree.statistics[index]
    proof = np.float64(record["proof"])
    disproof = np.float64(record["disproof"])
    if proof == math.inf or disproof == math.inf:
        proof, disproof = 1.0, 1.0
    write_numbers(node, record, proof, disproof, high)


@kernel
def number_node(rule, tree, index, high, look_at_leaves):
    """Computes the numbers of a node from those of its children; with `look_at_leaves`, theirs are brought up to date first."""
    nodes = tree.nodes
    statistics = tree.statistics
    node = nodes[index]
    count = np.int64(load(nodes["child_count"], index))  # before first_child: it is published last
    if count == 0:
        number_leaf(tree, index, high)
        return
    first = np.int64(node["first_child"])
    left = open_prefix(rule, tree, node, count, high)
    maximises = node["to_play"] == FIRST
    least_proof = math.inf
    least_disproof = math.inf
    all_proof = 0.0
    all_disproof = 0.0
    largest_proof = 0.0
    largest_disproof = 0.0
    needed_proof = 0.0
    needed_disproof = 0.0
    for child in range(first, first + count):
        if nodes[child]["flags"] & PRUNED != 0:
            continue
        record = statistics[child]
        if look_at_leaves:
            if nodes[child]["child_count"] == 0:
                number_leaf(tree, child, high)
            else:
                write_numbers(nodes[child], record, np.float64(record["proof"]), np.float64(record["disproof"]), high)
        proof = np.float64(record["proof"])
        disproof = np.float64(record["disproof"])
        if left > 0:
            least_proof = min(least_proof, proof)
            least_disproof = min(least_disproof, disproof)
            left -= 1 if (proof if maximises else disproof) < math.inf else 0
        all_proof += proof
        all_disproof += disproof
        largest_proof = max(largest_proof, proof)
        largest_disproof = max(largest_disproof, disproof)
        if proof > 0.0:
            needed_proof += 1.0
        if disproof > 0.0:
            needed_disproof += 1.0
    if not adds_up(rule):
        all_proof = largest_proof + max(0.0, needed_proof - 1.0)
        all_disproof = largest_disproof + max(0.0, needed_disproof - 1.0)
    if maximises:
        write_numbers(node, statistics[index], least_proof, all_disproof, high)
    else:
        write_numbers(node, statistics[index], all_proof, least_disproof, high)


@kernel
def open_prefix(rule, tree, node, count, high):
    """How many of the open moves of a node with `count` moves count for the mover's number: the first, in their order."""
    if widening_of(rule) >= 1.0:
        return count
    first = np.int64(node["first_child"])
    maximises = node["to_play"] == FIRST
    open_moves = np.int64(0)
    for child in range(first, first + count):
        other = tree.nodes[child]
        if other["flags"] & PRUNED == 0 and (other["upper"] >= high if maximises else other["lower"] < high):
            open_moves += 1
    return 1 + np.int64(math.ceil(widening_of(rule) * open_moves))


@kernel
def number_tree(rule, tree, high):
    """Computes the numbers of all nodes for this goal. A child's index is above its parent's: one pass from the end."""
    tree.counters[HIGH] = high
    for index in range(tree.counters[USED] - 1, -1, -1):
        number_node(rule, tree, index, high, False)


# -- the goal ------------------------------------------------------------------------------------------------------------------
@kernel
def set_goal(rule, tree, high, options):
    """Makes this the goal; whether it is new."""
    counters = tree.counters
    if counters[CHOSEN_AT] > 0 and counters[HIGH] == high:
        return False
    if not is_alone(tree, options):
        return False
    counters[CHOSEN_AT] = counters[USED]
    number_tree(rule, tree, high)
    counters[LOCK] = 0
    return True


@kernel
def is_alone(tree, options):
    """Whether no other thread is just choosing a goal. Where this is true, the caller gives the lock back."""
    return not options.sharing.shared or compare_and_swap(tree.counters, LOCK, 0, 1) == 0


@kernel
def ask_easiest(rule, tree, scratch, options):
    """Asks one question, "is it at least v?", the one whose answer seems nearest by the numbers of the root.

    Looked at are the lowest, the middle and the highest open v. The question is chosen anew when it has been answered, and
    when the tree has grown to twice its size, so that one does not stay with a question that has turned out hard.
    """
    counters = tree.counters
    root = tree.nodes[ROOT]
    lower = np.int64(root["lower"])
    upper = np.int64(root["upper"])
    open_now = lower < counters[HIGH] and counters[HIGH] <= upper
    grown = counters[USED] >= 2 * max(counters[CHOSEN_AT], FIRST_CHOICE)
    if lower == upper or (counters[CHOSEN_AT] > 0 and open_now and (not grown or upper - lower == 1)):
        return False
    if not is_alone(tree, options):
        return False
    counters[CHOSEN_AT] = counters[USED]
    middle = (lower + upper + 1) // 2
    best = lower + 1
    least = effort_for(rule, tree, best)
    if middle > lower + 1 and middle < upper:
        effort = effort_for(rule, tree, middle)
        if effort < least:
            best, least = middle, effort
    if upper > lower + 1:
        effort = effort_for(rule, tree, upper)
        if effort < least:
            best = upper
    if counters[HIGH] != best:
        number_tree(rule, tree, best)
    counters[LOCK] = 0
    return True


def ask(tree: Tree, high: int) -> None:
    """Has a search that is about to begin ask "is it at least `high`?", and nothing else until that is answered."""
    tree.counters[HIGH], tree.counters[CHOSEN_AT] = high, NEVER_ANEW


@kernel
def effort_for(rule, tree, high):
    """How far the answer to "is it at least `high`?" seems to be, whatever it is. The tree has the numbers of it then."""
    number_tree(rule, tree, high)
    return min(np.float64(tree.statistics[ROOT]["proof"]), np.float64(tree.statistics[ROOT]["disproof"]))


# -- numbers of positions ----------------------------------------------------------------------------------------------------
@kernel
def memo_key(key, high):
    """The key of a position for a goal, in the table of numbers."""
    return key ^ (np.uint64(high + OFFSET) * GOAL_FACTOR)


@kernel
def bucket_of_memo(memo, key):
    return np.int64((key >> U2) & np.uint64(len(memo) // 4 - 1)) * 4


@kernel
def recall_numbers(rule, tree, index, key):
    """A leaf whose position has been searched elsewhere in the tree begins with the numbers that it has there."""
    memo = tree.memo
    own = memo_key(key, tree.counters[HIGH])
    start = bucket_of_memo(memo, own)
    for slot in range(start, start + 4):
        if memo[slot]["key"] == own:
            tree.statistics[index]["proof"] = memo[slot]["proof"]
            tree.statistics[index]["disproof"] = memo[slot]["disproof"]


@kernel
def keep_numbers(tree, index, key, high):
    """Keeps the numbers of a node for other nodes of its position."""
    record = tree.statistics[index]
    if key != UNKNOWN and record["proof"] != math.inf and record["disproof"] != math.inf:
        put_numbers(tree.memo, memo_key(key, high), record["proof"], record["disproof"])


@kernel
def put_numbers(memo, own, proof, disproof):
    """Enters numbers. A full bucket gives up the least ones: they took the least work.

    Threads may mix up an entry here. Numbers are only advice, so that is nothing to guard against.
    """
    start = bucket_of_memo(memo, own)
    chosen = start
    least = math.inf
    for slot in range(start, start + 4):
        if memo[slot]["key"] == own:
            chosen = slot
            break
        work = np.float64(memo[slot]["proof"]) + np.float64(memo[slot]["disproof"])
        if work < least:
            chosen = slot
            least = work
    memo[chosen]["key"] = own
    memo[chosen]["proof"] = proof
    memo[chosen]["disproof"] = disproof


@kernel
def copy_numbers(rule, entry, memo):
    if entry["key"] != UNKNOWN:
        put_numbers(memo, entry["key"], entry["proof"], entry["disproof"])


@kernel
def ask_for_room(tree):
    """Has the slices end when the tree has outgrown the table of numbers, so that it is made larger."""
    if tree.counters[USED] > tree.counters[MEMO_LIMIT]:
        stop(tree.counters, TABLE_FULL, ROOT)


# -- the records -------------------------------------------------------------------------------------------------------------
@kernel
def begin_numbers(rule, record):
    record["proof"] = 1.0
    record["disproof"] = 1.0


@kernel
def begin_rated_numbers(rule, record):
    begin_numbers(rule, record)
    record["bonus"] = 0.0


@kernel
def begin_by_rating(rule, record, rating, maximises, scale):
    """A move of value v for player 0 that counts for g games begins with 1 + g (1 - v) leaves to prove, 1 + g v to disprove."""
    value = for_mover(np.float64(rating["value"]), maximises)
    games = np.float64(rating["games"])
    record["proof"] = 1.0 + games * (1.0 - value)
    record["disproof"] = 1.0 + games * value


@kernel
def bonus_alone(rule, records, index):
    return NodeStatistics(0, 0, 0, 0, np.float64(records[index]["bonus"]))


def are_numbers(rule: Any, records: np.ndarray, scale: Any) -> bool:
    """Of nodes, or of positions (MEMO)."""
    return bool(np.all((records["proof"] >= 0.0) & (records["disproof"] >= 0.0)))


def are_rated_numbers(rule: Any, records: np.ndarray, scale: Any) -> bool:
    return are_numbers(rule, records, scale) and bool(np.all((records["bonus"] >= 0.0) & (records["bonus"] <= 1.0)))


NUMBERS = Statistics(
    np.dtype([("proof", np.float32), ("disproof", np.float32)]),
    {
        begin_statistics: begin_numbers,
        take_rating: begin_by_rating,
        recall: recall_numbers,
        copy_memo: copy_numbers,
        are_possible: are_numbers,
        are_possible_memos: are_numbers,
    },
)
RATED_NUMBERS = Statistics(
    np.dtype([("proof", np.float32), ("disproof", np.float32), ("bonus", np.float32)]),
    {begin_statistics: begin_rated_numbers, statistics_of: bonus_alone, are_possible: are_rated_numbers},
)

"""The loop over the children, written once for all rules, and the one that backs a score up.

It skips pruned, proven and cut children, adds this thread's local counts, and shows the rule every value as the player to move
sees it.
"""

from __future__ import annotations

import math

import numpy as np

from tesuji.core.dispatch import kernel, operation_with_default
from tesuji.core.parameters import Parameter
from tesuji.core.rules import FIRST
from tesuji.search.kernel.bounds import is_open
from tesuji.search.kernel.scale import for_mover
from tesuji.search.kernel.threads import MANY_VISITS, count_visit, has_local_counts, local_counts_of, real_visits
from tesuji.search.kernel.tree import NO_NUMBER, ROOT, stop
from tesuji.search.selection.interface import Child, Parent, begin_choice, seen_statistics, tries_in_order, worth

TABLE_SIZE = 4096
ROOT_OF_LOG = np.array([0.0] + [math.sqrt(math.log(n)) for n in range(1, TABLE_SIZE)])
INVERSE = np.array([1.0] + [1.0 / n for n in range(1, TABLE_SIZE)])
INVERSE_ROOT = np.sqrt(INVERSE)


@operation_with_default
def choose_child(rule, tree, scratch, depth, options):
    """Index of the child to visit of the expanded node path[depth], or -1 if every child is decided, cut or pruned."""
    nodes = tree.nodes
    index = scratch.path[depth]
    node = nodes[index]
    maximises = node["to_play"] == FIRST
    visits = real_visits(tree, scratch, depth, options)
    first = np.int64(node["first_child"])
    count = np.int64(node["child_count"])
    parent = Parent(np.float64(visits), root_of_log(visits), count, depth, maximises)  # type: ignore[arg-type]
    begin_choice(rule, tree, scratch, index)
    best = np.int64(-1)
    best_worth = -math.inf
    some_open = False
    in_order = options.in_order and (depth > 0 or options.root_in_order)
    for child in range(first, first + count):
        if not is_open(nodes[child], node, maximises, options):
            continue
        some_open = True
        view = view_of(rule, tree, scratch, child, maximises, options)
        value = worth(rule, view, parent)
        if value > best_worth:  # a jump, not selects: the processor guesses the best child and reads ahead below it
            best = child
            best_worth = value
        if tries_in_order(rule) and in_order and view.visits == 0.0:
            break  # of the moves that come after, none has been tried, and none is worth more
    if best < 0 and some_open:
        stop(tree.counters, NO_NUMBER, index)
    return best


@kernel
def view_of(rule, tree, scratch, index, maximises, options):
    """A `Child`: what the rule sees of the node, from the view of the player to move at its parent.

    rule        whose record of the node is read
    index       the child: tree.nodes[index]
    maximises   whether that player is player 0
    options     `Options` of the loop
    """
    scale = options.scale
    child = tree.nodes[index]
    games = np.int64(child["visits"])
    total = np.int64(child["sum"])
    if options.sharing.shared and games >= MANY_VISITS and has_local_counts(scratch, index):
        games += local_counts_of(scratch, index)["visits"]
        total += local_counts_of(scratch, index)["sum"]
    played = np.float64(games)
    statistics = seen_statistics(rule, tree, scratch, index, maximises, options)
    games += statistics.own_games
    total += statistics.own_sum
    visits = np.float64(games)
    inverse, inverse_root = inverses(games)
    average = np.float64(total) * inverse
    mean = for_mover((average - scale.least) * scale.per_sum, maximises) if games > 0 else 0.0
    rave_visits = np.float64(statistics.rave_games)
    rave_mean = 0.0
    if rave_visits > 0.0:
        rave_mean = for_mover((np.float64(statistics.rave_sum) / rave_visits - scale.least) * scale.per_sum, maximises)
    lower = (np.float64(child["lower"]) - scale.lowest) * scale.per_outcome
    upper = (np.float64(child["upper"]) - scale.lowest) * scale.per_outcome
    if not maximises:
        lower, upper = 1.0 - upper, 1.0 - lower
    rave = rave_visits, rave_mean
    return Child(visits, mean, np.float64(child["prior"]), *rave, lower, upper, inverse_root, statistics.bonus, played)


@kernel
def root_of_log(visits):
    """sqrt(ln N), from a table for most nodes: the logarithm took a tenth of the time."""
    return ROOT_OF_LOG[visits] if visits < TABLE_SIZE else math.sqrt(math.log(np.float64(visits)))


@kernel
def inverses(games):
    """1 / n and its square root, n the games of a child, from tables for most: computing them took a tenth of the time."""
    row = np.uint64(games)
    if row < np.uint64(TABLE_SIZE):
        return INVERSE[row], INVERSE_ROOT[row]
    inverse = 1.0 / np.float64(games)
    return inverse, math.sqrt(inverse)


# -- the root, for analysis --------------------------------------------------------------------------------------------------
ROOT_WIDENING = Parameter(
    "root_widening", 0.0, "share of the root's visits that moves other than the most visited one get, for analysis", 0.0, 0.9
)
WIDE = 0.3  # exploration constant among those moves


@kernel
def neglected_child(rule, tree, scratch, options):
    """Where the most visited open child of the root has more than its share of visits: the one to visit in its place, by UCT
    on plain means; -1 if it has not, or there is no other."""
    nodes = tree.nodes
    root = nodes[ROOT]
    maximises = root["to_play"] == FIRST
    visits = real_visits(tree, scratch, 0, options)
    first = np.int64(root["first_child"])
    last = first + np.int64(root["child_count"])
    leader, most = first, np.int64(-1)
    for child in range(first, last):
        if nodes[child]["visits"] > most and is_open(nodes[child], root, maximises, options):
            leader, most = child, np.int64(nodes[child]["visits"])
    best = np.int64(-1)
    if np.float64(most) <= (1.0 - options.root_widening) * np.float64(visits):
        return best
    best_worth = -math.inf
    for child in range(first, last):
        if child != leader and is_open(nodes[child], root, maximises, options):
            view = view_of(rule, tree, scratch, child, maximises, options)
            value = view.mean + WIDE * root_of_log(visits) / math.sqrt(max(view.visits, 0.1))
            if value > best_worth:
                best = child
                best_worth = value
    return best


@kernel
def child_below_goal(tree, scratch, options):
    """The open child of the root that lacks most visits of those that `scratch.root_goals` wants; -1 if none lacks any."""
    nodes = tree.nodes
    root = nodes[ROOT]
    maximises = root["to_play"] == FIRST
    first = np.int64(root["first_child"])
    best, most = np.int64(-1), np.int64(0)
    for child in range(first, first + np.int64(root["child_count"])):
        lacking = np.int64(scratch.root_goals[nodes[child]["move"]]) - np.int64(nodes[child]["visits"])
        if lacking > most and is_open(nodes[child], root, maximises, options):
            best, most = child, lacking
    return best


# -- backing up ----------------------------------------------------------------------------------------------------------------
@operation_with_default
def back_up(rule, tree, scratch, depth, score, options):
    """Counts a game that ended with this score in every node of the path.

    tree, scratch   as shared by all threads; of this thread, with the nodes scratch.path[0] to path[depth]
    score           what the game adds to the sums, for player 0 (scale.py)
    options         `Options` of the loop
    """
    count_game(rule, tree, scratch, depth, score, options)


@kernel
def count_game(rule, tree, scratch, depth, score, options):
    """Counts the score in every node of the path; the arguments are those of `back_up`."""
    nodes = tree.nodes
    for d in range(depth, -1, -1):
        if options.sharing.shared:
            count_visit(rule, tree, scratch, d, score, options)
        else:
            node = nodes[scratch.path[d]]
            node["visits"] += 1
            node["sum"] += score

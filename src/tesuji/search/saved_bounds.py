"""Which bounds of a saved tree are true. Those in a file are somebody's word; these follow from the rules and from the tree
itself.

One walk through the tree makes every position again and asks the rules: is the game over, what bounds do they give, what is
the position known by? From there bounds climb as in a search: from all moves to the node above, and between nodes of one
position. What a file says beyond that is left out. A search proves it again if it matters: it may have come from a part of
the tree that was dropped, from a policy's study, from a file of proofs, or from nowhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.rules import FIRST, bounds, is_over, moves, outcome, play, position_hash, symmetric_hash, to_play
from tesuji.search.bounds import OFF
from tesuji.search.expansion import rate
from tesuji.search.table import UNKNOWN, pack, packed_lower, packed_upper, packed_work
from tesuji.search.tree import LOOKED_AT, PRUNED, ROOT, STUDIED

# What the rules say of a node's position.
FACTS = np.dtype([("lower", np.int32), ("upper", np.int32), ("key", np.uint64), ("symmetric_key", np.uint64)])
NOT_ENTERED = -1
ALONE = -1  # the group of a node whose position has no hash


@kernel
def survey(nodes, facts, states, path, upcoming, buffer, marks, image, policy, ratings, options):
    """Fills in the facts of all nodes; returns a node whose children are not the moves of its position, -1 if there is none.

    Goes through the tree depth first. states[0] is the root's position; `states`, `path` and `upcoming` have a place for each
    depth, `marks` (int64, zeros) one for each move, `image` is one record. Without a solver only nodes with children are
    entered.
    """
    depth = 0
    path[0] = ROOT
    upcoming[0] = NOT_ENTERED
    proves = options.proof.solver != OFF
    while depth >= 0:
        node = path[depth]
        first = np.int64(nodes[node]["first_child"])
        count = np.int64(nodes[node]["child_count"])
        if upcoming[depth] == NOT_ENTERED:
            if proves:
                state_facts(facts[node], states[depth], image, options)
            if count > 0 and not are_its_moves(nodes, node, states[depth], buffer, marks, policy, ratings, options):
                return np.int64(node)
            upcoming[depth] = 0
        while not proves and upcoming[depth] < count and nodes[first + upcoming[depth]]["child_count"] == 0:
            upcoming[depth] += 1
        if upcoming[depth] == count:
            depth -= 1
            continue
        child = first + upcoming[depth]
        upcoming[depth] += 1
        depth += 1
        if depth == len(states):
            return np.int64(child)
        states[depth] = states[depth - 1]
        play(states[depth], nodes[child]["move"])
        path[depth] = child
        upcoming[depth] = NOT_ENTERED
    return np.int64(-1)


@kernel
def state_facts(fact, state, image, options):
    """What the rules say of a position without search."""
    lower = np.int64(options.scale.lowest)
    upper = np.int64(options.scale.highest)
    if is_over(state):
        lower = np.int64(outcome(state))
        upper = lower
    else:
        if options.proof.initial_bounds:
            low, high = bounds(state, lower, upper)
            lower = np.int64(low)
            upper = np.int64(high)
        if options.proof.transpositions:
            fact["key"] = position_hash(state)
            fact["symmetric_key"] = symmetric_hash(state, image) if options.proof.symmetry else fact["key"]
    fact["lower"] = lower
    fact["upper"] = upper


@kernel
def are_its_moves(nodes, node, state, buffer, marks, policy, ratings, options):
    """Whether the children of a node are different legal moves of its position. In a search that proves something they must be
    all of them, except for those that the policy prunes.
    """
    if is_over(state) or to_play(state) != nodes[node]["to_play"]:
        return False
    count = np.int64(moves(state, buffer))
    mark = np.int64(node) + 1
    for i in range(count):
        marks[buffer[i]] = mark
    first = np.int64(nodes[node]["first_child"])
    for child in range(first, first + nodes[node]["child_count"]):
        if marks[nodes[child]["move"]] != mark:
            return False
        marks[nodes[child]["move"]] = 0
    if options.proof.solver == OFF or nodes[node]["child_count"] == count:
        return True
    if not (options.rates and options.prunes):
        return False
    for i in range(rate(policy, state, buffer, count, np.int64(-1), ratings, options)):
        if marks[buffer[i]] == mark:
            return False
    return True


@kernel
def climb(nodes, facts, groups, shared):
    """Narrows the bounds of the facts by those of the children and by those of the same position; returns whether any changed.

    `shared` are the bounds of each group of nodes with one position: (lower, upper). A child's index is above its parent's.
    """
    changed = False
    for i in range(len(nodes) - 1, -1, -1):
        node = nodes[i]
        fact = facts[i]
        lower = np.int64(fact["lower"])
        upper = np.int64(fact["upper"])
        group = groups[i]
        if group != ALONE:
            lower = max(lower, shared[group, 0])
            upper = min(upper, shared[group, 1])
        if node["child_count"] > 0:
            first = np.int64(node["first_child"])
            maximises = node["to_play"] == FIRST
            low = np.int64(facts[first]["lower"])
            high = np.int64(facts[first]["upper"])
            for child in range(first + 1, first + node["child_count"]):
                if maximises:
                    low = max(low, np.int64(facts[child]["lower"]))
                    high = max(high, np.int64(facts[child]["upper"]))
                else:
                    low = min(low, np.int64(facts[child]["lower"]))
                    high = min(high, np.int64(facts[child]["upper"]))
            lower = max(lower, low)
            upper = min(upper, high)
        if lower > fact["lower"] or upper < fact["upper"]:
            fact["lower"] = lower
            fact["upper"] = upper
            changed = True
        if group != ALONE and (lower > shared[group, 0] or upper < shared[group, 1]):
            shared[group, 0] = max(lower, shared[group, 0])
            shared[group, 1] = min(upper, shared[group, 1])
            changed = True
    return changed


class Justified:
    """The bounds that follow from a tree whose facts are known. `run` runs a kernel."""

    def __init__(self, run: Any, nodes: np.ndarray, facts: np.ndarray, scale: Any):
        self._range = (int(scale.lowest), int(scale.highest))
        self._facts = facts
        self._keys, groups = np.unique(facts["symmetric_key"], return_inverse=True)
        groups = np.where(facts["symmetric_key"] == UNKNOWN, ALONE, groups.reshape(-1))
        self._shared = np.empty((len(self._keys), 2), np.int64)
        self._shared[:] = self._range
        while run(climb, nodes, facts, groups, self._shared):
            pass
        if np.any(facts["lower"] > facts["upper"]):  # the game's own bounds or its hash are wrong: nothing follows from them
            facts["lower"], facts["upper"] = self._range
            self._shared[:] = self._range
        plain = facts["key"] != facts["symmetric_key"]
        self._plain_keys, at = np.unique(facts["key"][plain], return_index=True)
        self._plain_groups = groups[plain][at]

    def keep_nodes(self, nodes: np.ndarray) -> np.ndarray:
        """Widens the bounds of nodes to what is justified; returns which nodes that changes."""
        lower, upper = np.minimum(nodes["lower"], self._facts["lower"]), np.maximum(nodes["upper"], self._facts["upper"])
        changed = (lower != nodes["lower"]) | (upper != nodes["upper"])
        nodes["lower"], nodes["upper"] = lower, upper
        return np.flatnonzero(changed)

    def keep_entries(self, entries: np.ndarray) -> int:
        """The same for entries of the table of known positions; one of which nothing is left becomes 0. Returns how many."""
        data = entries[:, 1]
        known = self._bounds_of(entries[:, 0] ^ data)
        lower, upper = np.minimum(packed_lower(data), known[:, 0]), np.maximum(packed_upper(data), known[:, 1])
        changed = (lower != packed_lower(data)) | (upper != packed_upper(data))
        keys, wider = (entries[:, 0] ^ data)[changed], pack(lower[changed], upper[changed], packed_work(data[changed]))
        entries[changed, 0], entries[changed, 1] = keys ^ wider, wider
        entries[changed & (lower == self._range[0]) & (upper == self._range[1])] = UNKNOWN
        return int(np.count_nonzero(changed))

    def _bounds_of(self, keys: np.ndarray) -> np.ndarray:
        """The bounds of positions by their keys; the whole range where nothing is known."""
        found = np.empty((len(keys), 2), np.int64)
        found[:] = self._range
        for known, groups in ((self._keys, np.arange(len(self._keys))), (self._plain_keys, self._plain_groups)):
            if len(known):
                at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
                there = (known[at] == keys) & (keys != UNKNOWN)
                found[there] = self._shared[groups[at[there]]]
        return found


def forget_studies(nodes: np.ndarray) -> None:
    """Has the policy study nodes again: its bounds and the moves that it pruned are not in the tree."""
    nodes["flags"] &= ~(STUDIED | PRUNED | LOOKED_AT)

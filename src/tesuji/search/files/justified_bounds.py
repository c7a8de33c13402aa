"""Checks the bounds of a saved tree: only those are used that follow from the rules and from the tree itself.

One walk through the tree reconstructs every position and asks the rules: is the game over, what bounds do they give, what is
its hash? From there bounds climb as in a search: from all moves to the node above, and between nodes of one position. Whatever
else a file claims is left out, and a search proves it again if it matters. It may come from a part of the tree that was
dropped, from a policy's study, from a file of proofs, or from nowhere.

Equal hashes are not taken for equal positions here: how hashes are computed is public, so that somebody could look for two
positions that share one. A second walk compares the records of positions with equal hashes.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from typing import Any

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.records import without_gaps
from tesuji.core.rules import (
    FIRST,
    bounds,
    canonical,
    image,
    is_over,
    moves,
    outcome,
    play,
    position_hash,
    symmetric_hash,
    symmetries,
    to_play,
)
from tesuji.search.kernel.bounds import OFF
from tesuji.search.kernel.expansion import rate
from tesuji.search.kernel.table import UNKNOWN, pack, packed_lower, packed_upper, packed_work
from tesuji.search.kernel.tree import PRESEARCHED, PRUNED, ROOT, STUDIED

# What the rules say of a node's position.
FACTS = np.dtype([("lower", np.int32), ("upper", np.int32), ("key", np.uint64), ("symmetric_key", np.uint64)])
ALONE = -1  # the group of a node whose position no other node has
DIGEST = 16  # bytes
RECORDS = 256  # records compared at a time: those of some games have kilobytes


@kernel
def survey(nodes, facts, states, path, upcoming, buffer, marks, temporary, policy, ratings, options):
    """Fills in the facts of all nodes; returns a node whose children are not the moves of its position, -1 if there is none.

    Without a solver only nodes with children are visited.

    nodes                    NODE[...]: the tree
    facts                    FACTS[...], parallel to nodes; bounds are for player 0
    states, path, upcoming   of the walk, see `next_node`; states[0] is the position of the root
    buffer                   int32, one place for each move of a position: overwritten
    marks                    int64[move_count], zeros
    temporary                one record of the game: overwritten
    policy                   is asked which moves it prunes, where it may prune
    ratings                  RATING, parallel to buffer: overwritten
    options                  `Options` of the loop
    """
    proves = options.proof.solver != OFF
    depth = 0
    path[0] = ROOT
    upcoming[0] = 0
    while depth >= 0:
        node = path[depth]
        if depth == len(states):
            return np.int64(node)
        if proves:
            state_facts(facts[node], states[depth], temporary, options)
        if nodes[node]["child_count"] > 0 and not are_its_moves(
            nodes, node, states[depth], buffer, marks, policy, ratings, options
        ):
            return np.int64(node)
        depth = next_node(nodes, states, path, upcoming, depth, proves)
    return np.int64(-1)


@kernel
def next_node(nodes, states, path, upcoming, depth, with_leaves):
    """One step of a walk through the tree, depth first: the depth of the node that comes next, -1 if none does.

    nodes         NODE[...]: the tree
    states        by depth: the position
    path          int64, by depth: the node; one place longer than the others, for a node that is too deep for them
    upcoming      int64, by depth: which child of the node is next
    depth         of the node where the walk is
    with_leaves   whether nodes without children are visited
    """
    while depth >= 0:
        first = np.int64(nodes[path[depth]]["first_child"])
        count = np.int64(nodes[path[depth]]["child_count"])
        while not with_leaves and upcoming[depth] < count and nodes[first + upcoming[depth]]["child_count"] == 0:
            upcoming[depth] += 1
        if upcoming[depth] < count:
            child = first + upcoming[depth]
            upcoming[depth] += 1
            depth += 1
            path[depth] = child
            if depth < len(states):
                upcoming[depth] = 0
                states[depth] = states[depth - 1]
                play(states[depth], nodes[child]["move"])
            return depth
        depth -= 1
    return depth


@kernel
def state_facts(fact, state, temporary, options):
    """Fills in what the rules say of a position without a search. `temporary`, one record of the game, is overwritten."""
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
            fact["symmetric_key"] = symmetric_hash(state, temporary) if options.proof.symmetry else fact["key"]
    fact["lower"] = lower
    fact["upper"] = upper


@kernel
def are_its_moves(nodes, node, state, buffer, marks, policy, ratings, options):
    """Whether the children of a node are different legal moves of its position.

    In a search that proves something they must be all of them, except for those that the policy prunes.

    nodes, node   the tree, and the index of the node
    state         its position
    buffer        int32, one place for each move of a position: overwritten
    marks         int64[move_count]: a node's index + 1 at its moves, so that marks of other nodes do not count
    policy        is asked which moves it prunes, where it may prune
    ratings       RATING, parallel to buffer: overwritten
    options       `Options` of the loop
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
    left, _expected = rate(policy, state, buffer, count, np.int64(-1), ratings, options)
    for i in range(left):
        if marks[buffer[i]] == mark:
            return False
    return True


# -- equal positions -------------------------------------------------------------------------------------------------------
@kernel
def gather(nodes, wanted, depth, states, path, upcoming, temporary, records, owners, options):
    """Fills `records` with those of the next wanted nodes of a walk; returns the depth to go on from, -1 at its end.

    nodes                    NODE[...]: the tree
    wanted                   bool, parallel to nodes
    depth                    where the walk is
    states, path, upcoming   of the walk, see `next_node`
    temporary                one record of the game: overwritten
    records                  records of the game: become those that equal positions share
    owners                   int64, parallel to records: become the nodes, -1 = none
    options                  `Options` of the loop
    """
    count = 0
    while depth >= 0 and count < len(records):
        node = path[depth]
        if wanted[node]:
            common_record(states[depth], temporary, records, count, options)
            owners[count] = node
            count += 1
        depth = next_node(nodes, states, path, upcoming, depth, True)
    for i in range(count, len(owners)):
        owners[i] = -1
    return np.int64(depth)


@kernel
def common_record(state, temporary, records, index, options):
    """Sets records[index] to the record that equal positions share; with symmetries, that of the image of the least hash."""
    number = 0
    if options.proof.symmetry:
        least = position_hash(state)
        for other in range(1, symmetries(state)):
            temporary[0] = state
            image(state, other, temporary[0])
            code = position_hash(temporary[0])
            if code < least:
                least = code
                number = other
    temporary[0] = state
    if number > 0:
        image(state, number, temporary[0])
    records[index] = temporary[0]
    canonical(temporary[0], records[index])


def groups_of(run: Callable[..., int], nodes: np.ndarray, facts: np.ndarray, walk: Any, temporary: Any, options: Any) -> Any:
    """A number for each node, equal for equal positions. `walk` is (states, path, upcoming); `run` runs a kernel."""
    _, which, counts = np.unique(facts["symmetric_key"], return_inverse=True, return_counts=True)
    wanted = (facts["symmetric_key"] != UNKNOWN) & (counts[which.reshape(-1)] > 1)
    groups = np.full(len(nodes), ALONE, np.int64)
    if not wanted.any():
        return groups
    digests = np.zeros((len(nodes), DIGEST), np.uint8)
    records, owners = np.zeros(RECORDS, temporary.dtype), np.zeros(RECORDS, np.int64)
    key = secrets.token_bytes(DIGEST)  # so that nobody can prepare a file with equal digests
    _, path, upcoming = walk
    path[0], upcoming[0], depth = ROOT, 0, 0
    while depth >= 0:
        depth = run(gather, nodes, wanted, depth, *walk, temporary, records, owners, options)
        for owner, record in zip(owners[owners >= 0], without_gaps(records), strict=False):
            digests[owner] = np.frombuffer(hashlib.blake2b(record.tobytes(), digest_size=DIGEST, key=key).digest(), np.uint8)
    words = np.column_stack([digests.view(np.uint64), facts["symmetric_key"]])[wanted]
    order = np.lexsort(words.T)
    begins = np.any(words[order[1:]] != words[order[:-1]], axis=1)
    numbers = np.zeros(len(words), np.int64)
    numbers[order[1:]] = np.cumsum(begins)
    groups[wanted] = numbers
    return groups


# -- bounds ----------------------------------------------------------------------------------------------------------------
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


class JustifiedBounds:
    """The bounds that follow from a tree, given the facts and the group of each node. `run` runs a kernel."""

    def __init__(self, run: Callable[..., int], nodes: np.ndarray, facts: np.ndarray, groups: np.ndarray, scale: Any):
        self._range = (int(scale.lowest), int(scale.highest))
        self._facts = facts
        shared = np.empty((int(groups.max()) + 1, 2), np.int64)
        shared[:] = self._range
        while run(climb, nodes, facts, groups, shared):
            pass
        if np.any(facts["lower"] > facts["upper"]):  # the game's own bounds or its records are wrong: nothing follows from them
            facts["lower"], facts["upper"] = self._range

    def widen_nodes(self, nodes: np.ndarray) -> np.ndarray:
        """Widens the bounds of nodes to the justified ones; returns which nodes that changes."""
        lower, upper = np.minimum(nodes["lower"], self._facts["lower"]), np.maximum(nodes["upper"], self._facts["upper"])
        changed = (lower != nodes["lower"]) | (upper != nodes["upper"])
        nodes["lower"], nodes["upper"] = lower, upper
        return np.flatnonzero(changed)

    def widen_entries(self, entries: np.ndarray) -> int:
        """The same for entries of the transposition table; one that says nothing now becomes 0. Returns how many change."""
        data = entries[:, 1]
        justified = self._bounds_of(entries[:, 0] ^ data)
        lower, upper = np.minimum(packed_lower(data), justified[:, 0]), np.maximum(packed_upper(data), justified[:, 1])
        changed = (lower != packed_lower(data)) | (upper != packed_upper(data))
        keys, wider = (entries[:, 0] ^ data)[changed], pack(lower[changed], upper[changed], packed_work(data[changed]))
        entries[changed, 0], entries[changed, 1] = keys ^ wider, wider
        entries[changed & (lower == self._range[0]) & (upper == self._range[1])] = UNKNOWN
        return int(np.count_nonzero(changed))

    def _bounds_of(self, keys: np.ndarray) -> np.ndarray:
        """For each key the bounds that hold for all positions of the tree with that hash; for other keys the whole range."""
        justified = np.empty((len(keys), 2), np.int64)
        justified[:] = self._range
        plain = self._facts["key"] != self._facts["symmetric_key"]
        for field, facts in (("symmetric_key", self._facts), ("key", self._facts[plain])):
            hashes, which = np.unique(facts[field], return_inverse=True)
            if len(hashes):
                lower, upper = np.full(len(hashes), self._range[1]), np.full(len(hashes), self._range[0])
                np.minimum.at(lower, which.reshape(-1), facts["lower"])
                np.maximum.at(upper, which.reshape(-1), facts["upper"])
                at = np.minimum(np.searchsorted(hashes, keys), len(hashes) - 1)
                is_in_tree = (hashes[at] == keys) & (keys != UNKNOWN)
                justified[is_in_tree, 0], justified[is_in_tree, 1] = lower[at[is_in_tree]], upper[at[is_in_tree]]
        return justified


def forget_studies(nodes: np.ndarray) -> None:
    """Removes all traces of studies, so that the policy studies the nodes again: its bounds do not follow from the tree."""
    nodes["flags"] &= ~(STUDIED | PRUNED | PRESEARCHED)

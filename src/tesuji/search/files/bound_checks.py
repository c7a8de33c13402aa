"""Which bounds of a saved tree are true. Those in a file are somebody's word; these follow from the rules and from the tree
itself.

One walk through the tree makes every position again and asks the rules: is the game over, what bounds do they give, what is
the position known by? From there bounds climb as in a search: from all moves to the node above, and between nodes of one
position. What a file says beyond that is left out. A search proves it again if it matters: it may have come from a part of
the tree that was dropped, from a policy's study, from a file of proofs, or from nowhere.

Equal hashes do not make equal positions here: the words that they are made of are public, so that somebody can look for two
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
RECORDS = 256  # that are compared at a time: those of some games have kilobytes


@kernel
def survey(nodes, facts, states, path, upcoming, buffer, marks, room, policy, ratings, options):
    """Fills in the facts of all nodes; returns a node whose children are not the moves of its position, -1 if there is none.

    `marks` (int64, zeros) has a place for each move, `room` is an array of one record. For the others see `next_node`. Without
    a solver only nodes with children are entered.
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
            state_facts(facts[node], states[depth], room, options)
        if nodes[node]["child_count"] > 0 and not are_its_moves(
            nodes, node, states[depth], buffer, marks, policy, ratings, options
        ):
            return np.int64(node)
        depth = next_node(nodes, states, path, upcoming, depth, proves)
    return np.int64(-1)


@kernel
def next_node(nodes, states, path, upcoming, depth, with_leaves):
    """One step of a walk through the tree, depth first: the depth of the node that comes next, -1 if none does.

    At each depth there are the node (`path`), its position (`states`) and which of its children is next (`upcoming`). A node
    that is too deep for these has its place in `path` alone.
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
def state_facts(fact, state, room, options):
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
            fact["symmetric_key"] = symmetric_hash(state, room) if options.proof.symmetry else fact["key"]
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


# -- equal positions -------------------------------------------------------------------------------------------------------
@kernel
def gather(nodes, wanted, depth, states, path, upcoming, room, records, owners, options):
    """Fills `records` with those of wanted nodes, the next ones of a walk from where it is, and `owners` with the nodes.

    Returns the depth to go on from, -1 at the end of the walk.
    """
    count = 0
    while depth >= 0 and count < len(records):
        node = path[depth]
        if wanted[node]:
            common_record(states[depth], room, records, count, options)
            owners[count] = node
            count += 1
        depth = next_node(nodes, states, path, upcoming, depth, True)
    for i in range(count, len(owners)):
        owners[i] = -1
    return np.int64(depth)


@kernel
def common_record(state, room, records, place, options):
    """Puts the record there that equal positions share; where symmetries count, that of the image with the least hash."""
    number = 0
    if options.proof.symmetry:
        least = position_hash(state)
        for other in range(1, symmetries(state)):
            room[0] = state
            image(state, other, room[0])
            code = position_hash(room[0])
            if code < least:
                least = code
                number = other
    room[0] = state
    if number > 0:
        image(state, number, room[0])
    records[place] = room[0]
    canonical(room[0], records[place])


def groups_of(run: Callable[..., int], nodes: np.ndarray, facts: np.ndarray, walk: Any, room: Any, options: Any) -> Any:
    """A number for each node, equal for equal positions. `walk` is (states, path, upcoming); `run` runs a kernel."""
    _, which, counts = np.unique(facts["symmetric_key"], return_inverse=True, return_counts=True)
    wanted = (facts["symmetric_key"] != UNKNOWN) & (counts[which.reshape(-1)] > 1)
    groups = np.full(len(nodes), ALONE, np.int64)
    if not wanted.any():
        return groups
    digests = np.zeros((len(nodes), DIGEST), np.uint8)
    records, owners = np.zeros(RECORDS, room.dtype), np.zeros(RECORDS, np.int64)
    key = secrets.token_bytes(DIGEST)  # nobody can look for equal digests before the file is read
    _, path, upcoming = walk
    path[0], upcoming[0], depth = ROOT, 0, 0
    while depth >= 0:
        depth = run(gather, nodes, wanted, depth, *walk, room, records, owners, options)
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


class Justified:
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
        """The bounds that all positions with such a hash have; the whole range where nothing is known."""
        found = np.empty((len(keys), 2), np.int64)
        found[:] = self._range
        plain = self._facts["key"] != self._facts["symmetric_key"]
        for field, facts in (("symmetric_key", self._facts), ("key", self._facts[plain])):
            known, which = np.unique(facts[field], return_inverse=True)
            if len(known):
                lower, upper = np.full(len(known), self._range[1]), np.full(len(known), self._range[0])
                np.minimum.at(lower, which.reshape(-1), facts["lower"])
                np.maximum.at(upper, which.reshape(-1), facts["upper"])
                at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
                there = (known[at] == keys) & (keys != UNKNOWN)
                found[there, 0], found[there, 1] = lower[at[there]], upper[at[there]]
        return found


def forget_studies(nodes: np.ndarray) -> None:
    """Has the policy study nodes again: its bounds and the moves that it pruned are not in the tree."""
    nodes["flags"] &= ~(STUDIED | PRUNED | PRESEARCHED)

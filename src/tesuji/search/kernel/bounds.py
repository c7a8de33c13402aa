"""Proof by bounds: each node knows a lower and an upper limit of its outcome under perfect play (for player 0).

Cazenave and Saffidine 2010, Algorithms 1 and 2, with the test of Algorithm 1's Min branch the right way round (a
pessimistic bound only ever rises). The MCTS-Solver of Winands et al. 2008 is the same mechanism with another idea of when a
node is decided: as soon as the bounds show who wins. Without a solver nothing here does anything.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.core.game import Game
from tesuji.core.numba.atomics import atomic_add, atomic_max, atomic_min, atomic_or
from tesuji.core.parameters import Parameter, filled
from tesuji.core.rules import FIRST, bounds, is_over, outcome, play, position_hash, symmetric_hash
from tesuji.search.kernel.scale import is_drawn, score_of
from tesuji.search.kernel.table import LARGEST_BOUND, UNKNOWN, look_up, packed_lower, packed_upper, store_bounds, work_of
from tesuji.search.kernel.tree import CROSSED, KNOWN, KNOWN_LIMIT, PRUNED, RULES_ASKED, TABLE_FULL, stop
from tesuji.search.policy import LOOKING_AHEAD, PROVING
from tesuji.search.selection.interface import recall

SOLVERS = ("off", "win-loss", "bounds")
BOUNDED, HASHED = "a game whose rules bound positions", "a game with a hash of positions"
SYMMETRIC = "a game with symmetries"
OFF, WIN_LOSS, BOUNDS = 0, 1, 2
TABLE_SHARE = Parameter(
    "table_share", 0.2, "part of the memory for the table of known positions; what is in it outlives the tree", 0.01, 0.8
)
SOLVER = Parameter(
    "solver",
    "bounds",
    "what to prove: nothing, wins and losses, or bounds of the outcome",
    choices=SOLVERS,
    off="off",
    brings=(
        Parameter("cuts", True, "skip moves that cannot improve on the parent's bound, as alpha-beta does"),
        Parameter("initial_bounds", True, "use the bounds that the game's rules give", needs=BOUNDED),
        Parameter("probe_children", True, "look one move ahead at new nodes: end of the game, bounds, known positions"),
        Parameter(
            "presearch",
            0.0,
            "share of the time in which the policy first studies the position and each move; a search without a time limit "
            "looks at all moves; 0 = at none",
            0.0,
            1.0,
            needs=LOOKING_AHEAD,
        ),
        Parameter(
            "transpositions",
            True,
            "share bounds between transpositions, in a table",
            needs=HASHED,
            off=False,
            brings=(
                Parameter(
                    "symmetry",
                    True,
                    "share them with mirrored and turned positions too, where the root is symmetric",
                    needs=SYMMETRIC,
                ),
                TABLE_SHARE,
            ),
        ),
    ),
)
REVISIT_PROVEN = Parameter(
    "revisit_proven", True, "the policy, where it draws moves in the tree, may draw proven moves", needs=PROVING
)
HIGHEST, LOWEST = np.int64(2**31 - 1), np.int64(-(2**31))  # beyond all bounds


class SolverOptions(NamedTuple):
    solver: int
    cuts: bool
    initial_bounds: bool
    probe_children: bool
    transpositions: bool
    symmetry: bool
    revisit_proven: bool


def features_of_game(game: Game) -> frozenset[str]:
    """What the parameters of a proof can count on in this game."""
    has = {BOUNDED: bounds.is_implemented(game.initial.dtype), HASHED: game.shares_bounds, SYMMETRIC: game.has_symmetries}
    return frozenset(feature for feature, there in has.items() if there)


def make_proof(game: Game, settings: Any) -> SolverOptions:
    given = {**dict.fromkeys(SolverOptions._fields, False), **settings}
    shared = given["transpositions"] and game.shares_bounds and max(map(abs, game.outcomes)) <= LARGEST_BOUND
    return filled(
        SolverOptions,
        given,
        solver=SOLVERS.index(given["solver"]),
        transpositions=shared,
        symmetry=shared and given["symmetry"] and game.has_symmetries,
    )


# -- what bounds say -------------------------------------------------------------------------------------------------------
@kernel
def is_decided(node, options):
    """Whether the bounds of a node leave nothing to search for."""
    solver = options.proof.solver
    if solver == OFF:
        return False
    if node["lower"] == node["upper"]:
        return True
    scale = options.scale
    return solver == WIN_LOSS and scale.has_winner and (node["lower"] > scale.centre or node["upper"] < scale.centre)


@kernel
def decided_score(node, options):
    """The score to back up from a decided node."""
    lower = np.int64(node["lower"])
    if lower != node["upper"]:
        lower = np.int64(options.scale.highest) if lower > options.scale.centre else np.int64(options.scale.lowest)
    return score_of(options.scale, lower)


@kernel
def undecided_score(node, options):
    """The score to back up where there is no playout: the middle of what the bounds leave open."""
    lower = np.int64(node["lower"])
    return score_of(options.scale, lower + (np.int64(node["upper"]) - lower) // 2)


@kernel
def is_open(child, parent, maximises, options):
    """Whether a visit of the child can tell anything: it is not pruned, decided or cut.

    Cut (section 3.3) is a move that cannot be better for the mover than what the parent already has.
    """
    if options.studies and child["flags"] & PRUNED != 0:
        return False
    if options.proof.solver == OFF:
        return True
    if is_decided(child, options):
        return False
    if options.proof.cuts:
        return child["upper"] > parent["lower"] if maximises else child["lower"] < parent["upper"]
    return True


@kernel
def key_of(state, room, options):
    """What the table knows the position by; `room` is an array of one record, to use."""
    return symmetric_hash(state, room) if options.proof.symmetry else position_hash(state)


# -- narrowing ---------------------------------------------------------------------------------------------------------------
@kernel
def set_outcome(tree, scratch, depth, result, options):
    """The game is over at path[depth]: its outcome becomes both bounds. The win-loss solver learns nothing from a draw."""
    if options.proof.solver == OFF or (options.proof.solver == WIN_LOSS and is_drawn(options.scale, result)):
        return
    scratch.hashes[depth] = UNKNOWN
    narrow(tree, scratch, depth, result, result, options)


@kernel
def look_up_bounds(tree, scratch, depth, state, options):
    """Narrows the bounds of path[depth] by earlier proofs of its position and by the rules' own bounds.

    The root takes its bounds from its moves alone, so that whatever is proven there, a move that achieves it is known.
    """
    if options.proof.transpositions:
        key = key_of(state, scratch.image, options)
        scratch.hashes[depth] = key
        if key != UNKNOWN and depth > 0:
            known = look_up(tree.table, key)
            if known != UNKNOWN:
                narrow(tree, scratch, depth, packed_lower(known), packed_upper(known), options)
    if options.proof.initial_bounds and depth > 0 and is_first(tree, scratch.path[depth], RULES_ASKED, options):
        lower, upper = bounds(state, options.scale.lowest, options.scale.highest)
        narrow(tree, scratch, depth, lower, upper, options)


@kernel
def is_first(tree, node, flag, options):
    """Sets the flag; whether this thread was the first to do so."""
    record = tree.nodes[node]
    if record["flags"] & flag != 0:
        return False
    if options.sharing.shared:
        return atomic_or(tree.nodes["flags"], node, flag) & flag == 0
    record["flags"] |= flag
    return True


@kernel
def probe(tree, scratch, first, count, state, ahead, rule, options):
    """Looks one move ahead, in states[ahead]: is the game over there, do the rules bound it, is the position known?

    Pruned moves are passed over: a study may have put a position in place of `state` that does not have them.
    """
    scale = options.scale
    after = scratch.states[ahead]
    for index in range(first, first + count):
        child = tree.nodes[index]
        if child["flags"] & PRUNED != 0:
            continue
        scratch.states[ahead] = state
        play(after, child["move"])
        lower = np.int64(scale.lowest)
        upper = np.int64(scale.highest)
        if is_over(after):
            result = np.int64(outcome(after))
            if options.proof.solver == BOUNDS or not is_drawn(scale, result):
                lower = result
                upper = result
        else:
            if options.proof.initial_bounds:
                low, high = bounds(after, scale.lowest, scale.highest)
                lower = np.int64(low)
                upper = np.int64(high)
                child["flags"] |= RULES_ASKED
            if options.proof.transpositions:
                key = key_of(after, scratch.image, options)
                if key != UNKNOWN:
                    if len(tree.memo) > 1:
                        recall(rule, tree, index, key)
                    known = look_up(tree.table, key)
                    if known != UNKNOWN:
                        lower = max(lower, packed_lower(known))
                        upper = min(upper, packed_upper(known))
                        if lower > upper:  # as in `narrow`
                            stop(tree.counters, CROSSED, index)
                            return
        child["lower"] = lower
        child["upper"] = upper


@kernel
def narrow(tree, scratch, depth, lower, upper, options):
    """Tightens the bounds of path[depth] to within [lower, upper] and propagates them to the nodes above."""
    node = tree.nodes[scratch.path[depth]]
    if lower > node["lower"] or upper < node["upper"]:
        tighten(
            tree.nodes,
            tree.table,
            tree.counters,
            scratch.path,
            scratch.hashes,
            np.int64(depth),
            np.int64(lower),
            np.int64(upper),
            options.proof.transpositions,
            options.sharing.shared,
        )


@called_kernel
def tighten(nodes, table, counters, path, hashes, depth, lower, upper, transpositions, shared):
    """`narrow`, where it changes something. Called, because bounds change at many places of a simulation."""
    node = nodes[path[depth]]
    rises = lower > node["lower"]
    falls = upper < node["upper"]
    if rises:
        raise_lower(nodes, path[depth], lower, shared)
    if falls:
        drop_upper(nodes, path[depth], upper, shared)
    if node["lower"] > node["upper"]:  # impossible unless the game's bounds, its hash or the policy are wrong
        stop(counters, CROSSED, path[depth])
        return
    known = KnownPositions(table, counters, hashes, transpositions, shared)
    share_bounds(known, nodes, path, depth)
    if rises:
        propagate_lower(known, nodes, path, depth)
    if falls:
        propagate_upper(known, nodes, path, depth)


# Of two threads that narrow a bound, the last to write may have the wider one.
@kernel
def raise_lower(nodes, index, lower, shared):
    if shared:
        atomic_max(nodes["lower"], index, lower)
    else:
        nodes[index]["lower"] = lower


@kernel
def drop_upper(nodes, index, upper, shared):
    if shared:
        atomic_min(nodes["upper"], index, upper)
    else:
        nodes[index]["upper"] = upper


class KnownPositions(NamedTuple):
    """The table of known positions, and how the nodes of a path are known to it."""

    table: np.ndarray
    counters: np.ndarray
    hashes: np.ndarray  # of the positions on the path
    transpositions: bool
    shared: bool  # with other threads


@kernel
def share_bounds(known, nodes, path, depth):
    """Puts the bounds of path[depth] into the table of known positions."""
    key = known.hashes[depth]
    if known.transpositions and key != UNKNOWN:
        enter_bounds(known.table, known.counters, nodes, np.int64(path[depth]), key, known.shared)


@called_kernel
def enter_bounds(table, counters, nodes, index, key, shared):
    node = nodes[index]
    if store_bounds(table, key, np.int64(node["lower"]), np.int64(node["upper"]), work_of(node["visits"])) == 0:
        return
    if shared:
        atomic_add(counters, KNOWN, 1)
    else:
        counters[KNOWN] += 1
    if counters[KNOWN] > counters[KNOWN_LIMIT]:
        stop(counters, TABLE_FULL, index)


@kernel
def propagate_lower(known, nodes, path, depth):
    """Algorithm 1: a pessimistic bound has risen at path[depth]."""
    while depth > 0:
        risen = nodes[path[depth]]["lower"]
        depth -= 1
        node = nodes[path[depth]]
        before = node["lower"]
        if risen <= before:
            return
        after = risen if node["to_play"] == FIRST else least_lower(nodes, node)
        if after <= before:
            return
        raise_lower(nodes, path[depth], after, known.shared)
        share_bounds(known, nodes, path, depth)


@kernel
def propagate_upper(known, nodes, path, depth):
    """Algorithm 2: an optimistic bound has fallen at path[depth]."""
    while depth > 0:
        fallen = nodes[path[depth]]["upper"]
        depth -= 1
        node = nodes[path[depth]]
        before = node["upper"]
        if fallen >= before:
            return
        after = greatest_upper(nodes, node) if node["to_play"] == FIRST else fallen
        if after >= before:
            return
        drop_upper(nodes, path[depth], after, known.shared)
        share_bounds(known, nodes, path, depth)


@kernel
def least_lower(nodes, node):
    """The least pessimistic bound of the children that are not pruned: what Min can hold Max down to."""
    first = np.int64(node["first_child"])
    least = HIGHEST
    for child in range(first, first + node["child_count"]):
        if nodes[child]["flags"] & PRUNED == 0:
            least = min(least, np.int64(nodes[child]["lower"]))
    return least


@kernel
def greatest_upper(nodes, node):
    """The greatest optimistic bound of the children that are not pruned: what Max can still reach."""
    first = np.int64(node["first_child"])
    greatest = LOWEST
    for child in range(first, first + node["child_count"]):
        if nodes[child]["flags"] & PRUNED == 0:
            greatest = max(greatest, np.int64(nodes[child]["upper"]))
    return greatest


@kernel
def bounds_of_children(nodes, node):
    """(lower, upper) of a node by its children that are not pruned (section 3.1)."""
    first = np.int64(node["first_child"])
    maximises = node["to_play"] == FIRST
    lower = LOWEST if maximises else HIGHEST
    upper = lower
    for child in range(first, first + node["child_count"]):
        if nodes[child]["flags"] & PRUNED != 0:
            continue
        if maximises:
            lower = max(lower, np.int64(nodes[child]["lower"]))
            upper = max(upper, np.int64(nodes[child]["upper"]))
        else:
            lower = min(lower, np.int64(nodes[child]["lower"]))
            upper = min(upper, np.int64(nodes[child]["upper"]))
    return lower, upper


@kernel
def narrow_by_children(tree, scratch, depth, options):
    """Takes the bounds of path[depth] from all its children at once."""
    if options.proof.solver == OFF:
        return
    lower, upper = bounds_of_children(tree.nodes, tree.nodes[scratch.path[depth]])
    narrow(tree, scratch, depth, lower, upper, options)

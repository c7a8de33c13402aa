"""Proof by bounds: each node has a lower and an upper limit of its outcome under perfect play (for player 0).

Cazenave and Saffidine 2010, Algorithms 1 and 2, with the test of Algorithm 1's Min branch the right way round (a
pessimistic bound only ever rises). The MCTS-Solver of Winands et al. 2008 is the same mechanism, but a node counts as decided
as soon as its bounds show who wins. Without a solver, nothing here has any effect.
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
from tesuji.search.kernel.tree import CROSSED, PRUNED, RULE_BOUNDS, TABLE_ENTRIES, TABLE_FULL, TABLE_LIMIT, stop
from tesuji.search.policy import MOVE_STUDIES, PROVING
from tesuji.search.selection.interface import recall

SOLVERS = ("off", "win-loss", "bounds")
BOUNDED, HASHED = "a game whose rules bound positions", "a game with a hash of positions"
SYMMETRIC = "a game with symmetries"
OFF, WIN_LOSS, BOUNDS = 0, 1, 2
TABLE_SHARE = Parameter(
    "table_share", 0.2, "part of the memory for the transposition table, whose entries outlive the tree", 0.01, 0.8
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
        Parameter("probe_children", True, "look one move ahead at new nodes: end of the game, bounds, transpositions"),
        Parameter(
            "presearch",
            0.0,
            "share of the time in which the policy first studies the position and each move; a search without a time limit "
            "studies all moves; 0 = none",
            0.0,
            1.0,
            needs=MOVE_STUDIES,
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
                    "share them with mirrored and rotated positions too, where the root is symmetric",
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
    """Which of the features that parameters of the solver need this game has."""
    features = {BOUNDED: bounds.is_implemented(game.initial.dtype), HASHED: game.shares_bounds, SYMMETRIC: game.has_symmetries}
    return frozenset(feature for feature, present in features.items() if present)


def make_proof(game: Game, settings: Any) -> SolverOptions:
    values = {**dict.fromkeys(SolverOptions._fields, False), **settings}
    shared = values["transpositions"] and game.shares_bounds and max(map(abs, game.outcomes)) <= LARGEST_BOUND
    return filled(
        SolverOptions,
        values,
        solver=SOLVERS.index(values["solver"]),
        transpositions=shared,
        symmetry=shared and values["symmetry"] and game.has_symmetries,
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
    return solver == WIN_LOSS and scale.has_winner and (node["lower"] > scale.break_even or node["upper"] < scale.break_even)


@kernel
def decided_score(node, options):
    """The score to back up from a decided node."""
    lower = np.int64(node["lower"])
    if lower != node["upper"]:
        lower = np.int64(options.scale.highest) if lower > options.scale.break_even else np.int64(options.scale.lowest)
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
def key_of(state, temporary, options):
    """The key of the position in the transposition table. `temporary`, an array of one record, is overwritten."""
    return symmetric_hash(state, temporary) if options.proof.symmetry else position_hash(state)


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

    The root takes its bounds from its moves alone: whatever is proven there, some move of the tree achieves it.
    """
    if options.proof.transpositions:
        key = key_of(state, scratch.image, options)
        scratch.hashes[depth] = key
        if key != UNKNOWN and depth > 0:
            entry = look_up(tree.table, key)
            if entry != UNKNOWN:
                narrow(tree, scratch, depth, packed_lower(entry), packed_upper(entry), options)
    if options.proof.initial_bounds and depth > 0 and claim_flag(tree, scratch.path[depth], RULE_BOUNDS, options):
        lower, upper = bounds(state, options.scale.lowest, options.scale.highest)
        narrow(tree, scratch, depth, lower, upper, options)


@kernel
def claim_flag(tree, node, flag, options):
    """Sets the flag of a node; returns whether it was not set, so that of all threads exactly one gets True."""
    record = tree.nodes[node]
    if record["flags"] & flag != 0:
        return False
    if options.sharing.shared:
        return atomic_or(tree.nodes["flags"], node, flag) & flag == 0
    record["flags"] |= flag
    return True


@kernel
def probe(tree, scratch, first, count, state, ahead, rule, options):
    """Bounds new children by looking one move ahead: at the end of the game, the rules' bounds and the transposition table.

    Pruned moves are left out: a study may have put a position in place of the node's own that does not have them.

    first, count   the children: nodes[first : first + count], not published yet
    state          the position of their parent; scratch.states[ahead] is overwritten
    rule           the selection rule, which may recall what its records hold of a child's position
    options        `Options` of the loop
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
                child["flags"] |= RULE_BOUNDS
            if options.proof.transpositions:
                key = key_of(after, scratch.image, options)
                if key != UNKNOWN:
                    if len(tree.memo) > 1:
                        recall(rule, tree, index, key)
                    entry = look_up(tree.table, key)
                    if entry != UNKNOWN:
                        lower = max(lower, packed_lower(entry))
                        upper = min(upper, packed_upper(entry))
                        if lower > upper:  # as in `narrow`
                            stop(tree.counters, CROSSED, index)
                            return
        child["lower"] = lower
        child["upper"] = upper


@kernel
def narrow(tree, scratch, depth, lower, upper, options):
    """Tightens the bounds of path[depth] to within [lower, upper] and propagates them to the nodes above.

    depth          the depth of the node on scratch.path; scratch.hashes has the keys of all positions up to there
    lower, upper   bounds of its outcome, for player 0
    """
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
    """`narrow`, where it changes something. A called kernel, because a simulation may change bounds at many places.

    nodes, table, counters   the arrays of the `Tree`
    path, hashes             int64 nodes from the root on and the uint64 keys of their positions, UNKNOWN = none
    depth                    the node to begin with is path[depth]
    lower, upper             bounds of its outcome, for player 0
    transpositions           whether bounds go into the table
    shared                   whether other threads use the tree
    """
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
    path_table = PathTable(table, counters, hashes, transpositions, shared)
    share_bounds(path_table, nodes, path, depth)
    if rises:
        propagate_lower(path_table, nodes, path, depth)
    if falls:
        propagate_upper(path_table, nodes, path, depth)


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


class PathTable(NamedTuple):
    """The transposition table, and the keys of a path's nodes in it."""

    table: np.ndarray
    counters: np.ndarray
    hashes: np.ndarray  # of the positions on the path
    transpositions: bool
    shared: bool  # with other threads


@kernel
def share_bounds(path_table, nodes, path, depth):
    """Stores the bounds of path[depth] in the transposition table."""
    key = path_table.hashes[depth]
    if path_table.transpositions and key != UNKNOWN:
        enter_bounds(path_table.table, path_table.counters, nodes, np.int64(path[depth]), key, path_table.shared)


@called_kernel
def enter_bounds(table, counters, nodes, index, key, shared):
    """Stores the bounds of nodes[index] in the table under `key`; `counters` are the tree's, `shared` as in `tighten`.

    When the table is full enough to be enlarged, the slices of all threads end.
    """
    node = nodes[index]
    if store_bounds(table, key, np.int64(node["lower"]), np.int64(node["upper"]), work_of(node["visits"])) == 0:
        return
    if shared:
        atomic_add(counters, TABLE_ENTRIES, 1)
    else:
        counters[TABLE_ENTRIES] += 1
    if counters[TABLE_ENTRIES] > counters[TABLE_LIMIT]:
        stop(counters, TABLE_FULL, index)


@kernel
def propagate_lower(path_table, nodes, path, depth):
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
        raise_lower(nodes, path[depth], after, path_table.shared)
        share_bounds(path_table, nodes, path, depth)


@kernel
def propagate_upper(path_table, nodes, path, depth):
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
        drop_upper(nodes, path[depth], after, path_table.shared)
        share_bounds(path_table, nodes, path, depth)


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

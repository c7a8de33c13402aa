"""The one tree-search loop: a simulation walks down the tree, adds to it, plays a game to its end and takes the result back up.

Python calls `run_slice` for some thousand simulations at a time and owns the clock, interrupts and progress in between.
Several threads may run slices on one tree; each has a Scratch of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.atomics import atomic_add
from tesuji.core.dispatch import kernel, operation_with_default
from tesuji.core.random import below
from tesuji.core.rules import bounds, is_over, moves, outcome, play, position_hash, to_play
from tesuji.search.bounds import decided_score, is_decided, narrow, narrow_by_children, settle
from tesuji.search.estimates import back_up_estimates, begin_estimates
from tesuji.search.notes import assume_loss, count_shared, hand_in_all, visits_before
from tesuji.search.options import SOLVER_BOUNDS, SOLVER_OFF
from tesuji.search.playout import candidates, play_out, playout_move, reward, set_expectations, set_priors
from tesuji.search.rave import begin_rave, update_rave
from tesuji.search.selection import choose_child
from tesuji.search.table import UNKNOWN, look_up, packed_lower, packed_upper
from tesuji.search.tree import ROOT, STATUS, STATUS_ENDLESS, add_children, publish_children

HERE, AHEAD, HOME = 0, 1, 2  # positions of a Scratch: where the simulation is, one move further, and where a stay begins
STAY_VISITS = 4096  # several threads: a node of so many visits is worth a stay
STAY_SHARE = 32  # that is at most this part of its visits long
LONGEST_STAY = 256


class Options(NamedTuple):
    """What the loop itself must know; the constants of selection are in its rule."""

    lowest: int  # range of outcomes
    highest: int
    middle: float  # outcomes above it are won by player 0, below it lost; itself a draw
    least: int  # range of what is added to the sums: that of the outcomes, or -1 .. 1 where only winning counts, in units
    most: int
    scale: float  # 1 / (most - least)
    bounds_scale: float  # 1 / (highest - lowest)
    unit: int  # what an outcome of 1 adds to the sums
    only_wins: bool
    solver: int
    cuts: bool
    clamp_scores: bool
    initial_bounds: bool
    probe_children: bool
    revisit_proven: bool
    transpositions: bool
    use_priors: bool
    estimates: bool
    rave: bool
    prior_games: int
    expand_after: int
    policy_below: int
    playout_cap: int
    evaluate_every: int
    evaluation_limit: float
    judge_after: int
    shared: bool  # more than one thread
    virtual_loss: int


class Scratch(NamedTuple):
    """What one thread needs besides the tree."""

    states: np.ndarray  # three positions
    rng: np.ndarray  # uint64[4]
    buffer: np.ndarray  # int32: moves
    priors: np.ndarray  # float64, parallel to buffer
    weights: np.ndarray  # float64, parallel to buffer
    path: np.ndarray  # int64: nodes from the root
    hashes: np.ndarray  # uint64: position hashes along the path
    history: np.ndarray  # int32: moves of the game
    movers: np.ndarray  # int8: who made them
    seen: np.ndarray  # int64[2, move_count + 1]: for all moves as first; the last cell numbers the games
    virtual: np.ndarray  # int32: virtual losses given along the path
    noted_node: np.ndarray  # int64: search/notes.py
    noted_visits: np.ndarray
    noted_sum: np.ndarray


@kernel
def run_slice(tree, root_state, scratch, policy, rule, options, count):
    """Up to `count` simulations; fewer if the root is proven or the arena is full. Returns how many."""
    root = tree.nodes[ROOT]
    done = 0
    home = 0
    stay = 0
    scratch.path[0] = ROOT
    while done < count and tree.counters[STATUS] == 0:
        if options.solver != SOLVER_OFF and is_decided(root["lower"], root["upper"], options):
            break
        start = root_state
        depth = 0
        stays = stay > 0 and not (options.solver != SOLVER_OFF and is_settled(tree, scratch, home, options))
        if stays:
            start = scratch.states[HOME]
            depth = home
        deepest = simulate(tree, start, depth, scratch, policy, rule, options)  # called once: each call is a whole copy of it
        if stays:
            stay -= 1
        elif options.shared:
            home, stay = new_stay(tree, root_state, deepest, scratch)
        done += 1
    if options.shared:
        hand_in_all(tree, scratch)
    return done


@kernel
def new_stay(tree, root_state, deepest, scratch):
    """The deepest much visited node of the path, and how many simulations this thread makes from there before it returns.

    With several threads on one tree, each stays for a while in a part of its own: what it reads has then not just been
    written by another processor. One thread never does that.
    """
    for depth in range(deepest, 0, -1):
        visits = np.int64(tree.nodes[scratch.path[depth]]["visits"])
        if visits >= STAY_VISITS:
            scratch.states[HOME] = root_state
            home = scratch.states[HOME]
            for ply in range(depth):
                play(home, scratch.history[ply])
            return depth, min(LONGEST_STAY, visits // STAY_SHARE)
    return 0, np.int64(0)


@kernel
def is_settled(tree, scratch, depth, options):
    """Whether some node from the root's move to path[depth] is decided: then this is no place to stay."""
    for d in range(1, depth + 1):
        node = tree.nodes[scratch.path[d]]
        if is_decided(node["lower"], node["upper"], options):
            return True
    return False


@kernel
def simulate(tree, start, depth, scratch, policy, rule, options):
    """One simulation from path[depth], whose position is `start`; returns the depth of the last node of its path."""
    # Step 1. Start with a copy of the position.
    nodes = tree.nodes
    path = scratch.path
    states = scratch.states
    states[HERE] = start
    state = states[HERE]
    node = path[depth]
    while True:
        # Step 2. Arrive at a node: what do the rules and earlier proofs say of it?
        path[depth] = node
        record = nodes[node]
        inner = record["child_count"] > 0
        if not inner and is_over(state):
            result = np.int64(outcome(state))
            score = reward(result, options)
            length = depth
            if options.estimates:
                tree.estimates[node] = (np.float64(score) - options.least) * options.scale
            if options.solver != SOLVER_OFF:
                scratch.hashes[depth] = UNKNOWN
                settle(tree, scratch, depth, result, options)
            break
        if options.solver != SOLVER_OFF:
            learn(tree, scratch, depth, state, options)
            apply_knowledge(policy, tree, scratch, depth, state, options)
            if is_decided(record["lower"], record["upper"], options):
                score = reward(decided_score(record["lower"], record["upper"], options), options)
                length = depth
                break

        # Step 3. At a leaf: add its moves to the tree, or play the game out from here.
        if not inner:
            ripe = node == ROOT or visits_before(tree, scratch, depth, options) >= options.expand_after
            if not ripe or not expand(tree, scratch, depth, state, policy, options):
                length, score = play_out(policy, state, scratch, depth, options)
                if length < 0:
                    tree.counters[STATUS] = STATUS_ENDLESS
                break
            if options.solver != SOLVER_OFF and is_decided(record["lower"], record["upper"], options):
                score = reward(decided_score(record["lower"], record["upper"], options), options)
                length = depth
                break

        # Step 4. Choose a move and make it.
        child = -1
        if visits_before(tree, scratch, depth, options) < options.policy_below:
            child = child_by_policy(tree, depth, state, policy, scratch, options)
        if child < 0:
            child = choose_child(rule, tree, depth, state, policy, scratch, options)
        if child < 0:  # another thread's proof has not reached this node yet: bring it up to date
            narrow_by_children(tree, scratch, depth, options)
            score = reward(decided_score(record["lower"], record["upper"], options), options)
            length = depth
            break
        move = nodes[child]["move"]
        scratch.history[depth] = move
        scratch.movers[depth] = record["to_play"]
        play(state, move)
        depth += 1
        if options.shared:
            assume_loss(tree, scratch, child, depth, record["to_play"], options)
        node = child

    # Step 5. Take the result back up.
    if length >= 0:
        back_up(rule, tree, scratch, depth, score, options)
        if options.estimates:
            back_up_estimates(tree, scratch, depth, options)
        if options.rave:
            update_rave(tree, scratch, min(depth, length - 1), length, score, game_number(scratch))
    return depth


@operation_with_default
def apply_knowledge(policy, tree, scratch, depth, state, options):
    """What a policy knows of the position at path[depth], at whatever count of visits it likes to look: it may narrow bounds.

    A move whose bounds are narrowed to a loss is never chosen again: that is how knowledge prunes. The default knows nothing.
    """


@kernel
def child_by_policy(tree, depth, state, policy, scratch, options):
    """The child that the playout policy would go to; -1 if its move is not in the tree, or proven and not to be revisited.

    So the nodes of few visits choose in Coulom 2006 (section 2) and in Winands et al. 2008 (section 3.1).
    """
    move = playout_move(policy, state, scratch.buffer, scratch.rng)
    nodes = tree.nodes
    node = nodes[scratch.path[depth]]
    first = np.int64(node["first_child"])
    for child in range(first, first + node["child_count"]):
        if nodes[child]["move"] == move:
            proven = options.solver != SOLVER_OFF and is_decided(nodes[child]["lower"], nodes[child]["upper"], options)
            return child if options.revisit_proven or not proven else -1
    return -1


@kernel
def game_number(scratch):
    """A number that no earlier game of this thread had. It is kept in the last cell of `seen`."""
    seen = scratch.seen
    last = seen.shape[1] - 1
    seen[1, last] += 1
    return seen[1, last]


@kernel
def learn(tree, scratch, depth, state, options):
    """Narrows the bounds of path[depth] by what is known of its position: earlier proofs, and the rules at first sight.

    Not those of the root, which rest on its moves alone: whatever is proven there, a move that keeps it is known too.
    """
    if options.transpositions:
        key = position_hash(state)
        scratch.hashes[depth] = key
        if key != UNKNOWN and depth > 0:
            known = look_up(tree.table, key)
            if known != UNKNOWN:
                narrow(tree, scratch, depth, packed_lower(known), packed_upper(known), options)
    if options.initial_bounds and depth > 0 and visits_before(tree, scratch, depth, options) == 0:
        lower, upper = bounds(state, options.lowest, options.highest)
        narrow(tree, scratch, depth, lower, upper, options)


@kernel
def expand(tree, scratch, depth, state, policy, options):
    """Adds the children of path[depth]; False if the arena is full or another thread is at it."""
    node = scratch.path[depth]
    if atomic_add(tree.nodes["claimed"], node, 1) != 0:
        atomic_add(tree.nodes["claimed"], node, -1)
        return False
    everything = options.solver != SOLVER_OFF  # a proof leaves no move out
    count = np.int64(moves(state, scratch.buffer) if everything else candidates(policy, state, scratch.buffer))
    shuffle(scratch.buffer, count, scratch.rng)
    first = add_children(tree, node, scratch.buffer, count, options.lowest, options.highest)
    if first == 0:
        return False
    tree.nodes[node]["to_play"] = to_play(state)
    if options.use_priors:
        set_priors(policy, state, scratch.buffer, count, scratch.priors)
        for i in range(count):
            tree.nodes[first + i]["prior"] = scratch.priors[i]
    if options.estimates:
        begin_estimates(tree, scratch, first, count, state, policy)
    if options.rave and options.prior_games > 0:
        set_expectations(policy, state, scratch.buffer, count, scratch.priors)
        begin_rave(tree, first, count, to_play(state), scratch.priors, options)
    if options.probe_children:
        probe(tree, scratch, first, count, state, options)
    publish_children(tree, node, first, count)
    if options.probe_children:
        narrow_by_children(tree, scratch, depth, options)
    return True


@kernel
def shuffle(buffer, count, rng):
    """Random order, so that equal moves are tried in random order."""
    for i in range(count - 1, 0, -1):
        j = below(rng, i + 1)
        kept = buffer[i]
        buffer[i] = buffer[j]
        buffer[j] = kept


@kernel
def probe(tree, scratch, first, count, state, options):
    """Looks one move ahead: children that end the game, that the rules bound, or whose positions are known."""
    ahead = scratch.states[AHEAD]
    for index in range(first, first + count):
        child = tree.nodes[index]
        scratch.states[AHEAD] = state
        play(ahead, child["move"])
        lower = np.int64(options.lowest)
        upper = np.int64(options.highest)
        if is_over(ahead):
            result = np.int64(outcome(ahead))
            if options.solver == SOLVER_BOUNDS or result != options.middle:
                lower = result
                upper = result
        else:
            if options.initial_bounds:
                low, high = bounds(ahead, options.lowest, options.highest)
                lower = np.int64(low)
                upper = np.int64(high)
            if options.transpositions:
                key = position_hash(ahead)
                if key != UNKNOWN:
                    known = look_up(tree.table, key)
                    if known != UNKNOWN:
                        lower = max(lower, packed_lower(known))
                        upper = min(upper, packed_upper(known))
        child["lower"] = lower
        child["upper"] = upper


@operation_with_default
def back_up(rule, tree, scratch, depth, score, options):
    """Adds the score, in units of the sums, to every node of the path. A rule of selection may bring its own way."""
    nodes = tree.nodes
    for d in range(depth, -1, -1):
        node = nodes[scratch.path[d]]
        value = score
        if options.clamp_scores:
            value = min(max(value, reward(np.int64(node["lower"]), options)), reward(np.int64(node["upper"]), options))
        if options.shared:
            count_shared(tree, scratch, d, value, options)
        else:
            node["visits"] += 1
            node["sum"] += value

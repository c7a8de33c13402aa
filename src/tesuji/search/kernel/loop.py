"""The one tree-search loop: a simulation descends the tree, expands it, plays the game out and backs up the result.

Python calls `run_slice` for some thousand simulations at a time, and handles the clock, interrupts and progress in between.
Several threads may run slices on one tree; each has its own Scratch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.numba.atomics import load
from tesuji.core.rules import is_over, outcome, play
from tesuji.search.kernel.bounds import (
    OFF,
    SolverOptions,
    claim_flag,
    decided_score,
    is_decided,
    look_up_bounds,
    narrow,
    narrow_by_children,
    probe,
    set_outcome,
    undecided_score,
)
from tesuji.search.kernel.expansion import expand
from tesuji.search.kernel.leaves import are_enough, end_collisions, is_answered, is_finished, resume_leaf, set_aside, waits
from tesuji.search.kernel.playouts import NO_END, WRONG_MOVE, Ending, note_outcome, play_out
from tesuji.search.kernel.quality import Quality, with_bonus
from tesuji.search.kernel.scale import Scale, score_of, score_of_share
from tesuji.search.kernel.scratch import AHEAD, HERE, SUBTREE
from tesuji.search.kernel.studies import study_node, study_root_moves
from tesuji.search.kernel.threads import Sharing, add_virtual_loss, flush_all_counts, real_visits
from tesuji.search.kernel.tree import (
    BAD_EVALUATION,
    ENDLESS,
    ILLEGAL,
    PRUNED,
    ROOT,
    STATUS,
    STUDIED,
    apply_replacement,
    publish_children,
    stop,
)
from tesuji.search.playouts.interface import learn_from
from tesuji.search.policy import NO_LOWER, NO_UPPER, begin_playout, playout_move, study_at
from tesuji.search.selection.choose_child import back_up, child_below_goal, choose_child, neglected_child
from tesuji.search.selection.interface import credit_game, look_ahead, plays_out

# With several threads, each repeats simulations from one busy node (its subtree) for a while: see `choose_subtree`.
SUBTREE_VISITS = 4096  # the least visits of such a node
SUBTREE_SHARE = 32  # a run there makes at most visits / SUBTREE_SHARE simulations
LONGEST_SUBTREE_RUN = 256


class Options(NamedTuple):
    """The options of the loop, besides the policy and the selection rule."""

    scale: Scale
    proof: SolverOptions
    ending: Ending
    quality: Quality
    sharing: Sharing
    expand_after: int
    policy_below: int
    value_share: float  # of what the policy expects, in a simulation's score; 1 = there are no playouts
    rates: bool  # the policy rates new moves
    prunes: bool  # moves that its ratings do not keep are left out of the tree
    studies: bool  # the policy studies nodes: children in the tree may be pruned, positions replaced
    bars: bool  # some moves stay out of the tree near the root: Scratch.barred
    root_moves: int  # how many moves of the root to study in place of a simulation; 0 = simulate
    root_widening: float
    has_root_goals: bool  # some moves of the root are visited first: Scratch.root_goals
    sorts: bool  # new children are sorted by their priors (`selection.tries_in_order`)
    in_order: bool  # and tried in this order,
    root_in_order: bool  # at the root too
    keeps_moves: bool  # record the moves of playouts, for who learns from them or for checking a user's policy
    chooser: Any  # of playout moves: `ByPolicy`, or another of search/playouts


@kernel
def run_slice(tree, root_state, scratch, policy, rule, options, count):
    """Makes up to `count` simulations, fewer if the root is proven or the arena is full; returns how many.

    tree           shared with the other threads
    root_state     the position at the root
    scratch        this thread's memory
    policy, rule   who plays out games and rates moves, and who selects children
    options        `Options`
    """
    root = tree.nodes[ROOT]
    done = 0
    subtree_depth = 0
    left_in_subtree = 0
    scratch.path[0] = ROOT
    end_collisions(scratch.leaves, tree, options)
    while True:
        depth = resume_leaf(scratch.leaves, scratch)
        start = scratch.states[SUBTREE]
        in_subtree = depth >= 0
        if not in_subtree:
            if are_enough(scratch.leaves, done, count) or tree.counters[STATUS] != 0 or is_decided(root, options):
                break
            in_subtree = left_in_subtree > 0 and not is_decided_above(tree, scratch, subtree_depth, options)
            if in_subtree:
                left_in_subtree -= 1
                depth = subtree_depth
            else:
                start = root_state
                depth = 0
        deepest = simulate(tree, start, depth, scratch, policy, rule, options)  # one call only: each is inlined as a whole copy
        if options.sharing.shared and not in_subtree and not waits(scratch.leaves):
            subtree_depth, left_in_subtree = choose_subtree(tree, root_state, deepest, scratch)
        if is_finished(scratch.leaves):
            done += 1
    if options.sharing.shared and not waits(scratch.leaves):
        flush_all_counts(rule, tree, scratch)
    return done


@kernel
def choose_subtree(tree, root_state, deepest, scratch):
    """The depth of the deepest busy node on the path, and how many simulations this thread starts there before it goes back to
    the root.

    With several threads, each works in its own subtree for a while, so that the nodes it reads are in its own cache, not just
    written by another processor. A search with one thread never does this.
    """
    for depth in range(deepest, 0, -1):
        visits = np.int64(tree.nodes[scratch.path[depth]]["visits"])
        if visits >= SUBTREE_VISITS:
            scratch.states[SUBTREE] = root_state
            for ply in range(depth):
                apply_replacement(tree, scratch.path[ply], scratch.states, SUBTREE)
                if tree.nodes[scratch.path[ply + 1]]["flags"] & PRUNED != 0:  # by another thread, just now
                    return 0, np.int64(0)
                play(scratch.states[SUBTREE], scratch.history[ply])
            return depth, min(LONGEST_SUBTREE_RUN, visits // SUBTREE_SHARE)
    return 0, np.int64(0)


@kernel
def is_decided_above(tree, scratch, depth, options):
    """Whether a node from path[1] to path[depth] is decided or pruned, so that simulations below it are wasted."""
    for d in range(1, depth + 1):
        node = tree.nodes[scratch.path[d]]
        if is_decided(node, options) or node["flags"] & PRUNED != 0:
            return True
    return False


@kernel
def simulate(tree, start, depth, scratch, policy, rule, options):
    """One simulation from path[depth]; returns the depth of the last node of its path.

    start          the position of path[depth]
    depth          0 = from the root; more in a run within the thread's own subtree, or from a leaf that has waited
    policy, rule   as in `run_slice`

    Outcomes, scores and bounds are for player 0.
    """
    nodes = tree.nodes
    path = scratch.path
    scratch.states[HERE] = start
    state = scratch.states[HERE]
    node = path[depth]
    length, score = depth, np.int64(0)
    first_ply = depth
    plays = False  # whether a playout ends the simulation
    expects = len(tree.expectations) > 1
    expected = 0.5  # by the policy, of the last node that it has rated, for player 0
    while True:
        # Step 1. At a node: apply the end of the game, the rules' bounds and earlier proofs.
        path[depth] = node
        record = nodes[node]
        count = record["child_count"]
        if options.sharing.shared:  # read before anything else of the children: it is published last
            count = load(nodes["child_count"], node)
        inner = count > 0
        if not inner and is_over(state):
            result = np.int64(outcome(state))
            set_outcome(tree, scratch, depth, result, options)
            note_outcome(scratch, depth, result)
            length, score = depth, score_of(options.scale, result)
            if options.quality.is_used:
                score = with_bonus(scratch.wins, options.quality, options.scale, length, score)
            break
        if options.studies:
            apply_replacement(tree, node, scratch.states, HERE)
        look_up_bounds(tree, scratch, depth, state, options)
        if is_decided(record, options):
            length, score = depth, decided_score(record, options)
            break

        # Step 2. At a leaf: expand it, or end with a playout from here.
        visits = real_visits(tree, scratch, depth, options)
        first = np.int64(record["first_child"])
        added = np.int64(0)
        if not inner:
            is_due = node == ROOT or visits >= options.expand_after or not plays_out(rule) or options.value_share >= 1.0
            if is_due or is_answered(scratch.leaves):
                if set_aside(scratch.leaves, tree, scratch, depth, state, options):
                    return depth
                first, added = expand(tree, scratch, depth, state, policy, rule, options)
            if options.root_moves > 0 and added == 0:
                return depth
            if added == 0 and plays_out(rule):
                plays = True
                break
            inner = added > 0
        if expects and tree.expectations[node] >= 0.0:
            expected = np.float64(tree.expectations[node])
        is_study_due = options.root_moves > 0 or (inner and visits >= study_at(policy))
        studied = options.studies and is_study_due and claim_flag(tree, node, STUDIED, options)
        lower, upper = NO_LOWER, NO_UPPER
        if studied:
            lower, upper = study_node(tree, scratch, depth, state, first, count, added, policy, options)
        if added > 0:
            if options.proof.probe_children:
                probe(tree, scratch, first, added, state, AHEAD, rule, options)
            look_ahead(rule, tree, scratch, first, added, state, policy, options)
            publish_children(tree, node, first, added)
        if studied or (added > 0 and options.proof.probe_children):
            narrow_by_children(tree, scratch, depth, options)
        if studied and depth > 0 and options.proof.solver != OFF:  # the root takes its bounds from its moves alone
            narrow(tree, scratch, depth, lower, upper, options)
        if options.root_moves > 0:  # before the search: no game is counted
            study_root_moves(tree, scratch, state, policy, options)
            return depth
        if is_decided(record, options):
            length, score = depth, decided_score(record, options)
            break
        if count == 0 and not plays_out(rule):
            length, score = depth, undecided_score(record, options)
            break
        if added > 0 and depth > 0 and options.value_share >= 1.0:
            plays = True
            break

        # Step 3. Select a child and play its move.
        child = np.int64(-1)
        if options.has_root_goals and depth == 0:
            child = child_below_goal(tree, scratch, options)
        if child < 0 and options.root_widening > 0.0 and depth == 0:
            child = neglected_child(rule, tree, scratch, options)
        if child < 0 and visits < options.policy_below:
            child = child_by_policy(tree, scratch, depth, state, policy, options)
        if child < 0:
            child = choose_child(rule, tree, scratch, depth, options)
        if child < 0:  # another thread's proof has not reached this node yet: bring it up to date
            narrow_by_children(tree, scratch, depth, options)
            length, score = depth, decided_score(record, options)
            break
        move = nodes[child]["move"]
        mover = record["to_play"]
        scratch.history[depth] = move
        scratch.movers[depth] = mover
        play(state, move)
        depth += 1
        if options.sharing.shared:
            add_virtual_loss(tree, scratch, child, depth, mover, options)
        node = child

    # Step 4. Run the playout; written once, since all that a policy does is inlined here. Back up the result.
    if plays:
        length = depth
        if options.value_share < 1.0:
            length, score = play_out(policy, state, scratch, depth, options)
            if length < 0:
                fault = ENDLESS if length == NO_END else ILLEGAL if length == WRONG_MOVE else BAD_EVALUATION
                stop(tree.counters, fault, node)
            elif options.quality.is_used:
                score = with_bonus(scratch.wins, options.quality, options.scale, length, score)
        if expects:
            score = mixed_score(options, score, expected)
    if length >= 0:
        back_up(rule, tree, scratch, depth, score, options)
        credit_game(rule, tree, scratch, depth, length, score)
        learn_from(options.chooser, scratch, start, first_ply, length, score)
    return depth


@kernel
def mixed_score(options, score, expected):
    """The score of a playout with that of the result that the policy expects, from 0 to 1 for player 0."""
    scale, share = options.scale, options.value_share
    played = np.float64(score - scale.least) * scale.per_sum
    return score_of_share(scale, share * expected + (1.0 - share) * played)


@kernel
def child_by_policy(tree, scratch, depth, state, policy, options):
    """The child that the playout policy would go to; -1 if its move is not in the tree, or proven and not to be revisited.

    So the nodes of few visits choose in Coulom 2006 (section 2) and in Winands et al. 2008 (section 3.1).

    depth     of the node: scratch.path[depth] is its index
    state     its position
    options   `Options`
    """
    notes = scratch.notes[0]
    begin_playout(policy, notes, state)
    move = playout_move(policy, notes, state, scratch.rng)
    nodes = tree.nodes
    node = nodes[scratch.path[depth]]
    first = np.int64(node["first_child"])
    for child in range(first, first + node["child_count"]):
        if nodes[child]["move"] == move:
            if nodes[child]["flags"] & PRUNED != 0:
                return np.int64(-1)
            return child if options.proof.revisit_proven or not is_decided(nodes[child], options) else np.int64(-1)
    return np.int64(-1)

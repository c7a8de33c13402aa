"""The one tree-search loop: a simulation descends the tree, expands it, plays the game out and backs up the result.

Python calls `run_slice` for some thousand simulations at a time, and handles the clock, interrupts and progress in between.
Several threads may run slices on one tree; each has its own Scratch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.atomics import atomic_or, load
from tesuji.core.dispatch import kernel
from tesuji.core.local_copies import local_copy
from tesuji.core.random import shuffle
from tesuji.core.rules import FIRST, is_over, moves, outcome, play, to_play
from tesuji.search.bounds import (
    OFF,
    SolverOptions,
    decided_score,
    is_decided,
    is_first,
    look_up_bounds,
    narrow,
    narrow_by_children,
    probe,
    set_outcome,
    undecided_score,
)
from tesuji.search.playouts import NO_END, Ending, play_out
from tesuji.search.policy import (
    FIRST_REPLY,
    NO_LOWER,
    NO_UPPER,
    begin_playout,
    playout_move,
    rate_moves,
    study,
    study_at,
    study_moves,
)
from tesuji.search.scale import Scale, score_of
from tesuji.search.selection import back_up, choose_child, credit_game, neglected_child, plays_out, take_rating
from tesuji.search.sharing import Sharing, add_virtual_loss, flush_all_counts, real_visits
from tesuji.search.table import UNKNOWN
from tesuji.search.tree import (
    ALL_PRUNED,
    BAD_STUDY,
    CLAIMED,
    ENDLESS,
    ILLEGAL,
    LOOKED_AT,
    PRUNED,
    REPLACED,
    ROOT,
    STATUS,
    STUDIED,
    add_children,
    apply_replacement,
    ask_for_reply,
    keep_position,
    publish_children,
    reply_asked_for,
    stop,
)

HERE, AHEAD, SUBTREE = 0, 1, 2  # positions of a Scratch: the simulation's, one move ahead, and the root of the thread's subtree
# With several threads, each repeats simulations from one busy node (its subtree) for a while: see `choose_subtree`.
SUBTREE_VISITS = 4096  # the least visits of such a node
SUBTREE_SHARE = 32  # a run there makes at most visits / SUBTREE_SHARE simulations
LONGEST_SUBTREE_RUN = 256


class Options(NamedTuple):
    """The options of the loop, besides the policy and the selection rule."""

    scale: Scale
    proof: SolverOptions
    ending: Ending
    sharing: Sharing
    expand_after: int
    policy_below: int
    rates: bool  # the policy rates new moves
    prunes: bool  # moves that its ratings do not keep are left out of the tree
    studies: bool  # the policy studies nodes: children in the tree may be pruned, positions replaced
    bars: bool  # some moves stay out of the tree near the root: Scratch.barred
    root_moves: int  # how many moves of the root to study in place of a simulation; 0 = simulate
    root_widening: float
    exploration_base: float
    growing_from: int  # visits from which exploration grows: before, it would not show
    in_order: bool  # new children are sorted by their priors, and tried in this order (`selection.tries_in_order`)
    keeps_moves: bool  # record the moves of playouts, for the selection rule or for checking a user's policy


class Scratch(NamedTuple):
    """Memory of one thread."""

    states: np.ndarray  # three positions
    image: np.ndarray  # one position: room to mirror or turn another
    rng: np.ndarray  # uint64[4]
    notes: np.ndarray  # one record: the policy's notes
    buffer: np.ndarray  # int32: moves
    ratings: np.ndarray  # RATING, parallel to buffer
    kept: np.ndarray  # int32, parallel to buffer
    bounds: np.ndarray  # int64[2, ...], parallel to buffer: of the positions after these moves
    values: np.ndarray  # float64, parallel to buffer
    weights: np.ndarray  # float64, parallel to buffer
    path: np.ndarray  # int64: nodes from the root
    hashes: np.ndarray  # uint64: position hashes along the path
    history: np.ndarray  # int32: moves of the game
    movers: np.ndarray  # int8: who made them
    move_stamps: np.ndarray  # int64[2, move_count + 1]: when a player last made a move, game and ply (RAVE); last cell: games
    barred: np.ndarray  # int32[2, move_count]: the player's move stays out of nodes that are less deep than this
    virtual_losses: np.ndarray  # int32: virtual losses given along the path
    decided: np.ndarray  # int32: along the path, the decided child that the rule preferred; 0 = none
    local_counts: np.ndarray  # LOCAL_COUNTS: counts not flushed yet
    checks: np.ndarray  # int64[2], for a user's policy: playouts checked, and the ply of an illegal move


@kernel
def run_slice(tree, root_state, scratch, policy, rule, options, count):
    """Up to `count` simulations; fewer if the root is proven or the arena is full. Returns how many."""
    root = tree.nodes[ROOT]
    done = 0
    subtree_depth = 0
    left_in_subtree = 0
    scratch.path[0] = ROOT
    while done < count and tree.counters[STATUS] == 0 and not is_decided(root, options):
        start = root_state
        depth = 0
        in_subtree = left_in_subtree > 0 and not is_decided_above(tree, scratch, subtree_depth, options)
        if in_subtree:
            left_in_subtree -= 1
            start = scratch.states[SUBTREE]
            depth = subtree_depth
        deepest = simulate(tree, start, depth, scratch, policy, rule, options)  # one call only: each is inlined as a whole copy
        if options.sharing.shared and not in_subtree:
            subtree_depth, left_in_subtree = choose_subtree(tree, root_state, deepest, scratch)
        done += 1
    if options.sharing.shared:
        flush_all_counts(tree, scratch)
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
                scratch.decided[ply] = 0  # of the simulation that is over: it is counted
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
    """One simulation from path[depth], whose position is `start`; returns the depth of the last node of its path."""
    nodes = tree.nodes
    path = scratch.path
    scratch.states[HERE] = start
    state = scratch.states[HERE]
    node = path[depth]
    length, score = depth, np.int64(0)
    plays = False  # whether a playout ends the simulation
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
            length, score = depth, score_of(options.scale, result)
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
            if node == ROOT or visits >= options.expand_after or not plays_out(rule):
                first, added = expand(tree, scratch, depth, state, policy, options)
            if options.root_moves > 0 and added == 0:
                return depth
            if added == 0 and plays_out(rule):
                plays = True
                break
            inner = added > 0 and study_at(policy) == 0
        is_due = options.root_moves > 0 or (inner and visits >= study_at(policy))
        studied = options.studies and is_due and is_first(tree, node, STUDIED, options)
        lower, upper = NO_LOWER, NO_UPPER
        if studied:
            lower, upper = study_node(tree, scratch, depth, state, first, count, added, policy, options)
        if added > 0:
            if options.proof.probe_children:
                probe(tree, scratch, first, added, state, AHEAD, options)
            publish_children(tree, node, first, added)
        if studied or (added > 0 and options.proof.probe_children):
            narrow_by_children(tree, scratch, depth, options)
        if studied and depth > 0 and options.proof.solver != OFF:  # the root takes its bounds from its moves alone
            narrow(tree, scratch, depth, lower, upper, options)
        if options.root_moves > 0:  # before the search: no game is counted
            look_ahead(tree, scratch, state, policy, options)
            return depth
        if is_decided(record, options):
            length, score = depth, decided_score(record, options)
            break
        if count == 0 and not plays_out(rule):
            length, score = depth, undecided_score(record, options)
            break

        # Step 3. Select a child and play its move.
        child = np.int64(-1)
        scratch.decided[depth] = 0
        if options.root_widening > 0.0 and depth == 0:
            child = neglected_child(tree, scratch, options)
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
        length, score = play_out(policy, state, scratch, depth, options)
        if length < 0:
            stop(tree.counters, ENDLESS if length == NO_END else ILLEGAL, node)
    if length >= 0:
        back_up(rule, tree, scratch, depth, score, options)
        credit_game(tree.extra[0], rule, tree, scratch, depth, length, score)
    return depth


@kernel
def child_by_policy(tree, scratch, depth, state, policy, options):
    """The child that the playout policy would go to; -1 if its move is not in the tree, or proven and not to be revisited.

    So the nodes of few visits choose in Coulom 2006 (section 2) and in Winands et al. 2008 (section 3.1).
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


@kernel
def expand(tree, scratch, depth, state, policy, options):
    """Adds the children of path[depth], which are not published yet; returns the first and how many.

    None, (0, 0), if the arena is full or another thread is expanding the node.
    """
    node = scratch.path[depth]
    none = np.int64(0)
    if atomic_or(tree.nodes["flags"], node, CLAIMED) & CLAIMED != 0:
        return none, none
    scale = options.scale
    buffer = scratch.buffer
    count = np.int64(moves(state, buffer))
    shuffle(buffer, count, scratch.rng)  # so that equal moves are tried in random order
    if options.bars:
        count = without_barred(buffer, count, scratch.barred, to_play(state), depth)
    if options.rates:
        reply = reply_asked_for(tree.nodes[node])
        count = rate(policy, state, buffer, count, reply, scratch.ratings, options)
        if count == 0:
            stop(tree.counters, ALL_PRUNED, node)
            return none, none
        if options.in_order:
            sort_by_prior(buffer, scratch.ratings, count)
    first = add_children(tree, node, buffer, count, scale.lowest, scale.highest)
    if first == 0:
        return none, none
    mover = to_play(state)
    tree.nodes[node]["to_play"] = mover
    if options.rates:
        for i in range(count):
            tree.nodes[first + i]["prior"] = scratch.ratings[i]["prior"]
            if len(tree.extra) > 1:
                take_rating(tree.extra[first + i], scratch.ratings[i], mover == FIRST, scale)
    return first, count


@kernel
def without_barred(buffer, count, barred, mover, depth):
    """Takes the moves out of the buffer that are barred at this depth, unless that would leave none."""
    kept = np.int64(0)
    for i in range(count):
        if barred[mover, buffer[i]] <= depth:
            buffer[kept] = buffer[i]
            kept += 1
    return kept if kept > 0 else count


@kernel
def rate(policy, state, buffer, count, reply, ratings, options):
    """The policy's ratings of the moves in the buffer; those that it prunes leave the buffer. Returns how many stay."""
    for i in range(count):
        ratings[i]["prior"] = 0.0
        ratings[i]["value"] = 0.5
        ratings[i]["games"] = 0.0
        ratings[i]["own_value"] = 0.5
        ratings[i]["own_games"] = 0.0
        ratings[i]["kept"] = True
        ratings[i]["asked_for"] = buffer[i] == reply
    rate_moves(policy, state, buffer, count, ratings)
    if not options.prunes:
        return count
    kept = np.int64(0)
    for i in range(count):
        if ratings[i]["kept"]:
            if kept < i:
                buffer[kept] = buffer[i]
                ratings[kept] = ratings[i]
            kept += 1
    return kept


@kernel
def sort_by_prior(buffer, ratings, count):
    """Puts the moves and their ratings in the order of their priors, the highest first; equal ones stay in random order."""
    for i in range(count - 1):
        best = i
        for j in range(i + 1, count):
            if ratings[j]["prior"] > ratings[best]["prior"]:
                best = j
        if best != i:
            move = buffer[i]
            buffer[i] = buffer[best]
            buffer[best] = move
            rating = local_copy(ratings[i])
            ratings[i] = ratings[best]
            ratings[best] = rating


@kernel
def study_node(tree, scratch, depth, state, first, published, added, policy, options):
    """Lets the policy study path[depth], whose position `state` is in states[HERE]; returns the bounds that it found.

    The node has `published` children from `first` on, or `added` ones that no other thread sees yet. A study that decides the
    game may leave a position without moves: it replaces nothing then, as the bounds are enough.
    """
    nodes = tree.nodes
    node = scratch.path[depth]
    count = np.int64(max(published, added))
    buffer = scratch.buffer
    kept = scratch.kept
    for i in range(count):
        buffer[i] = nodes[first + i]["move"]
        kept[i] = 1
    scratch.states[AHEAD] = state
    low, high, replaced = study(policy, state, buffer, count, kept)
    lower = max(np.int64(low), np.int64(options.scale.lowest))
    upper = min(np.int64(high), np.int64(options.scale.highest))
    some_kept = is_legal_study(state, nodes, first, count, kept, buffer)
    if not some_kept and lower < upper:
        stop(tree.counters, BAD_STUDY, node)
    # The value of a single move may be another one in the new position, so nothing may be known of any: a child with children
    # has the moves of the old position, and one with bounds those of its move there. Else the position stays. It does too where
    # another thread may be below this node with the old one. So does the root's: what is proven of its moves must be true
    # of them, not of those of another position.
    is_new = depth > 0 and (added > 0 or not options.sharing.shared)
    for i in range(count):
        child = nodes[first + i]
        if some_kept and kept[i] == 0:
            atomic_or(nodes["flags"], first + i, PRUNED)
            continue
        if kept[i] >= FIRST_REPLY:
            ask_for_reply(nodes, first + i, kept[i] - FIRST_REPLY)
        is_unknown = child["lower"] == options.scale.lowest and child["upper"] == options.scale.highest
        is_new = is_new and is_unknown and child["flags"] & CLAIMED == 0
    if replaced and some_kept and is_new:
        keep_position(tree, node, state)
    if nodes[node]["flags"] & REPLACED == 0:  # there may have been no room for it
        scratch.states[HERE] = scratch.states[AHEAD]
    return lower, upper


@kernel
def look_ahead(tree, scratch, state, policy, options):
    """Lets the policy study moves of the root, whose position `state` is: the next options.root_moves by their priors."""
    nodes = tree.nodes
    first = np.int64(nodes[ROOT]["first_child"])
    buffer, found, limits = scratch.buffer, scratch.kept, scratch.bounds
    count = 0
    while count < options.root_moves:
        best = np.int64(-1)
        for child in range(first, first + nodes[ROOT]["child_count"]):
            if nodes[child]["flags"] & (PRUNED | LOOKED_AT) == 0 and not is_decided(nodes[child], options):
                if best < 0 or nodes[child]["prior"] > nodes[best]["prior"]:
                    best = child
        if best < 0:
            break
        nodes[best]["flags"] |= LOOKED_AT
        buffer[count] = nodes[best]["move"]
        found[count] = best
        limits[0, count] = NO_LOWER
        limits[1, count] = NO_UPPER
        count += 1
    study_moves(policy, state, buffer, count, limits)
    scratch.hashes[1] = UNKNOWN
    for i in range(count):
        scratch.path[1] = found[i]
        lower = max(limits[0, i], np.int64(options.scale.lowest))
        upper = min(limits[1, i], np.int64(options.scale.highest))
        narrow(tree, scratch, 1, lower, upper, options)


@kernel
def is_legal_study(state, nodes, first, count, kept, buffer):
    """Whether some child is kept, and every one that is kept is a legal move of the position as the study left it."""
    if is_over(state):
        return False
    legal = np.int64(moves(state, buffer))
    some = False
    for i in range(count):
        if kept[i] != 0:
            some = True
            found = False
            for j in range(legal):
                found = found or buffer[j] == nodes[first + i]["move"]
            if not found:
                return False
    return some

"""The search: principal variation search on an explicit stack, so that it can stop after any node and resume there.

Python calls `run_slice`, which works at the frame of the ply under way until its nodes are used up or the root is done. A frame
goes through phases: ENTER the position; SKIP the turn (null move); CUT, if several moves of a shallower search do (multi-cut);
TRY every move; DONE. This file goes down the tree, results.py up again.

Point of view: `alpha`, `beta`, bounds, and results on their way up are player 0's; `low`, `high`, `best` the mover's. The same
player may move twice, so nothing depends on the parity of a ply.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.hashing import mixed
from tesuji.core.random import TO_UNIT
from tesuji.core.rules import FIRST, NO_HASH, bounds, is_over, moves, outcome, play, to_play
from tesuji.search.alphabeta.frames import (
    CUT,
    DONE,
    ENTER,
    ERA,
    FULL,
    INFINITE,
    NO_MOVE,
    NODES,
    PLY,
    PLY_NOW,
    PROVEN_SCORE,
    RETURNING,
    SCOUT,
    SKIP,
    STATUS,
    TRY,
    least_score,
    most_score,
    root_index,
    score_of,
)
from tesuji.search.alphabeta.hooks import known_bounds, noisy_moves, search_hash, skip_turn
from tesuji.search.alphabeta.ordering import moves_to_try, order_moves, pick_best
from tesuji.search.alphabeta.results import descend, finish, return_result, take_result, wants_multi_cut
from tesuji.search.alphabeta.table import AT_LEAST, AT_MOST, EXACT, NOT_FOUND, find, proof_is_valid
from tesuji.search.policy import evaluate

NULL_DEPTH = 2 * PLY  # the least depth left at which a null move is tried
U11 = np.uint64(11)


@kernel
def run_slice(scratch, table, policy, options, budget):
    """Enters at most `budget` nodes; returns how many. The search of this depth has ended when control[PLY_NOW] is below 0."""
    control = scratch.control
    done = 0
    while control[PLY_NOW] >= 0 and control[STATUS] == 0:
        ply = control[PLY_NOW]
        phase = scratch.frames[ply]["phase"]
        if control[RETURNING] != 0:
            control[RETURNING] = 0
            take_result(scratch, ply, options)
        elif phase == ENTER:
            if done >= budget:
                break
            done += 1
            control[NODES] += 1
            enter(scratch, table, policy, ply, options)
        elif phase == SKIP:
            try_null_move(scratch, policy, ply, options)
        elif phase == DONE:
            finish(scratch, table, ply, options)
        else:
            next_move(scratch, ply, options)
    return done


@kernel
def enter(scratch, table, policy, ply, options):
    # Step 1. The end of the game.
    state = scratch.states[ply]
    frame = scratch.frames[ply]
    scratch.lengths[ply] = 0
    if is_over(state):
        result = np.int64(outcome(state))
        return_result(scratch, ply, score_of(result, options), result, result)
        return
    player = np.int64(to_play(state))
    sign = 1 if player == FIRST else -1
    low = np.int64(frame["alpha"] if sign > 0 else -frame["beta"])
    high = np.int64(frame["beta"] if sign > 0 else -frame["alpha"])
    depth = np.int64(frame["depth"])

    # Step 2. Bounds from the rules and the table; the root takes its bounds from its moves alone.
    lower = np.int64(options.lowest)
    upper = np.int64(options.highest)
    if options.initial_bounds and ply > 0:
        least, most = bounds(state, options.lowest, options.highest)
        lower = np.int64(least)
        upper = np.int64(most)
    key = NO_HASH
    at = np.int64(NOT_FOUND)
    table_move = np.int64(NO_MOVE)
    if options.transpositions or options.noise > 0.0:
        key = search_hash(policy, state)
        if key != NO_HASH and frame["null_parity"]:
            key ^= scratch.salt[1]  # some hashes do not say who is to move
    if options.transpositions and key != NO_HASH:
        at = find(table, key)
    if at != NOT_FOUND:
        entry = table[at]
        table_move = np.int64(entry["move"])
        if ply > 0 and proof_is_valid(entry, scratch.control[ERA], options.exact_keys):
            lower = max(lower, np.int64(entry["lower"]))
            upper = min(upper, np.int64(entry["upper"]))
    least = least_score(lower, upper, sign, options)
    most = most_score(lower, upper, sign, options)
    if ply > 0 and (least >= high or most <= low or lower == upper):
        return_result(scratch, ply, sign * (least if least >= high else most), lower, upper)
        return
    if at != NOT_FOUND and ply > 0 and not frame["wide"] and not options.thorough:
        entry = table[at]
        value = min(max(np.int64(entry["value"]), least), most)
        kind = entry["kind"]
        if entry["depth"] >= depth and (
            kind == EXACT or (kind == AT_LEAST and value >= high) or (kind == AT_MOST and value <= low)
        ):
            return_result(scratch, ply, sign * value, lower, upper)
            return
    if options.initial_bounds and ply > 0:
        low_bound, high_bound = known_bounds(policy, state, options.lowest, options.highest)
        lower = max(lower, np.int64(low_bound))
        upper = min(upper, np.int64(high_bound))
        least = least_score(lower, upper, sign, options)
        most = most_score(lower, upper, sign, options)
        if least >= high or most <= low or lower == upper:
            return_result(scratch, ply, sign * (least if least >= high else most), lower, upper)
            return
    high = min(high, most)

    # Step 3. At the end of the depth: the evaluation, unless there are noisy moves to try first.
    is_leaf = depth <= 0 or ply >= len(scratch.frames) - 2
    narrow = not frame["wide"] and not options.thorough and not is_leaf and -PROVEN_SCORE < high < PROVEN_SCORE
    may_skip = narrow and options.null_move and frame["may_skip"] and depth >= NULL_DEPTH
    best = np.int64(-INFINITE)
    start_low = low
    if is_leaf or may_skip:
        evaluation = min(max(sign * static_evaluation(scratch, policy, state, key, options), least), most)
        may_skip = may_skip and evaluation >= high
        if is_leaf:
            best = evaluation
    count = np.int64(0)
    if not is_leaf:
        count = np.int64(moves(state, scratch.buffer))
    elif best < high and frame["quiet_left"] > 0 and ply < len(scratch.frames) - 2:
        count = np.int64(noisy_moves(policy, state, scratch.buffer))
    if count == 0:
        return_result(scratch, ply, sign * best, lower, upper)
        return

    # Step 4. Get ready for the moves.
    order_moves(scratch, policy, state, ply, count, table_move, player, options)
    try_count = count if is_leaf else moves_to_try(scratch, ply, count, options)
    frame["key"] = key
    frame["sign"] = sign
    frame["low"] = max(low, best)
    frame["high"] = high
    frame["start_low"] = start_low
    frame["best"] = best
    frame["best_move"] = NO_MOVE
    frame["least"] = -INFINITE
    frame["most"] = -INFINITE
    frame["lower"] = lower
    frame["upper"] = upper
    frame["count"] = count
    frame["try_count"] = try_count
    frame["index"] = 0
    frame["cuts"] = 0
    frame["stage"] = SCOUT
    frame["noisy"] = is_leaf
    frame["pruned"] = False
    if may_skip:
        frame["phase"] = SKIP
    elif narrow and wants_multi_cut(depth, count, options):
        frame["phase"] = CUT
    else:
        frame["phase"] = TRY


@kernel
def static_evaluation(scratch, policy, state, key, options):
    """The evaluation as a score, for player 0, always below a proven score. NaN counts as lost."""
    value = np.float64(evaluate(policy, state))
    if options.noise > 0.0 and key != NO_HASH:
        value += (2.0 * np.float64(mixed(key, scratch.salt[0]) >> U11) * TO_UNIT - 1.0) * options.noise
    value *= options.grain
    if not value > 1.0 - PROVEN_SCORE:
        value = 1.0 - PROVEN_SCORE
    if value > PROVEN_SCORE - 1.0:
        value = PROVEN_SCORE - 1.0
    return np.int64(np.floor(value + 0.5))


@kernel
def try_null_move(scratch, policy, ply, options):
    """The null move: if the mover passes and still reaches the top of the window, a real move would reach it too."""
    states = scratch.states
    frame = scratch.frames[ply]
    states[ply + 1] = states[ply]
    if skip_turn(policy, states[ply + 1]):
        descend(scratch, ply, frame["depth"] - options.null_cost, frame["high"] - 1, frame["high"], False, options)
        below = scratch.frames[ply + 1]
        below["may_skip"] = False
        below["null_parity"] = not frame["null_parity"]
    else:
        frame["phase"] = CUT if wants_multi_cut(frame["depth"], frame["count"], options) else TRY


@kernel
def next_move(scratch, ply, options):
    """Begins the next move of the phase CUT or TRY, or ends the phase."""
    frame = scratch.frames[ply]
    phase = frame["phase"]
    index = np.int64(frame["index"])
    count = np.int64(frame["count"])
    try_count = np.int64(frame["try_count"])
    if phase == CUT and (index >= try_count or index >= options.multi_cut_moves):
        frame["phase"] = TRY
        frame["index"] = 0
        return
    if index >= try_count:
        frame["phase"] = DONE
        return
    pick_best(scratch, ply, index, count)
    move = np.int64(scratch.moves[ply, index])
    frame["move_lower"] = options.lowest
    frame["move_upper"] = options.highest
    if ply == 0:
        frame["nodes_before"] = scratch.control[NODES]
        if needs_no_search(scratch, move, options):
            return
    states = scratch.states
    states[ply + 1] = states[ply]
    play(states[ply + 1], move)
    low, high, depth = np.int64(frame["low"]), np.int64(frame["high"]), np.int64(frame["depth"])
    if phase == CUT:
        descend(scratch, ply, depth - options.multi_cut_cost, high - 1, high, False, options)
        return
    cost = np.int64(scratch.costs[ply, index])
    frame["stage"] = SCOUT
    if frame["noisy"]:
        descend(scratch, ply, np.int64(0), low, high, frame["wide"] and index == 0, options)
    elif index == 0:  # the best move so far is never reduced
        frame["stage"] = FULL
        descend(scratch, ply, depth - min(cost, PLY), low, high, frame["wide"], options)
    else:
        descend(scratch, ply, depth - cost, low, low + 1 if options.pvs else high, False, options)


@kernel
def needs_no_search(scratch, move, options):
    """Whether the bounds of a move at the root are enough without a search; they are returned as its result then."""
    frame = scratch.frames[0]
    record = scratch.root[root_index(scratch.root, move)]
    lower, upper, sign = np.int64(record["lower"]), np.int64(record["upper"]), np.int64(frame["sign"])
    frame["move_lower"] = lower
    frame["move_upper"] = upper
    most = most_score(lower, upper, sign, options)
    if lower != upper and most > frame["low"]:
        return False
    frame["stage"] = FULL
    scratch.lengths[1] = 0
    return_result(scratch, 1, sign * most, lower, upper)
    return True

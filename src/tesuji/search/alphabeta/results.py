"""Results on their way up the stack: how each phase uses a result, when a move is searched again, what a node proves."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.rules import NO_HASH
from tesuji.search.alphabeta.frames import (
    CUT,
    DEEPER,
    DONE,
    ENTER,
    ERA,
    FULL,
    INFINITE,
    LINE_LENGTH,
    LOWER,
    NODES,
    PLY,
    PLY_NOW,
    RETURNING,
    SCOUT,
    SKIP,
    STATUS,
    STATUS_CROSSED,
    TRY,
    UPPER,
    VALUE,
    least_score,
    most_score,
    root_index,
)
from tesuji.search.alphabeta.ordering import learn_from_cut
from tesuji.search.alphabeta.table import AT_LEAST, AT_MOST, EXACT, store


@kernel
def wants_multi_cut(depth, count, options):
    return options.multi_cut and depth >= options.multi_cut_cost and count >= options.multi_cut_needed


@kernel
def return_result(scratch, ply, value, lower, upper):
    """Hands a result (for player 0) to the ply above."""
    control = scratch.control
    control[VALUE] = value
    control[LOWER] = lower
    control[UPPER] = upper
    control[RETURNING] = 1 if ply > 0 else 0
    control[PLY_NOW] = ply - 1


@kernel
def descend(scratch, ply, depth, low, high, wide, options):
    """Sets up the frame of the ply below, whose position is in place already.

    ply         of the frame here
    depth       of the search below, in units of 1 / PLY of a ply
    low, high   the window, for the player to move here
    wide        whether the ply below is on the expected line, so that nothing is pruned there
    """
    frame = scratch.frames[ply]
    below = scratch.frames[ply + 1]
    first_moves = frame["sign"] > 0
    below["alpha"] = low if first_moves else -high
    below["beta"] = high if first_moves else -low
    below["depth"] = depth
    below["wide"] = wide
    below["may_skip"] = True
    below["null_parity"] = frame["null_parity"]
    below["quiet_left"] = frame["quiet_left"] - 1 if frame["noisy"] else options.quiescence
    below["phase"] = ENTER
    scratch.control[PLY_NOW] = ply + 1


@kernel
def take_result(scratch, ply, options):
    """Uses the result that has come up from the ply below, as the phase requires."""
    control = scratch.control
    frame = scratch.frames[ply]
    sign = np.int64(frame["sign"])
    value = sign * control[VALUE]
    high = np.int64(frame["high"])
    if frame["phase"] == SKIP:
        if value >= high:
            frame["best"] = high
            frame["pruned"] = True
            frame["phase"] = DONE
        else:
            frame["phase"] = CUT if wants_multi_cut(frame["depth"], frame["count"], options) else TRY
        return
    if frame["phase"] == CUT:
        frame["index"] += 1
        if value >= high:
            frame["cuts"] += 1
            if frame["cuts"] >= options.multi_cut_needed:
                frame["best"] = high
                frame["pruned"] = True
                frame["phase"] = DONE
        return

    # A move of the phase TRY. All that is proven of it is kept, whichever search found it.
    frame["move_lower"] = max(np.int64(frame["move_lower"]), control[LOWER])
    frame["move_upper"] = min(np.int64(frame["move_upper"]), control[UPPER])
    index = np.int64(frame["index"])
    low = np.int64(frame["low"])
    depth = np.int64(frame["depth"])
    if frame["stage"] != FULL and not frame["noisy"] and value > low:
        if frame["stage"] == SCOUT and scratch.costs[ply, index] > PLY:  # a reduced move that looks good gets its full depth
            frame["stage"] = DEEPER
            descend(scratch, ply, depth - PLY, low, low + 1 if options.pvs else high, False, options)
            return
        if options.pvs and value < high:
            frame["stage"] = FULL
            descend(scratch, ply, depth - min(np.int64(scratch.costs[ply, index]), PLY), low, high, frame["wide"], options)
            return
    accept(scratch, ply, value, options)


@kernel
def accept(scratch, ply, value, options):
    """The value of a move stands: it counts for the node, and may cut."""
    frame = scratch.frames[ply]
    move = np.int64(scratch.moves[ply, frame["index"]])
    lower, upper = np.int64(frame["move_lower"]), np.int64(frame["move_upper"])
    sign = np.int64(frame["sign"])
    frame["least"] = max(np.int64(frame["least"]), lower if sign > 0 else -upper)
    frame["most"] = max(np.int64(frame["most"]), upper if sign > 0 else -lower)
    if value > frame["best"]:
        frame["best"] = value
        frame["best_move"] = move
        if value > frame["low"]:
            frame["low"] = value
            store_line(scratch, ply, move)
    if ply == 0:
        record_root_move(scratch, move, sign * value, lower, upper, options)
    frame["index"] += 1
    if frame["best"] >= frame["high"]:
        learn_from_cut(scratch, ply, move, frame["depth"], 0 if sign > 0 else 1, options)
        frame["phase"] = DONE


@kernel
def store_line(scratch, ply, move):
    """The expected line from here: this move, and the line of the ply below."""
    lines, lengths = scratch.lines, scratch.lengths
    length = np.int64(lengths[ply + 1])
    lines[ply, 0] = move
    for i in range(length):
        lines[ply, i + 1] = lines[ply + 1, i]
    lengths[ply] = length + 1
    if ply == 0:
        for i in range(length + 1):
            scratch.line[i] = lines[0, i]
        scratch.control[LINE_LENGTH] = length + 1


@kernel
def record_root_move(scratch, move, value, lower, upper, options):
    """Records what the engine reports of a move at the root. Its bounds stay true from depth to depth.

    move           one of scratch.root
    value          its score, for player 0
    lower, upper   what is proven of it, for player 0
    """
    control = scratch.control
    depth = (scratch.frames[0]["depth"] + PLY - 1) // PLY
    record = scratch.root[root_index(scratch.root, move)]
    record["value"] = value
    record["depth"] = depth
    record["nodes"] += control[NODES] - scratch.frames[0]["nodes_before"]
    if lower > record["lower"] or upper < record["upper"]:
        record["since"] = depth
        record["lower"] = max(lower, np.int64(record["lower"]))
        record["upper"] = min(upper, np.int64(record["upper"]))


@kernel
def finish(scratch, table, ply, options):
    """All moves are tried, or one has cut: stores the value and bounds in the table and returns them to the ply above."""
    frame = scratch.frames[ply]
    sign = np.int64(frame["sign"])
    lower, upper = np.int64(frame["lower"]), np.int64(frame["upper"])
    if not frame["pruned"]:
        least = np.int64(frame["least"])
        most = np.int64(INFINITE)
        if frame["index"] >= frame["count"] and not frame["noisy"]:
            most = np.int64(frame["most"])
        lower = max(lower, least if sign > 0 else -most)
        upper = min(upper, most if sign > 0 else -least)
    if lower > upper:
        if options.exact_keys:
            scratch.control[STATUS] = STATUS_CROSSED
            return
        lower, upper = np.int64(options.lowest), np.int64(options.highest)
    value = max(np.int64(frame["best"]), least_score(lower, upper, sign, options))
    value = min(value, most_score(lower, upper, sign, options))
    if options.transpositions and frame["key"] != NO_HASH and (not frame["noisy"] or frame["quiet_left"] == options.quiescence):
        kind = AT_LEAST if value >= frame["high"] else AT_MOST if value <= frame["start_low"] else EXACT
        table_lower, table_upper = lower, upper
        if not options.exact_keys:  # a draw may come from this game's history, which the key leaves out
            if 2 * lower <= options.twice_break_even:
                table_lower = np.int64(options.lowest)
            if 2 * upper >= options.twice_break_even:
                table_upper = np.int64(options.highest)
        depth = max(np.int64(frame["depth"]), 0)
        era = scratch.control[ERA]
        move = frame["best_move"]
        store(table, frame["key"], value, kind, depth, move, table_lower, table_upper, era, options.exact_keys)
    return_result(scratch, ply, sign * value, lower, upper)

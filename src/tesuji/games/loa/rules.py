"""Lines of Action: the rules on bitboards (state.py), with lines.py for what may move where and connection.py for what wins."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import implements, kernel
from tesuji.core.hashing import mixed
from tesuji.core.random import below
from tesuji.core.symmetry import SQUARE, cell_image
from tesuji.games.loa.connection import is_connected
from tesuji.games.loa.lines import (
    NOWHERE,
    PASS,
    add_to_lines,
    can_move,
    goal,
    is_free,
    landing,
    list_moves,
    list_squares,
    move_in,
)
from tesuji.games.loa.state import BLACK, LINES, ONE, PIECE_KEYS, PLY_LIMIT, QUIET_LIMIT, SQUARES, STATE, ZERO

TRIALS = 40  # draws of a random move before all moves are listed
OCCURRENCES = 3  # of a position that make a draw


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    """By squares from a1 and by directions; a pass if there is nothing else."""
    stones = state["stones"]
    player = state["to_play"]
    own, other = stones[player], stones[1 - player]
    count = list_moves(state["counts"], own, other, out)
    for i in range(count):
        out[i] = move_in(out[i])
    if count == 0:
        out[0] = PASS
        count = 1
    return count


@implements(rules.random_move, STATE)
def random_move(state, buffer, rng):
    """Draws a piece and a direction until they are a legal move: a third of them are, and nothing needs to be listed."""
    stones = state["stones"]
    counts = state["counts"]
    player = state["to_play"]
    own, other = stones[player], stones[1 - player]
    choices = 8 * list_squares(own, buffer)
    for _ in range(TRIALS):
        chosen = below(rng, choices)
        square = np.int64(buffer[chosen >> 3])
        direction = chosen & 7
        if is_free(own, other, square, goal(counts, square, direction), direction):
            return 8 * square + direction
    return np.int64(buffer[below(rng, rules.moves(state, buffer))])


@implements(rules.play, STATE)
def play(state, move):
    player = np.int64(state["to_play"])
    quiet = np.int64(state["quiet"])
    seen = state["seen"]
    key = seen[quiet]
    captured = False
    if move != PASS:
        stones = state["stones"]
        counts = state["counts"]
        origin = np.int64(move) >> 3
        target = landing(counts, origin, np.int64(move) & 7)
        bit = ONE << np.uint64(target)
        captured = stones[1 - player] & bit != ZERO
        stones[player] ^= (ONE << np.uint64(origin)) | bit
        key ^= PIECE_KEYS[player, origin] ^ PIECE_KEYS[player, target]
        add_to_lines(counts, origin, -1)
        if captured:
            stones[1 - player] ^= bit
            key ^= PIECE_KEYS[1 - player, target]
        else:
            add_to_lines(counts, target, 1)
    quiet = 0 if captured else quiet + 1
    seen[quiet] = key
    state["quiet"] = quiet
    state["to_play"] = 1 - player
    state["ply"] += 1
    decide(state, player, captured)
    if state["over"] == 0 and (is_third(seen, quiet, key) or quiet >= QUIET_LIMIT or state["ply"] >= PLY_LIMIT):
        state["over"] = 1


@kernel
def decide(state, mover, captured):
    """Ends the game if a side is connected now, or by the rule that who cannot move has lost.

    Who did not move is where he was, unless a piece of his was captured, so he is looked at only then.
    """
    stones = state["stones"]
    mine = is_connected(stones[mover])
    others = captured and is_connected(stones[1 - mover])
    winner = 0  # +1 the mover, -1 the other
    if mine and others:
        winner = 1 if state["mover_wins"] != 0 else 0
    elif mine:
        winner = 1
    elif others:
        winner = -1
    elif state["no_move_loses"] != 0 and not can_move(state["counts"], stones[1 - mover], stones[mover]):
        winner = 1
    else:
        return
    state["over"] = 1
    state["result"] = winner if mover == BLACK else -winner


@kernel
def is_third(seen, quiet, key):
    """Whether the position, which is seen[quiet], was there twice before with the same player to move.

    No position before a capture can come back, and those with the same player to move lie an even number of plies back.
    """
    times = 1
    for i in range(quiet - 2, -1, -2):
        if seen[i] == key:
            times += 1
    return times >= OCCURRENCES


@implements(rules.is_over, STATE)
def is_over(state):
    return state["over"] != 0


@implements(rules.outcome, STATE)
def outcome(state):
    return state["result"]


@implements(rules.position_hash, STATE)
def position_hash(state):
    """The pieces, whose turn it is, the ply, and which positions have been there since the last capture, in any order.

    That is all that the future can depend on, since a position may come back, and a game is a draw after so many plies.
    """
    seen = state["seen"]
    quiet = np.int64(state["quiet"])
    like, unlike = ZERO, ZERO  # sums over the positions with the same player to move and with the other
    for i in range(quiet - 1, -1, -1):
        if (quiet - i) & 1 == 0:
            like += seen[i]
        else:
            unlike += seen[i]
    clock = np.uint64(2 * np.int64(state["ply"]) + np.int64(state["to_play"]))
    return mixed(mixed(mixed(seen[quiet], clock), like), unlike)


@implements(rules.symmetries, STATE)
def symmetries(state):
    """Those of the square while no earlier position can come back: only their keys are stored, and keys have no images."""
    return SQUARE if state["quiet"] == 0 else 1


@implements(rules.image, STATE)
def image(state, number, out):
    if number == 0:
        return
    stones, images = state["stones"], out["stones"]
    counts = out["counts"]
    for line in range(LINES):
        counts[line] = 0
    key = ZERO
    for player in range(2):
        pieces, turned_pieces = stones[player], ZERO
        for square in range(SQUARES):
            if pieces >> np.uint64(square) & ONE != ZERO:
                row, column = cell_image(square >> 3, square & 7, 7, 7, number)
                target = 8 * row + column
                turned_pieces |= ONE << np.uint64(target)
                key ^= PIECE_KEYS[player, target]
                add_to_lines(counts, target, 1)
        images[player] = turned_pieces
    seen = out["seen"]
    seen[0] = key


@implements(rules.canonical, STATE)
def canonical(state, out):
    """Earlier positions in the order of their keys, apart by who was to move; those before the last capture are forgotten."""
    seen = out["seen"]
    quiet = np.int64(state["quiet"])
    for i in range(quiet + 1, len(seen)):
        seen[i] = ZERO
    for i in range(quiet):
        for j in range(i, 1, -2):
            if seen[j] < seen[j - 2]:
                seen[j], seen[j - 2] = seen[j - 2], seen[j]


@kernel
def target_of(state, move):
    """The square that a legal move leads to; NOWHERE for a pass."""
    return NOWHERE if move == PASS else landing(state["counts"], move >> 3, move & 7)


@kernel
def is_capture(state, move):
    """Whether a legal move takes a piece."""
    if move == PASS:
        return False
    stones = state["stones"]
    other = stones[1 - state["to_play"]]
    return other >> np.uint64(target_of(state, move)) & ONE != ZERO

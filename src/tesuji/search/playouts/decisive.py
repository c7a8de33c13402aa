"""Decisive and anti-decisive moves (Teytaud and Teytaud 2010): a playout wins at once where it can, and lets nobody else do so.

For any game, by trial: every legal move is made on a copy of the position. A move of a playout then costs as many copies and
moves as there are legal moves, with anti-decisive moves twice that, and more where the other player does threaten to win.
`decisive_plies` limits it to the beginning of a playout.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.parameters import Parameter
from tesuji.core.random import below
from tesuji.core.rules import FIRST, is_over, moves, outcome, play, to_play
from tesuji.search.kernel.scratch import AHEAD
from tesuji.search.playouts.interface import NO_MOVE, chosen_move, safe_move

DECISIVE_PLIES = Parameter(
    "decisive_plies", 0, "moves of a playout, from its first on, at which it looks for decisive ones; 0 = all", 0, 1 << 30
)
DECISIVE_MOVES = Parameter(
    "decisive_moves",
    "off",
    "playouts try every move for one that wins at once; both: they also make none after which the other player can",
    choices=("off", "win", "both"),
    parts={"win": (DECISIVE_PLIES,), "both": (DECISIVE_PLIES,)},
)


class DecisiveMoves(NamedTuple):
    """Wins at once."""

    plies: int
    even: float  # the outcome of a game that nobody wins


class AntiDecisiveMoves(NamedTuple):
    """Wins at once, and lets nobody else do so."""

    plies: int
    even: float


@kernel
def is_won_by(state, player, even):
    """Whether the game is over and this player has won it."""
    if not is_over(state):
        return False
    return outcome(state) > even if player == FIRST else outcome(state) < even


@kernel
def winning_move(chooser, policy, notes, state, scratch, start, ply):
    if chooser.plies > 0 and ply - start >= chooser.plies:
        return np.int64(NO_MOVE)
    listed, player = scratch.buffer, to_play(state)
    for i in range(moves(state, listed)):
        scratch.states[AHEAD] = state
        play(scratch.states[AHEAD], listed[i])
        if is_won_by(scratch.states[AHEAD], player, chooser.even):
            return np.int64(listed[i])
    return np.int64(NO_MOVE)


implements(chosen_move, DecisiveMoves)(winning_move)
implements(chosen_move, AntiDecisiveMoves)(winning_move)


@kernel
def refutation(state, scratch, player, even):
    """A move with which the other player, to move in `state`, wins at once; NO_MOVE if there is none, or it is not his turn."""
    if to_play(state) == player:
        return np.int64(NO_MOVE)
    listed = scratch.kept
    for i in range(moves(state, listed)):
        scratch.image[0] = state
        play(scratch.image[0], listed[i])
        if is_won_by(scratch.image[0], 1 - player, even):
            return np.int64(listed[i])
    return np.int64(NO_MOVE)


@kernel
def refutation_of(state, scratch, move, before, even):
    """A reply that wins at once against `move`; NO_MOVE if there is none. `before` refuted other moves and is tried first.

    A move that ends the game with a loss is its own refutation.
    """
    player = to_play(state)
    scratch.states[AHEAD] = state
    ahead = scratch.states[AHEAD]
    play(ahead, move)
    if is_over(ahead):
        return np.int64(move) if is_won_by(ahead, 1 - player, even) else np.int64(NO_MOVE)
    if before >= 0 and to_play(ahead) != player:
        listed = scratch.kept
        for i in range(moves(ahead, listed)):
            if listed[i] == before:
                scratch.image[0] = ahead
                play(scratch.image[0], before)
                if is_won_by(scratch.image[0], 1 - player, even):
                    return np.int64(before)
                break
    return refutation(ahead, scratch, player, even)


@implements(safe_move, AntiDecisiveMoves)
def unrefuted_move(chooser, state, scratch, start, ply, move):
    """The move itself if it is safe; else the refutation's own, which may occupy its place; else the first safe one of the list
    from a random place on; if none is, the move itself."""
    if chooser.plies > 0 and ply - start >= chooser.plies:
        return np.int64(move)
    threat = refutation_of(state, scratch, move, np.int64(NO_MOVE), chooser.even)
    if threat < 0:
        return np.int64(move)
    listed = scratch.buffer
    count = moves(state, listed)
    for i in range(count):
        if listed[i] == threat:
            if refutation_of(state, scratch, threat, threat, chooser.even) < 0:
                return threat
            break
    at = below(scratch.rng, count)
    for _ in range(count):
        other = np.int64(listed[at])
        if other != move:
            reply = refutation_of(state, scratch, other, threat, chooser.even)
            if reply < 0:
                return other
            threat = reply
        at += 1
        if at == count:
            at = 0
    return np.int64(move)

"""The last good reply: playouts answer a move as a player who went on to win has last answered it.

Drake 2009 keeps the reply to the last move (LGR-1) and to the last two (LGR-2), of which the latter comes first. Baier and
Drake 2010 also forget a reply as soon as a player who made it has lost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.parameters import Parameter
from tesuji.core.rules import FIRST, SECOND, moves, to_play
from tesuji.search.playouts.interface import NO_MOVE, chosen_move, learn_from
from tesuji.search.playouts.memory import NO_REPLY, ONE, first_key, sequence_key

FORGET_REPLIES = Parameter("forget_replies", True, "a reply is forgotten when a player who made it loses")
NOBODY = -1


class Replies(NamedTuple):
    """LGR-1: to the last move."""

    forgets: bool
    even: float  # the score of a game that nobody wins

    TABLES = ("replies",)


class PairReplies(NamedTuple):
    """LGR-2: to the last two moves, else to the last."""

    forgets: bool
    even: float

    TABLES = ("replies", "pair_replies")


@kernel
def winner_of(score, even):
    """Who has won a game with this score, or NOBODY."""
    return FIRST if score > even else SECOND if score < even else NOBODY


@kernel
def if_legal(state, scratch, reply):
    """The reply, or NO_MOVE if it cannot be made here."""
    if reply != NO_REPLY:
        listed = scratch.buffer
        for i in range(moves(state, listed)):
            if listed[i] == reply:
                return np.int64(reply)
    return np.int64(NO_MOVE)


@kernel
def pair_of(scratch, player, ply):
    """The key of the last two moves before `ply`, for a reply of this player."""
    return sequence_key(sequence_key(first_key(player), scratch.history[ply - 1]), scratch.history[ply - 2])


@kernel
def place_of_pair(pairs, key):
    return np.int64((key >> ONE) & np.uint64(len(pairs) - 1))


@implements(chosen_move, Replies)
@kernel
def reply_to_move(chooser, policy, notes, state, scratch, start, ply):
    if ply < 1:
        return np.int64(NO_MOVE)
    replies = scratch.learned.replies
    return if_legal(state, scratch, replies[to_play(state), scratch.history[ply - 1] & (replies.shape[1] - 1)])


@implements(chosen_move, PairReplies)
def reply_to_pair(chooser, policy, notes, state, scratch, start, ply):
    if ply >= 2:
        pairs = scratch.learned.pair_replies
        key = pair_of(scratch, to_play(state), ply)
        place = place_of_pair(pairs, key)
        if pairs[place]["key"] == key:
            reply = if_legal(state, scratch, pairs[place]["move"])
            if reply >= 0:
                return reply
    return reply_to_move(chooser, policy, notes, state, scratch, start, ply)


@implements(learn_from, Replies)
@kernel
def learn_replies(chooser, scratch, start, first, length, score):
    winner = winner_of(score, chooser.even)
    if winner == NOBODY:
        return
    replies = scratch.learned.replies
    for ply in range(1, length):
        player, before, move = scratch.movers[ply], scratch.history[ply - 1] & (replies.shape[1] - 1), scratch.history[ply]
        if player == winner:
            replies[player, before] = move
        elif chooser.forgets and replies[player, before] == move:
            replies[player, before] = NO_REPLY


@implements(learn_from, PairReplies)
def learn_replies_to_pairs(chooser, scratch, start, first, length, score):
    learn_replies(chooser, scratch, start, first, length, score)
    winner = winner_of(score, chooser.even)
    if winner == NOBODY:
        return
    pairs = scratch.learned.pair_replies
    for ply in range(2, length):
        player, move = scratch.movers[ply], scratch.history[ply]
        key = pair_of(scratch, player, ply)
        place = place_of_pair(pairs, key)
        if player == winner:
            pairs[place]["key"] = key
            pairs[place]["move"] = move
        elif chooser.forgets and pairs[place]["key"] == key and pairs[place]["move"] == move:
            pairs[place]["move"] = NO_REPLY

"""Replies that keep a connection (virtual connection maintenance in MoHex 2.0).

A move in a cell that all full connections of two of the opponent's chains need cuts them, unless he answers. A cell that has
full connections with both chains, apart from the move and from each other, joins them again.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.knowledge.hex.bitsets import both, either, has_point, is_empty, load
from tesuji.knowledge.hex.connections.lists import (
    CHAIN,
    EMPTY_CELL,
    FULLS,
    FULLS_AT,
    OF_FULLS,
    ONE_END,
    OTHER_END,
    PAIR_NUMBERS,
    PAIR_SETS,
    PAIRS_USED,
)
from tesuji.search.policy import FIRST_REPLY

MOST_PAIRS = 1024
NO_REPLY = -1


@called_kernel
def ask_for_replies(other, pairs, votes, moves, count, kept):
    """Asks for a reply to each kept move that cuts chains of the opponent, whose connections `other` are."""
    found = 0
    needed = other.kind
    for pair in range(1, other.counts[PAIRS_USED]):
        first = pair * PAIR_NUMBERS
        x, y = np.int64(other.pairs[first + ONE_END]), np.int64(other.pairs[first + OTHER_END])
        if other.status[x] >= CHAIN and other.status[y] >= CHAIN and other.pairs[first + FULLS] > 0 and found < len(pairs):
            shared = load(other.kind, other.common, pair * PAIR_SETS + OF_FULLS)
            if not is_empty(shared):
                needed = either(needed, shared)
                pairs[found] = pair
                found += 1
    for i in range(count):
        if kept[i] != 0 and has_point(needed, np.int64(moves[i])):
            reply = best_reply(other, pairs, found, votes, np.int64(moves[i]))
            if reply != NO_REPLY:
                kept[i] = FIRST_REPLY + reply


@kernel
def best_reply(other, pairs, found, votes, move):
    """The cell that joins the most of the pairs which the move cuts; NO_REPLY if none joins any."""
    for cell in range(other.points - 2):
        votes[cell] = 0
    for number in range(found):
        pair = np.int64(pairs[number])
        if not has_point(load(other.kind, other.common, pair * PAIR_SETS + OF_FULLS), move):
            continue
        first = pair * PAIR_NUMBERS
        x, y = np.int64(other.pairs[first + ONE_END]), np.int64(other.pairs[first + OTHER_END])
        for place in range(other.near_count[x]):
            cell = np.int64(other.near[x * other.points + place])
            if cell != move and other.status[cell] == EMPTY_CELL and joins_again(other, x, y, cell, move):
                votes[cell] += 1
    best = np.int64(NO_REPLY)
    most = 0
    for cell in range(other.points - 2):
        if votes[cell] > most:
            best, most = np.int64(cell), votes[cell]
    return best


@kernel
def joins_again(other, x, y, cell, move):
    """Whether the cell has full connections with both points that have no common cell, and do not need that of the move."""
    one = np.int64(other.pair_of[x * other.points + cell]) * PAIR_NUMBERS
    two = np.int64(other.pair_of[cell * other.points + y]) * PAIR_NUMBERS
    for i in range(other.pairs[one + FULLS]):
        first = load(other.kind, other.arena, np.int64(other.pairs[one + FULLS_AT]) + i)
        if has_point(first, move):
            continue
        for j in range(other.pairs[two + FULLS]):
            second = load(other.kind, other.arena, np.int64(other.pairs[two + FULLS_AT]) + j)
            if not has_point(second, move) and is_empty(both(first, second)):
                return True
    return False

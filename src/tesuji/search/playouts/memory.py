"""What one thread has learned from its games: tables of fixed size, made by Python and filled by the choosers.

Tables by move are indexed by `move & (size - 1)`: in a game with more moves than MOST_MOVES, several moves share a place.
Sequences of moves are in a hash table, where new ones take the place of those that were seen least.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.hashing import mixed

MOST_MOVES = 1 << 16
BUCKET = 4  # sequences, 64 bytes: one cache line
MIB = 1 << 20
MOST_LOG = 50.0  # of a weight, so that none becomes 0 or infinite
UNTRIED = 1.0  # the mean of what was never played: everything is tried once (Finnsson and Bjornsson 2008)
ONE, U40 = np.uint64(1), np.uint64(40)

SEQUENCE = np.dtype([("key", np.uint64), ("visits", np.float32), ("mean", np.float32)])
PAIR_REPLY = np.dtype([("key", np.uint64), ("move", np.int32), ("unused", np.int32)])
NO_REPLY = -1


class NothingLearned(NamedTuple):
    """Of a search that learns nothing."""

    nothing: int = 0


class Learned(NamedTuple):
    """One thread's tables; those that no part of the chooser uses have one place. The first index is the player."""

    visits: np.ndarray  # float64[2, size]: how often the player has made the move
    means: np.ndarray  # float64[2, size]: the mean result of these games, from 0 to 1 for him
    sequences: np.ndarray  # SEQUENCE: the same of two and of three moves in a row
    replies: np.ndarray  # int32[2, size]: his last good reply to a move
    pair_replies: np.ndarray  # PAIR_REPLY: the same to two moves in a row
    logs: np.ndarray  # float64[2, size]: logarithms of the weights
    weights: np.ndarray  # float64[2, size]: how much more likely the move is than one of weight 1
    touched: np.ndarray  # int32[2, size]: moves whose weight has changed, and marks of these; zeros between two games


def make_learned(parts: Iterable[NamedTuple], move_count: int, memory: float) -> Learned:
    """The tables that these parts of a chooser use; `memory` MiB for each table of sequences."""
    used = {name for part in parts for name in getattr(part, "TABLES", ())}
    size = 1 << (min(move_count, MOST_MOVES) - 1).bit_length()
    entries = BUCKET
    while 2 * entries * SEQUENCE.itemsize <= memory * MIB:
        entries *= 2
    by_move = {name: size if name in used else 1 for name in Learned._fields}
    hashed = {name: entries if name in used else 1 for name in Learned._fields}
    learned = Learned(
        visits=np.zeros((2, by_move["visits"])),
        means=np.zeros((2, by_move["means"])),
        sequences=_on_lines(hashed["sequences"], SEQUENCE),
        replies=np.zeros((2, by_move["replies"]), np.int32),
        pair_replies=_on_lines(hashed["pair_replies"], PAIR_REPLY),
        logs=np.zeros((2, by_move["logs"])),
        weights=np.zeros((2, by_move["weights"])),
        touched=np.zeros((2, by_move["touched"]), np.int32),
    )
    forget(learned)
    return learned


def _on_lines(count: int, kind: np.dtype) -> np.ndarray:
    """Zeros whose buckets begin with cache lines."""
    line = BUCKET * SEQUENCE.itemsize
    memory = np.zeros(count * kind.itemsize + line, np.uint8)
    start = -memory.ctypes.data % line
    return memory[start : start + count * kind.itemsize].view(kind)


def forget(learned: Learned) -> None:
    """Makes it as if nothing had been learned yet."""
    for table in learned:
        table[...] = np.zeros(1, table.dtype)[0]
    learned.means[...] = UNTRIED
    learned.weights[...] = 1.0
    learned.replies[...] = NO_REPLY


def fade(learned: Learned | NothingLearned, share: float) -> None:
    """A move of the game has been made: what was learned weighs only this share of what it did (Tak et al. 2014)."""
    if isinstance(learned, NothingLearned):
        return
    if share == 0.0:
        forget(learned)
        return
    learned.visits[...] *= share
    learned.sequences["visits"] *= np.float32(share)
    learned.logs[...] *= share
    learned.weights[...] = np.exp(learned.logs)


# -- in files ----------------------------------------------------------------------------------------------------------------
def _tables(learned: Learned | NothingLearned) -> list[np.ndarray]:
    return list(learned) if isinstance(learned, Learned) else []


def words_of(learned: Learned | NothingLearned) -> np.ndarray:
    """All tables, one after the other, as a copy in words of 64 bits."""
    return np.frombuffer(b"".join(table.tobytes() for table in _tables(learned)), np.uint64)


def fill_from(learned: Learned | NothingLearned, words: np.ndarray) -> None:
    """Takes the tables from what `words_of` gave, for tables of the same sizes."""
    data = words.view(np.uint8)
    for table in _tables(learned):
        table[...] = data[: table.nbytes].view(table.dtype).reshape(table.shape)
        data = data[table.nbytes :]


def is_possible(learned: Learned | NothingLearned, move_count: int) -> bool:
    """Whether choosers can have written all of these numbers."""
    if not isinstance(learned, Learned):
        return True
    for visits, means in ((learned.visits, learned.means), (learned.sequences["visits"], learned.sequences["mean"])):
        if not (np.all((visits >= 0) & (visits < np.inf)) and np.all((means >= 0) & (means <= 1))):
            return False
    for replies in (learned.replies, learned.pair_replies["move"]):
        if not np.all((replies >= NO_REPLY) & (replies < move_count)):
            return False
    bounded = np.all(np.abs(learned.logs) <= MOST_LOG)  # false for nan, too
    return bool(bounded and np.allclose(learned.weights, np.exp(learned.logs)) and not learned.touched.any())


# -- compiled --------------------------------------------------------------------------------------------------------------
@kernel
def first_key(player):
    """The key of a player alone, with which those of the sequences begin that end with his moves."""
    return np.uint64(player + 1) << U40


@kernel
def sequence_key(so_far, move):
    """The key of a sequence of moves, with one more move before it or after it."""
    return mixed(so_far, np.uint64(move))


@kernel
def place_of_sequence(sequences, key):
    """Where a sequence of this key is; -1 = nowhere."""
    first = bucket_of(sequences, key)
    for i in range(first, first + BUCKET):
        if sequences[i]["key"] == key:
            return i
    return np.int64(-1)


@kernel
def room_for_sequence(sequences, key):
    """Where a sequence of this key is from now on: if it is new, in place of the one of its bucket that was seen least."""
    first = bucket_of(sequences, key)
    least = first
    for i in range(first, first + BUCKET):
        if sequences[i]["key"] == key:
            return i
        if sequences[i]["visits"] < sequences[least]["visits"]:
            least = i
    sequences[least]["key"] = key
    sequences[least]["visits"] = 0.0
    sequences[least]["mean"] = UNTRIED
    return least


@kernel
def bucket_of(sequences, key):
    """The first of the places that a key may have. The lowest bit of a key says nothing: keys are odd."""
    return np.int64((key >> ONE) & np.uint64(len(sequences) // BUCKET - 1)) * BUCKET

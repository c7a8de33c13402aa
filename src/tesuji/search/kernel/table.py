"""The transposition table: proven bounds of positions, shared by all nodes that reach the same position.

A plain hash table in buckets of four. An entry is two words: the packed bounds with the work that they took, and the
position's hash xor the first word, so that a half-written entry of another thread reads as no entry (Hyatt's lockless
hashing). A full bucket gives up the entry that took the least work. The table starts small and is made larger between
slices. It outlives the nodes that it came from: a full arena drops these, the table never. Sound for games without
repetition only: such a game supplies its hash.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel

UNKNOWN = np.uint64(0)
OFFSET = 1 << 28
LARGEST_BOUND = OFFSET - 1  # a game with outcomes beyond has no table
MOST_WORK = 63
U2, U3, U6, U35, U40 = np.uint64(2), np.uint64(3), np.uint64(6), np.uint64(35), np.uint64(40)
BOUND_BITS, WORK_BITS = np.uint64((1 << 29) - 1), np.uint64(MOST_WORK)


@kernel
def pack(lower, upper, work):
    """One word: 29 bits for each bound, 6 for the work."""
    return (np.uint64(np.int64(lower) + OFFSET) << U35) | (np.uint64(np.int64(upper) + OFFSET) << U6) | np.uint64(work)


@kernel
def packed_lower(packed):
    return np.int64(packed >> U35) - OFFSET


@kernel
def packed_upper(packed):
    return np.int64((packed >> U6) & BOUND_BITS) - OFFSET


@kernel
def packed_work(packed):
    return np.int64(packed & WORK_BITS)


@kernel
def work_of(visits):
    """The logarithm of the visits that a proof took, in half steps of the binary one: 0 for none, at most 63."""
    work = 0
    left = np.int64(visits)
    while left > 1:
        left >>= 1
        work += 2
    if work > 0 and np.int64(visits) * 2 >= np.int64(3) << np.int64(work // 2):
        work += 1
    return min(work, MOST_WORK)


@kernel
def bucket_of(table, key):
    """Index of the first word of the bucket; there are len(table) / 8 buckets, a power of two."""
    return np.int64((key >> U2) & np.uint64(len(table) // 8 - 1)) * 8


@kernel
def look_up(table, key):
    """The packed bounds of the position, or UNKNOWN."""
    start = bucket_of(table, key)
    for slot in range(start, start + 8, 2):
        data = table[slot + 1]
        if table[slot] ^ data == key:
            return data
    return UNKNOWN


@kernel
def store_bounds(table, key, lower, upper, work):
    """Stores bounds, tightened by what was known of the position before. Returns how many entries that adds: 0 or 1.

    `work` is what finding them took (`work_of`). Among entries of equal work the hash chooses the one to be given up.
    """
    added = 0
    start = bucket_of(table, key)
    chosen = start + 2 * np.int64((key >> U40) & U3)
    least = packed_work(table[chosen + 1])
    for slot in range(start, start + 8, 2):
        data = table[slot + 1]
        if table[slot] ^ data == key:
            lower = max(np.int64(lower), packed_lower(data))
            upper = min(np.int64(upper), packed_upper(data))
            work = max(np.int64(work), packed_work(data))
            chosen = slot
            break
        if data == UNKNOWN:
            chosen = slot
            added = 1
            break
        if packed_work(data) < least:
            chosen = slot
            least = packed_work(data)
    data = pack(lower, upper, work)
    table[chosen] = key ^ data
    table[chosen + 1] = data
    return added


@kernel
def copy_entries(old, new):
    """Puts every entry of one table into another; returns how many were added."""
    added = 0
    for slot in range(0, len(old), 2):
        data = old[slot + 1]
        if data != UNKNOWN:
            added += store_bounds(new, old[slot] ^ data, packed_lower(data), packed_upper(data), packed_work(data))
    return added


def new_table(entries: int) -> np.ndarray:
    """An empty table; 0 entries is one that is never used."""
    return np.zeros(2 * max(1, entries), np.uint64)

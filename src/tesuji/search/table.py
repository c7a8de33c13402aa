"""Bounds of known positions, shared by all nodes of the tree that reach one of them.

A plain hash table in buckets of four. An entry is two words: the packed bounds, and the position's hash xor the packed
bounds, so that a half-written entry of another thread reads as no entry (Hyatt's lockless hashing). A full bucket gives up
one entry chosen by the hash. The table starts small and is made larger between slices. Sound for games without repetition
only: such a game supplies its hash.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel

UNKNOWN = np.uint64(0)
OFFSET = 1 << 31
U2, U3, U32, U40 = np.uint64(2), np.uint64(3), np.uint64(32), np.uint64(40)
LOW_WORD = np.uint64(0xFFFFFFFF)


@kernel
def pack(lower, upper):
    return np.uint64(np.int64(lower) + OFFSET) << U32 | np.uint64(np.int64(upper) + OFFSET)


@kernel
def packed_lower(packed):
    return np.int64(packed >> U32) - OFFSET


@kernel
def packed_upper(packed):
    return np.int64(packed & LOW_WORD) - OFFSET


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
def store_bounds(table, key, lower, upper):
    """Stores bounds, tightened by what was known of the position before. Returns how many entries that adds: 0 or 1."""
    added = 0
    start = bucket_of(table, key)
    chosen = start + 2 * np.int64((key >> U40) & U3)
    for slot in range(start, start + 8, 2):
        data = table[slot + 1]
        if table[slot] ^ data == key:
            lower = max(np.int64(lower), packed_lower(data))
            upper = min(np.int64(upper), packed_upper(data))
            chosen = slot
            break
        if data == UNKNOWN:
            chosen = slot
            added = 1
            break
    data = pack(lower, upper)
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
            added += store_bounds(new, old[slot] ^ data, packed_lower(data), packed_upper(data))
    return added


def new_table(entries: int) -> np.ndarray:
    """An empty table; 0 entries is one that is never used."""
    return np.zeros(2 * max(1, entries), np.uint64)

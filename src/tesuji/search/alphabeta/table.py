"""The transposition table: a fixed number of entries in pairs, the deeper search in the first, the latest in the second.

An entry holds an estimate and a proof. `value`, `depth` and `kind` are the estimate: the value for the player to move that a
search of that depth found, and whether it is exact or a limit. `lower` and `upper` are proven bounds of the outcome, for player
0, whatever the depth. `era` counts the roots: where keys leave out the history of the game, proofs expire with their root.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("value", np.int64),
        ("lower", np.int32),
        ("upper", np.int32),
        ("move", np.int32),
        ("depth", np.int16),
        ("kind", np.int8),  # 0 = the entry is empty
        ("era", np.uint8),
    ],
    align=True,
)
EMPTY, EXACT, AT_LEAST, AT_MOST = 0, 1, 2, 3
ERAS = 256
NOT_FOUND = -1
ONE = np.uint64(1)


@kernel
def first_of(table, key):
    """The first of the two places where the key may be."""
    return np.int64(key & np.uint64(len(table) // 2 - 1)) * 2


@kernel
def find(table, key):
    """The place of the key's entry, or NOT_FOUND."""
    first = first_of(table, key)
    for at in range(first, first + 2):
        if table[at]["key"] == key and table[at]["kind"] != EMPTY:
            return at
    return np.int64(NOT_FOUND)


@kernel
def proof_is_valid(entry, era, exact_keys):
    """Whether the entry's bounds hold here."""
    return exact_keys or entry["era"] == era


@kernel
def store(table, key, value, kind, depth, move, lower, upper, era, exact_keys):
    """Stores a result. Bounds of the position that are still valid stay, and so does a deeper value of this root.

    table          ENTRY[a power of two]
    key            of the position, not 0
    value          for the player to move
    kind           EXACT, AT_LEAST or AT_MOST: what `value` is
    depth          of the search, in units of 1 / PLY of a ply
    move           the best move
    lower, upper   proven bounds of the outcome, for player 0
    era            the number of the root
    exact_keys     whether bounds hold beyond this root
    """
    at = find(table, key)
    if at == NOT_FOUND:
        at = first_of(table, key)
        entry = table[at]
        if entry["kind"] != EMPTY:
            if entry["era"] == era and entry["depth"] > depth:
                at += 1
            else:
                table[at + 1] = table[at]
        fresh = True
    else:
        entry = table[at]
        if proof_is_valid(entry, era, exact_keys):
            lower = max(np.int64(lower), np.int64(entry["lower"]))
            upper = min(np.int64(upper), np.int64(entry["upper"]))
        fresh = entry["era"] != era or entry["depth"] <= depth
    entry = table[at]
    entry["key"] = key
    entry["lower"] = lower
    entry["upper"] = upper
    entry["era"] = era
    if fresh:
        entry["value"] = value
        entry["kind"] = kind
        entry["depth"] = depth
        entry["move"] = move


def new_table(memory: float) -> np.ndarray:
    """An empty table of at most so many MiB: a power of two of entries, two at least."""
    entries = 2
    while 2 * entries * ENTRY.itemsize <= memory * (1 << 20):
        entries *= 2
    return np.zeros(entries, ENTRY)

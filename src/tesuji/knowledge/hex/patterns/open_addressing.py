"""Tables of keys by open addressing: a key stands at its own place or, where that is taken, at the next free one."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.knowledge.hex.patterns.features import NO_KEY

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
U1 = np.uint64(1)


@kernel
def find_key(keys, shift, key):
    """The place of a key, or the free one where it would be. `shift` is 64 - the bits of a place."""
    place = key * MULTIPLIER >> shift
    last = np.uint64(len(keys) - 1)
    while keys[place] != NO_KEY and keys[place] != key:
        place = (place + U1) & last
    return place


def places_of(keys: np.ndarray, bits: int) -> np.ndarray:
    """Where each of these different keys stands in a table of 2**bits places that holds no others."""
    with np.errstate(over="ignore"):
        places = (keys * MULTIPLIER >> np.uint64(64 - bits)).astype(np.int64)
    taken = np.zeros(1 << bits, np.bool_)
    waiting = np.arange(len(keys))
    while len(waiting):  # all that wait try their place at once; of those with one place, the first gets it
        tried = places[waiting]
        _, one_each = np.unique(tried, return_index=True)
        one_each = one_each[~taken[tried[one_each]]]
        taken[tried[one_each]] = True
        left = np.ones(len(waiting), np.bool_)
        left[one_each] = False
        waiting = waiting[left]
        places[waiting] = (places[waiting] + 1) % len(taken)
    return places


def open_addressing(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.uint64]:
    """A table of these keys for `find_key`, at most half full; the place of each key; and the table's shift."""
    bits = max(4, (2 * len(keys)).bit_length())
    table, places = np.zeros(1 << bits, np.uint64), places_of(keys, bits)
    table[places] = keys
    return table, places, np.uint64(64 - bits)

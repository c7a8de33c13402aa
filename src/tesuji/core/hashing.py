"""64-bit hashes: mixing the parts of a position into one, and random words to seed hashes and generators with."""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
ONE = np.uint64(1)
U27, U30, U31 = np.uint64(27), np.uint64(30), np.uint64(31)

_MASK = (1 << 64) - 1


@kernel
def mixed(so_far, word):
    """The hash `so_far` with one more uint64 mixed in, never 0 (which would opt out): one step of splitmix64."""
    x = (so_far ^ word) + STEP
    x = (x ^ (x >> U30)) * FIRST_FACTOR
    x = (x ^ (x >> U27)) * SECOND_FACTOR
    return (x ^ (x >> U31)) | ONE


def random_words(count: int, seed: int = 0) -> list[int]:
    """The first words of the generator splitmix64: 64 bits each without a pattern, the same at every start."""
    words = []
    z = seed & _MASK
    for _ in range(count):
        z = (z + int(STEP)) & _MASK
        x = ((z ^ (z >> 30)) * int(FIRST_FACTOR)) & _MASK
        x = ((x ^ (x >> 27)) * int(SECOND_FACTOR)) & _MASK
        words.append(x ^ (x >> 31))
    return words


def xored_by_bits(words: np.ndarray) -> np.ndarray:
    """For every set of places of the last axis, as bits, the words at these places, xored.

    In the usual order: of other arrays compiled code has only the address, so that it could not be kept on disk.
    """
    places = words.shape[-1]
    members = (np.arange(1 << places)[:, None] >> np.arange(places) & 1).astype(np.uint64)
    return np.ascontiguousarray(np.bitwise_xor.reduce(words[..., None, :] * members, axis=-1))


def reversed_bits(places: int) -> np.ndarray:
    """For every number of so many bits the one with its bits in the opposite order."""
    return np.array([int(f"{bits:0{places}b}"[::-1], 2) for bits in range(1 << places)], np.int64)

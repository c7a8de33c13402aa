"""Random numbers by xoshiro256** (Blackman and Vigna): the same stream compiled and in pure Python.

A generator is a uint64 array of four words, passed as an argument; there is no hidden state. A seed has many streams, one for
each thread or game, each of them 2**128 draws long.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.hashing import random_words

U5, U7, U9, U17, U19 = np.uint64(5), np.uint64(7), np.uint64(9), np.uint64(17), np.uint64(19)
U11, U32, U45, U57 = np.uint64(11), np.uint64(32), np.uint64(45), np.uint64(57)
TO_UNIT = 1.0 / (1 << 53)

_MASK = (1 << 64) - 1
_JUMP = (0x180EC6D33CFD0ABA, 0xD5A61266F0C9392C, 0xA9582618E03FC9AA, 0x39ABDC4529B1661C)


@kernel
def next_u64(rng):
    """64 random bits; advances `rng`."""
    a, b, c, d = rng[0], rng[1], rng[2], rng[3]
    x = b * U5
    result = ((x << U7) | (x >> U57)) * U9
    t = b << U17
    c ^= a
    d ^= b
    rng[1] = b ^ c
    rng[0] = a ^ d
    rng[2] = c ^ t
    rng[3] = (d << U45) | (d >> U19)
    return result


@kernel
def below(rng, n):
    """A uniform integer in [0, n), n < 2**32: the high 32 bits times n, shifted (Lemire's bias is below n / 2**32)."""
    return np.int64(((next_u64(rng) >> U32) * np.uint64(n)) >> U32)


@kernel
def unit(rng):
    """A uniform float64 in [0, 1) with 53 random bits."""
    return np.float64(next_u64(rng) >> U11) * TO_UNIT


@kernel
def shuffle(items, count, rng):
    """Puts the first `count` items of an array into random order."""
    for i in range(count - 1, 0, -1):
        j = below(rng, i + 1)
        item = items[i]
        items[i] = items[j]
        items[j] = item


def make_rng(seed: int, stream: int = 0) -> np.ndarray:
    """The generator number `stream` of `seed`: seeded by splitmix64, then jumped `stream` times."""
    words = random_words(4, seed)
    for _ in range(stream):
        words = _jump(words)
    return np.array(words, np.uint64)


def _jump(words: list[int]) -> list[int]:
    """The state 2**128 draws later, in plain integers."""
    s = list(words)
    out = [0, 0, 0, 0]
    for word in _JUMP:
        for bit in range(64):
            if word >> bit & 1:
                out = [a ^ b for a, b in zip(out, s, strict=True)]
            t = (s[1] << 17) & _MASK
            s[2] ^= s[0]
            s[3] ^= s[1]
            s[1] ^= s[2]
            s[0] ^= s[3]
            s[2] ^= t
            s[3] = ((s[3] << 45) | (s[3] >> 19)) & _MASK
    return out

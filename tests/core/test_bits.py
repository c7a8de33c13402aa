"""Counting and finding bits, compiled and in pure Python."""

import random

import numpy as np
import pytest

from tesuji.core.numba.bits import bit_count, lowest_bit
from tesuji.core.numba.registration import compiled, is_pure


def both(bits):
    return bit_count(bits), lowest_bit(bits)


@pytest.mark.parametrize("pure", [True, False])
def test_counts_and_lowest(pure):
    if not pure and is_pure():
        pytest.skip("there is no compiler")
    function = both if pure else compiled(both)
    chooser = random.Random(1)
    words = [0, 1, 1 << 63, (1 << 64) - 1] + [chooser.getrandbits(64) & chooser.getrandbits(64) for _ in range(200)]
    for word in words + [w << chooser.randrange(64) & (1 << 64) - 1 for w in words]:
        lowest = next((i for i in range(64) if word >> i & 1), 64)
        assert function(np.uint64(word)) == (bin(word).count("1"), lowest)

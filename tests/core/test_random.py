"""xoshiro256** against its published first outputs and against plain integers; streams; uniformity."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tesuji.core.numba.registration import compiled
from tesuji.core.random import below, make_rng, next_u64, unit

MASK = (1 << 64) - 1


def naive(state):
    """The generator as its authors write it, on Python integers."""

    def rotl(x, k):
        return ((x << k) | (x >> (64 - k))) & MASK

    s = state
    result = rotl(s[1] * 5 & MASK, 7) * 9 & MASK
    t = s[1] << 17 & MASK
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = rotl(s[3], 45)
    return result


def test_first_outputs_from_1_2_3_4():
    rng = np.array([1, 2, 3, 4], np.uint64)
    with np.errstate(over="ignore"):
        assert [int(next_u64(rng)) for _ in range(4)] == [11520, 0, 1509978240, 1215971899390074240]


@settings(max_examples=20)
@given(st.integers(0, MASK))
def test_agrees_with_plain_integers(seed):
    rng = make_rng(seed)
    plain = [int(x) for x in rng]
    with np.errstate(over="ignore"):
        assert [int(next_u64(rng)) for _ in range(50)] == [naive(plain) for _ in range(50)]


def test_compiled_draws_are_the_same():
    a, b = make_rng(9), make_rng(9)
    draw, fraction = compiled(below), compiled(unit)
    with np.errstate(over="ignore"):
        for n in (1, 2, 7, 361, 1 << 20):
            assert [int(draw(a, n)) for _ in range(20)] == [int(below(b, n)) for _ in range(20)]
        assert [fraction(a) for _ in range(20)] == [unit(b) for _ in range(20)]


def test_streams_of_one_seed_differ_and_repeat():
    streams = [make_rng(1, stream).tolist() for stream in range(4)]
    assert len({tuple(s) for s in streams}) == 4
    assert make_rng(1, 3).tolist() == streams[3]


def test_below_is_about_uniform():
    draw = compiled(below)
    rng = make_rng(5)
    counts = np.bincount([draw(rng, 7) for _ in range(70_000)], minlength=7)
    assert counts.min() > 9_500 and counts.max() < 10_500

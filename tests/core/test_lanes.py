"""Arithmetic on vectors and products of matrices: compiled code and NumPy give the same bits."""

from __future__ import annotations

import functools
import sys

import numpy as np
import pytest

from tesuji.core.dispatch import kernel
from tesuji.core.errors import UserError
from tesuji.core.numba import blas
from tesuji.core.numba.blas import demand_blas, matrix_product
from tesuji.core.numba.lanes import in_lanes, larger, on_rows
from tesuji.core.numba.registration import compiled, is_pure


def _formula(rows, bias, before):
    return rows[0] * 3.1 - rows[1] + bias, larger(rows[1] + before[1], 0.0), rows[0]


combine = on_rows(_formula, 2, 3)


@kernel
def combine_and_multiply(out, rows, bias, count, product):
    combine(out, 32, 64, rows, 0, 48, bias, count, 32)
    matrix_product(rows, 1, out, 2, product, 3, 5, 7, 9)


def results(run, count):
    rng = np.random.default_rng(5)
    out, rows, bias = (rng.standard_normal(size).astype(np.float32) for size in (200, 90, 32))
    before, product = out.copy(), np.zeros(60, np.float32)
    run(out, rows, bias, count, product)
    return out, rows, bias, before, product


@pytest.mark.parametrize("count", [3, 1])
def test_a_formula_on_rows(count):
    out, rows, bias, before, _product = results(combine_and_multiply, count)
    expected = [
        rows[:32] * np.float32(3.1) - rows[48:80] + bias,
        np.maximum(rows[48:80] + before[96:128], 0),
        rows[:32],
    ]
    for number, row in enumerate(expected):
        place = 32 + 64 * number
        assert np.array_equal(out[place : place + 32], row if number < count else np.zeros(32))
    assert np.array_equal(out[:32], before[:32]) and np.array_equal(out[192:], before[192:])


def test_a_product():
    out, rows, _bias, _before, product = results(combine_and_multiply, 3)
    assert product[3:48] == pytest.approx((rows[1:36].reshape(5, 7) @ out[2:65].reshape(7, 9)).ravel(), rel=1e-5)
    assert not product[:3].any() and not product[48:].any()


@pytest.mark.skipif(is_pure(), reason="the compiler is off")
@pytest.mark.parametrize("count", [3, 1])
def test_compiled_code_gives_the_same_bits(count):
    demand_blas()
    for pure, fast in zip(results(combine_and_multiply, count), results(compiled(combine_and_multiply), count), strict=True):
        assert pure.tobytes() == fast.tobytes()


def test_lengths_in_lanes():
    assert [in_lanes(n) for n in (0, 1, 16, 17)] == [0, 16, 16, 32]


def test_without_scipy_one_line_says_so(monkeypatch):
    monkeypatch.setattr(blas, "demand_blas", functools.cache(demand_blas.__wrapped__))
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(UserError, match=r"^networks need SciPy, which is not installed: pip install scipy$"):
        blas.demand_blas()

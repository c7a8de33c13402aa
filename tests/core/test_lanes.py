"""Arithmetic on vectors and products of matrices: compiled code and NumPy give the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from tesuji.core.dispatch import kernel
from tesuji.core.numba.lanes import in_lanes, larger, on_rows
from tesuji.core.numba.products import matrix_products
from tesuji.core.numba.registration import compiled, is_pure


def _formula(rows, bias, before):
    return rows[0] * 3.1 - rows[1] + bias, larger(rows[1] + before[1], 0.0), rows[0]


combine = on_rows(_formula, 2, 3)


@kernel
def run_combine(out, rows, bias, count):
    combine(out, 32, 64, rows, 0, 48, bias, count, 32)


@kernel
def run_products(a, b, c, count, rows, inner, columns):
    matrix_products(a, 1, b, 2, c, 3, count, rows, inner, columns)


def results(run, count):
    rng = np.random.default_rng(5)
    out, rows, bias = (rng.standard_normal(size).astype(np.float32) for size in (200, 90, 32))
    before = out.copy()
    run(out, rows, bias, count)
    return out, rows, bias, before


SIZES = [(1, 1, 1, 16), (2, 3, 5, 32), (4, 7, 12, 48), (25, 9, 32, 32), (1, 8, 3, 80)]  # products, rows, inner, columns


def multiplied(run, count, rows, inner, columns):
    """Two arrays that hold the matrices, and one with their products and untouched numbers before and behind them."""
    rng = np.random.default_rng(6)
    a, b, c = (
        rng.standard_normal(count * size + more).astype(np.float32)
        for size, more in ((rows * inner, 1), (inner * columns, 2), (rows * columns, 8))
    )
    before = c.copy()
    run(a, b, c, count, rows, inner, columns)
    return a, b, c, before


@pytest.mark.parametrize("count", [3, 1])
def test_a_formula_on_rows(count):
    out, rows, bias, before = results(run_combine, count)
    expected = [
        rows[:32] * np.float32(3.1) - rows[48:80] + bias,
        np.maximum(rows[48:80] + before[96:128], 0),
        rows[:32],
    ]
    for number, row in enumerate(expected):
        place = 32 + 64 * number
        assert np.array_equal(out[place : place + 32], row if number < count else np.zeros(32))
    assert np.array_equal(out[:32], before[:32]) and np.array_equal(out[192:], before[192:])


@pytest.mark.parametrize("size", SIZES)
def test_products_of_matrices(size):
    count, rows, inner, columns = size
    a, b, c, before = multiplied(run_products, *size)
    right = a[1:].reshape(count, rows, inner).astype(float) @ b[2:].reshape(count, inner, columns)
    assert c[3:-5] == pytest.approx(right.ravel(), abs=1e-5)
    assert np.array_equal(c[:3], before[:3]) and np.array_equal(c[-5:], before[-5:])


@pytest.mark.skipif(is_pure(), reason="the compiler is off")
def test_compiled_code_gives_the_same_bits():
    for count in (3, 1):
        for pure, fast in zip(results(run_combine, count), results(compiled(run_combine), count), strict=True):
            assert pure.tobytes() == fast.tobytes()
    for size in SIZES:
        for pure, fast in zip(multiplied(run_products, *size), multiplied(compiled(run_products), *size), strict=True):
            assert pure.tobytes() == fast.tobytes()


def test_lengths_in_lanes():
    assert [in_lanes(n) for n in (0, 1, 16, 17)] == [0, 16, 16, 32]

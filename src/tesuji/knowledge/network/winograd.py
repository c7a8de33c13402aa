"""Convolutions of 3x3 by fewer products: a tile of results from a few products of transformed numbers (Winograd 1980; for
networks Lavin and Gray 2016, "Fast Algorithms for Convolutional Neural Networks").

A tile of t x t results depends on (t + 2) x (t + 2) numbers. Transformed, each of these needs one product for each pair of
channels: 25 for the 9 results of t = 3, 36 for the 16 of t = 4, where the plain way needs 81 and 144. For all tiles together
these are (t + 2)**2 products of matrices. Transforms are sums and products along the columns and then along the rows of a tile,
for many channels at once.

    results = A' [(G w G') * (B' numbers B)] A         with A', B' and G from polynomials that are evaluated at t + 1 points
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tesuji.core.numba.lanes import larger, on_rows

Matrix = list[list[Fraction]]
POINTS = (0, 1, -1, 2, -2)
TILES = (3, 4)  # the sizes that there are transforms for
KERNEL = 3


def _times(polynomial: list[Fraction], root: int) -> list[Fraction]:
    """The polynomial (lowest power first) times (x - root)."""
    return [low - root * high for low, high in zip([Fraction(0), *polynomial], [*polynomial, Fraction(0)], strict=True)]


def transforms(tile: int) -> tuple[Matrix, Matrix, Matrix]:
    """A', B' and G, exactly (Toom and Cook's construction: the last point is infinity)."""
    points = POINTS[: tile + 1]
    results = [[Fraction(p) ** power for p in points] + [Fraction(power == tile - 1)] for power in range(tile)]
    inputs, weights = [], []
    for point in [*points, None]:
        polynomial, scale = [Fraction(1)], Fraction(1)
        for other in points:
            if other != point:
                polynomial = _times(polynomial, other)
                scale *= 1 if point is None else point - other
        inputs.append((polynomial + [Fraction(0)] * (tile + 2))[: tile + 2])
        weights.append(
            [Fraction(power == KERNEL - 1) if point is None else Fraction(point) ** power / scale for power in range(KERNEL)]
        )
    return results, inputs, weights


def combined(row: Sequence[Fraction], values: Sequence[Any]) -> Any:
    """The sum of values times the numbers of a row; the order is that of the row."""
    total = None
    for factor, value in zip(row, values, strict=True):
        if factor == 0:
            continue
        term = value if abs(factor) == 1 else value * abs(float(factor))
        if total is None:
            total = term if factor > 0 else value * float(factor)
        else:
            total = total + term if factor > 0 else total - term
    return total


def _linear(matrix: Matrix) -> Callable[..., list[Any]]:
    return lambda rows, _bias, _before: [combined(row, rows) for row in matrix]


def _layer_end(matrix: Matrix, adds: bool) -> Callable[..., list[Any]]:
    """The last transform, the bias, what was there before, and zero for what is less."""

    def formula(rows: Sequence[Any], bias: Any, before: Sequence[Any]) -> list[Any]:
        results = [combined(row, rows) + bias for row in matrix]
        if adds:
            results = [result + old for result, old in zip(results, before, strict=True)]
        return [larger(result, 0.0) for result in results]

    return formula


def _operations(tile: int) -> tuple[Callable[..., None], ...]:
    results, inputs, _weights = transforms(tile)
    size = tile + 2
    return (
        on_rows(_linear(inputs), size, size),
        on_rows(_linear(results), size, tile),
        on_rows(_layer_end(results, False), size, tile),
        on_rows(_layer_end(results, True), size, tile),
    )


transform_inputs_3, transform_results_3, end_layer_3, end_block_3 = _operations(3)
transform_inputs_4, transform_results_4, end_layer_4, end_block_4 = _operations(4)


def transformed_weights(weights: np.ndarray, tile: int) -> np.ndarray:
    """[(t + 2)**2, in, out] from the [3, 3, in, out] of a convolution: G w G', exact up to the last rounding."""
    _results, _inputs, factors = transforms(tile)
    wide = weights.astype(np.float64)

    def along(matrices: np.ndarray) -> np.ndarray:
        """G times the first axis, by sums in a fixed order."""
        return np.stack([sum(float(f) * matrices[k] for k, f in enumerate(row)) for row in factors])

    both = along(along(wide).swapaxes(0, 1)).swapaxes(0, 1)
    return np.ascontiguousarray(both.reshape(-1, *weights.shape[2:]).astype(np.float32))


def best_tile(rows: int, columns: int) -> int:
    """The size of tiles that needs the fewest products on a board."""
    return min(TILES, key=lambda tile: -(-rows // tile) * -(-columns // tile) * (tile + 2) ** 2)

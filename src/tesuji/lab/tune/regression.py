"""Quadratic logistic regression: the log-odds of a win as a quadratic function of the parameters, with a Gaussian prior.

    q(x) = c + sum of b_i x_i + sum of a_ij x_i x_j (i <= j),    P(win) = 1 / (1 + exp(-q(x))).

A draw counts as half a win and half a loss: g games with s points, a draw being 1/2, have the log-likelihood
s q - g log(1 + exp(q)). The spread of results is taken for that of games without draws, which is larger, so that intervals
are rather too wide than too narrow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PRIOR_DEVIATION = 5.0  # standard deviation, in log-odds, of every coefficient but the constant
CONSTANT_DEVIATION = 10.0
HILL = -1.0  # what an end of a range is expected to lose to its middle, in log-odds
HILL_DEVIATION = 1.0
SMALLEST_SUM = 1.0  # of the squares of all products
VARIANCE_STEPS = 10
STEPS = 60  # of Newton's method; some ten suffice
HALVINGS = 30
CLOSE = 1e-9  # a relative gain in log-likelihood that ends it


class Samples(NamedTuple):
    """Points of [-1, 1]^d with the games played there and the points scored in them."""

    points: Floats  # (n, d)
    games: Floats
    scores: Floats

    @property
    def dimensions(self) -> int:
        return self.points.shape[1]

    def first(self, count: int) -> Samples:
        return Samples(self.points[:count], self.games[:count], self.scores[:count])


class Fit(NamedTuple):
    """The likeliest coefficients, and the negative second derivative of the logarithm of their posterior."""

    coefficients: Floats
    precision: Floats

    def covariance(self) -> Floats:
        return np.asarray(np.linalg.inv(self.precision), dtype=np.float64)


def count_of_terms(dimensions: int) -> int:
    return 1 + dimensions * (dimensions + 3) // 2


def terms(points: Floats) -> Floats:
    """1, every x_i, every x_i x_j with i <= j: one row for each point."""
    dimensions = points.shape[1]
    rows, columns = np.triu_indices(dimensions)
    return np.hstack([np.ones((len(points), 1)), points, points[:, rows] * points[:, columns]])


def terms_with(parameter: int, dimensions: int) -> list[int]:
    """Which terms hold x_parameter."""
    rows, columns = np.triu_indices(dimensions)
    products = np.flatnonzero((rows == parameter) | (columns == parameter))
    return [1 + parameter, *(1 + dimensions + int(k) for k in products)]


class Prior(NamedTuple):
    """What is expected of the coefficients: independent normal distributions."""

    means: Floats
    precisions: Floats  # 1 / variance


def vague_prior(dimensions: int) -> Prior:
    """Nothing is expected, but that a fit stays finite."""
    count = count_of_terms(dimensions)
    precisions = np.full(count, PRIOR_DEVIATION**-2)
    precisions[0] = CONSTANT_DEVIATION**-2
    return Prior(np.zeros(count), precisions)


def hill_prior(dimensions: int) -> Prior:
    """The function is expected to be a hill within the ranges: squares are negative. Few games say little of them."""
    means, precisions = vague_prior(dimensions)
    squares = 1 + dimensions + np.flatnonzero(np.equal(*np.triu_indices(dimensions)))
    means[squares], precisions[squares] = HILL, HILL_DEVIATION**-2
    return Prior(means, precisions)


def with_variance_of_products(found: Fit, expected: Prior, dimensions: int) -> Prior:
    """The prior with that variance of the products x_i x_j under which the fit is likeliest, so that parameters that have
    nothing to do with each other are fitted without them: they are most of the terms. By steps of expectation maximization,
    with the likelihood taken for normal. SMALLEST_SUM keeps it from 0, above all where there are few products: one alone must
    not be lost before games have shown it.
    """
    products = 1 + dimensions + np.flatnonzero(np.not_equal(*np.triu_indices(dimensions)))
    if not len(products):
        return expected
    means, precisions = expected.means, expected.precisions.copy()
    likelihood = found.precision - np.diag(precisions)
    pull = found.precision @ found.coefficients - precisions * means
    for _ in range(VARIANCE_STEPS):
        covariance = np.linalg.inv(likelihood + np.diag(precisions))
        likeliest = covariance @ (pull + precisions * means)
        squares = likeliest[products] ** 2 + np.diag(covariance)[products]
        precisions[products] = len(products) / (squares.sum() + SMALLEST_SUM)
    return Prior(means, precisions)


def fit(design: Floats, samples: Samples, weights: Floats, start: Floats | None = None, expected: Prior | None = None) -> Fit:
    """Newton's method for the maximum of the posterior; `design` holds the terms of the samples."""
    means, prior = vague_prior(samples.dimensions) if expected is None else expected
    games, scores = weights * samples.games, weights * samples.scores

    def posterior(coefficients: Floats) -> float:
        q = design @ coefficients
        return float(scores @ q - games @ np.logaddexp(0.0, q) - 0.5 * (prior @ (coefficients - means) ** 2))

    now = np.zeros(design.shape[1]) if start is None else start
    value = posterior(now)
    precision = np.diag(prior)
    for _ in range(STEPS):
        chance = sigmoid(design @ now)
        gradient = design.T @ (scores - games * chance) - prior * (now - means)
        precision = (design.T * (games * chance * (1.0 - chance))) @ design + np.diag(prior)
        step = np.linalg.solve(precision, gradient)
        scale = 1.0
        for _ in range(HALVINGS):
            better = posterior(now + scale * step)
            if better >= value:
                break
            scale /= 2.0
        else:
            break
        now = now + scale * step
        gain, value = better - value, better
        if gain <= CLOSE * (1.0 + abs(value)):
            break
    return Fit(now, precision)


def constant_fit(samples: Samples, weights: Floats) -> tuple[float, float]:
    """The log-odds of a model that knows no parameter, and its standard deviation: one more game counts, half of it won."""
    games = float(weights @ samples.games)
    chance = (float(weights @ samples.scores) + 0.5) / (games + 1.0)
    return float(np.log(chance / (1.0 - chance))), float(1.0 / np.sqrt((games + 1.0) * chance * (1.0 - chance)))


def sigmoid(q: Floats) -> Floats:
    return 0.5 * (1.0 + np.tanh(0.5 * q))

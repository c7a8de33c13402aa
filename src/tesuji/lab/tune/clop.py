"""CLOP, confident local optimization (Coulom 2011): a quadratic regression on those samples that are not clearly worse.

A quadratic does not fit a whole range, but it fits near the optimum. So samples are discarded, softly, where a fit says that
they are below the mean by more than it can be wrong:

    w(x) = min over the fits i of exp((q_i(x) - m_i) / (H s_i)), at most 1,    H = 3,

with q_i the fit to the samples as weighted until then, m_i the log-odds of a constant fit to them, and s_i its standard
deviation. Fits are added until one lowers the total weight by less than 1%; that one is left out.

In three ways this is not the algorithm as published, where the next sample comes from the density w, and the estimate is the
mean of the samples weighted by w: both go by w^4 here, which is narrower than what the fit is made from. The fit expects a hill
(`hill_prior`), and learns how large products of parameters are. docs/experiments/tuning-methods.md has what these gain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tesuji.lab.tune.regression import Fit, Floats, Samples, constant_fit, fit, hill_prior, terms, with_variance_of_products

HEIGHT = 3.0  # H
SHARPNESS = 4.0  # samples are drawn, and averaged, by this power of the weight
STILL_DROPS = 0.99  # a fit that leaves more of the total weight than this is the last
MOST_FITS = 100
SWEEPS = 2  # over all coordinates, from one sample to the next
PROPOSALS = 20  # on a coordinate in a sweep


@dataclass(frozen=True)
class Localized:
    """The samples with their weights, and the fits that the weights come from."""

    samples: Samples
    design: Floats
    weights: Floats
    coefficients: Floats  # (fits, terms)
    means: Floats
    deviations: Floats
    local: Fit  # to the samples as weighted at the end

    def log_weight(self, design: Floats) -> Floats:
        """log w at points whose terms are given, one a row."""
        if not len(self.means):
            return np.zeros(len(design))
        steps = (design @ self.coefficients.T - self.means) / (HEIGHT * self.deviations)
        return np.minimum(steps.min(axis=1), 0.0)

    @cached_property
    def mean(self) -> Floats:
        """The estimate of the optimum."""
        shares = self.weights**SHARPNESS * self.samples.games
        return (shares @ self.samples.points) / shares.sum()

    @cached_property
    def level(self) -> tuple[float, float]:
        """The log-odds of a win around the optimum, that is of the weighted samples, and its standard deviation."""
        return constant_fit(self.samples, self.weights)


def localize(samples: Samples) -> Localized:
    """Weighs the samples, of which there must be one or more."""
    design, expected = terms(samples.points), hill_prior(samples.dimensions)
    log_weights = np.zeros(len(design))
    coefficients, means, deviations = [], [], []
    local: Fit | None = None
    for _ in range(MOST_FITS):
        weights = np.exp(log_weights)
        mean, deviation = constant_fit(samples, weights)
        start = local.coefficients if local is not None else None
        local = fit(design, samples, weights, start, expected)
        expected = with_variance_of_products(local, expected, samples.dimensions)
        local = fit(design, samples, weights, local.coefficients, expected)
        lowered = np.minimum(log_weights, (design @ local.coefficients - mean) / (HEIGHT * deviation))
        if np.exp(lowered) @ samples.games >= STILL_DROPS * (weights @ samples.games):
            break
        log_weights = lowered
        coefficients.append(local.coefficients)
        means.append(mean)
        deviations.append(deviation)
    assert local is not None
    stacked = np.array(coefficients).reshape(len(coefficients), design.shape[1])
    return Localized(samples, design, np.exp(log_weights), stacked, np.array(means), np.array(deviations), local)


def draw(found: Localized | None, start: Floats | None, rng: np.random.Generator, dimensions: int) -> Floats:
    """A point from the density w^SHARPNESS: Metropolis steps on one coordinate after another, from the last sample.

    Proposals are uniform.
    """
    if found is None or start is None:
        return rng.uniform(-1.0, 1.0, dimensions)
    point = start.copy()
    for coordinate in [int(c) for _ in range(SWEEPS) for c in rng.permutation(dimensions)]:
        line = np.repeat(point[None, :], PROPOSALS + 1, axis=0)
        line[1:, coordinate] = rng.uniform(-1.0, 1.0, PROPOSALS)
        heights = SHARPNESS * found.log_weight(terms(line))
        limits = np.log(rng.uniform(size=PROPOSALS + 1))  # a proposal does not depend on where the chain is: all at once
        now = 0
        for proposal in range(1, PROPOSALS + 1):
            if limits[proposal] < heights[proposal] - heights[now]:
                now = proposal
        point[coordinate] = line[now, coordinate]
    return point

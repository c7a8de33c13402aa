"""What a tune has found: the estimate with its interval, the score around it, and which parameters have no measurable effect.

The interval is that of the optimum's place: coefficients are drawn from the normal distribution around the local fit, and each
draw has its best point among the samples that are kept; the interval holds 95% of these points. It is as good as the fit: where
the function is no quadratic, it is too narrow.

A parameter has a measurable effect if the terms that hold it differ from 0 in the fit to all samples, by Wald's test at 5%.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tesuji.lab.elo import Z95
from tesuji.lab.tune.clop import Localized, localize
from tesuji.lab.tune.methods import Method
from tesuji.lab.tune.regression import Fit, Floats, Samples, fit, sigmoid, terms_with
from tesuji.lab.tune.space import Space, values_at

KEPT = 0.1  # a sample of less weight is discarded, for the interval and in pictures
DRAWS = 400
Z95_ONE_SIDED = 1.6448536269514722
FEWEST = 10  # samples before which nothing is said


@dataclass(frozen=True)
class ParameterEstimate:
    name: str
    before: str  # the player's own value
    mean: str  # of the samples, by their weights: what the interval is around
    value: str  # the estimate, which the tuned player has: the mean but for SPSA
    low: str
    high: str
    has_effect: bool | None  # a measurable one; None = too few games to say anything

    @property
    def verdict(self) -> str:
        return {None: "too few games", False: "no measurable effect", True: ""}[self.has_effect]


@dataclass(frozen=True)
class Summary:
    """The state of a tune after so many games."""

    games: int
    parameters: tuple[ParameterEstimate, ...]
    score: tuple[float, float, float] | None  # of the samples around the estimate, with its interval; None = too few games
    kept: float  # the share of the samples that is kept

    @property
    def values(self) -> dict[str, str]:
        return {parameter.name: parameter.value for parameter in self.parameters}

    def as_json(self) -> dict[str, Any]:
        score, low, high = self.score or (None, None, None)
        rows = [
            {
                "name": p.name,
                "before": p.before,
                "mean": p.mean,
                "low": p.low,
                "high": p.high,
                "best": p.value,
                "effect": p.has_effect,
            }
            for p in self.parameters
        ]
        return {
            "games": self.games,
            "parameters": rows,
            "score": score,
            "score_low": low,
            "score_high": high,
            "kept": self.kept,
        }


def summarize(space: Space, method: Method, samples: Samples) -> Summary:
    """The estimate by these samples; with few of them the intervals are the ranges."""
    best = values_at(space, method.estimate(samples))
    mean = best
    ends = (np.full(len(space), -1.0), np.full(len(space), 1.0))
    effects: list[bool | None] = [None] * len(space)
    score: tuple[float, float, float] | None = None
    kept = 1.0
    if len(samples.games) >= FEWEST:
        found = localize(samples)
        ends = optimum_interval(found)
        mean = values_at(space, found.mean)
        effects = [*effects_of(found)]
        level, deviation = found.level
        low, here, high = sigmoid(np.array([level - Z95 * deviation, level, level + Z95 * deviation]))
        score = (float(here), float(low), float(high))
        kept = float((found.weights >= KEPT).mean())
    low_values, high_values = (values_at(space, np.clip(end, -1.0, 1.0)) for end in ends)
    rows = [
        ParameterEstimate(p.name, p.before, mean[p.name], best[p.name], low_values[p.name], high_values[p.name], effect)
        for p, effect in zip(space, effects, strict=True)
    ]
    return Summary(int(samples.games.sum()), tuple(rows), score, kept)


def optimum_interval(found: Localized) -> tuple[Floats, Floats]:
    """Where 95% of the likely optima lie, for each coordinate."""
    kept = found.weights >= KEPT
    design, points = found.design[kept], found.samples.points[kept]
    rng = np.random.default_rng(0)
    lower = np.linalg.cholesky(found.local.precision)
    noise = rng.standard_normal((found.design.shape[1], DRAWS))
    drawn = found.local.coefficients[:, None] + np.linalg.solve(lower.T, noise)
    best = points[np.argmax(design @ drawn, axis=0)]
    low, high = np.quantile(best, [0.025, 0.975], axis=0)
    return np.minimum(low, found.mean), np.maximum(high, found.mean)


def effects_of(found: Localized) -> list[bool]:
    """For each parameter whether it has a measurable effect over its whole range."""
    whole = fit(found.design, found.samples, np.ones(len(found.design)))
    return [_differs(whole, terms_with(p, found.samples.dimensions)) for p in range(found.samples.dimensions)]


def _differs(whole: Fit, chosen: list[int]) -> bool:
    values = whole.coefficients[chosen]
    covariance = whole.covariance()[np.ix_(chosen, chosen)]
    return float(values @ np.linalg.solve(covariance, values)) > chi_square_95(len(chosen))


def chi_square_95(freedom: int) -> float:
    """Below this lie 95% of a chi-square distribution (the approximation of Wilson and Hilferty 1931)."""
    share = 2.0 / (9.0 * freedom)
    return freedom * (1.0 - share + Z95_ONE_SIDED * share**0.5) ** 3


def history(space: Space, method: Method, samples: Samples) -> list[Summary]:
    """The estimate as it was: after all samples, after half of them, a quarter ..., the earliest first."""
    counts = [len(samples.games)]
    while counts[-1] // 2 >= FEWEST:
        counts.append(counts[-1] // 2)
    return [summarize(space, method, samples.first(count)) for count in reversed(counts) if count]

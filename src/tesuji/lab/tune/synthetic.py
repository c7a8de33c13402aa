"""Functions with a known optimum in place of games, of the kinds that Coulom 2011 tries CLOP on.

A function gives the log-odds r(x) of a win on [-1, 1]^d. With a share of draws, a game is won with probability
S(r - D), lost with S(-r - D) and else drawn, S being the logistic function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tesuji.lab.tune.methods import Method, make_method
from tesuji.lab.tune.regression import Floats, Samples, sigmoid


@dataclass(frozen=True)
class KnownFunction:
    """A function with its optimum. `draws` is D above; 0 = none."""

    name: str
    rating: Callable[[Floats], Floats]  # of points, one a row
    optimum: tuple[float, ...]
    draws: float = 0.0

    @property
    def dimensions(self) -> int:
        return len(self.optimum)

    def expected(self, points: Floats) -> Floats:
        """The expected score of a game."""
        r = self.rating(points)
        return (sigmoid(r - self.draws) + 1.0 - sigmoid(-r - self.draws)) / 2.0

    def regret(self, point: Floats) -> float:
        """By how much the expected score of a point is below that of the optimum."""
        best, here = self.expected(np.array([self.optimum, point]))
        return float(best - here)

    def play(self, point: Floats, games: int, rng: np.random.Generator) -> float:
        """The points of so many games."""
        r = self.rating(point[None, :])[0]
        chance = rng.uniform(size=games)
        win, loss = sigmoid(r - self.draws), sigmoid(-r - self.draws)
        return float((chance < win).sum() + 0.5 * ((chance >= win) & (chance < 1.0 - loss)).sum())


def _log(points: Floats) -> Floats:
    """Steep on the left, gentle on the right."""
    x = points[:, 0]
    return 2.0 * np.log(4.0 * x + 4.1) - 4.0 * x - 3.0


def _power(points: Floats) -> Floats:
    """Nearly flat, with a cliff to the right of the optimum."""
    half = (points[:, 0] + 1.0) / 2.0
    return 0.2 * half**2 - half**20


def _valley(points: Floats) -> Floats:
    """Rosenbrock's curved valley."""
    a, b = 4.0 * points[:, 0], 10.0 * points[:, 1] + 4.0
    return 1.0 - 0.1 * ((1.0 - a) ** 2 + (b - a**2) ** 2)


def _logs(points: Floats) -> Floats:
    """The first function in every coordinate, half as steep."""
    return (np.log(4.0 * points + 4.1) - 2.0 * points - 1.74).sum(axis=1) * (2.0 / 3.0)


def _two_logs(points: Floats) -> Floats:
    """The first function in two coordinates, in opposite directions."""
    return (_log(points[:, :1]) + _log(-points[:, 1:])) / 2.0


def _ridge(points: Floats) -> Floats:
    """A quadratic, steep along the sum of all coordinates and gentle elsewhere."""
    away = points - np.array(RIDGE_TOP)
    return 0.5 - away.sum(axis=1) ** 2 - 0.5 * (away**2).sum(axis=1)


RIDGE_TOP = (0.3, -0.2, 0.5, -0.4, 0.1)
LOG = KnownFunction("log", _log, (-0.525,))
POWER = KnownFunction("power", _power, (2.0 * 0.02 ** (1.0 / 18.0) - 1.0,))
VALLEY = KnownFunction("valley", _valley, (0.25, -0.3))
LOG_5 = KnownFunction("log, 5 parameters", _logs, (-0.525,) * 5)
LOG_DRAWS = KnownFunction("log, with draws", _log, (-0.525,), draws=0.7)
LOG_2 = KnownFunction("log, 2 parameters", _two_logs, (-0.525, 0.525))
VALLEY_DRAWS = KnownFunction("valley, with draws", _valley, (0.25, -0.3), draws=0.7)
RIDGE_5 = KnownFunction("ridge, 5 parameters", _ridge, RIDGE_TOP)
LOG_5_DRAWS = KnownFunction("log, 5, with draws", _logs, (-0.525,) * 5, draws=0.7)
PROBLEMS = (LOG, LOG_DRAWS, POWER, LOG_2, VALLEY, VALLEY_DRAWS, LOG_5, LOG_5_DRAWS, RIDGE_5)
GAMES_A_SAMPLE = 2


def simulate(problem: KnownFunction, method: str | Method, samples: int, seed: int, window: int = 1) -> tuple[Method, Samples]:
    """A tune of so many samples on the function, each of two games, with `window` samples under way at a time."""
    chosen = make_method(method, problem.dimensions, seed) if isinstance(method, str) else method
    points = np.empty((samples, problem.dimensions))
    games, scores = np.full(samples, float(GAMES_A_SAMPLE)), np.empty(samples)
    results = Samples(points, games, scores)
    before: Floats | None = None
    for number in range(samples):
        before = chosen.sample(number, before, results.first(max(0, number - window + 1)))
        points[number] = before
        scores[number] = problem.play(before, GAMES_A_SAMPLE, np.random.default_rng([seed, number, 1]))
    return chosen, results

"""The ways to choose samples behind one interface: CLOP, and two to compare it with.

A sample depends on its number, the seed, the sample before it, and the results of a given number of samples at the beginning,
all of them complete. So the same seed and results give the same samples, however many games are played at a time.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from tesuji.lab.tune.clop import Localized, draw, localize
from tesuji.lab.tune.regression import Floats, Samples

METHODS = ("clop", "spsa", "uniform")
REFIT_GROWTH = 20  # a fit is used until there are 1 / 20 more samples


class Method(Protocol):
    def sample(self, number: int, before: Floats | None, results: Samples) -> Floats:
        """Point `number` of [-1, 1]^d; `before` is the one before it, `results` are those of the first samples."""
        ...

    def estimate(self, results: Samples) -> Floats:
        """Where the optimum is by these results."""
        ...


def make_method(name: str, dimensions: int, seed: int) -> Method:
    return {"clop": Clop, "spsa": Spsa, "uniform": UniformSampling}[name](dimensions, seed)


def random_numbers(seed: int, number: int) -> np.random.Generator:
    """The random numbers of one sample."""
    return np.random.default_rng([seed, number])


def refit_size(count: int) -> int:
    """How many of `count` samples the last fit used."""
    size = 0
    while (larger := size + 1 + size // REFIT_GROWTH) <= count:
        size = larger
    return size


class Clop:
    """Samples from the density of the weights (clop.py)."""

    def __init__(self, dimensions: int, seed: int):
        self._dimensions = dimensions
        self._seed = seed
        self._size = -1
        self._found: Localized | None = None

    def sample(self, number: int, before: Floats | None, results: Samples) -> Floats:
        size = refit_size(len(results.games))
        if size != self._size:
            self._size = size
            self._found = localize(results.first(size)) if size else None
        return draw(self._found, before, random_numbers(self._seed, number), self._dimensions)

    def estimate(self, results: Samples) -> Floats:
        return localize(results).mean if len(results.games) else np.zeros(self._dimensions)


class UniformSampling:
    """Samples from the whole range; the estimate is CLOP's, so that only the choice of samples is compared."""

    def __init__(self, dimensions: int, seed: int):
        self._dimensions = dimensions
        self._seed = seed

    def sample(self, number: int, before: Floats | None, results: Samples) -> Floats:
        return random_numbers(self._seed, number).uniform(-1.0, 1.0, self._dimensions)

    def estimate(self, results: Samples) -> Floats:
        return localize(results).mean if len(results.games) else np.zeros(self._dimensions)


class Spsa:
    """Simultaneous perturbation stochastic approximation (Spall 1992) with the usual gains.

    Samples 2i and 2i + 1 are x + c_i d and x - c_i d, d a random corner of the cube; their difference in score moves x along d:
    x += a_i (s_plus - s_minus) / (2 c_i) d,  a_i = a / (i + 1 + A)^0.602,  c_i = c / (i + 1)^0.101.
    """

    STEP, STABILITY, STEP_POWER = 0.5, 50.0, 0.602
    WIDTH, WIDTH_POWER = 0.4, 0.101

    def __init__(self, dimensions: int, seed: int):
        self._dimensions = dimensions
        self._seed = seed
        self._turns = 0  # that have moved the point
        self._point = np.zeros(dimensions)

    def sample(self, number: int, before: Floats | None, results: Samples) -> Floats:
        turn, side = divmod(number, 2)
        middle = self.estimate(results.first(2 * turn))
        return np.clip(middle + (1 - 2 * side) * self._width(turn) * self._direction(turn), -1.0, 1.0)

    def estimate(self, results: Samples) -> Floats:
        turns = len(results.games) // 2
        if turns < self._turns:
            self._turns, self._point = 0, np.zeros(self._dimensions)
        for turn in range(self._turns, turns):
            plus, minus = results.scores[2 * turn : 2 * turn + 2] / results.games[2 * turn : 2 * turn + 2]
            step = self.STEP / (turn + 1 + self.STABILITY) ** self.STEP_POWER
            slope = (plus - minus) / (2.0 * self._width(turn))
            self._point = np.clip(self._point + step * slope * self._direction(turn), -1.0, 1.0)
        self._turns = turns
        return self._point.copy()

    def _width(self, turn: int) -> float:
        return self.WIDTH / (turn + 1) ** self.WIDTH_POWER

    def _direction(self, turn: int) -> Floats:
        return random_numbers(self._seed, 2 * turn).choice([-1.0, 1.0], self._dimensions)

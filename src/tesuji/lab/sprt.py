"""The sequential probability ratio test (Wald 1945) of two hypotheses on Elo, on pairs of games.

H0: the first player is elo0 points stronger; H1: it is elo1 points stronger. The observations are pairs of games with one
opening and colours exchanged, with 0, 1/4, 1/2, 3/4 or 1 as the pair's mean score. The two games of a pair are not
independent, pairs are; and an opening that favours one colour adds no noise to a pair. Nothing but the mean score is assumed
under a hypothesis, so the likelihoods are those of the likeliest distributions that have this mean (Van den Bergh's
generalised test):

    LLR = sum of n_i log(p1_i / p0_i),   p_i = f_i / (1 + t (a_i - s)),   t such that the mean of p is s,

with n_i the number of pairs of score a_i, f_i their frequencies, and s the score that the hypothesis expects. The test ends
when LLR leaves the interval (log(beta / (1 - alpha)), log((1 - beta) / alpha)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tesuji.core.errors import UserError
from tesuji.lab.elo import score_of_elo

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
MOST_ELO = 2000.0  # a score of 0.99999: beyond that no match is long enough to tell two hypotheses apart
UNSEEN = 1e-3  # pairs that every result is taken to have had: no result is impossible because it has not happened yet
STEPS = 100  # of a bisection: more than the digits of a float


@dataclass(frozen=True)
class Sprt:
    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not abs(elo) <= MOST_ELO:  # also for what is not a number
                raise UserError(f"--{name} {elo:g} is not possible: Elo from {-MOST_ELO:g} to {MOST_ELO:g}")
        if not self.elo0 < self.elo1:
            raise UserError(f"--elo0 {self.elo0:g} must be below --elo1 {self.elo1:g}")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0.0 < value < 0.5:
                raise UserError(f"--{name} {value:g} is not possible: a probability of error between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    def llr(self, pairs: Sequence[int]) -> float:
        """The logarithm of the likelihood ratio of H1 against H0; `pairs` counts the pairs of each of PAIR_SCORES."""
        if sum(pairs) == 0:
            return 0.0
        counts = [max(float(count), UNSEEN) for count in pairs]
        total = sum(counts)
        shares = [count / total for count in counts]
        zero = likeliest(shares, score_of_elo(self.elo0))
        one = likeliest(shares, score_of_elo(self.elo1))
        return sum(count * math.log(b / a) for count, a, b in zip(counts, zero, one, strict=True))

    def decision(self, pairs: Sequence[int]) -> str:
        """'H0', 'H1', or '' while the test goes on."""
        low, high = self.bounds
        value = self.llr(pairs)
        return "H1" if value >= high else "H0" if value <= low else ""


def likeliest(shares: Sequence[float], mean: float) -> list[float]:
    """The probabilities with this mean under which frequencies `shares` of PAIR_SCORES are the likeliest."""
    steps = [score - mean for score in PAIR_SCORES]
    # The mean of p falls as t grows, between the poles beyond which some result would have a negative probability.
    low, high = -1.0 / max(steps), -1.0 / min(steps)
    for _ in range(STEPS):
        t = (low + high) / 2.0
        excess = sum(share * step / (1.0 + t * step) for share, step in zip(shares, steps, strict=True))
        low, high = (t, high) if excess > 0.0 else (low, t)
    t = (low + high) / 2.0
    return [share / (1.0 + t * step) for share, step in zip(shares, steps, strict=True)]

"""Elo from a score and back, and the interval of a score.

The logistic scale of Elo 1978: a player who is d points stronger scores 1 / (1 + 10^(-d / 400)). A draw is half a win.
"""

from __future__ import annotations

import math

POINTS = 400.0
Z95 = 1.959963984540054  # 95% of a normal distribution lie within so many standard deviations


def elo_of_score(score: float) -> float:
    """The difference in Elo at which this score is to be expected; infinite for a score of 0 or 1."""
    if score <= 0.0:
        return -math.inf
    if score >= 1.0:
        return math.inf
    return POINTS * math.log10(score / (1.0 - score))


def score_of_elo(elo: float) -> float:
    return 1.0 / (1.0 + 10.0 ** (-elo / POINTS))


def score_interval(score: float, games: float, z: float = Z95) -> tuple[float, float]:
    """The Wilson interval of a score: (s + z²/2n ± z sqrt(s (1 - s) / n + z²/4n²)) / (1 + z²/n)  (Wilson 1927).

    It treats the games as independent and wins and losses as the only results, which makes it somewhat too wide when there are
    draws, and it stays sensible for few games and for scores of 0 and 1.
    """
    if games <= 0:
        return 0.0, 1.0
    share = z * z / games
    middle = score + share / 2.0
    half = z * math.sqrt(score * (1.0 - score) / games + share / (4.0 * games))
    low = 0.0 if score <= 0.0 else (middle - half) / (1.0 + share)
    high = 1.0 if score >= 1.0 else (middle + half) / (1.0 + share)
    return max(0.0, low), min(1.0, high)


def elo_text(elo: float | None) -> str:
    """Elo with its sign, in whole points, for people."""
    if elo is None:
        return "?"
    if math.isinf(elo):
        return "+inf" if elo > 0 else "-inf"
    return f"{elo:+.0f}"

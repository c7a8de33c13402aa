"""What can be expected of a tune of so many games, before it begins."""

from __future__ import annotations

import math
from typing import Any

from tesuji.lab.elo import POINTS, Z95, elo_of_score
from tesuji.lab.tune.regression import count_of_terms

GAMES_A_TERM = 20  # fewer games for each coefficient and the fit follows chance
CURVATURE_SHARE = 4.0 / 45.0  # the variance of x^2 for x uniform on [-1, 1]


def outlook(parameters: int, games: int, validation: int) -> dict[str, Any]:
    """Figures of a tune; scores near one half are assumed, where a game tells the most.

    A parameter's effect b, the fall in log-odds from the middle of its range to an end, has the standard deviation
    1 / sqrt(n p (1 - p) v) with v the variance of x^2; it is told from chance when it is above two of these.
    """
    found: dict[str, Any] = {"games": games, "terms": count_of_terms(parameters)}
    found["fewest"] = GAMES_A_TERM * found["terms"]
    found["score_within"] = Z95 * 0.5 / math.sqrt(games)
    found["smallest_effect"] = 2.0 / math.sqrt(games * 0.25 * CURVATURE_SHARE) * POINTS / math.log(10.0)
    found["validation"] = validation
    within = Z95 * 0.5 / math.sqrt(validation) if validation else 0.5
    found["validation_within"] = within if validation else None
    found["validation_elo"] = elo_of_score(0.5 + within) if within < 0.5 else None
    return found


def outlook_lines(found: dict[str, Any]) -> list[str]:
    lines = [
        f"{found['games']} games for a fit of {found['terms']} coefficients"
        + (f": few, {found['fewest']} or more are advisable" if found["games"] < found["fewest"] else ""),
        f"a parameter whose best value gains less than about {found['smallest_effect']:.0f} Elo over the ends of its range "
        "will show no effect (4 times the games: half of that)",
        f"the score at the end will be known to {100 * found['score_within']:.1f}% if all games count, "
        "and less well as samples are discarded",
    ]
    if found["validation"]:
        elo = f", {found['validation_elo']:.0f} Elo" if found["validation_elo"] else ""
        lines.append(f"then a validation of {found['validation']} games, to {100 * found['validation_within']:.1f}%{elo}")
    else:
        lines.append("no validation: the tune alone shows no gain")
    return lines

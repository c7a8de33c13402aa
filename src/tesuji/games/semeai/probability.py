"""How often the side to move wins a semeai that both sides play at random, exactly, by dynamic programming.

After Cazenave and Saffidine, "Score Bounded Monte-Carlo Tree Search", section 4 and Table 1. A player who can capture
does; a player with one liberty left then loses. Otherwise a liberty is chosen at random among all that are left, its own
included, or with the probability `elsewhere` none of them is played.
"""

from __future__ import annotations

from tesuji.core.errors import UserError


def win_probability(own: int, other: int, elsewhere: float = 0.0) -> float:
    """The probability that the side to move, with `own` liberties against `other`, wins a random game."""
    if own < 1 or other < 1:
        raise UserError(f"{own} liberties against {other}: each side needs 1 or more")
    if not 0 <= elsewhere < 1:
        raise UserError(f"a probability of {elsewhere:g} of playing elsewhere is out of range: 0 or more and below 1")
    most = max(own, other)
    wins: dict[tuple[int, int], float] = {}
    for total in range(2, own + other + 1):  # a move leaves one liberty fewer, so smaller totals come first
        for a in range(max(1, total - most), min(most, total - 1) + 1):
            b = total - a
            if b == 1 or a == 1:
                wins[a, b] = 1.0 if b == 1 else 0.0
                continue
            # The two positions that playing elsewhere turns into each other: x = (1-p) r + p (1-y), y likewise.
            here = (1 - elsewhere) * _after_filling(wins, a, b) + elsewhere
            turned = (1 - elsewhere) * _after_filling(wins, b, a) + elsewhere
            wins[a, b] = (here - elsewhere * turned) / (1 - elsewhere * elsewhere)
    return wins[own, other]


def _after_filling(wins: dict[tuple[int, int], float], a: int, b: int) -> float:
    """The mean over the a + b liberties, one of which is filled, of the chance that the opponent then does not win."""
    return (a * (1 - wins[b, a - 1]) + b * (1 - wins[b - 1, a])) / (a + b)

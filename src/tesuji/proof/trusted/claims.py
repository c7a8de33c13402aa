"""What a certificate claims, and how a proof of it is refused."""

from __future__ import annotations

from typing import NamedTuple

from tesuji.core import rules
from tesuji.core.game import Game


class Refused(Exception):
    """The proof does not hold; the text says why."""


class Claim(NamedTuple):
    """`value >= bound`, proven by a strategy of player 0, or `value <= bound`, by one of player 1. Values are player 0's."""

    player: int
    bound: int

    def holds(self, lower: int, upper: int) -> bool:
        """Whether the claim follows from lower <= value <= upper."""
        return lower >= self.bound if self.player == rules.FIRST else upper <= self.bound

    def __str__(self) -> str:
        return f"value {'>=' if self.player == rules.FIRST else '<='} {self.bound}"


def claims_of(game: Game, lower: int, upper: int) -> list[Claim]:
    """What must be proven for lower <= value <= upper. The ends of the game's range need no proof."""
    lowest, highest = game.outcomes
    claims = []
    if lower > lowest:
        claims.append(Claim(rules.FIRST, lower))
    if upper < highest:
        claims.append(Claim(rules.SECOND, upper))
    return claims

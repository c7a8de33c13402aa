"""How a match stands: wins, draws, pairs, the score with its interval, Elo."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tesuji.lab.elo import elo_of_score, score_interval
from tesuji.lab.match.games import Played
from tesuji.lab.match.plan import Plan
from tesuji.lab.sprt import PAIR_SCORES


@dataclass
class Standing:
    """One pairing, from the point of view of its first player, A."""

    a_wins: int = 0
    b_wins: int = 0
    draws: int = 0
    a_first_points: float = 0.0  # A's points in the games in which it moved first
    a_first_games: int = 0
    a_forfeits: int = 0  # games that A lost by doing something wrong
    b_forfeits: int = 0
    seconds: float = 0.0
    _halves: dict[int, float] = field(default_factory=dict)  # A's points of pairs of which one game is there
    pairs: list[int] = field(default_factory=lambda: [0] * len(PAIR_SCORES))

    @property
    def games(self) -> int:
        return self.a_wins + self.b_wins + self.draws

    @property
    def score(self) -> float | None:
        return (self.a_wins + self.draws / 2) / self.games if self.games else None

    @property
    def interval(self) -> tuple[float, float]:
        return score_interval(self.score or 0.0, self.games)

    def add(self, played: Played, a: int) -> None:
        """Counts a game; `a` is the slot of A."""
        points = 0.5 if played.winner is None else float(played.winner == a)
        self.draws += played.winner is None
        self.a_wins += points == 1.0
        self.b_wins += points == 0.0
        self.seconds += played.seconds_first + played.seconds_second
        if played.is_forfeit:
            self.a_forfeits += played.winner != a
            self.b_forfeits += played.winner == a
        if played.first == a:
            self.a_first_points += points
            self.a_first_games += 1
        if played.opening in self._halves:
            self.pairs[round(2 * (self._halves.pop(played.opening) + points))] += 1
        else:
            self._halves[played.opening] = points

    def as_json(self) -> dict[str, Any]:
        low, high = self.interval
        score = self.score
        return {
            "games": self.games,
            "a_wins": self.a_wins,
            "b_wins": self.b_wins,
            "draws": self.draws,
            "score": score,
            "elo": None if score is None else elo_of_score(score),
            "elo_low": elo_of_score(low),
            "elo_high": elo_of_score(high),
            "score_low": low,
            "score_high": high,
            "pairs": list(self.pairs),
            "a_score_first": self.a_first_points / self.a_first_games if self.a_first_games else None,
            "a_forfeits": self.a_forfeits,
            "b_forfeits": self.b_forfeits,
            "forfeits": self.a_forfeits + self.b_forfeits,
        }


def standings(plan: Plan, games: Iterable[Played]) -> list[Standing]:
    """One standing for each pairing of the plan."""
    pairings = plan.pairings
    found = [Standing() for _ in pairings]
    for played in games:
        index = played.number % len(pairings)
        found[index].add(played, pairings[index][0])
    return found

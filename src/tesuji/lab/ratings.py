"""Elo of many players from all their games, by maximum likelihood.

The model is Bradley and Terry's: a player with rating r beats one with rating q with probability 1 / (1 + 10^((q - r) / 400));
with a colour advantage c, who moves first has r + c. A draw counts as half a win and half a loss. The log-likelihood is
concave, so Newton's method finds its maximum; the intervals come from the curvature there (the Fisher information), for the
difference between a player and the mean of its group, or the anchor.

Players who have not met, not even through others, cannot be compared: each connected group has ratings of its own. If in a
group someone has only won, or only lost, or one part of it has won every game against the rest, no finite ratings are the
likeliest. Then, and only then, each two players of the group who have met are given one virtual draw.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.lab.elo import POINTS, Z95

LOG = math.log(10.0) / POINTS  # Elo in natural units
STEPS = 200
ENOUGH = 1e-10
CERTAIN = 12.0  # natural units: a result that is to be expected in all but one of 160,000 games
LONGEST_STEP = 2.0  # in natural units: far from the maximum Newton's step may be too long


@dataclass(frozen=True)
class RatedGame:
    """One game: who moved first, who second, and the first one's points: 1, 1/2 or 0."""

    first: str
    second: str
    points: float


@dataclass(frozen=True)
class Rating:
    player: str
    group: int  # from 1; ratings of different groups cannot be compared
    elo: float
    low: float
    high: float
    games: int
    wins: int
    draws: int
    losses: int

    @property
    def score(self) -> float:
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0

    def as_json(self) -> dict[str, Any]:
        names = ("player", "group", "elo", "low", "high", "games", "wins", "draws", "losses", "score")
        return {name: getattr(self, name) for name in names}


@dataclass
class Ratings:
    players: list[Rating] = field(default_factory=list)  # the best first, group by group
    colour: float | None = None  # Elo that moving first is worth, if it was asked for
    colour_low: float | None = None
    colour_high: float | None = None
    virtual: dict[int, float] = field(default_factory=dict)  # group -> virtual draws given to each two who met


def rate(results: Iterable[RatedGame], colour: bool = False, prior: float | None = None, anchor: str | None = None) -> Ratings:
    """The likeliest ratings. `prior` None gives virtual draws where they are needed, a number gives so many everywhere."""
    results = list(results)
    names = sorted({name for result in results for name in (result.first, result.second)})
    if anchor is not None and anchor not in names:
        raise UserError(f"there is no player {anchor!r} in the games; there are: {', '.join(names)}")
    index = {name: number for number, name in enumerate(names)}
    count = len(names)
    points = np.zeros((count, count))  # points[i, j]: of i, moving first, against j
    games = np.zeros((count, count))
    for result in results:
        i, j = index[result.first], index[result.second]
        points[i, j] += result.points
        games[i, j] += 1.0
    met = (games + games.T) > 0
    groups = connected(met)
    draws = [0.0 if has_maximum(points, games, group) else 1.0 for group in groups] if prior is None else [prior] * len(groups)
    if prior == 0.0 and not all(has_maximum(points, games, group) for group in groups):
        raise UserError(
            "without virtual draws no ratings are the likeliest: someone has won or lost everything; leave --prior out"
        )
    fitted, advantage, covariance = _fit_with(points, games, groups, colour, draws, met)
    if colour and prior is None and runs_away(fitted, advantage, games):
        draws = [1.0] * len(groups)
        fitted, advantage, covariance = _fit_with(points, games, groups, colour, draws, met)
    ratings = Ratings(virtual={number: given for number, given in enumerate(draws, 1) if given})
    _fill(ratings, names, groups, fitted, covariance, results, anchor)
    if colour:
        spread = Z95 * math.sqrt(max(0.0, covariance[-1, -1]))
        ratings.colour, ratings.colour_low, ratings.colour_high = (
            value / LOG for value in (advantage, advantage - spread, advantage + spread)
        )
    return ratings


def _fit_with(
    points: np.ndarray, games: np.ndarray, groups: list[list[int]], colour: bool, draws: list[float], met: np.ndarray
) -> tuple[Any, float, Any]:
    """The fit with so many virtual draws for each two players of a group who have met, half of them with each colour."""
    extra = np.zeros_like(games)
    for group, given in zip(groups, draws, strict=True):
        for i in group:
            for j in group:
                extra[i, j] = given / 2 if met[i, j] else 0.0
    return fit(points + extra / 2, games + extra, groups, colour)


def runs_away(fitted: np.ndarray, advantage: float, games: np.ndarray) -> bool:
    """Whether a fit with colours has no finite maximum: it makes some games certain, as if first movers always won."""
    chances = np.abs(fitted[:, None] - fitted[None, :] + advantage)
    return bool((chances[games > 0] > CERTAIN).any())


def fit(points: np.ndarray, games: np.ndarray, groups: Sequence[Sequence[int]], colour: bool) -> tuple[Any, float, Any]:
    """Ratings in natural units with mean 0 in each group, the first mover's advantage, and the covariance of all of them.

    The unknowns are x = (r_1 .. r_n, c). With p the chance of who moves first, the gradient of the log-likelihood is a sum of
    (points - games p) over pairs, and minus its second derivative a sum of games p (1 - p).
    """
    count = len(points)
    x = np.zeros(count + 1)
    where = [(i, j) for i in range(count) for j in range(count) if games[i, j] > 0 and (i != j or colour)]
    centre = np.zeros((len(groups) + 1, count + 1))  # these combinations are held at 0
    for number, group in enumerate(groups):
        centre[number, list(group)] = 1.0
    if not colour:
        centre[-1, -1] = 1.0
    information = np.zeros((count + 1, count + 1))
    for _ in range(STEPS):
        gradient = np.zeros(count + 1)
        information = np.zeros((count + 1, count + 1))
        for i, j in where:
            direction = np.zeros(count + 1)
            direction[i] += 1.0
            direction[j] -= 1.0
            direction[-1] = 1.0 if colour else 0.0
            p = 1.0 / (1.0 + math.exp(-float(direction @ x)))
            gradient += (points[i, j] - games[i, j] * p) * direction
            information += games[i, j] * p * (1.0 - p) * np.outer(direction, direction)
        step = np.linalg.pinv(information + centre.T @ centre, hermitian=True) @ gradient
        step *= min(1.0, LONGEST_STEP / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        x += step
        if np.abs(step).max(initial=0.0) < ENOUGH:
            break
    for group in groups:
        x[list(group)] -= x[list(group)].mean()
    covariance = np.linalg.pinv(information, rcond=1e-12, hermitian=True)
    return x[:-1], float(x[-1]), covariance


def connected(met: np.ndarray) -> list[list[int]]:
    """The groups of players that are linked by games, the largest first."""
    left = set(range(len(met)))
    groups = []
    while left:
        group = reached(met, min(left))
        left -= group
        groups.append(sorted(group))
    return sorted(groups, key=lambda group: (-len(group), group))


def has_maximum(points: np.ndarray, games: np.ndarray, group: Sequence[int]) -> bool:
    """Whether finite ratings are the likeliest: from everyone a chain of points won leads to everyone else (Ford 1957)."""
    won = (points + (games - points).T) > 0  # won[i, j]: i has taken points from j
    start = group[0]
    return reached(won, start) >= set(group) and reached(won.T, start) >= set(group)


def reached(links: np.ndarray, start: int) -> set[int]:
    found, waiting = {start}, [start]
    while waiting:
        new = {int(j) for j in np.flatnonzero(links[waiting.pop()])} - found
        found |= new
        waiting += new
    return found


def _fill(
    ratings: Ratings,
    names: list[str],
    groups: list[list[int]],
    fitted: Any,
    covariance: Any,
    results: list[RatedGame],
    anchor: str | None,
) -> None:
    """Elo and intervals of every player, relative to the mean of its group or to the anchor, if that is in the group."""
    counts = {name: [0, 0, 0] for name in names}  # wins, draws, losses
    for result in results:
        place = 0 if result.points == 1.0 else 1 if result.points == 0.5 else 2
        counts[result.first][place] += 1
        counts[result.second][2 - place] += 1
    for number, group in enumerate(groups, 1):
        base = np.zeros(len(covariance))
        if anchor is not None and names.index(anchor) in group:
            base[names.index(anchor)] = 1.0
        else:
            base[group] = 1.0 / len(group)
        rows = []
        for i in group:
            direction = -base
            direction[i] += 1.0
            elo = float(direction[:-1] @ fitted) / LOG + 0.0  # no negative zero
            spread = Z95 * math.sqrt(max(0.0, float(direction @ covariance @ direction))) / LOG
            wins, draws, losses = counts[names[i]]
            games = wins + draws + losses
            rows.append(Rating(names[i], number, elo, elo - spread, elo + spread, games, wins, draws, losses))
        ratings.players += sorted(rows, key=lambda row: -row.elo)

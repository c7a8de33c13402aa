"""Minorization-maximization (Coulom 2007): strengths of features from which move won against which others.

A competition is a position: every legal move is a team of features, one at most of each family, and the move that was played
has won. A team's strength is the product of the strengths gamma of its features, and it wins with a probability in proportion
to that. One step chooses, for one family at a time, the strengths

    gamma_i  <-  gamma_i (W_i + a) / (X_i + 2 a gamma_i / (1 + gamma_i))

with W_i the competitions won by a team with feature i, and X_i those that such teams were expected to win. The prior, a games
won and as many lost against a strength of 1, keeps features that hardly occur near 1. No step makes the result less likely.
Features of one family exclude each other, so they can be updated together; families take turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.numba.registration import compiled, is_pure

NONE = 0  # the number of the feature that says nothing: its strength is always 1
COMPILE_FROM = 20_000  # teams: below that, pure Python is quicker
Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class Competitions:
    """Competition n is between the teams from first[n] up to first[n + 1]; team winners[n] has won it.

    Column f of `teams` holds each team's feature of family f, or NONE. Features are numbered from 1, families without overlap.
    """

    teams: np.ndarray  # int32 [teams, families]
    first: np.ndarray  # int64
    winners: np.ndarray  # int64

    @property
    def count(self) -> int:
        return len(self.winners)


@kernel
def expect_wins(teams, first, winners, gammas, families, family, strengths, expected):
    """Adds to expected[i] how many competitions feature i of the family should have won; returns the log likelihood of all."""
    log_likelihood = 0.0
    for number in range(len(winners)):
        start = first[number]
        total = 0.0
        for team in range(start, first[number + 1]):
            strength = 1.0
            for f in range(len(families)):
                strength *= gammas[teams[team, families[f]]]
            strengths[team - start] = strength
            total += strength
        share = 1.0 / total
        for team in range(start, first[number + 1]):
            expected[teams[team, family]] += strengths[team - start] * share
        log_likelihood += np.log(strengths[winners[number] - start] * share)
    return log_likelihood


@kernel
def count_wins(teams, winners, families, wins):
    for number in range(len(winners)):
        for f in range(len(families)):
            wins[teams[winners[number], families[f]]] += 1.0


def fit(
    parts: Sequence[Competitions],
    features: int,
    prior: float = 1.0,
    rounds: int = 20,
    tolerance: float = 1e-4,
    on_progress: Progress | None = None,
    families: Sequence[int] | None = None,
) -> np.ndarray:
    """The strengths of features 0 to `features` - 1, number 0 being NONE.

    Ends after so many rounds over all families, or when a round gains less than `tolerance` nats a competition. The
    competitions may come in several parts. `families` are the columns of their teams to use; None = all.
    """
    strengths = np.ones(features)
    wins, expected = np.zeros(features), np.zeros(features)
    count = sum(part.count for part in parts)
    largest = max(int(np.diff(part.first).max()) for part in parts if part.count)
    room = np.zeros(largest)
    columns = np.array(range(parts[0].teams.shape[1]) if families is None else families, np.int64)
    small = is_pure() or sum(len(part.teams) for part in parts) < COMPILE_FROM
    expect, tally = (expect_wins, count_wins) if small else (compiled(expect_wins), compiled(count_wins))
    belongs = {column: np.zeros(features, bool) for column in columns}  # which features each family has
    for part in parts:
        tally(part.teams, part.winners, columns, wins)
        for column, there in belongs.items():
            there[part.teams[:, column]] = True
            there[NONE] = False
    before = -np.inf
    for number in range(rounds):
        log_likelihood = 0.0
        for family, mine in belongs.items():
            expected[:] = 0.0
            total = sum(expect(p.teams, p.first, p.winners, strengths, columns, family, room, expected) for p in parts)
            log_likelihood = total / count if family == columns[0] else log_likelihood
            old = strengths[mine]
            strengths[mine] = old * (wins[mine] + prior) / (expected[mine] + 2.0 * prior * old / (1.0 + old))
        if on_progress is not None:
            on_progress(number / rounds, f"round {number + 1}: {log_likelihood:.4f} nats a move")
        if log_likelihood - before < tolerance:
            break
        before = log_likelihood
    return strengths

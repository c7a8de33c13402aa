"""Minorization-maximization: against a naive implementation, and on games drawn from strengths that are known."""

import random

import numpy as np
import pytest

from tesuji.learn.minorization import NONE, Competitions, fit


def drawn(seed, gammas, families, count, most=6):
    """Competitions between random teams, won by chance in proportion to strength. `families` are ranges of features."""
    chooser = random.Random(seed)
    teams, first, winners = [], [0], []
    for _ in range(count):
        field = [[chooser.choice([NONE, *family]) for family in families] for _ in range(chooser.randint(2, most))]
        strengths = [np.prod([gammas[feature] for feature in team]) for team in field]
        winners.append(len(teams) + chooser.choices(range(len(field)), strengths)[0])
        teams += field
        first.append(len(teams))
    return Competitions(np.array(teams, np.int32), np.array(first, np.int64), np.array(winners, np.int64))


def naive_step(parts, gammas, family, prior):
    """Coulom's update as it is printed: (W + a) / (sum of C / E + 2 a / (1 + gamma))."""
    wins, sums = np.zeros(len(gammas)), np.zeros(len(gammas))
    for part in parts:
        for n, winner in enumerate(part.winners):
            field = range(part.first[n], part.first[n + 1])
            strength = {team: np.prod([gammas[f] for f in part.teams[team]]) for team in field}
            total = sum(strength.values())
            wins[part.teams[winner, family]] += 1
            for team in field:
                own = part.teams[team, family]
                sums[own] += strength[team] / gammas[own] / total
    new = gammas.copy()
    for feature in {int(f) for part in parts for f in part.teams[:, family]} - {NONE}:
        new[feature] = (wins[feature] + prior) / (sums[feature] + 2 * prior / (1 + gammas[feature]))
    return new


FAMILIES = (range(1, 5), range(5, 8))
GAMMAS = np.array([1.0, 0.2, 1.0, 3.0, 8.0, 0.5, 1.0, 4.0])


def test_steps_are_those_of_a_naive_implementation():
    parts = [drawn(1, GAMMAS, FAMILIES, 40), drawn(2, GAMMAS, FAMILIES, 20)]
    naive = np.ones(8)
    for rounds in (1, 2, 3):
        for family in range(2):
            naive = naive_step(parts, naive, family, 1.5)
        assert fit(parts, 8, prior=1.5, rounds=rounds, tolerance=-np.inf) == pytest.approx(naive)
    assert naive[NONE] == 1.0


def test_strengths_are_recovered():
    found = fit([drawn(3, GAMMAS, FAMILIES, 1500)], 8, rounds=30, tolerance=1e-6)
    assert np.abs(np.log(found / GAMMAS)).max() < 0.35


def test_no_round_makes_the_games_less_likely():
    told = []
    fit([drawn(4, GAMMAS, FAMILIES, 300)], 8, prior=0.0, rounds=8, tolerance=-1, on_progress=lambda _, text: told.append(text))
    nats = [float(text.split()[2]) for text in told]
    assert len(nats) == 8 and nats == sorted(nats) and nats[-1] > nats[0]


def test_families_can_be_left_out_and_rare_features_stay_near_1():
    part = drawn(5, GAMMAS, FAMILIES, 200)
    only = fit([part], 8, families=[1], rounds=30)
    assert np.all(only[1:5] == 1.0) and only[7] > only[6] > only[5]
    rare = Competitions(np.array([[1], [2]], np.int32), np.array([0, 2]), np.array([0]))
    assert 1.0 < fit([rare], 3)[1] < 2.0 and 0.5 < fit([rare], 3)[2] < 1.0

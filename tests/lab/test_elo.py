"""Elo, intervals and the sequential test against figures computed by hand or from elsewhere."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tesuji.core.errors import UserError
from tesuji.lab.elo import elo_of_score, elo_text, score_interval, score_of_elo
from tesuji.lab.sprt import PAIR_SCORES, Sprt, likeliest


def test_elo_of_known_scores():
    assert elo_of_score(0.5) == 0.0
    assert elo_of_score(10 / 11) == pytest.approx(400.0)
    assert elo_of_score(0.75) == pytest.approx(190.848, abs=1e-3)
    assert elo_of_score(1.0) == math.inf and elo_of_score(0.0) == -math.inf
    assert [elo_text(e) for e in (12.4, -0.6, math.inf, -math.inf, None)] == ["+12", "-1", "+inf", "-inf", "?"]


@given(st.floats(-2000, 2000))
def test_elo_and_score_are_inverse(elo):
    assert elo_of_score(score_of_elo(elo)) == pytest.approx(elo, abs=1e-6)


def test_wilson_interval():
    low, high = score_interval(0.5, 100)
    assert (low, high) == (pytest.approx(0.40383, abs=1e-5), pytest.approx(0.59617, abs=1e-5))
    low, high = score_interval(1.0, 10)
    assert (low, high) == (pytest.approx(10 / (10 + 1.959964**2), abs=1e-6), 1.0)
    assert score_interval(0.0, 0) == (0.0, 1.0)


@given(st.integers(0, 40), st.integers(1, 40))
def test_the_interval_holds_the_score(wins, games):
    wins = min(wins, games)
    low, high = score_interval(wins / games, games)
    assert 0.0 <= low <= wins / games <= high <= 1.0


# -- the sequential test ---------------------------------------------------------------------------------------------------
def test_bounds_of_the_test():
    low, high = Sprt(0, 10, 0.05, 0.05).bounds
    assert (low, high) == (pytest.approx(-math.log(19)), pytest.approx(math.log(19)))


@given(st.lists(st.integers(0, 50), min_size=5, max_size=5).filter(lambda counts: sum(counts) > 0), st.floats(0.05, 0.95))
def test_the_likeliest_distribution_has_the_mean(counts, mean):
    shares = [max(count, 1e-3) for count in counts]
    shares = [share / sum(shares) for share in shares]
    found = likeliest(shares, mean)
    assert sum(found) == pytest.approx(1.0, abs=1e-6)
    assert sum(p * score for p, score in zip(found, PAIR_SCORES, strict=True)) == pytest.approx(mean, abs=1e-6)


def test_llr_is_near_the_normal_approximation():
    """For many pairs LLR tends to n (s1 - s0) (2 mean - s0 - s1) / (2 variance)."""
    test = Sprt(0, 5)
    pairs = [110, 250, 300, 260, 130]
    total = sum(pairs)
    mean = sum(n * a for n, a in zip(pairs, PAIR_SCORES, strict=True)) / total
    variance = sum(n * (a - mean) ** 2 for n, a in zip(pairs, PAIR_SCORES, strict=True)) / total
    s0, s1 = score_of_elo(0), score_of_elo(5)
    normal = total * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert test.llr(pairs) == pytest.approx(normal, rel=0.02)


def test_llr_is_fair_to_both_sides():
    test = Sprt(-10, 10)
    assert test.llr([3, 4, 5, 4, 3]) == pytest.approx(0.0, abs=1e-9)
    assert test.llr([1, 2, 3, 4, 9]) == pytest.approx(-test.llr([9, 4, 3, 2, 1]))
    assert test.llr([0] * 5) == 0.0
    assert Sprt(0, 10).decision([0] * 5) == ""


def test_errors_are_as_rare_as_promised():
    """A player who is just elo0 stronger is taken for one of elo1 in about alpha of all tests, and the other way round."""
    test, chance = Sprt(0, 200, 0.1, 0.1), random.Random(3)
    for elo, wrong in ((0, "H1"), (200, "H0")):
        errors = 0
        for _ in range(200):
            pairs = [0] * 5
            while not (decision := test.decision(pairs)):
                pairs[2 * sum(chance.random() < score_of_elo(elo) for _ in range(2))] += 1
            errors += decision == wrong
        assert errors <= 36, "0.18 of them, four standard deviations above a tenth"


@given(st.lists(st.integers(0, 10_000), min_size=5, max_size=5), st.sampled_from([(-2000, 2000), (1999, 2000), (-2000, -1999)]))
def test_the_widest_hypotheses_can_be_computed(pairs, elos):
    test = Sprt(*elos)
    assert math.isfinite(test.llr(pairs)) and test.decision(pairs) in ("", "H0", "H1")


@pytest.mark.parametrize(
    "values",
    [
        (10, 0),
        (5, 5),
        (0, math.inf),
        (0, 100_000),
        (-200_000, 0),
        (0, 2000.5),
        (math.nan, 5),
        (0, 10, 0.0),
        (0, 10, 0.05, 0.5),
        (0, 10, math.nan),
    ],
)
def test_impossible_tests(values):
    with pytest.raises(UserError):
        Sprt(*values)

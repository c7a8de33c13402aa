"""RAVE with an initial and a final weight: equations 1 to 3 of Huang et al. 2013, by numbers."""

import math

import pytest

from tesuji.search.rave import RaveExplorationInside, RaveExplorationOutside, RaveProgressiveBias
from tesuji.search.selection import Child, Parent, worth

PARENT = Parent(visits=100.0, root_of_log=math.sqrt(math.log(100)), children=3, depth=1, maximises=True)


def child(visits=0.0, mean=0.0, rave_visits=0.0, rave_mean=0.0, prior=0.0):
    return Child(visits, mean, prior, rave_visits, rave_mean, 0.0, 1.0, math.sqrt(1.0 / max(visits, 1.0)))


def by_formula(rule, n, u, r, rave, prior, skipped=False):
    """As the paper writes it."""
    weight = 0.0 if r == 0 or skipped else r / (n * (1 / rule.rave_initial + r / rule.rave_final) + r)
    explore = rule.exploration * math.sqrt(math.log(100) / max(n, 1))
    if isinstance(rule, RaveExplorationOutside):
        return (1 - weight) * (u if n else rule.first_play) + weight * rave + explore
    value = (1 - weight) * (u + explore if n else rule.first_play) + weight * rave
    bias = rule.prior_weight * prior / math.sqrt(n + 1) if isinstance(rule, RaveProgressiveBias) else 0.0
    return value + bias


OUTSIDE = RaveExplorationOutside(exploration=0.3, first_play=10.0, rave_initial=1.0, rave_final=20000.0, rave_skip=0)
INSIDE = RaveExplorationInside(exploration=0.22, first_play=0.35, rave_initial=2.12, rave_final=830.0, rave_skip=0)
BIASED = RaveProgressiveBias(*INSIDE, prior_weight=2.47)


@pytest.mark.parametrize("rule", [OUTSIDE, INSIDE, BIASED])
@pytest.mark.parametrize(
    ("n", "u", "r", "rave"), [(0, 0, 0, 0), (0, 0, 8, 0.5), (5, 0.4, 30, 0.7), (900, 0.61, 4000, 0.2), (3, 1, 0, 0)]
)
def test_the_equations(rule, n, u, r, rave):
    found = worth(rule, child(float(n), u, float(r), rave, 0.125), PARENT)
    assert found == pytest.approx(by_formula(rule, n, u, r, rave, 0.125))


def test_numbers_worked_by_hand():
    # n = 10, r = 40: w = 40 / (10 (1/2.12 + 40/830) + 40) = 40 / 45.19890 = 0.88498
    explore = 0.22 * math.sqrt(math.log(100) / 10)
    assert explore == pytest.approx(0.149295, abs=1e-6)
    expected = (1 - 0.884977) * (0.5 + 0.149295) + 0.884977 * 0.6 + 2.47 * 0.1 / math.sqrt(11)
    assert worth(BIASED, child(10.0, 0.5, 40.0, 0.6, 0.1), PARENT) == pytest.approx(expected, abs=1e-5)


def test_a_new_move_is_worth_what_rave_says():
    assert worth(INSIDE, child(rave_visits=8.0, rave_mean=0.5), PARENT) == 0.5
    assert worth(INSIDE, child(), PARENT) == 0.35
    assert worth(BIASED, child(prior=0.2, rave_visits=8.0, rave_mean=0.5), PARENT) == pytest.approx(0.5 + 2.47 * 0.2)


def test_the_weight_falls_to_the_final_one():
    heavy = child(1e6, 0.0, 1e6, 1.0)
    assert worth(INSIDE._replace(exploration=0.0), heavy, PARENT) == pytest.approx(830 / 1e6, rel=0.01)


@pytest.mark.parametrize("rule", [OUTSIDE, INSIDE, BIASED])
def test_rave_is_left_out_now_and_then(rule):
    rule = rule._replace(rave_skip=30)
    for visits, skipped in ((89.0, False), (90.0, True), (91.0, False)):
        found = worth(rule, child(5.0, 0.4, 30.0, 0.7, 0.1), PARENT._replace(visits=visits))
        assert found == pytest.approx(by_formula(rule, 5, 0.4, 30, 0.7, 0.1, skipped))
    new = worth(rule, child(rave_visits=9.0, rave_mean=0.9), PARENT._replace(visits=60.0))
    assert new == pytest.approx(by_formula(rule, 0, 0, 9, 0.9, 0.0, True))

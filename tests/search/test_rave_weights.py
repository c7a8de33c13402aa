"""The formulas with RAVE, by numbers: equations 1 to 3 of Huang et al. 2013 and 1 to 4 of Chaslot et al. 2009."""

import itertools
import math

import pytest

from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.engine.time_budget import TimeBudget
from tesuji.search.kernel.tree import USED
from tesuji.search.selection.interface import Child, Parent, spec_of, worth
from tesuji.search.selection.rave import Rave, RaveAndPrior, RaveExplorationInside, RaveExplorationOutside, RaveProgressiveBias

PARENT = Parent(visits=100.0, root_of_log=math.sqrt(math.log(100)), children=3, depth=1, maximises=True)


def child(visits=0.0, mean=0.0, rave_visits=0.0, rave_mean=0.0, prior=0.0, played=None):
    known = visits, mean, prior, rave_visits, rave_mean, 0.0, 1.0, math.sqrt(1.0 / max(visits, 1.0))
    return Child(*known, played=visits if played is None else played)


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


# -- Chaslot et al. 2009 -------------------------------------------------------------------------------------------------------
# score = alpha mean + beta rave + (gamma + C / ln(2 + n)) H
# beta = m / (n + m + c1 n m), gamma = c2 / m, but 1 at most and with 1 for m = 0, alpha = 1 - beta - gamma
C1, C2, C = {"rave_bias": 0.01, "root_rave_bias": 0.1}, {"prior_share": 2.0, "root_prior_share": 4.0}, {"prior_bonus": 0.5}
MOGO = RaveAndPrior(first_play=0.5, rave_first=True, **C1, **C2, **C, root_prior_bonus=0.25)
ROOT, INNER = 0, 3


@pytest.mark.parametrize(
    ("depth", "n", "mean", "m", "rave", "prior", "score"),
    [
        # beta = 40 / 54, gamma = 2 / 40, alpha = 0.209259: 0.104630 + 0.444444 + (0.05 + 0.5 / ln 12) 0.2
        (INNER, 10, 0.5, 40, 0.6, 0.2, 0.599317),
        # at the root beta = 40 / 90, gamma = 4 / 40, alpha = 0.455556: 0.227778 + 0.266667 + (0.1 + 0.25 / ln 12) 0.2
        (ROOT, 10, 0.5, 40, 0.6, 0.2, 0.534566),
        # beta = 4 / 108, gamma = 2 / 4, alpha = 0.462963: 0.324074 + 0.003704 + (0.5 + 0.5 / ln 102) 0.3
        (INNER, 100, 0.7, 4, 0.1, 0.3, 0.510211),
        # no games of RAVE: gamma = 1, alpha = beta = 0: (1 + 0.5 / ln 5) 0.2, (1 + 0.5 / ln 2) 0.2
        (INNER, 3, 0.9, 0, 0.0, 0.2, 0.262133),
        (INNER, 0, 0.0, 0, 0.0, 0.2, 0.344270),
        # known from one game of RAVE alone: beta = 1, gamma = 2 / 1 is cut to 1, alpha = -1, of first_play
        (INNER, 0, 0.0, 1, 0.6, 0.2, -0.5 + 0.6 + 0.344270),
        # at the root gamma = 4 / 2 is cut to 1, beta = 2 / 4.4, alpha = -beta: -0.227273 + 0.454545 + (1 + 0.25 / ln 4) 0.1
        (ROOT, 2, 0.5, 2, 1.0, 0.1, 0.345306),
        # beyond the table of logarithms: 0.980369 0.6 + 0.0192308 0.4 + (0.0004 + 0.5 / ln 5002) 0.5
        (INNER, 5000, 0.6, 5000, 0.4, 0.5, 0.625465),
    ],
)
def test_numbers_of_the_formula_with_prior_worked_by_hand(depth, n, mean, m, rave, prior, score):
    found = worth(MOGO, child(float(n), mean, float(m), rave, prior), PARENT._replace(depth=depth))
    assert found == pytest.approx(score, abs=1e-6)


def test_the_bonus_goes_by_games_that_were_played():
    """n = 10, of which 7 are only expected: C / ln 5 in place of C / ln 12, all else as in the first row above."""
    expecting = child(10.0, 0.5, 40.0, 0.6, 0.2, played=3.0)
    assert worth(MOGO, expecting, PARENT) == pytest.approx(0.599317 + 0.2 * (0.310667 - 0.201215), abs=1e-6)


def test_constants_of_the_root_are_those_of_other_nodes_unless_given():
    settings = dict.fromkeys(("root_rave_bias", "root_prior_share", "root_prior_bonus"), -1.0) | {"root_prior_share": 7.0}
    given = {p.name: p.default for p in spec_of(RaveAndPrior).parameters} | {"rave_bias": 0.3, "prior_bonus": 0.2} | settings
    rule = RaveAndPrior.made_for(find_game("go:9"), given)
    assert (rule.root_rave_bias, rule.root_prior_share, rule.root_prior_bonus) == (0.3, 7.0, 0.2)
    assert rule.prior_share == 3.0


@pytest.mark.parametrize(
    ("n", "mean", "m", "rave", "score"),
    [
        (10, 0.5, 40, 0.6, 14 / 54 * 0.5 + 40 / 54 * 0.6 + 0.067861),  # 0.1 sqrt(ln 100 / 10)
        (0, 0.0, 8, 0.3, 0.3 + 0.214597),
        (0, 0.0, 0, 0.0, 0.5 + 0.214597),
        (4, 0.25, 0, 0.0, 0.25 + 0.107298),
    ],
)
def test_numbers_of_plain_rave_worked_by_hand(n, mean, m, rave, score):
    rule = Rave(exploration=0.1, first_play=0.5, rave_bias=0.01, rave_first=True)
    assert worth(rule, child(float(n), mean, float(m), rave), PARENT) == pytest.approx(score, abs=1e-6)


# -- the last part of a search ---------------------------------------------------------------------------------------------
def nodes_after(player, runs, changed=None):
    """The nodes of a search of Go after runs of so many playouts; before the last, the rule gets these values."""
    search = find_player(player).engine(find_game("go:3"), seed=5, pure=True)
    before = search.rule
    for number, playouts in enumerate(runs, 1):
        if changed and number == len(runs):
            search.rule = search.rule._replace(**changed)
        search.run(Limits(playouts=playouts))
    assert changed or search.rule == before
    return search.tree.nodes[: search.tree.counters[USED]].tobytes()


def test_the_last_part_of_a_search_has_constants_of_its_own():
    late = "mogo:end_share=0.25,end_prior_bonus=2,end_rave_bias=0.5,root_prior_share=1"
    by_hand = {"root_prior_bonus": 2.0, "root_rave_bias": 0.5}
    assert nodes_after(late, [60]) == nodes_after("mogo:root_prior_share=1", [45, 15], by_hand)
    assert nodes_after(late, [60]) != nodes_after("mogo:root_prior_share=1", [60])
    assert nodes_after("mogo:end_share=0.25", [60]) == nodes_after("mogo", [60])
    assert nodes_after("mogo:end_share=1,end_prior_bonus=2", [60]) == nodes_after("mogo:root_prior_bonus=2", [60])


def test_the_last_part_of_the_time_has_them_too():
    search = find_player("mogo:end_share=0.5,end_prior_bonus=2").engine(find_game("go:3"), seed=5, pure=True)
    ticks, seen = itertools.count(), []
    search.new_budget = lambda limits: TimeBudget(limits, lambda: 0.02 * next(ticks), lambda: 0.0)
    run_round = search._run_round
    search._run_round = lambda left, seconds: seen.append(search.rule.root_prior_bonus) or run_round(left, seconds)
    search.run(Limits(seconds=0.6))
    assert set(seen) == {0.3, 2.0} and seen == sorted(seen)


def test_whether_the_time_can_change_the_move_is_asked_of_all_of_it():
    """Else a lead that the rest of the first part cannot change would begin the last part."""
    search = find_player("mogo:end_share=0.5,end_prior_bonus=2").engine(find_game("go:3"), seed=5, pure=True)
    ticks, heard = itertools.count(), []
    search.new_budget = lambda limits: TimeBudget(limits, lambda: 0.02 * next(ticks), lambda: 0.0)
    search._can_stop_early = lambda used: heard.append((search.rule.root_prior_bonus, used)) and False
    search.run(Limits(seconds=0.6))
    early = [used for bonus, used in heard if bonus == 0.3]
    assert early and 0.4 < max(early) < 0.7

"""Crazy Stone's selection and backup operators against the formulas of the paper, worked out by hand or in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from plain_search import plain_search

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.random import make_rng
from tesuji.games.registry import find_game
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files.saved_search import load_search, save_search
from tesuji.search.kernel.tree import ROOT
from tesuji.search.selection.gaussian import (
    MAX,
    MEAN,
    MIX,
    NO_GAME_BACK,
    ROBUST_MAX,
    Gaussian,
    choose_by_chance,
    mix_of,
    of_rank,
    random_rank,
    update_moments,
    value_by,
)

GAUSSIAN = {"selection": "gaussian", "solver": "off", "memory": 4.0, "policy_below": 4, "mean_below": 4}


def grown(playouts=60, game="dotsandboxes:2x2", pure=True, **values):
    search = TreeSearch(find_game(game), settings=SEARCH.settings({**GAUSSIAN, **values}), seed=5, pure=pure)
    search.run(Limits(playouts=playouts))
    return search


def root_with(children, to_play=0, **values):
    """A search whose root has these children: (games, sum of outcomes, sum of squares, value, variance)."""
    search = grown(2, **values)
    nodes, moments = search.tree.nodes, search.tree.statistics
    root = nodes[ROOT]
    root["to_play"] = to_play
    first, count = int(root["first_child"]), len(children)
    root["child_count"] = count
    for i, (games, total, squares, value, variance) in enumerate(children):
        nodes[first + i]["visits"], nodes[first + i]["sum"] = games, total
        nodes[first + i]["prior"] = 0.0
        moments[first + i]["squares"] = squares
        moments[first + i]["value"], moments[first + i]["variance"] = value, variance
    root["visits"] = sum(c[0] for c in children)
    root["sum"] = sum(c[1] for c in children)
    return search


def test_sums_of_squares_follow_the_games():
    search = grown(200)
    nodes, moments = search.tree.nodes, search.tree.statistics
    first, count = int(nodes[ROOT]["first_child"]), int(nodes[ROOT]["child_count"])
    assert nodes[ROOT]["visits"] == 200
    assert 0 < sum(int(moments[c]["squares"]) for c in range(first, first + count)) <= moments[ROOT]["squares"]


def test_an_external_node_has_the_mean_and_the_variance_with_one_virtual_game():
    search = grown(3)
    node, moments = search.tree.nodes[ROOT], search.tree.statistics[ROOT]
    games, mean = 3, int(node["sum"]) / 3
    expected = (int(moments["squares"]) - games * mean**2 + search.rule.doubt) / (games + 1) / games
    assert moments["value"] == pytest.approx(mean)
    assert moments["variance"] == pytest.approx(expected)
    literal = grown(3, divide_external=False)
    assert literal.tree.statistics[ROOT]["variance"] == pytest.approx(expected * games)


def test_an_internal_variance_is_divided_by_no_more_than_its_limit():
    search = root_with([(600, 600, 1200, 1.0, 0.1), (400, 0, 300, 0.0, 0.1)])
    search.tree.statistics[ROOT]["squares"] = 1500
    update_moments(search.rule, search.tree, search.scratches[0], ROOT, search.options)
    variance = (1500 - 1000 * 0.6**2 + search.rule.doubt) / 1001
    assert search.tree.statistics[ROOT]["variance"] == pytest.approx(variance / 500)


@pytest.mark.parametrize("to_play", [0, 1])
def test_mean_max_and_robust_max(to_play):
    sign = 1 if to_play == 0 else -1
    children = [(10, 10, 10, sign * 1.0, 1.0), (50, -25, 50, sign * -0.5, 1.0), (0, 0, 0, sign * 99.0, 1.0)]
    search = root_with(children, to_play)
    values = [value_by(op, search.rule, search.tree, ROOT) for op in (MEAN, MAX, ROBUST_MAX)]
    assert values == pytest.approx([-15 / 60, sign * 1.0, sign * -0.5])


def test_mix_takes_the_move_with_most_games_when_it_is_not_among_the_best_two():
    # best 3.0 with 5 games, second 2.0 with 6, most games 20 at value 1.0, mean below it: the robust move is averaged.
    search = root_with([(5, 15, 0, 3.0, 1.0), (6, 12, 0, 2.0, 1.0), (20, 10, 0, 1.0, 1.0)])
    mean = 37 / 31
    expected = mix_of(search.rule, 31.0, mean, 3.0, 5.0, 1.0, 20.0)
    assert value_by(MIX, search.rule, search.tree, ROOT) == pytest.approx(expected)
    assert expected == pytest.approx(mean)  # the robust move is below the mean, the best above: the mean is kept


@pytest.mark.parametrize(
    ("games", "best", "other", "mean", "expected"),
    [
        (100, (5.0, 60.0), (4.0, 40.0), 3.0, "best"),  # the best move also has the most games
        (100, (5.0, 40.0), (4.0, 60.0), 3.0, "other"),  # the other has more, and is above the mean
        (100, (2.0, 40.0), (1.0, 60.0), 3.0, "best"),  # both below the mean
        (100, (5.0, 40.0), (2.0, 60.0), 3.0, "mean"),  # the best little searched, the other below the mean
        (100, (5.0, 40.0), (0.0, 0.0), 3.0, "value"),  # only one move has games
    ],
)
def test_every_branch_of_figure_1(games, best, other, mean, expected):
    rule = grown(2).rule
    weight = 2 * rule.points * max(1.0, games / (16 * rule.points))

    def averaged(value, count):
        return (count * value + weight * mean) / (count + weight)

    wanted = {"best": averaged(*best), "other": averaged(*other), "mean": mean, "value": best[0]}[expected]
    assert mix_of(rule, float(games), mean, *best, *other) == pytest.approx(wanted)


def test_the_weight_of_the_mean_grows_with_the_games():
    rule = grown(2).rule
    many = 1000 * rule.points
    assert mix_of(rule, many, 0.0, 9.0, many, 0.0, 1.0) == pytest.approx(9.0 * many / (many + many / 8))


def urgencies(values, variances, priors):
    """u_i as section 3.2 has it, for values from the mover's point of view."""
    count = len(values)
    order = sorted(range(count), key=lambda i: -values[i])
    best = order[0]
    weights = []
    for i in range(count):
        gauss = math.exp(-2.4 * (values[best] - values[i]) / math.sqrt(2 * (variances[best] + variances[i])))
        weights.append(gauss + (0.1 + 2.0 ** -order.index(i) + priors[i]) / count)
    return weights


@pytest.mark.parametrize("to_play", [0, 1])
def test_moves_are_drawn_by_the_formula(to_play):
    sign = 1 if to_play == 0 else -1
    children = [(9, 0, 0, sign * 0.5, 0.2), (9, 0, 0, sign * 1.5, 0.1), (9, 0, 0, sign * 1.2, 0.4), (0, 0, 0, 0.0, 0.0)]
    search = root_with(children, to_play)
    nodes = search.tree.nodes
    first = int(nodes[ROOT]["first_child"])
    nodes[first]["prior"] = 1.0
    scratch = search.scratches[0]
    scratch.path[0] = ROOT
    rule, count = search.rule, len(children)
    mean = 0.0
    values = [0.5, 1.5, 1.2, mean]
    weights = urgencies(values, [0.2, 0.1, 0.4, rule.doubt], [1.0, 0.0, 0.0, 0.0])
    draws = 20_000
    seen = [0] * count
    with np.errstate(over="ignore"):
        for _ in range(draws):
            seen[choose_by_chance(rule, search.tree, scratch, 0, search.options) - first] += 1
    for i in range(count):
        share = weights[i] / sum(weights)
        assert abs(seen[i] / draws - share) < 5 * math.sqrt(share * (1 - share) / draws)


@pytest.mark.parametrize("to_play", [0, 1])
def test_games_are_shared_out_in_proportion_to_the_formula(to_play):
    """A toy bandit whose values stay as they are: no move is ever a whole game short of its share."""
    sign = 1 if to_play == 0 else -1
    values, variances = [0.5, 1.5, 1.2, -3.0], [0.2, 0.1, 0.4, 0.1]
    search = root_with([(1, 0, 0, sign * v, s) for v, s in zip(values, variances, strict=True)], to_play, allocation="shares")
    nodes, scratch = search.tree.nodes, search.scratches[0]
    scratch.path[0] = ROOT
    first, count = int(nodes[ROOT]["first_child"]), len(values)
    nodes[first]["prior"] = 1.0
    weights = urgencies(values, variances, [1.0, 0.0, 0.0, 0.0])
    visits = nodes["visits"][first : first + count]
    before = scratch.rng.tobytes()
    for total in range(count + 1, 1000):
        nodes[choose_by_chance(search.rule, search.tree, scratch, 0, search.options)]["visits"] += 1
        if total > 100:
            assert all(visits[i] > total * weights[i] / sum(weights) - 1 for i in range(count)), (total, visits)
    assert visits.sum() == 999 and scratch.rng.tobytes() == before, "no chance in it"
    assert sorted(visits) == [visits[3], visits[0], visits[2], visits[1]] and visits[3] > 20, "in order, and none forgotten"


def test_shares_owed_try_every_move_before_one_is_tried_twice():
    """Without games all moves have the same value and the variance of the virtual game; only ranks and priors differ."""
    search = grown(25, allocation="shares", policy_below=0, mean_below=100, game="dotsandboxes:3x3")
    nodes = search.tree.nodes
    first, count = (int(nodes[ROOT][name]) for name in ("first_child", "child_count"))
    visits = nodes["visits"][first : first + count]
    assert count == 24 and (visits > 0).all()


def test_the_value_is_the_mean_below_its_own_limit():
    for limit, is_mean in ((61, True), (60, False)):
        search = grown(60, backup="max", policy_below=0, mean_below=limit)
        root = search.tree.nodes[ROOT]
        assert (float(search.tree.statistics[ROOT]["value"]) == pytest.approx(int(root["sum"]) / 60)) is is_mean


def test_the_virtual_game_of_go_is_twice_the_board_away():
    rule = TreeSearch(find_game("go:9"), settings=SEARCH.settings(GAUSSIAN)).rule
    assert isinstance(rule, Gaussian)
    assert rule.points == 81 and rule.doubt == (2 * 81 * 2) ** 2  # (2P)^2 with P in half points


def test_ranks_halve():
    rng = make_rng(3)
    with np.errstate(over="ignore"):
        ranks = [random_rank(rng, 3) for _ in range(7000)]
    assert set(ranks) == {0, 1, 2}
    assert [ranks.count(r) / 7000 for r in range(3)] == pytest.approx([4 / 7, 2 / 7, 1 / 7], abs=0.03)
    assert [of_rank(np.array([0.1, 3.0, 2.0, -math.inf]), 4, r) for r in range(3)] == [1, 2, 0]


@pytest.mark.parametrize(
    ("backup", "allocation"),
    [("mean", "draws"), ("max", "draws"), ("robust-max", "draws"), ("mix", "draws"), ("mix", "shares")],
)
def test_pure_and_compiled_grow_the_same_tree(backup, allocation):
    trees = [
        grown(300, "seki:3,4", backup=backup, allocation=allocation, pure=pure, solver=solver)
        for pure in (True, False)
        for solver in ("off", "bounds")
    ]
    assert trees[0].tree_hash() == trees[2].tree_hash()
    assert trees[1].tree_hash() == trees[3].tree_hash()


def test_a_saved_search_goes_on_exactly(tmp_path):
    whole = grown(120, backup="mix")
    half = grown(60, backup="mix")
    save_search(half, tmp_path / "half")
    loaded = load_search(tmp_path / "half", plain_search)
    loaded.pure = True
    loaded.run(Limits(playouts=60))
    assert loaded.tree_hash() == whole.tree_hash()


def test_moving_along_keeps_the_moments():
    search = grown(200, backup="mix")
    result = search.result()
    assert result.best_move is not None
    child = int(search.tree.nodes[ROOT]["first_child"])
    while search.tree.nodes[child]["move"] != result.best_move:
        child += 1
    before = search.tree.statistics[child].copy()
    search.advance(result.best_move)
    assert search.tree.statistics[ROOT] == before


def test_the_solver_still_proves_with_gaussian_selection():
    settings = [SEARCH.settings({**values, "memory": 4.0}) for values in ({}, {**GAUSSIAN, "solver": "bounds"})]
    results = [TreeSearch(find_game("seki:2,2"), settings=s, seed=1).run(Limits(playouts=1_000_000)) for s in settings]
    assert all(result.proven for result in results) and results[0].lower == results[1].lower == results[1].upper


def test_a_child_with_no_game_back_has_the_mean_of_its_parent():
    """In threads: a visit is counted when it begins, and until its game is back there is nothing that it is worth."""
    played = (10, -200, 5000, -20.0, 2.0)
    under_way = (1, 0, 0, 0.0, NO_GAME_BACK)
    search = root_with([played, under_way], backup="max", policy_below=0, mean_below=0)
    assert value_by(MAX, search.rule, search.tree, ROOT) == -20.0
    search.tree.nodes[ROOT]["visits"], search.tree.nodes[ROOT]["sum"] = 10, -200
    first = int(search.tree.nodes[ROOT]["first_child"])
    search.scratches[0].path[0] = ROOT
    choose_by_chance(search.rule, search.tree, search.scratches[0], 0, search.options)
    begun = search.scratches[0].weights[:2].copy()
    search.tree.nodes[first + 1]["visits"] = 0
    choose_by_chance(search.rule, search.tree, search.scratches[0], 0, search.options)
    assert begun.tolist() == search.scratches[0].weights[:2].tolist()
    assert begun[0] > 0.5, "not far behind a value of 0"


def test_new_nodes_have_no_game_back():
    search = grown(1)
    first, count = (int(search.tree.nodes[ROOT][name]) for name in ("first_child", "child_count"))
    marks = search.tree.statistics["variance"][first : first + count]
    visits = search.tree.nodes["visits"][first : first + count]
    assert count > 1 and ((marks == NO_GAME_BACK) == (visits == 0)).all()


def test_two_threads_count_every_game():
    search = grown(4000, "seki:3,4", pure=False, threads=2, backup="mix")
    assert search.tree.nodes[ROOT]["visits"] == 4000


def test_what_does_not_go_together_is_refused():
    with pytest.raises(UserError, match="backup has no effect here: it goes with selection=gaussian; there are: selection"):
        SEARCH.settings({"backup": "mix"})
    with pytest.raises(UserError, match="rave_bias has no effect here: it goes with selection=rave"):
        SEARCH.settings({"selection": "gaussian", "rave_bias": 0.1})
    with pytest.raises(UserError, match="Gaussian compares scores: it needs reward=outcome"):
        TreeSearch(find_game("tictactoe"), settings=SEARCH.settings({"selection": "gaussian", "reward": "win"}))

"""The mathematics of tuning: the fit, CLOP's weights and samples, the estimate, on functions with a known optimum."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tesuji.lab.tune import clop, regression, synthetic
from tesuji.lab.tune.estimate import chi_square_95, effects_of, optimum_interval
from tesuji.lab.tune.methods import METHODS, make_method, refit_size
from tesuji.lab.tune.outlook import outlook, outlook_lines
from tesuji.lab.tune.regression import Samples, fit, sigmoid, terms


def grid(side: int, dimensions: int) -> np.ndarray:
    axes = np.meshgrid(*[np.linspace(-1.0, 1.0, side)] * dimensions)
    return np.stack([axis.ravel() for axis in axes], axis=1)


# -- the fit -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_the_fit_finds_the_coefficients_of_a_quadratic(dimensions):
    points = grid(7, dimensions)
    design = terms(points)
    assert design.shape[1] == regression.count_of_terms(dimensions)
    truth = np.random.default_rng(3).normal(size=design.shape[1])
    games = np.full(len(points), 1e6)
    samples = Samples(points, games, games * sigmoid(design @ truth))
    found = fit(design, samples, np.ones(len(points)))
    assert np.allclose(found.coefficients, truth, atol=1e-3)


def test_terms_with_a_parameter_are_its_own():
    points = np.random.default_rng(1).uniform(-1, 1, (50, 3))
    for parameter in range(3):
        changed = points.copy()
        changed[:, parameter] += 0.5
        differ = np.flatnonzero(np.abs(terms(changed) - terms(points)).max(axis=0) > 1e-12)
        assert differ.tolist() == sorted(regression.terms_with(parameter, 3))


def test_a_draw_is_half_a_win_and_half_a_loss():
    points = np.array([[-1.0], [0.0], [1.0], [0.5]])
    design = terms(points)
    drawn = Samples(points, np.full(4, 2.0), np.array([1.0, 1.0, 1.0, 0.5]))  # two draws each, and a draw and a loss
    split_points = np.repeat(points, 2, axis=0)
    split = Samples(split_points, np.ones(8), np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.5, 0.0]))
    assert np.allclose(
        fit(design, drawn, np.ones(4)).coefficients, fit(terms(split_points), split, np.ones(8)).coefficients, atol=1e-5
    )


def test_without_a_loss_the_prior_keeps_the_fit_finite():
    points = grid(5, 2)
    samples = Samples(points, np.full(25, 2.0), np.full(25, 2.0))
    found = fit(terms(points), samples, np.ones(25))
    assert np.isfinite(found.coefficients).all() and np.abs(found.coefficients).max() < 10 * regression.CONSTANT_DEVIATION


def test_without_games_a_hill_is_expected():
    nothing = Samples(np.zeros((1, 2)), np.zeros(1), np.zeros(1))
    found = fit(terms(nothing.points), nothing, np.ones(1), expected=regression.hill_prior(2))
    assert np.allclose(found.coefficients, [0.0, 0.0, 0.0, -1.0, 0.0, -1.0])
    assert np.allclose(fit(terms(nothing.points), nothing, np.ones(1)).coefficients, 0.0)


@pytest.mark.parametrize("product", [0.0, -2.0])
def test_products_are_fitted_where_there_are_any(product):
    """The variance that is expected of them is learned: parameters that are independent are fitted as if without products."""
    rng = np.random.default_rng(4)
    points = rng.uniform(-1, 1, (400, 4))
    chance = sigmoid(-((points - 0.2) ** 2).sum(axis=1) + product * points[:, 0] * (points[:, 1] + points[:, 2]))
    samples = Samples(points, np.full(400, 2.0), rng.binomial(2, chance).astype(float))
    design, weights, expected = terms(points), np.ones(400), regression.hill_prior(4)
    first = fit(design, samples, weights, expected=expected)
    learned = regression.with_variance_of_products(first, expected, 4)
    products = learned.precisions != expected.precisions
    assert products.sum() == 6 and (learned.means == expected.means).all()
    deviation = learned.precisions[products].max() ** -0.5
    assert deviation < 0.6 if product == 0.0 else 0.7 < deviation < 2.5
    found = fit(design, samples, weights, first.coefficients, learned)
    truth = np.array([product, product, 0.0, 0.0, 0.0, 0.0])
    assert np.abs(found.coefficients[products] - truth).max() < (0.35 if product == 0.0 else 0.9)


def test_quantiles_of_chi_square():
    for freedom, known in ((2, 5.991), (3, 7.815), (6, 12.592), (13, 22.362)):
        assert chi_square_95(freedom) == pytest.approx(known, rel=0.02)


# -- CLOP ----------------------------------------------------------------------------------------------------------------
def test_weights_are_the_smallest_that_a_fit_gives():
    _, results = synthetic.simulate(synthetic.LOG, "clop", 150, seed=2)
    found = clop.localize(results)
    assert len(found.means) >= 1 and found.weights.max() == 1.0 and found.weights.min() < 0.1
    by_hand = np.ones(len(found.design))
    for coefficients, mean, deviation in zip(found.coefficients, found.means, found.deviations, strict=True):
        by_hand = np.minimum(by_hand, np.exp((found.design @ coefficients - mean) / (3.0 * deviation)))
    assert np.allclose(found.weights, by_hand)
    assert np.allclose(np.exp(found.log_weight(found.design)), found.weights)
    assert np.allclose(found.mean, (found.weights**4 @ results.points) / (found.weights**4).sum())


def test_samples_come_from_the_density_of_the_weights():
    _, results = synthetic.simulate(synthetic.LOG, "clop", 150, seed=2)
    found = clop.localize(results)
    places = np.linspace(-1.0, 1.0, 2001)[:, None]
    density = np.exp(4.0 * found.log_weight(terms(places)))
    shares = np.add.reduceat(density, range(0, 2000, 250)) / density.sum()
    point, drawn = np.zeros(1), []
    for number in range(2000):
        point = clop.draw(found, point, np.random.default_rng([7, number]), 1)
        drawn.append(point[0])
    counts = np.histogram(drawn, bins=np.linspace(-1.0, 1.0, 9))[0] / len(drawn)
    assert np.abs(counts - shares[:8]).max() < 0.04


def test_a_parameter_without_effect_is_told_from_one_with():
    rng = np.random.default_rng(5)
    points = rng.uniform(-1, 1, (400, 2))
    chance = sigmoid(1.0 - 3.0 * (points[:, 0] - 0.3) ** 2)
    found = clop.localize(Samples(points, np.full(400, 2.0), rng.binomial(2, chance).astype(float)))
    assert effects_of(found) == [True, False]
    low, high = optimum_interval(found)
    assert low[0] < 0.3 < high[0] and high[0] - low[0] < 1.3 < high[1] - low[1]


# -- methods -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", METHODS)
def test_a_sample_depends_on_the_first_results_alone(method):
    window = 5
    chosen, results = synthetic.simulate(synthetic.VALLEY, method, 60, seed=9, window=window)
    assert np.abs(results.points).max() <= 1.0 and len(np.unique(results.points[:, 0])) > 30
    for number in (0, 1, 23, 59):
        known = results.first(max(0, number - window + 1))
        before = results.points[number - 1] if number else None
        again = make_method(method, 2, 9).sample(number, before, known)
        assert (again == results.points[number]).all()
    other = synthetic.simulate(synthetic.VALLEY, method, 60, seed=10, window=window)[1]
    assert (other.points != results.points).any()
    assert (chosen.estimate(results) == make_method(method, 2, 9).estimate(results)).all()


def test_fits_are_made_anew_as_samples_grow():
    sizes = sorted({refit_size(count) for count in range(2000)})
    assert sizes[:21] == list(range(21)) and all(b - a <= 1 + a // 20 for a, b in pairwise(sizes))


@pytest.mark.parametrize("problem", synthetic.PROBLEMS, ids=lambda problem: problem.name)
def test_optima_of_the_functions(problem):
    rng = np.random.default_rng(0)
    near = np.array(problem.optimum) + rng.normal(scale=0.02, size=(500, problem.dimensions))
    far = rng.uniform(-1, 1, (500, problem.dimensions))
    best = problem.expected(np.array([problem.optimum]))[0]
    assert best >= problem.expected(np.vstack([near, far])).max()
    played = np.mean([problem.play(np.array(problem.optimum), 2, np.random.default_rng(n)) for n in range(2000)]) / 2
    assert played == pytest.approx(best, abs=0.04)


def test_five_parameters_that_are_independent():
    """Here the algorithm as published is slower than SPSA with steps of the right length."""
    regrets = {}
    for name in ("clop", "spsa", "uniform"):
        found = [synthetic.simulate(synthetic.LOG_5, name, 250, seed, window=8) for seed in range(6)]
        regrets[name] = np.mean([synthetic.LOG_5.regret(method.estimate(results)) for method, results in found])
    assert regrets["clop"] < 1.15 * regrets["spsa"] and regrets["clop"] < 0.75 * regrets["uniform"]


@pytest.mark.parametrize("problem", [synthetic.LOG_DRAWS, synthetic.VALLEY], ids=lambda problem: problem.name)
def test_regret_falls_with_games_and_below_that_of_uniform_samples(problem):
    regrets = {name: np.zeros(2) for name in ("clop", "uniform")}
    runs, counts = 6, (40, 300)
    for name, found in regrets.items():
        for seed in range(runs):
            method, results = synthetic.simulate(problem, name, counts[-1], seed, window=8)
            found += [problem.regret(method.estimate(results.first(count))) / runs for count in counts]
    assert regrets["clop"][1] < 0.6 * regrets["clop"][0]
    assert regrets["clop"][1] < regrets["uniform"][1]


def test_spsa_climbs():
    found = []
    for seed in range(4):
        method, results = synthetic.simulate(synthetic.LOG, "spsa", 300, seed)
        found.append(synthetic.LOG.regret(method.estimate(results)))
    assert np.mean(found) < 0.5 * synthetic.LOG.regret(np.zeros(1))


# -- what to expect ------------------------------------------------------------------------------------------------------
def test_the_outlook_halves_with_four_times_the_games():
    few, many = outlook(2, 500, 100), outlook(2, 2000, 400)
    assert few["terms"] == 6 and few["fewest"] == 120
    for name in ("score_within", "smallest_effect", "validation_within"):
        assert many[name] == pytest.approx(few[name] / 2)
    assert "few, 120 or more" in outlook_lines(outlook(2, 60, 0))[0] and "no validation" in outlook_lines(outlook(2, 60, 0))[-1]

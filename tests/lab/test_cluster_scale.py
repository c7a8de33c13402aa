"""The simulation behind docs/experiments/cluster.md: its figures follow from its inputs, and it says what breaks first."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "cluster_scale.py"


@pytest.fixture(scope="module")
def scale():
    spec = spec_from_file_location("cluster_scale", PATH)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["cluster_scale"] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def test_with_little_to_do_for_the_driver_games_grow_with_processors(scale):
    few, many = scale.simulate(16, 10.0), scale.simulate(128, 10.0)
    assert few.efficiency > 0.9 and many.efficiency > 0.9
    assert 6.0 < many.games_a_second / few.games_a_second < 10.0
    assert many.driver < 0.2


def test_the_driver_is_what_breaks_first(scale):
    slow = replace(scale.MEASURED, task=0.1)  # ten tasks a second
    found = scale.simulate(128, 1.0, slow)
    assert found.driver > 0.95 and found.efficiency < 0.25
    assert found.games_a_second <= 2 / slow.task * 1.05, "two games a task"


def test_a_transaction_a_game_costs_what_it_costs(scale):
    slow = replace(scale.MEASURED, transaction=0.02)
    single, together = (scale.simulate(128, 1.0, slow, together=way) for way in (False, True))
    assert single.games_a_second <= 1.05 / slow.transaction < together.games_a_second


def test_machines_that_are_lost_cost_their_share(scale):
    steady, shaky = scale.simulate(256, 10.0), scale.simulate(256, 10.0, life=300.0)
    assert shaky.lost > 0 == steady.lost
    assert 0.3 * steady.games_a_second < shaky.games_a_second < steady.games_a_second

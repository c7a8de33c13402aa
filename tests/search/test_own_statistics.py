"""A rule's own record of every node: whatever its fields are called, nobody else writes or reads it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from tesuji.core.dispatch import implements
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.kernel.scale import make_scale
from tesuji.search.kernel.tree import USED, halve
from tesuji.search.selection.interface import Statistics, begin_statistics, selection_rule, worth
from tesuji.search.selection.rave import RAVE, RAVE_ALONE, expected_sum

LIKE_RAVE = np.dtype([*((name, RAVE_ALONE.record[name]) for name in RAVE_ALONE.record.names or ()), ("value", np.float64)])


@selection_rule(statistics=Statistics(RAVE_ALONE.record))
class SameFields(NamedTuple):
    """Keeps a record that is RAVE's to the letter, for another purpose."""


@selection_rule(statistics=Statistics(LIKE_RAVE))
class MoreFields(NamedTuple):
    """One with a field that answers might take for the value of a node."""


@implements(worth, SameFields)
@implements(worth, MoreFields)
def fewest_visits(rule, child, parent):
    return -child.visits - 100.0 * child.rave_visits


@implements(begin_statistics, SameFields)
def begin(rule, record):
    record["sum"] = 7
    record["visits"] = 7


@implements(begin_statistics, MoreFields)
def begin_all(rule, record):
    record["sum"] = 7
    record["visits"] = 7
    record["value"] = 7.0


@pytest.mark.parametrize("rule", [SameFields, MoreFields])
def test_a_record_belongs_to_its_rule_alone(rule):
    settings = SEARCH.settings({"memory": 0.05, "solver": "off"})
    search = TreeSearch(find_game("tictactoe"), settings=settings, rule=rule, pure=True)
    result = search.run(Limits(playouts=2000))
    assert search.was_full  # nodes have been moved, and their places used again
    used = int(search.tree.counters[USED])
    halve(search.rule, search.tree.nodes, search.tree.statistics, used)
    for name in search.tree.statistics.dtype.names or ():
        assert (search.tree.statistics[name][:used] == 7).all()
    assert all(report.rave is None for report in result.moves)
    assert all(-1.0 <= report.value <= 1.0 for report in result.moves)


def test_what_a_policy_expects_of_large_outcomes_is_summed_in_64_bits():
    most = 1_000_000_000
    wide = make_scale(find_game("tictactoe"))._replace(least=0, most=most)
    record = np.zeros(1, RAVE.record)[0]
    record["own_sum"] = expected_sum(np.int64(40), 0.5, True, wide)
    assert int(record["own_sum"]) == 20 * most

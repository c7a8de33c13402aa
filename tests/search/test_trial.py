"""Classes of someone's own that lack a part are refused when a player is made of them, in one line that names the part."""

from typing import NamedTuple

import numpy as np
import pytest

from tesuji.core.dispatch import implements
from tesuji.core.errors import UserError
from tesuji.search.engine.trial import check_policy, check_rule
from tesuji.search.policy import playout_move, rate_moves, study, uniform_move
from tesuji.search.selection.interface import Statistics, selection_rule, worth


def test_ratings_say_what_they_hold():
    class Rates(NamedTuple):
        """Rates moves, but does not say what its ratings hold."""

    implements(playout_move, Rates)(uniform_move)
    implements(rate_moves, Rates)(lambda policy, state, moves, count, ratings: None)
    with pytest.raises(UserError, match="GIVES must name what ratings hold"):
        check_policy(Rates)


def test_a_study_needs_its_number_of_visits():
    class Studies(NamedTuple):
        """Would never be asked."""

    implements(playout_move, Studies)(uniform_move)
    implements(study, Studies)(lambda policy, state, moves, count, kept: (0, 0, False))
    with pytest.raises(UserError, match="both study and study_at"):
        check_policy(Studies)


def test_records_of_a_rule_are_begun():
    @selection_rule(statistics=Statistics(np.dtype([("number_that_nobody_begins", np.int64)])))
    class Keeps(NamedTuple):
        """Keeps a number of each node that nobody begins."""

    implements(worth, Keeps)(lambda rule, child, parent: 0.0)
    with pytest.raises(UserError, match="nothing implements begin_statistics for Keeps"):
        check_rule(Keeps)

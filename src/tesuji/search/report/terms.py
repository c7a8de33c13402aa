"""The summands of a selection formula by name, so that people can see why a child was chosen. Plain Python, never compiled.

A rule of someone's own has one term, its worth, unless it implements `terms` too.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import implements, operation_with_default
from tesuji.search.selection.interface import BoundBias, ExpectedValue, ProgressiveBias, Uct, bias_by_bounds, inverses, worth
from tesuji.search.selection.proof_selection import PnMcts, PnProgressiveBias
from tesuji.search.selection.rave import (
    Rave,
    RaveAndPrior,
    RaveBoundBias,
    RaveExplorationInside,
    RaveExplorationOutside,
    RaveProgressiveBias,
    own_mean,
    rave_weight,
    share_of_rave,
    weights_of_knowledge,
)

GAMES, FIRST_PLAY, EXPLORATION, RAVE, PRIOR, BOUNDS = "mean", "first play", "exploration", "RAVE", "prior", "bounds"
NUMBERS = "proof numbers"


@operation_with_default
def terms(rule, child, parent):
    """The summands of `worth`, each with its name, in the order of the rule's formula."""
    return [("worth", worth(rule, child, parent))]


def _own(rule, child, weight):
    """What a move's own games say, or what stands for them."""
    return GAMES if child.visits > 0.0 else FIRST_PLAY, weight * own_mean(rule, child)


def _with_rave(rule, child, parent, weight):
    own, rave = _own(rule, child, 1.0 - weight), (RAVE, weight * child.rave_mean)
    return [own, rave, (EXPLORATION, _exploration(rule, child, parent))]


def _exploration(rule, child, parent):
    return rule.exploration * parent.root_of_log * child.inverse_root


@implements(terms, Uct)
def uct_terms(rule, child, parent):
    """A move never tried is worth `first_play` alone."""
    if child.visits > 0.0:
        return [(GAMES, child.mean), (EXPLORATION, _exploration(rule, child, parent))]
    return [(FIRST_PLAY, rule.first_play)]


@implements(terms, ProgressiveBias)
def progressive_bias_terms(rule, child, parent):
    return [*uct_terms(rule, child, parent), (PRIOR, rule.prior_weight * child.prior / (child.visits + 1.0))]


@implements(terms, ExpectedValue)
def expected_value_terms(rule, child, parent):
    inverse, inverse_root = inverses(np.int64(child.visits) + rule.expected_games)
    return [
        (GAMES, child.visits * child.mean * inverse),
        (PRIOR, rule.expected_games * child.prior * inverse),
        (EXPLORATION, rule.exploration * parent.root_of_log * inverse_root),
    ]


@implements(terms, BoundBias)
def bound_bias_terms(rule, child, parent):
    return [*uct_terms(rule, child, parent), (BOUNDS, bias_by_bounds(rule, child, parent))]


@implements(terms, PnMcts)
def pn_mcts_terms(rule, child, parent):
    return [*uct_terms(rule, child, parent), (NUMBERS, rule.rank_weight * child.bonus)]


@implements(terms, PnProgressiveBias)
def pn_progressive_bias_terms(rule, child, parent):
    return [*progressive_bias_terms(rule, child, parent), (NUMBERS, rule.rank_weight * child.bonus)]


@implements(terms, Rave)
def rave_terms(rule, child, parent):
    return _with_rave(rule, child, parent, share_of_rave(rule.rave_bias, child))


@implements(terms, RaveBoundBias)
def rave_bound_bias_terms(rule, child, parent):
    return [*rave_terms(rule, child, parent), (BOUNDS, bias_by_bounds(rule, child, parent))]


@implements(terms, RaveAndPrior)
def rave_and_prior_terms(rule, child, parent):
    by_games, by_rave, by_prior = weights_of_knowledge(rule, child, parent)
    return [_own(rule, child, by_games), (RAVE, by_rave * child.rave_mean), (PRIOR, by_prior * child.prior)]


@implements(terms, RaveExplorationOutside)
def outside_terms(rule, child, parent):
    return _with_rave(rule, child, parent, rave_weight(rule, child, parent))


@implements(terms, RaveExplorationInside)
def inside_terms(rule, child, parent):
    weight = rave_weight(rule, child, parent)
    own = [(name, (1.0 - weight) * value) for name, value in uct_terms(rule, child, parent)]
    return [*own, (RAVE, weight * child.rave_mean)]


@implements(terms, RaveProgressiveBias)
def rave_progressive_bias_terms(rule, child, parent):
    _, inverse_root = inverses(np.int64(child.visits) + 1)
    return [*inside_terms(rule, child, parent), (PRIOR, rule.prior_weight * child.prior * inverse_root)]

"""UCT, UCT with one term more (a prior, games that the policy expects, or proven bounds), and PUCT."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.parameters import Parameter
from tesuji.search.policy import PRIOR
from tesuji.search.selection.choose_child import inverses
from tesuji.search.selection.interface import selection_rule, tries_in_order, worth

EXPLORATION = Parameter(
    "exploration", 0.3, "UCT constant C of mean + C sqrt(ln N / n), on values in [0, 1]", 0.0, 1e6, tuning="0.03..1:log"
)
FIRST_PLAY = Parameter("first_play", 1e6, "value of an untried move; high = try every move first", -1e6, 1e6, tuning="0.2..1.2")


@selection_rule(parameters=(EXPLORATION, FIRST_PLAY))
class Uct(NamedTuple):
    """mean + C sqrt(ln N / n); a move never tried is worth `first_play`."""

    exploration: float
    first_play: float


@implements(worth, Uct)
@kernel
def upper_confidence(rule, child, parent):
    value = child.mean + rule.exploration * parent.root_of_log * child.inverse_root
    return value if child.visits > 0.0 else rule.first_play


# -- a prior ---------------------------------------------------------------------------------------------------------------
PRIOR_WEIGHT = Parameter(
    "prior_weight",
    10.0,
    "weight W of the policy's prior P of a move: W P / (n + 1)",
    0.0,
    1e6,
    needs=PRIOR,
    tuning="1..100:log",
)


@selection_rule(parameters=(EXPLORATION, FIRST_PLAY, PRIOR_WEIGHT), uses=(PRIOR,))
class ProgressiveBias(NamedTuple):
    """UCT + W P / (n + 1), P the policy's prior of the move (Winands, Bjornsson and Saito 2008, section 3.1)."""

    exploration: float
    first_play: float
    prior_weight: float


@implements(worth, ProgressiveBias)
@kernel
def biased_confidence(rule, child, parent):
    return upper_confidence(rule, child, parent) + rule.prior_weight * child.prior / (child.visits + 1.0)


# -- exploration in proportion to a prior --------------------------------------------------------------------------------------
@selection_rule(
    parameters=(
        Parameter(
            "exploration",
            1.0,
            "constant C of mean + C P sqrt(N) / (1 + n), on values in [0, 1]",
            0.0,
            1e6,
            needs=PRIOR,
            tuning="0.2..5:log",
        ),
        Parameter("first_play", 0.5, "mean of an untried move", -1e6, 1e6, tuning="0..1"),
    ),
    uses=(PRIOR,),
    needs=(PRIOR,),  # without priors nothing would be explored
)
class Puct(NamedTuple):
    """mean + C P sqrt(N) / (1 + n), P the policy's prior of the move (Silver et al. 2017, "Mastering the game of Go without
    human knowledge"; after Rosin 2011); the mean of a move never tried is `first_play`.

    N are the games of the parent, those before it had children included. P is meant as a share of all moves.
    """

    exploration: float
    first_play: float


@implements(worth, Puct)
def puct(rule, child, parent):
    mean = child.mean if child.visits > 0.0 else rule.first_play
    return mean + rule.exploration * child.prior * math.sqrt(parent.visits) / (1.0 + child.visits)


@implements(tries_in_order, Puct)
def highest_prior_first(rule):
    return True


# -- games that the policy expects -----------------------------------------------------------------------------------------
EXPECTED_GAMES = Parameter(
    "expected_games",
    5,
    "G: games that the policy's prior of a move counts for, as if the move had won that share of them",
    1,
    1 << 20,
    needs=PRIOR,
    tuning="1..30:log",
)


@selection_rule(
    parameters=(EXPLORATION, EXPECTED_GAMES),
    needs=(PRIOR,),  # without priors every move would begin with lost games
)
class ExpectedValue(NamedTuple):
    """UCT in which the policy's prior P of a move counts as G games of that mean.

    It makes sense with priors that are chances of winning, not with those that are shares of all moves.

    (n mean + G P) / (n + G) + C sqrt(ln N / (n + G))
    """

    exploration: float
    expected_games: int


@implements(worth, ExpectedValue)
def mean_with_expected_games(rule, child, parent):
    inverse, inverse_root = inverses(np.int64(child.visits) + rule.expected_games)
    mean = (child.visits * child.mean + rule.expected_games * child.prior) * inverse
    return mean + rule.exploration * parent.root_of_log * inverse_root


@implements(tries_in_order, ExpectedValue)
def best_expectation_first(rule):
    return True


# -- proven bounds ---------------------------------------------------------------------------------------------------------
BOUND_BIAS = (
    Parameter("pess_bias", 0.0, "gamma: weight of a move's pessimistic bound in its value", -1e9, 1e9, tuning="-0.5..0.5"),
    Parameter("opti_bias", -0.1, "delta: weight of a move's optimistic bound in its value", -1e9, 1e9, tuning="-0.5..0.5"),
    Parameter("bias_decay", 0.0, "k: both weights times k / (k + n); 0 = constant", 0.0, 1e9),
)
BOUND_TERMS = {"pess_bias": "bounds", "opti_bias": "bounds"}


@selection_rule(parameters=(EXPLORATION, FIRST_PLAY, *BOUND_BIAS), term_names=BOUND_TERMS)
class BoundBias(NamedTuple):
    """UCT + k / (k + n) (gamma pess + delta opti) at a Max node, - k / (k + n) (gamma opti + delta pess) at a Min node.

    Cazenave and Saffidine 2010, section 3.4, the bounds scaled to [0, 1]; k = 0 leaves its factor out.
    """

    exploration: float
    first_play: float
    pess_bias: float
    opti_bias: float
    bias_decay: float


@implements(worth, BoundBias)
def bound_bias(rule, child, parent):
    return upper_confidence(rule, child, parent) + bias_by_bounds(rule, child, parent)


@kernel
def bias_by_bounds(rule, child, parent):
    bias = rule.pess_bias * child.lower + rule.opti_bias * child.upper
    if not parent.maximises:
        bias -= rule.pess_bias + rule.opti_bias
    if rule.bias_decay > 0.0:
        bias *= rule.bias_decay / (rule.bias_decay + child.visits)
    return bias


RULES = {
    "uct": Uct,
    "progressive-bias": ProgressiveBias,
    "puct": Puct,
    "expected-value": ExpectedValue,
    "bound-bias": BoundBias,
}

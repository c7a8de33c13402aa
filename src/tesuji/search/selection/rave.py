"""RAVE (all moves as first): a move played later in a game says something about playing it now.

A rule whose EXTRA is `RAVE` or `RAVE_ALONE` has it: its children then come with `rave_visits` and `rave_mean`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel, operation_with_default
from tesuji.core.game import Game
from tesuji.core.numba.atomics import load
from tesuji.core.parameters import Parameter, filled
from tesuji.core.rules import FIRST
from tesuji.search.kernel.tree import begin_extra
from tesuji.search.policy import PRIOR, VALUE
from tesuji.search.selection.interface import (
    BIAS_DECAY,
    FIRST_PLAY,
    OPTI_BIAS,
    PESS_BIAS,
    bias_by_bounds,
    credit_game,
    inverses,
    keeps_moves,
    own_expectation_of,
    rave_of,
    take_rating,
    upper_confidence,
    worth,
)

RAVE = np.dtype(
    [
        ("sum", np.int64),  # scores of the games in which the move came now or later, and of those that the policy expects
        ("visits", np.int64),  # how many; NOT_KEPT = none ever
        ("own_sum", np.int32),  # what the policy expects that counts as games of the move itself
        ("own_games", np.int32),
    ]
)
NOT_KEPT = -1  # visits of a move of which RAVE can say nothing (RATING's rave)
# The same without expectations that count as games of the move itself: less memory to look through.
RAVE_ALONE = np.dtype([("sum", np.int64), ("visits", np.int64)])
RAVE_BIAS = Parameter("rave_bias", 1.0 / 3000.0, "c of the RAVE weight m / (n + m + c n m)", 0.0, 1e6, tuning="1e-5..0.1:log")
RAVE_FIRST = Parameter("rave_first", True, "a move counts for a player only in games in which the other did not make it before")
LOG_TABLE = 4096
INVERSE_LOG = np.array([1.0 / math.log(2.0 + n) for n in range(LOG_TABLE)])


class Rave(NamedTuple):
    """(1 - b) mean + b rave + C sqrt(ln N / n), b = m / (n + m + c n m) with m the games of RAVE.

    A move never tried takes `first_play` for its mean, and 1 for its n in the last term: something is known of it, so that
    it is not put behind.
    """

    exploration: float
    first_play: float
    rave_bias: float
    rave_first: bool

    PARAMETERS = (
        Parameter("exploration", 0.1, "UCT constant C of C sqrt(ln N / n), on values in [0, 1]", 0.0, 1e6, tuning="0..0.6"),
        FIRST_PLAY,
        RAVE_BIAS,
        RAVE_FIRST,
    )
    USES = (VALUE,)
    EXTRA = RAVE_ALONE


@implements(worth, Rave)
def rave(rule, child, parent):
    return confidence_with_rave(rule, child, parent)


@kernel
def confidence_with_rave(rule, child, parent):
    weight = share_of_rave(rule.rave_bias, child)
    mean = (1.0 - weight) * own_mean(rule, child) + weight * child.rave_mean
    return mean + rule.exploration * parent.root_of_log * child.inverse_root


@kernel
def share_of_rave(bias, child):
    """b = m / (n + m + c n m): 1 for a move that RAVE alone knows, small once it has many games of its own."""
    games, rave_games = child.visits, child.rave_visits
    return rave_games / (games + rave_games + bias * games * rave_games) if rave_games > 0.0 else 0.0


@kernel
def own_mean(rule, child):
    return child.mean if child.visits > 0.0 else rule.first_play


class RaveBoundBias(NamedTuple):
    """RAVE with the bias by bounds (`BoundBias`): the seki problems of Cazenave and Saffidine 2010."""

    exploration: float
    first_play: float
    rave_bias: float
    rave_first: bool
    pess_bias: float
    opti_bias: float
    bias_decay: float

    PARAMETERS = (*Rave.PARAMETERS, PESS_BIAS, OPTI_BIAS, BIAS_DECAY)
    USES = (VALUE,)
    EXTRA = RAVE_ALONE


@implements(worth, RaveBoundBias)
def rave_bound_bias(rule, child, parent):
    return confidence_with_rave(rule, child, parent) + bias_by_bounds(rule, child, parent)


class RaveAndPrior(NamedTuple):
    """a mean + b rave + (g + C / ln(2 + n)) H, H the policy's prior of the move: Chaslot et al. 2009, equations 1 to 4.

    b = m / (n + m + c n m) with m the games of RAVE, g = c' / m, 1 at most, a = 1 - b - g. So a new move is chosen by H, then
    by RAVE, then by its own games; what C weighs stays longest. The root has constants of its own. There is no other
    exploration. In C / ln(2 + n), n are the games played; elsewhere also those that the policy expects.

    The weights sum to 1, so g H stands in place of g times a value near one half. Where H is a share of all moves, it holds
    most of them back until RAVE knows them. For few games of RAVE, a is negative.
    """

    first_play: float
    rave_bias: float
    rave_first: bool
    prior_share: float
    prior_bonus: float
    root_rave_bias: float
    root_prior_share: float
    root_prior_bonus: float

    PARAMETERS = (
        FIRST_PLAY,
        RAVE_BIAS,
        RAVE_FIRST,
        Parameter(
            "prior_share",
            3.0,
            "c' of the weight c' / m of the prior H, m the games of RAVE",
            0.0,
            1e6,
            needs=PRIOR,
            tuning="0.3..30:log",
        ),
        Parameter("prior_bonus", 0.05, "C of the bonus C H / ln(2 + n)", 0.0, 1e6, needs=PRIOR, tuning="0..0.3"),
        Parameter("root_rave_bias", -1.0, "rave_bias at the root; below 0 = the same as elsewhere", -1.0, 1e6),
        Parameter("root_prior_share", -1.0, "prior_share at the root; below 0 = the same", -1.0, 1e6, needs=PRIOR),
        Parameter("root_prior_bonus", -1.0, "prior_bonus at the root; below 0 = the same", -1.0, 1e6, needs=PRIOR),
    )
    USES = (PRIOR, VALUE)
    NEEDS = (PRIOR,)  # without priors a new move would be worth 0 until RAVE has seen it
    EXTRA = RAVE

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> RaveAndPrior:
        given = dict(settings)
        for name in ("rave_bias", "prior_share", "prior_bonus"):
            if given[f"root_{name}"] < 0.0:
                given[f"root_{name}"] = given[name]
        return filled(cls, given)


@implements(worth, RaveAndPrior)
def rave_and_prior(rule, child, parent):
    by_games, by_rave, by_prior = weights_of_knowledge(rule, child, parent)
    return by_games * own_mean(rule, child) + by_rave * child.rave_mean + by_prior * child.prior  # equation 1


@kernel
def weights_of_knowledge(rule, child, parent):
    """What the move's own games, RAVE and H weigh."""
    is_root = parent.depth == 0
    bias = rule.root_rave_bias if is_root else rule.rave_bias
    share = rule.root_prior_share if is_root else rule.prior_share
    bonus = rule.root_prior_bonus if is_root else rule.prior_bonus
    by_rave = share_of_rave(bias, child)  # equation 2
    by_prior = min(1.0, share / max(child.rave_visits, 1.0))  # equation 3
    if child.rave_visits < 0.0:  # H stands in for RAVE, so it would never give way to the move's own games
        by_prior = 0.0
    by_games = 1.0 - by_rave - by_prior  # equation 4
    return by_games, by_rave, by_prior + bonus * inverse_log(child.played)


@kernel
def inverse_log(games):
    """1 / ln(2 + n), from a table for most: the logarithm takes as long as the rest of the formula."""
    row = np.uint64(games)
    return INVERSE_LOG[row] if row < np.uint64(LOG_TABLE) else 1.0 / math.log(2.0 + games)


# -- a weight between an initial and a final one -------------------------------------------------------------------------------
WEIGHING = (
    Parameter(
        "rave_initial",
        1.0,
        "wi of the RAVE weight w = r / (n (1 / wi + r / wf) + r), r the games of RAVE",
        1e-9,
        1e9,
        tuning="0.3..30:log",
    ),
    Parameter("rave_final", 20000.0, "wf of that weight", 1e-9, 1e9, tuning="50..50000:log"),
    Parameter(
        "rave_skip",
        0,
        "k: RAVE has no weight at every k-th visit of a node; 0 = it always has",
        0,
        1 << 30,
        tuning="5..100:log",
    ),
)
OUTSIDE = Parameter("exploration", 0.0, "constant C of C sqrt(ln N / n), on values in [0, 1]", 0.0, 1e6, tuning="0..0.6")
INSIDE = Parameter("exploration", 0.22, "constant C of C sqrt(ln N / n), on values in [0, 1]", 0.0, 1e6, tuning="0..0.6")


@kernel
def rave_weight(rule, child, parent):
    """w = r / (n (1 / wi + r / wf) + r): 1 for a move that RAVE alone knows, small once it has many games of its own."""
    skipped = rule.rave_skip > 0 and np.int64(parent.visits) % max(rule.rave_skip, 1) == 0
    games = child.rave_visits
    if games <= 0.0 or skipped:
        return 0.0
    return games / (child.visits * (1.0 / rule.rave_initial + games * (1.0 / rule.rave_final)) + games)


class RaveExplorationOutside(NamedTuple):
    """(1 - w) mean + w rave + C sqrt(ln N / n): equation 1 of Huang et al. 2013, as in Fuego.

    A move never tried takes `first_play` for its mean, and 1 for its n in the last term.
    """

    exploration: float
    first_play: float
    rave_initial: float
    rave_final: float
    rave_skip: int

    PARAMETERS = (OUTSIDE, FIRST_PLAY, *WEIGHING)
    USES = (VALUE,)
    EXTRA = RAVE_ALONE


@implements(worth, RaveExplorationOutside)
def rave_exploration_outside(rule, child, parent):
    weight = rave_weight(rule, child, parent)
    mean = (1.0 - weight) * own_mean(rule, child) + weight * child.rave_mean
    return mean + rule.exploration * parent.root_of_log * child.inverse_root


class RaveExplorationInside(NamedTuple):
    """(1 - w) (mean + C sqrt(ln N / n)) + w rave: equation 2 of Huang et al. 2013.

    What RAVE says of a move is not outweighed by exploration while the move has few games. A move never tried takes
    `first_play` for the first bracket.
    """

    exploration: float
    first_play: float
    rave_initial: float
    rave_final: float
    rave_skip: int

    PARAMETERS = (INSIDE, FIRST_PLAY, *WEIGHING)
    USES = (VALUE,)
    EXTRA = RAVE_ALONE


@implements(worth, RaveExplorationInside)
def rave_exploration_inside(rule, child, parent):
    return confidence_inside(rule, child, parent)


@kernel
def confidence_inside(rule, child, parent):
    weight = rave_weight(rule, child, parent)
    return (1.0 - weight) * upper_confidence(rule, child, parent) + weight * child.rave_mean


class RaveProgressiveBias(NamedTuple):
    """(1 - w) (mean + C sqrt(ln N / n)) + w rave + W P / sqrt(n + 1), P the policy's prior: equation 3 of Huang et al. 2013."""

    exploration: float
    first_play: float
    rave_initial: float
    rave_final: float
    rave_skip: int
    prior_weight: float

    PARAMETERS = (
        INSIDE,
        FIRST_PLAY,
        *WEIGHING,
        Parameter(
            "prior_weight",
            2.47,
            "weight W of the policy's prior P: W P / sqrt(n + 1)",
            0.0,
            1e6,
            needs=PRIOR,
            tuning="0.3..20:log",
        ),
    )
    USES = (PRIOR, VALUE)
    EXTRA = RAVE_ALONE


@implements(worth, RaveProgressiveBias)
def rave_progressive_bias(rule, child, parent):
    _, inverse_root = inverses(np.int64(child.visits) + 1)
    return confidence_inside(rule, child, parent) + rule.prior_weight * child.prior * inverse_root


# -- what keeps the record -----------------------------------------------------------------------------------------------------
@implements(begin_extra, RAVE)
def begin_rave(record):
    record["sum"] = 0
    record["visits"] = 0
    record["own_sum"] = 0
    record["own_games"] = 0


@implements(take_rating, RAVE)
def expect(record, rating, maximises, scale):
    """So many games as each of the policy's expectations counts for, with the score that it expects."""
    begin_with_games(record, rating, maximises, scale)
    own_games = np.int32(rating["own_games"])
    record["own_games"] = own_games
    record["own_sum"] = expected_sum(own_games, rating["own_value"], maximises, scale)


@implements(begin_extra, RAVE_ALONE)
def begin_rave_alone(record):
    record["sum"] = 0
    record["visits"] = 0


@implements(take_rating, RAVE_ALONE)
def expect_alone(record, rating, maximises, scale):
    """What is expected to count as games of the move itself is left out: no rule with this record can use it."""
    begin_with_games(record, rating, maximises, scale)


@kernel
def begin_with_games(record, rating, maximises, scale):
    games = np.int64(rating["games"]) if rating["rave"] else np.int64(NOT_KEPT)
    record["visits"] = games
    record["sum"] = expected_sum(games, rating["value"], maximises, scale) if rating["rave"] else 0


@kernel
def expected_sum(games, value, maximises, scale):
    share = value if maximises else 1.0 - value
    return np.int64(math.floor(games * (scale.least + share * (scale.most - scale.least)) + 0.5))


@implements(own_expectation_of, RAVE)
def own_counts(record, extra, index):
    return np.int64(extra[index]["own_games"]), np.int64(extra[index]["own_sum"])


@implements(rave_of, RAVE)
@implements(rave_of, RAVE_ALONE)
def rave_counts(record, extra, index):
    return extra[index]["visits"], extra[index]["sum"]


@implements(keeps_moves, RAVE)
@implements(keeps_moves, RAVE_ALONE)
def rave_keeps_moves(record):
    return True


@operation_with_default
def credit_of(rule):
    """How games are credited by this rule: `rave_first`. A rule of one's own need not say it."""
    return True


@implements(credit_of, Rave)
@implements(credit_of, RaveBoundBias)
@implements(credit_of, RaveAndPrior)
def credit_by_parameters(rule):
    return rule.rave_first


@implements(credit_game, RAVE)
@implements(credit_game, RAVE_ALONE)
def credit_moves(record, rule, tree, scratch, depth, length, score):
    """Credits the score to every child, of every node on the path, whose move its mover made then or later.

    `path[d]` is the node before move d of the game. Going backwards through the game, `stamps` marks the moves that each
    player makes from there on with the number of the game, so that it never needs clearing. With several threads
    an addition may be lost now and then: RAVE counts are hints and need not be exact.
    """
    nodes = tree.nodes
    path = scratch.path
    stamps = scratch.move_stamps
    game = next_game(stamps)
    only_first = credit_of(rule)
    depth = min(depth, length - 1)
    for ply in range(length - 1, -1, -1):
        mover = scratch.movers[ply]
        stamps[mover, scratch.history[ply]] = game
        if only_first:
            stamps[1 - mover, scratch.history[ply]] = 0
        if ply <= depth:
            count = np.int64(load(nodes["child_count"], path[ply]))  # first: it is published last
            if count > 0:
                player = nodes[path[ply]]["to_play"]
                first = np.int64(nodes[path[ply]]["first_child"])
                for child in range(first, first + count):
                    if stamps[player, nodes[child]["move"]] == game and tree.extra[child]["visits"] != NOT_KEPT:
                        tree.extra[child]["sum"] += score
                        tree.extra[child]["visits"] += 1


@kernel
def next_game(stamps):
    """A number that no earlier game of this thread had, from 1 on. It is kept in the last cell."""
    last = stamps.shape[1] - 1
    stamps[FIRST, last] += 1
    return stamps[FIRST, last]

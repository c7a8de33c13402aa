"""RAVE (all moves as first): a move played later in a game says something about playing it now.

A rule with `statistics=RAVE`, or `RAVE_ALONE`, has it: its children then come with `rave_visits` and `rave_mean`.
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
from tesuji.search.kernel.tree import MOST_VISITS, scaled_sum
from tesuji.search.policy import PRIOR, VALUE
from tesuji.search.selection.choose_child import inverses
from tesuji.search.selection.interface import (
    NodeStatistics,
    Statistics,
    are_possible,
    begin_statistics,
    credit_game,
    halve_statistics,
    selection_rule,
    statistics_of,
    take_rating,
    worth,
)
from tesuji.search.selection.uct import BOUND_BIAS, BOUND_TERMS, FIRST_PLAY, bias_by_bounds, upper_confidence

NOT_KEPT = -1  # visits of a move of which RAVE can say nothing (RATING's rave)
PLIES = 1 << 20  # more than a game has: stamps are game * PLIES + ply


# -- the record of a node ----------------------------------------------------------------------------------------------------
@kernel
def begin_rave(rule, record):
    begin_rave_alone(rule, record)
    record["own_sum"] = 0
    record["own_games"] = 0


@kernel
def begin_rave_alone(rule, record):
    record["sum"] = 0
    record["visits"] = 0


@kernel
def expect(rule, record, rating, maximises, scale):
    """So many games as each of the policy's expectations counts for, with the score that it expects."""
    expect_alone(rule, record, rating, maximises, scale)
    own_games = min(np.int64(rating["own_games"]), np.int64(MOST_EXPECTED))
    record["own_games"] = own_games
    record["own_sum"] = expected_sum(own_games, rating["own_value"], maximises, scale)


@kernel
def expect_alone(rule, record, rating, maximises, scale):
    """What is expected to count as games of the move itself is left out: no rule with this record can use it."""
    games = min(np.int64(rating["games"]), np.int64(MOST_EXPECTED)) if rating["rave"] else np.int64(NOT_KEPT)
    record["visits"] = games
    record["sum"] = expected_sum(games, rating["value"], maximises, scale) if rating["rave"] else 0


@kernel
def expected_sum(games, value, maximises, scale):
    share = value if maximises else 1.0 - value
    return np.int64(math.floor(games * (scale.least + share * (scale.most - scale.least)) + 0.5))


@kernel
def counts_of_rave(rule, records, index):
    record = records[index]
    own = np.int64(record["own_games"]), np.int64(record["own_sum"])
    return NodeStatistics(*own, np.int64(record["visits"]), np.int64(record["sum"]), 0.0)


@kernel
def counts_of_rave_alone(rule, records, index):
    return NodeStatistics(np.int64(0), np.int64(0), np.int64(records[index]["visits"]), np.int64(records[index]["sum"]), 0.0)


@kernel
def halve_rave(rule, record, visits, left):
    """RAVE's games fall by half as well; what the policy expects does not: it is not of games."""
    games = np.int64(record["visits"])
    if games > 0:
        record["visits"] = (games + 1) // 2
        record["sum"] = scaled_sum(np.int64(record["sum"]), games, (games + 1) // 2)


@kernel
def credit_moves(rule, tree, scratch, depth, length, score):
    """Credits the score to every child, of every node on the path, whose move its mover made then or later.

    `path[d]` is the node before move d of the game. Going backwards through the game, `stamps` marks the moves that each
    player makes from there on with the number of the game and the ply, so that it never needs clearing. With several threads
    an addition may be lost now and then: RAVE counts are hints and need not be exact.
    """
    nodes = tree.nodes
    statistics = tree.statistics
    path = scratch.path
    stamps = scratch.move_stamps
    game = next_game(stamps) * PLIES
    only_first = credits_first_only(rule)
    depth = min(depth, length - 1)
    for ply in range(length - 1, -1, -1):
        mover = scratch.movers[ply]
        stamps[mover, scratch.history[ply]] = game + ply
        if only_first:
            stamps[1 - mover, scratch.history[ply]] = 0
        if ply <= depth:
            count = np.int64(load(nodes["child_count"], path[ply]))  # first: it is published last
            if count > 0:
                player = nodes[path[ply]]["to_play"]
                first = np.int64(nodes[path[ply]]["first_child"])
                for child in range(first, first + count):
                    if stamps[player, nodes[child]["move"]] >= game and statistics[child]["visits"] != NOT_KEPT:
                        statistics[child]["sum"] += score
                        statistics[child]["visits"] += 1


@kernel
def next_game(stamps):
    """A number that no earlier game of this thread had, from 1 on. It is kept in the last cell."""
    last = stamps.shape[1] - 1
    stamps[FIRST, last] += 1
    return stamps[FIRST, last]


@operation_with_default
def credits_first_only(rule):
    """Whether a move counts for a player only in games in which the other did not make it before (`rave_first`)."""
    return True


MOST_EXPECTED = MOST_VISITS // 4  # games that a policy can expect of a move
MOST_GAMES = MOST_VISITS + 2 * MOST_EXPECTED  # of RAVE, in a file: visits are halved in time
LARGEST_SUM = 1 << 62


def is_possible_rave_alone(rule: Any, records: np.ndarray, scale: Any) -> bool:
    games, sums = records["visits"], records["sum"]
    possible = (games >= NOT_KEPT) & (games <= MOST_GAMES) & (sums >= -LARGEST_SUM) & (sums <= LARGEST_SUM)
    return bool(np.all(possible))


def is_possible_rave(rule: Any, records: np.ndarray, scale: Any) -> bool:
    own_games, own_sums = records["own_games"].astype(np.float64), records["own_sum"].astype(np.float64)
    possible = (own_games >= 0) & (own_sums >= own_games * scale.least) & (own_sums <= own_games * scale.most)
    return bool(np.all(possible)) and is_possible_rave_alone(rule, records, scale)


RAVE = Statistics(
    np.dtype(
        [
            ("sum", np.int64),  # scores of the games in which the move came now or later, and of those that the policy expects
            ("own_sum", np.int64),  # the same of games that the policy expects as games of the move itself
            ("visits", np.int32),  # games of `sum`; NOT_KEPT = none ever
            ("own_games", np.int32),
        ]
    ),
    {
        begin_statistics: begin_rave,
        take_rating: expect,
        statistics_of: counts_of_rave,
        halve_statistics: halve_rave,
        credit_game: credit_moves,
        are_possible: is_possible_rave,
    },
    has_own_games=True,
)
# The same without expectations that count as games of the move itself: less memory to look through.
RAVE_ALONE = Statistics(
    np.dtype([("sum", np.int64), ("visits", np.int64)]),
    {
        begin_statistics: begin_rave_alone,
        take_rating: expect_alone,
        statistics_of: counts_of_rave_alone,
        halve_statistics: halve_rave,
        credit_game: credit_moves,
        are_possible: is_possible_rave_alone,
    },
)


# -- mean and RAVE, weighted by their games ------------------------------------------------------------------------------------
RAVE_BIAS = Parameter("rave_bias", 1.0 / 3000.0, "c of the RAVE weight m / (n + m + c n m)", 0.0, 1e6, tuning="1e-5..0.1:log")
RAVE_FIRST = Parameter("rave_first", True, "a move counts for a player only in games in which the other did not make it before")
RAVE_PARAMETERS = (
    Parameter("exploration", 0.1, "UCT constant C of C sqrt(ln N / n), on values in [0, 1]", 0.0, 1e6, tuning="0..0.6"),
    FIRST_PLAY,
    RAVE_BIAS,
    RAVE_FIRST,
)


@selection_rule(parameters=RAVE_PARAMETERS, uses=(VALUE,), statistics=RAVE_ALONE)
class Rave(NamedTuple):
    """(1 - b) mean + b rave + C sqrt(ln N / n), b = m / (n + m + c n m) with m the games of RAVE.

    A move never tried takes `first_play` for its mean, and 1 for its n in the last term: something is known of it, so that
    it is not put behind.
    """

    exploration: float
    first_play: float
    rave_bias: float
    rave_first: bool


@implements(worth, Rave)
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


@selection_rule(parameters=(*RAVE_PARAMETERS, *BOUND_BIAS), uses=(VALUE,), statistics=RAVE_ALONE, term_names=BOUND_TERMS)
class RaveBoundBias(NamedTuple):
    """RAVE with the bias by bounds (`BoundBias`): the seki problems of Cazenave and Saffidine 2010."""

    exploration: float
    first_play: float
    rave_bias: float
    rave_first: bool
    pess_bias: float
    opti_bias: float
    bias_decay: float


@implements(worth, RaveBoundBias)
def rave_bound_bias(rule, child, parent):
    return confidence_with_rave(rule, child, parent) + bias_by_bounds(rule, child, parent)


# -- RAVE, a prior and own games: MoGo -----------------------------------------------------------------------------------------
LOG_TABLE = 4096
INVERSE_LOG = np.array([1.0 / math.log(2.0 + n) for n in range(LOG_TABLE)])


@selection_rule(
    parameters=(
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
        Parameter("end_share", 0.0, "share of a search, its last part, with the end_ constants at the root", 0.0, 1.0),
        Parameter("end_rave_bias", -1.0, "rave_bias at the root then; below 0 = as before", -1.0, 1e6),
        Parameter("end_prior_share", -1.0, "prior_share at the root then; below 0 = as before", -1.0, 1e6, needs=PRIOR),
        Parameter("end_prior_bonus", -1.0, "prior_bonus at the root then; below 0 = as before", -1.0, 1e6, needs=PRIOR),
    ),
    uses=(VALUE,),
    needs=(PRIOR,),  # without priors a new move would be worth 0 until RAVE has seen it
    statistics=RAVE,
)
class RaveAndPrior(NamedTuple):
    """a mean + b rave + (g + C / ln(2 + n)) H, H the policy's prior of the move: Chaslot et al. 2009, equations 1 to 4.

    b = m / (n + m + c n m) with m the games of RAVE, g = c' / m, 1 at most, a = 1 - b - g. So a new move is chosen by H, then
    by RAVE, then by its own games; what C weighs stays longest. The root has constants of its own, and others in the last
    part of a search. There is no other exploration. In C / ln(2 + n), n are the games played; elsewhere also those that the
    policy expects.

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

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> RaveAndPrior:
        values = dict(settings)
        for name in ("rave_bias", "prior_share", "prior_bonus"):
            if values[f"root_{name}"] < 0.0:
                values[f"root_{name}"] = values[name]
        return filled(cls, values)

    @classmethod
    def made_for_the_end(cls, game: Game, settings: Mapping[str, Any]) -> RaveAndPrior:
        """The rule in the last part of a search, `end_share` of its time or playouts."""
        late = {f"root_{name}": settings[f"end_{name}"] for name in ("rave_bias", "prior_share", "prior_bonus")}
        return cls.made_for(game, {**settings, **{name: value for name, value in late.items() if value >= 0.0}})


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


# -- a weight between an initial and a final one: Fuego and MoHex -------------------------------------------------------------
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


@selection_rule(parameters=(OUTSIDE, FIRST_PLAY, *WEIGHING), uses=(VALUE,), statistics=RAVE_ALONE)
class RaveExplorationOutside(NamedTuple):
    """(1 - w) mean + w rave + C sqrt(ln N / n): equation 1 of Huang et al. 2013, as in Fuego.

    A move never tried takes `first_play` for its mean, and 1 for its n in the last term.
    """

    exploration: float
    first_play: float
    rave_initial: float
    rave_final: float
    rave_skip: int


@implements(worth, RaveExplorationOutside)
def rave_exploration_outside(rule, child, parent):
    weight = rave_weight(rule, child, parent)
    mean = (1.0 - weight) * own_mean(rule, child) + weight * child.rave_mean
    return mean + rule.exploration * parent.root_of_log * child.inverse_root


@selection_rule(parameters=(INSIDE, FIRST_PLAY, *WEIGHING), uses=(VALUE,), statistics=RAVE_ALONE)
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


@implements(worth, RaveExplorationInside)
@kernel
def confidence_inside(rule, child, parent):
    weight = rave_weight(rule, child, parent)
    return (1.0 - weight) * upper_confidence(rule, child, parent) + weight * child.rave_mean


PRIOR_WEIGHT = Parameter(
    "prior_weight", 2.47, "weight W of the policy's prior P: W P / sqrt(n + 1)", 0.0, 1e6, needs=PRIOR, tuning="0.3..20:log"
)


@selection_rule(parameters=(INSIDE, FIRST_PLAY, *WEIGHING, PRIOR_WEIGHT), uses=(PRIOR, VALUE), statistics=RAVE_ALONE)
class RaveProgressiveBias(NamedTuple):
    """(1 - w) (mean + C sqrt(ln N / n)) + w rave + W P / sqrt(n + 1), P the policy's prior: equation 3 of Huang et al. 2013."""

    exploration: float
    first_play: float
    rave_initial: float
    rave_final: float
    rave_skip: int
    prior_weight: float


@implements(worth, RaveProgressiveBias)
def rave_progressive_bias(rule, child, parent):
    _, inverse_root = inverses(np.int64(child.visits) + 1)
    return confidence_inside(rule, child, parent) + rule.prior_weight * child.prior * inverse_root


@implements(credits_first_only, Rave)
@implements(credits_first_only, RaveBoundBias)
@implements(credits_first_only, RaveAndPrior)
def credits_by_parameter(rule):
    return rule.rave_first


RULES = {
    "rave": Rave,
    "rave-bound-bias": RaveBoundBias,
    "rave-prior": RaveAndPrior,
    "rave-outside": RaveExplorationOutside,
    "rave-inside": RaveExplorationInside,
    "rave-progressive-bias": RaveProgressiveBias,
}

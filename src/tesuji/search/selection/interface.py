"""Which child to visit next. A selection rule is a NamedTuple of constants; its class says what one child is worth.

The loop over the children is written once, here: it skips pruned, proven and cut children, adds this thread's local
counts, and turns all values to the player to move. A rule is a few lines: `worth`. Besides its fields, its class may have
    PARAMETERS   the `Parameter`s of its fields
    USES         what it reads of a policy's ratings (search/policy.py)
    EXTRA        the record type of what it keeps of every node (search/kernel/tree.py)
    OUTCOMES     True if it compares outcomes: whole scores, not only who won
    made_for     a classmethod (game, settings) for constants that depend on the game
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel, operation, operation_with_default
from tesuji.core.parameters import Parameter
from tesuji.core.rules import FIRST
from tesuji.search.kernel.bounds import is_open
from tesuji.search.kernel.scale import for_mover
from tesuji.search.kernel.threads import MANY_VISITS, count_visit, has_local_counts, local_counts_of, real_visits
from tesuji.search.kernel.tree import NO_NUMBER, ROOT, stop
from tesuji.search.policy import OWN_VALUE, PRIOR

TABLE_SIZE = 4096
ROOT_OF_LOG = np.array([0.0] + [math.sqrt(math.log(n)) for n in range(1, TABLE_SIZE)])
INVERSE = np.array([1.0] + [1.0 / n for n in range(1, TABLE_SIZE)])
INVERSE_ROOT = np.sqrt(INVERSE)


class Child(NamedTuple):
    """One move as the player who would make it sees it, all values from 0 (worst) to 1. What a rule does not read is free."""

    visits: float  # its games, and those that the policy expects of it (RATING's own_games)
    mean: float  # of these; 0 if there are none
    prior: float
    rave_visits: float  # games in which the move was made here or later, for rules that keep RAVE; below 0: not for this move
    rave_mean: float
    lower: float  # proven bounds of the outcome
    upper: float
    inverse_root: float  # sqrt(1 / visits), from a table; 1 if there are none
    bonus: float = 0.0  # what the rule keeps for the child in its own record; 0 if its record has no such thing
    played: float = 0.0  # the games of `visits` that were really played


class Parent(NamedTuple):
    visits: float
    root_of_log: float  # sqrt(ln N), N the visits
    children: int
    depth: int  # 0 = the root
    maximises: bool  # player 0 is to move


# -- what a rule can do -----------------------------------------------------------------------------------------------------
@operation
def worth(rule, child, parent):
    """What a visit of the child is worth: the child with the highest number is visited."""


@operation_with_default
def tries_in_order(rule):
    """Whether of two untried moves the one of higher prior is worth more, so that moves are tried in the order of priors.

    A new node has its children in this order then, and the loop over them ends at the first that has not been tried.
    """
    return False


@operation_with_default
def choose_child(rule, tree, scratch, depth, options):
    """Index of the child to visit of the expanded node path[depth], or -1 if every child is decided, cut or pruned."""
    nodes = tree.nodes
    index = scratch.path[depth]
    node = nodes[index]
    maximises = node["to_play"] == FIRST
    visits = real_visits(tree, scratch, depth, options)
    first = np.int64(node["first_child"])
    count = np.int64(node["child_count"])
    parent = Parent(np.float64(visits), root_of_log(visits), count, depth, maximises)  # type: ignore[arg-type]
    best = np.int64(-1)
    best_worth = -math.inf
    closed = 0
    for child in range(first, first + count):
        if not is_open(nodes[child], node, maximises, options):
            closed += 1
            continue
        view = view_of(tree, scratch, child, maximises, options)
        value = worth(rule, view, parent)
        if value > best_worth:  # a jump, not selects: the processor guesses the best child and reads ahead below it
            best = child
            best_worth = value
        if tries_in_order(rule) and options.in_order and view.visits == 0.0:
            break  # of the moves that come after, none has been tried, and none is worth more
    if best < 0 and closed < count:
        stop(tree.counters, NO_NUMBER, index)
    return best


ROOT_WIDENING = Parameter(
    "root_widening", 0.0, "share of the root's visits that moves other than the most visited one get, for analysis", 0.0, 0.9
)
WIDE = 0.3  # exploration constant among those moves


@kernel
def neglected_child(tree, scratch, options):
    """Where the most visited open child of the root has more than its share of visits: the one to visit in its place, by UCT
    on plain means; -1 if it has not, or there is no other."""
    nodes = tree.nodes
    root = nodes[ROOT]
    maximises = root["to_play"] == FIRST
    visits = real_visits(tree, scratch, 0, options)
    first = np.int64(root["first_child"])
    last = first + np.int64(root["child_count"])
    leader, most = first, np.int64(-1)
    for child in range(first, last):
        if nodes[child]["visits"] > most and is_open(nodes[child], root, maximises, options):
            leader, most = child, np.int64(nodes[child]["visits"])
    best = np.int64(-1)
    if np.float64(most) <= (1.0 - options.root_widening) * np.float64(visits):
        return best
    best_worth = -math.inf
    for child in range(first, last):
        if child != leader and is_open(nodes[child], root, maximises, options):
            view = view_of(tree, scratch, child, maximises, options)
            value = view.mean + WIDE * root_of_log(visits) / math.sqrt(max(view.visits, 0.1))
            if value > best_worth:
                best = child
                best_worth = value
    return best


@operation_with_default
def back_up(rule, tree, scratch, depth, score, options):
    """Counts a game that ended with this score in every node of the path, the last one being path[depth]."""
    count_game(tree, scratch, depth, score, options)


@operation_with_default
def take_rating(record, rating, maximises, scale):
    """A new child's record of the rule's own takes what the policy expects of its move."""


@operation_with_default
def rave_of(record, extra, index):
    """(games, sum of their scores) of the node's RAVE, if its record has one; games are below 0 for a move without RAVE.

    `record`, any of `extra`, only gives the type.
    """
    return 0, 0


@operation_with_default
def bonus_of(record, extra, index):
    """What the node's record says that is to be added to its worth, if the record has such a thing."""
    return 0.0


@operation_with_default
def plays_out(rule):
    """Whether simulations end with a playout. A rule that goes by other things than means need not have any."""
    return True


@operation_with_default
def own_expectation_of(record, extra, index):
    """(games, sum of their scores) that count as games of the node itself, though nobody played them, if its record has any."""
    return 0, 0


@operation_with_default
def credit_game(record, rule, tree, scratch, depth, length, score):
    """A game of `length` moves (scratch.history, scratch.movers) has ended; the tree's path goes down to path[depth]."""


@operation_with_default
def keeps_moves(record):
    """Whether `credit_game` wants the moves of the playout too."""
    return False


def features_of_rule(rule: type) -> frozenset[str]:
    """What parameters can count on because of the rule."""
    return frozenset({OWN_VALUE} if own_expectation_of.is_implemented(getattr(rule, "EXTRA", None)) else ())


# -- parts of the loop ------------------------------------------------------------------------------------------------------
@kernel
def view_of(tree, scratch, index, maximises, options):
    """The child for the player to move at its parent."""
    scale = options.scale
    child = tree.nodes[index]
    games = np.int64(child["visits"])
    total = np.int64(child["sum"])
    if options.sharing.shared and games >= MANY_VISITS and has_local_counts(scratch, index):
        games += local_counts_of(scratch, index)["visits"]
        total += local_counts_of(scratch, index)["sum"]
    played = np.float64(games)
    expected_games, expected_sum = own_expectation_of(tree.extra[0], tree.extra, index)
    games += expected_games
    total += expected_sum
    visits = np.float64(games)
    inverse, inverse_root = inverses(games)
    average = np.float64(total) * inverse
    mean = for_mover((average - scale.least) * scale.per_sum, maximises) if games > 0 else 0.0
    rave_games, rave_sum = rave_of(tree.extra[0], tree.extra, index)
    rave_visits = np.float64(rave_games)
    rave_mean = 0.0
    if rave_visits > 0.0:
        rave_mean = for_mover((np.float64(rave_sum) / rave_visits - scale.least) * scale.per_sum, maximises)
    lower = (np.float64(child["lower"]) - scale.lowest) * scale.per_outcome
    upper = (np.float64(child["upper"]) - scale.lowest) * scale.per_outcome
    if not maximises:
        lower, upper = 1.0 - upper, 1.0 - lower
    bonus = bonus_of(tree.extra[0], tree.extra, index)
    rave = rave_visits, rave_mean
    return Child(visits, mean, np.float64(child["prior"]), *rave, lower, upper, inverse_root, bonus, played)


@kernel
def root_of_log(visits):
    """sqrt(ln N), from a table for most nodes: the logarithm took a tenth of the time."""
    return ROOT_OF_LOG[visits] if visits < TABLE_SIZE else math.sqrt(math.log(np.float64(visits)))


@kernel
def inverses(games):
    """1 / n and its square root, n the games of a child, from tables for most: computing them took a tenth of the time."""
    row = np.uint64(games)
    if row < np.uint64(TABLE_SIZE):
        return INVERSE[row], INVERSE_ROOT[row]
    inverse = 1.0 / np.float64(games)
    return inverse, math.sqrt(inverse)


@kernel
def count_game(tree, scratch, depth, score, options):
    """Counts the score in every node of the path."""
    nodes = tree.nodes
    for d in range(depth, -1, -1):
        node = nodes[scratch.path[d]]
        if options.sharing.shared:
            count_visit(tree, scratch, d, score, options)
        else:
            node["visits"] += 1
            node["sum"] += score


# -- rules ------------------------------------------------------------------------------------------------------------------
EXPLORATION = Parameter(
    "exploration",
    0.3,
    "UCT constant C of mean + C sqrt(ln N / n), on values in [0, 1]",
    0.0,
    1e6,
    tuning="0.03..1:log",
)
FIRST_PLAY = Parameter("first_play", 1e6, "value of an untried move; high = try every move first", -1e6, 1e6, tuning="0.2..1.2")


class Uct(NamedTuple):
    """mean + C sqrt(ln N / n); a move never tried is worth `first_play`."""

    exploration: float
    first_play: float

    PARAMETERS = (EXPLORATION, FIRST_PLAY)


@implements(worth, Uct)
def uct(rule, child, parent):
    return upper_confidence(rule, child, parent)


@kernel
def upper_confidence(rule, child, parent):
    value = child.mean + rule.exploration * parent.root_of_log * child.inverse_root
    return value if child.visits > 0.0 else rule.first_play


class ProgressiveBias(NamedTuple):
    """UCT + W P / (n + 1), P the policy's prior of the move (Winands, Bjornsson and Saito 2008, section 3.1)."""

    exploration: float
    first_play: float
    prior_weight: float

    PARAMETERS = (
        EXPLORATION,
        FIRST_PLAY,
        Parameter(
            "prior_weight",
            10.0,
            "weight W of the policy's prior P of a move: W P / (n + 1)",
            0.0,
            1e6,
            needs=PRIOR,
            tuning="1..100:log",
        ),
    )
    USES = (PRIOR,)


@implements(worth, ProgressiveBias)
def progressive_bias(rule, child, parent):
    return upper_confidence(rule, child, parent) + rule.prior_weight * child.prior / (child.visits + 1.0)


class ExpectedValue(NamedTuple):
    """UCT in which the policy's prior P of a move counts as G games of that mean.

    It makes sense with priors that are chances of winning, not with those that are shares of all moves.

    (n mean + G P) / (n + G) + C sqrt(ln N / (n + G))
    """

    exploration: float
    expected_games: int

    PARAMETERS = (
        EXPLORATION,
        Parameter(
            "expected_games",
            5,
            "G: games that the policy's prior of a move counts for, as if the move had won that share of them",
            1,
            1 << 20,
            needs=PRIOR,
            tuning="1..30:log",
        ),
    )
    USES = (PRIOR,)
    NEEDS = (PRIOR,)  # without priors every move would begin with lost games


@implements(worth, ExpectedValue)
def mean_with_expected_games(rule, child, parent):
    inverse, inverse_root = inverses(np.int64(child.visits) + rule.expected_games)
    mean = (child.visits * child.mean + rule.expected_games * child.prior) * inverse
    return mean + rule.exploration * parent.root_of_log * inverse_root


@implements(tries_in_order, ExpectedValue)
def best_expectation_first(rule):
    return True


PESS_BIAS = Parameter(
    "pess_bias", 0.0, "gamma: weight of a move's pessimistic bound in its value", -1e9, 1e9, tuning="-0.5..0.5"
)
OPTI_BIAS = Parameter(
    "opti_bias", -0.1, "delta: weight of a move's optimistic bound in its value", -1e9, 1e9, tuning="-0.5..0.5"
)
BIAS_DECAY = Parameter("bias_decay", 0.0, "k: both weights times k / (k + n); 0 = constant", 0.0, 1e9)


class BoundBias(NamedTuple):
    """UCT + k / (k + n) (gamma pess + delta opti) at a Max node, - k / (k + n) (gamma opti + delta pess) at a Min node.

    Cazenave and Saffidine 2010, section 3.4, the bounds scaled to [0, 1]; k = 0 leaves its factor out.
    """

    exploration: float
    first_play: float
    pess_bias: float
    opti_bias: float
    bias_decay: float

    PARAMETERS = (EXPLORATION, FIRST_PLAY, PESS_BIAS, OPTI_BIAS, BIAS_DECAY)


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

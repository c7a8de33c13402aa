"""RAVE (all moves as first): a move played later in a game says something about playing it now.

A rule whose EXTRA is `RAVE` has it: its children then come with `rave_visits` and `rave_mean`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tesuji.core.atomics import load
from tesuji.core.dispatch import implements, kernel
from tesuji.core.parameters import Parameter
from tesuji.core.rules import FIRST
from tesuji.search.policy import VALUE
from tesuji.search.selection import (
    BIAS_DECAY,
    FIRST_PLAY,
    OPTI_BIAS,
    PESS_BIAS,
    bias_by_bounds,
    credit_game,
    keeps_moves,
    rave_of,
    take_rating,
    worth,
)
from tesuji.search.tree import begin_extra

RAVE = np.dtype([("sum", np.int64), ("visits", np.int64)])  # games in which the move came now or later


class Rave(NamedTuple):
    """(1 - b) mean + b rave + C sqrt(ln N / n), b = m / (n + m + c n m) with m the games of RAVE.

    A move never tried takes `first_play` for its mean, and 1 for its n in the last term: something is known of it, so that
    it is not put behind.
    """

    exploration: float
    first_play: float
    rave_bias: float

    PARAMETERS = (
        Parameter("exploration", 0.1, "UCT constant C of C sqrt(ln N / n), on values in [0, 1]", 0.0, 1e6),
        FIRST_PLAY,
        Parameter("rave_bias", 1.0 / 3000.0, "c of the RAVE weight m / (n + m + c n m)", 0.0, 1e6),
    )
    USES = (VALUE,)
    EXTRA = RAVE


@implements(worth, Rave)
def rave(rule, child, parent):
    return confidence_with_rave(rule, child, parent)


@kernel
def confidence_with_rave(rule, child, parent):
    mean = child.mean if child.visits > 0.0 else rule.first_play
    if child.rave_visits > 0.0:
        weight = child.rave_visits / (child.visits + child.rave_visits + rule.rave_bias * child.visits * child.rave_visits)
        mean = (1.0 - weight) * mean + weight * child.rave_mean
    return mean + rule.exploration * parent.root_of_log * child.inverse_root


class RaveBoundBias(NamedTuple):
    """RAVE with the bias by bounds (`BoundBias`): the seki problems of Cazenave and Saffidine 2010."""

    exploration: float
    first_play: float
    rave_bias: float
    pess_bias: float
    opti_bias: float
    bias_decay: float

    PARAMETERS = (*Rave.PARAMETERS, PESS_BIAS, OPTI_BIAS, BIAS_DECAY)
    USES = (VALUE,)
    EXTRA = RAVE


@implements(worth, RaveBoundBias)
def rave_bound_bias(rule, child, parent):
    return confidence_with_rave(rule, child, parent) + bias_by_bounds(rule, child, parent)


# -- what keeps the record -----------------------------------------------------------------------------------------------------
@implements(begin_extra, RAVE)
def begin_rave(record):
    record["sum"] = 0
    record["visits"] = 0


@implements(take_rating, RAVE)
def expect(record, rating, maximises, scale):
    """So many games as the policy's expectation counts for, with the score that it expects."""
    share = rating["value"] if maximises else 1.0 - rating["value"]
    games = np.int64(rating["games"])
    record["visits"] = games
    record["sum"] = np.int64(math.floor(games * (scale.least + share * (scale.most - scale.least)) + 0.5))


@implements(rave_of, RAVE)
def rave_counts(record, extra, index):
    return extra[index]["visits"], extra[index]["sum"]


@implements(keeps_moves, RAVE)
def rave_keeps_moves(record):
    return True


@implements(credit_game, RAVE)
def credit_moves(record, tree, scratch, depth, length, score):
    """Credits the score to every child, of every node on the path, whose move its mover made then or later.

    `path[d]` is the node before move d of the game. Going backwards through the game, `stamps` marks the moves that each
    player makes from there on with the number of the game, so that it never needs clearing. With several threads an addition
    may be lost now and then: RAVE counts are hints and need not be exact.
    """
    nodes = tree.nodes
    path = scratch.path
    stamps = scratch.move_stamps
    stamp = next_stamp(stamps)
    depth = min(depth, length - 1)
    for ply in range(length - 1, -1, -1):
        stamps[scratch.movers[ply], scratch.history[ply]] = stamp
        if ply <= depth:
            count = np.int64(load(nodes["child_count"], path[ply]))  # first: it is published last
            if count > 0:
                player = nodes[path[ply]]["to_play"]
                first = np.int64(nodes[path[ply]]["first_child"])
                for child in range(first, first + count):
                    if stamps[player, nodes[child]["move"]] == stamp:
                        tree.extra[child]["sum"] += score
                        tree.extra[child]["visits"] += 1


@kernel
def next_stamp(stamps):
    """A number that no earlier game of this thread had. It is kept in the last cell."""
    last = stamps.shape[1] - 1
    stamps[FIRST, last] += 1
    return stamps[FIRST, last]

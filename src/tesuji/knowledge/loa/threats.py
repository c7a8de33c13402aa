"""What a move of Lines of Action is worth to a search that proves: how the position after it is evaluated, and who threatens.

Whoever threatens to connect at his next move leaves the other few replies, and that is what a proof is made of. Points of the
evaluation after the move, more of them for a threat, fewer if the move lets the other side win at once, become the
move's value. Playouts are random games.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter
from tesuji.core.rules import random_move
from tesuji.games.loa.lines import PASS, add_to_lines, landing
from tesuji.games.loa.state import ONE, ZERO
from tesuji.knowledge.loa.evaluation import DECIDED, evaluation_for
from tesuji.knowledge.loa.evaluation_weights import EvaluationWeights
from tesuji.knowledge.loa.winning import can_win
from tesuji.search.kernel.playouts import LOG_ODDS, chance_of
from tesuji.search.policy import VALUE, playout_move, rate_moves

# A flatter curve than that of chances: threats are worth several times the points that decide a game, and must not all be 1.
FLATTER = LOG_ODDS * DECIDED


class ConnectionThreats(NamedTuple):
    terms: np.ndarray  # float64[FEATURE_COUNT]: the weights of the evaluation
    evaluation_games: float
    threat_points: float

    PARAMETERS = (
        Parameter(
            "evaluation_games",
            50.0,
            "games that a move's value by evaluation and threats counts for",
            0.0,
            1e6,
            needs=VALUE,
        ),
        Parameter(
            "threat_points",
            3000.0,
            "points that a threat to win adds to the evaluation after a move; letting the other side win takes twice that",
            0.0,
            1e9,
            needs=VALUE,
        ),
    )
    GIVES = (VALUE,)

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> ConnectionThreats:
        return cls(EvaluationWeights.shipped().terms, float(settings["evaluation_games"]), float(settings["threat_points"]))


@implements(playout_move, ConnectionThreats)
def any_move(policy, notes, state, rng):
    return random_move(state, notes["moves"], rng)


@implements(rate_moves, ConnectionThreats)
def rate_by_threats(policy, state, moves, count, ratings):
    for i in range(count):
        points = points_after(policy, state, np.int64(moves[i]))
        ratings[i]["value"] = chance_of(points, FLATTER)
        ratings[i]["games"] = policy.evaluation_games


@kernel
def points_after(policy, state, move):
    """The points of the player to move after his move, with those for threats."""
    stones = state["stones"]
    player = np.int64(state["to_play"])
    own, other = stones[player], stones[1 - player]
    if move == PASS:
        return evaluation_for(policy.terms, own, other, player)
    counts = state["counts"]
    origin = move >> 3
    target = landing(counts, origin, move & 7)
    bit = ONE << np.uint64(target)
    captures = other & bit != ZERO
    own ^= (ONE << np.uint64(origin)) | bit
    other &= ~bit
    points = evaluation_for(policy.terms, own, other, player)
    change_lines(counts, origin, target, captures, 1)  # as after the move, for a moment
    if can_win(counts, other, own, state["mover_wins"]):
        points -= 2.0 * policy.threat_points
    elif can_win(counts, own, other, state["mover_wins"]):
        points += policy.threat_points
    change_lines(counts, origin, target, captures, -1)
    return points


@kernel
def change_lines(counts, origin, target, captures, times):
    """What a move changes in the number of pieces on each line; with times=-1, back again."""
    add_to_lines(counts, origin, -times)
    if not captures:
        add_to_lines(counts, target, times)

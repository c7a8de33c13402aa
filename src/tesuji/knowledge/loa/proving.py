"""What a move of Lines of Action is worth to a search that proves: how close it brings both sides to being connected.

The value of a move is a chance by the evaluation of the position after it. Playouts are those of `categories`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter
from tesuji.games.loa.connection import euler_number
from tesuji.games.loa.lines import PASS, add_to_lines, goal, is_free, landing
from tesuji.games.loa.state import BLACK, ONE, ZERO
from tesuji.core.bits import lowest_bit
from tesuji.knowledge.loa.evaluation import evaluation
from tesuji.knowledge.loa.evaluation_weights import shipped_evaluation
from tesuji.knowledge.loa.winning import can_win
from tesuji.search.policy import VALUE, playout_move, rate_moves
from tesuji.core.rules import random_move


class Proving(NamedTuple):
    terms: np.ndarray
    eval_games: float
    eval_points: float
    group_points: float
    threat_points: float

    PARAMETERS = (
        Parameter("eval_games", 10.0, "games", 0.0, 1e6, needs=VALUE),
        Parameter("eval_points", 1000.0, "scale", 1.0, 1e6, needs=VALUE),
        Parameter("group_points", 0.0, "groups", -1e6, 1e6, needs=VALUE),
        Parameter("threat_points", 0.0, "threat", -1e6, 1e6, needs=VALUE),
    )
    GIVES = (VALUE,)

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> Proving:
        return Proving(shipped_evaluation().terms, *(float(settings[n]) for n in ("eval_games", "eval_points", "group_points", "threat_points")))


@implements(playout_move, Proving)
def any_move(policy, notes, state, rng):
    return random_move(state, notes["moves"], rng)


@implements(rate_moves, Proving)
def rate_by_evaluation(policy, state, moves, count, ratings):
    stones = state["stones"]
    counts = state["counts"]
    player = np.int64(state["to_play"])
    for i in range(count):
        ratings[i]["games"] = policy.eval_games
        move = np.int64(moves[i])
        own, other = stones[player], stones[1 - player]
        if move != PASS:
            origin = move >> 3
            target = landing(counts, origin, move & 7)
            bit = ONE << np.uint64(target)
            captured = other & bit != ZERO
            own = own ^ (ONE << np.uint64(origin)) ^ bit
            other &= ~bit
        if player == BLACK:
            points = evaluation(policy.terms, own, other, 1 - player)
        else:
            points = -evaluation(policy.terms, other, own, 1 - player)
        points += policy.group_points * np.float64(euler_number(other) - euler_number(own))
        if policy.threat_points != 0.0 and move != PASS:
            add_to_lines(counts, origin, -1)
            if not captured:
                add_to_lines(counts, target, 1)
            if can_win(counts, other, own, state["mover_wins"]):
                points -= 2.0 * policy.threat_points
            elif can_win(counts, own, other, state["mover_wins"]):
                points += policy.threat_points
            add_to_lines(counts, origin, 1)
            if not captured:
                add_to_lines(counts, target, -1)
        ratings[i]["value"] = 1.0 / (1.0 + math.exp(-min(max(points / policy.eval_points, -40.0), 40.0)))

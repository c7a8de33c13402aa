"""The policy of the Lines of Action players: moves drawn by category, positions judged by their features.

With evaluate_every=3, evaluation_limit=1000 and playout_cap=200 the playouts are those of Winands, Bjornsson and Saito 2008
(section 3.1); three fields go beyond them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter
from tesuji.core.random import below
from tesuji.games.loa.lines import GOAL_SHIFT, PASS, goal_in, landing, list_moves, move_in
from tesuji.games.loa.state import ONE
from tesuji.knowledge.loa.categories import category, centre_of_mass, drawn, policy_of, rate_by_category
from tesuji.knowledge.loa.evaluation import DECIDED, evaluation, evaluation_for, hand_weights
from tesuji.knowledge.loa.evaluation_weights import KIND, EvaluationWeights
from tesuji.knowledge.loa.weights import KIND as CATEGORY_WEIGHTS
from tesuji.knowledge.loa.weights import CategoryWeights
from tesuji.knowledge.loa.winning import linking_squares, winning_entry
from tesuji.knowledge.weight_files import WEIGHTS, Kind, files_by_kind
from tesuji.search.kernel.playouts import chance_of
from tesuji.search.policy import PLAYOUTS, PRIOR, evaluate, playout_move, rate_moves


class McLoa(NamedTuple):
    """Moves are drawn in proportion to the probability of their category. `make_policy` makes one."""

    weights: np.ndarray  # float64[CATEGORIES]: the probabilities
    shares: np.ndarray  # int64[CATEGORIES]: the same as whole numbers
    terms: np.ndarray  # float64[FEATURE_COUNT]: the weights of the evaluation, points for player 0
    decisive: bool  # a move that wins at once is played at once
    best_of: int  # so many moves are drawn and the one that is evaluated best is played; 1 = as in the paper
    prior_from_evaluation: bool  # the prior of a move is the chance of winning after it; else the probability of its category

    PARAMETERS = (
        Parameter("decisive", False, "playouts play a winning move where there is one", needs=PLAYOUTS),
        Parameter(
            "best_of",
            1,
            "moves drawn in a playout, of which the one with the best evaluation is played",
            1,
            64,
            needs=PLAYOUTS,
            tuning="1..12",
        ),
        Parameter(
            "prior_by",
            "categories",
            "the prior of a move: the probability of its category, or the chance of winning by the evaluation after it",
            choices=("categories", "evaluation"),
            needs=PRIOR,
        ),
        Parameter("evaluator", "mia2006", "the weights of the evaluation", choices=("mia2000", "mia2002", "mia2006")),
        WEIGHTS,
    )
    GIVES = (PRIOR,)

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> McLoa:
        files = files_by_kind(settings["weights"], [CATEGORY_WEIGHTS, KIND])
        made = make_policy(settings["evaluator"], settings["decisive"], settings["best_of"], files)
        return made._replace(prior_from_evaluation=settings["prior_by"] == "evaluation")


def make_policy(
    evaluator: str = "mia2006", decisive: bool = False, best_of: int = 1, files: Mapping[Kind, str] | None = None
) -> McLoa:
    """The policy with an evaluator, 'mia2000', 'mia2002' or 'mia2006', and the weights that come with the package.

    What `files` has of either kind of weights stands in their place, and in that of the evaluator.
    """
    files = files or {}
    drawing = policy_of(CategoryWeights.chosen(files).probabilities())
    if KIND in files:
        terms = EvaluationWeights.load(files[KIND]).terms
    else:
        terms = EvaluationWeights.shipped().terms if evaluator == "mia2006" else hand_weights(evaluator)
    return McLoa(drawing.weights, drawing.shares, terms, bool(decisive), int(best_of), False)


@implements(evaluate, McLoa)
def evaluate_position(policy, state):
    stones = state["stones"]
    return evaluation(policy.terms, stones[0], stones[1], state["to_play"])


@kernel
def evaluation_after(policy, state, move):
    """The points of the player to move after his move."""
    stones = state["stones"]
    player = state["to_play"]
    own, other = stones[player], stones[1 - player]
    if move != PASS:
        bit = ONE << np.uint64(landing(state["counts"], move >> 3, move & 7))
        own = own ^ (ONE << np.uint64(move >> 3)) ^ bit
        other &= ~bit
    return evaluation_for(policy.terms, own, other, player)


@implements(playout_move, McLoa)
def mc_loa_move(policy, notes, state, rng):
    buffer = notes["moves"]
    stones = state["stones"]
    player = state["to_play"]
    own, other = stones[player], stones[1 - player]
    count = list_moves(state["counts"], own, other, buffer)
    if count == 0:
        return np.int64(PASS)
    if policy.decisive:
        index = winning_entry(own, other, linking_squares(own), buffer, count, state["mover_wins"])
        if index >= 0:
            return move_in(buffer[index])

    # Each entry gets the category of its move in place of its goal.
    shares = policy.shares
    centre = centre_of_mass(own)
    total = 0
    for i in range(count):
        move, target = move_in(buffer[i]), goal_in(buffer[i])
        kind = category(move >> 3, target, np.int64((other >> np.uint64(target)) & ONE), centre)
        buffer[i] = (kind << GOAL_SHIFT) | move
        total += shares[kind]
    best = drawn(shares, buffer, below(rng, total))
    if policy.best_of <= 1:
        return best

    best_points = evaluation_after(policy, state, best)
    for _ in range(policy.best_of - 1):
        move = drawn(shares, buffer, below(rng, total))
        points = evaluation_after(policy, state, move)
        if points > best_points:
            best_points = points
            best = move
    return best


@implements(rate_moves, McLoa)
def rate_by_category_or_evaluation(policy, state, moves, count, ratings):
    if not policy.prior_from_evaluation:
        rate_by_category(policy.weights, state, moves, count, ratings)
        return
    for i in range(count):
        points = evaluation_after(policy, state, np.int64(moves[i]))
        ratings[i]["prior"] = chance_of(points, DECIDED)

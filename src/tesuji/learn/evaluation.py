"""The weights of an evaluation of Lines of Action, fitted to the outcomes of games by logistic regression.

Of every position the nine features are known, and who won in the end. The weights are those under which the outcomes are
likeliest, when the chance of Black is 1 / (1 + exp(-sum of weight times feature)); a draw counts as half a win. There is no
constant: Black and White differ by who is to move alone. The games are records, and games that the program plays itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import kernel
from tesuji.core.errors import UserError
from tesuji.core.game import Game, copy_state
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.knowledge.loa.evaluation import BY_HAND, DECIDED, POINTS, hand_weights
from tesuji.knowledge.loa.evaluation_weights import EvaluationWeights
from tesuji.knowledge.loa.features import FEATURE_COUNT, features
from tesuji.learn.categories import split
from tesuji.learn.records import RecordedGame
from tesuji.learn.self_play import SelfPlay, Variety
from tesuji.players.player import Player

OPENING = 6  # first plies of a game, which are not used
RIDGE = 1e-4  # draws the weights of features, each in units of its own deviation, to 0: keeps the fit from running away
STEPS = 50  # of Newton's method at most; some ten are enough
TO_THE_END = Variety(random_plies=(2, 8), drawn_plies=0, resigning=0.0)
# Of self-play where no other is named: the paper's playouts, with the evaluation by hand, so that no learned one comes back.
_VALUES = {
    "evaluator": "mia2002",
    "selection": "progressive-bias",
    "memory": 64.0,
    "solver": "win-loss",
    "cuts": False,
    "initial_bounds": False,
    "transpositions": False,
}
_VALUES |= {"exploration": 0.4, "prior_weight": 5.0, "policy_below": 5, "playout_cap": 200, "evaluate_every": 3}
SELF_PLAYER = Player("self-play", "playouts by category, judged by hand", _VALUES, games=("loa",))


@dataclass(frozen=True)
class Examples:
    """Positions: their features, and what became of them: 1 Black won, 0.5 a draw, 0 White won."""

    features: np.ndarray  # float64[count, FEATURE_COUNT]
    results: np.ndarray  # float64[count]

    @property
    def count(self) -> int:
        return len(self.results)


@dataclass(frozen=True)
class Judgement:
    """How well an evaluation predicts the results of some positions."""

    positions: int
    log_likelihood: float  # mean natural logarithm of the probability given to the outcome
    accuracy: float  # share of the positions, of games that were won, in which the winner was ahead
    decided: float  # share of all positions that are beyond +-1000
    decided_right: float | None  # share of those that the player who was ahead won (a draw is half of it)

    def as_json(self) -> dict[str, Any]:
        return dict(self.__dict__)


@kernel
def write_features(state, moves, first, out):
    """Plays the moves of one game from `state`, and writes the features of the positions after the first `first` of them."""
    for ply in range(len(moves)):
        if ply >= first:
            stones = state["stones"]
            found = features(stones[0], stones[1], state["to_play"])
            for i in range(FEATURE_COUNT):
                out[ply - first, i] = found[i]
        rules.play(state, moves[ply])


def examples_of(game: Game, games: Sequence[RecordedGame]) -> Examples:
    """All positions in which a move was made, without those of the opening."""
    counts = [max(0, len(one.moves) - OPENING) for one in games]
    total = sum(counts)
    out = np.zeros((total, FEATURE_COUNT))
    results = np.zeros(total)
    walk = compiled(write_features) if total > 1000 and not is_pure() else write_features
    at = 0
    with np.errstate(over="ignore"):
        for one, count in zip(games, counts, strict=True):
            if one.outcome is None:
                raise UserError(f"{one.label}: the record has no result")
            walk(copy_state(one.start), np.array(one.moves, np.int32), OPENING, out[at : at + count])
            results[at : at + count] = (one.outcome + 1) / 2
            at += count
    return Examples(out, results)


def fit(examples: Examples) -> np.ndarray:
    """The weights of the features in points, by Newton's method; float64[FEATURE_COUNT]."""
    if not examples.count:
        raise UserError(f"there is nothing to learn from: no game is longer than {OPENING} plies")
    deviation = np.sqrt(np.mean(examples.features**2, axis=0))
    deviation[deviation == 0.0] = 1.0
    scaled = examples.features / deviation
    weights = np.zeros(FEATURE_COUNT)
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-(scaled @ weights)))
        slope = scaled.T @ (examples.results - chance) / examples.count - RIDGE * weights
        bend = (scaled * (chance * (1.0 - chance))[:, None]).T @ scaled / examples.count + RIDGE * np.eye(FEATURE_COUNT)
        step = np.linalg.solve(bend, slope)
        weights += step / max(1.0, float(np.abs(step).max()))  # a step too long may miss
        if np.abs(step).max() < 1e-9:
            break
    return weights / deviation * POINTS


def judge(terms: np.ndarray, examples: Examples) -> Judgement:
    points = examples.features @ terms
    odds = points / POINTS
    results = examples.results
    likelihood = -(results * np.logaddexp(0.0, -odds) + (1.0 - results) * np.logaddexp(0.0, odds))
    won = results != 0.5
    right = np.where(points == 0.0, 0.5, (points > 0.0) == (results > 0.5))
    beyond = np.abs(points) >= DECIDED
    ahead = np.where(points > 0.0, results, 1.0 - results)
    return Judgement(
        positions=examples.count,
        log_likelihood=float(likelihood.mean()),
        accuracy=float(right[won].mean()) if won.any() else 0.5,
        decided=float(beyond.mean()),
        decided_right=float(ahead[beyond].mean()) if beyond.any() else None,
    )


@dataclass(frozen=True)
class LearnedEvaluation:
    weights: EvaluationWeights  # of all games
    learned_from: int  # games that the tested weights are learned from
    held_out: int
    judgements: dict[str, Judgement]  # of the fitted weights and those by hand, on the games held out


def learn_evaluation(game: Game, games: Sequence[RecordedGame], held_out: float = 0.1, seed: int = 0) -> LearnedEvaluation:
    """Weights of all games; and, of weights fitted without those held out, how well they and the hand's judge them."""
    kept, tested = split(games, held_out, seed)
    judgements = {}
    if tested:
        judgements = judge_all(fit(examples_of(game, kept)), examples_of(game, tested))
    everything = examples_of(game, games)
    weights = EvaluationWeights(fit(everything), len(games), everything.count)
    return LearnedEvaluation(weights, len(kept), len(tested), judgements)


def judge_all(terms: np.ndarray, examples: Examples) -> dict[str, Judgement]:
    if not examples.count:
        raise UserError(f"there is nothing to test the weights on: no game to test on is longer than {OPENING} plies")
    return {"fitted": judge(terms, examples)} | {name: judge(hand_weights(name), examples) for name in BY_HAND}


def games_for_evaluation(game: Game, seed: int = 0, playouts: int | None = None, player: Player | None = None) -> SelfPlay:
    """Games to fit an evaluation to: played to their end, so that the outcome is true of every position."""
    return SelfPlay(game, player or SELF_PLAYER, seed, playouts, TO_THE_END)

"""Transition probabilities of move categories: how often a category is played where it could be (Winands et al. 2008, eq. 2).

A category counts once for each position in which it has a move, and as played in those in which one of its moves was chosen.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.core.rules import play
from tesuji.core.words import counted
from tesuji.knowledge.loa.categories import CATEGORIES, category_in, category_of, list_with_categories
from tesuji.knowledge.loa.weights import CategoryWeights
from tesuji.learn.records import RecordedGame


@dataclass(frozen=True)
class Positions:
    """All positions of some games: position n has the moves of the categories offered[first[n] : first[n + 1]]."""

    offered: np.ndarray
    first: np.ndarray
    chosen: np.ndarray  # the category of the move played, for each position

    @property
    def count(self) -> int:
        return len(self.chosen)


@dataclass(frozen=True)
class Prediction:
    """How well the moves of some games were foretold, by drawing and by naming one move."""

    positions: int
    log_likelihood: float  # mean natural logarithm of the probability of the move played
    top1: float  # share of positions in which the likeliest move was played; equal ones share
    uniform_log_likelihood: float
    uniform_top1: float

    def as_json(self) -> dict[str, Any]:
        return dict(self.__dict__)


@kernel
def offer_categories(state, moves, buffer, offered, first, chosen):
    """Plays the moves of one game from `state`, writing down the categories; first[0] says where to go on in `offered`."""
    for ply in range(len(moves)):
        count = list_with_categories(state, buffer)
        for i in range(count):
            offered[first[ply] + i] = category_in(buffer[i])
        first[ply + 1] = first[ply] + count
        chosen[ply] = category_of(state, moves[ply])
        play(state, moves[ply])


def positions_of(game: Game, games: Sequence[RecordedGame]) -> Positions:
    total = sum(len(one.moves) for one in games)
    offered = np.zeros(total * game.buffer_size, np.int16)
    first = np.zeros(total + 1, np.int64)
    chosen = np.zeros(total, np.int16)
    buffer = np.zeros(game.buffer_size, np.int32)
    walk = compiled(offer_categories) if total > 1000 and not is_pure() else offer_categories
    at = 0
    states = np.zeros(1, game.initial.dtype)
    with np.errstate(over="ignore"):
        for one in games:
            states[0] = one.start
            end = at + len(one.moves)
            walk(states[0], np.array(one.moves, np.int32), buffer, offered, first[at : end + 1], chosen[at:end])
            at = end
    return Positions(offered[: first[-1]], first, chosen)


def count_categories(positions: Positions, games: int) -> CategoryWeights:
    """The counts of all positions. Positions with one legal move are left out."""
    sizes = np.diff(positions.first)
    free = sizes > 1
    owner = np.repeat(np.arange(positions.count), sizes)
    kept = free[owner]
    pairs = np.unique(owner[kept].astype(np.int64) * CATEGORIES + positions.offered[kept])
    available = np.bincount(pairs % CATEGORIES, minlength=CATEGORIES)
    played = np.bincount(positions.chosen[free], minlength=CATEGORIES)
    return CategoryWeights(played, available, games, int(free.sum()))


def predict(weights: CategoryWeights, positions: Positions) -> Prediction:
    """How well the weights predict the moves, each in proportion to its category's weight; positions with a choice only."""
    chance = weights.probabilities()
    sizes = np.diff(positions.first)
    values = chance[positions.offered]
    totals = np.add.reduceat(values, positions.first[:-1])
    highest = np.maximum.reduceat(values, positions.first[:-1])
    equals = np.add.reduceat((values == np.repeat(highest, sizes)).astype(np.float64), positions.first[:-1])
    mine = chance[positions.chosen]
    free = sizes > 1
    if not free.any():
        raise UserError("there is no position with a choice of moves to test the weights on")
    hits = np.where(mine == highest, 1.0 / equals, 0.0)
    return Prediction(
        positions=int(free.sum()),
        log_likelihood=float(np.mean(np.log(mine / totals)[free])),
        top1=float(np.mean(hits[free])),
        uniform_log_likelihood=float(-np.mean(np.log(sizes[free]))),
        uniform_top1=float(np.mean(1.0 / sizes[free])),
    )


def split(games: Sequence[RecordedGame], share: float, seed: int) -> tuple[list[RecordedGame], list[RecordedGame]]:
    """(games to learn from, games held out): whole games, drawn by the seed."""
    held = math.ceil(share * len(games)) if share > 0 else 0
    if held and held >= len(games):
        there = counted(len(games), "game")
        raise UserError(f"{there}: too few to hold some out; --held-out 0 learns from all and tests nothing")
    out = set(random.Random(seed).sample(range(len(games)), held))
    return [g for n, g in enumerate(games) if n not in out], [g for n, g in enumerate(games) if n in out]


@dataclass(frozen=True)
class LearnedCategories:
    weights: CategoryWeights  # of all games
    games: int
    learned_from: int  # games that the tested weights are learned from
    held_out: int
    prediction: Prediction | None


def learn_categories(game: Game, games: Sequence[RecordedGame], held_out: float = 0.1, seed: int = 0) -> LearnedCategories:
    """Weights learned from all games, and a test: how well weights learned without the held-out games predict these."""
    kept, tested = split(games, held_out, seed)
    prediction = None
    if tested:
        partial = count_categories(positions_of(game, kept), len(kept))
        prediction = predict(partial, positions_of(game, tested))
    everything = count_categories(positions_of(game, games), len(games))
    return LearnedCategories(everything, len(games), len(kept), len(tested), prediction)

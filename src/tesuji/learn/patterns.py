"""Patterns of the K nearest neighbours from game records of Go (Bouzy and Chaslot 2005): which are played, and how often.

Two passes. The first counts the patterns of the moves that were played, and keeps those played often enough; so every part
of a pattern that is kept is kept as well. The second looks at all legal moves of all positions: for each pattern, how often
it was the largest that matched (m), and how often such a move was played (q). Counting only the largest matters: the
probability of a small pattern is that of the moves which no larger one describes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.errors import UserError
from tesuji.core.numba.local_copies import local_zeros
from tesuji.core.rules import moves as list_moves
from tesuji.core.rules import play
from tesuji.core.words import counted
from tesuji.games.go.state import MOST_POINTS, NOWHERE
from tesuji.knowledge.go.nearest_patterns import (
    CHANCE_SHIFT,
    EMPTY_WORK,
    END,
    MOST_NEIGHBOURS,
    begin_patterns,
    chance_of_play,
    largest_pattern,
    next_pattern,
    place_on_board,
    see_board,
    table_of,
)
from tesuji.knowledge.go.pattern_weights import PatternWeights
from tesuji.learn.categories import split
from tesuji.learn.records import RecordedGame, compiled_if_many, replays

LEVELS = MOST_NEIGHBOURS + 2  # patterns of one move: none, 1 to K neighbours, nothing else
GAMES_AT_ONCE = 4000  # 600 MB at most in games of 19x19
LEAST = 10  # plays
Progress = Callable[[float, str], None]
Weights = TypeVar("Weights")


@kernel
def write_patterns_played(state, moves, keys):
    """Plays the moves of one game from `state`: row n gets the keys of the patterns of move n, smallest first, then END."""
    work = local_zeros(EMPTY_WORK)
    for ply in range(len(moves)):
        point = np.int64(state["point_of"][moves[ply]])
        for level in range(LEVELS):
            keys[ply, level] = END
        if point != NOWHERE:
            see_board(work, state)
            keys[ply, 0] = begin_patterns(work, place_on_board(point))
            level = 1
            while level < LEVELS:
                keys[ply, level] = next_pattern(work)
                if keys[ply, level] == END:
                    break
                level += 1
        play(state, moves[ply])


@kernel
def count_patterns(state, moves, buffer, table, matches, plays):
    """Plays the moves of one game from `state`, counting by index in the table: the largest pattern of each legal move."""
    work = local_zeros(EMPTY_WORK)
    point_of = state["point_of"]
    for ply in range(len(moves)):
        if point_of[moves[ply]] != NOWHERE:
            see_board(work, state)
            for i in range(list_moves(state, buffer)):
                point = np.int64(point_of[buffer[i]])
                if point != NOWHERE:
                    found = largest_pattern(table, work, place_on_board(point))
                    matches[found] += 1
                    if buffer[i] == moves[ply]:
                        plays[found] += 1
        play(state, moves[ply])


@kernel
def write_rank(chances, count, played, total, rank):
    """The rank of a move among `count` by their chances: how many were likelier than the one played, how many equally likely
    (itself included), its share of all probability, and the number of moves."""
    for i in range(count):
        rank[0] += 1.0 if chances[i] > played else 0.0
        rank[1] += 1.0 if chances[i] == played else 0.0
    rank[2] = played / total
    rank[3] = count


@kernel
def predict_moves(state, moves, buffer, chances, table, ranks):
    """Plays the moves of one game from `state`; ranks[ply] gets the rank of each that is no pass."""
    work = local_zeros(EMPTY_WORK)
    point_of = state["point_of"]
    for ply in range(len(moves)):
        if point_of[moves[ply]] != NOWHERE:
            see_board(work, state)
            count = list_moves(state, buffer) - 1  # the last is the pass
            total, played = 0.0, 0.0
            for i in range(count):
                chances[i] = chance_of_play(table, work, np.int64(point_of[buffer[i]]))
                total += chances[i]
                if buffer[i] == moves[ply]:
                    played = chances[i]
            write_rank(chances, count, played, total, ranks[ply])
        play(state, moves[ply])


@dataclass(frozen=True)
class PatternPrediction:
    """How well the moves of some games were predicted. Of moves rated equal, each is as likely to come first."""

    positions: int
    top1: float
    top5: float
    top10: float
    log_likelihood: float  # mean natural logarithm of the probability of the move played
    uniform_top1: float
    uniform_log_likelihood: float

    def as_json(self) -> dict[str, Any]:
        return dict(self.__dict__)


@dataclass(frozen=True)
class LearnedPatterns(Generic[Weights]):
    weights: Weights  # of all games but those held out
    learned_from: int
    held_out: int
    prediction: PatternPrediction | None  # of the games held out

    @property
    def predictions(self) -> dict[str, PatternPrediction | None]:
        return {"prediction": self.prediction}


def learn_patterns(
    games: Sequence[RecordedGame],
    held_out: float = 0.1,
    seed: int = 0,
    least: int = LEAST,
    on_progress: Progress | None = None,
) -> LearnedPatterns[PatternWeights]:
    """Patterns learned from the games without those held out, and how well they predict these.

    Patterns played fewer than `least` times are not kept.
    """
    return learned_without(games, held_out, seed, least, patterns_of, predict, on_progress)


def learned_without(
    games: Sequence[RecordedGame],
    held_out: float,
    seed: int,
    least: int,
    learn: Callable[[Sequence[RecordedGame], int, Progress], Weights],
    predict: Callable[[Weights, Sequence[RecordedGame]], PatternPrediction],
    on_progress: Progress | None,
) -> LearnedPatterns[Weights]:
    """What is learned from the games without the share held out, and how well it predicts these."""
    report = on_progress or (lambda share, text: None)
    kept, tested = split(games, held_out, seed)
    weights = learn(kept, least, report)
    report(1.0, "predicting")
    return LearnedPatterns(weights, len(kept), len(tested), predict(weights, tested) if tested else None)


def patterns_of(games: Sequence[RecordedGame], least: int, report: Progress) -> PatternWeights:
    """The patterns that were played `least` times or more, with their counts."""
    keys = harvest(games, least, report)
    if not len(keys):
        there = counted(len(games), "game")
        raise UserError(f"no pattern was played {least} times in {there}: give more games, or a smaller --least")
    table = table_of(keys, np.full(len(keys), 0.5))
    matches, plays = np.zeros(len(table), np.int64), np.zeros(len(table), np.int64)
    count = compiled_if_many(count_patterns, games)
    buffer = np.zeros(MOST_POINTS + 1, np.int32)
    with np.errstate(over="ignore"):
        for number, (state, moves) in enumerate(replays(games)):
            count(state, moves, buffer, table, matches, plays)
            if number % 50 == 0:
                report(0.2 + 0.8 * number / len(games), f"{number} of {len(games)} games counted")
    used = np.flatnonzero(table)
    order = used[np.argsort(table[used])]
    positions = int(plays.sum())
    return PatternWeights(table[order] >> CHANCE_SHIFT, plays[order], matches[order], len(games), positions)


def harvest(games: Sequence[RecordedGame], least: int, report: Progress) -> np.ndarray:
    """The keys of the patterns that were played `least` times or more, in order."""
    write = compiled_if_many(write_patterns_played, games)
    keys, counts = np.zeros(0, np.uint64), np.zeros(0, np.int64)
    for first in range(0, len(games), GAMES_AT_ONCE):
        some = games[first : first + GAMES_AT_ONCE]
        rows = np.zeros((sum(len(one.moves) for one in some), LEVELS), np.uint64)
        at = 0
        with np.errstate(over="ignore"):
            for state, moves in replays(some):
                write(state, moves, rows[at : at + len(moves)])
                at += len(moves)
        new, new_counts = np.unique(rows[rows != END], return_counts=True)
        joined = np.concatenate([keys, new])
        weights = np.concatenate([counts, new_counts])
        keys, where = np.unique(joined, return_inverse=True)
        counts = np.bincount(where, weights, minlength=len(keys)).astype(np.int64)
        report(0.2 * first / len(games), f"patterns of {first} of {len(games)} games")
    return keys[counts >= least]


def predict(weights: PatternWeights, games: Sequence[RecordedGame]) -> PatternPrediction:
    """How well the patterns predict the moves, each in proportion to its probability of play. Passes are left out."""
    table = weights.table()
    walk = compiled_if_many(predict_moves, games)
    buffer, chances = np.zeros(MOST_POINTS + 1, np.int32), np.zeros(MOST_POINTS + 1)
    found = []
    with np.errstate(over="ignore"):
        for state, moves in replays(games):
            ranks = np.zeros((len(moves), 4))
            walk(state, moves, buffer, chances, table, ranks)
            found.append(ranks[ranks[:, 3] > 0])
    return prediction_of(np.concatenate(found))


def predictions(weights: PatternWeights, games: Sequence[RecordedGame]) -> dict[str, PatternPrediction]:
    return {"prediction": predict(weights, games)}


def prediction_of(ranks: np.ndarray) -> PatternPrediction:
    """The prediction whose ranks (`predict_moves`) these are."""
    likelier, equal, chance, points = ranks.T
    if not len(points):
        raise UserError("there is no move to test the patterns on")

    def within(most: int) -> float:
        return float(np.mean(np.clip((most - likelier) / equal, 0.0, 1.0)))

    return PatternPrediction(
        positions=len(points),
        top1=within(1),
        top5=within(5),
        top10=within(10),
        log_likelihood=float(np.mean(np.log(chance))),
        uniform_top1=float(np.mean(1.0 / points)),
        uniform_log_likelihood=float(-np.mean(np.log(points))),
    )

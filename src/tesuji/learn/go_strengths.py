"""Strengths of moves of Go from game records, by minorization-maximization (Coulom 2007).

A position is a competition of its legal moves. A move is a team: its largest pattern of nearest neighbours that was played
often enough, and its features (move_features.py). Every n-th position is used if there are more than memory has room for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.errors import UserError
from tesuji.core.numba.local_copies import local_zeros
from tesuji.core.rules import moves as list_moves
from tesuji.core.rules import play
from tesuji.core.words import counted
from tesuji.games.go.state import MOST_POINTS, NOWHERE
from tesuji.knowledge.go.move_features import FAMILY_COUNT, FEATURES, feature_of, strength_of_features
from tesuji.knowledge.go.nearest_patterns import (
    CHANCE_SHIFT,
    EMPTY_WORK,
    chance_of_play,
    largest_pattern,
    place_on_board,
    see_board,
    table_of,
)
from tesuji.knowledge.go.strength_weights import MoveStrengths
from tesuji.knowledge.go.tactics import EMPTY_OVERVIEW, measure_distances, read_ladders, tactics_of
from tesuji.knowledge.weight_files import Strengths
from tesuji.learn.minorization import NONE, Competitions, Progress, fit
from tesuji.learn.patterns import LearnedPatterns, PatternPrediction, harvest, learned_without, prediction_of, write_rank
from tesuji.learn.records import RecordedGame, compiled_if_many, replays

LEAST = 10  # plays of a pattern, in the positions used
MOST_TEAMS = 100_000_000  # of eleven numbers of four bytes each: 4.4 GB
COLUMNS = 1 + FAMILY_COUNT  # of a team: its pattern, then a feature of each family
ROUNDS = 15


@kernel
def see_position(work, overview, state, buffer):
    """Draws the board and works out what each legal move does; returns how many there are without the pass, which is last."""
    see_board(work, state)
    read_ladders(overview, state)
    measure_distances(overview, state)
    count = list_moves(state, buffer) - 1
    for i in range(count):
        point = np.int64(state["point_of"][buffer[i]])
        overview["tactics"][point] = tactics_of(overview, work["board"], state, point)
    return count


@kernel
def write_teams(state, moves, buffer, table, numbers, first_number, every, offset, teams, first, winners, at, row):
    """Plays the moves of one game from `state` and writes the competitions of every n-th position; returns where to go on."""
    work = local_zeros(EMPTY_WORK)
    for ply in range(len(moves)):
        if (ply + offset) % every == 0 and state["point_of"][moves[ply]] != NOWHERE:
            overview = local_zeros(EMPTY_OVERVIEW)
            count = see_position(work, overview, state, buffer)
            first[row] = at
            for i in range(count):
                point = np.int64(state["point_of"][buffer[i]])
                tactics = np.int64(overview["tactics"][point])
                teams[at, 0] = numbers[largest_pattern(table, work, place_on_board(point))]
                for family in range(FAMILY_COUNT):
                    feature = feature_of(family, tactics, state, point)
                    teams[at, 1 + family] = NONE if feature == 0 else first_number + family * FEATURES + feature
                if buffer[i] == moves[ply]:
                    winners[row] = at
                at += 1
            row += 1
        play(state, moves[ply])
    return at, row


@kernel
def predict_moves(state, moves, buffer, chances, table, features, ranks):
    """As `predict_moves` of patterns.py, by the strengths of moves."""
    work = local_zeros(EMPTY_WORK)
    for ply in range(len(moves)):
        if state["point_of"][moves[ply]] != NOWHERE:
            overview = local_zeros(EMPTY_OVERVIEW)
            count = see_position(work, overview, state, buffer)
            total, played = 0.0, 0.0
            for i in range(count):
                point = np.int64(state["point_of"][buffer[i]])
                tactics = np.int64(overview["tactics"][point])
                chances[i] = chance_of_play(table, work, point) * strength_of_features(features, tactics, state, point)
                total += chances[i]
                if buffer[i] == moves[ply]:
                    played = chances[i]
            write_rank(chances, count, played, total, ranks[ply])
        play(state, moves[ply])


def learn_patterns(
    games: Sequence[RecordedGame],
    held_out: float = 0.1,
    seed: int = 0,
    least: int = LEAST,
    on_progress: Progress | None = None,
) -> LearnedPatterns[MoveStrengths]:
    """Strengths learned from the games without those held out, and how well they predict these."""
    return learned_without(games, held_out, seed, least, strengths_of, predict, on_progress)


def strengths_of(games: Sequence[RecordedGame], least: int, report: Progress) -> MoveStrengths:
    """The strengths of the patterns that were played `least` times or more, and of all other features."""
    every = max(1, -(-most_teams(games, 1) // MOST_TEAMS))
    keys = harvest(games, least * every, report)
    if not len(keys):
        there = counted(len(games), "game")
        raise UserError(f"no pattern was played {least} times in {there}: give more games, or a smaller --least")
    part = teams_of(games, keys, every, report)
    count = 1 + len(keys) + FAMILY_COUNT * FEATURES
    gammas = fit([part], count, rounds=ROUNDS, on_progress=lambda share, text: report(0.4 + 0.6 * share, text))
    features = gammas[1 + len(keys) :].reshape(FAMILY_COUNT, FEATURES)
    return MoveStrengths(Strengths(keys, gammas[1 : 1 + len(keys)]), features, len(games), part.count)


def teams_of(games: Sequence[RecordedGame], keys: np.ndarray, every: int, report: Progress) -> Competitions:
    """The competitions of every n-th position. Patterns are numbered first, from 1 in the order of `keys`, then the features,
    family by family."""
    table = table_of(keys, np.full(len(keys), 0.5))
    numbers = np.zeros(len(table), np.int32)
    used = np.flatnonzero(table)
    numbers[used] = 1 + np.searchsorted(keys, table[used] >> CHANCE_SHIFT)
    rows = sum(len(one.moves) // every + 1 for one in games)
    teams = np.zeros((most_teams(games, every), COLUMNS), np.int32)
    first, winners = np.zeros(rows + 1, np.int64), np.zeros(rows, np.int64)
    write, buffer = compiled_if_many(write_teams, games), np.zeros(MOST_POINTS + 1, np.int32)
    at, row = 0, 0
    with np.errstate(over="ignore"):
        for number, (state, moves) in enumerate(replays(games)):
            at, row = write(state, moves, buffer, table, numbers, 1 + len(keys), every, number, teams, first, winners, at, row)
            if number % 100 == 0:
                report(0.2 + 0.2 * number / len(games), f"features of {number} of {len(games)} games")
    first[row] = at
    return Competitions(teams[:at], first[: row + 1], winners[:row])


def most_teams(games: Sequence[RecordedGame], every: int) -> int:
    """An upper bound on the moves of every n-th position of the games."""
    return sum((len(one.moves) // every + 1) * int(one.start["size"]) ** 2 for one in games)


def predict(weights: MoveStrengths, games: Sequence[RecordedGame]) -> PatternPrediction:
    """How well the strengths predict the moves. Passes are left out."""
    walk = compiled_if_many(predict_moves, games)
    buffer, chances = np.zeros(MOST_POINTS + 1, np.int32), np.zeros(MOST_POINTS + 1)
    found = []
    with np.errstate(over="ignore"):
        for state, moves in replays(games):
            ranks = np.zeros((len(moves), 4))
            walk(state, moves, buffer, chances, weights.table(), weights.features, ranks)
            found.append(ranks[ranks[:, 3] > 0])
    return prediction_of(np.concatenate(found))


def predictions(weights: MoveStrengths, games: Sequence[RecordedGame]) -> dict[str, PatternPrediction]:
    return {"prediction": predict(weights, games)}

"""Patterns of Hex from game records, by minorization-maximization (Huang et al. 2013, section 4.3).

Three fits of the same positions: each pattern alone, wherever it is (the paper's global patterns); each pattern near the last
move, all other moves having strength 1 (the local ones); and the product of all features (knowledge/hex/patterns/features.py),
for the tree. The first move of a game is left out: with the swap rule it is not meant to be good.

The harvest counts, over all moves of all positions, how often a pattern was seen and how often played, and keeps those that
were seen or played often enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.errors import UserError
from tesuji.core.rules import play
from tesuji.core.words import counted
from tesuji.knowledge.hex.geometry import EMPTY, place_of
from tesuji.knowledge.hex.patterns.codes import BOARD_FIELDS, see_position, six_of, turned
from tesuji.knowledge.hex.patterns.features import (
    EDGE_FEATURES,
    LAST_CLASSES,
    LOCAL,
    NO_KEY,
    NO_LAST,
    SHAPE,
    cell_of,
    edge_feature,
    keys_of,
    last_class,
    outer_ring,
)
from tesuji.knowledge.hex.patterns.open_addressing import find_key, open_addressing, places_of
from tesuji.knowledge.hex.patterns.priors import strength_of, summed_strength_of
from tesuji.knowledge.hex.patterns.weights import HexPatterns
from tesuji.knowledge.weight_files import Strengths
from tesuji.learn.categories import split
from tesuji.learn.minorization import NONE, Competitions, Progress, fit
from tesuji.learn.patterns import PatternPrediction, prediction_of, write_rank
from tesuji.learn.records import RecordedGame, compiled_if_many, replays

LEAST, LEAST_PLAYED = 20, 2  # times that a 12-cell pattern was seen, or played: either is enough
LEAST_LARGE = 50  # times that an 18-cell pattern was seen
LEAST_IN_PLAYOUTS = 50  # times that a 12-cell pattern was seen, for playouts: a small table is faster
MOST_TEAMS = 60_000_000  # moves that are kept in memory at 24 bytes each: of more, only some positions are used for the fits
FIRST_COUNTS = 1 << 16
COLUMNS = 6
SHAPE_COLUMN, REPLY_COLUMN, LARGE_COLUMN, LAST_COLUMN, EDGE_COLUMN, LOCAL_COLUMN = range(COLUMNS)
FEATURE_COLUMNS = (SHAPE_COLUMN, REPLY_COLUMN, LARGE_COLUMN, LAST_COLUMN, EDGE_COLUMN)
BOARD = np.dtype(list(BOARD_FIELDS), align=True)
U32_MASK = np.uint64(0xFFFFFFFF)


# -- kernels -------------------------------------------------------------------------------------------------------------------
@kernel
def is_example(state, move):
    """Whether the move is one to learn from: a stone, and not the first."""
    return state["count"] > 0 and move < state["width"] * state["height"]


@kernel
def keys_at(board, state, column, row):
    """The keys of a move (features.py), and its class of the family `last`."""
    width = np.int64(state["width"])
    player = np.int64(state["to_play"])
    last = np.int64(state["last_move"])
    columns, rows = last % width - column, last // width - row
    cell = cell_of(columns, rows) if last >= 0 else np.int64(-1)
    place = place_of(column, row)
    shape, six, reply, large = keys_of(board["codes"][place], outer_ring(board["colours"], place), cell, player)
    return shape, six, reply, large, last_class(columns, rows, player) if last >= 0 else np.int64(NO_LAST)


@kernel
def count_moves(state, moves, board, keys, shift, seen, plays):
    """Plays a game from `state`: counts how often each key was there and was played. Returns how many new keys there were."""
    new = 0
    width, height = np.int64(state["width"]), np.int64(state["height"])
    for ply in range(len(moves)):
        if is_example(state, moves[ply]):
            see_position(board, state)
            for row in range(height):
                for column in range(width):
                    if board["colours"][place_of(column, row)] == EMPTY:
                        shape, _six, reply, large, _last = keys_at(board, state, column, row)
                        played = moves[ply] == row * width + column
                        new += count_key(keys, shift, shape, played, seen, plays)
                        new += count_key(keys, shift, large, played, seen, plays)
                        if reply != NO_KEY:
                            new += count_key(keys, shift, reply, played, seen, plays)
        play(state, moves[ply])
    return new


@kernel
def count_key(keys, shift, key, played, seen, plays):
    at = find_key(keys, shift, key)
    new = keys[at] == NO_KEY
    keys[at] = key
    seen[at] += 1
    if played:
        plays[at] += 1
    return 1 if new else 0


@kernel
def write_teams(state, moves, board, keys, shift, numbers, bases, every, offset, teams, first, winners, at, row_at):
    """Plays a game from `state`: writes the features of all moves of every n-th position (`every`). Returns where to go on."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    for ply in range(len(moves)):
        if is_example(state, moves[ply]) and (ply + offset) % every == 0:
            see_position(board, state)
            first[row_at] = at
            for row in range(height):
                for column in range(width):
                    if board["colours"][place_of(column, row)] == EMPTY:
                        shape, six, reply, large, last = keys_at(board, state, column, row)
                        known = find_key(keys, shift, shape)
                        teams[at, SHAPE_COLUMN] = numbers[known if keys[known] != NO_KEY else find_key(keys, shift, six)]
                        teams[at, LARGE_COLUMN] = numbers[find_key(keys, shift, large)]
                        teams[at, REPLY_COLUMN] = NONE
                        teams[at, LOCAL_COLUMN] = NONE
                        if reply != NO_KEY:
                            teams[at, REPLY_COLUMN] = numbers[find_key(keys, shift, reply)]
                            known = find_key(keys, shift, shape | LOCAL)
                            local = known if keys[known] != NO_KEY else find_key(keys, shift, six | LOCAL)
                            teams[at, LOCAL_COLUMN] = numbers[local]
                        teams[at, LAST_COLUMN] = bases[0] + last
                        teams[at, EDGE_COLUMN] = bases[1] + edge_feature(column, row, width, height, np.int64(state["to_play"]))
                        if moves[ply] == row * width + column:
                            winners[row_at] = at
                        at += 1
            row_at += 1
        play(state, moves[ply])
    return at, row_at


@kernel
def predict_moves(state, moves, board, table, summed, strengths, ranks):
    """Plays a game from `state`. ranks[ply] says of each example: how many moves were stronger, how many as strong (itself
    included), its share of all strength, and the number of moves; zeros for other plies."""
    width, height = np.int64(state["width"]), np.int64(state["height"])
    for ply in range(len(moves)):
        for column in range(4):
            ranks[ply, column] = 0.0
        if is_example(state, moves[ply]):
            see_position(board, state)
            player = np.int64(state["to_play"])
            last = np.int64(state["last_move"])
            last_column, last_row = (last % width, last // width) if last >= 0 else (np.int64(-1), np.int64(-1))
            count = 0
            total, played = 0.0, 0.0
            for row in range(height):
                for column in range(width):
                    if board["colours"][place_of(column, row)] == EMPTY:
                        if summed:
                            strength = summed_strength_of(table, board, column, row, last_column, last_row, player)
                        else:
                            strength = strength_of(table, board, column, row, width, height, last_column, last_row, player)
                        strengths[count] = strength
                        total += strength
                        if moves[ply] == row * width + column:
                            played = strength
                        count += 1
            write_rank(strengths, count, played, total, ranks[ply])
        play(state, moves[ply])


# -- harvest -------------------------------------------------------------------------------------------------------------------
class Harvest:
    """Every key of some games: how often it was seen, and how often played."""

    def __init__(self, games: Sequence[RecordedGame], report: Progress):
        self.keys, self.shift = np.zeros(FIRST_COUNTS, np.uint64), np.uint64(64 - FIRST_COUNTS.bit_length() + 1)
        self.seen, self.plays = np.zeros(FIRST_COUNTS, np.int32), np.zeros(FIRST_COUNTS, np.int32)
        count, used, board = compiled_if_many(count_moves, games), 0, np.zeros(1, BOARD)[0]
        with np.errstate(over="ignore"):
            for number, (state, moves) in enumerate(replays(games)):
                most_new = 3 * len(moves) * int(state["width"]) * int(state["height"])
                while used + most_new > len(self.keys) * 3 // 4:
                    self._grow()
                used += count(state, moves, board, self.keys, self.shift, self.seen, self.plays)
                if number % 100 == 0:
                    report(0.3 * number / len(games), f"patterns of {number} of {len(games)} games")
        there = np.flatnonzero(self.keys)
        there = there[np.argsort(self.keys[there])]
        self.keys, self.seen, self.plays = self.keys[there], self.seen[there], self.plays[there]

    def _grow(self) -> None:
        there = np.flatnonzero(self.keys)
        size = 2 * len(self.keys)
        bits = size.bit_length() - 1
        places = places_of(self.keys[there], bits)
        self.keys, self.seen, self.plays = (_moved(old, there, places, size) for old in (self.keys, self.seen, self.plays))
        self.shift = np.uint64(64 - bits)

    def of_kind(self, kind: str) -> np.ndarray:
        """Where the keys of a family are: shape, reply or large."""
        if kind == "large":
            return self.keys & SHAPE == 0
        is_reply = self.keys >> np.uint64(32) & np.uint64(0xFF) != 0
        return (self.keys & SHAPE != 0) & (is_reply if kind == "reply" else ~is_reply)

    def kept(self, least: int) -> dict[str, np.ndarray]:
        """The keys to learn, by family. 6-cell patterns are kept whenever one was seen. `least` goes before LEAST."""
        often = (self.seen >= least) | (self.plays >= max(1, LEAST_PLAYED * least // LEAST))
        shapes = self.of_kind("shape")
        replies = self.of_kind("reply")
        six = sixes_of(self.keys[shapes])
        local = Counted(self.keys[replies] & U32_MASK | SHAPE, self.seen[replies])
        return {
            "shape": self.keys[shapes & often],
            "six": six,
            "playouts": self.keys[shapes & (self.seen >= LEAST_IN_PLAYOUTS * least // LEAST)],
            "reply": self.keys[replies & often],
            "large": self.keys[self.of_kind("large") & (self.seen >= LEAST_LARGE * least // LEAST)],
            "local": np.concatenate([local.keys[local.seen >= least], sixes_of(local.keys)]),
        }


def _moved(old: np.ndarray, there: np.ndarray, places: np.ndarray, size: int) -> np.ndarray:
    """A larger array with what stood in the old one, at new places."""
    new = np.zeros(size, old.dtype)
    new[places] = old[there]
    return new


class Counted:
    """Equal keys joined, their counts added up."""

    def __init__(self, keys: np.ndarray, seen: np.ndarray):
        self.keys, where = np.unique(keys, return_inverse=True)
        self.seen = np.bincount(where, seen, minlength=len(self.keys))


def sixes_of(shapes: np.ndarray) -> np.ndarray:
    """The keys of the 6-cell patterns within 12-cell patterns, in order."""
    codes = six_of((shapes & U32_MASK).astype(np.uint32))
    return np.unique(np.minimum(codes, turned(codes))).astype(np.uint64) | SHAPE


# -- learning ------------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class LearnedHexPatterns:
    weights: HexPatterns  # of all games but those held out
    learned_from: int
    held_out: int
    predictions: Mapping[str, PatternPrediction | None]  # of the games held out


def learn_patterns(
    games: Sequence[RecordedGame],
    held_out: float = 0.1,
    seed: int = 0,
    least: int = LEAST,
    on_progress: Progress | None = None,
    rounds: int = 12,
) -> LearnedHexPatterns:
    """Patterns learned from the games without those held out, and how well they predict these."""
    report = on_progress or (lambda share, text: None)
    kept, tested = split(games, held_out, seed)
    weights = patterns_of(kept, least, report, rounds)
    report(1.0, "predicting")
    found = predictions(weights, tested) if tested else {"prediction": None, "summed": None}
    return LearnedHexPatterns(weights, len(kept), len(tested), found)


def patterns_of(games: Sequence[RecordedGame], least: int, report: Progress, rounds: int = 12) -> HexPatterns:
    """The patterns and features of these games with their strengths."""
    kept = Harvest(games, report).kept(least)
    if not len(kept["shape"]) or not len(kept["playouts"]) or not len(kept["large"]) or not len(kept["reply"]):
        there = counted(len(games), "game")
        raise UserError(f"too few patterns occur {least} times in {there}: give more games, or a smaller --least")
    keyed = np.concatenate([kept["shape"], kept["six"], kept["reply"], kept["large"]])
    features, local = np.unique(keyed), kept["local"] | LOCAL
    part, count, numbers = teams_of(games, np.concatenate([features, local]), report)
    at = 1 + len(features) + len(local)

    def strengths(columns: Sequence[int], begin: float) -> np.ndarray:
        return fit(
            [part], count, rounds=rounds, families=columns, on_progress=lambda share, text: report(begin + 0.2 * share, text)
        )

    alone = strengths([SHAPE_COLUMN], 0.4)
    nearby = strengths([LOCAL_COLUMN], 0.6)
    together = strengths(FEATURE_COLUMNS, 0.8)
    number = dict(zip(np.concatenate([features, local]).tolist(), numbers, strict=True))
    everywhere = np.unique(np.concatenate([kept["playouts"], kept["six"]]))
    return HexPatterns(
        everywhere=Strengths(everywhere & U32_MASK, alone[[number[key] for key in everywhere.tolist()]]),
        replies=Strengths(np.sort(local & U32_MASK), nearby[[number[key] for key in np.sort(local).tolist()]]),
        features=Strengths(features, together[1 : 1 + len(features)]),
        last=together[at : at + LAST_CLASSES],
        edges=together[at + LAST_CLASSES : at + LAST_CLASSES + EDGE_FEATURES],
        games=len(games),
        positions=part.count,
    )


def teams_of(games: Sequence[RecordedGame], keys: np.ndarray, report: Progress) -> tuple[Competitions, int, np.ndarray]:
    """The competitions of the games, how many features there are, and the number of each key's."""
    table, places, shift = open_addressing(keys)
    numbers = np.zeros(len(table), np.int32)
    numbers[places] = own = np.arange(1, 1 + len(keys), dtype=np.int32)
    bases = np.array([1 + len(keys), 1 + len(keys) + LAST_CLASSES], np.int64)
    every = max(1, -(-most_teams(games, 1) // MOST_TEAMS))
    rows = sum(len(one.moves) // every + 1 for one in games)
    teams = np.zeros((most_teams(games, every), COLUMNS), np.int32)
    first, winners = np.zeros(rows + 1, np.int64), np.zeros(rows, np.int64)
    write, board = compiled_if_many(write_teams, games), np.zeros(1, BOARD)[0]
    at, row = 0, 0
    with np.errstate(over="ignore"):
        for number, (state, moves) in enumerate(replays(games)):
            at, row = write(state, moves, board, table, shift, numbers, bases, every, number, teams, first, winners, at, row)
            if number % 100 == 0:
                report(0.3 + 0.1 * number / len(games), f"features of {number} of {len(games)} games")
    first[row] = at
    return Competitions(teams[:at], first[: row + 1], winners[:row]), int(bases[1]) + EDGE_FEATURES, own


def most_teams(games: Sequence[RecordedGame], every: int) -> int:
    """An upper bound on the moves of every n-th position of the games."""
    return sum((len(one.moves) // every + 1) * int(one.start["width"]) * int(one.start["height"]) for one in games)


def predict(weights: HexPatterns, games: Sequence[RecordedGame], summed: bool = False) -> PatternPrediction:
    """How well the features, or the paper's sum of patterns, predict the moves of games."""
    table = weights.sum_table if summed else weights.product_table
    walk, board, strengths = compiled_if_many(predict_moves, games), np.zeros(1, BOARD)[0], np.zeros(400)
    found = []
    with np.errstate(over="ignore"):
        for state, moves in replays(games):
            ranks = np.zeros((len(moves), 4))
            walk(state, moves, board, table, summed, strengths, ranks)
            found.append(ranks[ranks[:, 3] > 0])
    return prediction_of(np.concatenate(found))


def predictions(weights: HexPatterns, games: Sequence[RecordedGame]) -> dict[str, PatternPrediction]:
    """By the features, and by the sum of the paper's two patterns."""
    return {"prediction": predict(weights, games), "summed": predict(weights, games, True)}

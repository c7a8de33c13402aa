"""Playouts by the mean results that moves have had in all games of the search.

MAST, the move-average sampling technique (Finnsson and Bjornsson 2008), keeps the mean of every move of a player, wherever it
was made. NST, the N-gram selection technique (Tak, Winands and Bjornsson 2012), keeps those of sequences of two and three moves
as well: a move is worth the mean of its own and those of its sequences that were seen often enough. Either draws by Gibbs
sampling (the older paper) or goes for the best but for a share of random moves (epsilon-greedy, the newer one).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel, operation
from tesuji.core.parameters import Parameter
from tesuji.core.random import below, unit
from tesuji.core.rules import FIRST, moves, to_play
from tesuji.search.kernel.scale import for_mover
from tesuji.search.playouts.interface import chosen_move, learn_from
from tesuji.search.playouts.memory import first_key, place_of_sequence, room_for_sequence, sequence_key
from tesuji.search.policy import playout_move

EPSILON = Parameter(
    "epsilon",
    0.4,
    "share of playout moves that the policy makes; all others are the best by their mean",
    0.0,
    1.0,
    tuning="0.05..0.8",
)
TEMPERATURE = Parameter(
    "temperature",
    0.1,
    "T: a move of mean q, from 0 to 1, is drawn in proportion to exp(q / T)",
    0.01,
    1e6,
    tuning="0.03..1:log",
)
DRAW_BY = Parameter(
    "draw_by",
    "epsilon",
    "how playouts draw a move by its mean: mostly the best one, or each in proportion to exp(mean / T)",
    choices=("epsilon", "softmax"),
    parts={"epsilon": (EPSILON,), "softmax": (TEMPERATURE,)},
)
SEQUENCE_GAMES = Parameter(
    "sequence_games", 7, "games from which on the mean of a sequence of moves counts", 1, 1_000_000, tuning="2..50:log"
)


# -- what a move is worth --------------------------------------------------------------------------------------------------
class Moves(NamedTuple):
    """MAST: the mean of the move alone."""

    nothing: int = 0

    TABLES = ("visits", "means")


class Sequences(NamedTuple):
    """NST: with those of the last move and it, and of the last two and it."""

    games: int

    TABLES = ("visits", "means", "sequences")


@operation
def keys_before(values, scratch, player, ply):
    """The keys of what comes before a move of this player: the last move, and the last two; 0 = there are none."""


@operation
def worth_of(values, learned, player, move, last, last_two):
    """What a move of the player is worth, from 0 to 1."""


@operation
def note_game(values, scratch, ply, player, result):
    """The move at `ply`, by `player`, was made in a game with this result, from 0 to 1 for him."""


@implements(keys_before, Moves)
def no_keys(values, scratch, player, ply):
    return np.uint64(0), np.uint64(0)


@implements(keys_before, Sequences)
@kernel
def keys_of_sequences(values, scratch, player, ply):
    last, last_two = np.uint64(0), np.uint64(0)
    if ply >= 1:
        last = sequence_key(first_key(player), scratch.history[ply - 1])
    if ply >= 2:
        last_two = sequence_key(last, scratch.history[ply - 2])
    return last, last_two


@implements(worth_of, Moves)
@kernel
def mean_of_move(values, learned, player, move, last, last_two):
    return learned.means[player, move & (learned.means.shape[1] - 1)]


@implements(worth_of, Sequences)
def mean_of_means(values, learned, player, move, last, last_two):
    total, count = mean_of_move(values, learned, player, move, last, last_two), 1.0
    sequences = learned.sequences
    for key in (last, last_two):
        if key != np.uint64(0):
            place = place_of_sequence(sequences, sequence_key(key, move))
            if place >= 0 and sequences[place]["visits"] >= values.games:
                total += np.float64(sequences[place]["mean"])
                count += 1.0
    return total / count


@implements(note_game, Moves)
@kernel
def note_move(values, scratch, ply, player, result):
    visits, means = scratch.learned.visits, scratch.learned.means
    move = scratch.history[ply] & (means.shape[1] - 1)
    visits[player, move] += 1.0
    means[player, move] += (result - means[player, move]) / visits[player, move]


@implements(note_game, Sequences)
def note_sequences(values, scratch, ply, player, result):
    note_move(values, scratch, ply, player, result)
    sequences = scratch.learned.sequences
    last, last_two = keys_of_sequences(values, scratch, player, ply)
    for key in (last, last_two):
        if key != np.uint64(0):
            place = room_for_sequence(sequences, sequence_key(key, scratch.history[ply]))
            visits = np.float64(sequences[place]["visits"]) + 1.0
            mean = np.float64(sequences[place]["mean"])
            sequences[place]["visits"] = visits
            sequences[place]["mean"] = min(max(mean + (result - mean) / visits, 0.0), 1.0)


# -- how moves are drawn by that ---------------------------------------------------------------------------------------------
class Greedy(NamedTuple):
    """The best move, but for a share of moves that the policy makes."""

    values: Moves | Sequences
    epsilon: float
    least: int  # score of the worst result for player 0, and
    per_sum: float  # 1 / the range of scores


class Softmax(NamedTuple):
    """Gibbs sampling: a move of mean q in proportion to exp(q / T)."""

    values: Moves | Sequences
    temperature: float
    least: int
    per_sum: float


@implements(chosen_move, Greedy)
def best_move(chooser, policy, notes, state, scratch, start, ply):
    """Of equal moves the first in the list, from a random place on."""
    if unit(scratch.rng) < chooser.epsilon:
        return np.int64(playout_move(policy, notes, state, scratch.rng))
    listed = scratch.buffer
    count = moves(state, listed)
    player = to_play(state)
    last, last_two = keys_before(chooser.values, scratch, player, ply)
    best, most = np.int64(0), -1.0
    at = below(scratch.rng, count)
    for _ in range(count):
        worth = worth_of(chooser.values, scratch.learned, player, listed[at], last, last_two)
        if worth > most:
            best, most = np.int64(listed[at]), worth
        at += 1
        if at == count:
            at = 0
    return best


@implements(chosen_move, Softmax)
def drawn_move(chooser, policy, notes, state, scratch, start, ply):
    listed, weights = scratch.buffer, scratch.weights
    count = moves(state, listed)
    player = to_play(state)
    last, last_two = keys_before(chooser.values, scratch, player, ply)
    total = 0.0
    for i in range(count):
        worth = worth_of(chooser.values, scratch.learned, player, listed[i], last, last_two)
        weights[i] = math.exp((worth - 1.0) / chooser.temperature)
        total += weights[i]
    return drawn_by_weight(listed, weights, count, total, scratch.rng)


@kernel
def drawn_by_weight(listed, weights, count, total, rng):
    """One of the moves, each in proportion to its weight."""
    left = unit(rng) * total
    for i in range(count - 1):
        left -= weights[i]
        if left < 0.0:
            return np.int64(listed[i])
    return np.int64(listed[count - 1])


@kernel
def note_moves(chooser, scratch, start, first, length, score):
    """Every move of the game, in the tree and after it, counts for the player who made it."""
    result = (score - chooser.least) * chooser.per_sum
    for ply in range(length):
        player = scratch.movers[ply]
        note_game(chooser.values, scratch, ply, player, for_mover(result, player == FIRST))


implements(learn_from, Greedy)(note_moves)
implements(learn_from, Softmax)(note_moves)

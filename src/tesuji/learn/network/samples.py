"""Batches of positions with what was played and who won, each seen in one of its symmetries by chance.

All boards of a batch have one size, drawn by how many positions there are of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import kernel
from tesuji.core.encoding import Encoding
from tesuji.core.numba.registration import compiled
from tesuji.learn.network.games import DRAWN, NO_RESULT, NO_VALUE, Games, move_buffer

WIN, DRAW, LOSS, UNKNOWN = 0, 1, 2, -1  # classes of the value, for the player to move; UNKNOWN is not learned
SEARCH_SHARE = 0.5  # of what a search expected, in what is learned of the result


class Batch(NamedTuple):
    planes: np.ndarray  # float32 [positions, rows, columns, planes]
    legal: np.ndarray  # bool [positions, places]
    played: np.ndarray  # int64 [positions]: the place of the move
    value: np.ndarray  # int64 [positions]: WIN, DRAW, LOSS or UNKNOWN
    policy: np.ndarray  # float32 [positions, places]: what is learned of moves: shares of a search's visits, or the move made
    result: np.ndarray  # float32 [positions, 3]: what is learned of the result: chances of WIN, DRAW and LOSS; 0 = nothing


@kernel
def replay(
    states,
    starts,
    variant,
    first,
    moves,
    first_target,
    targets,
    shares,
    games,
    plies,
    buffer,
    planes,
    legal,
    played,
    movers,
    policy,
):
    """For each n the position of game games[n] after plies[n] moves, the move that follows, and what is learned of moves.

    states                          one position, to work with
    starts, variant, first, moves   and first_target, targets, shares: of `Games`
    games, plies                    int64[n]
    buffer                          int32: moves
    planes, legal, played, policy   of `Batch`, filled with zeros
    movers                          int64[n]: who is to move
    """
    for n in range(len(games)):
        game = games[n]
        states[0] = starts[variant[game]]
        for at in range(first[game], first[game] + plies[n]):
            rules.play(states[0], moves[at])
        rules.planes(states[0], planes[n])
        for i in range(rules.moves(states[0], buffer)):
            legal[n, rules.place(states[0], buffer[i])] = True
        at = first[game] + plies[n]
        played[n] = rules.place(states[0], moves[at])
        if first_target[at] == first_target[at + 1]:
            policy[n, played[n]] = np.float32(1)
        for target in range(first_target[at], first_target[at + 1]):
            policy[n, rules.place(states[0], targets[target])] += shares[target]
        movers[n] = rules.to_play(states[0])


class PositionSampler:
    """Positions of some of the games. Drawing is a function of the seed and the number of the step, so that a run that goes on
    after an interruption sees what it would have seen."""

    def __init__(self, games: Games, chosen: np.ndarray, search_share: float = SEARCH_SHARE):
        """`chosen`: which games, a mask. `search_share`: of what a search expected, in what is learned of the result."""
        self._games = games
        self._search_share = search_share
        self._starts = games.starts
        self._state = np.zeros(1, self._starts.dtype)
        self._buffer = move_buffer(games.variants)
        game_of_position = np.repeat(np.arange(games.count, dtype=np.int32), np.diff(games.first))
        shapes = [one.encoding.shape if one.encoding is not None else (0, 0, 0) for one in games.variants]
        self.shapes = sorted(set(shapes))
        shape_of_game = np.array([self.shapes.index(shape) for shape in shapes])[games.variant]
        in_use = chosen[game_of_position] & games.teaches
        shape_of_position = shape_of_game[game_of_position]
        self._positions = [np.flatnonzero(in_use & (shape_of_position == n)) for n in range(len(self.shapes))]
        self._game_of_position = game_of_position
        self.counts = np.array([len(positions) for positions in self._positions])

    @property
    def count(self) -> int:
        return int(self.counts.sum())

    def draw(self, size: int, seed: int, step: int) -> Batch:
        """So many positions, turned and mirrored by chance."""
        rng = np.random.default_rng([seed, step])
        shape = int(rng.choice(len(self.counts), p=self.counts / self.count)) if len(self.counts) > 1 else 0
        positions = self._positions[shape]
        encoding, batch = self._batch(positions[rng.integers(len(positions), size=size)])
        return turned(batch, encoding, rng.integers(len(encoding.turns), size=size))

    def some(self, most: int, size: int, seed: int) -> Iterator[Batch]:
        """The same `most` positions each time, or all if there are not so many, as they are."""
        rng = np.random.default_rng([seed])
        share = min(1.0, most / self.count)
        for positions in self._positions:
            wanted = np.sort(rng.permutation(positions)[: int(np.ceil(share * len(positions)))])
            for begin in range(0, len(wanted), size):
                yield self._batch(wanted[begin : begin + size])[1]

    def _batch(self, positions: np.ndarray) -> tuple[Encoding, Batch]:
        games = self._games
        chosen = self._game_of_position[positions]
        encoding = games.variants[games.variant[chosen[0]]].encoding
        assert encoding is not None
        count = len(positions)
        planes = np.zeros((count, *encoding.shape), np.float32)
        legal = np.zeros((count, encoding.places), np.bool_)
        played, movers = np.zeros(count, np.int64), np.zeros(count, np.int64)
        policy = np.zeros((count, encoding.places), np.float32)
        of_games = (games.variant, games.first, games.moves, games.first_target, games.targets, games.shares)
        where = chosen.astype(np.int64), positions - games.first[chosen]
        with np.errstate(over="ignore"):
            compiled(replay)(self._state, self._starts, *of_games, *where, self._buffer, planes, legal, played, movers, policy)
        result = games.result[chosen].astype(np.int64)
        value = np.where((movers == rules.SECOND) & (result != DRAWN), LOSS - result, result)
        value = np.where(result == NO_RESULT, UNKNOWN, value)
        results = learned_results(value, games.values[positions], games.proven[positions], self._search_share)
        return encoding, Batch(planes, legal, played, value, policy, results)


def learned_results(
    value: np.ndarray, expected: np.ndarray, proven: np.ndarray, search_share: float = SEARCH_SHARE
) -> np.ndarray:
    """What is learned of results: how the game ended, mixed with what the search expected where there was one; where it has
    proven the result, that alone.

    A game's end says less of a position than hundreds of playouts from there, but what it says is true of one way to play on.
    """
    ended = np.zeros((len(value), 3), np.float32)
    known = value != UNKNOWN
    ended[np.flatnonzero(known), value[known]] = 1.0
    searched = np.stack([expected, np.zeros_like(expected), 1.0 - expected], 1)
    mixed = np.where(known[:, None], (1.0 - search_share) * ended + search_share * searched, searched)
    exact = np.stack([expected == 1.0, expected == 0.5, expected == 0.0], 1)
    learned = np.where((expected != NO_VALUE)[:, None], mixed, ended)
    return np.where(proven[:, None], exact, learned).astype(np.float32)


def turned(batch: Batch, encoding: Encoding, numbers: np.ndarray) -> Batch:
    """Each position as its image of that number."""
    count = len(numbers)
    rows = np.arange(count)[:, None]
    cells, places = encoding.cell_images[numbers], encoding.place_images[numbers]
    flat = batch.planes.reshape(count, -1, encoding.planes)
    planes, legal, policy = np.empty_like(flat), np.empty_like(batch.legal), np.empty_like(batch.policy)
    planes[rows, cells] = flat
    legal[rows, places] = batch.legal
    policy[rows, places] = batch.policy
    return batch._replace(
        planes=planes.reshape(batch.planes.shape), legal=legal, played=places[rows[:, 0], batch.played], policy=policy
    )

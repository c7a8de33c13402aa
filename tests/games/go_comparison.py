"""The fast rules of Go against the naive ones, whole random games at every ply: legal moves, board, ko, ataris and score.

    PYTHONPATH=src:tests/games python -m go_comparison --games 2000 --sizes 2,3,4,5,9,13,19 [--superko] [--first SEED]

A kernel, compiled or not, plays a game by the fast rules and writes down all it sees; then the naive rules go through the
same moves. One game in four is uniform over all legal moves; in the others most moves fill no eye, so that they end.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from naive_go import NaiveGo

from tesuji.core import rules
from tesuji.core.game import Game
from tesuji.core.numba.registration import compiled
from tesuji.core.random import below, make_rng
from tesuji.games.registry import find_game


def record_game(state, buffer, rng, wild, made, legal, boards, facts, ataris):
    """Plays a game; returns its length. By ply: the move, the legal moves (0 or 1), the board after it, score and ko."""
    ply = 0
    size = np.int64(state["size"])
    colour = state["colour"]
    point_of = state["point_of"]
    while not rules.is_over(state):
        count = rules.moves(state, buffer)
        for i in range(count):
            legal[ply, buffer[i]] = 1
        move = np.int64(buffer[below(rng, count)])
        if not wild and below(rng, 16) != 0:
            move = np.int64(rules.random_move(state, buffer, rng))
        made[ply] = move
        rules.play(state, move)
        for i in range(size * size):
            point = point_of[i]
            boards[ply, i] = colour[point]
            ataris[ply, i] = colour[point] != 0 and state["atari_at"][state["head"][point]] != 0
        facts[ply, 0] = rules.outcome(state)
        facts[ply, 1] = state["ko"]
        facts[ply, 2] = state["atari_count"]
        ply += 1
    return ply


class Recorder:
    """Room for one game at one size, and the kernel that fills it."""

    def __init__(self, game: Game, pure: bool = False):
        self.game = game
        self.size = int(game.initial["size"])
        self.kernel = record_game if pure else compiled(record_game)
        self.buffer = np.zeros(game.buffer_size, np.int32)
        shape = (game.max_plies, game.points)
        self.made = np.zeros(game.max_plies, np.int64)
        self.legal = np.zeros((game.max_plies, game.points + 1), np.int8)
        self.boards = np.zeros(shape, np.int8)
        self.ataris = np.zeros(shape, np.int8)
        self.facts = np.zeros((game.max_plies, 3), np.int64)

    def play(self, seed: int, wild: bool) -> tuple[int, bytes]:
        """Plays the game number `seed`; returns its length and the bytes of the last position."""
        state = np.zeros(1, self.game.initial.dtype)
        state[0] = self.game.initial
        self.legal[:] = 0
        written = (self.made, self.legal, self.boards, self.facts, self.ataris)
        with np.errstate(over="ignore"):
            plies = self.kernel(state[0], self.buffer, make_rng(seed), wild, *written)
        return int(plies), state.tobytes()

    def compare(self, seed: int) -> int:
        """Plays a game and follows it by the naive rules; raises AssertionError where they differ. Returns its length."""
        size = self.size
        plies, _end = self.play(seed, seed % 4 == 0)
        naive = NaiveGo(size, int(self.game.initial["komi"]) / 2, "history" in self.game.initial.dtype.names)
        for ply in range(plies):
            where = (self.game.name, seed, ply)
            assert not naive.over(), where
            legal = [row * size + column for column, row in naive.legal()] + [size * size]
            assert np.flatnonzero(self.legal[ply]).tolist() == legal, where
            move = int(self.made[ply])
            naive.play(None if move == size * size else (move % size, move // size))
            board = [0] * (size * size)
            for (column, row), owner in naive.stones.items():
                board[row * size + column] = owner + 1
            assert self.boards[ply].tolist() == board, where
            score, ko, atari_count = self.facts[ply].tolist()
            assert score == 2 * naive.score(), where
            assert (ko % 20 - 1, ko // 20 - 1) == (naive.forbidden or (-1, -1)), where
            strings = naive.strings_in_atari()
            assert atari_count == len(strings), where
            listed = {(i % size, i // size) for i in np.flatnonzero(self.ataris[ply]).tolist()}
            assert listed == set().union(*strings), where
        assert naive.over(), (self.game.name, seed)
        return plies


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--sizes", default="2,3,4,5,9,13,19")
    parser.add_argument("--superko", action="store_true")
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    for size in options.sizes.split(","):
        recorder = Recorder(find_game(f"go:{size}" + (":superko=positional" if options.superko else "")))
        began, plies = time.monotonic(), 0
        for seed in range(options.first, options.first + options.games):
            plies += recorder.compare(seed)
        seconds = time.monotonic() - began
        print(f"{recorder.game.name}: {options.games} games, {plies} plies, no difference ({seconds:.0f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

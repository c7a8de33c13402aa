"""Semeai against a naive game of lists, the paper's Table 1, and the share of wins of the random player."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.core.random import make_rng
from tesuji.games.registry import find_game
from tesuji.games.semeai import win_probability
from tesuji.search.policy import Uniform, notes_type, playout_move

# Cazenave and Saffidine 2010, Table 1: a row for each number of own liberties, a column for each of the opponent's.
TABLE_1 = """
1.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00
1.00 0.50 0.30 0.20 0.14 0.11 0.08 0.07 0.05
1.00 0.70 0.50 0.37 0.29 0.23 0.18 0.15 0.13
1.00 0.80 0.63 0.50 0.40 0.33 0.28 0.24 0.20
1.00 0.86 0.71 0.60 0.50 0.42 0.36 0.31 0.27
1.00 0.89 0.77 0.67 0.58 0.50 0.44 0.38 0.34
1.00 0.92 0.82 0.72 0.64 0.56 0.50 0.45 0.40
1.00 0.93 0.85 0.76 0.69 0.62 0.55 0.50 0.45
1.00 0.95 0.87 0.80 0.73 0.66 0.60 0.55 0.50
"""


class NaiveSemeai:
    """A list of empty liberties by owner and number, taken out one by one."""

    def __init__(self, a, b, elsewhere):
        self.empty = [(0, i) for i in range(a)] + [(1, i) for i in range(b)]
        self.names = [*self.empty, "elsewhere"]
        self.elsewhere = elsewhere
        self.player = 0
        self.away = 0

    def count(self, player):
        return sum(owner == player for owner, _ in self.empty)

    def moves(self):
        points = [p for p in self.empty if p[0] != self.player or self.count(self.player) > 1]
        return [self.names.index(p) for p in [*points, *(["elsewhere"] if self.elsewhere else [])]]

    def play(self, move):
        if self.names[move] == "elsewhere":
            self.away += 1
        else:
            self.away = 0
            self.empty.remove(self.names[move])
        self.player = 1 - self.player

    def result(self):
        if self.away == 16:
            return 0
        return -1 if not self.count(0) else 1 if not self.count(1) else None


@pytest.mark.parametrize("text", ["5,4", "1,1", "1,6", "2,2", "9,9", "30,30", "3,3,0.5", "2,2,0.01"])
def test_against_naive(text, random_line) -> None:
    game = find_game(f"semeai:{text}")
    a, b, elsewhere = [*map(float, text.split(",")), 0.0][:3]
    hash_of_position = {}
    for seed in range(20):
        naive = NaiveSemeai(int(a), int(b), elsewhere)
        for state, legal, move in random_line(game, seed):
            assert bool(rules.is_over(state)) == (naive.result() is not None)
            if move is None:
                assert rules.outcome(state) == naive.result()
                break
            assert rules.to_play(state) == naive.player
            assert legal == naive.moves()
            position = (naive.count(0), naive.count(1), naive.player, naive.away)
            hashed = int(rules.position_hash(state))
            assert hash_of_position.setdefault(position, hashed) == hashed  # whichever liberties are filled
            naive.play(move)
    assert len(set(hash_of_position.values())) == len(hash_of_position)


def test_sixteen_moves_elsewhere_are_a_draw() -> None:
    game = find_game("semeai:2,2,0.5")
    state = game.state_after(["elsewhere"] * 15)
    assert not rules.is_over(state)
    rules.play(state, game.parse(state, "elsewhere"))
    assert rules.is_over(state)
    assert rules.outcome(state) == 0


@pytest.mark.parametrize(("a", "b"), [(1, 1), (2, 2), (3, 2), (2, 3), (1, 4), (4, 3), (3, 4)])
def test_perfect_play(a, b, minimax) -> None:
    """Who moves first wins with as many liberties as the opponent, or more."""
    game = find_game(f"semeai:{a},{b}")
    assert minimax(game, game.new_state()) == (1 if a >= b else -1)


def test_table_1() -> None:
    rows = [[float(cell) for cell in line.split()] for line in TABLE_1.strip().splitlines()]
    ours = [[round(win_probability(own, other), 2) for other in range(1, 10)] for own in range(1, 10)]
    assert ours == rows
    assert sum(map(len, ours)) == 81


def test_two_liberties_have_a_formula() -> None:
    for other in range(2, 25):
        assert win_probability(2, other) == pytest.approx(6 / ((other + 1) * (other + 2)))


@given(st.integers(2, 14), st.integers(2, 14), st.floats(0, 0.99))
@settings(max_examples=60)
def test_the_equation_that_the_probability_solves(a, b, elsewhere) -> None:
    """First principles: one random move, and then it is the opponent who moves."""

    def loses(own, other):
        return 1 - win_probability(own, other, elsewhere)

    filling = a / (a + b) * loses(b, a - 1) + b / (a + b) * loses(b - 1, a)
    assert win_probability(a, b, elsewhere) == pytest.approx(elsewhere * loses(b, a) + (1 - elsewhere) * filling)


@pytest.mark.parametrize(("own", "other", "elsewhere"), [(0, 1, 0.0), (1, 0, 0.0), (2, 2, 1.0), (2, 2, -0.1), (2, 2, math.nan)])
def test_wrong_numbers(own, other, elsewhere) -> None:
    with pytest.raises(UserError):
        win_probability(own, other, elsewhere)


def random_games(policy, start, states, notes, rng, games, results):
    """Plays games with the policy; counts losses, draws and wins of player 0."""
    state = states[0]
    for _ in range(games):
        states[0] = start
        while not rules.is_over(state):
            rules.play(state, playout_move(policy, notes, state, rng))
        results[1 + rules.outcome(state)] += 1


def played(text, games, seed, pure=False):
    game = find_game(text)
    states = np.zeros(1, game.initial.dtype)
    results = np.zeros(3, np.int64)
    kernel = random_games if pure else compiled(random_games)
    notes = np.zeros(1, notes_type(Uniform(), game.buffer_size))[0]
    kernel(Uniform(), game.initial, states, notes, make_rng(seed), games, results)
    return results.tolist()


@pytest.mark.parametrize(
    ("a", "b", "elsewhere"),
    [
        (2, 2, 0.0),
        (4, 3, 0.0),
        (3, 6, 0.0),
        (9, 9, 0.0),
        (8, 9, 0.0),
        (3, 3, 0.3),
        (4, 2, 0.5),
        (2, 5, 0.1),
        (1, 3, 0.2),
        (3, 1, 0.9),
    ],
)
def test_the_random_player_wins_as_often_as_computed(a, b, elsewhere) -> None:
    games = 1_000 if is_pure() else 40_000
    losses, draws, wins = played(f"semeai:{a},{b},{elsewhere}", games, seed=a * 10 + b)
    assert losses + draws + wins == games
    expected = win_probability(a, b, elsewhere)
    deviation = math.sqrt(expected * (1 - expected) / games)
    assert abs(wins / games - expected) <= 5 * deviation + 1e-4
    assert draws <= games * 0.002


def test_the_random_player_compiled_equals_pure() -> None:
    for text in ("semeai:4,5", "semeai:3,4,0.4"):
        assert played(text, 100, 3) == played(text, 100, 3, pure=True)


def test_text_and_drawing() -> None:
    game = find_game("semeai:3,2,0.25")
    state = game.state_after(["w1", "b2", "elsewhere"])
    assert game.drawing(state).splitlines() == [
        "Black,  2 left:  b1  --  b3",
        "White,  1 left:  --  w2",
        "moves elsewhere in a row: 1",
    ]
    assert [game.text(state, m) for m in game.legal_moves(state)] == ["b1", "b3", "elsewhere"]

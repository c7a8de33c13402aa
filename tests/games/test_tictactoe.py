"""Tic-tac-toe against a naive board of letters, the known number of games, and OpenSpiel."""

from __future__ import annotations

import itertools

import pytest
from openspiel_comparison import agree

from tesuji.core import rules
from tesuji.games.registry import find_game


class NaiveBoard:
    """A dictionary from (row, column) to a letter."""

    def __init__(self):
        self.letters = {cell: " " for cell in itertools.product(range(3), repeat=2)}

    def moves(self):
        return [3 * row + column for (row, column), letter in self.letters.items() if letter == " "]

    def place(self, move, letter):
        self.letters[divmod(move, 3)] = letter

    def winner(self):
        lines = [[(i, j) for j in range(3)] for i in range(3)] + [[(i, j) for i in range(3)] for j in range(3)]
        lines += [[(i, i) for i in range(3)], [(i, 2 - i) for i in range(3)]]
        for line in lines:
            letters = {self.letters[cell] for cell in line}
            if len(letters) == 1 and letters != {" "}:
                return letters.pop()
        return None


def test_against_naive(random_line) -> None:
    game = find_game("tictactoe")
    position_of_hash = {}
    for seed in range(60):
        naive = NaiveBoard()
        for ply, (state, legal, move) in enumerate(random_line(game, seed)):
            winner = naive.winner()
            over = winner is not None or not naive.moves()
            assert bool(rules.is_over(state)) == over
            position = tuple(naive.letters.values())
            assert position_of_hash.setdefault(int(rules.position_hash(state)), position) == position
            if over:
                assert rules.outcome(state) == {"x": 1, "o": -1, None: 0}[winner]
                break
            assert rules.to_play(state) == ply % 2
            assert legal == naive.moves()
            naive.place(move, "xo"[ply % 2])
    assert len(position_of_hash) == len(set(position_of_hash.values())) > 200


def test_number_of_games(tree_size, needs_compiler) -> None:
    assert tree_size(find_game("tictactoe")) == (549_946, 255_168, 127_872)  # 127,872 games fill the board


def test_value(minimax) -> None:
    """A draw; and the well-known number of distinct positions that can occur."""
    game = find_game("tictactoe")
    assert minimax(game, game.new_state()) == 0
    assert len(minimax.seen) == 5478


def test_moves_by_number_and_by_name() -> None:
    game = find_game("tictactoe")
    assert game.state_after(["5", "c1", "9"]).tobytes() == game.state_after(["b2", "C1", "c3"]).tobytes()
    assert game.drawing(game.state_after(["b2", "c1"])) == "  a b c\n1 . . o\n2 . x .\n3 . . ."


def test_against_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = find_game("tictactoe")
    theirs_game = pyspiel.load_game("tic_tac_toe")
    agree(game, theirs_game, games=50)

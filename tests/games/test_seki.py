"""Seki problems against a naive game of point sets, the paper's Table 2, and known tree sizes."""

from __future__ import annotations

import functools

import pytest

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import copy_state
from tesuji.games.registry import find_game

# Cazenave and Saffidine 2010, Table 2: a row for each number of Min's outside liberties, a column for each of Max's.
TABLE_2 = """
D W W W W W
D D W W W W
L D D W W W
L L D D W W
L L L D D W
L L L L D D
"""
CELLS = [
    (m, n, {"W": 1, "D": 0, "L": -1}[letter])
    for n, row in enumerate(TABLE_2.split("\n")[1:-1], 1)
    for m, letter in enumerate(row.split(), 1)
]


class NaiveSeki:
    """Sets of empty points by their names; each string's liberties are found by looking at them."""

    def __init__(self, m, n, s, passes=2):
        self.empty = [("max", i) for i in range(m)] + [("min", i) for i in range(n)] + [("shared", i) for i in range(s)]
        self.number = {point: i for i, point in enumerate(self.empty)}
        self.points = len(self.empty)
        self.mover = "max"
        self.passed = 0
        self.last = passes
        self.result = None

    def liberties(self, side, empty):
        return [point for point in empty if point[0] in (side, "shared")]

    def other(self):
        return "min" if self.mover == "max" else "max"

    def moves(self):
        found = []
        for point in self.empty:
            left = [p for p in self.empty if p != point]
            captures = not self.liberties(self.other(), left)
            if captures or self.liberties(self.mover, left):
                found.append(self.number[point])
        return [*found, self.points]

    def play(self, move):
        if move == self.points:
            self.passed += 1
            if self.passed == self.last:
                self.result = 0
        else:
            self.passed = 0
            self.empty = [point for point in self.empty if self.number[point] != move]
            if not self.liberties(self.other(), self.empty):
                self.result = 1 if self.mover == "max" else -1
        self.mover = self.other()

    def counts(self):
        kinds = [kind for kind, _ in self.empty]
        return kinds.count("max"), kinds.count("min"), kinds.count("shared"), self.mover, self.passed


@pytest.mark.parametrize("passes", [2, 3])
@pytest.mark.parametrize(("m", "n", "s"), [(3, 4, 2), (1, 1, 2), (0, 0, 2), (2, 2, 0), (0, 3, 1), (5, 0, 4), (1, 2, 8)])
def test_against_naive(m, n, s, passes, random_line) -> None:
    game = find_game(f"seki:{m},{n},{s}:passes={passes}")
    hash_of_counts = {}
    for seed in range(60):
        naive = NaiveSeki(m, n, s, passes)
        for state, legal, move in random_line(game, seed):
            assert bool(rules.is_over(state)) == (naive.result is not None)
            if naive.result is not None:
                assert rules.outcome(state) == naive.result
                break
            assert legal == naive.moves()
            assert ("max", "min")[rules.to_play(state)] == naive.mover
            hashed = int(rules.position_hash(state))
            assert hash_of_counts.setdefault(naive.counts(), hashed) == hashed  # whichever points are filled
            naive.play(move)
    assert len(set(hash_of_counts.values())) == len(hash_of_counts) > 3


def test_hashes_of_all_counts_differ() -> None:
    state = find_game("seki:20,20,8").new_state()
    hashes = set()
    for state["outside"][0] in range(0, 21, 5):
        for state["outside"][1] in range(21):
            for state["shared"] in range(9):
                for state["to_play"] in range(2):
                    for state["passes"] in range(3):
                        hashes.add(int(rules.position_hash(state)))
    assert len(hashes) == 5 * 21 * 9 * 2 * 3


@functools.cache
def naive_value(m, n, s, passed):
    """The outcome for the side to move, which has m outside liberties: the rules again, on nothing but counts."""
    best = 0 if passed else -naive_value(n, m, s, True)  # pass
    if n:
        best = max(best, 1 if n + s == 1 else -naive_value(n - 1, m, s, False))
    if m and m + s > 1:
        best = max(best, -naive_value(n, m - 1, s, False))
    if s:
        if n + s == 1:
            best = 1
        elif m + s > 1:
            best = max(best, -naive_value(n, m, s - 1, False))
    return best


def value_by_hash(game, state, seen):
    """Minimax over our rules that trusts the position hash."""
    if rules.is_over(state):
        return int(rules.outcome(state))
    key = int(rules.position_hash(state))
    if key not in seen:
        values = []
        for move in game.legal_moves(state):
            child = copy_state(state)
            rules.play(child, move)
            values.append(value_by_hash(game, child, seen))
        seen[key] = max(values) if rules.to_play(state) == 0 else min(values)
    return seen[key]


def test_there_are_36_cells() -> None:
    assert len(CELLS) == 36


@pytest.mark.parametrize("passes", [2, 3])
def test_table_2(passes) -> None:
    seen = {}  # the counts say all, so all problems share it
    for m, n, value in CELLS:
        game = find_game(f"seki:{m},{n}:passes={passes}")
        assert value_by_hash(game, game.new_state(), seen) == value, f"{m} against {n}"
        assert naive_value(m, n, 2, False) == value


@pytest.mark.parametrize("shared", [0, 1, 3, 4])
def test_other_numbers_of_shared_liberties(shared) -> None:
    seen = {}
    for m in range(4):
        for n in range(4):
            if m + shared and n + shared:
                game = find_game(f"seki:{m},{n},{shared}")
                assert value_by_hash(game, game.new_state(), seen) == naive_value(m, n, shared, False)


@pytest.mark.parametrize(
    ("size", "positions"), [("1,1", 699), ("2,1", 5_913), ("1,2", 5_913), ("1,3", 61_191), ("1,4", 751_389)]
)
def test_tree_sizes(size, positions, tree_size, needs_compiler) -> None:
    assert tree_size(find_game(f"seki:{size}"))[0] == positions


def test_three_passes_in_a_row() -> None:
    game = find_game("seki:1,1:passes=3")
    assert find_game(game.name).name == game.name == "seki:1,1:passes=3" and find_game("seki:1,1:passes=2").name == "seki:1,1"
    assert [bool(rules.is_over(game.state_after(["pass"] * count))) for count in range(1, 4)] == [False, False, True]
    assert not rules.is_over(game.state_after(["pass", "pass", "s1", "pass", "pass"]))
    with pytest.raises(UserError, match="passes"):
        find_game("seki:1,1:passes=4")


def test_text_and_drawing() -> None:
    game = find_game("seki:2,1")
    state = game.state_after(["b2", "s1", "pass"])
    assert game.drawing(state).splitlines() == [
        "Black's outside points  b1  --",
        "White's outside points  w1",
        "shared points           --  s2",
        "liberties: Black 2, White 2 (last move: pass)",
    ]
    assert [game.text(state, m) for m in game.legal_moves(state)] == ["b1", "w1", "s2", "pass"]

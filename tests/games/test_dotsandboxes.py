"""Dots and boxes against a naive board of boxes and sides, values by brute force, and OpenSpiel."""

from __future__ import annotations

import functools

import pytest
from openspiel_comparison import agree

from tesuji.core import rules
from tesuji.core.game import copy_state
from tesuji.games.registry import find_game


class NaiveBoxes:
    """A dictionary from each box to the set of its sides that are still missing. A side is named by its two dots."""

    def __init__(self, rows, columns):
        across = [((r, c), (r, c + 1)) for r in range(rows + 1) for c in range(columns)]
        down = [((r, c), (r + 1, c)) for r in range(rows) for c in range(columns + 1)]
        self.sides = across + down
        self.missing = {
            (r, c): {((r, c), (r, c + 1)), ((r + 1, c), (r + 1, c + 1)), ((r, c), (r + 1, c)), ((r, c + 1), (r + 1, c + 1))}
            for r in range(rows)
            for c in range(columns)
        }
        self.drawn = []
        self.player = 0
        self.score = [0, 0]
        self.owner = {}

    def moves(self):
        return [i for i in range(len(self.sides)) if i not in self.drawn]

    def play(self, move):
        self.drawn.append(move)
        again = False
        for box, missing in self.missing.items():
            if self.sides[move] in missing:
                missing.remove(self.sides[move])
                if not missing:
                    self.score[self.player] += 1
                    self.owner[box] = self.player
                    again = True
        if not again:
            self.player = 1 - self.player


SIZES = [(1, 1), (1, 2), (2, 2), (3, 2), (1, 7), (7, 1), (4, 5), (7, 7)]


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_against_naive(rows, columns, random_line) -> None:
    game = find_game(f"dotsandboxes:{rows}x{columns}")
    hash_of_position = {}
    for seed in range(8):
        naive = NaiveBoxes(rows, columns)
        assert game.move_count == len(naive.sides)
        for state, legal, move in random_line(game, seed):
            assert legal == naive.moves()
            difference = naive.score[0] - naive.score[1]
            assert bool(rules.is_over(state)) == (not naive.moves())
            for player in range(2):
                boxes = [r * columns + c for (r, c), owner in naive.owner.items() if owner == player]
                assert int(state["owned"][player]) == sum(1 << box for box in boxes)
            if move is None:
                assert rules.outcome(state) == difference
                break
            assert rules.to_play(state) == naive.player
            still_open = rows * columns - len(naive.owner)
            assert rules.bounds(state, *game.outcomes) == (difference - still_open, difference + still_open)
            position = (frozenset(naive.drawn), difference, naive.player)
            hashed = int(rules.position_hash(state))
            assert hash_of_position.setdefault(position, hashed) == hashed
            naive.play(move)
    assert len(set(hash_of_position.values())) == len(hash_of_position)


def best_margin(rows, columns):
    """What the side to move will be ahead by in the boxes still to come: a recursion over sets of edges as bit masks."""
    sides = NaiveBoxes(rows, columns).sides
    boxes = [sum(1 << sides.index(side) for side in box) for box in NaiveBoxes(rows, columns).missing.values()]
    full = (1 << len(sides)) - 1

    @functools.cache
    def margin(drawn):
        if drawn == full:
            return 0
        results = []
        for edge in range(len(sides)):
            if not drawn >> edge & 1:
                after = drawn | 1 << edge
                closed = sum(after & box == box and drawn & box != box for box in boxes)
                results.append(closed + margin(after) if closed else -margin(after))
        return max(results)

    return margin(0)


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


@pytest.mark.parametrize(("rows", "columns", "value"), [(1, 1, -1), (1, 2, 0), (2, 1, 0), (1, 3, -1), (2, 2, 2)])
def test_values(rows, columns, value) -> None:
    game = find_game(f"dotsandboxes:{rows}x{columns}")
    assert best_margin(rows, columns) == value
    assert value_by_hash(game, game.new_state(), {}) == value


def test_text_and_drawing() -> None:
    game = find_game("dotsandboxes:1x2")
    state = game.state_after(["h11", "h21", "v11", "v12", "V13"])
    assert game.drawing(state).splitlines() == [
        " +-----+ h12 +",
        " |  O  |     |",
        " +-----+ h22 +",
        "Blue has 0, Orange has 1 of 2 boxes",
    ]
    assert rules.to_play(state) == 0  # Orange closed a box, moved again, and then it is Blue's turn
    assert game.drawing(game.new_state()).splitlines()[1] == "v11   v12   v13"


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 2), (3, 4), (7, 5)])
def test_against_openspiel(rows, columns) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = find_game(f"dotsandboxes:{rows}x{columns}")
    theirs_game = pyspiel.load_game("dots_and_boxes", {"num_rows": rows, "num_cols": columns, "utility_margin": True})
    agree(game, theirs_game, games=10)

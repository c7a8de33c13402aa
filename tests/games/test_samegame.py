"""SameGame against a naive board of lists, and the highest score of small boards by brute force."""

from __future__ import annotations

import pytest

from tesuji.core import rules
from tesuji.core.game import copy_state
from tesuji.core.random import below, make_rng
from tesuji.games.registry import find_game


class NaiveColumns:
    """A list of columns, each a list of colours from the bottom; nothing else is kept. Groups are (column, row) sets."""

    def __init__(self, rows, columns, seed, colours):
        rng = make_rng(seed)
        self.rows = rows
        self.columns = [[int(below(rng, colours)) + 1 for _ in range(rows)] for _ in range(columns)]
        self.score = 0

    def groups(self):
        unseen = {(c, r) for c, column in enumerate(self.columns) for r in range(len(column))}
        found = {}
        while unseen:
            start = unseen.pop()
            colour = self.columns[start[0]][start[1]]
            group, waiting = {start}, [start]
            while waiting:
                c, r = waiting.pop()
                for near in ((c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1)):
                    if near in unseen and self.columns[near[0]][near[1]] == colour:
                        unseen.remove(near)
                        group.add(near)
                        waiting.append(near)
            if len(group) >= 2:
                found[min(c * self.rows + r for c, r in group)] = group
        return found

    def remove(self, group):
        left = [[stone for r, stone in enumerate(column) if (c, r) not in group] for c, column in enumerate(self.columns)]
        self.columns = [column for column in left if column]
        self.score += (len(group) - 2) ** 2
        if not self.columns:
            self.score += 1000

    def bounds(self):
        stones = [stone for column in self.columns for stone in column]
        counts = [stones.count(colour) for colour in set(stones)]
        most = sum((count - 2) ** 2 for count in counts if count >= 2) + (0 if 1 in counts else 1000)
        return self.score, self.score + most


@pytest.mark.parametrize(
    ("rows", "columns", "seed", "colours", "games"),
    [
        (5, 5, 1, 5, 20),
        (15, 15, 2, 5, 2),
        (15, 15, 3, 2, 2),
        (1, 9, 5, 2, 10),
        (9, 1, 5, 2, 10),
        (3, 8, 6, 3, 20),
        (12, 4, 7, 9, 5),
    ],
)
def test_against_naive(rows, columns, seed, colours, games, random_line) -> None:
    game = find_game(f"samegame:{rows}x{columns}:{seed}:{colours}")
    hash_of_position = {}
    for line_seed in range(games):
        naive = NaiveColumns(rows, columns, seed, colours)
        assert game.outcomes == (0, naive.bounds()[1])
        for state, legal, move in random_line(game, line_seed):
            cells = [0] * (rows * columns)
            for c, column in enumerate(naive.columns):
                cells[c * rows : c * rows + len(column)] = column
            assert state["cells"][: rows * columns].tolist() == cells
            assert not state["cells"][rows * columns :].any()
            groups = naive.groups()
            assert legal == sorted(groups)
            assert bool(rules.is_over(state)) == (not groups)
            assert rules.to_play(state) == 0
            assert rules.outcome(state) == naive.score  # the score so far, until it is the outcome
            hashed = int(rules.position_hash(state))
            assert hash_of_position.setdefault((tuple(cells), naive.score), hashed) == hashed
            if move is None:
                break
            assert rules.bounds(state, *game.outcomes) == naive.bounds()
            for c, r in groups[move]:  # every cell of the group means the move
                assert game.parse(state, f"{'abcdefghijklmno'[c]}{r + 1}") == move
            naive.remove(groups[move])
    assert len(set(hash_of_position.values())) == len(hash_of_position)


def best_score(naive):
    """The highest score by brute force over the naive board."""
    best = naive.score
    for group in naive.groups().values():
        child = NaiveColumns(naive.rows, 0, 0, 1)
        child.columns, child.score = [list(column) for column in naive.columns], naive.score
        child.remove(group)
        best = max(best, best_score(child))
    return best


@pytest.mark.parametrize(
    ("rows", "columns", "seed", "colours"), [(3, 3, 1, 2), (3, 3, 2, 3), (4, 3, 5, 3), (2, 6, 9, 2), (3, 4, 3, 4)]
)
def test_highest_score(rows, columns, seed, colours, minimax) -> None:
    game = find_game(f"samegame:{rows}x{columns}:{seed}:{colours}")
    value = minimax(game, game.new_state())
    assert value == best_score(NaiveColumns(rows, columns, seed, colours))
    assert value <= game.outcomes[1]


def test_a_seed_is_a_board_for_ever() -> None:
    """Certificates and recorded results name boards by their seeds."""
    game = find_game("samegame:4x5:1")
    assert game.drawing(game.new_state()).splitlines() == [
        " 4 2 2 5 5 1",
        " 3 3 1 5 3 1",
        " 2 3 1 3 4 3",
        " 1 4 4 5 5 1",
        "   a b c d e",
        "score 0",
    ]


def test_clearing_the_board() -> None:
    game = find_game("samegame:1x2:1:2")
    state = game.new_state()
    state["cells"][:2] = 1
    state["size"][:2] = (2, 0)
    state["group"][:2] = 0
    state["left"][:3] = (2, 2, 0)
    rules.play(state, 0)
    assert rules.is_over(state)
    assert rules.outcome(state) == 1000
    assert copy_state(state)["used"] == 0

"""examples/col.py, a game of one's own with a board: its rules against a naive count, and its grid on the page."""

import random
from pathlib import Path

import tesuji
from tesuji.core.picture.drawing import describe, draw

FILE = Path(__file__).parent.parent / "examples" / "col.py"


def naive_moves(stones, player):
    """The empty cells of 5x5 with no neighbour of the player's colour."""
    beside = ((0, 1), (1, 0), (0, -1), (-1, 0))
    cells = [(c, r) for c in range(5) for r in range(5) if (c, r) not in stones]
    return {f"{'abcde'[c]}{r + 1}" for c, r in cells if all(stones.get((c + x, r + y)) != player for x, y in beside)}


def test_moves_and_outcomes_are_those_of_a_naive_count():
    game = tesuji.game(f"{FILE}:game")
    for seed in range(20):
        position, stones, player, chance = game.start, {}, 0, random.Random(seed)
        while not position.is_over:
            assert set(position.legal_moves) == naive_moves(stones, player)
            move = chance.choice(position.legal_moves)
            stones["abcde".index(move[0]), int(move[1]) - 1] = player
            position, player = position.play(move), 1 - player
        assert naive_moves(stones, player) == set() and position.outcome == (-1 if player == 0 else 1)
        assert {(piece["at"], piece["player"]) for piece in draw(position)["pieces"]} == {
            (f"{'abcde'[c]}{r + 1}", owner) for (c, r), owner in stones.items()
        }


def test_it_is_shown_as_a_grid():
    about = describe(tesuji.game(f"{FILE}:game"))
    assert about["surface"] == "plain" and len(about["places"]) == 25 and about["input"] == "place"

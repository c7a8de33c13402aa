"""The table of first moves of Hex: its file, and what players do with it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.knowledge.hex.policies.mohex import declines_by_openings
from tesuji.knowledge.hex.policies.openings import FAIR, SHIPPED, FirstMoves, fairest
from tesuji.learn.hex_openings import compute_openings
from tesuji.players.presets import find_player

WINNING_4X4 = {"d1", "c2", "b3", "a4"}  # by brute force, in test_hex.py


def best_move(player, game, moves=()):
    game = find_game(game)
    search = find_player(player).changed({"presearch": 0.0}).engine(game, game.state_after(list(moves)), seed=1, pure=True)
    return game.text(search.state, search.run(Limits(playouts=3)).best_move)


def test_the_shipped_table_is_symmetric_and_right_where_boards_are_solved():
    openings = FirstMoves.shipped()
    assert set(openings.chances) >= {2, 3, 4, 11, 13}
    for size, chances in openings.chances.items():
        assert np.array_equal(chances, chances[::-1]), size
        assert chances[(size - 1) // 2 * size + size // 2] > FAIR  # in the middle, on the short diagonal
    game = find_game("hex:4")
    won = {game.text(game.initial, move) for move in np.flatnonzero(openings.chances[4] > FAIR)}
    assert won == WINNING_4X4
    assert set(np.unique(openings.chances[4])) == {0.0, 1.0}


def test_small_boards_are_solved():
    """b1 and c3, a2 and c2 ... by hand: on 2x2 only the short diagonal wins; a first move on 1x1 wins at once."""
    assert compute_openings(2, 200).tolist() == [0.0, 1.0, 1.0, 0.0]
    assert compute_openings(1, 10).tolist() == [1.0]


@pytest.mark.parametrize("player", ["mohex2", "hex"])
def test_good_first_moves_are_swapped_and_bad_ones_are_not(player):
    assert best_move(player, "hex:11:swap=on", ["f6"]) == "swap-pieces"
    assert best_move(player, "hex:11:swap=on", ["a1"]) != "swap-pieces"
    assert best_move(player, "hex:11", ["f6"]) != "swap-pieces"


def test_the_first_move_is_a_fair_one_only_if_it_may_be_swapped():
    table = FirstMoves.shipped().chances[11]
    game = find_game("hex:11:swap=on")
    first = best_move("hex", game.name)
    assert first == game.text(game.initial, fairest(table))
    assert best_move("hex", "hex:11") != first


def test_the_search_decides_where_it_is_told_to_or_the_size_is_unknown():
    for name, values in (("hex:11:swap=on", {"swap_by": "search"}), ("hex:19:swap=on", {})):
        game = find_game(name)
        policy = find_player("hex").changed(values).engine(game, pure=True).policy
        assert not any(declines_by_openings(policy, game.initial, move) for move in game.legal_moves(game.initial))


def test_a_proof_comes_before_the_table():
    """On 2x2 the table says that a1 need not be swapped; White wins after it by b1 or a2 alone, which the search proves."""
    game = find_game("hex:2:swap=on")
    search = find_player("hex").engine(game, game.state_after(["b1"]), seed=1, pure=True)
    search.policy = search.policy._replace(openings=np.zeros(4))  # a table that is wrong: b1 wins for Black
    result = search.run(Limits(playouts=200))
    assert result.proven and game.text(search.state, result.best_move) == "swap-pieces"


def test_a_file_keeps_its_openings(tmp_path):
    path = tmp_path / "openings.json"
    some = FirstMoves({2: np.array([0.0, 1.0, 1.0, 0.0])}).with_size(1, np.array([0.487]))
    some.save(path)
    again = FirstMoves.load(path)
    assert {size: chances.tolist() for size, chances in again.chances.items()} == {1: [0.487], 2: [0.0, 1.0, 1.0, 0.0]}


@pytest.mark.parametrize("sizes", [None, [], {"x": []}, {"2": ["0 1"]}, {"2": ["0 1", "1 2000"]}, {"2": [3]}, {"99": []}])
def test_a_damaged_file_is_refused(tmp_path, sizes):
    path = tmp_path / "openings.json"
    data = json.loads(SHIPPED.read_text())
    path.write_text(json.dumps({**data, "sizes": sizes}))
    with pytest.raises(UserError, match="is damaged"):
        FirstMoves.load(path)

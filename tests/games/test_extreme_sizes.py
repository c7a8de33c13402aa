"""The largest and oddest boards of every game: compiled and pure Python must build the same trees and prove the same."""

import pytest

from tesuji.core.compiler import is_pure
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.engine import TreeSearch
from tesuji.search.parameters import SEARCH

SIZES = [
    "connect4:1x63",
    "connect4:2x31",
    "connect4:3x20",
    "connect4:32x1",
    "connect4:8x7",
    "connect4:7x6:20",
    "connect4:7x6:64",
    "connect4:1x63:40",
    "connect4:9x6:5",
    "connect4:3x3:2",
    "go:2",
    "go:19",
    "seki:20,20,8",
    "seki:0,1",
    "semeai:30,30",
    "semeai:30,1,0.9",
    "dotsandboxes:7x7",
    "dotsandboxes:1x7",
    "samegame:15x15:3",
    "samegame:1x15:2:2",
    "hex:1",
    "hex:19x18",
    "hex:3:swap=on",
    "loa:scrambled,no_move=loss",
]


@pytest.mark.skipif(is_pure(), reason="compares with the compiler")
@pytest.mark.parametrize("text", SIZES)
def test_compiled_and_pure_agree(text):
    answers = []
    game = find_game(text)
    playouts = 40 if game.max_plies < 500 else 2
    for pure in (True, False):
        search = find_player("tesuji:memory=16").new_search(game, seed=3, pure=pure)
        result = search.run(Limits(playouts=playouts))
        answers.append((search.tree_hash(), result.lower, result.upper, result.best_move))
    assert answers[0] == answers[1]


def test_tall_boards_have_only_upright_lines():
    """One column: stones alternate, so nobody ever has four in a row."""
    for text in ("connect4:1x63", "connect4:1x63:2"):
        result = TreeSearch(find_game(text), settings=SEARCH.settings({"memory": 16.0})).run(Limits(playouts=500))
        assert (result.lower, result.upper) == (0, 0), text

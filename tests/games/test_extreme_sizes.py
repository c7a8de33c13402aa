"""The largest and oddest boards of every game: compiled and pure Python must build the same trees and prove the same."""

import numpy as np
import pytest

from tesuji.core.limits import Limits
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.games.registry import find_game
from tesuji.knowledge.hex.connections.build import build, new_connections
from tesuji.players.presets import find_player
from tesuji.search.kernel.playouts import run_playouts

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
    "hex:11x10",
    "hex:3:swap=on",
    "loa:scrambled,no_move=loss",
]


@pytest.mark.skipif(is_pure(), reason="compares with the compiler")
@pytest.mark.parametrize("text", SIZES)
def test_compiled_and_pure_agree(text):
    answers = []
    game = find_game(text)
    playouts = 40 if game.max_plies < 100 else 8 if game.max_plies < 500 else 2
    for pure in (True, False):
        # In pure Python a study of a large board of Hex takes half a minute.
        player = "tesuji:memory=16,presearch=0,study_after=1000" if text == "hex:11x10" else "tesuji:memory=16"
        search = find_player(player).engine(game, seed=3, pure=pure)
        result = search.run(Limits(playouts=playouts))
        answers.append((search.tree_hash(), result.lower, result.upper, result.best_move))
    assert answers[0] == answers[1]


@pytest.mark.skipif(is_pure(), reason="compares with the compiler")
def test_the_largest_board_of_hex():
    """Its sets of cells are wider than those of 11x11, and to compile a search with them takes 40 s: so only what uses them."""
    game = find_game("hex:19x18")
    for player in ("uct", "uct-rave"):
        found = []
        for kernel in (run_playouts, compiled(run_playouts)):
            search = find_player(f"{player}:memory=1").engine(game, seed=3)
            plies = kernel(search.policy, search.state, search.scratches[0], search.options, 3)
            found.append((plies, search.scratches[0].rng.tobytes(), search.scratches[0].states[0].tobytes()))
        assert found[0] == found[1] and found[0][0] > 500
    state, found = game.state_after(["j9", "k10", "a1", "s18", "c15"]), []
    for kernel in (build, compiled(build)):
        known = new_connections(19, 18, 0, 1 << 8)
        kernel(known, state)
        found.append([array.tobytes() for array in known if isinstance(array, np.ndarray)])
    assert found[0] == found[1]


def test_tall_boards_have_only_upright_lines():
    """One column: stones alternate, so nobody ever has four in a row."""
    for text in ("connect4:1x63", "connect4:1x63:2"):
        result = find_player("tesuji:memory=16").engine(find_game(text), pure=True).run(Limits(playouts=500))
        assert (result.lower, result.upper) == (0, 0), text

"""Every fixed search is as committed: compiled, from the cache, bounds-checked and in pure Python, for every game."""

import json
import os
import subprocess
import sys

import pytest
from write_signatures import FILE

from tesuji.core.compiler import is_pure
from tesuji.games.registry import ENTRIES, find_game
from tesuji.lab.signature import players_of, search_signature, small_games
from tesuji.players.presets import PLAYERS, find_player

COMMITTED = json.loads(FILE.read_text())
REWRITE = "make signatures writes them anew, if searches were meant to change"
each_game = pytest.mark.parametrize("game", small_games())


def test_no_game_and_no_player_is_missing():
    assert list(COMMITTED) == small_games() and len(COMMITTED) == len(ENTRIES)
    assert {player.name for player in PLAYERS} == {name for names in COMMITTED.values() for name in names if ":" not in name}
    for game, signatures in COMMITTED.items():
        assert list(signatures) == players_of(find_game(game))


def differing(game: str, pure: bool) -> list[str]:
    found = find_game(game)
    return [name for name, value in COMMITTED[game].items() if search_signature(found, find_player(name), pure) != value]


@each_game
def test_searches_in_pure_python_are_as_committed(game):
    assert not differing(game, pure=True), REWRITE


@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
@each_game
def test_compiled_searches_are_as_committed(game):
    assert not differing(game, pure=False), REWRITE


def signatures_of_process(game, **environment):
    """What a new process finds, by player."""
    command = [sys.executable, "-m", "tesuji", "bench", "--signature", "--json", game]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return {search["player"]: search["signature"] for search in json.loads(done.stdout)["searches"]}


def test_pure_by_numba_s_own_switch():
    assert signatures_of_process("tictactoe", NUMBA_DISABLE_JIT="1") == COMMITTED["tictactoe"]


BOUNDS_CHECKED = """
import sys
from tesuji.games.registry import find_game
from tesuji.lab.signature import search_signature
from tesuji.players.presets import find_player
print(search_signature(find_game(sys.argv[1]), find_player(sys.argv[2])))
"""


@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
@pytest.mark.parametrize(("game", "player"), [*((game, "tesuji") for game in small_games()), ("go:4", "crazystone")])
def test_no_search_goes_beyond_an_array(game, player):
    """Compiled with every index checked: the usual player of each game, and the one whose rule has a loop of its own."""
    command = [sys.executable, "-c", BOUNDS_CHECKED, game, player]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NUMBA_BOUNDSCHECK": "1"})
    assert done.stdout.strip() == COMMITTED[game][player], done.stderr

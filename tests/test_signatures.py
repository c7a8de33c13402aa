"""Every fixed search is as committed: compiled, from the cache, bounds-checked and in pure Python, for every game.

In pure Python every index is checked, too (checked_indices.py).
"""

import json
import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from checked_indices import indices_checked
from write_signatures import FILE

from tesuji.core.numba import registration
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.core.random import make_rng
from tesuji.core.rules import is_over, moves, play
from tesuji.games.registry import ENTRIES, find_game
from tesuji.knowledge.registry import make_policy
from tesuji.lab.signature import has_fixed_searches, players_of, search_signature, small_games
from tesuji.players.presets import PLAYERS, find_player
from tesuji.search.kernel.expansion import rate
from tesuji.search.kernel.playouts import run_playouts
from tesuji.search.policy import RATING, begin_playout, notes_type, played, playout_move

COMMITTED = json.loads(FILE.read_text())
REWRITE = "make signatures writes them anew, if searches were meant to change"
each_game = pytest.mark.parametrize("game", small_games())
once = pytest.mark.once_for_its_sources  # passed_before.py


def test_no_game_and_no_player_is_missing():
    assert list(COMMITTED) == small_games() and len(COMMITTED) == len(ENTRIES)
    fixed = {player.name for player in filter(has_fixed_searches, PLAYERS)}
    assert fixed == {name for names in COMMITTED.values() for name in names if ":" not in name}
    for game, signatures in COMMITTED.items():
        assert list(signatures) == players_of(find_game(game))


# To compile a search takes some ten seconds. Those of these players are only made in pure Python: their selection rules are
# compiled in other games (Rave and Gaussian in Go, MostProving in Connect Four, proof numbers in Seki) or with the other
# policies of the game, their policies with another rule (hex, bridges) or in test_compiled_playouts_are_those_of_pure_python.
COMPILED_IN_PARTS = {
    "go:4": {"uct"},
    "seki:3,4": {"uct-rave", "prove", "uct:selection=gaussian"},
    "hex:4": {"uct", "uct-rave", "mohex1", "mohex1:presearch=0"},
    "loa": {"uct", "pn-mcts"},
}
# Games of one file whose rules are compiled in games/test_compiled_rules.py, and no whole search of theirs.
RULES_ALONE = ("breakthrough", "gomoku", "amazons", "nogo", "ataxx", "havannah", "y", "clobber", "domineering")
COMPILED_IN_PARTS |= {name: set(COMMITTED[name]) for name in COMMITTED if name.partition(":")[0] in RULES_ALONE}
# What a search that is left out there does otherwise than the compiled one of its rule; no more has to be compiled for this.
IN_ITS_PLACE = {"go:4": "crazystone:allocation=draws,backup=mean,mean_below=0"}  # of seki:3,4 uct:selection=gaussian


def differing(game: str, pure: bool) -> list[str]:
    found, left_out = find_game(game), set() if pure else COMPILED_IN_PARTS.get(game, set())
    chosen = {name: value for name, value in COMMITTED[game].items() if name not in left_out}
    return [name for name, value in chosen.items() if search_signature(found, find_player(name), pure) != value]


@once
@each_game
def test_searches_in_pure_python_are_as_committed_and_no_index_is_out_of_range(game):
    for name in COMMITTED[game]:  # so that all of their kernels are loaded
        find_player(name).changed({"memory": 1.0}).engine(find_game(game), pure=True)
    with np.errstate(over="ignore"), indices_checked() as kernels:
        assert kernels > 200 and not differing(game, pure=True), REWRITE


@once
@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
@each_game
def test_compiled_searches_are_as_committed_and_their_code_is_kept(game):
    earlier = code_files()
    assert not differing(game, pure=False), REWRITE
    if game in IN_ITS_PLACE:
        found, player = find_game(game), find_player(IN_ITS_PLACE[game])
        with np.errstate(over="ignore"):
            assert search_signature(found, player, pure=False) == search_signature(found, player, pure=True)
    new = {path for key, path in code_files().items() if key not in earlier}
    assert None not in new and all(path.exists() for path in new)


def code_files():
    """Where the code of each kernel that was compiled or loaded so far is kept, or would be; None if it cannot be."""
    entries = registration._entries.items()
    return {(kernel, types): path for kernel, entry in entries for types, path in entry._cache._paths.items()}


def signatures_of_process(game, **environment):
    """What a new process finds, by player."""
    command = [sys.executable, "-m", "tesuji", "bench", "--signature", "--json", game]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return {search["player"]: search["signature"] for search in json.loads(done.stdout)["searches"]}


@once
def test_pure_by_numba_s_own_switch():
    assert signatures_of_process("tictactoe", NUMBA_DISABLE_JIT="1") == COMMITTED["tictactoe"]


# -- parts of searches ---------------------------------------------------------------------------------------------------------
@once
@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
@pytest.mark.parametrize(("game", "player"), [("go:4", "uct"), ("hex:4", "uct"), ("hex:4", "uct-rave"), ("loa", "uct")])
def test_compiled_playouts_are_those_of_pure_python(game, player):
    found = []
    for kernel in (compiled(run_playouts), run_playouts):
        search = find_player(player).changed({"memory": 1.0}).engine(find_game(game), seed=1)
        with np.errstate(over="ignore"):
            plies = kernel(search.policy, search.state, search.scratches[0], search.options, 2)
        found.append((plies, search.scratches[0].rng.tobytes(), search.scratches[0].states[0].tobytes()))
    assert found[0] == found[1] and found[0][0] > 0


class Options(NamedTuple):
    prunes: bool


def rate_a_game(policy, notes, state, ratings, options, rng, most):
    """A game of a policy against itself, in which every position is rated: all that it does but to be asked by a search."""
    plies = 0
    begin_playout(policy, notes, state)
    while plies < most and not is_over(state):
        rate(policy, state, notes["moves"], moves(state, notes["moves"]), -1, ratings, options)
        move = playout_move(policy, notes, state, rng)
        play(state, move)
        played(policy, notes, state, move)
        plies += 1
    return plies


# The signatures come from boards on which some knowledge, of ladders and large patterns, has no room.
@pytest.mark.parametrize(
    ("text", "name"), [("go:5", "uct-rave"), ("go:5", "crazystone"), ("go:5", "mogo"), ("hex:5", "mohex2")]
)
def test_no_policy_goes_beyond_an_array(text, name):
    game, player = find_game(text), find_player(name)
    settings = player.settings_for(game)
    policy = make_policy(game, player.policies(game)[settings["policy"]], settings)
    notes = np.zeros(1, notes_type(type(policy), game.buffer_size))[0]
    ratings = np.zeros(game.buffer_size, RATING)
    with np.errstate(over="ignore"), indices_checked():
        assert rate_a_game(policy, notes, game.new_state(), ratings, Options(True), make_rng(1), 100) > 10


# -- every index checked, compiled ---------------------------------------------------------------------------------------------
SEARCH = """
import sys
from tesuji.games.registry import find_game
from tesuji.lab.signature import search_signature
from tesuji.players.presets import find_player
print(search_signature(find_game(sys.argv[1]), find_player(sys.argv[2])))
"""


@once
@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
def test_a_search_that_checks_every_index_when_compiled():
    """Of one game; the searches above are the same ones. It is not optimised: that doubles the compile time."""
    env = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0"}
    done = subprocess.run([sys.executable, "-c", SEARCH, "seki:3,4", "tesuji"], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [COMMITTED["seki:3,4"]["tesuji"]]

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


# To compile a search takes some ten seconds. Those of these players are only made in pure Python: their selection rules are
# compiled with the other policies of the game or in EVERY_RULE, their policies with another rule (hex, bridges) or in
# test_no_rule_and_no_playout_goes_beyond_an_array, which compares compiled and pure playouts.
COMPILED_IN_PARTS = {"go:4": {"uct"}, "hex:4": {"uct", "uct-rave", "mohex1", "mohex1:presearch=0"}, "loa": {"uct"}}


def differing(game: str, pure: bool) -> list[str]:
    found, left_out = find_game(game), set() if pure else COMPILED_IN_PARTS.get(game, set())
    chosen = {name: value for name, value in COMMITTED[game].items() if name not in left_out}
    return [name for name, value in chosen.items() if search_signature(found, find_player(name), pure) != value]


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


# -- every index checked -------------------------------------------------------------------------------------------------------
SEARCHES = """
import sys
from tesuji.games.registry import find_game
from tesuji.lab.signature import search_signature
from tesuji.players.presets import find_player
for player in sys.argv[2:]:
    print(search_signature(find_game(sys.argv[1]), find_player(player)))
"""
RULES = """
import sys
import numpy as np
from tesuji.core.compiler import compiled
from tesuji.core.rules import is_over, play
from tesuji.games.registry import find_game
from tesuji.games.trace import empty_trace, fill_trace, run_trace
from tesuji.players.presets import find_player
from tesuji.search.playouts import run_playouts
for text in sys.argv[1:]:
    game, rng, moves = find_game(text), np.random.default_rng(1), []
    state = game.new_state()
    while not is_over(state):
        moves.append(rng.choice(game.legal_moves(state)))
        play(state, moves[-1])
    played, count = np.array(moves, np.int32), len(moves) + 1
    traces = [empty_trace(game, count) for _ in range(2)]
    run_trace(game, traces[0], played, count)
    with np.errstate(over="ignore"):
        fill_trace(traces[1], played, count, *game.outcomes)
    assert all(np.array_equal(one, other) for one, other in zip(*traces)), text
    searches = {}
    for name in ("uct", "mc-loa" if text == "loa" else "tesuji"):  # tesuji has no playouts in Lines of Action
        search = find_player(name).changed({"memory": 1.0}).new_search(game, seed=1)
        searches[type(search.policy)] = name
    for name in searches.values():
        found = []
        for kernel in (compiled(run_playouts), run_playouts):
            search = find_player(name).changed({"memory": 1.0}).new_search(game, seed=1)
            with np.errstate(over="ignore"):
                plies = kernel(search.policy, search.state, search.scratches[0], search.options, 2)
            found.append((plies, search.scratches[0].rng.tobytes(), search.scratches[0].states[0].tobytes()))
        assert found[0] == found[1] and plies > 0, (text, name)
        compiled(run_playouts)(search.policy, search.state, search.scratches[0], search.options, 20)
    print(text)
"""

# A game of each policy against itself, in which every position is rated: all that a policy does but to be asked by a search.
POLICIES = """
import sys
from typing import NamedTuple
import numpy as np
from tesuji.core.compiler import compiled
from tesuji.core.random import make_rng
from tesuji.core.rules import is_over, moves, play
from tesuji.games.registry import find_game
from tesuji.knowledge.registry import make_policy
from tesuji.players.presets import find_player
from tesuji.search.policy import RATING, begin_playout, notes_type, played, playout_move
from tesuji.search.simulate import rate
class Options(NamedTuple):
    prunes: bool
def rate_a_game(policy, notes, state, ratings, options, rng, most):
    plies = 0
    begin_playout(policy, notes, state)
    while plies < most and not is_over(state):
        rate(policy, state, notes["moves"], moves(state, notes["moves"]), -1, ratings, options)
        move = playout_move(policy, notes, state, rng)
        play(state, move)
        played(policy, notes, state, move)
        plies += 1
    return plies
game = find_game(sys.argv[1])
for name in sys.argv[2:]:
    player = find_player(name)
    settings = player.settings_for(game)
    policy = make_policy(game, player.policies(game)[settings["policy"]], settings)
    notes = np.zeros(1, notes_type(type(policy), game.buffer_size))[0]
    ratings = np.zeros(game.buffer_size, RATING)
    plies = compiled(rate_a_game)(policy, notes, game.new_state(), ratings, Options(True), make_rng(1), 200)
    assert plies > 10, name
    print(name)
"""


def checked(script, *arguments):
    """What a process prints in which compiled code checks every index. It is not optimised: that doubles the compile time."""
    env = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0"}
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
@pytest.mark.parametrize("games", [small_games()[:4], small_games()[4:]])
def test_no_rule_and_no_playout_goes_beyond_an_array(games):
    assert checked(RULES, *games) == games


@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
@pytest.mark.parametrize(
    ("game", "players"),
    [("seki:3,4", ["tesuji", "uct-rave", "uct:selection=gaussian"]), ("loa", ["tesuji"])],
    ids=["every kind of rule", "a policy that rates moves"],
)
def test_no_search_goes_beyond_an_array(game, players):
    """The search itself is the same for all games; rules and policies differ, and have tests of their own."""
    assert checked(SEARCHES, game, *players) == [COMMITTED[game][player] for player in players]


@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
@pytest.mark.parametrize(("game", "players"), [("go:5", ["uct-rave", "crazystone", "mogo"]), ("hex:5", ["mohex2", "mohex1"])])
def test_no_policy_goes_beyond_an_array(game, players):
    assert checked(POLICIES, game, *players) == players

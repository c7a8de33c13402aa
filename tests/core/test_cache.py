"""The compile cache: nothing is compiled twice, nothing stale is ever used, and light commands never load the compiler."""

import json
import os
import subprocess
import sys

from tesuji.core import sources

COUNT = """
import json, sys
from tesuji.games.registry import find_game
from tesuji.search.engine import Search
from tesuji.search.options import SEARCH
from tesuji.core.limits import Limits
from tesuji.core import compiler
search = Search(find_game(sys.argv[1]), settings=SEARCH.settings({"memory": 8.0}), seed=1)
result = search.run(Limits(playouts=300))
search.advance(result.best_move)
print(json.dumps({"compilations": compiler.compilations, "hash": search.tree_hash(), "lower": result.lower}))
"""

OWN = """
import numpy as np
from tesuji import Game, implements, rules, state_type
STATE = state_type("own", [("left", np.int64), ("turn", np.int64)])
@implements(rules.to_play, STATE)
def to_play(state): return state["turn"]
@implements(rules.moves, STATE)
def moves(state, out):
    out[0] = 0
    return 1
@implements(rules.play, STATE)
def play(state, move):
    state["left"] -= 1
    state["turn"] = 1 - state["turn"]
@implements(rules.is_over, STATE)
def is_over(state): return state["left"] == 0
@implements(rules.outcome, STATE)
def outcome(state): return WINNER
start = np.zeros(1, STATE)[0]
start["left"] = 3
game = Game(name="own", start=start, outcomes=(-1, 1), move_count=1, max_plies=3)
"""


def run(cache, *arguments, **environment):
    env = {**os.environ, "TESUJI_CACHE_DIR": str(cache), **environment}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_second_start_compiles_nothing(tmp_path):
    first = json.loads(run(tmp_path, "-c", COUNT, "tictactoe"))
    files = sorted(p.name for p in tmp_path.rglob("*") if p.is_file())
    second = json.loads(run(tmp_path, "-c", COUNT, "tictactoe"))
    assert first["compilations"] > 0 and second["compilations"] == 0
    assert first["hash"] == second["hash"]
    assert files == sorted(p.name for p in tmp_path.rglob("*") if p.is_file())


def test_an_edited_game_is_never_stale(tmp_path):
    """Same file, same fields, other rules: the search compiled for the old ones is not used."""
    cache, file = tmp_path / "cache", tmp_path / "own.py"
    seen = []
    for winner in ("1", "1", "-1"):
        file.write_text(OWN.replace("WINNER", winner))
        seen.append(json.loads(run(cache, "-c", COUNT, f"{file}:game")))
    assert [s["lower"] for s in seen] == [1, 1, -1]
    assert seen[0]["compilations"] > 0 and seen[1]["compilations"] == 0 and seen[2]["compilations"] > 0


def test_an_edited_import_of_a_game_counts(tmp_path):
    (tmp_path / "helper.py").write_text("A = 1\n")
    (tmp_path / "main.py").write_text("import helper\n")
    before = sources.source_digest(str(tmp_path / "main.py"))
    (tmp_path / "helper.py").write_text("A = 2\n")
    assert sources.source_digest(str(tmp_path / "main.py")) != before


def test_flags_and_sources_have_folders_of_their_own(tmp_path):
    show = "from tesuji.core.cache import cache_folder; print(cache_folder())"
    plain = run(tmp_path, "-c", show)
    assert plain == run(tmp_path, "-c", show)
    assert plain != run(tmp_path, "-c", show, NUMBA_BOUNDSCHECK="1")
    assert plain != run(
        tmp_path,
        "-c",
        "from tesuji.core import sources; sources.package_digest = lambda: 'x'\n"
        + show.replace("from", "import tesuji.core.cache as c; c.package_digest = sources.package_digest\nfrom"),
    )


def test_light_commands_do_not_load_the_compiler(tmp_path):
    show = "import sys; from tesuji.cli.main import main\ntry: main(sys.argv[1:])\nexcept SystemExit: pass\n"
    show += "print('LOADED', [m for m in ('numba', 'numpy', 'rich') if m in sys.modules])"
    assert "LOADED []" in run(tmp_path, "-c", show, "--help")
    assert "numba" not in run(tmp_path, "-c", show, "games").split("LOADED")[1]
    assert "numba" not in run(tmp_path, "-c", show, "players").split("LOADED")[1]


def test_a_policy_of_another_package_leaves_nothing_on_disk(tmp_path):
    """Its class cannot be found by other processes, and nothing would tell when its source has changed."""
    script = tmp_path / "script.py"
    script.write_text(
        "from typing import NamedTuple\n"
        "from tesuji.core.dispatch import implements\n"
        "from tesuji.core.limits import Limits\n"
        "from tesuji.core.rules import random_move\n"
        "from tesuji.games.registry import find_game\n"
        "from tesuji.search.engine import Search\n"
        "from tesuji.search.playout import playout_move\n"
        "class Mine(NamedTuple):\n"
        "    number: int\n"
        "@implements(playout_move, Mine)\n"
        "def mine(policy, state, buffer, rng):\n"
        "    return random_move(state, buffer, rng)\n"
        "print(Search(find_game('tictactoe'), policy=Mine(1), seed=1).run(Limits(playouts=50)).playouts)\n"
    )
    env = {**os.environ, "TESUJI_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=env)
    assert done.stdout == "50\n", done.stderr
    kept = [path.name for path in (tmp_path / "cache").rglob("*.nbi")]
    assert not any("run_slice" in name for name in kept)

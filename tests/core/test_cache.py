"""The compile cache: nothing is compiled twice, nothing stale is ever used, and it never stands in the way."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from warm_process import run_warm

from tesuji.core import sources
from tesuji.core.numba import cache, stamps

pytestmark = pytest.mark.once_for_its_sources  # passed_before.py

SEARCH = """
import json, sys
from tesuji.games.registry import find_game
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.engine.parameters import SEARCH
from tesuji.core.limits import Limits
from tesuji.core.numba import registration
search = TreeSearch(find_game(sys.argv[1]), settings=SEARCH.settings({"memory": 8.0}), seed=1)
result = search.run(Limits(playouts=300))
search.advance(result.best_move)
print(json.dumps({"compilations": registration.compilations, "hash": search.tree_hash(), "lower": result.lower}))
"""

# A kernel so small that it compiles in a moment, on a class and an operation of the script's own.
SMALL = """
import json
from typing import NamedTuple
import numpy as np
from tesuji.core.numba import registration
from tesuji.core.dispatch import implements, kernel, operation
FACTOR = 2
TABLE = np.arange(5)
class Mine(NamedTuple):
    number: int
@operation
def worth(thing): "What it is worth."
@implements(worth, Mine)
def worth_of_mine(thing):
    return factor() * TABLE[thing.number]
@kernel
def factor():
    return FACTOR
def entry(thing):
    return worth(thing)
if __name__ == "__main__":
    value = int(registration.compiled(entry)(Mine(3)))
    print(json.dumps({"value": value, "compilations": registration.compilations, "loads": registration.loads()}))
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
game = Game(name="own", initial=start, outcomes=(-1, 1), move_count=1, max_plies=3)
"""

OWN_OUTCOME = """
import json, sys
from tesuji.core import rules
from tesuji.core.numba import registration
from tesuji.games.registry import find_game
def entry(state): return rules.outcome(state)
value = int(registration.compiled(entry)(find_game(sys.argv[1]).new_state()))
print(json.dumps({"value": value, "compilations": registration.compilations}))
"""


def start(folder, *arguments, **environment):
    """A new process of `python ARGUMENTS...`. Where something is set that Numba reads when it is loaded, really a new one."""
    env = {**os.environ, "TESUJI_CACHE_DIR": str(folder), "PYTHONPATH": str(sources.PACKAGE.parent), **environment}
    words = list(map(str, arguments))
    return (
        subprocess.run([sys.executable, *words], capture_output=True, text=True, env=env)
        if environment
        else run_warm(words, env)
    )


NEW: dict[str, str] = {"PYTHONDONTWRITEBYTECODE": "1"}  # which changes nothing for the script


def run(folder, *arguments, **environment):
    done = start(folder, *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def figures(folder, *arguments, **environment):
    return json.loads(run(folder, *arguments, **environment))


def kept(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.code"))


@pytest.fixture
def small(tmp_path):
    script = tmp_path / "small.py"
    script.write_text(SMALL)
    return script


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache"


# -- nothing twice, nothing stale ----------------------------------------------------------------------------------------
def test_a_second_start_compiles_nothing():
    """In the cache of all tests, which may have the search already: so only the second start is known to load everything."""
    first, second = (figures(cache.cache_root(), "-c", SEARCH, "tictactoe", **NEW) for _ in range(2))
    assert second["compilations"] == 0 and first["hash"] == second["hash"]


def test_a_script_of_ones_own_is_kept_and_an_edited_formula_never_runs_in_its_old_form(small, folder):
    first, second = figures(folder, small), figures(folder, small, **NEW)
    assert first["value"] == second["value"] == 6
    assert (first["loads"], second["loads"], second["compilations"]) == (0, 1, 0)
    small.write_text(SMALL.replace("FACTOR = 2", "FACTOR = 5"))
    edited = figures(folder, small)
    assert edited["value"] == 15 and edited["compilations"] > 0
    small.write_text(SMALL)
    assert figures(folder, small) == second  # both forms are kept, each by itself


def test_a_class_of_a_file_that_is_named_on_the_command_line_is_kept(small, folder):
    """Such a file becomes a module named after its contents."""
    loader = small.with_name("loader.py")
    loader.write_text(
        "import json, sys\nfrom tesuji.core.numba import registration\nfrom tesuji.core.user_files import load_file\n"
        "module = load_file(sys.argv[1], '').module\nvalue = int(registration.compiled(module.entry)(module.Mine(3)))\n"
        "print(json.dumps([value, registration.compilations > 0]))\n"
    )
    assert [figures(folder, loader, small) for _ in range(2)] == [[6, True], [6, False]]
    small.write_text(SMALL.replace("FACTOR = 2", "FACTOR = 5"))
    assert figures(folder, loader, small) == [15, True]


def test_what_a_script_imports_from_its_folder_counts(small, folder):
    user = small.with_name("user.py")
    user.write_text(SMALL.split("class Mine")[0] + "from small import Mine, entry\nif __name__" + SMALL.split("if __name__")[1])
    assert figures(folder, user)["value"] == 6
    assert figures(folder, user)["compilations"] == 0
    small.write_text(SMALL.replace("FACTOR = 2", "FACTOR = 5"))
    assert figures(folder, user)["value"] == 15


# A line by which `factor` comes from elsewhere, the file that it stands in, and the script's own file.
ELSEWHERE = {
    "a folder of PYTHONPATH": ("from helper import factor", "path/helper.py", "small.py"),
    "a package there": ("from lib.helper import factor", "path/lib/helper.py", "small.py"),
    "the package of the script": ("from . import helper; factor = helper.factor", "path/lib/helper.py", "path/lib/small.py"),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_a_script_imports_from_elsewhere_counts(name, tmp_path, folder):
    line, *files = ELSEWHERE[name]
    helper, script = (tmp_path / file for file in files)
    helper.parent.mkdir(parents=True)
    helper.write_text("from tesuji import kernel\n@kernel\ndef factor():\n    return 2\n")
    script.write_text(SMALL.replace("@kernel\ndef factor():\n    return FACTOR\n", line + "\n"))
    paths = f"{tmp_path / 'path'}{os.pathsep}{sources.PACKAGE.parent}"
    words = [str(script)] if script.parent == tmp_path else ["-m", "lib.small"]

    def found():
        done = run_warm(words, {**os.environ, "TESUJI_CACHE_DIR": str(folder), "PYTHONPATH": paths})
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert found()["value"] == 6
    assert found() == {"value": 6, "compilations": 0, "loads": 1}
    helper.write_text(helper.read_text().replace("2", "5"))
    assert found()["value"] == 15


def test_a_module_of_the_own_folder_is_not_another_of_that_name(tmp_path, monkeypatch):
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        for name in ("mine.py", "helper.py"):
            (tmp_path / folder / name).write_text("import helper\n")
    loaded = ModuleType("helper")
    loaded.__file__ = str(tmp_path / "other" / "helper.py")
    monkeypatch.setitem(sys.modules, "helper", loaded)
    found = sources._closure_now(tmp_path / "one" / "mine.py")
    assert found == {tmp_path / "one" / name for name in ("mine.py", "helper.py")}


def test_an_edited_game_is_never_stale(tmp_path, folder):
    """Same file, same fields, other rules: what was compiled for the old ones is not used."""
    file, script = tmp_path / "own.py", tmp_path / "script.py"
    script.write_text(OWN_OUTCOME)
    seen = []
    for winner in ("1", "1", "-1"):
        file.write_text(OWN.replace("WINNER", winner))
        seen.append(figures(folder, script, f"{file}:game"))
    assert [s["value"] for s in seen] == [1, 1, -1]
    assert seen[0]["compilations"] > 0 and seen[1]["compilations"] == 0 and seen[2]["compilations"] > 0


def test_a_source_that_changed_since_it_was_read_leaves_nothing(small, folder):
    """What runs is not what the file says by now."""
    small.write_text(SMALL.replace("    value", "    open(__file__, 'a').write('# more\\n')\n    value"))
    assert figures(folder, small, **NEW)["value"] == 6
    assert kept(folder) == []


@pytest.mark.skipif(os.name != "posix", reason="only there the system says when a file was last written")
def test_a_source_dated_in_the_future_is_kept(small, folder):
    ahead = time.time() + 1e6
    os.utime(small, (ahead, ahead))
    assert [figures(folder, small, **NEW)["loads"] for _ in range(2)] == [0, 1]
    small.write_text("import os\n" + SMALL.replace("    value", f"    os.utime(__file__, ({ahead}, {ahead}))\n    value", 1))
    before = kept(folder)
    assert figures(folder, small, **NEW)["value"] == 6
    assert kept(folder) == before  # written anew since it was read, as far as anybody can tell


def test_a_source_all_of_whose_dates_lie_in_the_future_is_named(monkeypatch, capfd):
    """As when the computer's clock was set back."""
    monkeypatch.setattr(cache, "_warned", False)
    monkeypatch.setattr(sources, "time", SimpleNamespace(time=lambda: 1e6))
    monkeypatch.setattr(sources, "_started", 1e6)
    assert stamps.stamp(sources.shown_path, ()) is None
    assert "is dated in the future, so compiled code is not kept; touch mends that" in capfd.readouterr().err


def test_what_is_typed_in_by_hand_leaves_nothing(folder):
    assert figures(folder, "-c", SMALL)["value"] == 6
    assert kept(folder) == []


def test_an_edited_import_of_a_game_counts(tmp_path):
    """As a file of the folder and, also from outside it, by a relative import."""
    main = tmp_path / "folder" / "main.py"
    main.parent.mkdir()
    for line, name in (("import helper", "folder/helper.py"), ("from ..above import A", "above.py"), ("from " + "." * 99, "")):
        main.write_text(f"{line}\n" if name else f"{line} import helper\n")
        helper = tmp_path / (name or "nowhere.py")
        helper.write_text("A = 1\n")
        before = sources.source_digest(str(main))
        helper.write_text("A = 2\n")
        assert (sources.source_digest(str(main)) != before) == bool(name)


def test_flags_have_folders_of_their_own(tmp_path):
    show = "from tesuji.core.numba.cache import cache_folder; print(cache_folder('stamp'))"
    plain = run(tmp_path, "-c", show)
    assert plain == run(tmp_path, "-c", show, **NEW)
    assert plain != run(tmp_path, "-c", show, NUMBA_BOUNDSCHECK="1")


# -- a game's code is its own --------------------------------------------------------------------------------------------
TRACE = """
import sys
from tesuji.core.numba import registration
from tesuji.games.registry import find_game
from tesuji.games.trace import compile_trace
compile_trace(find_game(sys.argv[1]))
print(registration.compilations)
"""

STAMPS = """
import json
from tesuji.core.numba import stamps
from tesuji.games.registry import find_game
from tesuji.players.presets import PLAYERS
from tesuji.search.kernel.loop import run_slice
found = {}
for text in ("tictactoe", "connect4:4x4", "go:5", "loa"):
    game = find_game(text)
    for player in PLAYERS:
        if player.name in ("uct", "crazystone", "mc-loa") and (not player.games or text.split(":")[0] in player.games):
            search = player.changed({"memory": 1.0}).engine(game)
            classes = {type(part) for part in (search.tree, search.scratches[0], search.policy, search.rule, search.options)}
            found[f"{text} {player.name}"] = stamps.stamp(run_slice, {game.initial.dtype, *classes})
print(json.dumps(found))
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the package that can be edited."""
    package = tmp_path / "copy" / "tesuji"
    shutil.copytree(sources.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def edit(copy: Path, name: str) -> None:
    path = copy / name
    path.write_text(path.read_text() + "\nEDITED = True\n")


def test_an_edited_game_leaves_the_code_of_others(copy, folder):
    def compilations():
        return int(run(folder, "-c", TRACE, "tictactoe", PYTHONPATH=str(copy.parent)))

    assert compilations() > 0
    edit(copy, "games/connect4/rules.py")
    assert compilations() == 0
    edit(copy, "games/tictactoe/rules.py")
    assert compilations() > 0


def test_searches_are_stamped_by_their_game_policy_and_rule(copy, folder):
    before = figures(folder, "-c", STAMPS, PYTHONPATH=str(copy.parent))

    def changed_by(*names):
        nonlocal before
        for name in names:
            edit(copy, name)
        after, earlier = figures(folder, "-c", STAMPS, PYTHONPATH=str(copy.parent)), before
        before = after
        assert None not in after.values()
        return {search for search in after if after[search] != earlier[search]}

    everything = {"tictactoe uct", "connect4:4x4 uct", "go:5 uct", "go:5 crazystone", "loa uct", "loa mc-loa"}
    assert changed_by("games/connect4/rules.py") == {"connect4:4x4 uct"}
    assert changed_by("knowledge/go/urgency.py") == {"go:5 crazystone"}
    assert changed_by("knowledge/loa/for_alphabeta.py", "cli/main.py", "players/presets.py", "games/registry.py") == set()
    assert changed_by("games/loa/lines.py") == {"loa uct", "loa mc-loa"}
    assert changed_by("search/kernel/bounds.py") == everything
    assert changed_by("core/numba/pipeline.py") == everything


PLAYOUTS = """
from typing import NamedTuple
from tesuji.core.numba import registration
from tesuji.core.dispatch import implements
from tesuji.core.rules import random_move
from tesuji.games.registry import find_game
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.kernel.playouts import run_playouts
from tesuji.search.policy import Uniform, playout_move
class Mine(NamedTuple):
    number: int
{register}
search = TreeSearch(find_game("tictactoe"), policy={policy}, seed=1)
plies = registration.compiled(run_playouts)(search.policy, search.state, search.scratches[0], search.options, 10)
print(plies > 0, registration.compilations)
"""


def test_a_policy_from_outside_is_kept_and_spoils_nothing(tmp_path, folder):
    mine = tmp_path / "mine.py"
    register = (
        "@implements(playout_move, Mine)\ndef move(policy, notes, state, rng): return random_move(state, notes['moves'], rng)"
    )
    mine.write_text(PLAYOUTS.format(register=register, policy="Mine(1)"))
    assert "True" in run(folder, mine)
    assert run(folder, mine).split() == ["True", "0"]
    mine.unlink()
    plain = tmp_path / "plain.py"
    plain.write_text(PLAYOUTS.format(register="", policy="Uniform()"))
    assert "True" in run(folder, plain)
    replacing = tmp_path / "replacing.py"
    replacing.write_text(PLAYOUTS.format(register=register.replace("Mine", "Uniform"), policy="Uniform()"))
    done = start(folder, replacing)
    assert done.returncode != 0
    assert "playout_move for Uniform is implemented twice: " in done.stderr and "replacing.py:12" in done.stderr


# -- it never stands in the way ------------------------------------------------------------------------------------------
def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def replace_by_folder(path):
    path.unlink()
    path.mkdir()


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": cut,
    "cut by one byte": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "one bit": flip,
    "garbage": lambda path: path.write_bytes(b"garbage" * 1000),
    "text": lambda path: path.write_text("<html>"),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"more"),
    "no pickle": lambda path: cache.write(path, b"not what it should be"),
    "another version's": lambda path: cache.write(path, b"cno_such_module\nThing\n."),
    "a folder": replace_by_folder,
}


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory):
    base = tmp_path_factory.mktemp("damage")
    (base / "small.py").write_text(SMALL)
    assert figures(base / "cache", base / "small.py")["value"] == 6
    return base


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_code_is_told_once_and_compiled_again(compiled_once, tmp_path, kind):
    folder = tmp_path / "cache"
    shutil.copytree(compiled_once / "cache", folder)
    DAMAGE[kind](kept(folder)[0])
    done = start(folder, compiled_once / "small.py")
    assert done.returncode == 0 and json.loads(done.stdout)["value"] == 6
    assert done.stderr.startswith("tesuji: ") and done.stderr.count("\n") == 1
    if kind != "a folder":
        assert figures(folder, compiled_once / "small.py")["compilations"] == 0


@pytest.mark.parametrize("kind", ["a file", "below a file", "no such device", "a broken link", "full disk"])
def test_a_folder_that_cannot_be_used_is_told_once(small, tmp_path, kind):
    file = tmp_path / "file"
    file.write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "at all")
    named = {
        "a file": file,
        "below a file": file / "cache",
        "no such device": "/proc/cache",
        "a broken link": tmp_path / "link",
    }
    folder = named.get(kind, tmp_path / "cache")
    done = run_warm([str(small)], {**os.environ, "TESUJI_CACHE_DIR": str(folder)}, 4096 if kind == "full disk" else 0)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["value"] == 6
    assert done.stderr.startswith("tesuji: compiled code cannot be") and done.stderr.count("\n") == 1


def test_a_read_only_folder_is_told_once(small, tmp_path):
    """As whoever runs the tests, who may write anywhere; so it is the system's answer that is changed."""
    lines = "import os\ndef refuse(*_, **__): raise PermissionError(13, 'Permission denied', 'cache')\nos.replace = refuse\n"
    small.write_text(lines + SMALL)
    done = start(tmp_path / "cache", small)
    assert json.loads(done.stdout)["value"] == 6
    assert done.stderr.count("\n") == 1 and "cannot be kept, so the next start compiles again" in done.stderr
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_no_home_folder_is_told_once(small):
    """An unknown user without HOME."""
    lines = "from pathlib import Path\ndef nowhere(): raise RuntimeError('no home')\nPath.home = nowhere\n"
    small.write_text(lines + SMALL)
    env = {k: v for k, v in os.environ.items() if k not in ("TESUJI_CACHE_DIR", "XDG_CACHE_HOME", "HOME")}
    done = run_warm([str(small)], env)
    assert json.loads(done.stdout)["value"] == 6
    assert done.stderr == "tesuji: there is no home folder to keep compiled code in; TESUJI_CACHE_DIR can name another\n"


def test_an_index_out_of_range_in_an_inlined_function_is_raised_compiled_and_from_disk(small, folder):
    small.write_text(SMALL.replace("Mine(3)", "Mine(9)"))
    for _ in range(2):
        done = start(folder, small, NUMBA_BOUNDSCHECK="1")
        assert "IndexError" in done.stderr and done.returncode == 1
    assert len(kept(folder)) == 1


def test_old_folders_are_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_CACHE_DIR", str(tmp_path))
    names = [f"{number:016x}" for number in range(4)]
    for age, name in enumerate(names):
        cache.write(tmp_path / name / "kernel.code", bytes(1000))
        os.utime(tmp_path / name, (time.time() - 3600 * age,) * 2)
    (tmp_path / "something else").mkdir()

    def left():
        return [name for name in names if (tmp_path / name).exists()]

    monkeypatch.setattr(cache, "LARGEST", 2500)
    cache.trim()
    assert left() == names  # this process wrote them
    monkeypatch.setattr(cache, "_in_use", {tmp_path / names[3]})
    cache.trim()
    assert left() == [names[0], names[1], names[3]]
    monkeypatch.setattr(cache, "_in_use", set())
    monkeypatch.setattr(cache, "LONGEST_UNUSED", 1800.0)
    cache.trim()
    assert left() == names[:1] and (tmp_path / "something else").exists()

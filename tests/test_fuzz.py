"""Each part of `make fuzz` for a moment, with a fixed seed and in pure Python: that it runs, and that it can find something."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fuzz import hex_players, kills, random_games, readers, table_games, threads

ROOT = Path(__file__).parents[1]


def turns(count: int) -> Callable[[], bool]:
    """A `stop` that lets a part go round so many times."""
    left = iter(range(count))
    return lambda: next(left, None) is None


@pytest.fixture(autouse=True)
def pure(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.delenv("TESUJI_DEBUG", raising=False)
    with np.errstate(over="ignore"):
        yield


def test_games_are_what_they_seem():
    """Values by minimax again, from the rules; images are worth the same, and bounds are true."""
    from tesuji.core import rules

    def value(table: table_games.TableGame, node: int) -> int:
        state = table.game.new_state()
        state["node"] = node
        if rules.is_over(state):
            return int(rules.outcome(state))
        best = max if rules.to_play(state) == rules.FIRST else min
        return best(value(table, int(state["child"][node, move])) for move in table.game.legal_moves(state))

    for number in range(20):
        table = table_games.make_game(number, largest=8)
        start = table.game.initial
        for node in range(len(table.values)):
            assert value(table, node) == table.values[node] == table.values[start["image"][node]]
            assert start["lower"][node] <= table.values[node] <= start["upper"][node]


def test_every_player_in_random_games(tmp_path):
    counts = random_games.Counter()
    for number, player in enumerate(random_games.provers()):
        random_games.one_game(number, player, tmp_path, counts, most_threads=2, share=1.0 if number < 12 else 0.0)
    assert len(random_games.provers()) > 30 and counts["bounds"] > 300 and counts["certificates"] > 0 and counts["jobs"] > 0
    assert counts["searches loaded"] > 0 and counts["files of proofs"] > 0


def test_a_wrong_bound_is_found(tmp_path):
    """A value that is not the game's, as if the search were wrong."""
    table = table_games.make_game(3, largest=12)
    search = random_games.find_player("prove:memory=1").search(table.game)
    search.run(playouts=300)
    assert random_games.check_bounds(table, search.engine, "") > 1
    wrong = table._replace(values=[value + 1 for value in table.values])
    with pytest.raises(AssertionError, match="is worth"):
        random_games.check_bounds(wrong, search.engine, "")


def test_proofs_and_searches_of_another_game():
    assert random_games.load_across_games(random.Random(1), turns(40))["refused"] > 0


def test_threads():
    assert threads.attack_threads(random.Random(1), turns(3))["games"] == 3


def test_players_of_hex(monkeypatch):
    assert hex_players.attack_hex_players(random.Random(1), turns(3), (5, 20))["bounds"] > 10
    monkeypatch.setattr(hex_players, "true_outcome", lambda *_position: 2)
    with pytest.raises(AssertionError, match="not 2"):
        hex_players.attack_hex_players(random.Random(1), turns(3), (5,))


@pytest.mark.parametrize("part", ["gtp", "json_lines", "records", "files", "command_lines"])
def test_readers(part):
    counts = getattr(readers, f"attack_{part}")(random.Random(1), turns({"gtp": 200, "json_lines": 1}.get(part, 12)))
    assert sum(counts.values()) > 10


def test_a_reader_that_fails_is_found(monkeypatch):
    def read(*_arguments):
        raise OverflowError("int too large to convert to float")

    monkeypatch.setattr(readers, "open_tree", read)
    with pytest.raises(AssertionError, match=r"(?s)as the page reads it.*OverflowError"):
        readers.attack_records(random.Random(1), turns(1))


def test_a_killed_run_goes_on():
    counts = kills.attack_by_kills(random.Random(2), turns(1), ("match",))
    assert counts["match"] == 1


def test_the_whole_prints_seeds_and_counts_and_ends_with_a_finding(tmp_path):
    """By a copy of the script beside a part that finds something."""
    folder = tmp_path / "tests" / "fuzz"
    folder.mkdir(parents=True)
    text = (ROOT / "tests" / "fuzz" / "__main__.py").read_text()
    table = (
        'PARTS = (Part("good", "mine", "good"), Part("bad", "mine", "bad"), Part("dies", "mine", "dies"))\n\n\n# -- one turn'
    )
    begin, end = text.index("PARTS = ("), text.index("# -- one turn")
    (folder / "__main__.py").write_text(text[:begin] + table + text[end + len("# -- one turn") :])
    (folder / "mine.py").write_text(
        "import os\n"
        "def good(rng, stop): return {'things': 3}\n"
        "def bad(rng, stop): raise AssertionError(f'thing {rng.random()}')\n"
        "def dies(rng, stop): os.kill(os.getpid(), 9)\n"
    )

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tests.fuzz", "--seed", "5", "--workers", "1", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    good = run("--only", "good", "--minutes", "0.03")
    assert good.returncode == 0 and good.stdout.startswith("seed 5, ") and "things" in good.stdout.splitlines()[-1]
    bad = run("--only", "bad", "--minutes", "0.1")
    again = bad.stdout.partition("To repeat it: python ")[2].splitlines()[0].split()
    thing = f"AssertionError: thing {random.Random(int(again[again.index('--seed') + 1])).random()}"
    assert bad.returncode == 1 and "FOUND by bad" in bad.stdout and thing in bad.stdout
    repeated = subprocess.run([sys.executable, *again], cwd=tmp_path, capture_output=True, text=True)
    assert repeated.returncode != 0 and thing in repeated.stderr
    dies = run("--only", "dies", "--minutes", "0.1")
    assert dies.returncode == 1 and "signal 9 (SIGKILL)" in dies.stdout

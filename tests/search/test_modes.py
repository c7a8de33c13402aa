"""The same trees compiled, from the cache, bounds-checked and in pure Python, for every game."""

import json
import os
import subprocess
import sys

import pytest

from tesuji.games.registry import ENTRIES

MODES = {
    "compiled": {},
    "from the cache": {},
    "bounds-checked": {"NUMBA_BOUNDSCHECK": "1"},
    "pure": {"TESUJI_PURE": "1"},
    "pure by Numba's switch": {"NUMBA_DISABLE_JIT": "1"},
}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_signature_is_the_same_in_every_mode(entry, tmp_path):
    found = {}
    for mode, environment in MODES.items():
        env = {**os.environ, "TESUJI_CACHE_DIR": str(tmp_path), **environment}
        command = [sys.executable, "-m", "tesuji", "bench", "--signature", "--json", entry.small or entry.example]
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr
        found[mode] = json.loads(done.stdout)["signature"]
    assert len(set(found.values())) == 1, found


def test_the_whole_signature_covers_every_game():
    command = [sys.executable, "-m", "tesuji", "bench", "--signature", "--json", "tictactoe", "semeai:2,2"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TESUJI_PURE": "1"})
    assert [game["game"] for game in json.loads(done.stdout)["games"]] == ["tictactoe", "semeai:2,2"]

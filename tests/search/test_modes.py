"""The same trees compiled, from the cache, bounds-checked and in pure Python, for every game."""

import json
import os
import subprocess
import sys

import pytest

MODES = {
    "compiled": {},
    "from the cache": {},
    "bounds-checked": {"NUMBA_BOUNDSCHECK": "1"},
    "pure": {"TESUJI_PURE": "1"},
    "pure by Numba's switch": {"NUMBA_DISABLE_JIT": "1"},
}


@pytest.fixture(scope="module")
def signatures(tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    found = {}
    for mode, environment in MODES.items():
        env = {**os.environ, "TESUJI_CACHE_DIR": str(cache), **environment}
        command = [sys.executable, "-m", "tesuji", "bench", "--signature", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr
        found[mode] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("mode", list(MODES)[1:])
def test_signature_is_the_same(signatures, mode):
    assert signatures[mode]["signature"] == signatures["compiled"]["signature"]


def test_every_game_has_one(signatures):
    from tesuji.games.registry import ENTRIES

    for entry in ENTRIES:
        assert any(entry.name in str(game) for game in signatures["compiled"].get("games", signatures["compiled"]))

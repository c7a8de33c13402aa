"""A player of one's own is compiled once: a second start takes it from the cache.

That an edited file is compiled anew is tested where it takes a moment, on a small kernel: core/test_cache.py.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parent.parent / "docs" / "extending.md").read_text()
SOURCE = "\n\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
PROGRAM = """
from tesuji.core import compiler
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
search = find_player("mine.py:player", may_load=True).new_search(find_game("tictactoe"))
search.run(Limits(playouts=100))
print(compiler.compilations, search.tree_hash())
"""


def test_a_second_start_compiles_nothing(tmp_path):
    environment = {**os.environ, "TESUJI_CACHE_DIR": str(tmp_path / "cache")}
    environment.pop("TESUJI_PURE", None)

    def start() -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        compilations, tree = done.stdout.split()
        return int(compilations), tree

    (tmp_path / "mine.py").write_text(SOURCE)
    compilations, tree = start()
    assert compilations > 0
    assert start() == (0, tree)

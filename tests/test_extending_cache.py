"""A player and a game of one's own, from the pages that show how, in one search: it is compiled once, then from the cache.

That an edited file is compiled anew is tested where it takes a moment, on a small kernel: core/test_cache.py.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from test_extending import SOURCE
from test_user_game import page_source

from tesuji.core.limits import Limits
from tesuji.core.numba.registration import is_pure
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.kernel.tree import PRUNED, USED

# The parts that the page shows for several players in one, so that one compilation serves: RAVE, notes, ratings, a study.
ALL_IN_ONE = """
class Both(NamedTuple):
    near: float
    reach: int = 1
    visits: int = 20

    PARAMETERS, NOTES, GIVES = Nearby.PARAMETERS, Nearby.NOTES, Nearby.GIVES


playing = ((begin_playout, forget), (played, remember), (playout_move, answer))
for operation, function in (*playing, (rate_moves, prefer_the_middle), (study_at, soon), (study, one_of_two)):
    implements(operation, Both)(function)

both = Player("both", rule=Mixed, policy=Both, values={"solver": "off"})
"""
# The field that the study reads: to it, the two moves of the game are the two sides of a corner, of which it prunes one.
SIDES = {
    'state_type("coins", [': 'state_type("coins", [("horizontals", np.int32), ',
    'start["last"] =': 'start["horizontals"] = RIGHT\nstart["last"] =',
}

PROGRAM = """
from tesuji.core.numba import registration
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
search = find_player("mine.py:both", may_load=True).engine(find_game("coins.py:game"), seed=1)
search.run(Limits(playouts=100))
print(registration.compilations, search.tree_hash())
"""


@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
def test_it_is_the_same_in_pure_python_and_a_second_start_compiles_nothing(tmp_path, monkeypatch):
    """In the cache of all tests, which may have the search already: so only the second start is known to load everything."""
    coins = page_source()
    for old, new in SIDES.items():
        assert old in coins
        coins = coins.replace(old, new)
    for name, source in (("mine.py", SOURCE + ALL_IN_ONE), ("coins.py", coins)):
        (tmp_path / name).write_text(source)
        os.utime(
            tmp_path / name, (0, 0)
        )  # code of a file that was written just now would not be kept: it may have changed since
    monkeypatch.chdir(tmp_path)
    trees = []
    for pure in (True, False):
        search = find_player("mine.py:both", may_load=True).engine(find_game("coins.py:game"), seed=1, pure=pure)
        with np.errstate(over="ignore"):
            search.run(Limits(playouts=100))
        trees.append(search.tree_hash())
        used = int(search.tree.counters[USED])
        assert (search.tree.nodes["flags"][:used] & PRUNED).any() and search.tree.statistics["visits"][:used].any()
    assert trees[0] == trees[1]
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=dict(os.environ), capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", trees[0]]

"""Searches by 2 to 8 threads in tiny memory, stopped and gone on with: all bounds against minimax."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path

from .random_games import Stop, check_bounds, drawn_player, playouts, provers, save_and_load
from .table_games import make_game

FEWEST, MOST = 2, 8
RUNS = 6


def attack_threads(rng: random.Random, stop: Stop) -> Counter[str]:
    """One player, drawn first, in as many games as there is time for."""
    counts: Counter[str] = Counter()
    player = rng.choice(provers())
    with tempfile.TemporaryDirectory() as folder:
        while not stop():
            number = rng.getrandbits(32)
            own = random.Random(number)
            table = make_game(number)
            drawn = drawn_player(own, player, table.game, own.randint(FEWEST, MOST))
            search = drawn.search(table.game, number)
            what = f"player {drawn.describe()}"
            for _ in range(own.randint(1, RUNS)):
                search.run(playouts=playouts(own))
                counts["bounds"] += check_bounds(table, search.engine, what)
                if search.position.is_over:
                    break
                if own.random() < 0.3:
                    search.play(own.choice(search.position.legal_moves))
            if not search.position.is_over and own.random() < 0.3:
                save_and_load(own, table, search, Path(folder) / "x.search", what, counts)
            counts["games"] += 1
    return counts

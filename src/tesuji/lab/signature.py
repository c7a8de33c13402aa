"""One hash for all that the search does: fixed searches with fixed seeds over every game.

A change that should not change the search must leave it as it is; compiled, from the cache, with bounds checked and in
pure Python it must be the same. The searches are small, so that the last of these takes seconds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.search.engine import Search
from tesuji.search.options import SEARCH

PLAYOUTS = 200
SEEDS = (1, 2)
MEMORY = 8.0  # MiB; plenty for so few playouts
VARIATIONS: tuple[dict[str, object], ...] = (
    {},
    {"solver": "off", "expand_after": 3},
    {"rave": True, "pess_bias": 0.5, "opti_bias": 0.25, "bias_decay": 100.0, "clamp_scores": True},
    {"solver": "win-loss", "cuts": False, "transpositions": False, "probe_children": False, "final_move": "secure"},
)


def game_signature(game: Game, pure: bool | None = None, playouts: int = PLAYOUTS) -> str:
    """The digest of the trees and answers of all fixed searches of one game."""
    digest = hashlib.sha256()
    for values in VARIATIONS:
        settings = SEARCH.settings({"memory": MEMORY, **values})
        for seed in SEEDS:
            search = Search(game, settings=settings, seed=seed, pure=pure)
            result = search.run(Limits(playouts=playouts))
            if result.interrupted:
                raise KeyboardInterrupt
            answer = f"{result.playouts} {result.best_move} {result.lower} {result.upper} {search.tree_hash()}\n"
            digest.update(answer.encode())
    return digest.hexdigest()


def signatures(games: Sequence[Game]) -> Iterator[tuple[str, str]]:
    """(name, digest) of each game, as they are done."""
    for game in games:
        yield game.name, game_signature(game)


def total(parts: Sequence[tuple[str, str]]) -> str:
    """One digest of all."""
    return hashlib.sha256("".join(f"{name} {digest}\n" for name, digest in parts).encode()).hexdigest()

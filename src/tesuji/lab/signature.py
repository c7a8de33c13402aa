"""One hash for all that the search does: fixed searches with fixed seeds over every game.

A change that should not change the search must leave it as it is; compiled, from the cache, with bounds checked and in
pure Python it must be the same. The searches are small, so that the last of these takes seconds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.knowledge.registry import family
from tesuji.players.presets import PLAYERS, search_with
from tesuji.search.options import SEARCH

PLAYOUTS = 200
FEWEST, LONG_GAME = 5, 100  # a game of more than LONG_GAME moves gets fewer playouts: pure Python must end within seconds
SEEDS = (1, 2)
MEMORY = 8.0  # MiB; plenty for so few playouts
VARIATIONS: tuple[dict[str, object], ...] = (
    {},
    {"solver": "off", "expand_after": 3},
    {"rave": True, "pess_bias": 0.5, "opti_bias": 0.25, "bias_decay": 100.0, "clamp_scores": True},
    {"minimax_weight": 0.25, "estimate_games": 4.0, "first_play": 0.5, "judge_after": 6, "solver": "off"},
    {"solver": "win-loss", "cuts": False, "transpositions": False, "probe_children": False, "final_move": "secure"},
)


def game_signature(game: Game, pure: bool | None = None, playouts: int = PLAYOUTS) -> str:
    """The digest of the trees and answers of all fixed searches of one game: its variations, and the players made for it."""
    digest = hashlib.sha256()
    playouts = min(playouts, max(FEWEST, playouts * LONG_GAME**2 // game.max_plies**2))
    chosen = [SEARCH.settings({"memory": MEMORY, **values}) for values in VARIATIONS]
    own = [player for player in PLAYERS if family(game) in (*player.games, *player.by_game)]
    chosen += [player.settings_for(game).replace(memory=MEMORY) for player in own]
    for settings in chosen:
        for seed in SEEDS:
            search = search_with(game, settings, seed=seed, pure=pure)
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

"""Chances of the first moves of Hex, by a search after each of them. A move and its image by the half turn have the same."""

from __future__ import annotations

import numpy as np

from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.learn.minorization import Progress
from tesuji.players.player import Player
from tesuji.players.presets import find_player

PLAYER = "hex"
PLAYOUTS = 20_000


def compute_openings(size: int, playouts: int = PLAYOUTS, seed: int = 0, on_progress: Progress | None = None) -> np.ndarray:
    """Black's winning chance by first move on a board of that size: 1 or 0 where the search proves it."""
    game = find_game(f"hex:{size}")
    player: Player = find_player(PLAYER)
    cells = size * size
    chances = np.zeros(cells)
    for move in range((cells + 1) // 2):
        state = game.state_after([game.text(game.initial, move)])
        result = player.engine(game, state, seed + move).run(Limits(playouts=playouts), with_moves=False)
        chances[[move, cells - 1 - move]] = 1.0 - result.chance(result.best_value)
        if on_progress is not None:
            on_progress(2 * (move + 1) / cells, f"first move {move + 1} of {(cells + 1) // 2}")
    return chances

"""The player that proves a position, for `solve` and for jobs on a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.players.player import Player
from tesuji.players.presets import DEFAULT, find_player

PROVING_KNOWLEDGE = ("hex",)  # games in which the default player's policy proves bounds


def prover(game: Game, parameters: Mapping[str, Any] | None = None) -> Player:
    """The player that proves positions of the game, with these parameters instead of its own.

    It is `prove`, which needed fewer simulations than selection by means of playouts in every game that was compared
    (docs/experiments/proof-numbers.md). If `prove` does not have one of the parameters, it is the default player without
    settings that only serve its strength in some games.
    """
    player = find_player("prove").changed(parameters or {})
    try:
        player.settings_for(game)
    except UserError:
        by_game = {name: DEFAULT.by_game[name] for name in PROVING_KNOWLEDGE}
        return replace(DEFAULT, by_game=by_game).changed(parameters or {})
    return player

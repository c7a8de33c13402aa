"""Which player proves a position, for `solve` and for the jobs of a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.players.player import Player
from tesuji.players.presets import DEFAULT, PLAYERS

PROVING_KNOWLEDGE = ("hex",)  # games in which the default player knows what proves


def prover(game: Game, parameters: Mapping[str, Any] | None = None) -> Player:
    """The player that proves a position of the game, with these parameters in place of its own.

    That is `prove`: it took fewer simulations than means of playouts in every game that was compared
    (docs/experiments/proof-numbers.md). With a parameter that it does not have it is the
    default player, without what that does in some games just to play well.
    """
    chosen = next(player for player in PLAYERS if player.name == "prove").changed(parameters or {})
    try:
        chosen.settings_for(game)
    except UserError:
        by_game = {name: DEFAULT.by_game[name] for name in PROVING_KNOWLEDGE}
        return replace(DEFAULT, by_game=by_game).changed(parameters or {})
    return chosen

"""Which policies a game has. The modules are imported when one of theirs is wanted."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import SHIPPED, Settings

AUTO = "auto"
UNIFORM = "uniform"
MODULES = {"go": "tesuji.knowledge.go", "loa": "tesuji.knowledge.loa"}  # by the first word of the game string
WEIGHTED = ("loa",)  # those of them whose policies have learned weights

STATUS = {"go": "tesuji.knowledge.go.status"}  # modules with point_status(game, state, playouts): alive, dead and seki


def family(game: Game) -> str:
    """The first word of the game string; a user's own game has none."""
    return "" if game.source else game.name.partition(":")[0]


def policy_names(game: Game) -> list[str]:
    return [UNIFORM, *_policies(game)]


def policy_for(game: Game, settings: Settings) -> Any:
    """The policy that the settings name for this game; None = the search's own choice, the game's random moves."""
    name = settings["policy"]
    if settings["weights"] != SHIPPED and (name == UNIFORM or family(game) not in WEIGHTED):
        raise UserError(f"weights={settings['weights']}: the policy {name} of {game.name} has no learned weights")
    if name == UNIFORM:
        from tesuji.search.playout import Uniform

        return Uniform()
    policies = _policies(game)
    if name == AUTO:
        name = next(iter(policies), AUTO)
    if name == AUTO:
        return None
    if name not in policies:
        raise UserError(f"policy={name}: {game.name} has no such policy; there are: {', '.join([AUTO, *policy_names(game)])}")
    return policies[name](settings)


def status_of(game: Game) -> Any:
    """The function that tells the dead stones of a position from the living ones, if the game has one: see STATUS."""
    module = STATUS.get(family(game))
    return import_module(module).point_status if module else None


def _policies(game: Game) -> dict[str, Any]:
    """Name -> maker(settings) of each policy beyond the uniform one, the usual one first."""
    module = MODULES.get(family(game))
    return import_module(module).POLICIES if module else {}

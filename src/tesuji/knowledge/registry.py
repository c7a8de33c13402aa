"""Which policies a game has. The modules are imported when one of theirs is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter, filled
from tesuji.search.engine.trial import check_policy
from tesuji.search.policy import Uniform, uniform_in

if TYPE_CHECKING:
    from tesuji.search.engine.evaluator import Evaluation

AUTO = "auto"
UNIFORM = "uniform"
# By the first word of the game string: name -> module:class of each policy, the default one first.
POLICIES = {
    "connect4": {
        "uniform": "tesuji.search.policy:Uniform",
        "decisive": "tesuji.knowledge.connect4.decisive:Decisive",
        "threats": "tesuji.knowledge.connect4.threats:Threats",
    },
    "go": {
        "local": "tesuji.knowledge.go.local:Local",
        "crazystone": "tesuji.knowledge.go.crazystone:CrazyStone",
        "mogo": "tesuji.knowledge.go.mogo:MoGo",
        "network": "tesuji.knowledge.go.network_mogo:NetworkMoGo",
    },
    "hex": {
        "mohex": "tesuji.knowledge.hex.policies.mohex:MoHex",
        "knowledge": "tesuji.knowledge.hex.policies.studies:MoHexWithStudies",
        "circuit": "tesuji.knowledge.hex.policies.circuit:Circuit",
        "bridges": "tesuji.knowledge.hex.policies.board_filling:SaveBridges",
        "uniform": "tesuji.knowledge.hex.policies.board_filling:RandomFilling",
        "network": "tesuji.knowledge.hex.policies.network:NetworkMoHex",
    },
    "loa": {
        "mc-loa": "tesuji.knowledge.loa.mc_loa:McLoa",
        "categories": "tesuji.knowledge.loa.categories:Categories",
        "threats": "tesuji.knowledge.loa.threats:ConnectionThreats",
    },
}
NETWORK = "network"  # in every game that says what a network sees of it, unless the game has one of its own by that name
NETWORK_ALONE = "tesuji.knowledge.network.network_alone:NetworkAlone"
FOR_ALPHABETA = {"loa": "tesuji.knowledge.loa.for_alphabeta"}  # modules that tell the alpha-beta engine more
# Modules with point_status(game, state, playouts) (alive, dead and seki) and ownership(game, state, playouts) (-1 to 1).
STATUS = {"go": "tesuji.knowledge.go.status"}
OVERLAYS = {"hex": "tesuji.knowledge.hex.overlays.requests"}  # modules with NAMES and `overlay`: see overlays.py


def family(game: Game) -> str:
    """The first word of the game string; a user's own game has none."""
    return "" if game.source else game.name.partition(":")[0]


def policies_of(game: Game) -> dict[str, type]:
    """The policies of a game by name, first the default one under the name `auto` too."""
    found = {name: _loaded(place) for name, place in POLICIES.get(family(game), {}).items()}
    uniform = uniform_in(game)
    default = type(game.policy) if game.policy is not None else next(iter(found.values()), uniform)
    alone = {NETWORK: _loaded(NETWORK_ALONE)} if game.encoding is not None else {}
    return {AUTO: default, UNIFORM: uniform, **alone, **found}


def parameters_of(game: Game, kind: type) -> Sequence[Parameter]:
    """The parameters of a policy in this game: none of the one that the game itself brings, ready made."""
    return () if game.policy is not None and type(game.policy) is kind else getattr(kind, "PARAMETERS", ())


def all_policies() -> list[type]:
    places = [NETWORK_ALONE, *(place for family in POLICIES.values() for place in family.values())]
    return [Uniform, *(_loaded(place) for place in places)]


def make_policy(game: Game, kind: type, settings: Mapping[str, Any], evaluation: Evaluation | None = None) -> Any:
    """The policy of this class with its parameters, which must be among the settings; `evaluation` in place of a network."""
    check_policy(kind)
    if game.policy is not None and type(game.policy) is kind:
        return game.policy
    # A parameter that needs what the selection rule does not use is not among the settings, and without effect.
    unused = {p.name: type(p.default)(0) for p in getattr(kind, "PARAMETERS", ()) if p.needs and p.name not in settings}
    values = {**unused, **settings}
    if evaluation is not None:
        values["evaluation"] = evaluation
    policy = kind.made_for(game, values) if hasattr(kind, "made_for") else filled(kind, values)
    if evaluation is not None and not evaluation.is_used_by(policy):
        raise UserError(f"policy={settings['policy']} asks no evaluator: a player with one needs policy={NETWORK}")
    return policy


def load_for_alphabeta(game: Game) -> None:
    """Has the policies of the game answer what only the alpha-beta engine asks."""
    if family(game) in FOR_ALPHABETA:
        import_module(FOR_ALPHABETA[family(game)])


def status_of(game: Game) -> Any:
    """The function that estimates which stones are dead, if the game has one: see STATUS."""
    module = STATUS.get(family(game))
    return import_module(module).point_status if module else None


def ownership_of(game: Game) -> Any:
    """The function that tells whose each point will be, if the game has one: see STATUS."""
    module = STATUS.get(family(game))
    return import_module(module).ownership if module else None


def overlay_module(game: Game) -> Any:
    """The module that makes overlays of positions, if the game has one: see OVERLAYS."""
    module = OVERLAYS.get(family(game))
    return import_module(module) if module else None


def policy_class(family: str, name: str) -> type:
    return _loaded(POLICIES[family][name])


def _loaded(place: str) -> type:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)

"""Every parameter of the players that come with the package, by name."""

from __future__ import annotations

from collections.abc import Iterable

from tesuji.core.parameters import Parameter
from tesuji.knowledge.registry import all_policies
from tesuji.search.alphabeta.options import ALPHABETA
from tesuji.search.engine.final_move import ANSWER
from tesuji.search.engine.parameters import SEARCH


def all_parameters() -> dict[str, Parameter]:
    """Every parameter of the players that come with the package, by name."""
    parameters = _parameters_of_searches()
    for policy in all_policies():
        parameters |= {p.name: p for p in getattr(policy, "PARAMETERS", ())}
    return parameters


def part_of(name: str) -> str:
    """What part of a player a parameter belongs to: its policy, its selection, its search or its answer."""
    if name == "policy":
        return "policy"
    selection = next((one for one in SEARCH.parameters if one.name == "selection"), None)
    if name == "selection" or (selection is not None and any(one.name == name for one in selection.all_dependents())):
        return "selection"
    if name in ANSWER.all():
        return "answer"
    return "search" if name in SEARCH.all() or name in ALPHABETA.all() else "policy"


def known_parameters(names: Iterable[str]) -> dict[str, Parameter]:
    """All parameters; without those of policies, which take long to load, if the others include all of these names."""
    parameters = _parameters_of_searches()
    return parameters if all(name in parameters for name in names) else all_parameters()


def _parameters_of_searches() -> dict[str, Parameter]:
    policy = Parameter("policy", "auto", "what a player knows beyond the rules, and how its playouts choose moves")
    # Of a shared name, the meaning for the tree search is shown.
    return {"policy": policy, **ALPHABETA.all(), **SEARCH.all(), **ANSWER.all()}

"""List the players; --parameters adds every parameter with its default, range and meaning.

JSON: players (name, summary, settings that differ from the defaults, seconds, cpu, playouts), and with --parameters
components (component, parameters: name, default, range, meaning, needs), one for each part that a player can be made of.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from tesuji.cli import options, output
from tesuji.core.parameters import Declaration, Parameter

SUMMARY = "list the players and their parameters"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parameters", action="store_true", help="list all parameters with defaults, ranges and meanings")
    options.add_common(parser, seed=None)


def run(args: argparse.Namespace) -> int:
    from tesuji.players.presets import PLAYERS

    if args.json:
        answer: dict[str, Any] = {"players": [_player_json(player) for player in PLAYERS]}
        if args.parameters:
            answer["components"] = [
                {"component": name, "parameters": [_parameter_json(p) for p in parameters]} for name, parameters in components()
            ]
        output.print_json(answer)
        return 0
    width = max(len(player.name) for player in PLAYERS)
    for player in PLAYERS:
        print(f"{player.name:{width}}  {player.summary}")
        if player.values:
            print(f"{'':{width}}  {player.describe()}")  # on one line, however narrow the terminal is, so that it can be copied
    print("\nChange a player by name:parameter=value,... or by options, as in --player uct:threads=2 or --threads 2.")
    if args.parameters:
        for name, parameters in components():
            print(f"\n{name}:")
            rows = [[p.name, p.format(p.default), p.range_text, p.meaning] for p in parameters]
            output.print_table(["parameter", "default", "range", "meaning"], rows)
    return 0


def components() -> Iterator[tuple[str, Sequence[Parameter]]]:
    """The parts that a player can be made of, each with its parameters."""
    from tesuji.knowledge.registry import POLICIES, policy_class
    from tesuji.search.alphabeta.options import ALPHABETA
    from tesuji.search.engine.final_move import ANSWER
    from tesuji.search.engine.parameters import SEARCH
    from tesuji.search.selection.interface import spec_of
    from tesuji.search.selection.registry import RULES

    yield "tree search", _without_parts(SEARCH)
    for name, rule in RULES.items():
        yield f"selection={name}", spec_of(rule).parameters
    for game, names in POLICIES.items():
        for name in names:
            yield f"policy={name} ({game})", getattr(policy_class(game, name), "PARAMETERS", ())
    yield "the answer", _without_parts(ANSWER)
    yield "alpha-beta", _without_parts(ALPHABETA)


def _without_parts(declaration: Declaration) -> list[Parameter]:
    """The parameters and those that depend on them, without those of the selection rules, which have tables of their own."""
    rules = {rule.name for one in declaration.parameters if one.name == "selection" for rule in one.all_dependents()}
    return [parameter for name, parameter in declaration.all().items() if name not in rules]


def _parameter_json(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "default": parameter.default,
        "range": parameter.range_text,
        "meaning": parameter.meaning,
        "needs": parameter.needs or None,
    }


def _player_json(player: Any) -> dict[str, Any]:
    limits = player.limits
    return {
        "name": player.name,
        "summary": player.summary,
        "settings": dict(player.values),
        "seconds": limits.seconds if limits else None,
        "cpu": limits.cpu if limits else None,
        "playouts": limits.playouts if limits else None,
    }

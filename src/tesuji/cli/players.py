"""List the players that there are; --parameters adds every parameter with its default, range and meaning.

JSON: players (name, summary, settings that differ from the defaults, seconds, playouts), and with --parameters
parameters (name, default, range, meaning) of the tree search, and alphabeta_parameters of the players that use that.
"""

from __future__ import annotations

import argparse
from typing import Any

from tesuji.cli import options, output
from tesuji.core.parameters import Declaration
from tesuji.search.alphabeta.options import ALPHABETA
from tesuji.search.options import SEARCH

SUMMARY = "list the players and their parameters"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parameters", action="store_true", help="list all parameters with defaults, ranges and meanings")
    options.add_common(parser, seed=None)


def run(args: argparse.Namespace) -> int:
    from tesuji.players.presets import PLAYERS

    if args.json:
        answer: dict[str, Any] = {"players": [_player_json(player) for player in PLAYERS]}
        if args.parameters:
            answer["parameters"] = _parameters_json(SEARCH)
            answer["alphabeta_parameters"] = _parameters_json(ALPHABETA)
        output.print_json(answer)
        return 0
    rows = [[player.name, player.summary, player.settings.describe()] for player in PLAYERS]
    output.print_table(["player", "what it is", "parameters"], rows)
    print("\nChange a player by name:parameter=value,... or by options, as in --player NAME:rave=on or --rave on.")
    if args.parameters:
        users = ", ".join(player.name for player in PLAYERS if player.settings.declaration is ALPHABETA)
        _print_parameters("Parameters of the tree search:", SEARCH)
        _print_parameters(f"Parameters of alpha-beta ({users}):", ALPHABETA)
    return 0


def _print_parameters(title: str, declaration: Declaration) -> None:
    print(f"\n{title}")
    rows = [[p.name, p.format(p.default), p.range_text, p.meaning] for p in declaration]
    output.print_table(["parameter", "default", "range", "meaning"], rows)


def _parameters_json(declaration: Declaration) -> list[dict[str, Any]]:
    return [{"name": p.name, "default": p.default, "range": p.range_text, "meaning": p.meaning} for p in declaration]


def _player_json(player: Any) -> dict[str, Any]:
    limits = player.limits
    return {
        "name": player.name,
        "summary": player.summary,
        "settings": player.settings.changed(),
        "seconds": limits.seconds if limits else None,
        "playouts": limits.playouts if limits else None,
    }

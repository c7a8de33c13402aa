"""Option groups that commands share: the game and position, the player and its parameters, limits, JSON and seed.

The options for the parameters of players are generated from their declarations: there is no second list of names.
"""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any, Literal

from tesuji.core.errors import UserError, shortened
from tesuji.core.limits import Limits
from tesuji.core.parameters import check_named_files

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.core.position import Position
    from tesuji.players.player import Player

GAME_HELP = "a game, as in connect4:7x6 (tesuji games lists them), or path/to/file.py:name"
PREFIX = "parameter_"  # of the attributes that hold search parameters
MAX_SEED = (1 << 64) - 1


# -- adding ------------------------------------------------------------------------------------------------------------
def add_common(parser: argparse.ArgumentParser, seed: str | None = "seed of all random numbers") -> None:
    """--json, and for every command that computes something --seed, with its help."""
    parser.add_argument("--json", action="store_true", help="write one JSON object to stdout, and nothing else")
    if seed is not None:
        parser.add_argument("--seed", type=seed_number, metavar="N", help=seed)


def add_position(parser: argparse.ArgumentParser, optional_game: bool = False) -> None:
    parser.add_argument("game", metavar="GAME", nargs="?" if optional_game else None, help=GAME_HELP)
    parser.add_argument("--moves", metavar="MOVES", help="moves from the start to the position, as in '4 4 3' or 4,4,3 or 443")


def add_player(parser: argparse.ArgumentParser) -> None:
    """--player, the limits, and one option for each declared parameter of the search. Help leaves the parameters out: they are
    more than a hundred, and `tesuji players --parameters` has them in order."""
    each = "Each parameter of a player is an option too, as in --exploration 0.5; 'tesuji players --parameters' lists them."
    group = parser.add_argument_group("player", each)
    group.add_argument(
        "--player",
        metavar="NAME[:P=V,...]",
        help="a player with changes to its parameters (tesuji players lists them), or path/to/file.py:name[:P=V,...]",
    )
    add_limits(group)
    if _may_name_parameters(parser):
        add_parameters(parser)


def _may_name_parameters(parser: argparse.ArgumentParser) -> bool:
    """Whether one of the words to parse is not an option yet. Only then all parameters are loaded: that takes every policy."""
    words = getattr(parser, "words", None)
    known = set(parser._option_string_actions)
    if words is not None and {"-h", "--help"} & set(words):
        return False
    return words is None or any(word.startswith("-") and word.partition("=")[0] not in known for word in words)


def add_parameters(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("search parameters (default: the player's)")
    from tesuji.players.parameters import all_parameters

    for parameter in all_parameters().values():
        group.add_argument(
            parameter.option,
            dest=PREFIX + parameter.name,
            metavar="on|off"
            if isinstance(parameter.default, bool)
            else "|".join(parameter.choices) or ("NAME" if isinstance(parameter.default, str) else "N"),
            help=_escaped(f"{parameter.meaning} ({parameter.range_text}; default {parameter.format(parameter.default)})"),
        )


def add_limits(parser: Any) -> None:
    parser.add_argument("--seconds", type=seconds_number, metavar="S", help="stop after this time")
    parser.add_argument("--cpu", type=seconds_number, metavar="S", help="stop after so much CPU time, of all threads together")
    parser.add_argument("--playouts", type=playouts_number, metavar="N", help="stop after this many playouts")


def _escaped(text: str) -> str:
    return text.replace("%", "%%")


# -- numbers -----------------------------------------------------------------------------------------------------------
def seed_number(text: str) -> int:
    if re.fullmatch(r"\d{1,20}", text) and int(text) <= MAX_SEED:
        return int(text)
    raise argparse.ArgumentTypeError(f"{shortened(text, quoted=True)} is not a seed: a whole number from 0 to {MAX_SEED}")


def seconds_number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0 < value < 1e9:
        return value
    raise argparse.ArgumentTypeError(f"{shortened(text, quoted=True)} is not a time: a number of seconds above 0")


def playouts_number(text: str) -> int:
    return _whole(text, 1, 1 << 62, "a number of playouts")


def count(text: str) -> int:
    """A whole number from 1."""
    return _whole(text, 1, 1_000_000_000, "a count")


def move_number(text: str) -> int:
    """How many moves have been played: a whole number from 0."""
    return _whole(text, 0, 1_000_000_000, "a number of moves")


def _whole(text: str, low: int, high: int, what: str) -> int:
    digits = text.replace("_", "")
    if re.fullmatch(r"\d{1,19}", digits) and low <= int(digits) <= high:
        return int(digits)
    raise argparse.ArgumentTypeError(f"{shortened(text, quoted=True)} is not {what}: a whole number from {low}")


# -- reading -----------------------------------------------------------------------------------------------------------
def read_game(text: str, trial: bool = True) -> Game:
    """The game of that name. A user's own is tested first, unless `trial` is off."""
    from tesuji.games.registry import find_game

    return find_game(text, trial)


def split_moves(game: Game, text: str) -> list[str]:
    """The move texts in '4 4 3' or '4,4,3'; also '443' in a game whose every first move is written as one character."""
    parts = [part for part in re.split(r"[\s,]+", text) if part]
    if parts and all(len(move) == 1 for move in game.start.legal_moves):
        return [character for part in parts for character in part]
    return parts


def read_position(game: Game, text: str | None) -> Position:
    """The position after the moves. One in which the game is over is refused: there is nothing to search."""
    from tesuji.core import rules
    from tesuji.core.words import end_text

    position = game.start.play(*split_moves(game, text or ""))
    if position.is_over:
        end = end_text(game, int(rules.outcome(position.state)))
        raise UserError(f"the game is over after these moves: {end}; leave some out")
    return position


def given_parameters(args: argparse.Namespace) -> dict[str, Any]:
    """The parameters named on the command line, as text: which of them the player has, the game at hand decides."""
    named = {name.removeprefix(PREFIX): value for name, value in vars(args).items() if name.startswith(PREFIX)}
    return {name: value for name, value in named.items() if value is not None}


def read_player(
    args: argparse.Namespace, game: Game, to: Literal["play", "analyze", "prove", "measure"]
) -> tuple[Player, Limits]:
    """The player and its limits, both with what the command line says in place of their own.

    Without --player, `to` decides: the strongest player of the game plays, the strongest one that keeps a tree analyzes, the
    default one is measured, and `prove` proves. Its limits are none then: a command has defaults of its own.
    """
    from tesuji.api.proof import prover
    from tesuji.players.presets import DEFAULT, default_player, find_player

    given = given_parameters(args)
    if args.player:
        player = find_player(args.player, may_load=True).changed(given)
    elif to in ("play", "analyze"):
        player = default_player(game, given, with_tree=to == "analyze")
    else:
        player = prover(game, given) if to == "prove" else DEFAULT.changed(given)
    settings = player.settings_for(game)  # what does not fit the game is told before anything else is done
    for name in settings.named_files():
        check_named_files(str(settings[name]))
    limits = player.limits if args.player else Limits()
    return player, limits.overridden(read_limits(args))


def read_limits(args: argparse.Namespace) -> Limits:
    """The limits that the command line sets."""
    return Limits(args.seconds, args.playouts, args.cpu)


def add_cluster(parser: argparse._ActionsContainer, what: str) -> None:
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=f"{what} on a Ray cluster: HOST:PORT, auto (the one on this machine), or local (one of its own)",
    )

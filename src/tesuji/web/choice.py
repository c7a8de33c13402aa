"""Players as the page names them: a name, parameters, limits. What names a file is refused: only the command line may."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tesuji.api.proof import prover
from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.parameters import check_names_no_file
from tesuji.play.side import PERSON, PlayerChoice, Side
from tesuji.players.levels import FULL
from tesuji.players.parameters import all_parameters
from tesuji.players.player import Player
from tesuji.players.presets import default_player, find_player
from tesuji.web.fields import is_whole, number_of

MOST_PARAMETERS = 100
LONGEST_VALUE = 200  # characters
MOST_SECONDS = 3600.0
MOST_PLAYOUTS = 10**12
PLAY, ANALYSE, SOLVE = "play", "analyse", "solve"
DEFAULT_LIMITS = Limits(seconds=1.0)
QUIET = {"stop_early": False, "extend_unstable": 0.0, "resign": 0.0}  # an analysis ends when a person ends it


def read_choice(given: Any) -> PlayerChoice:
    """The player of a request, {"player": name or None, "parameters": {...}}, checked as far as that goes without the game."""
    if not isinstance(given, Mapping):
        raise UserError('a player is {"player": "uct", "parameters": {"exploration": 0.2}}')
    name, parameters = given.get("player"), given.get("parameters") or {}
    if name is not None and not isinstance(name, str):
        raise UserError('"player" must be a name')
    if not isinstance(parameters, Mapping) or len(parameters) > MOST_PARAMETERS:
        raise UserError('"parameters" must be an object: names and values')
    for key, value in parameters.items():
        if not isinstance(value, str | int | float) or len(str(value)) > LONGEST_VALUE:
            raise UserError(f"the value of {shortened(str(key), quoted=True)} must be a number, a text, true or false")
    return PlayerChoice(name or None, dict(parameters))


def check_program(choice: PlayerChoice, programs: Sequence[str], to: str) -> None:
    """A UserError unless the command line has named this GTP program, and it may do that."""
    if choice.player not in programs:
        raise UserError("GTP programs are named on the command line, as in tesuji play --engine 'gtp:gnugo --mode gtp'")
    if to == SOLVE:
        raise UserError("a GTP program proves nothing: choose another player")
    if choice.parameters:
        raise UserError("a GTP program has no parameters of ours")


def read_side(given: Any, game: Game, own: str | None, programs: Sequence[str] = ()) -> Side:
    """A side of a request, complete and checked."""
    if not isinstance(given, Mapping) or given.get("kind") not in ("person", "computer"):
        raise UserError('a side is {"kind": "person"} or {"kind": "computer", "level": 5}')
    if given["kind"] == "person":
        return PERSON
    level = given.get("level", FULL)
    if not is_whole(level) or not 1 <= level <= FULL:
        raise UserError(f"a level is a whole number from 1 (beginner) to {FULL} (full strength)")
    return checked_side(Side(level, read_choice(given), read_limits(given, Limits())), game, own, programs)


def checked_side(side: Side, game: Game, own: str | None, programs: Sequence[str] = ()) -> Side:
    """The side in this game, with the limits of its player if it has none of its own; a UserError if it cannot play it."""
    if side.is_person:
        return side
    if side.choice.is_program:
        check_program(side.choice, programs, PLAY)
        return replace(side, level=FULL, limits=DEFAULT_LIMITS if side.limits == Limits() else side.limits)
    player = make_player(side.choice, game, PLAY, own, 1e9)
    limits = replace(player.limits, cpu=None) if side.limits == Limits() else side.limits  # the page has no field for it
    return replace(side, limits=DEFAULT_LIMITS if limits == Limits() else limits)


MOST_CONNECTIONS = 1 << 17  # the default: some MiB for each thread


def make_player(choice: PlayerChoice, game: Game, to: str, own: str | None, memory: float) -> Player:
    """The player of a choice in this game; a UserError says what does not fit. `own` is the command line's player string.

    Without a name it is the command line's player; else to play the strongest, to analyse one that keeps a tree, to solve the
    one that proves. No search takes more than `memory` MiB.
    """
    name, parameters = choice.player, choice.parameters
    if name is None and own is not None and to != SOLVE:
        name = own
    if name is not None:
        player = find_player(name, may_load=name == own)
    elif to == SOLVE:
        player = prover(game, parameters)
    else:
        player = default_player(game, with_tree=to == ANALYSE)
    if to == ANALYSE and player.alphabeta:
        raise UserError(
            f"the player {player.name} searches by alpha-beta, which compares no moves: choose another to analyse with"
        )
    known = {**all_parameters(), **player.own_parameters()} if parameters else {}
    for key, value in parameters.items():
        declared = known.get(key.replace("-", "_"))
        if declared is None:
            raise UserError(f"there is no parameter {shortened(key, quoted=True)}")
        check_names_no_file(declared, str(value))
    player = player.changed(parameters)
    settings = player.settings_for(game)
    if to == SOLVE and settings.get("solver") == "off":
        raise UserError("solver=off proves nothing: choose a player with solver=bounds or solver=win-loss")
    limits: dict[str, Any] = {}
    if "memory" in settings and settings["memory"] > memory:
        limits["memory"] = memory
    if "connection_room" in settings and settings["connection_room"] > MOST_CONNECTIONS:
        limits["connection_room"] = MOST_CONNECTIONS
    if "threads" in settings and settings["threads"] > (os.cpu_count() or 1):
        limits["threads"] = os.cpu_count() or 1
    if to != PLAY:
        limits |= {name: value for name, value in QUIET.items() if name in settings}
    return player.overridden(limits) if limits else player


def read_limits(given: Mapping[str, Any], default: Limits) -> Limits:
    """`seconds` and `playouts` of a request."""
    seconds, playouts = number_of(given, "seconds"), number_of(given, "playouts")
    if seconds is not None and not 0 < seconds <= MOST_SECONDS:
        raise UserError(f'"seconds" must be a number above 0, {MOST_SECONDS:g} at most')
    if playouts is not None and not (playouts.is_integer() and 1 <= playouts <= MOST_PLAYOUTS):
        raise UserError('"playouts" must be a whole number from 1')
    return default if seconds is None and playouts is None else Limits(seconds, playouts if playouts is None else int(playouts))

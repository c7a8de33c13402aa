"""Games and players by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tesuji.core.arguments import file_name, whole_game
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.games.referee import structure_faults
from tesuji.games.registry import ENTRIES, GameEntry, find_game
from tesuji.players.parameters import known_parameters
from tesuji.players.player import Player
from tesuji.players.presets import PLAYERS, find_player
from tesuji.players.search import Search, load_search


def game(given: str | Game) -> Game:
    """The game that a string names, as in 'connect4:7x6' or 'path/to/mygame.py:game'; or a Game, which is checked.

    A file that is named is Python code, and is run.
    """
    found = game_of(given)
    if found is given:
        for fault in structure_faults(found):
            raise fault
    return found


def game_of(given: str | Game, trial: bool = True) -> Game:
    """The same without checking a Game; `trial` tries out a user's own game that is named."""
    if isinstance(given, str):
        return find_game(given, trial)
    return whole_game(given)


def list_games() -> tuple[GameEntry, ...]:
    """The games that come with the package: name, form of the string, example, summary."""
    return ENTRIES


def player(given: str | Player = "tesuji", **parameters: Any) -> Player:
    """The player that a string names, as in 'uct' or 'path/to/mine.py:player'; with some parameters in place of its own.

    `playouts`, `seconds` and `cpu` (seconds of CPU time) are its limits, for searches that are given none. Whether a
    parameter has an effect depends on the game, so that is checked when a search is made. A file that is named is Python
    code, and is run.
    """
    found = player_of(given)
    limits = found.limits.overridden(Limits(*(parameters.pop(name, None) for name in ("seconds", "playouts", "cpu"))))
    its_own = found.own_parameters()
    known = {**known_parameters(name for name in parameters if name not in its_own), **its_own}
    for name in parameters:
        if name not in known:
            raise found.no_parameter(name, known)
    return replace(found, limits=limits).changed(parameters)


def player_of(given: str | Player) -> Player:
    if isinstance(given, str):
        return find_player(given, may_load=True)
    if not isinstance(given, Player):
        raise UserError(f"a player is a string as in 'uct', or a tesuji.Player, not {type(given).__name__}")
    return given


def list_players() -> tuple[Player, ...]:
    """The players that come with the package."""
    return PLAYERS


def load(path: str | Path, game: str | Game | None = None, *, memory: float | None = None, **files: str | Path) -> Search:
    """The search in a file that `Search.save` has written, exactly as it was, but for bounds that its tree does not show.

    A file is never opened, let alone run, because another one names it: a game of your own must be given here, by its string
    or as the Game that your program has made, and so must weights that are not the package's, as in weights="mine.json". Both
    are compared with those the search was saved with. `memory`, in MiB, is needed if the search was made with more than
    usual.
    """
    named = {name: file_name(value) for name, value in files.items()}
    return load_search(file_name(path), None if game is None else game_of(game), named, memory)

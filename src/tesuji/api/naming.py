"""Games and players by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tesuji.core.arguments import file_name, game_object
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.games.referee import structure_faults
from tesuji.games.registry import ENTRIES, GameEntry, find_game
from tesuji.players.parameters import known_parameters
from tesuji.players.player import Player, search_from
from tesuji.players.presets import PLAYERS, find_player
from tesuji.players.search import Search
from tesuji.search.engine.evaluator import Evaluator
from tesuji.search.files.origin import position_of_origin
from tesuji.search.files.saved_search import load_search


def game(name: str | Game) -> Game:
    """The game that a string names, as in 'connect4:7x6' or 'path/to/mygame.py:game'; or a Game, which is checked.

    The file of a game of your own is Python code, which is run.
    """
    result = game_of(name)
    if result is name:
        for fault in structure_faults(result):
            raise fault
    return result


def game_of(name: str | Game, trial: bool = True) -> Game:
    """The same without checking a Game; `trial` tries out a user's own game that is named."""
    return find_game(name, trial) if isinstance(name, str) else game_object(name)


def list_games() -> tuple[GameEntry, ...]:
    """The games that come with the package: name, title, what decides them, form of the string, example, summary."""
    return ENTRIES


def player(name: str | Player = "tesuji", /, **parameters: Any) -> Player:
    """The player that a string names, as in 'uct' or 'path/to/mine.py:player', with these parameters instead of its own.

    `playouts`, `seconds` and `cpu` (CPU time in seconds) are its limits, for searches without limits of their own. Whether a
    parameter has an effect depends on the game, so that is checked when a search is made. The file of a player of your own is
    Python code, which is run. `evaluator` may be a `tesuji.Evaluator`, which is asked in place of a network.
    """
    base = player_of(name)
    if isinstance(parameters.get("evaluator"), Evaluator):
        base = replace(base, evaluator=parameters.pop("evaluator"))
    limits = base.limits.overridden(Limits(*(parameters.pop(limit, None) for limit in ("seconds", "playouts", "cpu"))))
    own = base.own_parameters()
    declared = {**known_parameters(key for key in parameters if key not in own), **own}
    for key in parameters:
        if key not in declared:
            raise base.no_parameter(key, declared)
    return replace(base, limits=limits).changed(parameters)


def player_of(name: str | Player) -> Player:
    if isinstance(name, str):
        return find_player(name, may_load=True)
    if not isinstance(name, Player):
        raise UserError(f"a player is a string as in 'uct', or a tesuji.Player, not {type(name).__name__}")
    return name


def list_players() -> tuple[Player, ...]:
    """The players that come with the package."""
    return PLAYERS


def load(path: str | Path, game: str | Game | None = None, *, memory: float | None = None, **files: str | Path) -> Search:
    """The search that `Search.save` has written, exactly as it was, except for bounds that do not follow from its tree.

    A file is never opened, let alone run, because another one names it: a game of your own must be passed, as a string or as
    the Game that your program made, and so must weights that are not the package's, as in weights="mine.json". Both are
    compared with those that the search was saved with. `memory`, in MiB, is needed if the search had more than the default.
    """
    paths = {name: file_name(value) for name, value in files.items()}
    engine = load_search(file_name(path), search_from, None if game is None else game_of(game), paths, memory)
    position = position_of_origin(engine.game, engine.origin)
    return Search(Player("saved", values=dict(engine.settings)), position, engine, engine.seed)

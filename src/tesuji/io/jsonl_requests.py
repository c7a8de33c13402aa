"""Parses a line of JSON as a request for an analysis: position, player and limits. Every key is checked."""

from __future__ import annotations

import json
import math
import threading
from dataclasses import dataclass, field, replace
from typing import Any

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State
from tesuji.core.limits import MOST_PLAYOUTS, Limits
from tesuji.games.registry import find_built_in, find_game
from tesuji.io.sgf import parse_sgf, read_record
from tesuji.io.sgf.conversion import PRIVATE, is_users_own
from tesuji.io.sgf.played import fitting
from tesuji.io.sgf.tree import Node
from tesuji.players.player import Player
from tesuji.players.presets import default_player, find_player

ACTIONS = ("analyze", "terminate", "cancel", "terminate_all", "query_version", "stop")
KEYS = ("id", "action", "game", "moves", "sgf", "at", "gameIndex", "player", "playouts", "seconds", "cpu", "seed")
ALL_KEYS = (*KEYS, "reportDuringSearchEvery", "terminateId")
MAX_SEED = (1 << 64) - 1
DEFAULT_LIMITS = Limits(seconds=1.0)  # if neither the request nor the command line sets a limit


@dataclass(frozen=True)
class Defaults:
    """Defaults for requests, from the command line."""

    game: str | None = None
    player: Player | None = None  # None = the strongest one of a request's game that keeps a tree
    parameters: dict[str, Any] = field(default_factory=dict)  # of the search, also for players that a request names
    limits: Limits = field(default_factory=Limits)
    seed: int = 0


@dataclass
class Job:
    """A search to run."""

    id: Any
    game: Game
    state: State
    player: Player
    limits: Limits
    seed: int
    report_every: float | None = None
    notes: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)


def read_object(line: str) -> dict[str, Any]:
    """The JSON object of a line."""
    try:
        value = json.loads(line, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise UserError(f"not JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UserError('a request is one JSON object a line, as in {"id": 1, "game": "go:9", "moves": ["E5"]}')
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def id_of(request: dict[str, Any]) -> Any:
    """The request's id: text or a number; None if it has none that can be sent back."""
    value = request.get("id")
    return value if is_id(value) else None


def is_id(value: Any) -> bool:
    """Whether an answer can carry this. JSON has no infinite numbers, but a reader makes one of 1e999."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str | int) and not isinstance(value, bool)


def check_keys(request: dict[str, Any]) -> str:
    """The action that is asked for."""
    if id_of(request) is None:
        raise UserError('the request needs an "id": a text or a number, which the answer carries')
    for key in request:
        if key not in ALL_KEYS:
            raise UserError(f"there is no key {key[:40]!r}; there are: {', '.join(ALL_KEYS)}")
    action = request.get("action", "analyze")
    if action not in ACTIONS:
        raise UserError(f"there is no action {action!r}; there are: {', '.join(ACTIONS)}")
    return action


def read_job(request: dict[str, Any], defaults: Defaults) -> Job:
    """The search that a request asks for; a UserError says what is wrong with it."""
    named = _text(request, "game")
    notes: list[str] = []
    sgf = _text(request, "sgf")
    if sgf is not None:
        game, state = _sgf_position(request, sgf, named, defaults.game, notes)
    elif not (named or defaults.game):
        raise UserError('the request names no game: give "game", as in "go:9", or "sgf"')
    else:
        game = _game(named, defaults.game)
        for key in ("at", "gameIndex"):
            if key in request:
                raise UserError(f'"{key}" goes with "sgf" only')
        state = game.new_state()
    _play(game, state, _moves(request))
    if rules.is_over(state):
        raise UserError("the game is over in this position: there is nothing to search")
    player, limits = _player(request, defaults, game)
    player.settings_for(game)  # refuses what does not fit the game
    return Job(
        id=id_of(request),
        game=game,
        state=state,
        player=player,
        limits=limits,
        seed=_whole(request, "seed", 0, MAX_SEED, defaults.seed),
        report_every=_seconds(request, "reportDuringSearchEvery"),
        notes=notes,
    )


def _sgf_position(
    request: dict[str, Any], text: str, named: str | None, ours: str | None, notes: list[str]
) -> tuple[Game, State]:
    """A position of a record, of the game that the request names, or else of its own: see `_game_of_record`."""
    trees = parse_sgf(text, "sgf")
    index = _whole(request, "gameIndex", 1, len(trees), 1)
    at = _whole(request, "at", 0, 1_000_000_000, -1)
    root = trees[index - 1]
    game = _game(named, ours) if named else _game_of_record(root, find_game(ours)) if ours else None
    record = read_record(root, "sgf", index if len(trees) > 1 else None, game, None if at < 0 else at)
    notes += record.notes
    return record.game, record.position(None if at < 0 else at)


def _game(named: str | None, ours: str | None) -> Game:
    """The game that a request names, or that of the command line; only that one may be a user's own."""
    return find_game(ours) if ours and (not named or named == ours) else find_built_in(named or "")


def _game_of_record(root: Node, ours: Game) -> Game | None:
    """The game of the command line with the size and the komi of a record, if it is one of that game; None = its own."""
    if is_users_own(root.simple_text(PRIVATE)):
        return ours
    own = read_record(root, "sgf", moves=0).game
    if own.sgf_number == 0 or own.sgf_number != ours.sgf_number:
        return None
    return ours if ours.vary is None else fitting(ours, own, root)


def _play(game: Game, state: State, moves: list[str]) -> None:
    for number, text in enumerate(moves, 1):
        if rules.is_over(state):
            raise UserError(f"move {number} ({text[:40]}) comes after the end of the game")
        try:
            move = game.parse(state, text)
        except UserError as error:
            raise UserError(f"move {number}: {error}") from None
        rules.play(state, move)


def _player(request: dict[str, Any], defaults: Defaults, game: Game) -> tuple[Player, Limits]:
    """The player, and its limits: those of the request and of the player that it names, or, if these set none, the defaults."""
    text = _text(request, "player")
    limits = defaults.limits
    if text is None:
        chosen = defaults.player
        player = chosen.changed(defaults.parameters) if chosen else default_player(game, defaults.parameters, with_tree=True)
    else:
        player = find_player(text)
        if player.limits != Limits():
            limits = player.limits
        player = replace(player, changes=defaults.parameters).overridden(player.changes)
    playouts = _whole(request, "playouts", 1, MOST_PLAYOUTS, 0) or None
    asked = Limits(_seconds(request, "seconds"), playouts, _seconds(request, "cpu"))
    if asked != Limits():
        limits = (player.limits if text is not None else Limits()).overridden(asked)
    return player, limits if limits != Limits() else DEFAULT_LIMITS


# -- values --------------------------------------------------------------------------------------------------------------
def _text(request: dict[str, Any], key: str) -> str | None:
    value = request.get(key)
    if value is not None and not isinstance(value, str):
        raise UserError(f'"{key}" must be a text')
    return value


def _moves(request: dict[str, Any]) -> list[str]:
    value = request.get("moves")
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(m, str | int) and not isinstance(m, bool) for m in value):
        raise UserError('"moves" must be a list of moves, as in ["E5", "pass"] or [4, 4, 3]')
    return [str(move) for move in value]


def _whole(request: dict[str, Any], key: str, low: int, high: int, default: int) -> int:
    value = request.get(key)
    if value is None:
        return default
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise UserError(f'"{key}" must be a whole number from {low} to {high}')
    return value


def _seconds(request: dict[str, Any], key: str) -> float | None:
    value = request.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9 or not math.isfinite(value):
        raise UserError(f'"{key}" must be a number of seconds above 0')
    return float(value)

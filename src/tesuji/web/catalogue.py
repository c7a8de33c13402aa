"""The lists that dialogs are made of: games with their options, players with their parameters."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter, Settings
from tesuji.games.options import FORMS
from tesuji.games.registry import ENTRIES, find_built_in
from tesuji.play.side import PlayerChoice
from tesuji.players.parameters import part_of
from tesuji.players.player import Player
from tesuji.players.presets import PLAYERS, default_player, find_player
from tesuji.web.choice import PLAY, make_player
from tesuji.web.guide import example_of


def games(own: Game | None) -> list[dict[str, Any]]:
    """The built-in games, and the command line's where it is none of these."""
    found = [
        {
            "name": entry.name,
            "form": entry.form,
            "example": entry.example,
            "summary": entry.summary,
            **shown(find_built_in(entry.example)),
            "title": entry.title,
            "pattern": FORMS[entry.name].pattern,
            "options": [option.as_data() for option in FORMS[entry.name].options],
        }
        for entry in ENTRIES
    ]
    if own is not None and own.source:
        names = dict.fromkeys(("name", "form", "example", "pattern"), own.name)
        found.insert(0, {**names, "summary": "", **shown(own), "options": []})
    return found


@functools.cache
def shown(game: Game) -> dict[str, Any]:
    """What a card shows of a game, and who plays it."""
    names = list(game.player_names)[: game.players]
    return {"title": game.title or game.name, "goal": game.goal, "player_names": names, "picture": example_of(game)}


def players(game: Game, own: str | None, programs: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The players that play this game, the default one marked, and the GTP programs of the command line."""
    chosen = list(PLAYERS)
    default, analyses = default_player(game).name, default_player(game, with_tree=True).name
    if own is not None:
        mine = find_player(own, may_load=True)
        chosen = [mine, *(player for player in chosen if player.name != mine.name)]
        default = analyses = mine.name
    found = []
    for player in chosen:
        if not player.plays(game):
            continue
        try:
            settings = player.settings_for(game)
        except UserError:
            continue
        found.append(
            {
                "name": own if own is not None and player is chosen[0] else player.name,
                "summary": player.summary,
                "default": player.name == default,
                "analyses": player.name == analyses and not player.alphabeta,
                "alphabeta": player.alphabeta,
                "games": list(player.games),
                "parameters": parameters(settings, player),
            }
        )
    no = {"default": False, "analyses": False, "alphabeta": False, "games": [], "parameters": []}
    return [*found, *({"name": name, "summary": "a GTP program", **no} for name in programs if game.players == 2)]


def parameters_of(choice: PlayerChoice, game: Game, own: str | None, to: str = PLAY) -> dict[str, Any]:
    """The parameters that a player has with these values. Without a name it is the usual player to do that."""
    if choice.is_program:
        return {"parameters": [], "string": choice.player}
    player = make_player(choice, game, to, own, 1e9)
    plain = make_player(PlayerChoice(choice.player), game, to, own, 1e9)
    settings = player.settings_for(game)
    usual = plain.settings_for(game)
    listed = parameters(settings, player)
    for entry in listed:
        entry["usual"] = usual[entry["name"]] if entry["name"] in usual else entry["default"]
    return {"parameters": listed, "string": player.as_string()}


def parameters(settings: Settings, _player: Player) -> list[dict[str, Any]]:
    return [as_data(parameter, settings[name]) for name, parameter in settings.parameters.items() if not parameter.files]


def as_data(parameter: Parameter, value: Any) -> dict[str, Any]:
    default = parameter.default
    if parameter.choices:
        kind = "choice"
    elif isinstance(default, bool):
        kind = "flag"
    elif isinstance(default, int):
        kind = "integer"
    elif isinstance(default, float):
        kind = "number"
    else:
        kind = "text"
    return {
        "name": parameter.name,
        "part": part_of(parameter.name),
        "meaning": parameter.meaning,
        "kind": kind,
        "low": parameter.low,
        "high": parameter.high,
        "choices": list(parameter.choices),
        "default": default,
        "value": value,
        "brings": bool(parameter.parts or parameter.brings),
    }

"""Hashes of fixed searches, which show whether the search still does exactly the same.

For every game its default player and some variations, and every player once, in a game that it is made for. A change that
should not change the search must leave them as they are; compiled, from the cache, with bounds checked and in pure Python they
must be the same. The searches are small, so that the last of these takes seconds. tests/signatures.json has them all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.games.registry import ENTRIES, find_game
from tesuji.knowledge.registry import NETWORK, family
from tesuji.players.player import Player
from tesuji.players.presets import PLAYERS, find_player

PLAYOUTS = 300
FEWEST, LONG_GAME = 5, 100  # a game of more than LONG_GAME moves gets fewer playouts: pure Python must end within seconds
SEEDS = (1, 2)
MEMORY = 8.0  # MiB; plenty for so few playouts
EVERYWHERE = (
    "tesuji",
    "tesuji:solver=off,expand_after=3",
    "tesuji:solver=win-loss,cuts=off,probe_children=off,final_move=secure",
)
EVERY_RULE = "seki:3,4"  # the game of the players that play every game, and of what only some rules have
ONLY_THERE = (
    "tesuji:selection=bound-bias,pess_bias=0.5,opti_bias=0.25,bias_decay=100",
    "uct:selection=gaussian",
    "uct:selection=rave-outside",
)
# Small boards of Hex are decided before a search begins, so that these searches are fixed without that, too.
MORE = {"hex": ("mohex1:presearch=0", "mohex2:presearch=0")}


def has_fixed_searches(player: Player) -> bool:
    """Not with a network: its file may be learned anew, and the last bits of exp are different ones on other systems."""
    return not any(values.get("policy") == NETWORK for values in (player.values, *player.by_game.values()))


def players_of(game: Game) -> list[str]:
    """The players whose searches of this game are fixed."""
    chosen: list[str] = [*EVERYWHERE]
    for player in filter(has_fixed_searches, PLAYERS):
        if family(game) in player.games or family(game) in player.by_game or (game.name == EVERY_RULE and not player.games):
            chosen.append(player.name)
    return list(dict.fromkeys([*chosen, *MORE.get(family(game), ()), *(ONLY_THERE if game.name == EVERY_RULE else ())]))


def small_games() -> list[str]:
    """Every game, at a size that pure Python can search."""
    return [entry.small or entry.example for entry in ENTRIES]


def search_signature(game: Game, player: Player, pure: bool | None = None) -> str:
    """The digest of the trees and answers of a player's searches of a game."""
    digest = hashlib.sha256()
    playouts = min(PLAYOUTS, max(FEWEST, PLAYOUTS * LONG_GAME**2 // game.max_plies**2))
    for seed in SEEDS:
        search = player.changed({"memory": MEMORY}).engine(game, seed=seed, pure=pure)
        result = search.run(Limits(playouts=playouts))
        answer = f"{result.playouts} {result.best_move} {result.lower} {result.upper} {search.tree_hash()}\n"
        digest.update(answer.encode())
    return digest.hexdigest()[:16]


def signatures(games: Sequence[Game], pure: bool | None = None) -> Iterator[tuple[str, str, str]]:
    """(game, player, digest) of each fixed search, as they are done."""
    for game in games:
        for name in players_of(game):
            yield game.name, name, search_signature(game, find_player(name), pure)


def total(parts: Sequence[tuple[str, str, str]]) -> str:
    """One digest of all."""
    return hashlib.sha256("".join(f"{' '.join(part)}\n" for part in parts).encode()).hexdigest()


def all_signatures(pure: bool | None = None) -> dict[str, dict[str, str]]:
    """By game, by player: the contents of tests/signatures.json."""
    found: dict[str, dict[str, str]] = {}
    for game, player, digest in signatures([find_game(name) for name in small_games()], pure):
        found.setdefault(game, {})[player] = digest
    return found

"""Games of a player against itself as jobs on a cluster: the same games as without one (learn/self_play.py)."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tesuji.games.registry import find_game
from tesuji.lab.cluster.dispatcher import Assignment, ClusterLike, Dispatcher, Tell
from tesuji.lab.cluster.identity import files_identity
from tesuji.lab.cluster.tasks import SELF_PLAY
from tesuji.learn.evaluation import games_for_evaluation
from tesuji.learn.records import RecordedGame
from tesuji.players.presets import find_player


class SelfPlayHandler:
    """Plays such games on the machines."""

    def __init__(self, setup: dict[str, Any]):
        self.programs: list[str] = []
        player = find_player(setup["player"], may_load=True) if setup["player"] else None
        self._play = games_for_evaluation(find_game(setup["game"], False), setup["seed"], setup["playouts"], player)
        self._play.prepare()

    @staticmethod
    def identity(setup: dict[str, Any]) -> dict[str, str]:
        game = find_game(setup["game"], False)
        return files_identity(game, [find_player(setup["player"], may_load=True)] if setup["player"] else [])

    def work(self, job: dict[str, Any]) -> dict[str, Any]:
        played = self._play.game_number(job["number"])
        return {"moves": list(played.moves), "outcome": played.outcome}


class SelfPlayGames:
    """The games that are asked for, as jobs."""

    kept: str = "the games so far are not kept"

    def __init__(self, game_text: str, count: int):
        self._game = find_game(game_text, False)
        self._waiting = list(reversed(range(count)))
        self.played: dict[int, RecordedGame] = {}

    def next(self) -> Assignment | None:
        if not self._waiting:
            return None
        number = self._waiting.pop()
        return Assignment(str(number), json.dumps({"number": number}), f"game {number + 1}")

    def left(self) -> int:
        return len(self._waiting)

    def take(self, id: str, result: str) -> bool:
        found, number = json.loads(result), int(id)
        label = f"self-play: game {number + 1}"
        self.played[number] = RecordedGame(label, self._game.new_state(), tuple(found["moves"]), found["outcome"])
        return False

    def ready(self, programs: list[str]) -> None:
        pass  # there are none

    def transaction(self) -> AbstractContextManager[Any]:
        return nullcontext()


def self_play_on_cluster(
    cluster: ClusterLike,
    game_text: str,
    count: int,
    seed: int,
    playouts: int | None,
    player: str,
    tell: Tell,
    on_progress: Callable[[float, str], object],
) -> list[RecordedGame]:
    """The games in the order of their seeds."""
    setup = {"kind": SELF_PLAY, "game": game_text, "seed": seed, "playouts": playouts, "player": player}
    games = SelfPlayGames(game_text, count)
    found = find_player(player, may_load=True) if player else None
    limits = games_for_evaluation(find_game(game_text, False), seed, playouts, found).limits
    identity = SelfPlayHandler.identity(setup)
    with Dispatcher(cluster, setup, identity, games, tell, most=count, timed=limits.is_timed) as dispatcher:
        dispatcher.run(lambda: on_progress(len(games.played) / count, f"{len(games.played)} games played"))
    return [games.played[number] for number in range(count)]

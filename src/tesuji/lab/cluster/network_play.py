"""Games of a run of self-play as jobs on a cluster: the same games as by processes of one machine. The network goes along."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any

from tesuji.core.files import read_file, write_file
from tesuji.games.registry import find_game
from tesuji.knowledge.network.file import NETWORK_FILE
from tesuji.lab.cluster.dispatcher import Assignment, ClusterLike, Dispatcher, Tell
from tesuji.lab.cluster.identity import files_identity
from tesuji.lab.cluster.tasks import NETWORK_PLAY
from tesuji.lab.self_play.players import Check, Take, Work
from tesuji.lab.self_play.store import parse_search, search_row
from tesuji.learn.records import RecordedGame


class NetworkPlayHandler:
    """Plays such games on the machines."""

    def __init__(self, setup: dict[str, Any]):
        self.programs: list[str] = []
        self._folder = tempfile.TemporaryDirectory(prefix="tesuji-")  # it goes with this object
        network = Path(self._folder.name) / "network"
        write_file(network, base64.b64decode(setup["network"]), NETWORK_FILE)
        work = Work(setup["plan"], setup["game"], str(network), setup["plays_out"])
        self._play = work.begin(find_game(setup["game"], False))
        self._play.prepare()

    @staticmethod
    def identity(setup: dict[str, Any]) -> dict[str, str]:
        return files_identity(find_game(setup["game"], False), [])

    def work(self, job: dict[str, Any]) -> dict[str, Any]:
        one = self._play.game_number(job["number"])
        return {"moves": list(one.moves), "outcome": one.outcome, "searches": [search_row(search) for search in one.searches]}


class NetworkPlayGames:
    """The games that are asked for, as jobs."""

    kept: str = "the games so far are kept"

    def __init__(self, work: Work, numbers: Iterable[int], should_stop: Check, take: Take):
        self._game = find_game(work.game, False)
        self._waiting = list(numbers)[::-1]
        self._should_stop, self._take = should_stop, take

    def next(self) -> Assignment | None:
        if not self._waiting:
            return None
        number = self._waiting.pop()
        return Assignment(str(number), json.dumps({"number": number}), f"game {number + 1}")

    def left(self) -> int:
        return len(self._waiting)

    def take(self, id: str, result: str) -> bool:
        found, number = json.loads(result), int(id)
        searches = tuple(None if row is None else parse_search(row) for row in found["searches"])
        label, start = f"self-play: game {number + 1}", self._game.new_state()
        self._take(number, RecordedGame(label, start, tuple(found["moves"]), found["outcome"], self._game, searches))
        return self._should_stop()

    def ready(self, programs: list[str]) -> None:
        pass  # there are none

    def transaction(self) -> AbstractContextManager[Any]:
        return nullcontext()


class ClusterPlayers:
    """The machines of a cluster, as who plays the games of a run."""

    def __init__(self, cluster: ClusterLike, tell: Tell):
        self._cluster, self._tell = cluster, tell

    def play(self, work: Work, numbers: Iterable[int], should_stop: Check, take: Take, on_tick: Callable[[], None]) -> None:
        wanted = list(numbers)
        network = base64.b64encode(read_file(work.network, NETWORK_FILE)).decode()
        setup = {"kind": NETWORK_PLAY, "plan": work.plan, "game": work.game, "network": network, "plays_out": work.plays_out}
        games = NetworkPlayGames(work, wanted, should_stop, take)
        identity = NetworkPlayHandler.identity(setup)

        def tick() -> None:
            on_tick()
            if should_stop():
                raise KeyboardInterrupt

        dispatcher = Dispatcher(self._cluster, setup, identity, games, self._tell, most=len(wanted))
        with suppress(KeyboardInterrupt), dispatcher:
            dispatcher.run(tick)

    def close(self) -> None:
        pass  # the cluster is not ours

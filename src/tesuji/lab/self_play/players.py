"""The processes that play games of self-play.

They stay for the whole run, so that what a search needs is loaded once. One that dies is replaced, and its game is played
again: a game is a function of the seed, its number and the network. They end with the process that started them, however
that ends.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from typing import Any, Protocol

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.lab.self_play.plan import SelfPlayPlan
from tesuji.learn.records import RecordedGame
from tesuji.learn.self_play import SelfPlay

MOST_DEATHS = 5  # of processes, one after the other without a game that ended
TICK = 0.25  # seconds between two looks at whether to stop
Check = Callable[[], bool]
Take = Callable[[int, RecordedGame], None]


@dataclass(frozen=True)
class Work:
    """What games are played with: only words, so that it can be sent to a process."""

    plan: dict[str, Any]
    game: str
    network: str
    plays_out: bool

    def begin(self, game: Game | None = None) -> SelfPlay:
        from tesuji.games.registry import find_game

        return SelfPlayPlan.from_json(self.plan).self_play(game or find_game(self.game), self.network, self.plays_out)


class PlaysGames(Protocol):
    """Who plays the games of a run: processes of this machine (below), or a cluster (lab/cluster/network_play.py)."""

    def play(self, work: Work, numbers: Iterable[int], should_stop: Check, take: Take, on_tick: Callable[[], None]) -> None: ...

    def close(self) -> None: ...


class Players:
    """So many processes; a single one is this one itself."""

    def __init__(self, workers: int, tell: Callable[[str], None]):
        self.workers = workers
        self._tell = tell
        self._pool: ProcessPoolExecutor | None = None
        self._deaths = 0

    def play(self, work: Work, numbers: Iterable[int], should_stop: Check, take: Take, on_tick: Callable[[], None]) -> None:
        """Plays the games of these numbers; `take` gets each when it ends. After a request to stop no more are begun, and those
        under way are left."""
        missing = list(numbers)
        if self.workers == 1:
            play = work.begin()
            for number in missing:
                if should_stop():
                    return
                take(number, play.game_number(number))
            return
        work.begin().prepare()  # compiled once, before several processes want it

        def taken(number: int, one: RecordedGame) -> None:
            missing.remove(number)
            self._deaths = 0
            take(number, one)

        while missing and not should_stop():
            try:
                self._play_in_processes(work, list(missing), should_stop, taken, on_tick)
            except BrokenProcessPool:
                self.close()
                self._deaths += 1
                if self._deaths >= MOST_DEATHS:
                    raise UserError(
                        f"processes that play ended {MOST_DEATHS} times before a game did; the games so far are kept: "
                        "if memory is short, try fewer --workers"
                    ) from None
                self._tell("a process that plays has died; its game is played again")

    def _play_in_processes(
        self, work: Work, numbers: list[int], should_stop: Check, take: Take, on_tick: Callable[[], None]
    ) -> None:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.workers, get_context("spawn"), _begin_process)
        waiting = iter(numbers)
        running: set[Future[tuple[int, RecordedGame]]] = set()
        while not should_stop():
            while len(running) < self.workers and (number := next(waiting, None)) is not None:
                running.add(self._pool.submit(_play_one, work, number))
            if not running:
                return
            done, running = wait(running, TICK, FIRST_COMPLETED)
            for future in done:
                take(*future.result())
            on_tick()

    def close(self) -> None:
        """Ends the processes, without waiting for games under way."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


# -- in a process that plays -------------------------------------------------------------------------------------------------
_playing: tuple[Work, SelfPlay] | None = None


def _begin_process() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal reaches all processes: only the first one answers it
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _play_one(work: Work, number: int) -> tuple[int, RecordedGame]:
    global _playing
    if _playing is None or _playing[0] != work:
        _playing = work, work.begin()
    return number, _playing[1].game_number(number)

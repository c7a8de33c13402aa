"""Many independent runs at a time, in threads: the kernels release the interpreter lock, and all share one compiled program.

The results do not depend on how many run at a time, since each run has its own seed. Ctrl-C ends the runs under way
and keeps those that are done.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple, TypeVar

from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.lab.processors import processors
from tesuji.players.player import Player
from tesuji.search.engine.tree_search import Result, TreeSearch

Outcome = TypeVar("Outcome")
OnProgress = Callable[[float, str], object]  # (share of the work done, what is being done)
SEED_STEP = 1_000_003  # between the runs' seeds of one experiment seed and of the next


class RunStopped(Exception):
    """Raised within a run to end it."""


class Sample(NamedTuple):
    """One search: how many playouts it took, whether they proved the result, and the bounds for player 0."""

    playouts: int
    proven: bool
    lower: int
    upper: int


class ExperimentRunner:
    """Runs tasks, `jobs` at a time (None = as many as processors), and tells how far they are."""

    def __init__(self, seed: int = 1, jobs: int | None = None, on_progress: OnProgress | None = None):
        self.seed = seed
        self.jobs = jobs or processors()
        self.cluster: str | None = None  # that plays the matches of an experiment
        self.interrupted = False
        self._stop = threading.Event()
        self._on_progress = on_progress
        self._begin, self._end = 0.0, 1.0
        self.kept: dict[Any, Any] = {}  # what one experiment has measured and another can use

    # -- progress ----------------------------------------------------------------------------------------------------
    def part(self, begin: float, end: float) -> None:
        """The runs to come are this part of the whole, from 0 to 1."""
        self._begin, self._end = begin, end

    def tell(self, share: float, text: str) -> None:
        """Reports that this share of the present part is done."""
        if self._on_progress is not None:
            self._on_progress(self._begin + share * (self._end - self._begin), text)

    # -- runs --------------------------------------------------------------------------------------------------------
    def run_seed(self, index: int) -> int:
        """The seed of the run with this index."""
        return (self.seed * SEED_STEP + index) % (1 << 64)

    def all(self, tasks: Sequence[Callable[[], Outcome]], title: str) -> list[Outcome | None]:
        """The results in the order of the tasks; None for tasks that were not finished because of Ctrl-C."""
        results: list[Any] = [None] * len(tasks)
        if self.interrupted:
            return results
        todo = iter(enumerate(tasks))
        running: dict[Future[Any], int] = {}
        finished = 0
        pool = ThreadPoolExecutor(self.jobs)
        try:
            while True:
                while len(running) < self.jobs and (entry := next(todo, None)) is not None:
                    running[pool.submit(entry[1])] = entry[0]
                if not running:
                    break
                done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in done:
                    results[running.pop(future)] = future.result()
                    finished += 1
                self.tell(finished / len(tasks), f"{title}: {finished} of {len(tasks)}")
        except KeyboardInterrupt:
            self.interrupted = True
            for future, index in running.items():
                if future.done() and future.exception() is None:
                    results[index] = future.result()
        finally:
            self._stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            self._stop.clear()
        return results

    def search(self, search: TreeSearch, limits: Limits, with_moves: bool = True) -> Result:
        """Runs a search that ends when the other runs are stopped."""
        return search.run(limits, self._stop_if_asked, with_moves)

    def prove(self, game: Game, player: Player, limit: int, index: int) -> Sample:
        """One search from the start of the game until it is proven or has had `limit` playouts."""
        result = self.search(player.engine(game, seed=self.run_seed(index)), Limits(playouts=limit))
        return Sample(result.playouts, result.proven, result.lower, result.upper)

    def check(self) -> None:
        """For a run between its searches: ends it when the others are stopped."""
        if self._stop.is_set():
            raise RunStopped

    def _stop_if_asked(self, _result: Result) -> None:
        self.check()

"""Runs a search from Python in slices, and checks the clock, requests to stop and the result between them.

The tree search and alpha-beta both use this; each defines what a slice does.
"""

from __future__ import annotations

import contextlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game, State, copy_state
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import compile_errors_explained, compiled, is_pure
from tesuji.core.parameters import Settings, filled
from tesuji.core.rules import is_over, play
from tesuji.search.engine.final_move import Answer, Result
from tesuji.search.engine.time_budget import TimeBudget
from tesuji.search.policy import uniform_in

FIRST_SLICE = 16
LONGEST_SLICE = 1 << 20
SLICE_SECONDS = 0.05
SHORTEST_AIM = 0.005  # seconds: what slices shrink to where the time is nearly over, or goes by without a processor
LEAST_SHARE = 1 / 500  # of the time left: what a thread computes at a time, however slow the machine is
PROGRESS_SECONDS = 0.2
UNLIMITED = 1 << 62


class Driver(ABC):
    """A search of one position that can be run again and again.

    `playouts` counts its work, `seconds` the time it took, `cpu` the CPU time of all its threads.
    """

    def __init__(self, game: Game, state: State | None, settings: Settings, policy: Any, seed: int, pure: bool | None):
        self.game = game
        self.state = copy_state(game.initial if state is None else state)
        self.settings = settings
        self.answer = filled(Answer, settings)
        self.policy = policy if policy is not None else game.policy if game.policy is not None else uniform_in(game)()
        self.seed = seed
        self.pure = is_pure() if pure is None else pure
        self.playouts = 0
        self.seconds = 0.0
        self.cpu = 0.0
        self.threads = 1
        self._cpu_of_threads = 0.0  # of threads of its own: what they have used since the search was made
        self._at_start = 0  # playouts when the present run began
        self._time_before = (0.0, 0.0)  # seconds and CPU time when it began
        self._left = 0  # playouts up to the limit of the present run
        self._interrupted = False  # a plain attribute: a signal handler sets it, so no lock may be involved
        self._slice = FIRST_SLICE
        self._ready = False
        self._users_parts: list[Any] = []  # policies and rules outside this package that are compiled with the search

    # -- what a search must define --------------------------------------------------------------------------------------
    @abstractmethod
    def prepare(self) -> None:
        """Compiles what is needed, or loads it from the cache, before any clock runs."""

    @abstractmethod
    def is_decided(self) -> bool:
        """Whether nothing is left to prove at the root."""

    @abstractmethod
    def result(self, with_moves: bool = True) -> Result:
        """What the search knows now."""

    @abstractmethod
    def _run_slices(self, count: int) -> int:
        """Makes `count` playouts by all threads together, or fewer if there is a reason to stop; returns how many."""

    @abstractmethod
    def _finish_round(self) -> None:
        """Called after each round: raises errors of the round, makes room in the tree, starts the next depth."""

    def is_finished(self) -> bool:
        """Whether searching further could find nothing more."""
        return self.is_decided()

    def _can_stop_early(self, used: float) -> bool:
        """Whether this run can end now, with this share of its time used: the rest would change nothing."""
        return False

    def _is_unstable(self) -> bool:
        """Whether a longer search may well answer something else than what looks best now."""
        return False

    def _is_in_doubt(self, used: float) -> bool:
        """Whether more time, of which this share is used, may well change the move to play. Asked only where a clock runs."""
        return False

    def _presearch(self, budget: TimeBudget) -> None:
        """What is studied before the search itself begins, in its share of the time, if there is a limit."""
        return

    def _running_threads(self) -> contextlib.AbstractContextManager[None]:
        """The threads of a run, for as long as it searches."""
        return contextlib.nullcontext()

    def widen_root(self, amount: float) -> float:
        """Sets the parameter `root_widening` from here on, where a search has it; returns what it was."""
        return 0.0

    # -- running -----------------------------------------------------------------------------------------------------
    def run(
        self, limits: Limits | None = None, on_progress: Callable[[Result], None] | None = None, with_moves: bool = True
    ) -> Result:
        """Searches until the limits are reached, nothing is left to find, or `stop` is called. Signals are the caller's affair.

        A report on all moves with their lines takes some hundredths of a second; `with_moves=False` saves that.
        """
        limits = limits or Limits()
        if is_over(self.state):
            return self.result(with_moves)
        self.prepare()
        budget = self.new_budget(limits)
        self._at_start, self._time_before = self.playouts, (self.seconds, self.cpu)
        goal = UNLIMITED if limits.playouts is None else self.playouts + limits.playouts
        self._presearch(budget)
        with self._running_threads():
            self._search_within(goal, budget, on_progress)
        self._note_time(budget)
        result = self.result(with_moves)
        result.interrupted = self._interrupted
        self._interrupted = False
        return result

    def _search_within(self, goal: int, budget: TimeBudget, on_progress: Callable[[Result], None] | None) -> None:
        """A search whose answer is not stable has all of the time, any other its share. A clock may allow more than that."""
        extension = self.answer.extend_unstable if budget.is_timed else 0.0
        if extension > 0.0:
            self._search(goal, budget, 1.0 / (1.0 + extension), on_progress, self._can_stop_early)
        if extension == 0.0 or self._is_unstable():
            self._search(goal, budget, 1.0, on_progress, self._can_stop_early)
        longer = budget.for_doubt()
        if longer is not None and self._is_in_doubt(longer.used()):
            self._search(goal, longer, 1.0, on_progress, lambda used: not self._is_in_doubt(used))

    def new_budget(self, limits: Limits) -> TimeBudget:
        """The time of a run that begins now, in this thread."""
        return TimeBudget(limits, time.perf_counter, lambda: time.thread_time() + self._cpu_of_threads, self.threads)

    def _note_time(self, budget: TimeBudget) -> None:
        seconds, cpu = self._time_before
        self.seconds, self.cpu = seconds + budget.elapsed(), cpu + budget.cpu()

    def _search(
        self,
        goal: int,
        budget: TimeBudget,
        share: float,
        on_progress: Callable[[Result], None] | None,
        can_end: Callable[[float], bool],
    ) -> None:
        """Searches up to `goal` playouts in all, for this share of the time; `can_end` hears how much of that is used."""
        shown = time.perf_counter()
        while self.playouts < goal and not self.is_finished():
            if budget.is_nothing or (self._interrupted and self.playouts > self._at_start):  # a run does some work in any case
                break
            if budget.used() >= share:
                if self.playouts > self._at_start:
                    break
                self._slice = FIRST_SLICE  # the time is over before the search began: still think a little about the move
            self._run_round(goal - self.playouts, budget.seconds_left(share))
            self._note_time(budget)
            if budget.is_timed and can_end(budget.used() / share):
                break
            now = time.perf_counter()
            if on_progress is not None and now - shown >= PROGRESS_SECONDS:
                shown = now
                on_progress(self.result(with_moves=False))

    def call(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        """Runs a kernel as this search runs all of its own: compiled, or as plain Python, where hashes overflow on purpose."""
        if self.pure:
            with np.errstate(over="ignore"):
                return kernel(*arguments)
        own = " and ".join(type(part).__name__ for part in self._users_parts)
        with compile_errors_explained(f"{self.game.name} with {own}" if own else self.game.name):
            return compiled(kernel)(*arguments)

    def _play(self, move: int) -> None:
        """Plays a move at the root; what is counted begins anew."""
        if move not in self.game.legal_moves(self.state):
            raise UserError(f"{move} is not a legal move")
        play(self.state, move)
        self.playouts = 0
        self.seconds = self.cpu = 0.0

    def stop(self) -> None:
        """Ends the run under way, or else the next one, after one slice; any thread or signal handler may call it."""
        self._interrupted = True

    def forget_stop(self) -> None:
        """Takes back a call of `stop` that no run has answered."""
        self._interrupted = False

    def _run_round(self, left: int, seconds_left: float | None) -> None:
        """One slice for each thread, then `_finish_round`."""
        self._left = left
        count = min(self._slice * self.threads, left)
        round_time = self.new_budget(Limits())
        done = self._run_slices(count)
        self.playouts += done
        elapsed, cpu = round_time.elapsed(), round_time.cpu() / self.threads
        self._tune_slice(elapsed, cpu, count // self.threads, done // self.threads, seconds_left)
        self._finish_round()

    def _tune_slice(self, seconds: float, cpu: float, count: int, done: int, seconds_left: float | None) -> None:
        """Aims at slices short enough for a quick answer to `stop` and to the clock.

        The speed is computed from the work done: a slice may have ended early. On a busy machine most of the seconds go by
        while threads wait for a processor, however short the slices are; so that they do not become ever shorter, the least
        is measured in CPU time (of one thread), and is a small share of the time left, or the clock would be exceeded.
        """
        aim = SLICE_SECONDS if seconds_left is None else min(SLICE_SECONDS, max(SHORTEST_AIM, (seconds_left - seconds) / 2))
        pieces = max(1, done)
        least_aim = SHORTEST_AIM if seconds_left is None else min(SHORTEST_AIM, max(0.0, seconds_left) * LEAST_SHARE)
        least = pieces / cpu * least_aim if cpu > 0 else 1
        self._slice = int(min(max(pieces / max(seconds, 1e-6) * aim, least, 1), LONGEST_SLICE, 16 * max(count, FIRST_SLICE)))

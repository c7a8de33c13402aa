"""The time that one run of a search may take: elapsed time, CPU time, or both; and how much of it is gone."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace

from tesuji.core.limits import Limits

Clock = Callable[[], float]
SHORTEST = 1e-9  # seconds: to divide by where there is no time at all


class TimeBudget:
    """Its clocks start when it is made. CPU time is that of all threads of the search together."""

    def __init__(self, limits: Limits, clock: Clock, cpu_clock: Clock, threads: int = 1):
        self._limits = limits
        self._clock, self._cpu_clock = clock, cpu_clock
        self._threads = threads
        self._began, self._cpu_began = clock(), cpu_clock()

    @property
    def is_timed(self) -> bool:
        return self._limits.is_timed

    @property
    def is_nothing(self) -> bool:
        """Whether there is no time at all."""
        return 0 in (self._limits.seconds, self._limits.cpu)

    def for_doubt(self) -> TimeBudget | None:
        """The longer time that the run may take while its best move is in doubt; None if there is no more."""
        limits = self._limits
        if limits.seconds is None or limits.longest is None or limits.longest <= limits.seconds:
            return None
        budget = copy(self)
        budget._limits = replace(limits, seconds=limits.longest)
        return budget

    def elapsed(self) -> float:
        return self._clock() - self._began

    def cpu(self) -> float:
        return self._cpu_clock() - self._cpu_began

    def used(self) -> float:
        """The share of the time that is gone, of the limit that is nearer; 0 without a limit."""
        seconds, cpu = self._limits.seconds, self._limits.cpu
        by_clock = 0.0 if seconds is None else self.elapsed() / max(seconds, SHORTEST)
        return by_clock if cpu is None else max(by_clock, self.cpu() / max(cpu, SHORTEST))

    def seconds_left(self, share: float) -> float | None:
        """How long the search can go on at the least, if it may use this share of the time; None = without a limit."""
        seconds, cpu = self._limits.seconds, self._limits.cpu
        left = [] if seconds is None else [share * seconds - self.elapsed()]
        if cpu is not None:
            left.append((share * cpu - self.cpu()) / self._threads)  # if each of them has a processor of its own
        return min(left, default=None)

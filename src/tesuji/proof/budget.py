"""What the check of a certificate may take: positions, CPU time and memory.

A few bytes can announce any number of positions, and a position can take any time. So all three are limited by the size of the
file, unless the person who checks it allows more. Nothing here needs to be trusted: a budget can end a check, but not end it
well.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from tesuji.core.errors import UserError
from tesuji.core.files import MIB

MEMORY = 512  # MiB
PER_BYTE = 64  # positions that a byte of the file's choices may stand for; the writer packs them no closer (`format.encode`)
FREE = 1000  # positions that it may have beyond that
FREE_IN_PUZZLE = 1_000_000  # the same in a game for one: that no way is better needs no choices, however many there are
SECONDS, SECONDS_PER_KIB = 6.0, 1.0  # of CPU time: for any file, and for each KiB of its choices

T = TypeVar("T")


class OverBudget(UserError):
    """The check would exceed its limits."""


class Budget:
    """Positions, MiB of memory and seconds of CPU time. None means what a file of its size may take; for memory, no limit."""

    def __init__(
        self,
        positions: int | None = None,
        memory: int | None = MEMORY,
        seconds: float | None = None,
        clock: Callable[[], float] = time.thread_time,
    ):
        self._positions, self._memory, self._seconds = positions, memory, seconds
        self._clock = clock
        self._name = "the check"
        self._limit = 0.0 if seconds is None else seconds
        self._end: float | None = None  # on the clock; None: not limited yet
        self._taken = 0  # bytes

    def admit(self, name: str, positions: int, choices: int, players: int) -> None:
        """Starts the clock. OverBudget if a file announces more positions than it may.

        positions  announced by the file that is called `name`
        choices    bytes of its choices, as they are packed
        players    of its game
        """
        most = most_positions(choices, players) if self._positions is None else self._positions
        if positions > most:
            raise OverBudget(
                f"{name} announces {positions:,} positions, and {most:,} is the most that is checked here: "
                "raise that with --positions (of tesuji verify)"
            )
        self._name = name
        self._limit = most_seconds(choices) if self._seconds is None else self._seconds
        self._end = self._clock() + self._limit

    def check_time(self) -> None:
        """OverBudget if the time is up."""
        if self._end is not None and self._clock() > self._end:
            raise OverBudget(
                f"{self._name} takes more than {self._limit:g} s of CPU time: raise that with --seconds (of tesuji verify)"
            )

    def timed(self, items: Iterable[T]) -> Iterator[T]:
        """The items, as long as there is time."""
        for item in items:
            self.check_time()
            yield item

    def take(self, size: int) -> None:
        """Counts bytes that are held from now on; a negative size releases them."""
        self._taken += size
        if self._memory is not None and self._taken > self._memory * MIB:
            raise OverBudget(
                f"the check takes more than {self._memory:,} MiB of memory: raise that with --memory (of tesuji verify)"
            )


def most_positions(choices: int, players: int) -> int:
    """How many positions a file may announce that has so many bytes of choices, as they are packed."""
    return PER_BYTE * choices + (FREE_IN_PUZZLE if players == 1 else FREE)


def most_seconds(choices: int) -> float:
    """How long its check may take."""
    return SECONDS + SECONDS_PER_KIB * choices / 1024

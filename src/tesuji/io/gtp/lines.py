"""Lines of input as they arrive, read by a thread of its own, so that a command under way can hear of the next line.

The thread reads the descriptor itself: a buffered stream that is being read cannot be closed when the program ends. It
never waits for more than it has, and keeps no more than it must: past `MOST_WAITING` lines it stops reading until some are
answered, and a line that does not end is cut off.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tesuji.io.gtp.protocol import is_interrupt
from tesuji.io.lines import read_pieces, split_lines

LONGEST_LINE = 1 << 20
MOST_WAITING = 1 << 15
LOOK = 0.02  # seconds between two looks at the queue
TOO_LONG = "line-too-long"  # stands for a line that is cut off: a command that nobody has


class Line(NamedTuple):
    number: int
    text: str


class Lines:
    """An iterator over the lines. `read(count)` returns bytes, b"" at the end; OSError and ValueError count as the end."""

    def __init__(self, read: Callable[[int], bytes]):
        self._read = read
        self._queue: queue.Queue[Line | None] = queue.Queue(MOST_WAITING)
        self._queued = 0
        self._interrupted = 0  # the command with this number, and those before it, shall end
        threading.Thread(target=self._work, daemon=True, name="gtp input").start()

    def __iter__(self) -> Iterator[Line]:
        while True:
            line = self._queue.get()
            if line is None:
                self._queue.put(None)  # the end stays the end
                return
            yield line

    def is_waiting(self) -> bool:
        """Whether another line has arrived, or the end of input."""
        return not self._queue.empty()

    def is_interrupted(self, number: int) -> bool:
        """Whether GoGui's interrupt came after the line of that number."""
        return self._interrupted >= number

    def wait(self, seconds: float) -> None:
        """Waits until something arrives, but not longer than this."""
        end = time.monotonic() + seconds
        while not self.is_waiting() and time.monotonic() < end:
            time.sleep(min(LOOK, seconds))

    # -- the thread --------------------------------------------------------------------------------------------------
    def _work(self) -> None:
        try:
            for raw in split_lines(read_pieces(self._read), LONGEST_LINE):
                text = TOO_LONG if raw is None else raw.decode("utf-8", "replace")
                if is_interrupt(text):
                    self._interrupted = self._queued
                self._queued += 1
                self._queue.put(Line(self._queued, text))
        finally:
            self._queue.put(None)

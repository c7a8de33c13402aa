"""A pool of threads that work in rounds. A run starts them once: on a busy machine a start takes longer than a round."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

POLL_SECONDS = 1.0  # how long `wait` blocks at most


class ThreadPool:
    """`size` threads. In each round every thread calls `work(number)` with its own number, then waits for the next round."""

    def __init__(self, size: int):
        self._rounds = 0
        self._finished = [0] * size  # the last round that each thread has completed
        self._tasks: list[queue.SimpleQueue[tuple[int, Callable[[int], None]] | None]] = []
        self._signals: queue.SimpleQueue[None] = queue.SimpleQueue()  # wake `wait`; `_finished` is what counts
        try:
            for number in range(size):
                self._tasks.append(queue.SimpleQueue())
                threading.Thread(target=self._serve, args=(number,), daemon=True).start()
        except BaseException:
            self.close()
            raise

    def begin(self, work: Callable[[int], None]) -> None:
        """Begins a round. `work` must not raise."""
        self._rounds += 1
        while not self._signals.empty():  # the last round's: it was over when `_finished` said so
            self._signals.get()
        for tasks in self._tasks:
            tasks.put((self._rounds, work))

    @property
    def is_busy(self) -> bool:
        return self.busy > 0

    @property
    def busy(self) -> int:
        """How many threads are still at work."""
        return sum(finished < self._rounds for finished in self._finished)

    def wait(self) -> bool:
        """Waits up to a second until some thread is done; returns whether one was. It may be interrupted and called again."""
        try:
            self._signals.get(timeout=POLL_SECONDS)
        except queue.Empty:
            return False
        return True

    def close(self) -> None:
        """Ends the threads, after the round under way."""
        for tasks in self._tasks:
            tasks.put(None)

    def _serve(self, number: int) -> None:
        while (task := self._tasks[number].get()) is not None:
            round_number, work = task
            try:
                work(number)
            finally:
                self._finished[number] = round_number
                self._signals.put(None)
            del task, work  # so that a discarded search is freed at once, not after the next round

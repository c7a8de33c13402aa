"""The threads of a run. They are started once and work in rounds: on a busy machine to start them takes longer than a round."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

LOOK_SECONDS = 1.0  # between two looks at threads that do not answer


class Crew:
    """So many threads. Each does `work(its number)` of a round, and waits for the next."""

    def __init__(self, size: int):
        self._rounds = 0
        self._finished = [0] * size  # by thread: the last round that it has done
        self._orders: list[queue.SimpleQueue[tuple[int, Callable[[int], None]] | None]] = []
        self._answers: queue.SimpleQueue[None] = queue.SimpleQueue()  # wakes who waits; what counts is `_finished`
        try:
            for number in range(size):
                self._orders.append(queue.SimpleQueue())
                threading.Thread(target=self._serve, args=(number,), daemon=True).start()
        except BaseException:
            self.close()
            raise

    def begin(self, work: Callable[[int], None]) -> None:
        """A round begins. `work` raises nothing."""
        self._rounds += 1
        while not self._answers.empty():  # of the round before: who waits sees `_finished` before the answer comes
            self._answers.get()
        for orders in self._orders:
            orders.put((self._rounds, work))

    @property
    def is_busy(self) -> bool:
        return any(finished < self._rounds for finished in self._finished)

    def wait(self) -> bool:
        """Waits for an answer, a second at most; whether one came. It may be interrupted, and called again."""
        try:
            self._answers.get(timeout=LOOK_SECONDS)
        except queue.Empty:
            return False
        return True

    def close(self) -> None:
        """The threads end after the round under way."""
        for orders in self._orders:
            orders.put(None)

    def _serve(self, number: int) -> None:
        while (order := self._orders[number].get()) is not None:
            round_number, work = order
            try:
                work(number)
            finally:
                self._finished[number] = round_number
                self._answers.put(None)
            del order, work  # a search that is given up need not wait for the next round to be freed

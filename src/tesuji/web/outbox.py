"""What a tab is told, as a stream of server-sent events. What is out of date by the time it could be sent is never sent.

States are made when they are sent; of analyses and progress only the latest is kept, and ten a second are sent at most. So a
page that reads slowly, or not at all, costs no memory.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any

ALIVE_SECONDS = 15.0
SHORTEST_PAUSE = 0.1  # seconds between two analyses
CLOSED = -1
MOST_WAITING = 100  # messages that are not replaced by later ones

Make = Callable[[bool], list[tuple[str, dict[str, Any]]]]  # what to send first, all of it or just what is new


class Outbox:
    def __init__(self, make: Make):
        self._make = make
        self._wake = asyncio.Event()
        self._latest: dict[tuple[str, ...], tuple[str, dict[str, Any]]] = {}
        self._waiting: deque[tuple[str, dict[str, Any]]] = deque(maxlen=MOST_WAITING)
        self._state_is_due = False
        self._connection = 0
        self.is_connected = False
        self.left_at = time.monotonic()  # when the last connection ended

    def state(self) -> None:
        self._state_is_due = True
        self._wake.set()

    def tell(self, name: str, **values: Any) -> None:
        """A message that is sent whatever comes after it."""
        if self.is_connected:
            self._waiting.append((name, values))
            self._wake.set()

    def tell_latest(self, key: tuple[str, ...], name: str, values: dict[str, Any]) -> None:
        """A message that takes the place of an earlier one of the same key."""
        if self.is_connected:
            self._latest[key] = (name, values)
            self._wake.set()

    def forget_latest(self) -> None:
        """Nothing that was computed for another position is sent any more."""
        self._latest = {key: message for key, message in self._latest.items() if message[0] != "analysis"}

    def connect(self) -> int:
        """A connection, which ends the one before. The tab is watched from now on until `leave`, not from its first event on:
        of many that come at once none is overlooked."""
        self._connection += 1
        self._waiting.clear()
        self._latest.clear()
        self._wake.set()
        self.is_connected = True
        return self._connection

    def leave(self, connection: int) -> None:
        if self._connection == connection:
            self.is_connected = False
            self.left_at = time.monotonic()
        else:
            self._wake.set()

    def close(self) -> None:
        """Ends the connection for good: the tab is forgotten."""
        self._connection = CLOSED
        self._wake.set()

    async def events(self, mine: int, first: list[tuple[str, dict[str, Any]]]) -> AsyncIterator[bytes]:
        """What a connection is sent: first all there is, then what is new."""
        everything = True
        for name, values in first:
            yield encoded(name, values)
        self._state_is_due = True
        while True:
            try:
                await asyncio.wait_for(self._wake.wait(), ALIVE_SECONDS)
            except TimeoutError:
                if self._connection == mine:
                    yield b": alive\n\n"
                    continue
            if self._connection != mine:
                if self._connection != CLOSED:
                    yield encoded("replaced", {})
                return
            self._wake.clear()
            sent: list[tuple[str, dict[str, Any]]] = []
            if self._state_is_due:
                self._state_is_due = False
                sent += self._make(everything)
                everything = False
            while self._waiting:
                sent.append(self._waiting.popleft())
            latest, self._latest = list(self._latest.values()), {}
            for name, values in [*sent, *latest]:
                yield encoded(name, values)
                if name == "bye":
                    return
            if latest:
                await asyncio.sleep(SHORTEST_PAUSE)


def encoded(name: str, values: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(values, allow_nan=False, separators=(',', ':'))}\n\n".encode()

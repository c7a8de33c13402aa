"""One connection of the server: only so many at a time, those of the page before others, and none that is held unused.

uvicorn accepts every connection, however many are open, and waits for the first request as long as it takes. Each costs memory
that Python does not give back in full, so that a flood would leave its mark.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 64  # two for each tab: its stream of events, and a command
SILENT_SECONDS = 30.0  # after which a connection without a whole request is closed


class PageConnection(H11Protocol):
    opened = 0  # connections of all time
    _watch: asyncio.TimerHandle | None = None
    _last_cycle: Any = None

    def __init__(self, config: Any, server_state: Any, app_state: dict[str, Any], _loop: Any = None):
        super().__init__(config, server_state, {**app_state, "connection": self}, _loop)
        self.is_trusted = False  # a request has shown the key
        self.number = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        PageConnection.opened += 1
        self.number = PageConnection.opened
        self._watch = self.loop.call_later(SILENT_SECONDS, self._look)
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def _make_room(self) -> None:
        """Closes the oldest connection that has not shown the key, this one if need be: nobody can keep the page out."""
        ours = [connection for connection in self.connections if isinstance(connection, PageConnection)]
        oldest = min((connection for connection in ours if not connection.is_trusted), key=lambda stranger: stranger.number)
        self.connections.discard(oldest)  # at once: the next may come before it has ended
        oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        super().connection_lost(exc)

    def _look(self) -> None:
        """Closes the connection if no request has begun since the last look, and none is being answered."""
        cycle = self.cycle
        if cycle is self._last_cycle and (cycle is None or cycle.response_complete):
            self.transport.abort()
            return
        self._last_cycle = cycle
        self._watch = self.loop.call_later(SILENT_SECONDS, self._look)

"""The server's side of the engine processes: starting them, asking, stopping, and going on when one dies.

Each tab has a process of its own, started with its first search. There are only so many: a tab that has not used its for
longest gives it up to another. What is asked of a process is answered by a future; what it tells meanwhile goes to a callback.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from tesuji.core.errors import UserError

LONGEST_LINE = 64 << 20  # bytes of one answer: a certificate can be long
KILL_SECONDS = 2.0
MOST_ENGINES = 4
STAND_IN_SECONDS = 60.0
SEARCHES_KEPT = 4  # searches that a process may hold at a time: see engine_process.SharedSearch
MODULE = "tesuji.web.engine_process"


class EngineDied(UserError):
    """The process ended while something was asked of it."""


class EngineStopped(UserError):
    """What was asked ended because that was asked for."""


OnEvent = Callable[[dict[str, Any]], None]


class EngineRequest:
    """Something that is asked of an engine. `result` is its answer, or an exception."""

    def __init__(self, engine: EngineHandle, number: int, on_event: OnEvent | None):
        self.engine = engine
        self.number = number
        self.on_event = on_event
        self.result: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def stop(self) -> None:
        """Asks it to end with what it has."""
        self.engine.send({"do": "stop", "of": self.number})

    def forget(self) -> None:
        """Asks it to end; nobody waits for what it says."""
        self.on_event = None
        self.stop()


class EngineHandle:
    """One process."""

    def __init__(self, setup: dict[str, Any], is_pure: bool = False):
        self._setup = setup
        self._environment = {**os.environ, "TESUJI_PURE": "1"} if is_pure else None  # None: the server's own
        self._process: asyncio.subprocess.Process | None = None
        self._requests: dict[int, EngineRequest] = {}
        self._next = 0
        self._reader: asyncio.Task[None] | None = None
        self.on_event: OnEvent | None = None  # for what belongs to no request: the compiler is at work
        self.on_death: Callable[[], None] | None = None
        self.used = time.monotonic()
        self.is_closed = False

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            MODULE,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            start_new_session=True,  # Ctrl-C in the terminal is for the server alone
            env=self._environment,
        )
        self.send(self._setup)
        self._reader = asyncio.create_task(self._read(self._process))

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.returncode is None and not self.is_closed

    @property
    def is_busy(self) -> bool:
        return bool(self._requests)

    def send(self, message: dict[str, Any]) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError, RuntimeError):
                self._process.stdin.write(json.dumps(message, allow_nan=False).encode() + b"\n")

    def ask(self, what: str, on_event: OnEvent | None = None, **fields: Any) -> EngineRequest:
        self.used = time.monotonic()
        self._next += 1
        request = EngineRequest(self, self._next, on_event)
        self._requests[request.number] = request
        self.send({"id": request.number, "do": what, **fields})
        return request

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                self._take(json.loads(line))
        except (ValueError, asyncio.LimitOverrunError, ConnectionResetError):
            pass
        finally:
            self._kill()
            await process.wait()
            self._lost()

    def _kill(self) -> None:
        """Not by `process.kill`, which looks for the process's end first, and takes it away from those who wait for it."""
        process = self._process
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)

    def _take(self, message: dict[str, Any]) -> None:
        self.used = time.monotonic()
        request = self._requests.get(message.get("id", -1))
        event = message.get("event")
        if request is None:
            if "id" not in message and self.on_event is not None:
                self.on_event(message)
        elif event == "done":
            del self._requests[request.number]
            if not request.result.done():
                request.result.set_result(message)
        elif event == "failed":
            del self._requests[request.number]
            kind = EngineStopped if message.get("stopped") else UserError
            if not request.result.done():
                request.result.set_exception(kind(message.get("text", "the engine failed")))
                request.result.exception()  # somebody may have stopped waiting: no warning then
        elif request.on_event is not None:
            request.on_event(message)

    def _lost(self) -> None:
        waiting, self._requests = list(self._requests.values()), {}
        for request in waiting:
            if not request.result.done():
                request.result.set_exception(EngineDied("the engine has stopped unexpectedly; it is started again when needed"))
                request.result.exception()
        was_closed, self.is_closed = self.is_closed, True
        if not was_closed and self.on_death is not None:
            self.on_death()

    async def close(self) -> None:
        """Ends the process: at once, whatever it does."""
        self.is_closed = True
        self._kill()
        if self._reader is not None:
            with contextlib.suppress(asyncio.TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(self._reader, KILL_SECONDS)


class EnginePool:
    """The processes of all tabs, within limits of number and memory."""

    def __init__(
        self,
        own_game: str | None,
        own_player: str | None,
        memory: float,
        most: int = MOST_ENGINES,
        seed: int | None = None,
        programs: Sequence[str] = (),
    ):
        self.memory = memory  # MiB, of all searches together
        self.most = most
        self._own = {"game": own_game, "player": own_player, "seed": seed, "programs": list(programs)}
        self._engines: dict[str, EngineHandle] = {}
        self._spare: EngineHandle | None = None
        self._stand_in: EngineHandle | None = None
        self._lock = asyncio.Lock()

    @property
    def is_seeded(self) -> bool:
        """Whether the computer is to play the same in every game."""
        return self._own["seed"] is not None

    @property
    def search_memory(self) -> float:
        """MiB that one search may take."""
        return max(1.0, self.memory / (self.most * SEARCHES_KEPT))

    @property
    def pids(self) -> list[int]:
        return [engine.pid for engine in self._all() if engine.pid is not None and engine.is_alive]

    def _all(self) -> list[EngineHandle]:
        others = (self._spare, self._stand_in)
        return [*self._engines.values(), *(engine for engine in others if engine is not None)]

    async def _new(self, is_pure: bool = False) -> EngineHandle:
        engine = EngineHandle({**self._own, "memory": self.search_memory}, is_pure)
        await engine.start()
        return engine

    async def prepare(self, **fields: Any) -> None:
        """Starts a process before anybody needs it, and has it compile or load what the first move needs."""
        async with self._lock:
            self._forget_the_dead()
            if self._spare is None and len(self._engines) < self.most:
                self._spare = await self._new()
                self._spare.ask("prepare", **fields)

    async def get(self, tab: str) -> EngineHandle:
        """The process of a tab, started if need be."""
        async with self._lock:
            found = self._engines.get(tab)
            if found is not None and found.is_alive:
                return found
            self._forget_the_dead()
            if self._spare is not None:
                engine, self._spare = self._spare, None
                if not engine.is_alive:
                    engine = await self._new()
            else:
                if len(self._engines) >= self.most:
                    await self._give_up_one()
                engine = await self._new()
            self._engines[tab] = engine
            return engine

    async def stand_in(self) -> EngineHandle:
        """A process for all tabs that never compiles: it moves in pure Python while another one compiles."""
        async with self._lock:
            if self._stand_in is None or not self._stand_in.is_alive:
                self._stand_in = await self._new(is_pure=True)
            return self._stand_in

    async def close_idle(self) -> None:
        """Ends the process that moves in pure Python once nothing has been asked of it for a while."""
        engine = self._stand_in
        if engine is not None and not engine.is_busy and time.monotonic() - engine.used > STAND_IN_SECONDS:
            self._stand_in = None
            await engine.close()

    def has_room(self, tab: str) -> bool:
        """Whether a tab's process is there, or can be started without ending another's."""
        self._forget_the_dead()
        return tab in self._engines or self._spare is not None or len(self._engines) < self.most

    def _forget_the_dead(self) -> None:
        self._engines = {tab: engine for tab, engine in self._engines.items() if engine.is_alive}

    async def _give_up_one(self) -> None:
        idle = [(engine.used, tab) for tab, engine in self._engines.items() if not engine.is_busy]
        if not idle:
            raise UserError(f"{self.most} tabs are searching, the most at a time: stop one of them first")
        await self._engines.pop(min(idle)[1]).close()

    def known(self, tab: str) -> EngineHandle | None:
        engine = self._engines.get(tab)
        return engine if engine is not None and engine.is_alive else None

    async def drop(self, tab: str) -> None:
        engine = self._engines.pop(tab, None)
        if engine is not None:
            await engine.close()

    async def close(self) -> None:
        engines = self._all()
        self._engines, self._spare, self._stand_in = {}, None, None
        await asyncio.gather(*(engine.close() for engine in engines))


def usual_memory() -> float:
    """Half of the machine's memory, in MiB, but no more than 6 GiB."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 20)
    except (ValueError, OSError, AttributeError):
        total = 4096.0
    return min(total / 2, 6144.0)

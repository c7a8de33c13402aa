"""Time limits on users' Python code, by an alarm signal.

A user's file may loop for ever. In the main thread of a Unix process a timer can interrupt it; elsewhere (another thread,
Windows) there is no timer, and the code runs without a limit. Compiled code is not interrupted either: it never returns to the
interpreter, where signals are handled.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

TICK = 0.1  # seconds between checks of the clock


class TimeUp(BaseException):
    """Raised inside the code that took too long. Not an Exception, so that `except Exception` there does not swallow it."""


class Watchdog:
    """While entered, `call` stops functions that take too long. The timer ticks all the time, so that a call costs little."""

    def __init__(self) -> None:
        self._deadline = math.inf
        self._before: tuple[Any, tuple[float, float], float] | None = None

    def __enter__(self) -> Watchdog:
        if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
            handler = signal.signal(signal.SIGALRM, self._tick)
            self._before = handler, signal.setitimer(signal.ITIMER_REAL, TICK, TICK), time.monotonic()
        return self

    def __exit__(self, *_error: object) -> None:
        if self._before is None:
            return
        handler, (left, interval), began = self._before
        self._before = None
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, handler)
        if left > 0:  # somebody else's alarm: what remains of it
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 1e-3), interval)

    def call(self, seconds: float, function: Callable[..., Any], *arguments: Any) -> Any:
        """The function's result; TimeUp if it takes longer, raised again at every tick if the function goes on regardless."""
        self._deadline = time.monotonic() + seconds
        try:
            return function(*arguments)
        finally:
            self._deadline = math.inf

    def _tick(self, _number: int, _frame: Any) -> None:
        if time.monotonic() > self._deadline:
            raise TimeUp

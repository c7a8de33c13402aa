"""Time limits on other people's Python code, by an alarm signal.

A user's file may loop for ever. In the main thread of a Unix process a timer can interrupt it; elsewhere (another thread,
Windows) there is no such means and the code simply runs. Compiled code is not interrupted either: it never returns to the
interpreter, where signals are handled.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any


class TimeUp(BaseException):
    """Raised inside the code that took too long. Not an Exception, so that `except Exception` there does not swallow it."""


def can_interrupt() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeUp in the body after so many seconds, and again every second should the body go on regardless."""
    if not can_interrupt():
        yield
        return
    began = time.monotonic()
    active = True

    def interrupt(_number: int, _frame: Any) -> None:
        if active:
            raise TimeUp

    handler_before = signal.signal(signal.SIGALRM, interrupt)
    timer_before, interval_before = signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        try:
            yield
        finally:
            active = False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, handler_before)
        if timer_before > 0:  # somebody else's alarm: what is left of it
            left = max(timer_before - (time.monotonic() - began), 1e-3)
            signal.setitimer(signal.ITIMER_REAL, left, interval_before)

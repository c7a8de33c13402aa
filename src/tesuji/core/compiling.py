"""Compilation in a thread of its own, so that Ctrl-C ends the wait for it at any moment, and others can see how far it is.

The compiler cannot be stopped, and an exception in the midst of it would leave it broken; so it is never in the main thread,
which gets the signals. An interrupted caller is gone at once; the work goes on, and whoever asks for the same again waits
for it instead of beginning anew. A process that ends meanwhile does not wait.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Result = TypeVar("Result")

POLL_SECONDS = 0.05  # a signal may arrive in another thread; it does not end a wait in this one, only the next look does
STACK_BYTES = 64 << 20  # the compiler calls itself deeply, and on some systems threads have little room
TYPICAL = (100, 20.0)  # functions and seconds of a kernel that was never compiled here

exit_code: int | None = None  # with which the process is about to end, for `_end_process`
_workers: set[threading.Thread] = set()
_starting = threading.Lock()


@dataclass
class Compilation:
    """How far the compilation of one kernel is."""

    kernel: str
    expected: tuple[int, float]  # functions and seconds
    began: float
    functions: int = 0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    @property
    def seconds_left(self) -> float:
        """About so many; a tenth of the whole where it takes longer than expected."""
        return max(self.expected[1] - self.seconds, self.expected[1] / 10)


under_way: Compilation | None = None


def run(work: Callable[[], Result]) -> Result:
    """Does the work in a thread and waits for it, unless this is such a thread already."""
    if threading.current_thread() in _workers:
        return work()
    outcome: list[Any] = []
    ended = threading.Event()

    def do() -> None:
        try:
            outcome.extend((True, work()))
        except BaseException as error:
            outcome.extend((False, error))
        finally:
            _workers.discard(threading.current_thread())
            ended.set()

    _start(do)
    while not ended.wait(POLL_SECONDS):
        pass
    succeeded, value = outcome
    if succeeded:
        return value
    raise value


def in_background(work: Callable[[], object]) -> None:
    """Does the work while others go on. If it fails, it will fail again for whoever needs it, and is told then."""

    def do() -> None:
        try:
            work()
        except Exception:
            pass
        finally:
            _workers.discard(threading.current_thread())

    _start(do)


def _start(do: Callable[[], None]) -> None:
    thread = threading.Thread(target=do, name="tesuji compiler", daemon=True)
    with _starting:
        before = threading.stack_size(STACK_BYTES)
        try:
            _workers.add(thread)
            thread.start()
        finally:
            threading.stack_size(before)


def is_compiling() -> bool:
    return bool(_workers)


def _end_process() -> None:
    """At the end of the process: the interpreter must not be taken down while the compiler is still in it.

    After an exception that nobody caught, or where the code to end with is known, the process ends at once; else it waits.
    """
    if not _workers:
        return
    code = exit_code
    if code is None and hasattr(sys, "last_type"):
        code = 130 if sys.last_type is KeyboardInterrupt else 1
    if code is None:
        for thread in list(_workers):
            thread.join()
        return
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


atexit.register(_end_process)

"""A thread of its own for the compiler, so that Ctrl-C works at any moment and progress can be shown.

The compiler cannot be stopped, and an exception inside it would leave it in an inconsistent state; so it never runs in the main
thread, which receives the signals. An interrupted caller returns at once while the compilation goes on; a caller who needs the
same code waits for it instead of starting again. A process that is interrupted or fails does not wait for it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Result = TypeVar("Result")

POLL_SECONDS = 0.05  # how often a waiting thread wakes up to handle signals
STACK_BYTES = 64 << 20  # the compiler calls itself deeply, and on some systems threads have little room
TYPICAL = (100, 20.0)  # functions and seconds of a kernel that was never compiled here
GC_THRESHOLDS = (100_000, 50, 1_000)  # while a worker runs

exit_code: int | None = None  # of the process that is about to end, for `_end_process`
_workers: set[threading.Thread] = set()
_starting = threading.Lock()
_gc_thresholds = GC_THRESHOLDS  # before the first of the workers began


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
        """An estimate; a tenth of the expected time once that is over."""
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
            _end()
            ended.set()

    _start(do)
    while not ended.wait(POLL_SECONDS):
        pass
    succeeded, value = outcome
    if succeeded:
        return value
    raise value


def in_background(work: Callable[[], object]) -> None:
    """Does the work in the background. An error is ignored: it occurs again, and is reported, when the result is needed."""

    def do() -> None:
        try:
            work()
        except Exception:
            pass
        finally:
            _end()

    _start(do)


def _start(do: Callable[[], None]) -> None:
    """Starts a worker. Until it ends the garbage collector hardly looks at old objects: most of those that the compiler makes
    stay, and looking through all of them again and again took a sixth of its time.
    """
    global _gc_thresholds
    begun = threading.Event()

    def begin() -> None:
        begun.set()
        do()

    thread = threading.Thread(target=begin, name="tesuji compiler", daemon=True)
    with _starting:
        before = threading.stack_size(STACK_BYTES)
        if not _workers:
            _gc_thresholds = gc.get_threshold()
            gc.set_threshold(*GC_THRESHOLDS)
        _workers.add(thread)  # first, so that the thread knows itself for a worker
        try:
            thread.start()
        except BaseException:
            if not begun.wait(1.0):  # Ctrl-C may come while it starts: then it runs all the same
                _remove(thread)
            raise
        finally:
            threading.stack_size(before)


def _end() -> None:
    with _starting:
        _remove(threading.current_thread())


def _remove(thread: threading.Thread) -> None:
    _workers.discard(thread)
    if not _workers and gc.get_threshold() == GC_THRESHOLDS:  # unless the host program has chosen others meanwhile
        gc.set_threshold(*_gc_thresholds)


def _end_process() -> None:
    """At the end of the process: the interpreter must not shut down while the compiler is running.

    After an uncaught exception, or if the exit code is set, the process ends at once; otherwise it waits for the compiler.
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

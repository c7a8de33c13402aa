"""Ctrl-C (SIGINT) and `kill` (SIGTERM), from the first moment of a command to its last.

The first signal asks the search under way to stop, so that its answer so far can be shown; where there is no search it raises
KeyboardInterrupt (Terminated for SIGTERM). The second raises in any case, and the third ends the process on the spot. A command
that was cut short ends with exit code 130 (SIGINT) or 143 (SIGTERM), whatever it returns.

Only the command line does this: a library call leaves the signals of its caller alone. This module is loaded before anything
else, so it imports next to nothing.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from tesuji.core.errors import Terminated

SIGNALS = (signal.SIGINT, signal.SIGTERM)
RETRY_SECONDS = 0.02
SHOW_CURSOR = b"\x1b[?25h"

received = 0  # the signal that cut the command short; 0 = none
_presses = 0
_stops: list[Callable[[], None]] = []  # what a first signal calls instead of raising; the innermost is the last


def install() -> dict[int, Any]:
    """Handles the signals from now on; returns the handlers there were. Outside the main thread it does nothing."""
    global received, _presses
    received = _presses = 0
    before: dict[int, Any] = {}
    try:
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # started by nohup or in the background: it stays ignored
                before[number] = signal.signal(number, _handle)
    except ValueError:  # not the main thread
        return {}
    sys.unraisablehook = _unraisable
    return before


class handled:
    """A context in which the signals are handled; after it they are again as they were."""

    def __enter__(self) -> None:
        self._hook = sys.unraisablehook
        self._before = install()

    def __exit__(self, *_error: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        sys.unraisablehook = self._hook


class stopping:
    """A context in which the first signal calls `stop`, which must return at once, instead of raising KeyboardInterrupt."""

    def __init__(self, stop: Callable[[], None]):
        self._stop = stop

    def __enter__(self) -> None:
        _stops.append(self._stop)

    def __exit__(self, *_error: object) -> None:
        _stops.remove(self._stop)


def exit_code() -> int:
    """The exit code of a command that was cut short."""
    return 128 + (received or signal.SIGINT)


def stopped_early() -> int:
    """Says that there is nothing to show; returns the exit code."""
    print("tesuji: stopped before there was an answer", file=sys.stderr)
    return exit_code()


def answered() -> None:
    """Ctrl-C did its work and the command goes on: a player moved at once, say. After SIGTERM the command ends instead."""
    global received, _presses
    if received == signal.SIGTERM:
        raise Terminated
    received = _presses = 0


def leave(code: int) -> None:
    """The last call of a command whose exit code is certain: from here on signals are ignored.

    After an interrupt the process ends here. The interpreter itself would end by a signal, whatever the exit code, where
    KeyboardInterrupt has passed through code made from a string, as in namedtuple and dataclass.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if not received:
        return
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # nobody reads any more, or there is no stream
            stream.flush()
    os._exit(code)


def _handle(number: int, _frame: FrameType | None) -> None:
    global received, _presses
    received = received or number
    _presses += 1
    if _presses > 2:
        _end_at_once()
    if _presses == 1 and _stops:
        _stops[-1]()
        return
    raise Terminated if received == signal.SIGTERM else KeyboardInterrupt


def _end_at_once() -> None:
    with contextlib.suppress(OSError):
        if os.isatty(2):
            os.write(2, SHOW_CURSOR)  # a progress line may have hidden it
    os._exit(exit_code())


def _unraisable(lost: Any) -> None:
    """An exception that Python cannot pass on, as in a finalizer. An interrupt must not get lost there: it comes again."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    from threading import Timer

    number = received  # by then `install` may have begun anew

    def again() -> None:
        global _presses
        _presses = 0
        os.kill(os.getpid(), number)

    timer = Timer(RETRY_SECONDS, again)
    timer.daemon = True
    timer.start()

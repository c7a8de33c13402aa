"""Giving memory back to the system once the server has nothing to do.

Connections are in reference cycles, which Python looks for only after many new objects, and the C library keeps what was freed.
So a burst of requests would leave the process larger than it needs to be until the next one.
"""

from __future__ import annotations

import ctypes
import gc


def give_back() -> None:
    """Frees what nobody refers to, and returns free pages to the system, where the C library can (glibc)."""
    gc.collect()
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # musl and macOS have no such function, Windows no such library
        return
    trim(0)


class Tidier:
    """Calls `give_back` once after each stretch of work, as soon as nothing has happened between two looks."""

    def __init__(self) -> None:
        self._seen = 0
        self._is_due = False

    def look(self, happened: int) -> bool:
        """`happened` counts whatever costs memory. Returns whether memory was given back."""
        if happened != self._seen:
            self._seen, self._is_due = happened, True
            return False
        if not self._is_due:
            return False
        self._is_due = False
        give_back()
        return True

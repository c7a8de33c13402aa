"""The CPU time of another process, as Linux tells it under /proc; other systems are not asked."""

from __future__ import annotations

import os
from pathlib import Path

ATTEMPTS = 5  # at a tree of processes that changes while it is read
USER, SYSTEM, WAITED_USER, WAITED_SYSTEM = 11, 12, 13, 14  # fields of /proc/PID/stat after the name in parentheses


def cpu_seconds(pid: int, proc: str = "/proc") -> float | None:
    """Of a process and of all that it has started, those that have ended included; None where the system does not tell.

    It is counted in ticks, of which there are mostly 100 a second.
    """
    for _ in range(ATTEMPTS):
        try:
            return _ticks(Path(proc, str(pid))) / os.sysconf("SC_CLK_TCK")
        except (ProcessLookupError, FileNotFoundError):  # one has ended just now; or there is no such thing here
            continue
        except (OSError, ValueError, IndexError, AttributeError):
            return None
    return None


def _ticks(process: Path) -> int:
    """The process is read before its children: one that ends in between is missed, and no time is counted twice."""
    fields = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()
    found = sum(int(fields[n]) for n in (USER, SYSTEM, WAITED_USER, WAITED_SYSTEM))
    for thread in (process / "task").iterdir():
        for child in (thread / "children").read_text().split():
            found += _ticks(process.parent / child)
    return found

"""Hostile files and streams: every command runs in this process, in pure Python, in an empty folder of its own.

Whatever is read: one line, exit code 2, nothing run, nothing overwritten, and no more memory or time than a good file takes.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import samples

from tesuji.cli.main import main

MOST_MEMORY = 3 << 30  # bytes beyond what the process has: a file that is read without end would take it all
MOST_SECONDS = 60.0  # of this process's own time, for one test


class Answer(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The contents of one good file of every format, by name."""
    before = os.environ.get("TESUJI_PURE")
    os.environ["TESUJI_PURE"] = "1"
    try:
        with np.errstate(over="ignore"):
            return samples.write_all(tmp_path_factory.mktemp("good"))
    finally:
        if before is None:
            del os.environ["TESUJI_PURE"]


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """An empty folder, limits on memory and time, and afterwards a look for the mark that code would have left."""
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.delenv("TESUJI_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)
    with np.errstate(over="ignore"), limited():
        yield tmp_path
    assert not (tmp_path / samples.MARK).exists(), "code from a file was run"


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Runs out of memory, or ends by an error, instead of taking all that the machine has."""

    def too_long(_signal: int, _frame: object) -> None:
        raise BaseException("it goes on and on")  # nothing catches that

    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 1 << 20
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MOST_MEMORY, hard))
    before = signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.fixture
def tesuji(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Runs a command. Whatever it was given, it says one line and its exit code is 0, 1 or 2."""

    def run(*words: object) -> Answer:
        capsys.readouterr()
        code = main([str(word) for word in words])
        answer = Answer(code, *capsys.readouterr())
        assert "internal error" not in answer.err and "Traceback" not in answer.err, answer
        assert code in (0, 1, 2), answer
        if code == 2:
            lines = [line for line in answer.err.splitlines() if not line.startswith("tesuji: left out: ")]  # each bad game
            assert answer.out == "" and len(lines) == 1 and lines[0].startswith("tesuji: "), answer
        return answer

    return run

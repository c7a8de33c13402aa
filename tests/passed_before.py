"""Tests that need not run again on this machine: they passed with the very same sources, compiler and processor.

Only for tests whose result depends on nothing else, such as searches with fixed seeds, or how kernels are compiled. Where the
environment has CI, all run.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import numpy
import pytest

from tesuji.core import sources
from tesuji.core.numba import cache
from tesuji.core.numba.registration import is_pure

MARK = "once_for_its_sources"
REASON = "it passed here with the same sources, compiler and processor; CI=true, or pytest --cache-clear, runs it"
TESTS = Path(__file__).parent
HELPERS = ("signatures.json", "write_signatures.py", "checked_indices.py", "warm_process.py")


def files(test: Path) -> list[Path]:
    """All that determines how built-in players play, whatever its format, and the file of a test with what it may use."""
    playing = [file for folder in sources.PLAYING_FOLDERS for file in (sources.PACKAGE / folder).rglob("*")]
    playing += [sources.PACKAGE / "__init__.py", *(sources.PACKAGE / "lab").glob("*.py"), test]
    playing += [TESTS / name for name in HELPERS]
    return [file for file in playing if file.is_file() and "__pycache__" not in file.parts]


def stamp(of: Iterable[Path]) -> str:
    digest = hashlib.sha256(f"{cache._compiler()}\n{numpy.__version__}\n{is_pure()}".encode())
    for file in sorted(of):
        digest.update(f"{file.name}\n".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


class PassedBefore:
    """A plugin of pytest, which keeps in pytest's cache with which sources a test passed last."""

    def __init__(self, environment: Iterable[str] = os.environ):
        self.runs_all = "CI" in environment
        self.stamps: dict[Path, str] = {}  # of files of tests, once a test has asked for it

    def _key(self, item: pytest.Item) -> str:
        return f"{MARK}/{hashlib.sha256(item.nodeid.encode()).hexdigest()[:16]}"

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", f"{MARK}: skipped where it passed with the same sources, outside CI")

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        cache = getattr(item.config, "cache", None)  # there is none with -p no:cacheprovider
        if item.get_closest_marker(MARK) is not None and not self.runs_all and cache is not None:
            if item.path not in self.stamps:
                self.stamps[item.path] = stamp(files(item.path))
            if cache.get(self._key(item), "") == self.stamps[item.path]:
                pytest.skip(REASON)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]):
        report: pytest.TestReport = yield
        if item.path in self.stamps and call.when == "call" and report.passed and item.get_closest_marker(MARK) is not None:
            assert item.config.cache is not None
            item.config.cache.set(self._key(item), self.stamps[item.path])
        return report

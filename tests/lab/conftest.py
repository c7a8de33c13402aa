"""Whole matches by the command line, in pure Python, each in a folder of its own."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import warm_workers

from tesuji.cli.main import main
from tesuji.lab.match import pool

FAKE = Path(__file__).parent / "fake_engine.py"


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty working folder, and no compiler to wait for."""
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.delenv("TESUJI_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes that play start at once. Tests that start a match as a command have real ones."""
    monkeypatch.setattr(pool, "subprocess", warm_workers)


@pytest.fixture
def match(apart: Path, warm: None, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs `tesuji match ... --json`: the exit code, what it printed, and what it wrote on stderr."""

    def run(*words: str) -> tuple[int, dict[str, Any], str]:
        capsys.readouterr()
        code = main(["match", *words, "--json"])
        captured = capsys.readouterr()
        return code, json.loads(captured.out) if captured.out else {}, captured.err

    return run


@pytest.fixture
def fake() -> Any:
    """The player string of an engine for Connect Four on 4x4 that misbehaves as told."""

    def command(mode: str, *more: object) -> str:
        return "gtp:" + shlex.join([sys.executable, str(FAKE), mode, "4", "4", *map(str, more)])

    return command

"""The commands run in this process, in pure Python: no compiler to wait for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tesuji.cli.main import main


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        assert self.out.count("\n") == 1, "one JSON object on one line, and nothing else"
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The one line of an answer to wrong input."""
        assert (self.code, self.out, self.err.count("\n")) == (2, "", 1), self
        assert self.err.startswith("tesuji: ")
        return self.err[len("tesuji: ") : -1]


@pytest.fixture(autouse=True)
def pure_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.delenv("TESUJI_DEBUG", raising=False)


@pytest.fixture
def tesuji(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    def run(*words: str) -> Answer:
        capsys.readouterr()
        code = main(words)
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return run

"""Suites of GTP commands with the answers that are expected, in the form of GoGui's regression tests.

A command with a number before it is a test, if a line `#? [PATTERN]` follows, a regular expression that must match the whole
answer. `!` before the pattern means that it must not; `*` after the bracket marks a known failure. All other commands lead to
positions and must not fail; `#` begins a comment. A file that `loadsgf` names is looked for beside the suite.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tesuji.core.errors import UserError, shortened
from tesuji.core.files import FileKind, read_unpacked
from tesuji.core.game import Game
from tesuji.io.gtp.client import REFUSAL, EngineFailure, GtpEngine
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.server import Server
from tesuji.knowledge.registry import status_of
from tesuji.players.player import Player

SUITE = FileKind("a regression suite", (b"#",), 8 << 20)
PASSED, FAILED, KNOWN, PASSES_NOW, ERROR = "passed", "failed", "known failure", "passes now", "error"
BAD = (FAILED, ERROR)
ANSWER_SECONDS = 3600.0
_EXPECTED = re.compile(r"#\?\s*\[(!?)(.*)\](\*?)\s*")
_COMMAND = re.compile(r"(?:(\d{1,9})\s+)?(\S.*?)\s*(?:#.*)?")


@dataclass(frozen=True)
class Expected:
    pattern: re.Pattern[str]
    is_negative: bool
    is_known_failure: bool

    @property
    def text(self) -> str:
        return f"[{'!' if self.is_negative else ''}{self.pattern.pattern}]{'*' if self.is_known_failure else ''}"

    def verdict(self, answer: str) -> str:
        fits = (self.pattern.fullmatch(answer) is not None) != self.is_negative
        if self.is_known_failure:
            return PASSES_NOW if fits else KNOWN
        return PASSED if fits else FAILED


@dataclass(frozen=True)
class SuiteStep:
    """A command; a test, if an answer is expected."""

    line: int
    number: str
    command: str
    expected: Expected | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a test, or of a command that failed."""

    file: str
    line: int
    number: str
    command: str
    expected: str
    answer: str
    result: str

    def as_json(self) -> dict[str, Any]:
        return dict(self.__dict__)


def read_suite(path: str) -> list[SuiteStep]:
    """The steps of a file; a UserError names the line that cannot be read."""
    steps: list[SuiteStep] = []
    for line, text in enumerate(read_unpacked(path, SUITE).decode("utf-8", "replace").splitlines(), 1):
        text = text.strip()
        if text.startswith("#?"):
            found = _EXPECTED.fullmatch(text)
            if found is None:
                raise UserError(f"{path}, line {line}: {shortened(text, quoted=True)} is no expected answer, as in #? [E5|C3]*")
            if not steps or not steps[-1].number or steps[-1].expected is not None:
                raise UserError(
                    f"{path}, line {line}: an expected answer follows a command with a number, as in 10 reg_genmove b"
                )
            try:
                pattern = re.compile(found[2])
            except re.error as error:
                raise UserError(f"{path}, line {line}: {shortened(found[2], quoted=True)} is no pattern: {error}") from None
            last = steps.pop()
            steps.append(SuiteStep(last.line, last.number, last.command, Expected(pattern, bool(found[1]), bool(found[3]))))
        elif text and not text.startswith("#"):
            found = _COMMAND.fullmatch(text)
            assert found is not None, "any text that is not empty matches"
            steps.append(SuiteStep(line, found[1] or "", found[2]))
    if not any(step.expected for step in steps):
        raise UserError(f"{path} holds no test: a command with a number, and the answer that is expected below it, as #? [E5]")
    return steps


# -- who is asked ------------------------------------------------------------------------------------------------------
class OwnEngine:
    """Our engine in this process, as `tesuji gtp` runs it."""

    def __init__(self, game: Game, player: Player, seed: int):
        self._written: list[str] = []
        self._make = lambda: Server(Engine(game, player, seed, status_of(game)), self._written.append)
        self._server = self._make()
        self._folder = ""

    def begin(self, folder: str) -> None:
        self._server, self._folder = self._make(), folder

    def ask(self, command: str) -> tuple[bool, str]:
        """Whether it could be done, and the answer."""
        name, _, rest = command.partition(" ")
        if name == "loadsgf" and rest:
            command = f"{name} {os.path.join(self._folder, rest.strip())}"
        self._written.clear()
        self._server.handle(command)
        text = "".join(self._written).strip()
        return text.startswith("="), text[1:].strip()

    def close(self) -> None:
        pass


class ProgramEngine:
    """A GTP program, which runs in the folder of the suite."""

    def __init__(self, command: str):
        self._command = command
        self._engine: GtpEngine | None = None

    def begin(self, folder: str) -> None:
        self.close()
        self._engine = GtpEngine(self._command, folder or None)
        try:
            self._engine.start(ANSWER_SECONDS)
        except EngineFailure as failure:
            raise UserError(f"the GTP program {self._command!r}: {failure}") from None

    def ask(self, command: str) -> tuple[bool, str]:
        assert self._engine is not None, "no suite has begun"
        try:
            return True, self._engine.send(command, ANSWER_SECONDS)
        except EngineFailure as failure:
            if failure.kind != REFUSAL:
                raise UserError(f"the GTP program {self._command!r}: {failure}") from None
            return False, str(failure)

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()


def run_suites(
    paths: list[str], asked: OwnEngine | ProgramEngine, is_stopped: Callable[[], bool] = lambda: False
) -> Iterator[Outcome]:
    """What becomes of each test, and of commands that fail, as it becomes known. All files are read first."""
    suites = [(path, read_suite(path)) for path in paths]
    for path, steps in suites:
        asked.begin(str(Path(path).parent))
        for step in steps:
            done, answer = asked.ask(step.command)
            if is_stopped():
                return  # the answer may have been cut short
            if done and step.expected is None:
                continue
            result = step.expected.verdict(answer) if done and step.expected is not None else ERROR
            expected = "" if step.expected is None else step.expected.text
            yield Outcome(path, step.line, step.number, step.command, expected, answer, result)

"""The loop of a GTP engine: a line in, an answer out. Whatever goes wrong in a command is an answer, never an end."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import numpy as np

from tesuji.core.errors import Terminated, UserError
from tesuji.io.gtp import (
    analysis,
    commands_play,
    commands_position,
    commands_rules,
    gogui,
    hexgui,
    network,
)  # these register the commands
from tesuji.io.gtp.commands import find
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.lines import TOO_LONG, Lines
from tesuji.io.gtp.protocol import GtpError, Request, answer, body, parse

__all__ = ["Server", "analysis", "commands_play", "commands_position", "commands_rules", "gogui", "hexgui", "network", "serve"]

LONGEST_MESSAGE = 500


class Server:
    """Answers lines by `write`, which is called with whole answers, or with the lines of an answer that takes its time."""

    def __init__(self, engine: Engine, write: Callable[[str], None]):
        self.engine = engine
        self.write = write

    def handle(self, line: str) -> bool:
        """Answers one line. False = the engine was told to quit."""
        request = parse(line)
        if request is None:
            return True
        with np.errstate(over="ignore"):  # hashes wrap, on purpose
            self._respond(request)
        return request.command != "quit"

    def ponder(self) -> None:
        """Between two lines. Whatever goes wrong here, the next command that needs a search says so."""
        try:
            with np.errstate(over="ignore"):
                self.engine.ponder()
        except Terminated:
            raise
        except (Exception, KeyboardInterrupt):
            self.engine.drop_search()

    def _respond(self, request: Request) -> None:
        lines: Iterator[str] | None = None
        try:
            found = self._run(request)
            if isinstance(found, str):
                text, ok = found, True
            else:
                lines = found
                next(lines)  # it says that it has begun, or raises
                text, ok = "", True
        except UserError as error:
            text, ok = " ".join(str(error).split()) or "error", False
        except Terminated:
            raise
        except KeyboardInterrupt:  # in the midst of a command, but outside of the search, which has its own way
            self.engine.drop_search()
            text, ok = "interrupted", False
        except (RecursionError, MemoryError) as error:
            self.engine.drop_search()
            text, ok = f"not enough memory: {type(error).__name__}", False
        except Exception as error:
            self.engine.drop_search()
            text, ok = " ".join(f"internal error: {type(error).__name__}: {error}".split()), False
        if lines is None or not ok:
            self.write(answer(request.id, text if ok else text[:LONGEST_MESSAGE], ok))
        else:
            self._stream(request, lines)

    def _run(self, request: Request) -> str | Iterator[str]:
        if request.command == TOO_LONG:
            raise GtpError("the line is too long")
        command = find(self.engine, request.command)
        if command is None:
            raise GtpError("unknown command")
        return command(self.engine, request.words)

    def _stream(self, request: Request, lines: Iterator[str]) -> None:
        """An answer line by line. It cannot become an error any more: one is told in a line of its own, and ends it."""
        self.write(f"={request.id}\n")
        with contextlib.closing(lines):  # type: ignore[type-var]
            try:
                for line in lines:
                    self.write(body(line) + "\n")
            except (OSError, Terminated):
                raise
            except (Exception, KeyboardInterrupt) as error:
                self.engine.drop_search()
                message = " ".join(f"error: {error or type(error).__name__}".split())
                self.write(message[:LONGEST_MESSAGE] + "\n")
        self.write("\n")


def serve(engine: Engine, read: Callable[[int], bytes], write: Callable[[str], None]) -> None:
    """Answers until the input ends, `quit` comes, or nobody reads the answers any more."""
    server = Server(engine, write)
    lines = Lines(read)
    engine.has_input = lines.is_waiting
    engine.wait = lines.wait
    for line in lines:
        engine.is_interrupted = lambda number=line.number: lines.is_interrupted(number)
        try:
            if not server.handle(line.text):
                return
            server.ponder()
        except (BrokenPipeError, ConnectionError, ValueError):  # ValueError: the stream was closed
            return

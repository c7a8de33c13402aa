"""The register of commands. A command is a function of the engine and its arguments that returns the text of its answer.

One that answers line by line is a generator of lines. `needs` says for which games a command is there at all: the others
neither list nor know it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.moves import has_vertices
from tesuji.io.gtp.protocol import GtpError

Answer = str | Iterator[str]
ANY = 1 << 30


@dataclass(frozen=True)
class Command:
    name: str
    run: Callable[[Engine, list[str]], Any]
    usage: str
    least: int  # arguments
    most: int
    needs: Callable[[Engine], bool]

    def __call__(self, engine: Engine, words: list[str]) -> Answer:
        if not self.least <= len(words) <= self.most:
            raise GtpError(f"syntax error: {self.name} {self.usage}".rstrip())
        found = self.run(engine, words)
        return "" if found is None else found


COMMANDS: dict[str, Command] = {}


def always(_engine: Engine) -> bool:
    return True


def needs_board(engine: Engine) -> bool:
    return has_vertices(engine.game)


def needs_set_up(engine: Engine) -> bool:
    board = engine.game.board
    return has_vertices(engine.game) and board is not None and board.set_up is not None


def needs_handicap(engine: Engine) -> bool:
    board = engine.game.board
    return needs_set_up(engine) and board is not None and board.handicap is not None


def needs_status(engine: Engine) -> bool:
    return engine.status is not None and needs_set_up(engine)


def command(
    name: str, usage: str = "", needs: Callable[[Engine], bool] = always
) -> Callable[[Callable[[Engine, list[str]], Any]], Callable[[Engine, list[str]], Any]]:
    """Registers a command. The usage counts the arguments: [optional] ones in brackets, `...` for any number."""
    words = usage.split()
    optional = [word for word in words if word.startswith("[")]
    most = ANY if any(word.endswith("...") or word.endswith("...]") for word in words) else len(words)

    def register(function: Callable[[Engine, list[str]], Any]) -> Callable[[Engine, list[str]], Any]:
        COMMANDS[name] = Command(name, function, usage, len(words) - len(optional), most, needs)
        return function

    return register


def available(engine: Engine) -> list[str]:
    return sorted(name for name, found in COMMANDS.items() if found.needs(engine))


def find(engine: Engine, name: str) -> Command | None:
    found = COMMANDS.get(name)
    return found if found is not None and found.needs(engine) else None

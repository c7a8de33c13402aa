"""The register of commands, and those that every engine has: administrative ones, and parameters.

A command is a function of the engine and its arguments that returns the text of its answer. One that answers line
by line is a generator of lines. `needs` says for which games a command is there at all: the others neither list nor know it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import tesuji
from tesuji.core.parameters import Parameter
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.moves import has_vertices
from tesuji.io.gtp.protocol import GtpError
from tesuji.play.game import can_set_up

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
        if self.name.startswith("gogui-"):
            engine.for_gogui = True
        found = self.run(engine, words)
        return "" if found is None else found


COMMANDS: dict[str, Command] = {}


def always(_engine: Engine) -> bool:
    return True


def needs_board(engine: Engine) -> bool:
    return has_vertices(engine.game)


def needs_set_up(engine: Engine) -> bool:
    return has_vertices(engine.game) and can_set_up(engine.game)


def needs_handicap(engine: Engine) -> bool:
    board = engine.game.board
    return needs_set_up(engine) and board is not None and board.handicap is not None


def needs_hexgui(engine: Engine) -> bool:
    """Whether rows are numbered as HexGui does."""
    return has_vertices(engine.game) and engine.game.board is not None and engine.game.board.from_top


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


# -- administrative commands -------------------------------------------------------------------------------------------
@command("protocol_version")
def protocol_version(_engine: Engine, _words: list[str]) -> str:
    return "2"


@command("name")
def name(_engine: Engine, _words: list[str]) -> str:
    return "Tesuji"


@command("version")
def version(_engine: Engine, _words: list[str]) -> str:
    return tesuji.__version__


@command("known_command", "COMMAND")
def known_command(engine: Engine, words: list[str]) -> str:
    return "true" if find(engine, words[0]) is not None else "false"


@command("list_commands")
def list_commands(engine: Engine, _words: list[str]) -> str:
    return "\n".join(available(engine))


@command("quit", "[ANYTHING...]")
def quit_engine(_engine: Engine, _words: list[str]) -> str:
    return ""  # the server ends after this answer


@command("cputime")
@command("gomill-cpu_time")
def cputime(_engine: Engine, _words: list[str]) -> str:
    return f"{time.process_time():.3f}"


# -- parameters ----------------------------------------------------------------------------------------------------------
@command("tesuji-param", "[NAME] [VALUE]")
def tesuji_param(engine: Engine, words: list[str]) -> str:
    """All parameters, one, or a new value for one."""
    if len(words) == 2:
        engine.set_parameter(*words)
        return ""
    known = {parameter.name: (parameter, value) for parameter, value in engine.parameters()}
    if words:
        key = words[0].replace("-", "_")
        if key not in known:
            raise engine.unknown_parameter(words[0])
        parameter, value = known[key]
        return parameter.format(value)
    return "\n".join(f"{parameter.name} {parameter.format(value)}" for parameter, value in known.values())


@command("tesuji-params", "[NAME] [VALUE]")
def tesuji_params(engine: Engine, words: list[str]) -> str:
    """GoGui's parameter dialog: one line a parameter with its type, and the same command sets one."""
    return _dialog(engine, "tesuji-params", words)


@command("param_tesuji", "[NAME] [VALUE]", needs=needs_hexgui)
def param_tesuji(engine: Engine, words: list[str]) -> str:
    """The same for HexGui."""
    return _dialog(engine, "param_tesuji", words)


def _dialog(engine: Engine, name: str, words: list[str]) -> str:
    if len(words) == 1:
        raise GtpError(f"syntax error: {name} [NAME VALUE]")
    if words:
        engine.set_parameter(*words)
        return ""
    return "\n".join(_dialog_line(parameter, value) for parameter, value in engine.parameters())


def _dialog_line(parameter: Parameter, value: object) -> str:
    if isinstance(parameter.default, bool):
        return f"[bool] {parameter.name} {int(bool(value))}"
    kind = "/".join(["list", *parameter.choices]) if parameter.choices else "string"
    return f"[{kind}] {parameter.name} {parameter.format(value)}"  # type: ignore[arg-type]

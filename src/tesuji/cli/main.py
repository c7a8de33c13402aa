"""The command `tesuji`: parses, calls one command, and turns every way to fail into one line and an exit code.

Exit codes: 0 done; 1 the answer is no (a refused certificate, a faulty game, nothing proven); 2 wrong input; 3 an error of
Tesuji itself; 130 and 143 cut short by Ctrl-C or SIGTERM. docs/commands.md says what they mean for each command.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from tesuji import __version__
from tesuji.cli import (
    analyze,
    bench,
    check,
    cluster,
    completion,
    doctor,
    games,
    gtp,
    interrupts,
    learn,
    match,
    new,
    play,
    players,
    ratings,
    report,
    reproduce,
    solve,
    test,
    tune,
    verify,
    warmup,
)
from tesuji.cli.output import note, one_line, only_json
from tesuji.core.errors import UserError, did_you_mean
from tesuji.core.numba import worker

COMMANDS = (
    *(play, analyze, solve, verify, new, check, report, gtp, match, ratings, tune, learn, test),
    *(bench, reproduce, games, players, cluster, doctor, warmup, completion),
)
DEBUG = "TESUJI_DEBUG"
NO_THREAD = "can't start new thread"  # the words of Python's RuntimeError


class Parser(argparse.ArgumentParser):
    """argparse with errors as UserErrors, no abbreviations, and no option given twice."""

    words: Sequence[str] | None = None  # what it will be given, as far as that is known

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **{"allow_abbrev": False, **options})
        self.register("action", None, StoreOnce)
        self.register("action", "store", StoreOnce)

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message} (see {self.prog} --help)")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:  # type: ignore[override]
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            option = unknown[0].partition("=")[0]
            hint = did_you_mean(option, self.option_names(found.command)) if option.startswith("--") else ""
            help_of = f"{self.prog} {found.command}" if found.command else self.prog
            raise UserError(f"unrecognized arguments: {' '.join(unknown)}{hint} (see {help_of} --help)")
        return found

    def option_names(self, command: str | None) -> list[str]:
        """The options of a command."""
        return [option for parser in self._of(command) for option in parser._option_string_actions]

    def takes(self, command: str, argument: str) -> bool:
        """Whether a command has an argument of that name, which is no option."""
        actions = [action for parser in self._of(command) for action in parser._actions]
        return any(action.dest == argument and not action.option_strings for action in actions)

    def _of(self, command: str | None) -> list[argparse.ArgumentParser]:
        chosen = [action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction)]
        return [parser for choices in chosen for name, parser in choices.items() if name == command]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            hint = did_you_mean(str(value), map(str, action.choices or ()))
            error.message = error.message.replace(" (choose", f"{hint} (choose", 1)
            raise


class StoreOnce(argparse._StoreAction):
    """Stores an option's value; a second, different one contradicts the first and is an error."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        given = namespace.__dict__.setdefault("_given", {})
        if option_string and given.setdefault(self.dest, values) != values:
            parser.error(f"{option_string} is given twice: {given[self.dest]} and {values}")
        setattr(namespace, self.dest, values)


def build_parser(argv: Sequence[str]) -> Parser:
    """All commands, but a parser only for the one that is called: to know every parameter takes NumPy, to list commands not."""
    called = next((word for word in argv if not word.startswith("-")), None)
    about = "One Monte-Carlo tree search that plays, proves and explains."
    parser = Parser(prog="tesuji", description=about, formatter_class=_Formatter)
    parser.add_argument("--version", action="version", version=f"tesuji {__version__}")
    made_by: Any = _parser_if  # any callable will do, though declared to be a class
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", parser_class=made_by)
    for module in COMMANDS:
        name = module.__name__.rpartition(".")[2]
        command = commands.add_parser(name, help=module.SUMMARY, called=name == called, description=module.__doc__)
        if command is not None:
            command.words = argv
            module.add_options(command)
            command.set_defaults(run=module.run)
    return parser


def _parser_if(called: bool, **options: Any) -> Parser | None:
    """What parses the options of a command; nothing for one that is only listed, since to make all of them takes longer."""
    return Parser(**options, formatter_class=_Formatter) if called else None


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str):
        super().__init__(prog, max_help_position=30)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code. Never raises, except for what only the interpreter can handle."""
    with interrupts.handled():
        try:
            code = _run(argv)
        except KeyboardInterrupt:
            code = interrupts.stopped_early()
        if interrupts.received:  # also where a command has shown what it had until then
            code = interrupts.exit_code()
    worker.exit_code = code
    return code


def _run(argv: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with contextlib.suppress(ValueError, OSError):
                reconfigure(errors="replace")  # a drawing that the terminal cannot show is no reason to stop
    args = argparse.Namespace(game=None)
    try:
        argv = sys.argv[1:] if argv is None else argv
        parser = build_parser(argv)
        parser.parse_args(argv, args)
        if args.command is None:
            parser.print_help()
            return 0
        with only_json(args.json):
            code = args.run(args)
        sys.stdout.flush()
        return code
    except SystemExit as stop:  # --help and --version
        return stop.code if isinstance(stop.code, int) else 0
    except BrokenPipeError:
        return _quiet_end()
    except Exception as error:
        if interrupts.received:  # an interrupted import or rule may fail in ways of its own
            return interrupts.stopped_early()
        return _failure(error, args)


def _failure(error: Exception, args: argparse.Namespace) -> int:
    """Says in one line what went wrong, and whose fault it is: 2 for the user's input, 3 for ours."""
    if os.environ.get(DEBUG) == "1":
        import traceback

        traceback.print_exception(error)
    if isinstance(error, UserError):
        note(error)
        return 2
    if isinstance(error, OSError) and error.strerror:
        note(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
        return 2
    if isinstance(error, MemoryError) or str(error) == NO_THREAD:  # a thread needs memory of its own
        note("not enough memory; --memory sets the size of the search's tree in MiB")
        return 2
    fault = _fault_of_user(error, args)
    if fault:
        note(fault)
        return 2
    note(
        f"internal error: {type(error).__name__}: {one_line(error)[:300]}. To report it, run the command again with {DEBUG}=1 "
        "and attach what it prints, the command itself with its files, and the output of 'tesuji doctor'"
    )
    return 3


def _fault_of_user(error: Exception, args: argparse.Namespace) -> str:
    """If the user's own game or player raised the error, or cannot be compiled: the line that says where."""
    from tesuji.core.dispatch import user_source_files
    from tesuji.core.sources import shown_path

    users = user_source_files()
    where = ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in users:
            where = f"{shown_path(code.co_filename)}, line {trace.tb_lineno}, in {code.co_name}"
        trace = trace.tb_next
    game = str(args.game or "")
    hint = f" ('tesuji check {game}' looks for more)" if ".py" in game else ""
    if where:
        return f"{where}: {type(error).__name__}: {one_line(error)[:300]}{hint}"
    if users and type(error).__module__.startswith("numba"):
        files = ", ".join(sorted(map(shown_path, users)))
        return f"{files} cannot be compiled: {one_line(error)[:400]} (TESUJI_PURE=1 runs it without the compiler)"
    return ""


def _quiet_end() -> int:
    """Whoever read our output has gone: end as a program killed by SIGPIPE does, without a word at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 128 + 13

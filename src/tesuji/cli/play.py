"""Play, analyse and prove in the browser, or with --terminal in the terminal (type help there).

The page is served on this machine alone: docs/web.md says more, and docs/play.md on the terminal. Where standard input is a
file or a pipe, one move or command is read from each line, as with --terminal.

JSON, when the game in the terminal is left: game, moves, over, outcome (for the first player, in points; null if someone
resigned), result, level, side, seed, interrupted; all that is said before goes to stderr then.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import stat
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tesuji.cli import interrupts, options, output
from tesuji.core.errors import UserError, shortened
from tesuji.core.limits import Limits

if TYPE_CHECKING:
    from tesuji.cli.terminal import TerminalGame
    from tesuji.core.game import Game

SUMMARY = "play against the computer, in the browser"
LEVELS = 10
FIRST_GAME = "connect4:7x6"  # of the page, if none is named


def add_options(parser: argparse.ArgumentParser) -> None:
    options.add_position(parser, optional_game=True)
    parser.add_argument(
        "--sgf", metavar="FILE", help="continue a game from an SGF file; its game is the file's unless GAME is given"
    )
    parser.add_argument("--komi", metavar="K", help="points that White is given, in Go (7.5)")
    parser.add_argument("--handicap", type=options.count, default=0, metavar="N", help="handicap stones for Black, in Go")
    parser.add_argument("--terminal", action="store_true", help="play in the terminal, not in the browser")
    group = parser.add_argument_group("the page")
    group.add_argument("--port", type=_port, metavar="N", help="the port of the server (the first free one from 8600 on)")
    group.add_argument("--host", metavar="H", help="listen at this address, so that other machines can reach it (127.0.0.1)")
    group.add_argument("--no-browser", action="store_true", help="print the address instead of opening a browser")
    group.add_argument("--clock", metavar="CLOCK", help="of both players, in seconds: 300+2, 600+3x30, 600+300/10")
    group.add_argument("--engine", action="append", metavar="gtp:COMMAND", help="offer a GTP program; can be given again")
    parser.add_argument("--level", type=_level, default=LEVELS, metavar="N", help="1 beginner .. 10 full strength (10)")
    sides = ("first", "second", "both", "none")
    parser.add_argument("--side", choices=sides, default="first", help="the side that you play (first)")
    parser.add_argument("--suggest", action="store_true", help="show suggested moves before each of yours")
    options.add_common(parser)
    options.add_player(parser)


def _level(text: str) -> int:
    if text in map(str, range(1, LEVELS + 1)):
        return int(text)
    raise argparse.ArgumentTypeError(f"{shortened(text, quoted=True)} is not a level: 1 (beginner) to {LEVELS} (full strength)")


def _port(text: str) -> int:
    if text.isdecimal() and 1 <= int(text[:6]) <= 65535:
        return int(text)
    raise argparse.ArgumentTypeError(f"{shortened(text, quoted=True)} is not a port: a number from 1 to 65535")


def run(args: argparse.Namespace) -> int:
    if uses_page(args):
        from tesuji.cli.page import run_page

        return run_page(args, _game(args, FIRST_GAME))
    return run_terminal(args)


def uses_page(args: argparse.Namespace) -> bool:
    """Whether to play on the page: not with --terminal, lines on standard input, or a package missing that the page needs."""
    of_page = [name for name in ("port", "host", "no_browser", "clock", "engine") if getattr(args, name)]
    if args.terminal or args.json:
        if of_page:
            named = "--terminal" if args.terminal else "--json"
            raise UserError(f"--{of_page[0].replace('_', '-')} is for the page, and {named} for the terminal: leave one out")
        return False
    if not of_page and has_lines(sys.stdin):
        return False
    if not of_page and "network" in options.given_parameters(args):
        output.note("the page cannot use a network from a file yet; this is the game in the terminal")
        return False
    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing and of_page:
        raise UserError(f"the page needs {' and '.join(missing)}: pip install starlette uvicorn, or play with --terminal")
    if missing:
        output.note(f"the page needs {' and '.join(missing)} (pip install starlette uvicorn); this is the game in the terminal")
    return not missing


def has_lines(stream: Any) -> bool:
    """Whether standard input is a file or a pipe, or something in its place; no terminal, and not nothing (/dev/null)."""
    try:
        kind = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return stream is not None
    return not stat.S_ISCHR(kind)


def run_terminal(args: argparse.Namespace) -> int:
    game = _game(args)
    player, limits = options.read_player(args, game, "play")
    from tesuji.cli.searching import run_search
    from tesuji.cli.terminal import DEFAULT_LIMITS, TerminalGame

    seed = int.from_bytes(os.urandom(4), "big") if args.seed is None else args.seed
    session = TerminalGame(
        game,
        player,
        DEFAULT_LIMITS if limits == Limits() else limits,
        args.level,
        args.side,
        seed,
        options.split_moves(game, args.moves or ""),
        say=lambda text: print(text, flush=True),
        think=run_search,
        handicap=args.handicap,
    )
    if args.sgf is not None:
        session.load(args.sgf)
    session.suggests = args.suggest
    interrupted = False
    try:
        converse(session, line_reader(), asks=output.is_terminal(sys.stdin))
        interrupted = interrupts.received > 0  # the computer played alone, and was stopped
    except KeyboardInterrupt:
        interrupted = True
        print()
    if args.json:
        output.print_json(_json(session, args.side, interrupted))
    return interrupts.exit_code() if interrupted else 0


def _game(args: argparse.Namespace, default: str | None = None) -> Game:
    """The game that is named, or that of the record, or the default; with the komi of --komi."""
    if args.sgf is not None:
        clash = [f"--{name}" for name in ("moves", "komi", "handicap") if getattr(args, name)]
        if clash:
            raise UserError(f"{', '.join(clash)} cannot go with --sgf: the file says where the game begins")
    if args.game is not None:
        game = options.read_game(args.game)
    elif args.sgf is not None:
        from tesuji.io.sgf import load_sgf, read_record

        trees = load_sgf(args.sgf)
        if not trees:
            raise UserError(f"{args.sgf}: there is no game in it")
        game = read_record(trees[0], args.sgf, moves=0).game
    elif default is not None:
        game = options.read_game(default)
    else:
        raise UserError("which game? name one, as in 'tesuji play go:9', or give --sgf FILE")
    if args.komi is None:
        return game
    from tesuji.play.game import with_komi

    return with_komi(game, args.komi)


def converse(session: TerminalGame, read: Callable[[str], str | None], asks: bool = False) -> None:
    """Goes on until the person leaves, the lines end, or a game in which no person plays is over.

    Ctrl-C leaves too, as a KeyboardInterrupt; where a person is there to answer, not without asking (`asks`).
    """
    watched = any(session.people)
    if watched:
        title, level = session.played.game.title or session.played.game.name, session.level
        session.say(f"{title}: {_sides(session)}. {_opponent(session)}Level {level}. Type help for help.")
    session.show()
    if session.played.turn == "person" and not all(session.people) and output.is_terminal(sys.stdin):
        session.prepare_in_background()
    while True:
        turn = session.played.turn
        if turn == "computer":
            session.computer_move()
            session.show()
            if session.interrupted and not watched:
                return
            continue
        if not watched:
            return
        if session.suggests and turn == "person":
            session.answer("hint")
        interrupts.answered()  # Ctrl-C while the computer thought made it move at once
        try:
            line = read(session.prompt())
        except KeyboardInterrupt:
            if asks and session.is_unsaved and not _may_leave(session, read):
                interrupts.answered()
                continue
            raise
        if line is None and session.played.turn == "scoring":
            session.answer("agree")  # nobody is left to object
        if line is None or not session.answer(line):
            return


def _may_leave(session: TerminalGame, read: Callable[[str], str | None]) -> bool:
    """Asks whether a game that is not saved may be left. A second Ctrl-C, or the end of input, is a yes."""
    session.say("")
    while session.is_unsaved:
        try:
            line = read("The game is not saved. Leave it? (yes, no, or save FILE)> ")
        except KeyboardInterrupt:
            return True
        words = (line or "yes").split()
        if words[:1] in (["save"], ["save!"]):
            session.answer(line or "")
        elif words and words[0].lower() in ("y", "yes"):
            return True
        elif words and words[0].lower() in ("n", "no"):
            return False
    return True


def _sides(session: TerminalGame) -> str:
    names = [name for name, plays in zip(session.played.game.player_names, session.people, strict=True) if plays]
    return "one player" if session.played.game.players == 1 else f"you play {' and '.join(names)}"


def _opponent(session: TerminalGame) -> str:
    """Who the computer is; nobody, where people play alone."""
    return "" if all(session.people[: session.played.game.players]) else f"The computer is {session.opponent.playing.name}. "


def line_reader() -> Callable[[str], str | None]:
    """Reads lines of standard input, after a prompt if a person is there to see it; None at the end of input."""
    interactive = output.is_terminal(sys.stdin)
    if interactive:
        with contextlib.suppress(ImportError):
            import_module("readline")  # line editing and history for input

    def read(prompt: str) -> str | None:
        try:
            return input(prompt) if interactive else sys.stdin.readline() or None
        except EOFError:
            print()
            return None
        except UnicodeDecodeError:
            raise UserError("standard input is not text") from None

    return read


def _json(session: TerminalGame, side: str, interrupted: bool) -> dict:
    over = session.played.is_over
    return {
        "game": session.played.game.name,
        "moves": session.played.move_texts(),
        "over": over,
        "outcome": session.outcome,
        "result": session.end_text if over else None,
        "level": session.level,
        "side": side,
        "seed": session.seed,
        "interrupted": interrupted,
    }

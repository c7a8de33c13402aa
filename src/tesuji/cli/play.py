"""Play against the computer in the terminal. Type help there for what can be typed; docs/play.md says more.

Where standard input is no terminal, one move or command is read from each line, to the end of input. JSON, when the
game is left: game, moves, over, outcome (for the first player, in points; null if someone resigned), result, level, side,
seed, interrupted; all that is said before goes to stderr then.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from tesuji.cli import interrupts, options, output
from tesuji.core.errors import UserError, shortened
from tesuji.core.limits import Limits

if TYPE_CHECKING:
    from tesuji.cli.session import Session
    from tesuji.core.game import Game

SUMMARY = "play against the computer"
LEVELS = 10


def add_options(parser: argparse.ArgumentParser) -> None:
    options.add_position(parser, optional_game=True)
    parser.add_argument(
        "--sgf", metavar="FILE", help="go on with a game from an SGF file; its game is the file's unless GAME is given"
    )
    parser.add_argument("--komi", metavar="K", help="points that White is given, in Go (7.5)")
    parser.add_argument("--handicap", type=options.count, default=0, metavar="N", help="handicap stones for Black, in Go")
    parser.add_argument("--terminal", action="store_true", help="play in the terminal")
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


def run(args: argparse.Namespace) -> int:
    game = _game(args)
    player, limits = options.read_player(args, game, "play")
    from tesuji.cli.searching import run_search
    from tesuji.cli.session import DEFAULT_LIMITS, Session

    seed = int.from_bytes(os.urandom(4), "big") if args.seed is None else args.seed
    session = Session(
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


def _game(args: argparse.Namespace) -> Game:
    """The game that is named, or that of the record; with the komi that is asked for."""
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
    else:
        raise UserError("which game? name one, as in 'tesuji play go:9', or give --sgf FILE")
    if args.komi is None:
        return game
    from tesuji.cli.session import with_komi

    return with_komi(game, args.komi)


def converse(session: Session, read: Callable[[str], str | None], asks: bool = False) -> None:
    """Goes on until the person leaves, the lines end, or a game in which no person plays is over.

    Ctrl-C leaves too, as a KeyboardInterrupt; where a person is there to answer, not without asking (`asks`).
    """
    watched = any(session.people)
    if watched:
        title, level = session.game.title or session.game.name, session.level
        session.say(f"{title}: {_sides(session)}. {_opponent(session)}Level {level}. Type help for help.")
    session.show()
    if session.turn == "person" and not all(session.people) and output.is_terminal(sys.stdin):
        session.prepare_in_background()
    while True:
        turn = session.turn
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
        if line is None and session.turn == "agree":
            session.answer("agree")  # nobody is left to object
        if line is None or not session.answer(line):
            return


def _may_leave(session: Session, read: Callable[[str], str | None]) -> bool:
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


def _sides(session: Session) -> str:
    names = [name for name, plays in zip(session.game.player_names, session.people, strict=True) if plays]
    return "one player" if session.game.players == 1 else f"you play {' and '.join(names)}"


def _opponent(session: Session) -> str:
    """Who the computer is; nobody, where people play alone."""
    return "" if all(session.people[: session.game.players]) else f"The computer is {session.opponent.name}. "


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


def _json(session: Session, side: str, interrupted: bool) -> dict:
    over = session.is_over
    return {
        "game": session.game.name,
        "moves": session.move_texts(),
        "over": over,
        "outcome": session.outcome,
        "result": session.end_text if over else None,
        "level": session.level,
        "side": side,
        "seed": session.seed,
        "interrupted": interrupted,
    }

"""`tesuji play` in the browser: passes the options of the command line to the server."""

from __future__ import annotations

import argparse
import signal
from typing import TYPE_CHECKING, Any

from tesuji.cli import interrupts, options
from tesuji.core.errors import UserError

if TYPE_CHECKING:
    from tesuji.core.game import Game

PEOPLE = {"first": (True, False), "second": (False, True), "both": (True, True), "none": (False, False)}


def run_page(args: argparse.Namespace, game: Game) -> int:
    """Serves the page until Ctrl-C, which is the usual way to end it."""
    opening = make_opening(args, game)
    from tesuji.web.server import LOCAL, serve

    serve(
        opening,
        args.host or LOCAL,
        args.port,
        not args.no_browser,
        say=lambda text: print(text, flush=True),
        stopping=interrupts.stopping,
    )
    if interrupts.received == signal.SIGTERM:
        return interrupts.exit_code()
    interrupts.answered()
    return 0


def programs(given: list[str], game: Game) -> tuple[str, ...]:
    """The GTP programs of --engine; a UserError if one cannot be found. None is started before it is used."""
    from tesuji.io.gtp.client import check_program
    from tesuji.play.side import PROGRAM

    for text in given:
        if not text.startswith(PROGRAM):
            raise UserError(f"--engine names a GTP program, as in --engine '{PROGRAM}gnugo --mode gtp'")
        check_program(text.removeprefix(PROGRAM))
    if given and game.players == 1:
        raise UserError(f"{game.name} is a puzzle for one: no GTP program plays it")
    return tuple(dict.fromkeys(given))


def make_opening(args: argparse.Namespace, game: Game) -> Any:
    """The game, where it begins, and who plays it."""
    from tesuji.core.user_files import is_path
    from tesuji.play.clock import parse_clock
    from tesuji.play.game import handicap_start
    from tesuji.play.side import PERSON, PlayerChoice, Side
    from tesuji.players.presets import split_player
    from tesuji.web.hub import Opening

    player, limits = options.read_player(args, game, "play")
    files = player.settings_for(game).named_files()
    if files:
        raise UserError(f"the page cannot use {files[0]} from a file yet: play with --terminal")
    named = split_player(args.player)[0] if args.player else None
    own = named if named is not None and is_path(named) else None
    choice = PlayerChoice(player.name if named is None and player.changes else named, dict(player.changes))
    if limits.cpu is not None:
        raise UserError("the page limits a move by seconds or playouts: play with --terminal, or leave the CPU time out")
    first, second = (PERSON if is_person else Side(args.level, choice, limits) for is_person in PEOPLE[args.side])
    opening = Opening(game, None, own, options.split_moves(game, args.moves or ""), sides=(first, second))
    opening.seed, opening.suggests = args.seed, args.suggest
    opening.programs = programs(args.engine or [], game)
    opening.clock = None if args.clock is None else parse_clock(args.clock)
    if args.handicap:
        opening.start = handicap_start(game, args.handicap)
    (opening.start or game.start).play(*opening.moves)  # an illegal one is told here, not on the page
    if args.sgf is not None:
        from tesuji.io.sgf.played import open_tree, read_game_file

        opening.sgf = read_game_file(args.sgf), args.sgf
        open_tree(*opening.sgf, ours=game)
    return opening

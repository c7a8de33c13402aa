"""A GTP 2 engine on stdin and stdout, for Go programs such as GoGui, Sabaki and Lizzie, and for matches.

Every game can be played; list_commands lists the commands of a game. Nothing but GTP is written to stdout. The first search
compiles its code, once, which takes a while: 'tesuji warmup GAME' does it in advance. See docs/gtp.md.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from dataclasses import replace
from typing import Any

from tesuji.cli import interrupts, options

SUMMARY = "a GTP engine for board programs and matches"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help=options.GAME_HELP)
    parser.add_argument("--seed", type=options.seed_number, metavar="N", help="random seed (default: a new one at each start)")
    parser.add_argument(
        "--ponder",
        type=options.seconds_number,
        default=0.0,
        metavar="S",
        help="go on thinking while the opponent thinks, up to S seconds",
    )
    parser.set_defaults(json=False)
    options.add_player(parser)


def run(args: argparse.Namespace) -> int:
    out = sys.stdout
    if sys.stdin is None or out is None:  # closed by whoever started us: nobody is there to talk to
        return 0
    with contextlib.redirect_stdout(sys.stderr):  # what a user's own game prints is no GTP
        _serve(args, out)
    _let_go(out)
    return 0


def _serve(args: argparse.Namespace, out: Any) -> None:
    game = options.read_game(args.game)
    from tesuji.io.gtp.engine import Engine
    from tesuji.io.gtp.server import serve
    from tesuji.knowledge.registry import status_of

    player, limits = options.read_player(args, game, "play")
    player = replace(player, limits=limits)
    engine = Engine(game, player, args.seed, status_of(game))
    engine.stopping = interrupts.stopping
    engine.settings = engine.settings.changed_by({"ponder": str(args.ponder)})
    source = sys.stdin.fileno()

    def write(text: str) -> None:
        out.write(text)
        out.flush()
        interrupts.answered()

    serve(engine, lambda count: os.read(source, count), write)


def _let_go(out: Any) -> None:
    """Nobody may be there to read what is left: then it goes nowhere, instead of failing when the program ends."""
    try:
        out.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())

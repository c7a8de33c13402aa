"""Run suites of GTP commands with expected answers: regression tests of a player, in GoGui's form.

    loadsgf games/ladder.sgf 45
    10 reg_genmove b
    #? [F3|H3]*

A command with a number is a test: the pattern must match its whole answer. [!F3] must not match; * marks a known failure.
Exit code 1: a test failed that is no known failure, or a command did. JSON: tests (file, line, number, command, expected,
answer, result), passed, failed, known_failures, passes_now, errors.
"""

from __future__ import annotations

import argparse
from collections import Counter

from tesuji.cli import interrupts, options, output
from tesuji.core.words import counted

SUMMARY = "run suites of positions with expected moves"
GAME = "go:19"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="suites: GTP commands, and #? [PATTERN] below those with a number"
    )
    parser.add_argument("--game", default=GAME, metavar="GAME", help=f"{options.GAME_HELP} ({GAME}; records bring their size)")
    parser.add_argument(
        "--program", metavar="gtp:COMMAND", help="ask a GTP program, as in 'gtp:gnugo --mode gtp', not a player"
    )
    options.add_common(parser)
    options.add_player(parser)


def run(args: argparse.Namespace) -> int:
    from tesuji.lab.regression import BAD, ERROR, FAILED, KNOWN, PASSED, PASSES_NOW, run_suites

    asked = _asked(args)
    found = []
    try:
        for one in run_suites(args.files, asked, lambda: interrupts.received > 0):
            found.append(one)
            if one.result != PASSED and not args.json:
                expected = f", expected {one.expected}" if one.expected else ""
                print(
                    output.one_line(f"{one.file}:{one.line}: {one.result}: {one.command}: {one.answer}{expected}"), flush=True
                )
    finally:
        asked.close()
    counts = Counter(one.result for one in found)
    keys = {"passed": PASSED, "failed": FAILED, "known_failures": KNOWN, "passes_now": PASSES_NOW, "errors": ERROR}
    if args.json:
        output.print_json({"tests": [one.as_json() for one in found], **{key: counts[name] for key, name in keys.items()}})
    else:
        others = [f"{counts[name]} {name}" for name in (FAILED, KNOWN, PASSES_NOW, ERROR) if counts[name]]
        print(", ".join([f"{counted(len(found), 'test')}: {counts[PASSED]} passed", *others]))
    if interrupts.received:
        return interrupts.exit_code()
    return 1 if any(counts[name] for name in BAD) else 0


def _asked(args: argparse.Namespace):
    from dataclasses import replace

    from tesuji.core.errors import UserError
    from tesuji.lab.regression import OwnEngine, ProgramEngine
    from tesuji.play.side import PROGRAM

    if args.program is not None:
        from tesuji.io.gtp.client import check_program

        if args.player or not args.program.startswith(PROGRAM):
            raise UserError(f"give either --player or --program, which is a GTP program, as in '{PROGRAM}gnugo --mode gtp'")
        check_program(args.program.removeprefix(PROGRAM))
        return ProgramEngine(args.program.removeprefix(PROGRAM).strip())
    game = options.read_game(args.game)
    player, limits = options.read_player(args, game, "play")
    return OwnEngine(game, replace(player, limits=limits), args.seed or 0)

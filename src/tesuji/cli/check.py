"""Play random games and report mistakes in the rules of a game.

Exit code 0: nothing found. 1: mistakes found. JSON: game, ok, findings, games, notes, seed.
"""

from __future__ import annotations

import argparse

from tesuji.cli import options, output

SUMMARY = "look for mistakes in the rules of a game"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help=options.GAME_HELP)
    parser.add_argument("--games", type=options.count, default=100, metavar="N", help="random games to play (100)")
    parser.add_argument("--seconds", type=options.seconds_number, default=20.0, metavar="S", help="stop after this time (20)")
    options.add_common(parser)


def run(args: argparse.Namespace) -> int:
    game = options.read_game(args.game, trial=False)  # faults of the rules are findings here, not errors
    from tesuji.lab.check import check_game

    with output.Progress(f"check {game.name}", total=args.games) as progress:

        def show(done: int, _of: int, text: str) -> None:
            progress.update(done, text)

        shown = show if progress.is_shown else None
        report = check_game(game, games=args.games, seed=args.seed or 0, seconds=args.seconds, on_progress=shown)
    if args.json:
        output.print_json(
            {
                "game": report.game,
                "ok": None if report.interrupted and not report.findings else report.ok,
                "interrupted": report.interrupted,
                "findings": [output.one_line(finding) for finding in report.findings],
                "games": report.games,
                "notes": report.notes,
                "seed": args.seed or 0,
            }
        )
    else:
        print(report.summary())
    return 0 if report.ok else 1

"""Compile all games, or those named, so that later starts load them from the cache.

JSON: games (game, seconds, compiled: functions compiled now, loaded: kernels found in the cache).
"""

from __future__ import annotations

import argparse

from tesuji.cli import options, output
from tesuji.core.errors import UserError
from tesuji.games.registry import ENTRIES

SUMMARY = "compile games in advance"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", metavar="GAME", nargs="*", help="games to compile for (all); " + options.GAME_HELP)
    options.add_common(parser)


def run(args: argparse.Namespace) -> int:
    names = args.games or [entry.example for entry in ENTRIES]
    games = [options.read_game(name) for name in names]
    from tesuji.core.numba import registration

    if registration.is_pure():
        raise UserError("nothing to compile: TESUJI_PURE or NUMBA_DISABLE_JIT asks for pure Python; unset it")
    from tesuji.lab.warmup import warm_up

    done = []
    with output.Progress("warmup", total=len(games)) as progress:
        for name, game in zip(names, games, strict=True):
            args.game = name  # an error in the user's own game names its file
            progress.update(len(done), game.name)
            try:
                done.append(warm_up(game, args.seed or 0))
            except KeyboardInterrupt:
                if not done:
                    raise
                output.note(f"interrupted; {len(games) - len(done)} of {len(games)} games are not compiled")
                break
    if args.json:
        output.print_json({"games": [entry.as_json() for entry in done]})
        return 0
    rows = [[entry.game, f"{entry.seconds:.1f}", entry.compiled, entry.loaded] for entry in done]
    output.print_table(["game", "seconds", "compiled", "loaded"], rows, right=("seconds", "compiled", "loaded"))
    return 0

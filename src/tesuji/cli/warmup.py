"""Compile everything once, so that later starts find it in the cache. All games, or those named.

JSON: games (game, seconds, compiled: functions compiled now, loaded: kernels found in the cache).
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from tesuji.cli import options, output
from tesuji.core.errors import UserError
from tesuji.games.registry import ENTRIES

if TYPE_CHECKING:
    from tesuji.core.game import Game

SUMMARY = "compile everything once"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", metavar="GAME", nargs="*", help="games to compile for (all); " + options.GAME_HELP)
    options.add_common(parser, seed=False)


def run(args: argparse.Namespace) -> int:
    names = args.games or [entry.example for entry in ENTRIES]
    games = [options.read_game(name) for name in names]
    from tesuji.core import compiler

    if compiler.is_pure():
        raise UserError("nothing to compile: TESUJI_PURE or NUMBA_DISABLE_JIT asks for pure Python; unset it")
    done = []
    with output.Progress("warmup", total=len(games)) as progress:
        for name, game in zip(names, games, strict=True):
            args.game = name  # a fault in the user's own game is told by its file
            progress.update(len(done), game.name)
            done.append(_compile(game))
    if args.json:
        output.print_json({"games": done})
        return 0
    rows = [[d["game"], f"{d['seconds']:.1f}", d["compiled"], d["loaded"]] for d in done]
    output.print_table(["game", "seconds", "compiled", "loaded"], rows, right=("seconds", "compiled", "loaded"))
    return 0


def _compile(game: Game) -> dict[str, Any]:
    """Runs every compiled entry point of the game once: the search, keeping a part of its tree, and bare playouts."""
    from tesuji.core import compiler
    from tesuji.core.limits import Limits
    from tesuji.lab.bench import playout_batch
    from tesuji.search.engine import Search
    from tesuji.search.options import SEARCH

    began, compiled, loaded = time.perf_counter(), compiler.compilations, compiler.loads()
    settings = SEARCH.settings({"memory": 1.0, "solver": "off"})
    search = Search(game, settings=settings)
    result = search.run(Limits(playouts=2 * game.buffer_size + 2))
    if result.best_move is not None:
        search.advance(result.best_move)
    playout_batch(game, settings, 0)(1, time.process_time)
    return {
        "game": game.name,
        "seconds": time.perf_counter() - began,
        "compiled": compiler.compilations - compiled,
        "loaded": compiler.loads() - loaded,
    }

"""Check a certificate written by 'tesuji solve --certificate', in pure Python and without the search.

Exit code 0: the proof holds. 1: it is a certificate but proves nothing. 2: it is no certificate, or cut short.
JSON: file, valid, game, lower, upper, nodes, seconds, reason.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tesuji.cli import options, output

SUMMARY = "check a certificate of a proof"
PURE = "TESUJI_PURE"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a certificate")
    parser.add_argument("--game", metavar="GAME", help="the game to check it by, if your own game's file has moved since")
    options.add_common(parser, seed=False)


def run(args: argparse.Namespace) -> int:
    with pure_python():
        from tesuji.proof.checker import check_certificate

        game = options.read_game(args.game) if args.game else None
        started = time.perf_counter()
        with output.Progress(f"verify {args.file}") as progress:
            verdict = check_certificate(args.file, game_override=game, on_progress=_reporter(progress))
        seconds = time.perf_counter() - started
        if args.json:
            output.print_json(_json(args.file, verdict, seconds))
        else:
            _show(args.file, verdict, seconds)
    return 0 if verdict.valid else 1


@contextmanager
def pure_python() -> Iterator[None]:
    """Rules run as plain Python in here, so that the proof does not rest on a compiler."""
    before = os.environ.get(PURE)
    os.environ[PURE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[PURE]
        else:
            os.environ[PURE] = before


def _reporter(progress: output.Progress) -> Any:
    if not progress.is_shown:
        return None

    def report(done: int, *_more: Any) -> None:
        progress.update(None, f"{done:,} positions")

    return report


def _json(path: str, verdict: Any, seconds: float) -> dict:
    return {
        "file": path,
        "valid": verdict.valid,
        "game": _name(verdict.game),
        "lower": verdict.lower,
        "upper": verdict.upper,
        "nodes": verdict.nodes,
        "seconds": seconds,
        "reason": verdict.reason,
    }


def _name(game: Any) -> str:
    return getattr(game, "name", game)


def _show(path: str, verdict: Any, seconds: float) -> None:
    from tesuji.cli.results import bounds_text

    if not verdict.valid:
        print(f"{path}: refused: {output.one_line(verdict.reason)}")
        return
    game = verdict.game if hasattr(verdict.game, "outcomes") else options.read_game(verdict.game)
    claim = bounds_text(game, verdict.lower, verdict.upper) or "nothing beyond the rules"
    print(f"{path}: valid")
    print(f"{game.name}: {claim}")
    print(f"{verdict.nodes:,} positions checked in pure Python, {seconds:.2f} s")

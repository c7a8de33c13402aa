"""Check a certificate written by 'tesuji solve --certificate', in pure Python and without the search.

Exit code 0: the proof holds. 1: it is a certificate but proves nothing. 2: it is no certificate, or cut short.
JSON: file, valid, game, moves, lower, upper, nodes, seconds, reason.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tesuji.cli import options, output

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.proof.checker import Verdict

SUMMARY = "check a certificate of a proof"
PURE = "TESUJI_PURE"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a certificate")
    parser.add_argument("--game", metavar="GAME", help="your own game, path/to/file.py:name, if the certificate is about one")
    parser.add_argument(
        "--no-rule-bounds",
        action="store_true",
        help="accept finished games only, no bounds that the rules give (write such a proof with solve --initial-bounds off)",
    )
    options.add_common(parser, seed="taken as by other commands, though nothing here is random")


def run(args: argparse.Namespace) -> int:
    with pure_python():
        from tesuji.proof.checker import check_certificate

        started = time.perf_counter()
        with output.Progress(f"verify {args.file}") as progress:
            verdict = check_certificate(
                args.file, game=args.game, allow_bounds=not args.no_rule_bounds, on_progress=_reporter(progress)
            )
        seconds = time.perf_counter() - started
        game = options.read_game(args.game or verdict.game) if verdict.valid else None
        if args.json:
            output.print_json(_json(args.file, verdict, seconds, game))
        else:
            _show(args.file, verdict, seconds, game)
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

    def report(done: int, of: int) -> None:
        progress.update(None, f"{done:,} of {of:,} positions")

    return report


def _json(path: str, verdict: Verdict, seconds: float, game: Game | None) -> dict[str, Any]:
    from tesuji.cli.results import in_points

    lower, upper = verdict.lower, verdict.upper
    if game is not None:
        lower, upper = in_points(game, lower), in_points(game, upper)
    return {
        "file": path,
        "valid": verdict.valid,
        "game": verdict.game,
        "moves": _moves(game, verdict) if game is not None else None,
        "lower": lower,
        "upper": upper,
        "nodes": verdict.nodes,
        "seconds": seconds,
        "reason": verdict.reason,
    }


def _moves(game: Game, verdict: Verdict) -> list[str]:
    """The moves from the start to the position that the certificate is about."""
    from tesuji.cli.results import move_texts

    return move_texts(game, game.start, list(verdict.moves))


def _show(path: str, verdict: Verdict, seconds: float, game: Game | None) -> None:
    from tesuji.cli.results import bounds_text

    if game is None:
        print(f"{path}: refused: {output.one_line(verdict.reason)}")
        return
    moves = " ".join(_moves(game, verdict))
    claim = bounds_text(game, verdict.lower, verdict.upper) or "nothing beyond the rules"
    print(f"{path}: valid")
    print(f"{game.name}{' after ' + moves if moves else ''}: {claim}")
    print(f"{verdict.nodes:,} positions checked in pure Python, {seconds:.2f} s")

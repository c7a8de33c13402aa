"""Check a certificate written by 'tesuji solve --certificate', in pure Python and without the search.

Exit code 0: the proof holds. 1: it is a certificate but proves nothing. 2: it is no certificate, or cut short, or takes more
than --positions, --seconds and --memory allow.
JSON: file, valid, game, moves, lower, upper (null if the claim is about another game), nodes, seconds, reason.
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
    from tesuji.api.verification import Verification

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
    parser.add_argument(
        "--no-symmetry",
        action="store_true",
        help="accept no proof that relies on symmetries of the game (write another with solve --symmetry off)",
    )
    parser.add_argument(
        "--no-connections",
        action="store_true",
        help="accept no proof that relies on connections (write another with solve --policy mohex)",
    )
    parser.add_argument(
        "--positions",
        type=options.count,
        metavar="N",
        help="the most that a certificate may announce (default: 64 a byte of its choices and 1000, in puzzles a million)",
    )
    parser.add_argument(
        "--seconds",
        type=options.seconds_number,
        metavar="S",
        help="the most CPU time that the check may take (default: 6, and 1 for each KiB of its choices)",
    )
    parser.add_argument("--memory", type=options.count, metavar="MIB", help="the most that the check may take (default: 512)")
    options.add_common(parser, seed="taken as by other commands, though nothing here is random")


def run(args: argparse.Namespace) -> int:
    with pure_python():
        from tesuji.api.verification import verify

        started = time.perf_counter()
        with output.Progress(f"verify {args.file}") as progress:
            verdict = verify(
                args.file,
                args.game,
                rule_bounds=not args.no_rule_bounds,
                symmetry=not args.no_symmetry,
                connections=not args.no_connections,
                positions=args.positions,
                seconds=args.seconds,
                **({} if args.memory is None else {"memory": args.memory}),
                on_progress=_reporter(progress),
            )
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

    def report(done: int, of: int) -> None:
        progress.update(None, f"{done:,} of {of:,} positions")

    return report


def _json(path: str, verdict: Verification, seconds: float) -> dict[str, Any]:
    lower, upper = verdict.bounds or (None, None)
    return {
        "file": path,
        "valid": verdict.valid,
        "game": verdict.game,
        "moves": list(verdict.moves) if verdict.valid else None,
        "lower": lower,
        "upper": upper,
        "nodes": verdict.nodes,
        "seconds": seconds,
        "reason": verdict.reason,
    }


def _show(path: str, verdict: Verification, seconds: float) -> None:
    if not verdict.valid:
        print(f"{path}: refused: {output.one_line(verdict.reason)}")
        return
    moves = " ".join(verdict.moves)
    print(f"{path}: valid")
    print(f"{verdict.game}{' after ' + moves if moves else ''}: {verdict.proof or 'nothing beyond the rules'}")
    print(f"{verdict.nodes:,} positions checked in pure Python, {seconds:.2f} s")

"""Replays collections of game records by our rules: counts, and every illegal move with its file, game and ply.

.venv/bin/python benchmarks/replay_sgf.py FILE... [--pure] [--show 20]

FILE is .sgf, or .sgfs with one game a line, each of them also packed by gzip (.gz). Exit code 1 if a game does not replay.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from tesuji.core.errors import UserError
from tesuji.core.files import read_unpacked
from tesuji.io.sgf import parse_sgf, read_record
from tesuji.io.sgf.tree import Node
from tesuji.learn.records import RECORDS


def games_of(path: str) -> Iterator[Node | UserError]:
    """The games of a file; one a line where the name says so, so that a broken one does not hide the rest."""
    data = read_unpacked(path, RECORDS)
    if path.removesuffix(".gz").endswith(".sgfs"):
        for number, line in enumerate(filter(bytes.strip, data.splitlines()), 1):
            try:
                yield from parse_sgf(line, f"{path}, game {number}")
            except UserError as error:
                yield error
    else:
        yield from parse_sgf(data, path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", metavar="FILE", nargs="+")
    parser.add_argument("--pure", action="store_true", help="by the rules in pure Python; slow")
    parser.add_argument("--show", type=int, default=20, metavar="N", help="failures and notes to print of each file (20)")
    args = parser.parse_args()
    bad = 0
    for path in args.files:
        began = time.perf_counter()
        games = plies = set_up = 0
        failures: list[str] = []
        notes: list[str] = []
        try:
            for number, tree in enumerate(games_of(path), 1):
                games += 1
                try:
                    if isinstance(tree, UserError):
                        raise tree
                    record = read_record(tree, path, number, quick=not args.pure)
                except UserError as error:
                    failures.append(str(error))
                    continue
                plies += len(record.moves)
                set_up += not record.is_plain
                notes += record.notes
        except UserError as error:
            failures.append(str(error))
        for line in (*failures[: args.show], *notes[: args.show]):
            print(line)
        seconds = time.perf_counter() - began
        print(
            f"{path}: {games:,} games, {plies:,} plies, {len(failures)} failures, {set_up} set up or resumed in the middle, "
            f"{len(notes)} notes, {seconds:.1f} s",
            flush=True,
        )
        bad += len(failures)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

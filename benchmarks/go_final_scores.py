"""Whether finished games of Go are scored as their players did, with and without the stones that are judged dead.

    .venv/bin/python benchmarks/go_final_scores.py FILE [--games 150] [--playouts N] [--seed N] [--show]

FILE is a collection of game records (.sgf, or .sgfs with one game a line; also packed by gzip). Of its games those count that
end with two passes and whose result is a score; the first N of them are taken. Dead stones are those that
`knowledge/go/status.py` judges dead. Both scores are area scores, so a record by territory rules may differ by a point.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from replay_sgf import games_of

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.io.sgf import Record, read_record
from tesuji.io.sgf.record import SCORE, parse_result
from tesuji.knowledge.go.status import PLAYOUTS, point_status
from tesuji.knowledge.scoring import without_stones


def finished_games(path: str) -> Iterator[tuple[int, Record]]:
    """The games that two passes ended and whose result is a score, with their numbers in the file, from 1."""
    for number, tree in enumerate(games_of(path), 1):
        if isinstance(tree, UserError) or parse_result(tree.simple_text("RE")).by != SCORE:
            continue
        try:
            record = read_record(tree, path, number, quick=True)
        except UserError:
            continue
        last_move = record.game.move_count - 1
        if record.game.sgf_number == 1 and record.is_plain and record.moves[-2:] == [last_move, last_move]:
            yield number, record


def winner(result: str) -> int | None:
    """0 or 1; None for a draw, which some records write as B+0."""
    found = parse_result(result)
    return None if found.margin == 0 else found.winner


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--games", type=int, default=150, metavar="N", help="games to score (150)")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="games to leave out first (0)")
    parser.add_argument("--playouts", type=int, default=PLAYOUTS, metavar="N", help=f"playouts a position ({PLAYOUTS})")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--show", action="store_true", help="draw the positions that are scored wrongly")
    args = parser.parse_args()
    counted = as_it_stands = cleared = 0
    area = exact = 0
    seconds = 0.0
    for seen, (number, record) in enumerate(finished_games(args.file)):
        if seen < args.skip:
            continue
        if counted == args.games:
            break
        counted += 1
        game, state = record.game, record.position(quick=True)
        assert rules.is_over(state)
        truth = winner(record.result)
        as_it_stands += winner(game.result(state)) == truth
        began = time.perf_counter()
        status = point_status(game, state, args.playouts, args.seed)
        seconds += time.perf_counter() - began
        dead = {point for point, found in status.items() if found == "dead"}
        end = without_stones(game, state, dead)
        right = winner(game.result(end)) == truth
        cleared += right
        if record.rules.lower() in ("chinese", "aga", "nz"):
            area += 1
            exact += right and (parse_result(game.result(end)).margin or 0) == parse_result(record.result).margin
        if not right and args.show:
            print(f"game {number}: {record.result} by {record.rules} rules, here {game.result(end)}, dead: {sorted(dead)}")
            print(game.drawing(state))
    print(f"{counted} games; right winner: {as_it_stands} as the board stands, {cleared} without dead stones")
    print(f"of {area} games by area rules {exact} with the same score; {1000 * seconds / max(1, counted):.0f} ms a position")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""What the rules and the shapes of Go's offline knowledge say about the moves of game records.

    .venv/bin/python benchmarks/go_shapes.py RECORDS... [--game go:19] [--positions 4000] [--from-ply 6] [--to-ply 220]
        [--seed 0]

Every rule and every shape is a feature with a strength, found by minorization-maximization on one half of the games; the other
half tells how well some of them together predict the move that was made. Beside the logarithm of each strength, above 0 for
what speaks for a move, stands how many moves of a position have the feature, and how much more often these are made than all.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from move_prediction import Case, cases_of

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.numba.local_copies import local_zeros
from tesuji.core.numba.registration import compiled
from tesuji.core.rules import moves as list_moves
from tesuji.games.registry import find_game
from tesuji.knowledge.go.nearest_patterns import EMPTY_WORK, see_board
from tesuji.knowledge.go.shapes import SHAPES, shapes_of
from tesuji.knowledge.go.tactics import NO_EXTENSIONS, TACTICS, read_extensions, tactics_of
from tesuji.learn.minorization import Competitions, expect_wins, fit
from tesuji.learn.records import read_collection

NAMES = (*TACTICS, *SHAPES)
RULES, SHAPE_COLUMNS = [*range(len(TACTICS))], [*range(len(TACTICS), len(NAMES))]
SETS = {"shapes": SHAPE_COLUMNS, "rules": RULES, "rules and shapes": [*RULES, *SHAPE_COLUMNS]}
ROUNDS = 60


def bits_of_moves(state, buffer, bits):
    """The rules and shapes of each legal move, shapes above rules; returns the number of moves."""
    work = local_zeros(EMPTY_WORK)
    extensions = local_zeros(NO_EXTENSIONS)
    see_board(work, state)
    read_extensions(extensions, state)
    count = list_moves(state, buffer) - 1  # without the pass, which is last
    for i in range(count):
        point = np.int64(state["point_of"][buffer[i]])
        tactics = tactics_of(extensions, state, point)
        bits[i] = tactics | shapes_of(work["board"], state, point, tactics) << len(TACTICS)
    return count


def competitions_of(game: Game, cases: Sequence[Case]) -> Competitions:
    """A team for each legal move, with a family for each rule and each shape."""
    look = compiled(bits_of_moves)
    buffer, bits = np.zeros(game.buffer_size, np.int32), np.zeros(game.buffer_size, np.int64)
    rows, first, winners = [], [0], []
    for case in cases:
        count = look(case.state, buffer, bits)
        made = np.flatnonzero(buffer[:count] == case.move)
        if len(made):  # not a pass
            winners.append(first[-1] + int(made[0]))
            rows.append(bits[:count, None] >> np.arange(len(NAMES)) & 1)
            first.append(first[-1] + count)
    there = np.concatenate(rows).astype(np.int32)
    return Competitions(there * np.arange(1, len(NAMES) + 1, dtype=np.int32), np.array(first), np.array(winners))


def likelihood(part: Competitions, strengths: np.ndarray, columns: Sequence[int]) -> float:
    """The mean logarithm of the chance that the strengths give to the moves that were made."""
    room, unused = np.zeros(int(np.diff(part.first).max())), np.zeros(len(strengths))
    used = np.array(columns, np.int64)
    total = compiled(expect_wins)(part.teams, part.first, part.winners, strengths, used, columns[0], room, unused)
    return total / part.count


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", help="files of records")
    parser.add_argument("--game", default="go:19", help="(go:19)")
    parser.add_argument("--positions", type=int, default=4000, help="of as many games, or of each game once (4000)")
    parser.add_argument("--from-ply", type=int, default=6, help="(6)")
    parser.add_argument("--to-ply", type=int, default=220, help="(220)")
    parser.add_argument("--seed", type=int, default=0, help="(0)")
    arguments = parser.parse_args(words)
    if arguments.positions < 2 or not 0 <= arguments.from_ply <= arguments.to_ply:
        parser.error("there are two positions at least, and plies from 0 in order")
    try:
        game = find_game(arguments.game)
        games = read_collection(game, arguments.records).games
    except UserError as error:
        parser.error(str(error))
    cases = cases_of(games, arguments.positions, arguments.from_ply, arguments.to_ply, arguments.seed)
    if len(cases) < 2:
        parser.error("fewer than two games are long enough")
    half, other = (competitions_of(game, cases[start::2]) for start in (0, 1))
    print(f"nats a move on {other.count} positions held out")
    strengths = np.ones(0)
    for name, columns in SETS.items():
        strengths = fit([half], len(NAMES) + 1, rounds=ROUNDS, tolerance=1e-6, families=columns)
        print(f"{name:<20} {likelihood(other, strengths, columns):.3f}")
    have, made = (half.teams > 0).sum(0), (half.teams[half.winners] > 0).sum(0)
    chance = half.count / len(half.teams)
    print(f"\n{'feature':<16} {'log strength':>12} {'moves':>7} {'times as often':>15}")
    for column, name in enumerate(NAMES):
        often = made[column] / have[column] / chance if have[column] else 0.0
        print(f"{name:<16} {np.log(strengths[column + 1]):12.2f} {have[column] / half.count:7.2f} {often:15.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""What becomes of the values beside proofs: settings compared on Connect Four and on proofs.

    .venv/bin/python benchmarks/honest_values.py opening [--playouts 2000000] [--seeds 10] [--settings "exploration=0.3;..."]
    .venv/bin/python benchmarks/honest_values.py proofs [--seeds 3] [--games "connect4:5x4;connect4:6x4"]

`opening` searches Connect Four from the empty board, where only column 4 wins, 3 and 5 draw, and the others lose: how many
seeds choose column 4, and its value and visits at a tenth of the playouts and at the end. `proofs` counts playouts and seconds
of CPU time to prove games, by the player of `tesuji solve`. Each setting is a list of parameters; '' is the player itself.
"""

from __future__ import annotations

import argparse
import statistics
import time

from tesuji.core.limits import Limits
from tesuji.core.parameters import parse_assignments
from tesuji.games.registry import find_game
from tesuji.players.presets import DEFAULT, find_player
from tesuji.players.proving import prover

COLUMN_4 = 3
SETTINGS = ";symmetry=off,policy=uniform,exploration=0.3;exploration=0.3;exploration=0.7;probe_children=off;policy=uniform"


def named(setting: str) -> str:
    return f"{DEFAULT.name}:{setting}" if setting else DEFAULT.name


def opening(setting: str, playouts: int, seeds: int) -> str:
    """One line on the empty board of Connect Four."""
    game = find_game("connect4:7x6")
    best, values, early, late = [], [], [], []
    for seed in range(seeds):
        search = find_player(named(setting)).engine(game, seed=seed)
        for share, visits in ((playouts // 10, early), (playouts - playouts // 10, late)):
            result = search.run(Limits(playouts=share))
            column = next(report for report in result.moves if report.move == COLUMN_4)
            visits.append(column.visits)
        best.append(int(result.best_move or 0) + 1)
        values.append(column.value)
    right = sum(column == COLUMN_4 + 1 for column in best)
    return (
        f"column 4 by {right} of {seeds} seeds {best}; its value {statistics.median(values):.3f} in the median "
        f"({min(values):.3f} to {max(values):.3f}); least visits {min(early):,} after a tenth, {min(late):,} at the end"
    )


def proofs(setting: str, games: list[str], seeds: int) -> str:
    """One line on proofs: mean playouts and seconds of each game."""
    parts = []
    for name in games:
        game = find_game(name)
        playouts, seconds = [], []
        for seed in range(seeds):
            search = prover(game, parse_assignments(setting)).engine(game, seed=seed)
            search.prepare()
            began = time.process_time()
            result = search.run(Limits(playouts=200_000_000), with_moves=False)
            seconds.append(time.process_time() - began)
            playouts.append(result.playouts)
            if not result.proven:
                parts.append(f"{name} not proven by seed {seed}")
        parts.append(f"{name} {statistics.mean(playouts):,.0f} playouts, {statistics.mean(seconds):.2f} s")
    return "; ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("opening", "proofs"))
    parser.add_argument("--settings", default=SETTINGS, help="joined by ';'")
    parser.add_argument("--playouts", type=int, default=2_000_000)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--games", default="connect4:4x4;connect4:5x4;connect4:6x4", help="joined by ';'")
    arguments = parser.parse_args()
    for setting in arguments.settings.split(";"):
        if arguments.what == "opening":
            found = opening(setting, arguments.playouts, arguments.seeds)
        else:
            found = proofs(setting, arguments.games.split(";"), arguments.seeds)
        print(f"{named(setting)}: {found}", flush=True)


if __name__ == "__main__":
    main()

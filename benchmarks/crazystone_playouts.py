"""Crazy Stone's urgency playouts against uniform ones in Go, run alternately in one process.

    .venv/bin/python benchmarks/crazystone_playouts.py [--rounds R] [--seconds S] [--games go:9,go:19] [--json]

Both play from the empty board on one thread. Each figure is the median over the rounds of playouts per second of CPU time, the
ratio is the median of the ratios of neighbouring rounds. Coulom 2006 gives 17,000 playouts a second for his program on 9x9.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time

import numpy as np

from tesuji.core.game import Game
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.core.random import make_rng
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.kernel.playouts import run_playouts

POLICIES = {  # label -> parameters of a player
    "uniform": {"policy": "uniform"},
    "local": {"policy": "local"},
    "crazystone": {"policy": "crazystone"},
    "urgencies": {"policy": "crazystone", "useless_rules": False},
}


class Side:
    """One policy on one game: `run(number, count)` plays so many games and returns their moves and the CPU time."""

    def __init__(self, game: Game, name: str):
        self.search = find_player("uct").changed({"memory": 1.0, **POLICIES[name]}).engine(game)
        self.kernel = compiled(run_playouts)

    def run(self, number: int, count: int) -> tuple[int, float]:
        search = self.search
        scratch = search.scratches[0]
        scratch.rng[:] = make_rng(number)
        with np.errstate(over="ignore"):
            began = time.process_time()
            plies = self.kernel(search.policy, search.state, scratch, search.options, count)
            return int(plies), time.process_time() - began


def batch_size(side: Side, seconds: float) -> int:
    """How many playouts fill the time."""
    side.run(0, 1)  # compiles
    count, spent = 8, 0.0
    while spent < seconds / 3:
        count *= 2
        _, spent = side.run(0, count)
    return max(1, int(count * seconds / spent))


def compare(name: str, rounds: int, seconds: float) -> dict:
    game = find_game(name)
    sides = {policy: Side(game, policy) for policy in POLICIES}
    counts = {policy: batch_size(side, seconds) for policy, side in sides.items()}
    rates: dict[str, list[float]] = {policy: [] for policy in sides}
    lengths = {}
    for number in range(rounds):
        for policy, side in sides.items() if number % 2 else reversed(sides.items()):
            plies, spent = side.run(number, counts[policy])
            rates[policy].append(counts[policy] / spent)
            lengths[policy] = plies / counts[policy]
    row: dict = {"game": name, "rounds": rounds}
    for policy in sides:
        row[policy] = {
            "playouts_per_second": round(statistics.median(rates[policy])),
            "ratio": round(statistics.median([a / b for a, b in zip(rates[policy], rates["uniform"], strict=True)]), 3),
            "moves_a_playout": round(lengths[policy], 1),
        }
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--seconds", type=float, default=0.15, help="of each policy in each round")
    parser.add_argument("--games", default="go:9,go:19")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if is_pure():
        print("crazystone_playouts: the compiler is switched off (TESUJI_PURE, NUMBA_DISABLE_JIT)", file=sys.stderr)
        return 2
    for name in options.games.split(","):
        row = compare(name, max(2, options.rounds), options.seconds)
        if options.json:
            print(json.dumps(row), flush=True)
            continue
        for policy in POLICIES:
            found = row[policy]
            print(
                f"{name:<6} {policy:<11} {found['playouts_per_second']:>8,}/s   {found['ratio']:.2f} of uniform   "
                f"{found['moves_a_playout']} moves a playout",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())

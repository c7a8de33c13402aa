"""Uniform Go playouts: the compiled Python rules against the same algorithm in C (go_playouts.c), run alternately.

    .venv/bin/python benchmarks/go_playouts.py [--rounds R] [--seconds S] [--json]

Both play the same random games from the empty board on one thread. First some hundred games are compared one by one: moves,
score and random numbers drawn must be equal, or nothing is measured; the moves of every round must be, too. Each figure is
the median over the rounds of playouts per second of CPU time, the ratio is the median of the ratios of neighbouring rounds.
The C is compiled by gcc -O3 -march=native into a temporary folder.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tesuji.core import rules
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.core.random import make_rng
from tesuji.games.go.state import ZOBRIST
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player
from tesuji.search.kernel.playouts import run_playouts

SOURCE = Path(__file__).with_suffix(".c")
CHECKED = 300  # games that are compared one by one
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


class InC:
    def __init__(self, folder: str, size: int, komi: int):
        library = Path(folder) / "go_playouts.so"
        if not library.exists():
            subprocess.run(["gcc", *FLAGS, "-o", str(library), str(SOURCE)], check=True)
        self.code = ctypes.CDLL(str(library))
        self.code.run_playouts.restype = ctypes.c_int64
        self.size, self.komi = size, komi

    def run(self, rng: np.ndarray, count: int) -> tuple[int, float]:
        plies, _, spent = self._run(rng, count)
        return plies, spent

    def game(self, rng: np.ndarray) -> tuple[int, int]:
        """One game: its moves and its score."""
        plies, score, _ = self._run(rng, 1)
        return plies, score

    def _run(self, rng: np.ndarray, count: int) -> tuple[int, int, float]:
        total = ctypes.c_int64(0)
        self.code.set_up(self.size, self.komi, ctypes.c_void_p(ZOBRIST.ctypes.data))
        began = time.process_time()
        plies = self.code.run_playouts(ctypes.c_void_p(rng.ctypes.data), count, ctypes.byref(total))
        return plies, total.value, time.process_time() - began


class InPython:
    def __init__(self, game):
        self.search = find_player("uct").changed({"memory": 1.0}).engine(game)
        self.kernel = compiled(run_playouts)

    def run(self, rng: np.ndarray, count: int) -> tuple[int, float]:
        search = self.search
        scratch = search.scratches[0]
        scratch.rng[:] = rng
        began = time.process_time()
        plies = self.kernel(search.policy, search.state, scratch, search.options, count)
        spent = time.process_time() - began
        rng[:] = scratch.rng
        return int(plies), spent

    def game(self, rng: np.ndarray) -> tuple[int, int]:
        """One game: its moves and its score, which the kernel leaves behind as a position."""
        plies, _ = self.run(rng, 1)
        return plies, int(rules.outcome(self.search.scratches[0].states[0]))


def check_games(name: str, python: InPython, c: InC, count: int = CHECKED) -> None:
    """Ends the program unless both play the same games."""
    ours, theirs = make_rng(7), make_rng(7)
    for number in range(count):
        games = python.game(ours), c.game(theirs)
        if games[0] != games[1] or ours.tobytes() != theirs.tobytes():
            raise SystemExit(
                f"{name}: game {number + 1} differs (moves and score {games[0]} compiled, {games[1]} in C): "
                "go_playouts.c is not the same algorithm any more"
            )


def compare(name: str, folder: str, rounds: int, seconds: float) -> dict:
    game = find_game(name)
    python, c = InPython(game), InC(folder, int(game.initial["size"]), int(game.initial["komi"]))
    python.run(make_rng(1), 1)  # compiles
    check_games(name, python, c)
    count, spent = 8, 0.0
    while spent < seconds / 3:
        count *= 2
        _, spent = python.run(make_rng(1), count)
    count = max(1, int(count * seconds / spent))
    rates: dict[str, list[float]] = {"python": [], "c": []}
    for number in range(rounds):
        made = {}
        for label, side in (("python", python), ("c", c)) if number % 2 else (("c", c), ("python", python)):
            made[label], spent = side.run(make_rng(number), count)
            rates[label].append(count / spent)
        if made["python"] != made["c"]:
            raise SystemExit(f"{name}: the games differ ({made} moves): go_playouts.c is not the same algorithm any more")
    ratios = [a / b for a, b in zip(rates["python"], rates["c"], strict=True)]
    quarters = statistics.quantiles(ratios, n=4)
    return {
        "game": name,
        "playouts_per_second": round(statistics.median(rates["python"])),
        "c_playouts_per_second": round(statistics.median(rates["c"])),
        "ratio": round(statistics.median(ratios), 3),
        "middle_half_of_ratios": [round(quarters[0], 3), round(quarters[2], 3)],
        "rounds": rounds,
        "playouts_a_round": count,
        "moves_a_playout": round(made["python"] / count, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=0.15, help="of each side in each round")
    parser.add_argument("--games", default="go:9,go:19")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if shutil.which("gcc") is None:
        print("go_playouts: gcc is not installed, so there is nothing to compare with", file=sys.stderr)
        return 2
    if is_pure():
        print("go_playouts: the compiler is switched off (TESUJI_PURE, NUMBA_DISABLE_JIT)", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        for name in options.games.split(","):
            row = compare(name, folder, max(2, options.rounds), options.seconds)
            if options.json:
                print(json.dumps(row), flush=True)
            else:
                low, high = row["middle_half_of_ratios"]
                print(
                    f"{name:<6} compiled Python {row['playouts_per_second']:>7,}/s   C {row['c_playouts_per_second']:>7,}/s   "
                    f"ratio {row['ratio']:.2f} (middle half {low:.2f} to {high:.2f}, {rounds_text(row)})",
                    flush=True,
                )
    return 0


def rounds_text(row: dict) -> str:
    return f"{row['rounds']} rounds of {row['playouts_a_round']} playouts, {row['moves_a_playout']} moves each"


if __name__ == "__main__":
    sys.exit(main())

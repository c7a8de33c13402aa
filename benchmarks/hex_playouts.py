"""Pattern playouts of Hex: the compiled Python against the same algorithm in C (hex_playouts.c), run alternately.

    .venv/bin/python benchmarks/hex_playouts.py [--rounds R] [--seconds S] [--games hex:11,hex:13] [--json]

Both play the same games from the empty board on one thread, with the table of weights that `mohex2` has. First some hundred
games are compared one by one: moves, winner and random numbers drawn must be equal, or nothing is measured. Each figure is the
median over the rounds of playouts per second of CPU time, the ratio is the median of the ratios of neighbouring rounds. The C
is compiled by gcc -O3 -march=native into a temporary folder.
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

from tesuji.core.numba.registration import compiled, is_pure
from tesuji.core.random import make_rng
from tesuji.games.registry import find_game
from tesuji.knowledge.hex.patterns.codes import SIX_CLASS
from tesuji.knowledge.hex.policies.board_filling import winner_of
from tesuji.knowledge.hex.policies.pattern_playouts import BOARD
from tesuji.players.presets import find_player
from tesuji.search.kernel.playouts import run_playouts

SOURCE = Path(__file__).with_suffix(".c")
CHECKED = 300  # games that are compared one by one
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


def address(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


class InC:
    def __init__(self, folder: str, policy, width: int, height: int):
        library = Path(folder) / "hex_playouts.so"
        if not library.exists():
            subprocess.run(["gcc", *FLAGS, "-o", str(library), str(SOURCE)], check=True)
        self.code = ctypes.CDLL(str(library))
        self.code.run_playouts.restype = ctypes.c_int64
        self.history, self.movers = np.zeros(width * height, np.int32), np.zeros(width * height, np.int8)
        assert BOARD.itemsize == policy.start.itemsize
        table = policy.table
        numbers = (
            ctypes.c_uint64(len(table.words) // 2),
            ctypes.c_uint64(int(table.shift)),
            ctypes.c_uint64(int(table.unknown)),
        )
        self.kept = table.words, SIX_CLASS, policy.start  # what the C code points to
        self.code.set_up(address(table.words), *numbers, address(SIX_CLASS), address(policy.start), width, height)

    def run(self, rng: np.ndarray, count: int) -> float:
        began = time.process_time()
        self.result = self.code.run_playouts(address(rng), ctypes.c_int64(count), address(self.history), address(self.movers))
        return time.process_time() - began

    def game(self, rng: np.ndarray) -> tuple[list[int], int]:
        self.run(rng, 1)
        return self.history.tolist(), int(self.result)


class InPython:
    def __init__(self, game):
        self.search = find_player("mohex2").changed({"memory": 4.0}).engine(game)
        self.game_played, self.kernel = game, compiled(run_playouts)

    def run(self, rng: np.ndarray, count: int) -> float:
        search, scratch = self.search, self.search.scratches[0]
        scratch.rng[:] = rng
        began = time.process_time()
        self.kernel(search.policy, search.state, scratch, search.options, count)
        spent = time.process_time() - began
        rng[:] = scratch.rng
        return spent

    def game(self, rng: np.ndarray) -> tuple[list[int], int]:
        self.run(rng, 1)
        scratch, start = self.search.scratches[0], self.search.state
        won = winner_of(scratch.notes[0]["colours"], int(start["width"]), int(start["height"]))
        return scratch.history[: self.game_played.points].tolist(), int(won)


def compare(name: str, folder: str, rounds: int, seconds: float) -> dict:
    game = find_game(name)
    python = InPython(game)
    c = InC(folder, python.search.policy, int(game.initial["width"]), int(game.initial["height"]))
    python.run(make_rng(1), 1)  # compiles
    ours, theirs = make_rng(7), make_rng(7)
    for number in range(CHECKED):
        if python.game(ours) != c.game(theirs) or ours.tobytes() != theirs.tobytes():
            raise SystemExit(f"{name}: game {number + 1} differs: hex_playouts.c is not the same algorithm any more")
    count, spent = 8, 0.0
    while spent < seconds / 3:
        count *= 2
        spent = python.run(make_rng(1), count)
    count = max(1, int(count * seconds / spent))
    rates: dict[str, list[float]] = {"python": [], "c": []}
    for number in range(rounds):
        for label, side in (("python", python), ("c", c)) if number % 2 else (("c", c), ("python", python)):
            rates[label].append(count / side.run(make_rng(number), count))
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
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=0.15, help="of each side in each round")
    parser.add_argument("--games", default="hex:11,hex:13")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if shutil.which("gcc") is None:
        print("hex_playouts: gcc is not installed, so there is nothing to compare with", file=sys.stderr)
        return 2
    if is_pure():
        print("hex_playouts: the compiler is switched off (TESUJI_PURE, NUMBA_DISABLE_JIT)", file=sys.stderr)
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
                    f"ratio {row['ratio']:.2f} (middle half {low:.2f} to {high:.2f}, {row['rounds']} rounds of "
                    f"{row['playouts_a_round']} playouts)",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())

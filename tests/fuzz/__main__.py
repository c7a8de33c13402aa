"""Tries to break everything for as long as one likes: `python -m tests.fuzz --minutes 60`, or `make fuzz MINUTES=60`.

Each part is a function `part(rng, stop)` that goes on until `stop()` is true, returns counts of what it has tried, and raises
an AssertionError that says how to repeat what it has found. It has its turn in a process of its own, with limits of memory and
CPU time and a seed of its own, again and again until the time is up. An end by a signal is a finding as well, and so is none.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import IO, NamedTuple

TESTS = Path(__file__).resolve().parents[1]
SOURCE = TESTS.parent / "src"
GIB = 1 << 30
SECONDS = 30.0  # of a turn in pure Python
COMPILED_SECONDS = 120.0  # of one that compiles its kernels first, or loads them from the cache
MOST_CPU = 900  # seconds beyond the turn itself: kernels are compiled in the first ones
MOST_WAIT = 1800  # seconds in all, for one that waits for something and uses no CPU time
FOUND = 1
TAKING = "TESUJI_FUZZ_PART"  # the variable that says to a process which part it runs


class Part(NamedTuple):
    name: str
    module: str
    function: str
    memory: int = GIB  # of address space; 0 = no limit
    pure: bool = True  # without the compiler, which takes most of a GiB


PARTS = (
    Part("certificates-attacked", "certificates", "attack_certificates"),
    Part("certificates-mutated", "certificates", "mutate_certificates"),
    Part("saved-searches", "saved_files", "mutate_saved_searches"),
    Part("proof-files", "saved_files", "mutate_proof_files"),
    Part("page", "page", "attack_page", 0),
    Part("searches", "random_games", "attack_searches", 8 * GIB, False),
    Part("across-games", "random_games", "load_across_games"),
    Part("threads", "threads", "attack_threads", 8 * GIB, False),
    Part("hex-players", "hex_players", "attack_hex_players", 8 * GIB, False),
    Part("gtp", "readers", "attack_gtp"),
    Part("json-lines", "readers", "attack_json_lines"),
    Part("records", "readers", "attack_records"),
    Part("files", "readers", "attack_files"),
    Part("command-lines", "readers", "attack_command_lines", 4 * GIB),  # of searches with the usual memory
    Part("kills", "kills", "attack_by_kills", 0),
)


# -- one turn, in a process of its own ---------------------------------------------------------------------------------------
def take_turn(part: Part, seed: int, seconds: float) -> int:
    """Runs the part; the last line of the output is its counts."""
    if part.memory:
        resource.setrlimit(resource.RLIMIT_AS, (part.memory, part.memory))
    most = int(8 * seconds) + MOST_CPU
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    import numpy as np

    np.seterr(over="ignore")  # hashes are meant to overflow
    function = getattr(importlib.import_module(f"{__package__}.{part.module}"), part.function)
    end = time.monotonic() + seconds
    counts = function(random.Random(seed), lambda: time.monotonic() >= end)
    print(json.dumps(counts), flush=True)
    return 0


def command_of(part: Part, seed: int, seconds: float) -> list[str]:
    words = ["--turn", part.name, "--seed", str(seed), "--minutes", f"{seconds / 60:g}"]
    return [sys.executable, "-m", "tests.fuzz", *words]


def environment(part: Part) -> dict[str, str]:
    """What a turn runs in: as pytest does, it finds the helpers of all tests by their names."""
    folders = [SOURCE, TESTS.parent, TESTS, *sorted(folder for folder in TESTS.iterdir() if folder.is_dir())]
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), "OPENBLAS_NUM_THREADS": "1", TAKING: part.name}
    if part.pure:
        found["TESUJI_PURE"] = "1"
    return found


# -- all of them -------------------------------------------------------------------------------------------------------------
class Turn:
    """A part's turn under way."""

    def __init__(self, part: Part, seed: int, seconds: float):
        self.part, self.seed, self.seconds = part, seed, seconds
        self.out: IO[str] = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        self.err: IO[str] = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        self.began = time.monotonic()
        words = command_of(part, seed, seconds)
        self.process = subprocess.Popen(
            words, stdout=self.out, stderr=self.err, env=environment(part), cwd=TESTS.parent, start_new_session=True
        )

    def counts(self) -> Counter[str]:
        """What it has tried, once it has ended well."""
        return Counter(json.loads(self._text(self.out).splitlines()[-1]))

    def finding(self) -> str:
        """What it has found, once it has ended in another way, and how to repeat it."""
        code = self.process.returncode
        how = f"ended by signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"ended with exit code {code}"
        again = f"python {' '.join(command_of(self.part, self.seed, max(self.seconds, 60.0))[1:])}"
        return f"FOUND by {self.part.name}, seed {self.seed}: it {how}\n{self._text(self.err)[-8000:]}\nTo repeat it: {again}"

    def end(self) -> None:
        """Kills it, with the processes that it has started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    @staticmethod
    def _text(file: IO[str]) -> str:
        file.seek(0)
        return file.read()


def run_all(parts: list[Part], minutes: float, seed: int, workers: int) -> int:
    print(f"seed {seed}, {minutes:g} minutes, {workers} workers: {', '.join(part.name for part in parts)}", flush=True)
    seeds = random.Random(seed)
    end = time.monotonic() + 60 * minutes
    counts: dict[str, Counter[str]] = {part.name: Counter() for part in parts}
    under_way: list[Turn] = []
    waiting: list[Part] = []
    code = 0
    try:
        while code == 0 and (under_way or time.monotonic() < end):
            left = end - time.monotonic()
            if len(under_way) < workers and left > 1.0:
                waiting = waiting or list(parts)
                part = waiting.pop(0)
                seconds = SECONDS if part.pure else COMPILED_SECONDS
                under_way.append(Turn(part, seeds.getrandbits(32), min(seconds, left)))
                continue
            time.sleep(0.05)
            for turn in under_way:
                if time.monotonic() - turn.began > MOST_WAIT:
                    turn.end()
            for turn in [turn for turn in under_way if turn.process.poll() is not None]:
                under_way.remove(turn)
                if turn.process.returncode:
                    print(turn.finding(), flush=True)
                    code = FOUND
                else:
                    counts[turn.part.name] += turn.counts() + Counter({"turns": 1})
    except KeyboardInterrupt:
        print("stopped", flush=True)
    finally:
        for turn in under_way:
            turn.end()
    for name, tried in counts.items():
        print(f"{name}: {', '.join(f'{number:,} {what}' for what, number in sorted(tried.items())) or 'had no turn'}")
    return code


def main() -> int:
    names = [part.name for part in PARTS]
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=None, help="of all that is drawn (default: a new one, which is printed)")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time (2)")
    parser.add_argument("--only", choices=names, action="append", help="this part alone; may be given more than once")
    parser.add_argument("--turn", choices=names, help=argparse.SUPPRESS)
    args = parser.parse_args()
    seed = random.SystemRandom().getrandbits(32) if args.seed is None else args.seed
    if args.turn:
        part = next(part for part in PARTS if part.name == args.turn)
        if os.environ.get(TAKING) != part.name:  # someone repeats a turn: in the environment that it had
            os.execve(sys.executable, command_of(part, seed, 60 * args.minutes), environment(part))
        return take_turn(part, seed, 60 * args.minutes)
    chosen = [part for part in PARTS if args.only is None or part.name in args.only]
    return run_all(chosen, args.minutes, seed, args.workers)


if __name__ == "__main__":
    sys.exit(main())

"""Leaves a second of a search whose evaluator returns constants: what the way to Python and back takes.

    .venv/bin/python benchmarks/evaluator.py [--games connect4:7x6,go:9] [--batches 1,16,64] [--seconds S] [--rounds R] [--json]

One thread, the player `network` without a solver. Leaves that were evaluated per second of CPU time, the median of the rounds,
each of which begins a new search; and leaves of a batch on average.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from typing import Any

import numpy as np

import tesuji
from tesuji.core.limits import Limits


def constant(game: tesuji.Game, batch: int) -> tesuji.Evaluator:
    assert game.encoding is not None
    policies, values = np.zeros((batch, game.encoding.places), np.float32), np.full(batch, 0.5, np.float32)
    return tesuji.Evaluator(lambda planes: (policies[: len(planes)], values[: len(planes)]))


def measure(game: tesuji.Game, batch: int, seconds: float) -> tuple[float, float]:
    """Leaves a second, and leaves a batch."""
    sizes: list[int] = []
    evaluator = constant(game, batch)
    answer = evaluator.function

    def counted(planes: np.ndarray) -> Any:
        sizes.append(len(planes))
        return answer(planes)

    evaluator.function = counted
    search = tesuji.player("network", evaluator=evaluator, batch=batch, solver="off", memory=512).engine(game, seed=1)
    search.run(Limits(playouts=10 * batch))
    sizes.clear()
    before = search.cpu
    search.run(Limits(cpu=seconds))
    return sum(sizes) / (search.cpu - before), statistics.mean(sizes)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", default="connect4:7x6,go:9")
    parser.add_argument("--batches", default="1,16,64")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(arguments)
    results = []
    for name in args.games.split(","):
        for batch in (int(number) for number in args.batches.split(",")):
            game = tesuji.game(name)
            rounds = [measure(game, batch, args.seconds) for _ in range(args.rounds)]
            rate, filled = (statistics.median(column) for column in zip(*rounds, strict=True))
            results.append({"game": name, "batch": batch, "leaves_per_second": rate, "leaves_per_batch": filled})
            if not args.json:
                print(f"{name:14} batch {batch:4}: {rate:9,.0f} leaves a second, {filled:.1f} a batch", flush=True)
    if args.json:
        print(json.dumps({"results": results}))
    return 0


if __name__ == "__main__":
    sys.exit(main())

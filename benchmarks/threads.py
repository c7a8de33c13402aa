"""How much faster two threads on one tree are than one: simulations a second by the clock, measured alternately.

As many separate searches at the same time, each with a tree of its own, show what the machine itself allows.

.venv/bin/python benchmarks/threads.py [GAME] [--threads 2] [--seconds 2] [--repeats 5]
"""

from __future__ import annotations

import argparse
import statistics
import threading
import time

from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.presets import find_player


def rate(game: str, player: str, threads: int, seconds: float, seed: int) -> float:
    search = find_player(player).changed({"threads": threads, "memory": 4096.0}).engine(find_game(game), seed=seed)
    search.prepare()
    began = time.perf_counter()
    result = search.run(Limits(seconds=seconds))
    return result.playouts / (time.perf_counter() - began)


def separate_rate(game: str, player: str, threads: int, seconds: float, seed: int) -> float:
    """All simulations a second of searches that share nothing but the machine."""
    rates: list[float] = []
    workers = [
        threading.Thread(target=lambda n=n: rates.append(rate(game, player, 1, seconds, seed + 100 * n)))
        for n in range(threads)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(rates)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("game", nargs="?", default="connect4:7x6")
    parser.add_argument("--player", default="uct")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    pairs = []
    for seed in range(options.repeats):
        one = rate(options.game, options.player, 1, options.seconds, seed)
        many = rate(options.game, options.player, options.threads, options.seconds, seed)
        apart = separate_rate(options.game, options.player, options.threads, options.seconds, seed)
        pairs.append((one, many, apart))
    one, many, apart = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(b / a for a, b, _ in pairs)
    ceiling = statistics.median(c / a for a, _, c in pairs)
    print(
        f"{options.game} {options.player}: 1 thread {one:,.0f}/s, {options.threads} threads {many:,.0f}/s, ratio {ratio:.2f};"
        f" {options.threads} separate searches {apart:,.0f}/s, ratio {ceiling:.2f}"
    )


if __name__ == "__main__":
    main()

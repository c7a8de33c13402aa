"""The speed of this machine: playouts alone, and full simulations of a player, from the start of each game.

One thread is measured in CPU time, which other programs on the machine hardly touch; several threads in elapsed time,
since what they are for is to be sooner done, unless CPU time is asked for. Each figure is the median of some repeats.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import compiled
from tesuji.players.player import Player
from tesuji.search.kernel.playouts import run_playouts

SMALLEST_BATCH = 16


@dataclass(frozen=True)
class Speed:
    game: str
    player: str
    threads: int
    playouts_per_second: float
    simulations_per_second: float
    clock: str  # cpu or elapsed
    repeats: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(game: Game, player: Player, seconds: float = 1.0, repeats: int = 3, seed: int = 0, by_cpu: bool = False) -> Speed:
    """The speed of a player in a game. `seconds` is about the time that each repeat of each of the two parts takes."""
    threads = int(player.settings_for(game).get("threads", 1))
    by_cpu = by_cpu or threads == 1
    clock = time.process_time if by_cpu else time.perf_counter
    playouts = median_rate(playout_batch(game, player, seed), clock, seconds, repeats)
    simulations = median_rate(simulation_batch(game, player, seed), clock, seconds, repeats)
    return Speed(game.name, player.name, threads, playouts, simulations, "cpu" if by_cpu else "elapsed", repeats)


Clock = Callable[[], float]
Batch = Callable[[int, Clock], tuple[int, float]]  # does about so many; returns how many, and the time they took


def playout_batch(game: Game, player: Player, seed: int) -> Batch:
    """Games from the start by the player's playout policy, without a tree, on one thread.

    Those of alpha-beta, which makes none, are the games that its policy would play.
    """
    small = replace(player, alphabeta=False).overridden({"memory": 1.0, "threads": 1})
    search = small.engine(game, seed=seed)
    kernel = compiled(run_playouts)

    def batch(count: int, clock: Clock) -> tuple[int, float]:
        began = clock()
        with np.errstate(over="ignore"):
            plies = kernel(search.policy, search.state, search.scratches[0], search.options, count)
        if plies < 0:
            name = type(search.policy).__name__
            raise UserError(f"a playout of {game.name} by the policy {name} did not end, or made an illegal move")
        return count, clock() - began

    return batch


def simulation_batch(game: Game, player: Player, seed: int) -> Batch:
    """Simulations from an empty tree. The solver ends the search of a small game within moments: then another is begun.

    Making the memory ready for a search is not counted.
    """

    def batch(count: int, clock: Clock) -> tuple[int, float]:
        done, spent = 0, 0.0
        while done < count:
            search = player.engine(game, seed=seed + done)
            search.prepare()
            began = clock()
            result = search.run(Limits(playouts=count - done))
            spent += clock() - began
            done += result.playouts
            if result.playouts == 0:
                raise UserError(f"{game.name} is decided before it begins, so there is no search to measure")
        return done, spent

    return batch


def median_rate(batch: Batch, clock: Clock, seconds: float, repeats: int) -> float:
    """How many a second: the median of the repeats. The batch grows until it fills the time, which also serves as warm-up."""
    count = SMALLEST_BATCH
    batch(count, clock)
    while True:
        done, spent = batch(count, clock)
        if spent >= seconds / 4 or count >= 1 << 40:
            break
        count *= 4 if spent < seconds / 16 else 2
    count = max(1, int(done * min(4.0, seconds / max(spent, 1e-9))))
    rates = []
    for _ in range(repeats):
        done, spent = batch(count, clock)
        rates.append(done / max(spent, 1e-9))
    return statistics.median(rates)

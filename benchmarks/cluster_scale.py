"""How many games a day, from 2 processors to 10,000: the dispatcher of lab/cluster with machines that are only simulated.

    python benchmarks/cluster_scale.py                       # the table of docs/experiments/cluster.md
    python benchmarks/cluster_scale.py --cores 1000 --game-seconds 60 --single

Jobs are pairs of games. How long one takes is drawn from a log-normal distribution; a few machines are slow, and some are lost.
Time is that of the simulation: the driver's work and SQLite's transactions are charged as benchmarks/cluster_rates.py measured.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tesuji.lab.cluster.connection import MachineInfo, MachineLost
from tesuji.lab.cluster.dispatcher import Assignment, Dispatcher
from tesuji.lab.cluster.tasks import check_machine, do_jobs

CORES = (2, 16, 128, 1_000, 10_000)
GAME_SECONDS = (1.0, 10.0, 60.0)
IDENTITY = {"code": "simulated"}
HOST = {"host": "simulated", "processor": "P", "threads_per_core": 1, "auth": "", "identity": IDENTITY}


@dataclass(frozen=True)
class Rates:
    """Seconds of the driver, as measured (docs/experiments/cluster.md)."""

    task: float = 0.0008  # to send a task and to take its answer
    game: float = 0.00010  # to read one game and to add it to a transaction
    transaction: float = 0.0006  # to bring one to the disk


MEASURED = Rates()


class SimulatedCluster:
    """Machines of `size` processors; a share of them takes `slowness` times as long, and each is lost after a mean `life`."""

    needs_token = False

    def __init__(
        self, cores: int, size: int, job_seconds: float, rates: Rates, seed: int = 0, slow=0.02, slowness=4.0, life=0.0
    ):
        self.now = 0.0
        self.busy_driver = 0.0
        self.lost = 0
        self._rates = rates
        self._chance = random.Random(seed)
        self._job_seconds = job_seconds
        self._machines: dict[str, int] = {}
        self._speed: dict[str, float] = {}
        self._end: dict[str, float] = {}
        self._free: dict[str, list[float]] = {}
        for number in range(math.ceil(cores / size)):
            name = f"m{number}"
            self._machines[name] = min(size, cores - number * size)
            self._speed[name] = slowness if self._chance.random() < slow else 1.0
            self._end[name] = self._chance.expovariate(1.0 / life) if life and number else math.inf
            self._free[name] = [0.0] * self._machines[name]
        self._heap: list[tuple[float, int]] = []
        self._answers: dict[int, object] = {}
        self._count = 0
        self.worked = 0.0  # seconds of processors on jobs

    def clock(self) -> float:
        return self.now

    def spend(self, seconds: float) -> None:
        self.now += seconds
        self.busy_driver += seconds

    def machines(self) -> list[MachineInfo]:
        return [MachineInfo(name, name, cpus) for name, cpus in self._machines.items() if self._end[name] > self.now]

    def send(self, machines, cpus, function, *arguments):
        """Ray gives a task to the machine where a processor is free first."""
        self._count += 1
        self.spend(self._rates.task)
        ends, answer = self.now, HOST if function is check_machine else {"programs": []}
        machine = machines[0]
        if function is do_jobs:
            alive = [name for name in machines if self._end[name] > self.now]
            machine = min(alive or machines, key=lambda name: self._free[name][0])
            free = self._free[machine]
            mean = self._job_seconds * self._speed[machine]
            times = [mean * self._chance.lognormvariate(-0.125, 0.5) for _ in arguments[1]]
            ends = max(heapq.heappop(free), self.now) + sum(times)
            heapq.heappush(free, ends)
            self.worked += sum(times)
            answer = {"results": ["0"] * len(times), "seconds": sum(times)}
            if ends > self._end[machine]:
                ends, answer = max(self.now, self._end[machine]) + 1.0, None
        heapq.heappush(self._heap, (ends, self._count))
        self._answers[self._count] = None if answer is None else (machine, answer)
        return self._count

    def wait(self, tasks, seconds):
        until = self.now + seconds
        if self._heap and self._heap[0][0] <= until:
            self.now = max(self.now, self._heap[0][0])
        else:
            self.now = until
        ended = []
        while self._heap and self._heap[0][0] <= self.now:
            ended.append(heapq.heappop(self._heap)[1])
        return ended

    def result(self, task):
        answer = self._answers.pop(task)
        if answer is None:
            self.lost += 1
            raise MachineLost("the machine is gone")
        return answer

    def cancel(self, task):
        pass


class Games:
    """Pairs of games without end, until the time is over; `together` = one transaction for all that come at once."""

    kept: str = ""

    def __init__(self, cluster: SimulatedCluster, seconds: float, rates: Rates, together: bool):
        self.games = 0
        self._cluster = cluster
        self._seconds = seconds
        self._rates = rates
        self._together = together
        self._sent = 0

    def next(self) -> Assignment:
        self._sent += 1
        return Assignment(str(self._sent), "{}", f"pair {self._sent}")

    def left(self) -> int:
        return 1 << 30

    def take(self, id: str, result: str) -> bool:
        self.games += 2
        self._cluster.spend(2 * self._rates.game + (0.0 if self._together else 2 * self._rates.transaction))
        return self._cluster.now >= self._seconds

    def ready(self, programs: list[str]) -> None:
        pass

    @contextmanager
    def transaction(self) -> Iterator[None]:
        yield
        if self._together:
            self._cluster.spend(self._rates.transaction)


@dataclass(frozen=True)
class Figures:
    cores: int
    games_a_second: float
    efficiency: float  # of the processors
    driver: float  # the share of time that the driver is busy
    lost: int  # tasks with their machines

    @property
    def games_a_day(self) -> float:
        return 86_400 * self.games_a_second


def simulate(
    cores: int, game_seconds: float, rates: Rates = MEASURED, together: bool = True, life: float = 0.0, seed=0
) -> Figures:
    """A run of about twenty jobs for each processor."""
    cluster = SimulatedCluster(cores, min(cores, 64), 2 * game_seconds, rates, seed, life=life)
    seconds = max(40 * game_seconds, 20.0)
    games = Games(cluster, seconds, rates, together)
    dispatcher = Dispatcher(cluster, {}, IDENTITY, games, lambda text: None, 1 << 30, clock=cluster.clock)
    dispatcher.run(lambda: None)
    rate = games.games / cluster.now
    slow_mean = sum(cpus / cluster._speed[name] for name, cpus in cluster._machines.items()) / cores
    best = cores / game_seconds * slow_mean
    return Figures(cores, rate, rate / best, cluster.busy_driver / cluster.now, cluster.lost)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cores", type=int, nargs="+", default=CORES)
    parser.add_argument("--game-seconds", type=float, nargs="+", default=GAME_SECONDS)
    parser.add_argument("--single", action="store_true", help="one transaction a game")
    parser.add_argument("--life", type=float, default=0.0, help="mean seconds until a machine is lost (0 = never)")
    args = parser.parse_args()
    print("| cores | s a game | games a second | games a day | of the processors | driver busy | tasks lost |")
    print("|---|---|---|---|---|---|---|")
    for seconds in args.game_seconds:
        for cores in args.cores:
            f = simulate(cores, seconds, together=not args.single, life=args.life)
            shown = f"{f.games_a_second:,.1f} | {f.games_a_day:,.0f} | {f.efficiency:.0%} | {f.driver:.0%} | {f.lost}"
            print(f"| {cores:,} | {seconds:g} | {shown} |", flush=True)


if __name__ == "__main__":
    main()

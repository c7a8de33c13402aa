"""A cluster without machines: tasks run here, when the test lets them, and machines come, go and hang as it says."""

from __future__ import annotations

import json
import random
from contextlib import nullcontext
from dataclasses import dataclass

from tesuji.lab.cluster.connection import MachineInfo, MachineLost
from tesuji.lab.cluster.dispatcher import Assignment, Dispatcher
from tesuji.lab.cluster.tasks import check_machine, do_jobs

IDENTITY = {"code": "aaaa", "numba": "1.0"}


@dataclass
class Task:
    allowed: list[str]
    cpus: int
    function: object
    arguments: tuple
    machine: str = ""  # where it runs


class FakeCluster:
    """Machines by name, with their processors. `plays` says what a job becomes; `hangs` and `lost` are names of machines.

    As with Ray a task runs where processors are free, on one of the machines that it is for, and again if that is lost.
    """

    needs_token = False

    def __init__(self, **cpus: float):
        self.now = 0.0
        self.cpus = cpus
        self.answers: dict[str, dict] = {}  # what a machine says of itself, where that is not as usual
        self.hangs: set[str] = set()
        self.lost: set[str] = set()
        self.sent: list[tuple[str, int, list[str]]] = []  # where jobs ran
        self.most_under_way = 0
        self.tried_again = 0
        self.on_wait = lambda: None
        self._tasks: dict[int, Task] = {}
        self._count = 0

    def clock(self) -> float:
        return self.now

    def machines(self) -> list[MachineInfo]:
        return [MachineInfo(name, name, cpus) for name, cpus in self.cpus.items() if name not in self.lost]

    def send(self, machines, cpus, function, *arguments):
        self._count += 1
        self._tasks[self._count] = Task(list(machines), cpus, function, arguments)
        under_way = sum(task.function is do_jobs for task in self._tasks.values())
        self.most_under_way = max(self.most_under_way, under_way)
        return self._count

    def wait(self, tasks, seconds):
        """The oldest task that can end; time passes if there is none."""
        self.on_wait()
        self._place()
        ended = [task for task in tasks if self._can_end(self._tasks[task])][:1]
        self.now += 0.2 if ended else max(seconds, 5.0)
        return ended

    def _place(self) -> None:
        for task in self._tasks.values():
            if task.machine in self.lost:
                task.machine = ""
                self.tried_again += 1
            free = {m: self.cpus[m] - self._used(m) for m in task.allowed if m not in self.lost}
            able = [m for m in free if free[m] >= task.cpus or task.function is not do_jobs]
            if not task.machine and able:
                task.machine = max(able, key=free.__getitem__)
                if task.function is do_jobs:
                    self.sent.append((task.machine, task.cpus, [json.loads(text)["n"] for text in task.arguments[1]]))

    def _used(self, machine: str) -> int:
        return sum(task.cpus for task in self._tasks.values() if task.machine == machine and task.function is do_jobs)

    def _can_end(self, task: Task) -> bool:
        return (bool(task.machine) and task.machine not in self.hangs) or self.lost.issuperset(task.allowed)

    def result(self, task):
        done = self._tasks.pop(task)
        if not done.machine:
            raise MachineLost("TaskUnschedulableError: gone")
        return done.machine, self.answer(done)

    def answer(self, task: Task) -> dict:
        if task.function is check_machine:
            usual = {"host": task.machine, "processor": "P", "threads_per_core": 2, "auth": "", "identity": IDENTITY}
            return {**usual, **self.answers.get(task.machine, {})}
        if task.function is not do_jobs:
            return {"programs": ["", "GNU Go 3.8"]}
        return self.play(task.machine, [json.loads(text)["n"] for text in task.arguments[1]])

    def play(self, machine: str, jobs: list[int]) -> dict:
        return {"results": [json.dumps(n * n) for n in jobs], "seconds": 2.0 * len(jobs)}

    def cancel(self, task):
        self._tasks.pop(task, None)


class RealWork(FakeCluster):
    """Does what it is sent, in this process, in a random order; one in `loses` is lost with its machines, the second first."""

    def __init__(self, seed: int = 0, loses: int = 0):
        super().__init__(a=2, b=1)
        self.losses = self.ended = 0
        self._chance = random.Random(seed)
        self._loses = loses

    def wait(self, tasks, seconds):
        self.now += 5.0
        return [self._chance.choice(list(tasks))]

    def result(self, task):
        done = self._tasks.pop(task)
        self.ended += done.function is do_jobs
        if done.function is do_jobs and self._loses and self.ended % self._loses == 2:
            self.losses += 1
            raise MachineLost("TaskUnschedulableError: gone")
        return done.allowed[0], done.function(*done.arguments)


class Squares:
    """Numbers to be squared."""

    kept: str = "the squares so far are kept"

    def __init__(self, count: int):
        self.waiting = list(range(count))
        self.found: list[tuple[int, int]] = []
        self.programs: list[str] = []
        self.enough = count

    def next(self):
        return Assignment(f"id{(n := self.waiting.pop(0))}", json.dumps({"n": n}), f"number {n}") if self.waiting else None

    def left(self):
        return len(self.waiting)

    def take(self, id, result):
        self.found.append((int(id[2:]), json.loads(result)))
        return len(self.found) == self.enough

    def ready(self, programs):
        self.programs = programs

    def transaction(self):
        return nullcontext()


def dispatch(cluster: FakeCluster, source: Squares, most=1000, threads=1, timed=False):
    """Does all of the source's jobs; (the dispatcher, what it told)."""
    told: list[str] = []
    found = Dispatcher(cluster, {}, IDENTITY, source, told.append, most, threads, timed, cluster.clock)
    try:
        found.run(lambda: None)
    finally:
        found.close()
    return found, told

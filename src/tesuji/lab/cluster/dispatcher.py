"""Hands jobs to the machines of a cluster, and takes each result once, whatever happens to machines meanwhile.

A machine that joins is looked at first: other code, weights or compiler, or no token, and it is refused by name. Then it
compiles, alone, and only then gets jobs, not more at once than keep it busy. A job whose machine is lost goes to another. So
does one that has had no answer for much longer than others took; whichever answer comes first is taken, and the other dropped.
Jobs are known by their ids, and the same jobs have the same ids.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from tesuji.core.errors import UserError
from tesuji.lab.cluster.connection import MachineInfo, MachineLost
from tesuji.lab.cluster.identity import differences
from tesuji.lab.cluster.tasks import check_machine, do_jobs, prepare_machine

TICK = 0.25  # seconds between two updates of the display
REST_SECONDS = 3.0  # without new jobs for a machine on which a process ended: it may be gone, which is not known at once
LOOK_SECONDS = 1.0  # between two looks at which machines there are
NO_MACHINE_SECONDS = 60.0  # that we wait for a machine when there is none left
MOST_FAILURES = 5  # of a job, as its process or its machine ends
MOST_FAULTS = 2  # of a job that raises an error of its own: a second machine may be without it, a third will not
FIRST_DEADLINE = 900.0  # seconds for a job before any has ended
SHORTEST_DEADLINE = 30.0
DEADLINE_FACTOR = 8.0  # of the longest time that a job took from sending to result
BATCH_SECONDS = 1.0  # jobs are sent together if they take less
LARGEST_BATCH = 64

Clock = Callable[[], float]
Tell = Callable[[str], None]


class ClusterLike(Protocol):
    """What is needed of a cluster (connection.Cluster)."""

    needs_token: bool

    def machines(self) -> list[MachineInfo]: ...

    def send(self, machine: str, cpus: int, function: Callable[..., Any], *arguments: Any) -> Any: ...

    def wait(self, tasks: Sequence[Any], seconds: float) -> list[Any]: ...

    def result(self, task: Any) -> Any: ...

    def cancel(self, task: Any) -> None: ...


class Assignment(NamedTuple):
    """A job as it is sent: an id, its text in JSON, and what to call it in messages."""

    id: str
    text: str
    name: str


class AssignmentSource(Protocol):
    """Where jobs come from and results go."""

    @property
    def kept(self) -> str:
        """What a message says becomes of the results so far, when not all jobs can be done."""
        ...

    def next(self) -> Assignment | None:
        """The next job; None while there is none."""
        ...

    def left(self) -> int:
        """How many there are still to hand out, now or later."""
        ...

    def take(self, id: str, result: str) -> bool:
        """Keeps a result, in JSON; True when nothing more is to be done at all."""
        ...

    def ready(self, programs: list[str]) -> None:
        """A machine is ready; the names of its GTP programs, if any."""
        ...

    def transaction(self) -> AbstractContextManager[Any]:
        """Around results that come together."""
        ...


@dataclass
class Machine:
    """A machine of the cluster. Tasks that are sent and have not ended count as running there."""

    info: MachineInfo
    name: str
    cpus: int = 1  # that a job takes there
    processor: str = ""
    is_ready: bool = False
    refused: str = ""
    rests_until: float = 0.0
    running: int = 0
    done: int = 0  # jobs

    @property
    def slots(self) -> int:
        return int(self.info.cpus) // self.cpus


@dataclass
class OpenJob:
    """A job that was handed out and has no result yet."""

    assignment: Assignment
    machines: list[str] = field(default_factory=list)  # where it was sent
    failures: int = 0
    faults: int = 0
    under_way: int = 0  # copies


@dataclass
class Sent:
    """Jobs that were sent together, or, without any, a look at a machine."""

    machine: str
    jobs: list[str]
    at: float
    until: float
    is_late: bool = False


class Dispatcher:
    """Does the jobs of a source on a cluster.

    `setup` is what all jobs have in common, in JSON, `identity` what machines must share with this one, `threads` how many a
    job has; `timed` = its result depends on the speed of the machine, so it takes whole cores. `most` bounds the jobs at once;
    `depth` is how many a processor has, the one that runs and those that wait: only one where time counts.
    """

    def __init__(
        self,
        cluster: ClusterLike,
        setup: str,
        identity: dict[str, str],
        source: AssignmentSource,
        tell: Tell,
        most: int,
        threads: int = 1,
        timed: bool = False,
        clock: Clock = time.monotonic,
        depth: int = 2,
    ):
        self.machines: dict[str, Machine] = {}
        self.sent_again = 0
        self.dropped = 0  # results that had come before
        self._cluster = cluster
        self._setup = setup
        self._identity = identity
        self._source = source
        self._tell = tell
        self._most = most
        self._threads = threads
        self._timed = timed
        self._clock = clock
        self._depth = 1 if timed else depth
        self._open: dict[str, OpenJob] = {}
        self._again: deque[str] = deque()
        self._tasks: dict[Any, Sent] = {}
        self._looked = self._usable = self._late_at = clock()
        self._has_looked = self._has_warned = False
        self._job_seconds = 0.0  # about, of one job
        self._longest = 0.0  # from sending to result

    @property
    def busy(self) -> int:
        """Jobs under way."""
        return sum(job.under_way > 0 for job in self._open.values())

    def run(self, on_tick: Callable[[], object]) -> None:
        """Until the source has nothing more to be done."""
        while True:
            self._look_for_machines()
            self._send_jobs()
            if not self._open and not self._source.left():
                return
            self._check_usable()
            ended = self._cluster.wait(list(self._tasks), TICK) if self._tasks else self._pause()
            if ended and self._take_all(ended):
                return
            self._send_late_again()
            on_tick()

    def close(self) -> None:
        """Ends what is still under way."""
        for task in self._tasks:
            self._cluster.cancel(task)
        self._tasks.clear()

    def _pause(self) -> list[Any]:
        time.sleep(TICK)
        return []

    # -- machines ----------------------------------------------------------------------------------------------------
    def _look_for_machines(self) -> None:
        now = self._clock()
        if self._has_looked and now - self._looked < LOOK_SECONDS:
            return
        self._looked, self._has_looked = now, True
        found = {info.id: info for info in self._cluster.machines()}
        for gone in self.machines.keys() - found.keys():
            machine = self.machines.pop(gone)
            if machine.is_ready:
                self._tell(f"{machine.name} is lost; its jobs go to other machines")
        for id, info in found.items():
            if id not in self.machines and info.cpus >= 1:
                self.machines[id] = Machine(info, info.name)
                self._send(self.machines[id], check_machine)

    def _send(self, machine: Machine, function: Callable[..., Any], *arguments: Any) -> None:
        """A task that is no job."""
        now = self._clock()
        task = self._cluster.send(machine.info.id, machine.cpus, function, self._setup, *arguments)
        self._tasks[task] = Sent(machine.info.id, [], now, now + FIRST_DEADLINE)

    def _check(self, machine: Machine, answer: dict[str, Any]) -> None:
        """What a machine says of itself, before it gets a job."""
        if "programs" in answer:
            machine.is_ready = True
            self._source.ready(answer["programs"])
            return
        if "host" in answer:
            machine.name = f"{answer['host']} ({machine.info.name})"
            machine.processor = answer["processor"]
            machine.cpus = self._threads * (int(answer["threads_per_core"]) if self._timed else 1)
            machine.cpus = min(machine.cpus, max(self._threads, int(machine.info.cpus)))
        why = answer.get("refused", "") or differences(self._identity, answer.get("identity", {}))
        if not why and self._cluster.needs_token and answer["auth"] != "token":
            why = "its Ray was started without a token (RAY_AUTH_MODE=token)"
        if not why and not machine.slots:
            why = f"it has {machine.info.cpus:g} processors, and a job takes {machine.cpus}"
        if why:
            machine.refused = why
            self._tell(f"{machine.name} is not used: {why}")
            return
        self._warn_of_unlike(machine)
        self._send(machine, prepare_machine)

    def _warn_of_unlike(self, machine: Machine) -> None:
        kinds = {other.processor for other in self.machines.values() if other.processor and not other.refused}
        if self._timed and len(kinds) > 1 and not self._has_warned:
            self._has_warned = True
            self._tell(
                f"the machines are unlike ({', '.join(sorted(kinds))}), so seconds are worth more on some; "
                "a fixed number of playouts a move is the same on all"
            )

    def _check_usable(self) -> None:
        """An error if no machine can be used, at once if all were refused, else after a while."""
        now = self._clock()
        if any(not machine.refused for machine in self.machines.values()):
            self._usable = now
            return
        refused = [f"{machine.name}: {machine.refused}" for machine in self.machines.values()]
        if refused:
            raise UserError(f"no machine of the cluster can be used; {'; '.join(refused)}")
        if now - self._usable > NO_MACHINE_SECONDS:
            raise UserError(f"the cluster has no machine that is free for jobs; {self._source.kept}")

    # -- jobs --------------------------------------------------------------------------------------------------------
    def _send_jobs(self) -> None:
        while True:
            offers = ((machine, self._next_batch(machine.info.id)) for machine in self._free_machines())
            machine, batch = next((offer for offer in offers if offer[1]), (None, []))
            if machine is None:
                return
            now = self._clock()
            patience = self._patience() * 2 ** max(len(self._open[id].machines) for id in batch)
            for id in batch:
                self._open[id].machines.append(machine.info.id)
                self._open[id].under_way += 1
            texts = [self._open[id].assignment.text for id in batch]
            task = self._cluster.send(machine.info.id, machine.cpus, do_jobs, self._setup, texts)
            self._tasks[task] = Sent(machine.info.id, batch, now, now + patience)
            machine.running += 1

    def _free_machines(self) -> list[Machine]:
        """The machines to send to, the one with the least to do first. Not each takes every job: see `_following`."""
        if sum(machine.running for machine in self.machines.values()) >= self._most:
            return []
        now = self._clock()
        able = [m for m in self.machines.values() if m.is_ready and not m.refused and m.rests_until <= now]
        free = [machine for machine in able if machine.running < self._depth * machine.slots]
        return sorted(free, key=lambda machine: machine.running / machine.slots)

    def _next_batch(self, machine: str) -> list[str]:
        """The ids of the jobs to send together: more than one only where they are short and many."""
        slots = sum(m.slots for m in self.machines.values() if m.is_ready)
        size = 1 if self._timed or not self._job_seconds else int(BATCH_SECONDS / self._job_seconds)
        size = max(1, min(size, LARGEST_BATCH, self._source.left() // (4 * max(1, slots))))
        return list(self._following(machine, size))

    def _following(self, machine: str, size: int) -> Iterator[str]:
        usable = {id for id, other in self.machines.items() if other.is_ready and not other.refused}
        for id in self._again:
            tried = self._open[id].machines
            if machine not in tried or usable <= set(tried):  # rather another machine, if there is one
                self._again.remove(id)
                yield id  # alone, as it may be what ends its process
                return
        for _ in range(size):
            assignment = self._source.next()
            if assignment is None:
                return
            self._open[assignment.id] = OpenJob(assignment)
            yield assignment.id

    def _take_all(self, ended: Iterable[Any]) -> bool:
        """Tasks have ended. What they bring is kept even if one of them shows that we cannot go on."""
        failure: UserError | None = None
        is_end = False
        with self._source.transaction():
            for task in ended:
                try:
                    is_end = self._take(task, self._tasks.pop(task))
                except UserError as error:
                    failure = error
                if is_end:
                    break
        if failure is not None and not is_end:
            raise failure
        return is_end

    def _take(self, task: Any, sent: Sent) -> bool:
        """A task has ended. True when nothing more is to be done at all."""
        machine = self.machines.get(sent.machine)
        if machine is not None and sent.jobs:
            machine.running -= 1
        for id in sent.jobs:
            if id in self._open:
                self._open[id].under_way -= 1
        try:
            answer = self._cluster.result(task)
        except MachineLost as error:
            if machine is not None:
                machine.rests_until = self._clock() + REST_SECONDS
            self._reopen(sent.jobs, str(error), is_fault=False)
            if machine is not None and not sent.jobs:
                machine.refused = f"it could not be looked at ({error})"
            return False
        if not sent.jobs:
            if machine is not None:
                self._check(machine, answer)
            return False
        if "fault" in answer:
            self._reopen(sent.jobs, answer["fault"], is_fault=True)
            return False
        self._longest = max(self._longest, self._clock() - sent.at)
        seconds = answer["seconds"] / len(sent.jobs)
        self._job_seconds = seconds if not self._job_seconds else 0.8 * self._job_seconds + 0.2 * seconds
        if machine is not None:
            machine.done += len(sent.jobs)
        for id, result in zip(sent.jobs, answer["results"], strict=True):
            if self._open.pop(id, None) is None:
                self.dropped += 1
                continue
            if id in self._again:
                self._again.remove(id)
            if self._source.take(id, result):
                return True
        return False

    def _reopen(self, jobs: Sequence[str], why: str, is_fault: bool) -> None:
        """These have failed, and are sent again, unless that keeps happening."""
        for id in jobs:
            job = self._open.get(id)
            if job is None:
                continue
            job.failures += not is_fault
            job.faults += is_fault and len(jobs) == 1  # of several it may have been another
            if job.failures >= MOST_FAILURES or job.faults >= MOST_FAULTS:
                raise UserError(f"{job.assignment.name} fails again and again: {why}; {self._source.kept}")
            if not job.under_way and id not in self._again:
                self._again.append(id)
                self.sent_again += 1

    def _patience(self) -> float:
        if not self._longest:
            return FIRST_DEADLINE
        return max(SHORTEST_DEADLINE, DEADLINE_FACTOR * self._longest)

    def _send_late_again(self) -> None:
        """Jobs without an answer at their deadline are sent to another machine; the first answer counts."""
        now = self._clock()
        if now - self._late_at < LOOK_SECONDS:
            return
        self._late_at = now
        for sent in self._tasks.values():
            if now >= sent.until and not sent.is_late and sent.jobs:
                sent.is_late = True
                late = [id for id in sent.jobs if id in self._open and id not in self._again]
                self._again.extend(late)
                self.sent_again += len(late)
                machine = self.machines.get(sent.machine)
                if late and machine is not None:
                    name = self._open[late[0]].assignment.name
                    self._tell(f"{machine.name} has not answered to {name} for {now - sent.at:.0f} s; it is sent again")

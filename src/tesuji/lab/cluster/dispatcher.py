"""Hands jobs to the machines of a cluster, and takes each result once, whatever happens to machines meanwhile.

A machine that joins is looked at first: other code, weights or compiler, or no token, and it is refused by name. Then it
compiles, alone, and only then gets jobs. Which of the machines that are ready does a job, and that it is tried again when a
process or a machine ends, is left to Ray; no more jobs are sent than keep the machines busy. What Ray cannot know is done here:
a job that raises an error goes to another machine, and so does one that has had no answer for much longer than others took.
Whichever answer comes first is taken, and the other dropped. Jobs are known by their ids, and the same jobs have the same ids.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from tesuji.core.errors import UserError
from tesuji.lab.cluster.connection import MachineInfo, MachineLost, TaskFailed
from tesuji.lab.cluster.identity import refusal
from tesuji.lab.cluster.tasks import check_machine, do_jobs, prepare_machine

TICK = 0.25  # seconds between two updates of the display
LOOK_SECONDS = 1.0  # between two looks at which machines there are
NO_MACHINE_SECONDS = 60.0  # that we wait for a machine when there is none left
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

    def send(self, machines: Sequence[str], cpus: int, function: Callable[..., Any], *arguments: Any) -> Any: ...

    def wait(self, tasks: Sequence[Any], seconds: float) -> list[Any]: ...

    def result(self, task: Any) -> tuple[str, Any]: ...

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
    """A machine of the cluster."""

    info: MachineInfo
    name: str
    cpus: int = 1  # that a job takes there
    processor: str = ""
    is_ready: bool = False
    refused: str = ""
    done: int = 0  # jobs
    answered: float = 0.0  # when it last brought a result

    @property
    def slots(self) -> int:
        return int(self.info.cpus) // self.cpus


@dataclass
class OpenJob:
    """A job that was handed out and has no result yet."""

    assignment: Assignment
    times_sent: int = 0
    faults: int = 0
    under_way: int = 0  # copies
    avoids: set[str] = field(default_factory=set)  # machines where it failed, or may hang


@dataclass
class Sent:
    """Jobs that were sent together, or, without any, a look at a machine."""

    machines: list[str]  # one of them does it
    cpus: int
    jobs: list[str]
    at: float
    until: float
    is_late: bool = False


class Dispatcher:
    """Does the jobs of a source on a cluster.

    `setup` is what all jobs have in common, `identity` what machines must share with this one, `threads` how many a
    job has; `timed` = its result depends on the speed of the machine, so it takes whole cores. `most` bounds the jobs at once;
    `depth` is how many a processor has, the one that runs and those that wait: only one where time counts.
    """

    def __init__(
        self,
        cluster: ClusterLike,
        setup: dict[str, Any],
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
        self._setup = json.dumps(setup, sort_keys=True)
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

    def __enter__(self) -> Dispatcher:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

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
        task = self._cluster.send([machine.info.id], machine.cpus, function, self._setup, *arguments)
        self._tasks[task] = Sent([machine.info.id], machine.cpus, [], now, now + FIRST_DEADLINE)

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
        why = refusal(self._identity, answer, self._cluster.needs_token)
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
            offers = ((group, *self._next_batch(group)) for group in self._free_groups())
            group, machines, batch = next((offer for offer in offers if offer[2]), ([], [], []))
            if not batch:
                return
            now = self._clock()
            patience = self._patience() * 2 ** max(self._open[id].times_sent for id in batch)
            for id in batch:
                self._open[id].times_sent += 1
                self._open[id].under_way += 1
            texts = [self._open[id].assignment.text for id in batch]
            cpus = group[0].cpus
            task = self._cluster.send([machine.info.id for machine in machines], cpus, do_jobs, self._setup, texts)
            self._tasks[task] = Sent([machine.info.id for machine in machines], cpus, batch, now, now + patience)

    @property
    def _able(self) -> list[Machine]:
        return [machine for machine in self.machines.values() if machine.is_ready and not machine.refused]

    def _free_groups(self) -> list[list[Machine]]:
        """The machines on which a job takes as many processors, if they have too little to do: those with the least first."""
        sent = [one for one in self._tasks.values() if one.jobs]
        if len(sent) >= self._most:
            return []
        groups: dict[int, list[Machine]] = {}
        for machine in self._able:
            groups.setdefault(machine.cpus, []).append(machine)
        load = {cpus: sum(s.cpus == cpus for s in sent) / sum(m.slots for m in group) for cpus, group in groups.items()}
        return [groups[cpus] for cpus in sorted(groups, key=load.__getitem__) if load[cpus] < self._depth]

    def _next_batch(self, group: list[Machine]) -> tuple[list[Machine], list[str]]:
        """The ids of the jobs to send together, and which machines may do them. One job alone if it is sent again, as it may be
        what ends its process, and but for short jobs, of which there are many.
        """
        for id in self._again:
            avoids = self._open[id].avoids
            rest = [machine for machine in group if machine.info.id not in avoids]
            if rest or all(machine.info.id in avoids for machine in self._able):  # rather another machine, if there is one
                self._again.remove(id)
                return rest or group, [id]
        slots = sum(machine.slots for machine in self._able)
        size = 1 if self._timed or not self._job_seconds else int(BATCH_SECONDS / self._job_seconds)
        size = max(1, min(size, LARGEST_BATCH, self._source.left() // (4 * max(1, slots))))
        batch = []
        while len(batch) < size and (assignment := self._source.next()) is not None:
            self._open[assignment.id] = OpenJob(assignment)
            batch.append(assignment.id)
        return group, batch

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
        for id in sent.jobs:
            if id in self._open:
                self._open[id].under_way -= 1
        try:
            where, answer = self._cluster.result(task)
        except (MachineLost, TaskFailed) as error:
            if sent.jobs:
                self._reopen(sent.jobs, str(error), isinstance(error, TaskFailed))
            elif sent.machines[0] in self.machines:
                self.machines[sent.machines[0]].refused = f"it could not be looked at ({error})"
            return False
        machine = self.machines.get(where)
        if not sent.jobs:
            if machine is not None:
                self._check(machine, answer)
            return False
        if machine is not None:
            machine.answered = self._clock()
        if "fault" in answer:
            for id in sent.jobs:
                if id in self._open and len(sent.jobs) == 1:  # of several it may have been another
                    self._open[id].faults += 1
                    self._open[id].avoids.add(where)
            self._reopen(sent.jobs, answer["fault"], False)
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

    def _reopen(self, jobs: Sequence[str], why: str, is_hopeless: bool) -> None:
        """These have failed, and are sent again, unless that keeps happening."""
        for id in [id for id in jobs if id in self._open]:
            job = self._open[id]
            if (is_hopeless and len(jobs) == 1) or job.faults >= MOST_FAULTS:
                raise UserError(f"{job.assignment.name} fails again and again: {why}; {self._source.kept}")
            if not job.under_way and id not in self._again:
                self._again.append(id)
                self.sent_again += 1

    def _patience(self) -> float:
        if not self._longest:
            return FIRST_DEADLINE
        return max(SHORTEST_DEADLINE, DEADLINE_FACTOR * self._longest)

    def _send_late_again(self) -> None:
        """Jobs without an answer at their deadline are sent once more, and the first answer counts. Which machine hangs is not
        known, but it is not the one that has answered last.
        """
        now = self._clock()
        if now - self._late_at < LOOK_SECONDS:
            return
        self._late_at = now
        for sent in self._tasks.values():
            late = [id for id in sent.jobs if id in self._open and id not in self._again]
            if now < sent.until or sent.is_late or not late:
                continue
            sent.is_late = True
            alive = [self.machines[id] for id in sent.machines if id in self.machines]
            last = max(alive, key=lambda machine: machine.answered).info.id if len(alive) > 1 else None
            for id in late:
                self._open[id].avoids |= set(sent.machines) - {last}
            self._again.extend(late)
            self.sent_again += len(late)
            name = self._open[late[0]].assignment.name
            self._tell(f"the cluster has not answered to {name} for {now - sent.at:.0f} s; it is sent again")

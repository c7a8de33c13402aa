"""Worker processes on this machine: they are started, get jobs, and are replaced when they die."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.sources import PACKAGE
from tesuji.lab.match.games import Played
from tesuji.lab.match.jobs import GamesJob, JobSource
from tesuji.lab.match.plan import Plan

TICK = 0.25  # seconds between two updates of the display
END_SECONDS = 2.0  # that a worker gets to end
MOST_ATTEMPTS = 3  # at a job whose process ends before its games do
Tell = Callable[[str], None]


class Pool:
    """Plays the jobs of a source with so many processes."""

    def __init__(self, plan: Plan, game_text: str, workers: int, source: JobSource, tell: Tell):
        self._plan = plan
        self._game_text = game_text
        self._workers = workers
        self._source = source
        self._tell = tell
        self._returned: deque[GamesJob] = deque()  # of processes that ended
        self._attempts: dict[int, int] = {}
        self._live: list[Worker] = []

    def run(self, on_tick: Callable[[], None]) -> None:
        """Plays until the source has nothing more to be played."""
        with selectors.DefaultSelector() as selector:
            self._start(selector)  # alone at first: it shows whether the games can be played, and fills the compile cache
            while self._live:
                for key, _ in selector.select(TICK):
                    worker: Worker = key.data
                    for message in worker.read():
                        if self._handle(selector, worker, message):
                            return
                on_tick()
            if self._returned or self._source.jobs_left():
                raise UserError("no process that plays is left; the games that were played are kept")

    @property
    def busy(self) -> int:
        """Jobs under way."""
        return sum(worker.job is not None for worker in self._live)

    def close(self) -> None:
        for worker in self._live:
            worker.close()
        for worker in self._live:
            worker.end()
        self._live.clear()

    def _start(self, selector: selectors.BaseSelector) -> None:
        worker = Worker(self._plan, self._game_text)
        self._live.append(worker)
        selector.register(worker.output, selectors.EVENT_READ, worker)

    def _stop(self, selector: selectors.BaseSelector, worker: Worker) -> None:
        selector.unregister(worker.output)
        self._live.remove(worker)
        worker.close()
        worker.end()

    def _handle(self, selector: selectors.BaseSelector, worker: Worker, message: dict[str, Any] | None) -> bool:
        """A message of a worker; None when it has ended. True when nothing more is to be played."""
        if message is None:
            self._worker_ended(selector, worker)
        elif "refused" in message:
            if not any(other.is_ready for other in self._live):
                raise UserError(message["refused"])
            self._tell(f"one process less: {message['refused']}")
            self._stop(selector, worker)
        elif "fault" in message:
            worker.fault = message["fault"]
        elif "ready" in message:
            worker.is_ready = True
            for slot, program in enumerate(message["ready"]):
                if program:
                    self._source.name_program(slot, program)
            self._assign(worker)
            waiting = len(self._returned) + self._source.jobs_left()
            while len(self._live) < min(self._workers, waiting + self.busy):
                self._start(selector)
        else:
            job, worker.job = worker.job, None
            assert job is not None and message["id"] == job.id(self._plan), "the answer to another job"
            with self._source.transaction():
                is_end = self._source.take_results(job, [Played(**values) for values in message["played"]])
            if is_end:
                return True
            for idle in [other for other in self._live if other.is_idle]:
                self._assign(idle)
        return False

    def _assign(self, worker: Worker) -> None:
        """The next job for a worker that has nothing to do; its end if there will be none, else it waits."""
        job = self._returned.popleft() if self._returned else self._source.next_job()
        if job is not None:
            worker.assign(job)
        elif not self._source.jobs_left():
            worker.finish()  # that it has ended is heard later

    def _worker_ended(self, selector: selectors.BaseSelector, worker: Worker) -> None:
        """A worker has ended. Its games are played again by another, unless that keeps happening."""
        job, why = worker.job, worker.fault
        code = worker.code()
        self._stop(selector, worker)
        how = why or (f"signal {-code}" if code < 0 else f"exit code {code}")
        if not worker.is_ready:
            if not any(other.is_ready for other in self._live):
                raise UserError(f"a process that plays could not be started: {how}")
            self._tell(f"one process less: it could not be started ({how})")
            return
        if job is None:
            return
        name = f"game {job.games[0][0].number + 1}"
        self._attempts[job.number] = self._attempts.get(job.number, 0) + 1
        if self._attempts[job.number] >= MOST_ATTEMPTS:
            raise UserError(
                f"the process that plays {name} ended {MOST_ATTEMPTS} times before the game did ({how}); "
                "if memory is short, try fewer --workers or a smaller memory= of the players"
            )
        self._tell(f"the process that played {name} ended ({how}); the game is played again")
        self._returned.append(job)
        self._start(selector)


class Worker:
    """The parent's end of a worker process. It is in a session of its own, so that Ctrl-C in a terminal reaches only us."""

    def __init__(self, plan: Plan, game_text: str):
        paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process: Any = subprocess.Popen(
            [sys.executable, "-m", "tesuji.lab.match.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        self.job: GamesJob | None = None  # under way
        self.is_ready = False
        self.fault = ""
        self._plan = plan
        self._buffer = b""
        self._is_told_to_end = False
        self._send({"plan": plan.for_workers().as_json(), "game": game_text})

    @property
    def output(self) -> Any:
        return self._process.stdout

    @property
    def is_idle(self) -> bool:
        """Whether it waits for a job."""
        return self.is_ready and self.job is None and not self._is_told_to_end

    def assign(self, job: GamesJob) -> None:
        self.job = job
        self._send({"id": job.id(self._plan), "job": job.as_json()})

    def read(self) -> list[dict[str, Any] | None]:
        """The messages that have come; the last is None if the process has ended."""
        piece = os.read(self.output.fileno(), 1 << 20)
        *lines, self._buffer = (self._buffer + piece).split(b"\n")
        messages: list[dict[str, Any] | None] = [json.loads(line) for line in lines]
        return messages if piece else [*messages, None]

    def code(self) -> int:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(END_SECONDS)
        return 0

    def finish(self) -> None:
        """Lets the process close its GTP programs and end."""
        if not self._is_told_to_end:
            self._is_told_to_end = True
            self._send({"job": None})

    def close(self) -> None:
        """Tells the process to end at once."""
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def end(self) -> None:
        """Waits for its end, not long."""
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.output.close()

    def _send(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(BrokenPipeError):  # it has ended, which reading from it will tell
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

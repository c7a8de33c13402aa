"""Games as jobs on a cluster: for a match, or for tuning, in place of processes on this machine (match/pool.py)."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from tesuji.lab.cluster.dispatcher import Assignment, ClusterLike, Dispatcher
from tesuji.lab.cluster.identity import plan_identity
from tesuji.lab.cluster.tasks import MATCH
from tesuji.lab.match.games import Played
from tesuji.lab.match.jobs import GamesJob, JobSource
from tesuji.lab.match.plan import Plan
from tesuji.lab.match.playing import JobPlayer
from tesuji.lab.match.pool import Tell


class ClusterPool:
    """Plays the jobs of a source on a cluster, so many at once; `threads` is how many a game needs."""

    def __init__(
        self, cluster: ClusterLike, plan: Plan, game_text: str, workers: int, source: JobSource, tell: Tell, threads: int
    ):
        setup = {"kind": MATCH, "plan": plan.for_workers().as_json(), "game": game_text}
        timed = bool(plan.clock) or any(spec.limits.is_timed for spec in plan.players)
        identity = plan_identity(plan, game_text)
        games = GameAssignments(plan, source)
        self.dispatcher = Dispatcher(cluster, setup, identity, games, tell, workers, threads, timed)

    def run(self, on_tick: Callable[[], None]) -> None:
        self.dispatcher.run(on_tick)

    @property
    def busy(self) -> int:
        return self.dispatcher.busy

    def close(self) -> None:
        self.dispatcher.close()


class GameAssignments:
    """A source of games as one of jobs in JSON."""

    kept: str = "what was done is kept"

    def __init__(self, plan: Plan, source: JobSource):
        self._plan = plan
        self._source = source
        self._jobs: dict[str, GamesJob] = {}

    def next(self) -> Assignment | None:
        job = self._source.next_job()
        if job is None:
            return None
        id = job.id(self._plan)
        self._jobs[id] = job
        return Assignment(id, json.dumps(job.as_json()), f"game {job.games[0][0].number + 1}")

    def left(self) -> int:
        return self._source.jobs_left()

    def take(self, id: str, result: str) -> bool:
        return self._source.take_results(self._jobs.pop(id), [Played(**values) for values in json.loads(result)])

    def ready(self, programs: list[str]) -> None:
        for slot, program in enumerate(programs):
            if program:
                self._source.name_program(slot, program)

    def transaction(self) -> AbstractContextManager[Any]:
        return self._source.transaction()


class GameHandler:
    """Plays such jobs on the cluster."""

    def __init__(self, setup: dict[str, Any]):
        self._player = JobPlayer(Plan.from_json(setup["plan"]), setup["game"])
        self.programs = self._player.programs

    @staticmethod
    def identity(setup: dict[str, Any]) -> dict[str, str]:
        return plan_identity(Plan.from_json(setup["plan"]), setup["game"])

    def work(self, job: dict[str, Any]) -> list[dict[str, Any]]:
        return [played.as_json() for played in self._player.play(GamesJob.from_json(job))]

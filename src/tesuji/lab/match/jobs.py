"""A job: a few games that one process plays in a row, with all that it needs to know beside the plan.

Jobs are stateless. Whoever plays one, once or several times, gets the same games where the limits are playouts; only the
process that owns the file of results takes them in, and each once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from tesuji.lab.match.games import Played
from tesuji.lab.match.plan import Opening, Plan, ScheduledGame


@dataclass(frozen=True)
class GamesJob:
    """Games with their openings; `values` are parameters that the player of slot 0 has in these games, as text."""

    number: int
    games: tuple[tuple[ScheduledGame, Opening], ...]
    values: Mapping[str, str] = field(default_factory=dict)

    def id(self, plan: Plan) -> str:
        """The same for the same games of the same plan, and another for any other: digest of settings, seeds, colours."""
        parts = [plan.fingerprint(), self.as_json()]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    def as_json(self) -> dict[str, Any]:
        games = [{"entry": asdict(entry), "opening": list(opening)} for entry, opening in self.games]
        return {"number": self.number, "games": games, "values": dict(self.values)}

    @staticmethod
    def from_json(values: dict[str, Any]) -> GamesJob:
        games = tuple((ScheduledGame(**game["entry"]), tuple(game["opening"])) for game in values["games"])
        return GamesJob(values["number"], games, values["values"])


class JobSource(Protocol):
    """Where jobs come from and results go: the one process that owns the file."""

    def next_job(self) -> GamesJob | None:
        """The next job; None while there is none, as it depends on results that are not there yet."""
        ...

    def jobs_left(self) -> int:
        """How many there are still to hand out, now or later."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Around results that are taken: they go to the disk together."""
        ...

    def take_results(self, job: GamesJob, games: list[Played]) -> bool:
        """Keeps the games of a job; True when nothing more is to be played at all."""
        ...

    def name_program(self, slot: int, program: str) -> None:
        """Who a GTP program says it is."""
        ...


class Executor(Protocol):
    """Who plays the jobs of a source: processes on this machine (pool.py), or a cluster (lab/cluster/pool.py)."""

    def run(self, on_tick: Callable[[], None]) -> None:
        """Plays until the source has nothing more to be played."""
        ...

    @property
    def busy(self) -> int:
        """Jobs under way."""
        ...

    def close(self) -> None:
        """Ends what is still under way."""
        ...

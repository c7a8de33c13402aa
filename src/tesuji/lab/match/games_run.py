"""One run that plays the games of a plan and keeps them in its file: what a match and a tune have in common."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.parameters import Settings
from tesuji.core.sources import playing_digest
from tesuji.io.gtp.client import check_program
from tesuji.lab.match.games import Played
from tesuji.lab.match.jobs import Executor, GamesJob, JobSource
from tesuji.lab.match.plan import Opening, Openings, Plan, PlayerSpec, read_openings
from tesuji.lab.match.pool import Pool, Tell
from tesuji.lab.match.store import Store
from tesuji.lab.processors import processors
from tesuji.players.presets import find_player

MOST_JOBS = 1 << 20  # at once, on a cluster: as many as it has processors
AnyRun = TypeVar("AnyRun", bound="GamesRun")


class GamesRun:
    """Hands jobs to those who play, and keeps the games as they end. A source of jobs (jobs.py) in parts."""

    def __init__(self, plan: Plan, game_text: str, store: Store, openings: Openings, workers: int):
        self.plan = plan
        self.game_text = game_text
        self.store = store
        self.openings = openings
        self.workers = workers
        self.cluster: str | None = None  # the address of a cluster that plays in place of processes of our own
        self.tell: Tell = lambda text: None  # a line for the user
        self.on_tick: Callable[[Any], None] = lambda run: None
        self.began = time.monotonic()
        self.played_now = 0
        self.interrupted = False
        self.other_code = False  # some games of the file were played by other sources of this program
        self._pool: Executor | None = None

    def run(self) -> None:
        """Plays what is missing. Ctrl-C ends it and keeps all games that were finished."""
        self._load()
        self.began = time.monotonic()
        try:
            if self.jobs_left() and not self.decision:
                self._pool = make_executor(self.cluster, self.plan, self.game_text, self.workers, self, self.tell)
                self._pool.run(lambda: self.on_tick(self))
        except KeyboardInterrupt:
            self.interrupted = True
            self._load()  # a game may have come just now
        finally:
            if self._pool is not None:
                self._pool.close()
            self._end()

    @property
    def playing(self) -> int:
        """Jobs under way."""
        return self._pool.busy if self._pool is not None else 0

    @property
    def decision(self) -> str:
        """Why nothing more is to be played, although games are left; mostly nothing."""
        return ""

    # -- what differs ------------------------------------------------------------------------------------------------
    def _load(self) -> None:
        """Takes what is in the file."""
        raise NotImplementedError

    def _count(self, games: list[Played]) -> None:
        """Counts games that have just been kept."""
        raise NotImplementedError

    def _end(self) -> None:
        """Whatever happened, at the end of the run."""

    # -- jobs --------------------------------------------------------------------------------------------------------
    def next_job(self) -> GamesJob | None:
        raise NotImplementedError

    def jobs_left(self) -> int:
        raise NotImplementedError

    def job_of(self, number: int, games: Iterable[int], values: Mapping[str, str] | None = None) -> GamesJob:
        """The job of these games; openings that it needs first are kept before they are played."""
        chosen = []
        for entry in map(self.plan.entry, games):
            known = len(self.openings.generated)
            chosen.append((entry, self.openings[entry.opening]))
            if len(self.openings.generated) > known:
                self.store.add_openings(known, self.openings.generated[known:])
        return GamesJob(number, tuple(chosen), values or {})

    def transaction(self) -> contextlib.AbstractContextManager[None]:
        """Results that are taken meanwhile go to the disk together."""
        return self.store.together()

    def take_results(self, job: GamesJob, games: list[Played]) -> bool:
        self.store.add(*games)
        self.played_now += len(games)
        self._count(games)
        for played in games:
            if played.is_forfeit:
                loser = played.second if played.winner == played.first else played.first
                name = self.plan.players[loser].label
                self.tell(f"game {played.number + 1}: {name} lost by its own fault ({played.reason}): {played.detail}")
            elif played.detail:
                self.tell(f"game {played.number + 1}: {played.detail}")
        return bool(self.decision)

    def name_program(self, slot: int, program: str) -> None:
        self.store.name_program(slot, program)


# -- starting ------------------------------------------------------------------------------------------------------------
def read_chosen_openings(game: Game, openings: str | None, opening_plies: int | None, random_plies: int) -> list[Opening]:
    """The openings of the file, if one is named; a UserError for options that contradict each other."""
    if openings and random_plies:
        raise UserError("give either --openings or --random-plies")
    if opening_plies is not None and not openings:
        raise UserError("--opening-plies is for the openings of a file: give --openings FILE too, or --random-plies")
    return read_openings(game, openings, opening_plies) if openings else []


@contextlib.contextmanager
def open_run(
    plan: Plan, game: Game, store: Store, cluster: str | None, workers: int | None, make: Callable[[int], AnyRun]
) -> Iterator[AnyRun]:
    """What `make` makes, given the number of workers, while its file is open, and locked."""
    if cluster:
        from tesuji.lab.cluster.connection import connect

        connect(cluster, workers)  # an address that does not answer is known before anything is written
    for spec in plan.players:
        if spec.is_gtp and not cluster:
            check_program(spec.command, spec.folder)  # now, and not only after the built-in players are compiled
    store.open(plan, code_digest(plan, game))
    try:
        run = make(workers or (MOST_JOBS if cluster else processors() // most_threads(plan) or 1))
        run.cluster = cluster
        run.other_code = store.has_other_code()
        yield run
    finally:
        store.close()


def make_executor(cluster: str | None, plan: Plan, game_text: str, workers: int, source: JobSource, tell: Tell) -> Executor:
    """Who plays: processes of our own or, with an address, a cluster."""
    if not cluster:
        return Pool(plan, game_text, workers, source, tell)
    from tesuji.lab.cluster.connection import connect
    from tesuji.lab.cluster.pool import ClusterPool

    return ClusterPool(connect(cluster, workers), plan, game_text, workers, source, tell, most_threads(plan))


def code_digest(plan: Plan, game: Game) -> str:
    """Digest of what the built-in players are made of: the program, and the files that their parameters name."""
    files = [{} if spec.is_gtp else settings_of(spec, game).file_digests() for spec in plan.players]
    return hashlib.sha256(f"{playing_digest()} {files}".encode()).hexdigest()


def settings_of(spec: PlayerSpec, game: Game) -> Settings:
    return find_player(spec.given, may_load=True).settings_for(game)


def most_threads(plan: Plan) -> int:
    """Threads of the built-in player that has the most: the processors that a game needs."""
    return max([1, *(int(values_of(spec.given).get("threads", 1)) for spec in plan.players if not spec.is_gtp)])


def values_of(player: str) -> dict[str, Any]:
    """What a player string says of parameters, or its preset does."""
    found = find_player(player, may_load=True)
    return {**found.values, **found.changes}

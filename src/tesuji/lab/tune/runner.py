"""Runs a tune: samples as jobs of two games each, handed to worker processes, and kept as they end."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.io.gtp.client import check_program
from tesuji.lab.match.games import Played
from tesuji.lab.match.jobs import Executor, GamesJob
from tesuji.lab.match.plan import Opening, Openings, openings_digest, read_openings
from tesuji.lab.match.pool import Tell
from tesuji.lab.match.runner import MOST_JOBS, code_digest, make_executor, most_threads
from tesuji.lab.processors import processors
from tesuji.lab.tune.estimate import Summary, history, summarize
from tesuji.lab.tune.methods import METHODS, make_method
from tesuji.lab.tune.plan import DEFAULT_WINDOW, GAMES_A_SAMPLE, TunePlan, make_tune_plan, openings_for
from tesuji.lab.tune.regression import Floats, Samples
from tesuji.lab.tune.space import point_of, values_at
from tesuji.lab.tune.store import TuneStore

MOST_WINDOW = 100_000
SUMMARY_SECONDS = 1.0  # at least, between two fits for the display


class TuneRunner:
    """One run of a tune."""

    def __init__(self, plan: TunePlan, game_text: str, games: int, store: TuneStore, openings: Openings, workers: int):
        self.plan = plan
        self.game_text = game_text
        self.game = find_game(game_text, False)
        self.total = -(-games // GAMES_A_SAMPLE)  # samples
        self.store = store
        self.openings = openings
        self.workers = workers
        self.cluster: str | None = None  # the address of a cluster that plays in place of processes of our own
        self.listed: list[Opening] = []  # all openings of the file
        self.tell: Tell = lambda text: None
        self.on_tick: Callable[[TuneRunner], None] = lambda runner: None
        self.began = time.monotonic()
        self.played_now = 0
        self.interrupted = False
        self.other_code = False
        self._method = make_method(plan.method, len(plan.parameters), plan.seed)
        self._samples: list[dict[str, str]] = []
        self._points: list[Floats] = []
        self._scores: dict[int, float] = {}  # of complete samples
        self._complete = 0  # samples at the beginning, all of them complete
        self._again: deque[int] = deque()  # samples of an earlier run without results
        self._pool: Executor | None = None
        self._summary: tuple[int, float, list[Summary]] | None = None

    # -- the whole ---------------------------------------------------------------------------------------------------
    def load(self) -> None:
        """Takes what is in the file."""
        self._samples = self.store.samples(self.plan)
        self._points = [point_of(self.plan.parameters, values) for values in self._samples]
        self._scores = scores_of(self.store.games())
        self._complete = 0
        self._advance()
        self._again = deque(n for n in range(min(len(self._samples), self.total)) if n not in self._scores)
        self.openings.restore(self.store.openings())

    def run(self) -> None:
        """Plays what is missing. Ctrl-C ends it and keeps all that was finished."""
        self.load()
        self.began = time.monotonic()
        try:
            if self.jobs_left():
                self._pool = make_executor(self.cluster, self.plan, self.game_text, self.workers, self, self.tell)
                self._pool.run(lambda: self.on_tick(self))
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            if self._pool is not None:
                self._pool.close()
        self.load()

    # -- jobs: the two games of a sample -----------------------------------------------------------------------------
    def next_job(self) -> GamesJob | None:
        if self._again:
            return self._job(self._again.popleft())
        number = len(self._samples)
        basis = self.plan.basis_of(number)
        if number >= self.total or self._complete < basis:
            return None
        before = self._points[-1] if self._points else None
        values = values_at(self.plan.parameters, self._method.sample(number, before, self._results(basis)))
        self.store.add_sample(number, values)
        self._samples.append(values)
        self._points.append(point_of(self.plan.parameters, values))
        return self._job(number)

    def _job(self, sample: int) -> GamesJob:
        games = []
        for number in range(GAMES_A_SAMPLE * sample, GAMES_A_SAMPLE * (sample + 1)):
            entry = self.plan.entry(number)
            known = len(self.openings.generated)
            opening = self.openings[entry.opening]
            if len(self.openings.generated) > known:
                self.store.add_openings(known, self.openings.generated[known:])
            games.append((entry, opening))
        return GamesJob(sample, tuple(games), self._samples[sample])

    def jobs_left(self) -> int:
        return len(self._again) + max(0, self.total - len(self._samples))

    def transaction(self) -> AbstractContextManager[None]:
        """Results that are taken meanwhile go to the disk together."""
        return self.store.together()

    def take_results(self, job: GamesJob, games: list[Played]) -> bool:
        self.store.add(*games)
        self._scores |= scores_of(games)
        self._advance()
        self.played_now += len(games)
        for played in games:
            if played.is_forfeit:
                loser = played.second if played.winner == played.first else played.first
                name = self.plan.players[loser].label
                self.tell(f"game {played.number + 1}: {name} lost by its own fault ({played.reason}): {played.detail}")
        return False

    def name_program(self, slot: int, program: str) -> None:
        self.store.name_program(slot, program)

    # -- what is known -----------------------------------------------------------------------------------------------
    @property
    def games_done(self) -> int:
        return GAMES_A_SAMPLE * sum(number < self.total for number in self._scores)

    @property
    def games_wanted(self) -> int:
        return GAMES_A_SAMPLE * self.total

    @property
    def playing(self) -> int:
        return self._pool.busy if self._pool is not None else 0

    def summaries(self, pause: float = 0.0) -> list[Summary]:
        """The estimate now, and as it was before; not computed again within `pause` seconds, nor without new results."""
        known, count = self._summary, min(self._complete, self.total)
        if known is None or (known[0] != count and time.monotonic() - known[1] >= pause):
            method = make_method(self.plan.method, len(self.plan.parameters), self.plan.seed)
            results = self._results(count)
            found = history(self.plan.parameters, method, results)
            found = found or [summarize(self.plan.parameters, method, results)]
            known = self._summary = (count, time.monotonic(), found)
        return known[2]

    @property
    def summary(self) -> Summary:
        return self.summaries()[-1]

    def _results(self, count: int) -> Samples:
        """The first samples, which must be complete."""
        points = np.array(self._points[:count]).reshape(count, len(self.plan.parameters))
        scores = np.array([self._scores[number] for number in range(count)])
        return Samples(points, np.full(count, float(GAMES_A_SAMPLE)), scores)

    def _advance(self) -> None:
        while self._complete in self._scores and self._complete < len(self._samples):
            self._complete += 1


def scores_of(games: Sequence[Played]) -> dict[int, float]:
    """The points of the tuned player, slot 0, in the samples whose games are all there."""
    points: dict[int, list[float]] = {}
    for played in games:
        score = 0.5 if played.winner is None else float(played.winner == 0)
        points.setdefault(played.number // GAMES_A_SAMPLE, []).append(score)
    return {sample: sum(found) for sample, found in points.items() if len(found) == GAMES_A_SAMPLE}


@contextlib.contextmanager
def open_tune(
    game: str,
    player: str,
    parameters: Sequence[str],
    against: Sequence[str] = (),
    games: int = 1000,
    *,
    file: str | None = None,
    seed: int = 0,
    workers: int | None = None,
    cluster: str | None = None,
    playouts: int | None = None,
    seconds: float | None = None,
    cpu: float | None = None,
    openings: str | None = None,
    opening_plies: int | None = None,
    random_plies: int = 0,
    method: str = "clop",
    window: int = DEFAULT_WINDOW,
) -> Iterator[TuneRunner]:
    """A TuneRunner whose `run` plays what is missing; its file is open, and locked, meanwhile."""
    if openings and random_plies:
        raise UserError("give either --openings or --random-plies")
    if opening_plies is not None and not openings:
        raise UserError("--opening-plies is for the openings of a file: give --openings FILE too, or --random-plies")
    if method not in METHODS:
        raise UserError(f"--method {method}: there are {', '.join(METHODS)}")
    if not 1 <= window <= MOST_WINDOW:
        raise UserError(f"--window {window}: 1 to {MOST_WINDOW} samples can be under way")
    found = find_game(game)
    listed = read_openings(found, openings, opening_plies) if openings else []
    others: dict[str, Any] = {"random_plies": random_plies, "openings": openings_digest(listed), "seed": seed, "cpu": cpu}
    plan = make_tune_plan(found, player, parameters, against, seconds, playouts, method, window, **others)
    if cluster:
        from tesuji.lab.cluster.connection import connect

        connect(cluster, workers)  # now: an address that does not answer is known before anything is written
    for spec in plan.players:
        if spec.is_gtp and not cluster:
            check_program(spec.command, spec.folder)
    store = TuneStore(plan.default_file() if file is None else file)
    store.open(plan, code_digest(plan))
    try:
        source = Openings(found, openings_for(listed, False), random_plies, seed)
        default = MOST_JOBS if cluster else processors() // most_threads(plan) or 1
        runner = TuneRunner(plan, game, games, store, source, workers or default)
        runner.cluster = cluster
        runner.listed = listed
        runner.other_code = store.has_other_code()
        yield runner
    finally:
        store.close()

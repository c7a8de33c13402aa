"""A tune: samples as jobs of two games each; what is known of the parameters after each."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.lab.match.games import Played
from tesuji.lab.match.games_run import GamesRun, open_run, read_chosen_openings
from tesuji.lab.match.jobs import GamesJob
from tesuji.lab.match.plan import Opening, Openings, openings_digest
from tesuji.lab.tune.estimate import Summary, history, summarize
from tesuji.lab.tune.methods import METHODS, make_method
from tesuji.lab.tune.plan import DEFAULT_WINDOW, GAMES_A_SAMPLE, TunePlan, make_tune_plan, openings_for
from tesuji.lab.tune.regression import Floats, Samples
from tesuji.lab.tune.space import point_of, values_at
from tesuji.lab.tune.store import TuneStore

MOST_WINDOW = 100_000


class TuneRunner(GamesRun):
    """One run of a tune."""

    plan: TunePlan
    store: TuneStore

    def __init__(self, plan: TunePlan, game_text: str, games: int, store: TuneStore, openings: Openings, workers: int):
        super().__init__(plan, game_text, store, openings, workers)
        self.game = find_game(game_text, False)
        self.total = -(-games // GAMES_A_SAMPLE)  # samples
        self.listed: list[Opening] = []  # all openings of the file
        self._method = make_method(plan.method, len(plan.parameters), plan.seed)
        self._samples: list[dict[str, str]] = []
        self._points: list[Floats] = []
        self._scores: dict[int, float] = {}  # of complete samples
        self._complete = 0  # samples at the beginning, all of them complete
        self._again: deque[int] = deque()  # samples of an earlier run without results
        self._summary: tuple[int, float, list[Summary]] | None = None

    # -- games -------------------------------------------------------------------------------------------------------
    def _load(self) -> None:
        self._samples = self.store.samples(self.plan)
        self._points = [point_of(self.plan.parameters, values) for values in self._samples]
        self._scores = {}
        self._complete = 0
        self._count(self.store.games())
        self._again = deque(n for n in range(min(len(self._samples), self.total)) if n not in self._scores)
        self.openings.restore(self.store.openings())

    def _count(self, games: list[Played]) -> None:
        self._scores |= scores_of(games)
        while self._complete in self._scores and self._complete < len(self._samples):
            self._complete += 1

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
        return self.job_of(sample, range(GAMES_A_SAMPLE * sample, GAMES_A_SAMPLE * (sample + 1)), self._samples[sample])

    def jobs_left(self) -> int:
        return len(self._again) + max(0, self.total - len(self._samples))

    # -- what is known -----------------------------------------------------------------------------------------------
    @property
    def games_done(self) -> int:
        return GAMES_A_SAMPLE * sum(number < self.total for number in self._scores)

    @property
    def games_wanted(self) -> int:
        return GAMES_A_SAMPLE * self.total

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
    if method not in METHODS:
        raise UserError(f"--method {method}: there are {', '.join(METHODS)}")
    if not 1 <= window <= MOST_WINDOW:
        raise UserError(f"--window {window}: 1 to {MOST_WINDOW} samples can be under way")
    found = find_game(game)
    listed = read_chosen_openings(found, openings, opening_plies, random_plies)
    others: dict[str, Any] = {"random_plies": random_plies, "openings": openings_digest(listed), "seed": seed, "cpu": cpu}
    plan = make_tune_plan(found, player, parameters, against, seconds, playouts, method, window, **others)
    store = TuneStore(plan.default_file() if file is None else file)

    def make(workers: int) -> TuneRunner:
        runner = TuneRunner(plan, game, games, store, Openings(found, openings_for(listed, False), random_plies, seed), workers)
        runner.listed = listed
        return runner

    with open_run(plan, found, store, cluster, workers, make) as runner:
        yield runner

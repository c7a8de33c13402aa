"""A match: the games that are missing are played, and counted in the order of the plan."""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.files import write_file
from tesuji.games.registry import find_game
from tesuji.io.sgf.tree import SGF
from tesuji.lab.match.games import Played
from tesuji.lab.match.games_file import resumed_games, save_games, take_games
from tesuji.lab.match.games_run import GamesRun, open_run, read_chosen_openings
from tesuji.lab.match.jobs import GamesJob
from tesuji.lab.match.plan import Openings, Plan, handicap_opening, make_plan, openings_digest
from tesuji.lab.match.programs import ForPlayer, with_settings
from tesuji.lab.match.standing import Standing, standings
from tesuji.lab.match.store import Store
from tesuji.lab.sprt import Sprt
from tesuji.play.game import with_komi

HANDICAP_KOMI = 0.5
SAVE_SECONDS = 30.0  # between two times that the file of games is written anew, at least


class Runner(GamesRun):
    """One run of a match."""

    def __init__(self, plan: Plan, game_text: str, games: int, store: Store, openings: Openings, workers: int):
        super().__init__(plan, game_text, store, openings, workers)
        self.total = games * len(plan.pairings)
        self.test: Sprt | None = None
        self.sgf_folder: str | None = None
        self.games_file: str | None = None  # where all games are kept as text, too
        self.standings: list[Standing] = []
        self._done: set[int] = set()
        self._waiting: deque[tuple[int, ...]] = deque()  # the games of each job that is to be handed out
        self._early: dict[int, Played] = {}  # games that have ended, and are counted when those before them have, too
        self._counted = 0  # all games below this number are counted
        self._unexported: list[Played] = []
        self._saved = time.monotonic()

    # -- games -------------------------------------------------------------------------------------------------------
    def _load(self) -> None:
        games = [played for played in self.store.games() if played.number < self.total]
        self._done = set()
        self.standings = standings(self.plan, ())
        self._early.clear()
        self._counted = 0
        self._count(games)
        missing = [number for number in range(self.total) if number not in self._done]
        self._waiting = deque(self._pairs(missing) if self.cluster else [(number,) for number in missing])
        self.openings.restore(self.store.openings())
        self._export()

    def _count(self, games: list[Played]) -> None:
        """Games count in the order of the plan, however they end: or short games would count first, and a match that is
        stopped, or decided by a sequential test, would be one of short games.
        """
        self._unexported += games
        for played in games:
            self._done.add(played.number)
            self._early[played.number] = played
            while not self.decision and (following := self._early.pop(self._counted, None)) is not None:
                pairing = self.plan.entry(following.number).pairing
                self.standings[pairing].add(following, self.plan.pairings[pairing][0])
                self._counted += 1

    def _pairs(self, missing: list[int]) -> list[tuple[int, ...]]:
        """Games with the same players and opening belong together."""
        pairs: dict[tuple[int, int], list[int]] = {}
        for number in missing:
            entry = self.plan.entry(number)
            pairs.setdefault((entry.opening, entry.pairing), []).append(number)
        return [tuple(pair) for pair in pairs.values()]

    @property
    def decision(self) -> str:
        """What the sequential test has decided, if there is one."""
        return self.test.decision(self.standings[0].pairs) if self.test is not None else ""

    @property
    def done(self) -> int:
        return len(self._done)

    @property
    def uncounted(self) -> int:
        """Games that have ended before earlier ones, and are not counted yet."""
        return len(self._early)

    # -- jobs: one game each, or on a cluster two --------------------------------------------------------------------
    def next_job(self) -> GamesJob | None:
        if not self._waiting:
            return None
        games = self._waiting.popleft()
        return self.job_of(games[0], games)

    def jobs_left(self) -> int:
        return len(self._waiting)

    # -- beside the match file ---------------------------------------------------------------------------------------
    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        with super().transaction():
            yield
        self._export()
        if time.monotonic() - self._saved >= SAVE_SECONDS:
            self._save_games()

    def _end(self) -> None:
        self._save_games()

    def _save_games(self) -> None:
        """Writes all games as text, if that is wanted."""
        if self.games_file is not None:
            save_games(self.games_file, self.plan, self.store)
            self._saved = time.monotonic()

    @cached_property
    def _file_prefix(self) -> str:
        """How the records of this match begin: no two matches share a name, so one never writes over the games of another."""
        return f"match-{self.store.match_id}-game-"

    def _export(self) -> None:
        """Writes the games that are new, and that the folder of game records lacks."""
        games, self._unexported = self._unexported, []
        if self.sgf_folder is None:
            return
        folder = Path(self.sgf_folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot use the folder {folder}: {error.strerror}") from None
        for played in games:
            path = folder / f"{self._file_prefix}{played.number + 1:06d}.sgf"
            if not os.path.lexists(path):
                write_file(path, played.sgf.encode(), SGF)


# -- starting ------------------------------------------------------------------------------------------------------------
@contextlib.contextmanager
def open_match(
    game: str,
    players: list[str],
    games: int = 100,
    *,
    file: str | None = None,
    seed: int = 0,
    workers: int | None = None,
    cluster: str | None = None,
    playouts: int | None = None,
    seconds: float | None = None,
    cpu: float | None = None,
    clock: str = "",
    openings: str | None = None,
    opening_plies: int | None = None,
    random_plies: int = 0,
    handicap: int = 0,
    free_handicap: bool = False,
    test: Sprt | None = None,
    sgf_folder: str | None = None,
    games_file: str | None = None,
    gtp_commands: Sequence[ForPlayer] = (),
    gtp_folders: Sequence[ForPlayer] = (),
    **others: Any,
) -> Iterator[Runner]:
    """A Runner whose `run` plays what is missing of the match; its file is open, and locked, meanwhile.

    `game` and `players` are strings as on the command line; `gtp_commands` and `gtp_folders` are for GTP programs, each with
    the number of its player from 1; `handicap` stones are those that each player gives those named after it, in all games,
    which have a komi of half a point unless the game says another; `games_file` keeps the games as text, too, and the match
    takes from it those that it lacks; `cluster` is an address, or 'local' (lab/cluster/); `others` are fields of Plan: grace,
    move_timeout.
    """
    if test is not None and len(players) > 2:
        raise UserError("--sprt compares two players; give two")
    found = find_game(game)
    listed = read_chosen_openings(found, openings, opening_plies, random_plies)
    fields = {"random_plies": random_plies, "openings": openings_digest(listed), "seed": seed, **others}
    if handicap:
        if listed or random_plies:
            raise UserError("--handicap is how the games begin, so leave --openings and --random-plies out")
        stones = handicap_opening(found, handicap)  # refuses what does not fit
        listed = [] if free_handicap else [stones]
        if "komi=" not in game:
            found = with_komi(found, HANDICAP_KOMI)
            game = found.name
        fields |= {"handicap": handicap, "free_handicap": free_handicap}
    elif free_handicap:
        raise UserError("--free says where handicap stones are: give --handicap N, too")
    plan = make_plan(found, players, seconds, playouts, clock, cpu, **fields)
    plan = replace(plan, players=with_settings(plan.players, gtp_commands, gtp_folders))
    kept = None if games_file is None else resumed_games(games_file, plan)
    store = Store(plan.default_file() if file is None else file)

    def make(workers: int) -> Runner:
        source = Openings(found, listed, random_plies, seed)
        if kept is not None:
            source.restore(store.openings())
            take_games(kept, plan, found, source, store)
        runner = Runner(plan, game, games, store, source, workers)
        runner.test, runner.sgf_folder, runner.games_file = test, sgf_folder, games_file
        return runner

    with open_run(plan, found, store, cluster, workers, make) as runner:
        yield runner

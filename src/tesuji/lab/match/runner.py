"""Runs a match: hands the games that are missing to worker processes and keeps each as it ends."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.files import write_file
from tesuji.core.parameters import SHIPPED, files_digest
from tesuji.core.sources import playing_digest
from tesuji.games.registry import find_game
from tesuji.io.gtp.client import check_program
from tesuji.io.sgf.tree import SGF
from tesuji.lab.match.games import Played
from tesuji.lab.match.jobs import Executor, GamesJob, JobSource
from tesuji.lab.match.plan import Openings, Plan, PlayerSpec, make_plan, openings_digest, read_openings
from tesuji.lab.match.pool import Pool, Tell
from tesuji.lab.match.programs import ForPlayer, with_settings
from tesuji.lab.match.standing import Standing, standings
from tesuji.lab.match.store import Store
from tesuji.lab.processors import processors
from tesuji.lab.sprt import Sprt
from tesuji.players.presets import find_player

MOST_JOBS = 1 << 20  # at once, on a cluster: as many as it has processors


class Runner:
    """One run of a match."""

    def __init__(self, plan: Plan, game_text: str, games: int, store: Store, openings: Openings, workers: int):
        self.plan = plan
        self.game_text = game_text
        self.total = games * len(plan.pairings)
        self.store = store
        self.openings = openings
        self.workers = workers
        self.test: Sprt | None = None
        self.sgf_folder: str | None = None
        self.tell: Tell = lambda text: None  # a line for the user
        self.on_tick: Callable[[Runner], None] = lambda runner: None
        self.began = time.monotonic()
        self.played_now = 0
        self.interrupted = False
        self.other_code = False  # some games of the file were played by other sources of this program
        self.standings: list[Standing] = []
        self.cluster: str | None = None  # the address of a cluster that plays in place of processes of our own
        self._done: set[int] = set()
        self._waiting: deque[tuple[int, ...]] = deque()  # the games of each job that is to be handed out
        self._early: dict[int, Played] = {}  # games that have ended, and are counted when those before them have, too
        self._counted = 0  # all games below this number are counted
        self._to_export: list[Played] | None = None  # while results go to the disk together
        self._pool: Executor | None = None

    # -- the whole ---------------------------------------------------------------------------------------------------
    def run(self) -> None:
        """Plays what is missing. Ctrl-C ends it and keeps all games that were finished."""
        games = self._count_anew()
        missing = [number for number in range(self.total) if number not in self._done]
        self._waiting = deque(self._pairs(missing) if self.cluster else [(number,) for number in missing])
        self.openings.restore(self.store.openings())
        self._export(games)
        self.began = time.monotonic()
        try:
            if self._waiting and not self.decision:
                self._play()
        except KeyboardInterrupt:
            self.interrupted = True
            self._count_anew()  # a game may have come just now
        finally:
            if self._pool is not None:
                self._pool.close()

    def _count_anew(self) -> list[Played]:
        """Counts the games of the file, and returns them."""
        games = [played for played in self.store.games() if played.number < self.total]
        self._done = {played.number for played in games}
        self.standings = standings(self.plan, ())
        self._early.clear()
        self._counted = 0
        for played in games:
            self._count(played)
        return games

    def _count(self, played: Played) -> None:
        """Games count in the order of the plan, however they end: or short games would count first, and a match that is
        stopped, or decided by a sequential test, would be one of short games.
        """
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

    @property
    def playing(self) -> int:
        """Jobs under way."""
        return self._pool.busy if self._pool is not None else 0

    def _play(self) -> None:
        self._pool = make_executor(self.cluster, self.plan, self.game_text, self.workers, self, self.tell)
        self._pool.run(lambda: self.on_tick(self))

    # -- jobs: one game each, or on a cluster two --------------------------------------------------------------------
    def next_job(self) -> GamesJob | None:
        if not self._waiting:
            return None
        games = []
        for number in self._waiting.popleft():
            entry = self.plan.entry(number)
            known = len(self.openings.generated)
            games.append((entry, self.openings[entry.opening]))
            if len(self.openings.generated) > known:
                self.store.add_openings(known, self.openings.generated[known:])
        return GamesJob(games[0][0].number, tuple(games))

    def jobs_left(self) -> int:
        return len(self._waiting)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Results that are taken meanwhile go to the disk together; their records follow."""
        self._to_export = ended = []
        try:
            with self.store.together():
                yield
        finally:
            self._to_export = None
        self._export(ended)

    def take_results(self, job: GamesJob, games: list[Played]) -> bool:
        for played in games:
            self._add_game(played)
        return bool(self.decision)

    def name_program(self, slot: int, program: str) -> None:
        self.store.name_program(slot, program)

    def _add_game(self, played: Played) -> None:
        self.store.add(played)
        self._done.add(played.number)
        self.played_now += 1
        self._count(played)
        self._export([played])
        if played.is_forfeit:
            loser = played.second if played.winner == played.first else played.first
            name = self.plan.players[loser].label
            self.tell(f"game {played.number + 1}: {name} lost by its own fault ({played.reason}): {played.detail}")
        elif played.detail:
            self.tell(f"game {played.number + 1}: {played.detail}")

    @cached_property
    def _file_prefix(self) -> str:
        """How the records of this match begin: no two matches share a name, so one never writes over the games of another."""
        return f"match-{self.store.match_id}-game-"

    def _export(self, games: list[Played]) -> None:
        """Writes the games that the folder of game records lacks."""
        if self.sgf_folder is None:
            return
        if self._to_export is not None:
            self._to_export += games
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
    test: Sprt | None = None,
    sgf_folder: str | None = None,
    gtp_commands: Sequence[ForPlayer] = (),
    gtp_folders: Sequence[ForPlayer] = (),
    **others: Any,
) -> Iterator[Runner]:
    """A Runner whose `run` plays what is missing of the match; its file is open, and locked, meanwhile.

    `game` and `players` are strings as on the command line; `gtp_commands` and `gtp_folders` are for GTP programs, each with
    the number of its player from 1; `cluster` is an address, or 'local' (lab/cluster/); `others` are fields of Plan: grace,
    move_timeout.
    """
    if test is not None and len(players) > 2:
        raise UserError("--sprt compares two players; give two")
    if openings and random_plies:
        raise UserError("give either --openings or --random-plies")
    if opening_plies is not None and not openings:
        raise UserError("--opening-plies is for the openings of a file: give --openings FILE too, or --random-plies")
    found = find_game(game)
    listed = read_openings(found, openings, opening_plies) if openings else []
    fields = {"random_plies": random_plies, "openings": openings_digest(listed), "seed": seed, **others}
    plan = make_plan(found, players, seconds, playouts, clock, cpu, **fields)
    plan = replace(plan, players=with_settings(plan.players, gtp_commands, gtp_folders))
    if cluster:
        from tesuji.lab.cluster.connection import connect

        connect(cluster, workers)  # now: an address that does not answer is known before anything is written
    for spec in plan.players:
        if spec.is_gtp and not cluster:
            check_program(spec.command, spec.folder)  # now, and not only after the built-in players are compiled
    store = Store(plan.default_file() if file is None else file)
    store.open(plan, code_digest(plan))
    try:
        source = Openings(found, listed, random_plies, seed)
        default = MOST_JOBS if cluster else processors() // most_threads(plan) or 1
        runner = Runner(plan, game, games, store, source, workers or default)
        runner.cluster = cluster
        runner.other_code = store.has_other_code()
        runner.test = test
        runner.sgf_folder = sgf_folder
        yield runner
    finally:
        store.close()


def make_executor(cluster: str | None, plan: Plan, game_text: str, workers: int, source: JobSource, tell: Tell) -> Executor:
    """Who plays: processes of our own or, with an address, a cluster."""
    if not cluster:
        return Pool(plan, game_text, workers, source, tell)
    from tesuji.lab.cluster.connection import connect
    from tesuji.lab.cluster.pool import ClusterPool

    return ClusterPool(connect(cluster, workers), plan, game_text, workers, source, tell, most_threads(plan))


def code_digest(plan: Plan) -> str:
    """Digest of what the built-in players are made of: the program, and the files of weights that they name."""
    digest = hashlib.sha256(playing_digest().encode())
    for spec in plan.players:
        digest.update(bytes.fromhex(weights_digest(spec)))
    return digest.hexdigest()


def weights_digest(spec: PlayerSpec) -> str:
    """Digest of the files of weights that a player names."""
    return files_digest(str(SHIPPED if spec.is_gtp else _value(spec.given, "weights", SHIPPED)))


def most_threads(plan: Plan) -> int:
    """Threads of the built-in player that has the most: the processors that a game needs."""
    return max([1, *(int(_value(spec.given, "threads", 1)) for spec in plan.players if not spec.is_gtp)])


def _value(player: str, name: str, default: Any) -> Any:
    """What a player string says of a parameter, or its preset does."""
    found = find_player(player, may_load=True)
    return {**found.values, **found.changes}.get(name, default)

"""A run of learning by self-play in its folder. Each round has games by the network that is best so far, then learning from a
window of games, then a match of the new network against that one, which it must win to take its place.

    run.db        every game and every round
    checkpoint    the network that is learned, with all that is needed to go on
    networks/     the network of every round
    matches/      their matches
    network       the best one: a file that plays
    report.svg    how it went

Each round says in `run.db` how far it is, and what is there already is never done again. So a run can be killed at any moment.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tesuji.core.errors import UserError
from tesuji.core.files import check_can_write, read_file, write_file
from tesuji.core.game import Game
from tesuji.core.sources import playing_digest
from tesuji.knowledge.network.file import NETWORK_FILE
from tesuji.lab.match import open_match
from tesuji.lab.self_play.learner import MOST_HALVINGS, Learner
from tesuji.lab.self_play.plan import SelfPlayPlan, Size
from tesuji.lab.self_play.players import Players, PlaysGames, Work
from tesuji.lab.self_play.standing import picture
from tesuji.lab.self_play.store import DONE, FROM_RECORD, LEARN, MATCH, MOST_SECONDS, PLAY, Round, RunStore
from tesuji.learn.network.picture import PICTURE_FILE
from tesuji.learn.network.run import Folder
from tesuji.learn.records import RecordedGame

NOTE_SECONDS = 5.0  # between two times that the time so far is written down
FULL_SECONDS = 5.0  # between two attempts to write to a full disk
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_UNFIT = re.compile(r"[,+]")  # what a path in a player string cannot have
Check = Callable[[], bool]


class SelfPlayFolder(Folder):
    """The files of such a run; `Folder` has those that any run of learning has."""

    def __init__(self, path: str):
        super().__init__(path)
        self.base = self.path / "run.db"

    def check(self) -> None:
        if self.base.exists():
            pass
        elif self.checkpoint.exists() or self.games.exists():
            raise UserError(f"{self.path} holds a run that learns from records: name another folder for --self-play")
        if _UNFIT.search(str(self.path.resolve())):
            raise UserError(f"the path of {self.path} has a comma or a plus in it, which a player string cannot have")
        check_can_write(self.network, NETWORK_FILE)
        check_can_write(self.report, PICTURE_FILE)
        for folder in (self.path / "networks", self.path / "matches"):
            try:
                folder.mkdir(exist_ok=True)
            except OSError as error:
                raise UserError(f"{folder} cannot be used as a folder: {error.strerror}") from None

    def network_of(self, number: int) -> Path:
        return self.path.resolve() / "networks" / f"{number:06d}.network"

    def match_of(self, number: int) -> Path:
        """The match file of a round; a folder that was moved has other names of players, so begins its match anew."""
        place = hashlib.sha256(str(self.path.resolve()).encode()).hexdigest()[:8]
        return self.path / "matches" / f"{number:06d}-{place}.db"


class SelfPlayRun:
    """A run that is open."""

    def __init__(
        self,
        folder: SelfPlayFolder,
        store: RunStore,
        game: Game,
        plan: SelfPlayPlan,
        workers: int,
        threads: int,
        tell: Callable[[str], None],
        players: PlaysGames | None = None,
    ):
        self.folder, self.store, self.game, self.plan, self.workers = folder, store, game, plan, workers
        self.tell = tell
        self.rounds: list[Round] = store.rounds()
        self.seconds = store.value("seconds", 0.0, MOST_SECONDS)  # of all sessions
        self.budget = 0.0
        self.match_standing: Any = None  # of the match under way
        self.on_tick: Callable[[SelfPlayRun], None] = lambda run: None
        self._asked_to_stop: Check = lambda: False
        self._noted = self._now = time.monotonic()
        self._unsaved: list[tuple[int, int, RecordedGame]] = []
        self._is_full = False
        self.players: PlaysGames = players or Players(workers, tell)
        self.learner = Learner(folder.checkpoint, game, plan, threads, tell, self._keep)
        self.learner.halvings = int(store.value("halvings", 0, MOST_HALVINGS))

    # -- beginning ---------------------------------------------------------------------------------------------------
    @property
    def has_begun(self) -> bool:
        return bool(self.rounds)

    def begin(self, records: list[RecordedGame], begin_with: str | None) -> None:
        """The first round. The games of records are its games; without any, they are played."""
        if begin_with is not None:
            self.learner.begin_with(begin_with)
            self.learner.save()
        self.learner.save_network(self.folder.network_of(0), {"games": 0})
        plays_out = not self.folder.checkpoint.exists()
        first = Round(0, 0, 0, len(records) or int(self.plan.settings["round_games"]), plays_out=plays_out)

        def write() -> None:
            with self.store.together():
                self.store.add_games((number, FROM_RECORD, one) for number, one in enumerate(records))
                self.store.save_round(first)

        self._keep(write)
        self.rounds = [first]

    # -- going on ----------------------------------------------------------------------------------------------------
    @property
    def current(self) -> Round:
        return self.rounds[-1]

    @property
    def share(self) -> float:
        """How much of the time is used up."""
        return min(1.0, self.seconds / self.budget) if self.budget > 0 else 1.0

    def run(self, budget: float, should_stop: Check, on_tick: Callable[[SelfPlayRun], None]) -> bool:
        """Goes on until the run has lasted `budget` seconds in all, which is True, or until it should stop."""
        self.budget, self._asked_to_stop, self.on_tick = budget, should_stop, on_tick
        self._now = time.monotonic()
        phases = {PLAY: self._play, LEARN: self._learn, MATCH: self._match}
        try:
            while not self._stops():
                if self.current.phase == DONE:
                    self._next_round()
                phases[self.current.phase](self.current)
                self._tick()
        finally:
            self.players.close()
            with contextlib.suppress(UserError):
                self._save_games()
                self._note()
        self.write_report()
        return not should_stop()

    def _stops(self) -> bool:
        return self._asked_to_stop() or self.share >= 1.0

    def _tick(self) -> None:
        """Counts the time. A clock that is set, or a machine that was asleep, does not matter to it."""
        now = time.monotonic()
        passed, self._now = max(0.0, now - self._now), now
        self.seconds += passed
        if self.has_begun:
            seconds = self.current.seconds
            seconds[self.current.phase] = seconds.get(self.current.phase, 0.0) + passed
        if now - self._noted >= NOTE_SECONDS:
            with contextlib.suppress(UserError):
                self._note()
        self.on_tick(self)

    def _note(self) -> None:
        self._noted = time.monotonic()
        with self.store.together():
            self.store.set_value("seconds", self.seconds)
            if self.has_begun:
                self.store.save_round(self.current)

    # -- games -------------------------------------------------------------------------------------------------------
    def _play(self, one: Round) -> None:
        missing = sorted(set(range(one.first, one.end)) - self.store.played(one.first, one.end))
        work = Work(self.plan.as_json(), self.plan.game, str(self.folder.network_of(one.best)), one.plays_out)
        if missing:
            self.players.play(work, missing, self._stops, self._take, self._tick)
        self._keep(self._save_games)
        if len(self.store.played(one.first, one.end)) == one.end - one.first:
            self._begin_learning(one)

    def _take(self, number: int, game: RecordedGame) -> None:
        self._unsaved.append((number, self.current.best, game))
        try:
            self._save_games()
        except UserError as error:  # the games wait until there is room
            if not is_full(error):
                raise
            self._tell_once(error)
        self._tick()

    def _save_games(self) -> None:
        if self._unsaved:
            self.store.add_games(self._unsaved)
            self._unsaved.clear()
        self._is_full = False

    # -- learning ----------------------------------------------------------------------------------------------------
    def _begin_learning(self, one: Round) -> None:
        _, one.positions, one.proven = self.store.counts(one.first, one.end)
        self.learner.grow(one.end)
        one.size = self.learner.size.text
        if not one.plays_out or one.number > 0:
            one.measured = self.learner.measure(self.store.games(self.game, one.first, one.end))
        settings = self.plan.settings
        one.end_step = self.learner.step + max(1, round(settings["reuse"] * one.positions / self.plan.batch))
        self._enter(one, LEARN)

    def _learn(self, one: Round) -> None:
        first = max(0, one.end - self.plan.window(one.end))
        sampler = self.learner.sampler(self.store.games(self.game, first, one.end))
        if sampler is None:
            raise UserError(f"no search in {one.end:,} games was long enough to learn from: raise full_share or full_playouts")
        halvings = self.learner.halvings
        done = self.learner.learn(sampler, one.end_step, self._stops, self._tick)
        if self.learner.halvings > halvings:
            self.store.set_value("halvings", self.learner.halvings)
        if done:
            facts = {"games": one.end, "round": one.number, "measured": {**one.measured, "calibration": None}}
            self.learner.save_network(self.folder.network_of(one.network), facts)
            self._enter(one, MATCH)

    # -- the match ---------------------------------------------------------------------------------------------------
    def _match(self, one: Round) -> None:
        """The new network against the one that plays. Of networks of two sizes the larger one has fewer playouts."""
        games, playouts = int(self.plan.settings["match_games"]), int(self.plan.settings["match_playouts"])
        mine, other = self._size_of(one.network), self._size_of(one.best)
        fewer = max(1, round(playouts * min(1.0, other.work / mine.work)))
        players = [
            f"{self.plan.player(self.game, str(self.folder.network_of(number)), plays_out)},playouts={count}"
            for number, plays_out, count in ((one.network, False, fewer), (one.best, one.plays_out, playouts))
        ]
        options = {
            "file": str(self.folder.match_of(one.network)),
            "seed": self.plan.seed,
            "workers": self.workers,
            "random_plies": min(int(self.plan.settings["random_plies"]), self.game.max_plies // 4),
            "test": self.plan.sprt,
        }

        def tick(_run: Any) -> None:
            self._tick()
            if self._stops():
                raise KeyboardInterrupt

        with open_match(self.plan.game, players, 2 * ((games + 1) // 2), **options) as match:
            match.tell, match.on_tick = self.tell, tick
            self.match_standing = match
            match.run()
            self.match_standing = None
            if match.interrupted or (match.done < match.total and not match.decision):
                return
            standing = match.standings[0].as_json()
            decision = match.decision
        one.match = {**standing, "decision": decision, "better": decision == "H1"}
        if one.is_better:
            data = read_file(self.folder.network_of(one.network), NETWORK_FILE)
            self._keep(lambda: write_file(self.folder.network, data, NETWORK_FILE))
        self._enter(one, DONE)
        self.write_report()

    def _size_of(self, number: int) -> Size:
        text = self.rounds[number - 1].size if number > 0 else self.plan.size_at(0).text
        blocks, _, channels = text.partition("x")
        return Size(int(blocks), int(channels), 0)

    def _next_round(self) -> None:
        last = self.current
        best = last.network if last.is_better else last.best
        end = last.end + int(self.plan.settings["round_games"])
        one = Round(last.number + 1, best, last.end, end, plays_out=last.plays_out and best == last.best)
        self._keep(lambda: self.store.save_round(one))
        self.rounds.append(one)

    # -- files -------------------------------------------------------------------------------------------------------
    def _enter(self, one: Round, phase: str) -> None:
        self._tick()
        one.phase = phase
        self._keep(lambda: self.store.save_round(one))

    def _keep(self, action: Callable[[], None]) -> None:
        """Does it. On a full disk it waits until there is room: nothing is lost meanwhile."""
        while True:
            try:
                action()
                self._is_full = False
                return
            except UserError as error:
                if not is_full(error) or self._asked_to_stop():
                    raise
                self._tell_once(error)
                time.sleep(FULL_SECONDS)

    def _tell_once(self, error: UserError) -> None:
        if not self._is_full:
            self.tell(f"{error}; the run waits for room, and loses nothing")
        self._is_full = True

    def write_report(self) -> None:
        with contextlib.suppress(UserError):  # it is drawn again at the next round
            write_file(self.folder.report, picture(self.plan.game, self.rounds).encode(), PICTURE_FILE)


def is_full(error: UserError) -> bool:
    """Whether something could not be written because there is no room."""
    cause = error.__context__
    if isinstance(cause, OSError):
        return cause.errno in NO_ROOM
    return isinstance(cause, sqlite3.OperationalError) and "full" in str(cause)


@contextlib.contextmanager
def open_self_play(
    folder: SelfPlayFolder,
    game: Game,
    plan: SelfPlayPlan,
    workers: int,
    threads: int,
    tell: Callable[[str], None],
    players: PlaysGames | None = None,
) -> Iterator[SelfPlayRun]:
    """The run of a folder, new or as it was left, which no other process can go on with meanwhile.

    `players` play its games, or else processes of this machine.
    """
    with folder.locked():
        folder.check()
        store = RunStore(str(folder.base))
        store.open(plan, playing_digest())
        try:
            yield SelfPlayRun(folder, store, game, plan, workers, threads, tell, players)
        finally:
            store.close()

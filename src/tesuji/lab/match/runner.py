"""Runs a match: hands the games that are missing to worker processes and keeps each as it ends."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import selectors
import subprocess
import sys
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
from tesuji.core.sources import PACKAGE, playing_digest
from tesuji.games.registry import find_game
from tesuji.io.gtp.client import check_program
from tesuji.io.sgf.tree import SGF
from tesuji.lab.match.games import Played
from tesuji.lab.match.plan import Openings, Plan, make_plan, openings_digest, read_openings
from tesuji.lab.match.programs import ForPlayer, with_settings
from tesuji.lab.match.standing import Standing, standings
from tesuji.lab.match.store import Store
from tesuji.lab.processors import processors
from tesuji.lab.sprt import Sprt
from tesuji.players.presets import find_player

TICK = 0.25  # seconds between two updates of the display
END_SECONDS = 2.0  # that a worker gets to end
MOST_ATTEMPTS = 3  # at a game whose process ends before the game does
Tell = Callable[[str], None]


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
        self.playing = 0
        self._done: set[int] = set()
        self._waiting: deque[int] = deque()
        self._attempts: dict[int, int] = {}
        self._live: list[Worker] = []

    # -- the whole ---------------------------------------------------------------------------------------------------
    def run(self) -> None:
        """Plays what is missing. Ctrl-C ends it and keeps all games that were finished."""
        games = [played for played in self.store.games() if played.number < self.total]
        self._done = {played.number for played in games}
        self.standings = standings(self.plan, games)
        self._waiting = deque(number for number in range(self.total) if number not in self._done)
        self.openings.restore(self.store.openings())
        self._export(games)
        self.began = time.monotonic()
        try:
            if self._waiting and not self.decision:
                self._play()
        except KeyboardInterrupt:
            self.interrupted = True
            games = [played for played in self.store.games() if played.number < self.total]  # one may have come just now
            self._done = {played.number for played in games}
            self.standings = standings(self.plan, games)
        finally:
            for worker in self._live:
                worker.close()
            for worker in self._live:
                worker.end()
            self._live.clear()

    @property
    def decision(self) -> str:
        """What the sequential test has decided, if there is one."""
        return self.test.decision(self.standings[0].pairs) if self.test is not None else ""

    @property
    def done(self) -> int:
        return len(self._done)

    def _play(self) -> None:
        with selectors.DefaultSelector() as selector:
            self._start(selector)  # alone at first: it shows whether the match can be played, and fills the compile cache
            while self._live:
                for key, _ in selector.select(TICK):
                    worker: Worker = key.data
                    for message in worker.read():
                        self._handle(selector, worker, message)
                        if self.decision:
                            return
                self.playing = sum(worker.number is not None for worker in self._live)
                self.on_tick(self)
            if self._waiting:
                raise UserError("no process that plays is left; the games that were played are kept")

    def _start(self, selector: selectors.BaseSelector) -> None:
        worker = Worker(self.plan, self.game_text)
        self._live.append(worker)
        selector.register(worker.output, selectors.EVENT_READ, worker)

    def _stop(self, selector: selectors.BaseSelector, worker: Worker) -> None:
        selector.unregister(worker.output)
        self._live.remove(worker)
        worker.close()
        worker.end()

    def _handle(self, selector: selectors.BaseSelector, worker: Worker, message: dict[str, Any] | None) -> None:
        """A message of a worker; None when it has ended."""
        if message is None:
            self._worker_ended(selector, worker)
        elif "refused" in message:
            if not any(other.is_ready for other in self._live):
                raise UserError(message["refused"])
            self.tell(f"one process less: {message['refused']}")
            self._stop(selector, worker)
        elif "fault" in message:
            worker.fault = message["fault"]
        elif "ready" in message:
            worker.is_ready = True
            for slot, program in enumerate(message["ready"]):
                if program:
                    self.store.name_program(slot, program)
            self._assign(selector, worker)
            while len(self._live) < min(self.workers, len(self._waiting) + self._busy):
                self._start(selector)
        else:
            self._add_game(Played(**message["played"]))
            worker.number = None
            self._assign(selector, worker)

    @property
    def _busy(self) -> int:
        return sum(worker.number is not None for worker in self._live)

    def _assign(self, selector: selectors.BaseSelector, worker: Worker) -> None:
        """The next game for a worker that has nothing to do; if there is none, its end."""
        if not self._waiting:
            worker.finish()  # that it has ended is heard later
            return
        number = self._waiting.popleft()
        known = len(self.openings.generated)
        opening = self.openings[self.plan.entry(number).opening]
        if len(self.openings.generated) > known:
            self.store.add_openings(known, self.openings.generated[known:])
        worker.assign(number, opening)

    def _add_game(self, played: Played) -> None:
        self.store.add(played)
        self._done.add(played.number)
        self.played_now += 1
        index = played.number % len(self.standings)
        self.standings[index].add(played, self.plan.pairings[index][0])
        self._export([played])
        if played.is_forfeit:
            loser = played.second if played.winner == played.first else played.first
            name = self.plan.players[loser].label
            self.tell(f"game {played.number + 1}: {name} lost by its own fault ({played.reason}): {played.detail}")
        elif played.detail:
            self.tell(f"game {played.number + 1}: {played.detail}")

    def _worker_ended(self, selector: selectors.BaseSelector, worker: Worker) -> None:
        """A worker has ended. Its game is played again by another, unless that keeps happening."""
        number, why = worker.number, worker.fault
        code = worker.code()
        self._stop(selector, worker)
        how = why or (f"signal {-code}" if code < 0 else f"exit code {code}")
        if not worker.is_ready:
            if not any(other.is_ready for other in self._live):
                raise UserError(f"a process that plays could not be started: {how}")
            self.tell(f"one process less: it could not be started ({how})")
            return
        if number is None:
            return
        self._attempts[number] = self._attempts.get(number, 0) + 1
        if self._attempts[number] >= MOST_ATTEMPTS:
            raise UserError(
                f"the process that plays game {number + 1} ended {MOST_ATTEMPTS} times before the game did ({how}); "
                "if memory is short, try fewer --workers or a smaller memory= of the players"
            )
        self.tell(f"the process that played game {number + 1} ended ({how}); the game is played again")
        self._waiting.appendleft(number)
        self._start(selector)

    @cached_property
    def _file_prefix(self) -> str:
        """How the records of this match begin: no two matches share a name, so one never writes over the games of another."""
        return f"match-{self.store.match_id}-game-"

    def _export(self, games: list[Played]) -> None:
        """Writes the games that the folder of game records lacks."""
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
        self.number: int | None = None  # the game that it plays
        self.is_ready = False
        self.fault = ""
        self._buffer = b""
        self._send({"plan": plan.as_json(), "game": game_text})

    @property
    def output(self) -> Any:
        return self._process.stdout

    def assign(self, number: int, opening: tuple[int, ...]) -> None:
        self.number = number
        self._send({"number": number, "opening": list(opening)})

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
        self._send({"number": None})

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
    playouts: int | None = None,
    seconds: float | None = None,
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
    the number of its player from 1; `others` are fields of Plan: grace, move_timeout.
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
    plan = make_plan(found, players, seconds, playouts, clock, **fields)
    plan = replace(plan, players=with_settings(plan.players, gtp_commands, gtp_folders))
    for spec in plan.players:
        if spec.is_gtp:
            check_program(spec.command, spec.folder)  # now, and not only after the built-in players are compiled
    store = Store(plan.default_file() if file is None else file)
    store.open(plan, code_digest(plan))
    try:
        source = Openings(found, listed, random_plies, seed)
        runner = Runner(plan, game, games, store, source, workers or processors() // most_threads(plan) or 1)
        runner.other_code = store.has_other_code()
        runner.test = test
        runner.sgf_folder = sgf_folder
        yield runner
    finally:
        store.close()


def code_digest(plan: Plan) -> str:
    """Digest of what the built-in players are made of: the program, and the files of weights that they name."""
    digest = hashlib.sha256(playing_digest().encode())
    for spec in plan.players:
        weights = SHIPPED if spec.is_gtp else _value(spec.given, "weights", SHIPPED)
        digest.update(bytes.fromhex(files_digest(str(weights))))
    return digest.hexdigest()


def most_threads(plan: Plan) -> int:
    """Threads of the built-in player that has the most: the processors that a game needs."""
    return max([1, *(int(_value(spec.given, "threads", 1)) for spec in plan.players if not spec.is_gtp)])


def _value(player: str, name: str, default: Any) -> Any:
    """What a player string says of a parameter, or its preset does."""
    found = find_player(player, may_load=True)
    return {**found.values, **found.changes}.get(name, default)

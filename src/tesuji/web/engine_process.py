"""The engine in a process of its own: reads requests from standard input and answers on standard output, a JSON object a line.

A request is {"id": N, "do": WHAT, ...}. It is answered by any number of {"id": N, "event": "analysis" | "progress", ...}
and then by one with the event "done" or "failed". {"do": "stop", "of": N} asks a request to end with what it has. The end of
standard input ends the process: it never outlives the server.

The first line sets it up: {"game": ..., "player": ..., "memory": MiB, "seed": N | null}; the game and the player are those of
the command line, the only ones that may be files.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import IO, Any

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.core.numba import worker
from tesuji.core.position import Position
from tesuji.core.words import counted
from tesuji.games.registry import find_built_in, find_game
from tesuji.io.gtp.client import kill_all
from tesuji.io.gtp.program import GtpProgram, ProgramClock, ProgramReport
from tesuji.play.clock import parse_clock
from tesuji.play.live_analysis import WIDENING, owners_after_line
from tesuji.play.opponent import WEAK_TREE_MIB, FollowedSearch, Opponent
from tesuji.players.levels import LEVELS
from tesuji.players.player import Player
from tesuji.players.search import Search
from tesuji.search.engine.final_move import Result
from tesuji.search.files.origin import Origin, position_of_origin
from tesuji.web.choice import ANALYSE, PLAY, SOLVE, make_player
from tesuji.web.messages import choice_of
from tesuji.web.reports import ProgramReporter, Reporter
from tesuji.web.tree_reports import step_report, tree_report

CHUNK_SECONDS = 0.15  # of an analysis between two reports: fewer than 10 a second
TICK_SECONDS = 0.5
QUIET_TICKS = 3
OWNERSHIP_SECONDS = 2.0  # between two looks
SEED = 0  # of analyses, so that the same number of playouts finds the same again; a player's moves differ unless it has a seed
MAIN, SECOND, GAME, PROOF = "main", "second", "game", "proof"
QUICK_SECONDS, QUICK_PLAYOUTS = 1.0, 300  # of a move in pure Python, whatever the level
GIVE_WAY_SECONDS = 0.05  # between two looks whether a job that waits for its search is to stop


class JobStopped(Exception):
    """A request was asked to end."""


class SharedSearch(FollowedSearch):
    """The search that follows the game of a tab. Others may look at its tree between parts of an analysis, or after a move."""

    def __init__(self) -> None:
        super().__init__()
        self._holder = threading.Lock()
        self._lock = threading.Lock()
        self._guests = 0

    @contextlib.contextmanager
    def held(self, job: EngineJob) -> Iterator[None]:
        """It is this job's until that ends: no other takes it on to another position meanwhile."""
        while not self._holder.acquire(timeout=GIVE_WAY_SECONDS):
            if job.asked_to_stop:
                raise JobStopped
        try:
            yield
        finally:
            self._holder.release()

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """A part of a run; those who wait to look at the tree go first."""
        while self._guests:
            time.sleep(0.002)
        with self._lock:
            yield

    def at(self, position: Position, player: Player, new_seed: Callable[[], int]) -> Search:
        """As it says there; nobody looks at the tree while it is taken on to another position."""
        with self.working():
            return super().at(position, player, new_seed)

    def leave_out(self, position: Position, player: Player, seed: int, only: set[int]) -> None:
        """A new search of the position by these moves alone."""
        self.drop()
        mover = int(rules.to_play(position.state))
        barred = {(mover, move): 1 for move in position.game.legal_moves(position.state) if move not in only}
        self.at(position, player, lambda: seed).engine.bar(barred)

    @contextlib.contextmanager
    def looking(self) -> Iterator[None]:
        self._guests += 1
        try:
            with self._lock:
                yield
        finally:
            self._guests -= 1


class EngineJob:
    """One request under way."""

    def __init__(self, number: Any, send: Callable[[dict[str, Any]], None]):
        self.number = number
        self.asked_to_stop = False
        self.search_stop: Callable[[], None] | None = None
        self.reporter: Reporter | None = None
        self.ownership: list[tuple[int, int, float]] | None = None
        self._send = send

    def tell(self, event: str, **values: Any) -> None:
        self._send({"id": self.number, "event": event, **values})

    def stop(self) -> None:
        self.asked_to_stop = True
        stop = self.search_stop
        if stop is not None:
            stop()

    def progress(self, task: str) -> Callable[[int, int], None]:
        """For those who count positions: tells now and then, and ends the work if that was asked for."""
        last = time.monotonic()

        def count(done: int, of: int) -> None:
            nonlocal last
            if self.asked_to_stop:
                raise JobStopped
            if time.monotonic() - last >= TICK_SECONDS:
                last = time.monotonic()
                self.tell("progress", task=task, done=done, of=of or None, text=f"{done:,} positions")

        return count


class EngineWorker:
    def __init__(self, setup: Mapping[str, Any], send: Callable[[dict[str, Any]], None]):
        self.own_game: str | None = setup.get("game")
        self.own_player: str | None = setup.get("player")
        self.memory = float(setup.get("memory", 256.0))
        self.searches = {name: SharedSearch() for name in (MAIN, SECOND, GAME, PROOF)}
        self.certificate: Any = None
        self._games: dict[str, Game] = {}
        self._prepared: set[tuple[str, str, str]] = set()
        self._programs = {name: GtpProgram(name) for name in setup.get("programs", ())}
        self._program_locks = {name: threading.Lock() for name in self._programs}
        self._jobs: dict[Any, EngineJob] = {}
        self._send = send
        seed = setup.get("seed")
        self._random = random.Random(os.urandom(8) if seed is None else seed)
        threading.Thread(target=self._tick, daemon=True).start()

    # -- requests ----------------------------------------------------------------------------------------------------
    def take(self, request: Mapping[str, Any]) -> None:
        """Begins a request in a thread of its own, or stops one."""
        if request.get("do") == "stop":
            job = self._jobs.get(request.get("of"))
            if job is not None:
                job.stop()
            return
        job = EngineJob(request.get("id"), self._send)
        self._jobs[job.number] = job
        threading.Thread(target=self._do, args=(job, request), daemon=True).start()

    def _do(self, job: EngineJob, request: Mapping[str, Any]) -> None:
        try:
            answer = getattr(self, "do_" + str(request["do"]).replace("-", "_"))(job, request)
            job.tell("done", **(answer or {}))
        except JobStopped:
            job.tell("failed", text="stopped", stopped=True)
        except UserError as error:
            job.tell("failed", text=str(error))
        except MemoryError:
            job.tell("failed", text="there is not enough memory for this search: give it less with the parameter memory")
        except Exception as error:
            job.tell("failed", text=f"the engine failed: {type(error).__name__}: {str(error)[:200]}")
        finally:
            self._jobs.pop(job.number, None)

    def _tick(self) -> None:
        """Tells that the compiler is at work: the only long wait without a search."""
        idle = QUIET_TICKS  # since the compiler was at work last: between two kernels it pauses for a moment
        while True:
            time.sleep(TICK_SECONDS)
            now = worker.under_way
            if now is not None:
                expected = max(now.expected[1], now.seconds)
                self._send({"event": "compile", "done": round(now.seconds, 1), "of": round(expected, 1), "text": "compiling"})
                idle = 0
            elif idle < QUIET_TICKS:
                idle += 1
                if idle == QUIET_TICKS:
                    self._send({"event": "compile", "done": 1, "of": 1, "text": "compiled", "final": True})

    def position(self, request: Mapping[str, Any]) -> Position:
        name, given = request["game"], request["origin"]
        if name not in self._games:
            self._games[name] = find_game(name, trial=False) if name == self.own_game else find_built_in(name)
        stones = given.get("stones")
        stones = None if stones is None else tuple((int(c), int(r), int(p)) for c, r, p in stones)
        return position_of_origin(self._games[name], Origin(tuple(given["moves"]), stones, int(given.get("to_move", 0))))

    def player(self, request: Mapping[str, Any], game: Game, to: str) -> Player:
        return make_player(choice_of(request["player"]), game, to, self.own_player, self.memory)

    # -- searching ---------------------------------------------------------------------------------------------------
    def do_prepare(self, _job: EngineJob, request: Mapping[str, Any]) -> None:
        """Compiles, or loads, what a move needs, with a small search that is not kept."""
        position = self.position(request)
        if not position.is_over and self._program(request) is None:
            opponent = Opponent(self.player(request, position.game, PLAY), Limits(), request["level"])
            self._prepare(position, opponent.searching(position.game))

    def do_quick_move(self, job: EngineJob, request: Mapping[str, Any]) -> dict[str, Any]:
        """A move of few playouts, by a search that is not kept: this process runs in pure Python while another one compiles."""
        position = self.position(request)
        player = self.player(request, position.game, PLAY)
        share, wanted = LEVELS[request["level"]].share, request["playouts"] or QUICK_PLAYOUTS
        limits = Limits(QUICK_SECONDS / share, round(min(QUICK_PLAYOUTS, wanted) / share))
        opponent = Opponent(player, limits, request["level"], SharedSearch(), min(WEAK_TREE_MIB, self.memory))
        thought = opponent.move(position, self._random, lambda: self._random.getrandbits(63), partial(self._run, job, None))
        early = (
            f"This is the choice of {counted(thought.result.playouts, 'playout')}, made while the search was being compiled."
        )
        return {"move": position.game.text(position.state, thought.move), "why": [early, *thought.lines()]}

    def _prepare(self, position: Position, player: Player) -> None:
        """Once for each game and player, and before a job holds its search: others need not wait for the compiler."""
        key = (position.game.name, player.as_string(), str(sorted(player.values.items())))
        if key not in self._prepared:
            small = {"memory": 1.0} if "memory" in player.settings_for(position.game) else {}
            player.overridden(small).search(position).prepare()
            self._prepared.add(key)

    def do_move(self, job: EngineJob, request: Mapping[str, Any]) -> dict[str, Any]:
        """The move that a player of some level makes; None if a GTP program resigns."""
        position = self.position(request)
        program = self._program(request)
        if program is not None:
            with self._asking(program, job):
                move = program.move(position, Limits(request["seconds"], request["playouts"]), _clock(request))
            return {"move": None if move is None else position.game.text(position.state, move), "why": None, "report": None}
        player = self.player(request, position.game, PLAY)
        limits = Limits(request["seconds"], request["playouts"], longest=request.get("longest"))
        memory = min(WEAK_TREE_MIB, self.memory)
        shared = self.searches[MAIN]
        opponent = Opponent(player, limits, request["level"], shared, memory)
        keeps = opponent.strength.keeps_tree
        if keeps:
            self._prepare(position, player)

        run = partial(self._run, job, shared if keeps else None)
        with shared.held(job) if keeps else contextlib.nullcontext():
            thought = opponent.move(position, self._random, lambda: self._random.getrandbits(63), run)
        # What a weak player has found is no analysis: its few playouts would be shown as one.
        report = self._final(job, thought.result) if keeps else {"report": None}
        return {"move": position.game.text(position.state, thought.move), "why": thought.lines(), **report}

    def do_analyse(self, job: EngineJob, request: Mapping[str, Any]) -> dict[str, Any]:
        """Searches on until it is stopped, a limit is reached, or nothing is left to find; tells what it knows meanwhile."""
        position = self.position(request)
        program = self._program(request)
        if program is not None:
            return self._analyse_by(program, job, position, request)
        task = request.get("task")
        solves = task == "solve"
        player = self.player(request, position.game, SOLVE if solves else ANALYSE)
        only = request.get("only")
        own = {"solve": PROOF, "analyse-game": GAME, "teach": GAME}.get(str(task))
        shared = self.searches[own or (SECOND if request.get("slot") == 1 or only else MAIN)]
        limits = Limits(request.get("seconds"), request.get("playouts"))
        widening = 0.0 if solves or request.get("exact") else WIDENING
        self._prepare(position, player)
        with shared.held(job):
            if only:
                shared.leave_out(position, player, SEED, set(only))
            try:
                result = self._run_in_parts(job, shared, position, player, limits, widening, bool(request.get("ownership")))
            finally:
                if only:
                    shared.drop()  # what it has found does not hold for all moves
        return self._final(job, result)

    # -- GTP programs ------------------------------------------------------------------------------------------------
    def _program(self, request: Mapping[str, Any]) -> GtpProgram | None:
        return self._programs.get(request["player"]["player"])

    @contextlib.contextmanager
    def _asking(self, program: GtpProgram, job: EngineJob) -> Iterator[None]:
        """One question at a time."""
        lock = next(self._program_locks[name] for name, found in self._programs.items() if found is program)
        while not lock.acquire(timeout=GIVE_WAY_SECONDS):
            if job.asked_to_stop:
                raise JobStopped
        try:
            yield
        finally:
            lock.release()

    def _analyse_by(
        self, program: GtpProgram, job: EngineJob, position: Position, request: Mapping[str, Any]
    ) -> dict[str, Any]:
        if request.get("only"):
            raise UserError("only built-in players analyse some points alone")
        reported = ProgramReporter(position, program.command)
        limits = Limits(request.get("seconds"), request.get("playouts"))

        def tell(found: ProgramReport) -> None:
            job.tell("analysis", report=reported.report(found))

        with self._asking(program, job):
            found = program.analyse(position, limits, tell, lambda: job.asked_to_stop)
        if not found.moves:
            if job.asked_to_stop:
                raise JobStopped
            raise UserError(f"{program.name} has said nothing of this position")
        return {"report": reported.report(found), "stopped": job.asked_to_stop}

    def _run(self, job: EngineJob, shared: SharedSearch | None, search: Search, limits: Limits) -> Result:
        """One run within the limits, as the player makes it: its own rules about time hold. It is told of as it goes on if
        others may look at it."""
        search.prepare()
        engine = search.engine
        reporter = job.reporter = Reporter(search.position, search.player.name)
        shown = _Shown()

        def progress(_result: Result) -> None:
            if shared is not None and shown.may_report():
                job.tell("analysis", report=reporter.report(engine.result()))
                shown.reported()

        request = search.stop_request()
        job.search_stop = request.stop
        if job.asked_to_stop:
            request.stop()
        with shared.working() if shared is not None else contextlib.nullcontext(), search.held(request):
            search.outdate_nodes()
            return engine.run(limits, progress)

    def _run_in_parts(
        self,
        job: EngineJob,
        shared: SharedSearch,
        position: Position,
        player: Player,
        limits: Limits,
        widening: float,
        owners: bool,
    ) -> Result:
        search = shared.at(position, player, lambda: SEED)
        search.prepare()
        engine = search.engine
        reporter = job.reporter = Reporter(position, player.name)
        began, done, part = time.monotonic(), 0, CHUNK_SECONDS
        ownership, looked = None, 0.0
        shown = _Shown()
        while True:
            left = None if limits.seconds is None else limits.seconds - (time.monotonic() - began)
            rest = None if limits.playouts is None else limits.playouts - done
            request = search.stop_request()
            job.search_stop = request.stop
            if job.asked_to_stop:
                request.stop()
            seconds = part if left is None else max(0.01, min(part, left))

            with shared.working(), search.held(request):
                search.outdate_nodes()
                before, was = engine.playouts, engine.widen_root(widening)
                try:
                    result = engine.run(Limits(seconds, rest), with_moves=False)
                finally:
                    engine.widen_root(was)
                done += engine.playouts - before
                over = engine.is_finished() or job.asked_to_stop or (rest is not None and done >= (limits.playouts or 0))
                over = over or (limits.seconds is not None and time.monotonic() - began >= limits.seconds)
                if over or shown.may_report():
                    result = engine.result()
                    report = reporter.report(result)
                    shown.reported()
                    if owners and result.moves and (over or time.monotonic() - looked >= OWNERSHIP_SECONDS):
                        ownership = ownership_after(position, result)
                        looked = time.monotonic()
                    report["ownership"] = ownership
                    job.ownership = ownership
                    if not over:
                        job.tell("analysis", report=report)
            if over:
                return result

    def _final(self, job: EngineJob, result: Result) -> dict[str, Any]:
        assert job.reporter is not None
        report = job.reporter.report(result)
        return {"report": {**report, "ownership": job.ownership}, "stopped": job.asked_to_stop}

    # -- without a search --------------------------------------------------------------------------------------------
    def do_network(self, _job: EngineJob, request: Mapping[str, Any]) -> dict[str, Any]:
        """What the network of the package says of the position, for the player to move."""
        from tesuji.knowledge.network.evaluation import evaluator_for

        position = self.position(request)
        game, state = position.game, position.state
        evaluator = evaluator_for(game)
        found = evaluator.evaluate(state, quick=True)
        moves = [{"move": game.text(state, move), "prior": prior} for move, prior in found.priors.items()]
        return {
            "network": evaluator.about,
            "mover": int(rules.to_play(state)),
            "chance": found.chance,
            "win": found.win,
            "draw": found.draw,
            "loss": found.loss,
            "score": found.score,
            "best": moves[0]["move"],
            "moves": moves,
        }

    # -- looking at the tree -------------------------------------------------------------------------------------------
    def _looked_at(self, request: Mapping[str, Any]) -> tuple[SharedSearch, Search]:
        shared = self.searches[SECOND if request.get("slot") == 1 else MAIN]
        position = self.position(request)
        for found in (shared, self.searches[PROOF]):
            search = found.search
            if search is not None and search.position == position and search.position.moves == position.moves:
                return found, search
        raise UserError("nothing has searched this position yet: analyse it first")

    def do_tree(self, _job: EngineJob, request: Mapping[str, Any]) -> dict[str, Any]:
        """A node of the tree with its children, and the numbers by which the rule chooses among these."""
        shared, search = self._looked_at(request)
        with shared.looking():
            return tree_report(search, request["moves"])

    def do_step(self, job: EngineJob, request: Mapping[str, Any]) -> dict[str, Any]:
        position = self.position(request)
        player = self.player(request, position.game, ANALYSE)
        try:
            shared, search = self._looked_at(request)
        except UserError:
            shared = self.searches[MAIN]
            with shared.held(job):
                search = shared.at(position, player, lambda: SEED)
        search.prepare()
        with shared.looking():
            return step_report(search)

    # -- proofs ----------------------------------------------------------------------------------------------------------
    def do_certificate(self, job: EngineJob, request: Mapping[str, Any]) -> dict[str, Any]:
        """The certificate of what `solve` has proven of this position."""
        from tesuji.proof.trusted.format import encode
        from tesuji.proof.write.writer import make_certificate

        shared, position = self.searches[PROOF], self.position(request)
        search = shared.search
        if search is None or search.position != position:
            raise UserError("there is no proof of this position: solve it first")
        if request["origin"].get("stones") is not None:
            raise UserError("no certificate: the position was set up, and a certificate begins at the start of the game")

        def work(_tell: Any) -> Any:
            return make_certificate(search.engine, moves=position.move_numbers, on_progress=job.progress("certificate"))[0]

        with shared.looking():
            certificate = search.in_thread(work)
        return {"base64": base64.b64encode(encode(certificate)).decode(), "nodes": certificate.header.nodes}

    def do_certificate_open(self, job: EngineJob, request: Mapping[str, Any]) -> dict[str, Any]:
        from tesuji.proof.budget import MEMORY, Budget
        from tesuji.proof.follow.open_certificate import OpenCertificate

        self.certificate = None
        data = base64.b64decode(request["base64"], validate=True)
        own = find_game(self.own_game, trial=False) if self.own_game else None
        budget = Budget(request.get("positions"), request.get("memory", MEMORY), request.get("seconds"))
        found = OpenCertificate(data, request["name"], own, job.progress("certificate"), budget)
        verdict, game = found.verdict, found.game
        if game is None:
            raise UserError(f"{request['name']} is not a valid certificate: {verdict.reason}")
        self.certificate = found
        return {
            "game": game.name,
            "moves": list(found.start.moves),
            "lower": game.in_points(verdict.lower),
            "upper": game.in_points(verdict.upper),
            "text": found.proof,
            "nodes": verdict.nodes,
            "valid": True,
            "loser": found.loser,
            "walkers": found.walkers,
        }

    def do_certificate_walk(self, _job: EngineJob, request: Mapping[str, Any]) -> dict[str, Any]:
        if self.certificate is None:
            raise UserError("no certificate is open")
        found, side = self.certificate, request.get("side")
        side = found.loser if side is None else side
        shown = found.walk(request["moves"], side)
        start = len(found.start.moves)
        return {
            "origin_moves": list(shown.position.move_numbers),
            "moves": list(shown.position.moves[start:]),
            "added": list(shown.added),
            "legal": list(shown.position.legal_moves),
            "to_move": None if shown.position.is_over else int(rules.to_play(shown.position.state)),
            "phase": "end" if shown.ended else "yours",
            "why": shown.why,
            "claim": found.claim_text(found.claim_against(side)),
            "over": shown.position.is_over,
        }

    # -- the score ---------------------------------------------------------------------------------------------------------
    def do_score(self, _job: EngineJob, request: Mapping[str, Any]) -> dict[str, Any]:
        """The stones that are judged dead."""
        from tesuji.knowledge.scoring import dead_stones, status_for

        position = self.position(request)
        dead = dead_stones(position.game, position.state, status_for(position.game))
        return {"dead": sorted([int(column), int(row)] for column, row in dead)}


def _clock(request: Mapping[str, Any]) -> ProgramClock | None:
    given = request.get("clock")
    if given is None:
        return None
    seconds, stones = given["told"]
    return ProgramClock(parse_clock(given["control"]), (float(seconds), int(stones)), float(given["left"]))


class _Shown:
    """When the next report is due: a report on all moves takes time, which shall be a tenth of all at most."""

    def __init__(self) -> None:
        self._due = time.monotonic()
        self._began = self._due

    def may_report(self) -> bool:
        self._began = time.monotonic()
        return self._began >= self._due

    def reported(self) -> None:
        now = time.monotonic()
        self._due = now + max(0.1, 9.0 * (now - self._began))


def ownership_after(position: Position, result: Result) -> list[tuple[int, int, float]] | None:
    """Whose each point is likely to be, as the page gets it: [column, row, share]."""
    owners = owners_after_line(position, result)
    return None if owners is None else [(int(column), int(row), round(share, 3)) for (column, row), share in owners.items()]


def main() -> None:
    """Reads requests until the server is gone."""
    out: IO[bytes] = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a game of someone's own prints is no answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's: it ends this process by closing the pipe
    lock = threading.Lock()

    def send(message: dict[str, Any]) -> None:
        line = json.dumps(message, allow_nan=False).encode() + b"\n"
        with lock, contextlib.suppress(BrokenPipeError):
            out.write(line)
            out.flush()

    lines = iter(sys.stdin.buffer.readline, b"")
    engine = EngineWorker(json.loads(next(lines)), send)
    for line in lines:
        engine.take(json.loads(line))
    kill_all()
    os._exit(0)


if __name__ == "__main__":
    main()

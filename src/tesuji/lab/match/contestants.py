"""The two kinds of players of a match behind one interface: a search, and a GTP program.

A contestant is told of every move and asked for its own. Whatever goes wrong on its side is a Forfeit: it loses that game.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Protocol

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State
from tesuji.core.position import Position
from tesuji.io.gtp.client import GARBAGE, HANG, REFUSAL, START, EngineFailure, GtpEngine
from tesuji.io.gtp.moves import parse_move
from tesuji.io.gtp.program import COLOURS, begin_game, clock_settings, may_send, seconds_a_move, tell_time_left
from tesuji.io.gtp.protocol import GtpError
from tesuji.lab.match.plan import Plan, PlayerSpec
from tesuji.play.clock import Clock, parse_clock
from tesuji.play.game import set_up, stones_of
from tesuji.play.opponent import FollowedSearch, Pace
from tesuji.players.player import Player
from tesuji.players.presets import find_player
from tesuji.search.engine.tree_search import TreeSearch

RESIGN = -1  # in place of a move
START_ATTEMPTS = 3  # at a program that fails before the first game
START_SECONDS = 10.0  # after which there is no other attempt


class Forfeit(Exception):
    """The game is lost for the one who did this.

    Kinds: those of EngineFailure; illegal (a move), time (the clock), fault (an error in a built-in player).
    """

    def __init__(self, kind: str, text: str):
        super().__init__(text)
        self.kind = kind


class Contestant(Protocol):
    thought: float  # seconds that it took for its last answer; what the referee does with the answer is not its time

    @property
    def cpu(self) -> float | None:
        """Seconds of CPU time in this game, up to its last answer; None = not known."""
        ...

    def prepare(self, game: Game) -> str:
        """Gets ready before the first game, and returns who it says it is; a UserError if it cannot play this game at all."""
        ...

    def set_values(self, values: Mapping[str, str]) -> None:
        """Plays with these parameters in place of its own from the next game on; only built-in players can."""
        ...

    def place_handicap(self, game: Game, count: int, seed: int) -> list[int]:
        """As Black: the moves of this many handicap stones, where it wants them; the game begins with them."""
        ...

    def new_game(self, game: Game, side: int, state: State, moves: list[tuple[int, str]], seed: int) -> None:
        """A game begins in `state`, reached by `moves` (who made it, and its name in GTP); `side` is its own player, 0 or 1."""
        ...

    def genmove(self, state: State, plies: int, clock: Clock | None) -> int:
        """Its move in `state`, not yet played, or RESIGN."""
        ...

    def observe(self, player: int, move: int, word: str) -> None:
        """Either player has made this move, which GTP calls `word`."""
        ...

    def take_report(self) -> str:
        """What it did in this game that is worth a line, but is no reason to lose; mostly nothing."""
        ...

    def close(self) -> None: ...


def make_contestant(plan: Plan, spec: PlayerSpec) -> Contestant:
    return GtpContestant(plan, spec) if spec.is_gtp else SearchContestant(spec)


# -- built-in players ----------------------------------------------------------------------------------------------------
class SearchContestant:
    """A built-in player: one search follows each game."""

    def __init__(self, spec: PlayerSpec, player: Player | None = None):
        # The command line named it: a plan is never made from a match file. One of this process has no name to be found by.
        self._given = find_player(spec.given, may_load=True) if player is None else player
        self._player = self._given
        self._limits = spec.limits
        self._followed = FollowedSearch()
        self._pace = Pace()
        self._position: Position | None = None
        self._seed = 0
        self.thought = 0.0
        self.cpu = 0.0

    def prepare(self, game: Game) -> str:
        self._player.engine(game).prepare()
        return ""

    def set_values(self, values: Mapping[str, str]) -> None:
        self._player = self._given.changed(values)

    def place_handicap(self, game: Game, count: int, seed: int) -> list[int]:
        """The best move in the position with the stones so far, as if it were always Black's turn."""
        assert game.board is not None
        position, chosen = Position(game, game.initial), []
        for _ in range(count):
            best = self._player.engine(game, position.state, seed).run(self._limits, with_moves=False).best_move
            point = None if best is None else game.board.point(position.state, best)
            if best is None or point is None:
                break
            chosen.append(best)
            position = set_up(position, {**stones_of(position), point: rules.FIRST}, rules.FIRST)
        return chosen

    def new_game(self, game: Game, side: int, state: State, moves: list[tuple[int, str]], seed: int) -> None:
        self._followed.drop()  # frees the last game's tree before the next is made
        self.cpu = 0.0
        self._position, self._seed = Position(game, state), seed
        self._search().prepare()

    def genmove(self, state: State, plies: int, clock: Clock | None) -> int:
        search, limits = self._search(), self._limits
        if clock is not None:
            limits = self._pace.limits(limits, clock.time_left, search.game, plies)
        began, cpu = time.perf_counter(), search.cpu
        result = search.run(limits, with_moves=False)
        self.thought = time.perf_counter() - began
        self.cpu += search.cpu - cpu
        self._pace.took(limits, self.thought)
        if result.is_hopeless(search.answer.resign):
            return RESIGN
        best = result.best_move
        return search.game.legal_moves(state)[0] if best is None else best

    def observe(self, player: int, move: int, word: str) -> None:
        assert self._position is not None, "no game has begun"
        self._position = self._position.after([move])

    def take_report(self) -> str:
        return ""

    def close(self) -> None:
        self._followed.drop()

    def _search(self) -> TreeSearch:
        assert self._position is not None, "no game has begun"
        return self._followed.at(self._position, self._player, lambda: self._seed).engine


# -- GTP ---------------------------------------------------------------------------------------------------------------
class GtpContestant:
    """A GTP program. One process serves game after game; after a failure the next game begins with a new one."""

    def __init__(self, plan: Plan, spec: PlayerSpec):
        self._timeout = plan.move_timeout
        self._grace = plan.grace
        self._control = parse_clock(plan.clock) if plan.clock else None
        self._seconds = min((s for s in (spec.seconds, spec.cpu) if s is not None), default=None)
        self._commands = spec.commands
        self._engine = GtpEngine(spec.command, spec.folder or None)
        self._game: Game | None = None
        self._side = 0
        self._own: int | None = None  # the move it has just made: it knows that already
        self.thought = 0.0
        self.cpu: float | None = None
        self._cpu_at_start = 0.0  # of this game
        # The last figure of this game. It falls if a child ends that its parent does not wait for: from then on it is unknown.
        self._cpu_read: float | None = None

    def prepare(self, game: Game) -> str:
        began = time.monotonic()
        for attempt in range(1, START_ATTEMPTS + 1):
            try:
                self._engine.start(self._timeout)
                self._set_up(game, 0)
                break
            except EngineFailure as failure:
                self._engine.kill()
                is_last = attempt == START_ATTEMPTS or time.monotonic() - began > START_SECONDS
                if is_last or failure.kind in (START, REFUSAL):
                    command = self._engine.command
                    raise UserError(f"the GTP program '{command}' cannot play {game.name}: {failure}") from None
        return f"{self._engine.name} {self._engine.version}".strip()

    def set_values(self, values: Mapping[str, str]) -> None:
        raise UserError("a GTP program has no parameters of ours")

    def place_handicap(self, game: Game, count: int, seed: int) -> list[int]:
        try:
            if not self._engine.is_quiet():
                self._engine.kill()
                self._engine.start(self._timeout)
            self._set_up(game, seed)
            answer = self._engine.send(f"place_free_handicap {count}", self._timeout)
        except EngineFailure as failure:
            raise self._forfeit(failure) from None
        try:
            return [parse_move(game, game.initial, word) for word in answer.split()[: count + 1]]
        except GtpError as error:
            self._engine.kill()
            raise Forfeit("garbage", f"it answered place_free_handicap with {answer[:80]!r}: {error}") from None

    def new_game(self, game: Game, side: int, state: State, moves: list[tuple[int, str]], seed: int) -> None:
        self._game, self._side, self._own = game, side, None
        self.cpu = None
        try:
            if not self._engine.is_quiet():  # it has ended, or answered more than it was asked
                self._engine.kill()
                self._engine.start(self._timeout)
            self._set_up(game, seed)
            for player, word in moves:
                self._engine.send(f"play {COLOURS[player]} {word}", self._timeout)
        except EngineFailure as failure:
            raise self._forfeit(failure) from None
        self._cpu_read = self._engine.cpu()
        self._cpu_at_start = self._cpu_read or 0.0

    def genmove(self, state: State, plies: int, clock: Clock | None) -> int:
        assert self._game is not None, "no game has begun"
        timeout = self._timeout
        began = time.perf_counter()
        try:
            if clock is not None:
                tell_time_left(self._engine, self._side, clock.gtp_time, self._timeout)
                timeout = min(timeout, clock.left + self._grace)
            answer = self._engine.send(f"genmove {COLOURS[self._side]}", timeout)
        except EngineFailure as failure:
            if clock is not None and failure.kind in (HANG, GARBAGE) and timeout < self._timeout:
                raise Forfeit("time", f"out of time: {failure}") from None
            raise self._forfeit(failure) from None
        self.thought = time.perf_counter() - began
        cpu = self._engine.cpu()
        self.cpu = None if cpu is None or self._cpu_read is None or cpu < self._cpu_read else cpu - self._cpu_at_start
        self._cpu_read = None if self.cpu is None else cpu
        if answer.lower() == "resign":
            return RESIGN
        try:
            self._own = parse_move(self._game, state, answer)
        except GtpError as error:
            self._engine.kill()
            if _looks_like_move(answer):
                raise Forfeit("illegal", str(error)) from None
            raise Forfeit("garbage", f"it answered genmove with {answer[:80]!r}") from None
        return self._own

    def observe(self, player: int, move: int, word: str) -> None:
        if player == self._side and self._own == move:
            self._own = None
            return
        try:
            self._engine.send(f"play {COLOURS[player]} {word}", self._timeout)
        except EngineFailure as failure:
            raise self._forfeit(failure) from None

    def take_report(self) -> str:
        return self._engine.take_report()

    def close(self) -> None:
        self._engine.close()

    def _set_up(self, game: Game, seed: int) -> None:
        """The user's commands come last, so that they hold."""
        begin_game(self._engine, game, seed, self._timeout)
        for command in (*self._time_commands(), *self._commands):
            self._engine.send(command, self._timeout)

    def _time_commands(self) -> list[str]:
        control, engine = self._control, self._engine
        if control is None:
            return [] if self._seconds is None or not may_send(engine, "time_settings") else [seconds_a_move(self._seconds)]
        return clock_settings(engine, control)

    def _forfeit(self, failure: EngineFailure) -> Forfeit:
        self._engine.kill()
        self.cpu = None  # what it used for this answer is not known
        return Forfeit(failure.kind, str(failure))


def _looks_like_move(answer: str) -> bool:
    return 0 < len(answer) <= 12 and answer.isascii() and answer.replace("-", "").isalnum()

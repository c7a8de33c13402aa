"""A GTP program at a game: how one begins, and a program that follows a game on a board, moves and analyses."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State
from tesuji.core.limits import Limits
from tesuji.core.position import Position
from tesuji.io.gtp.client import EngineFailure, GtpEngine
from tesuji.io.gtp.moves import move_text, parse_move
from tesuji.io.gtp.protocol import GtpError
from tesuji.play.clock import TimeControl
from tesuji.play.side import PROGRAM

GO = 1  # the number of Go in SGF
COLOURS = ("b", "w")
RESIGN = "resign"
START_SECONDS = 60.0
ANSWER_SECONDS = 60.0  # beyond the time of a move
ANALYSES = ("kata-analyze", "lz-analyze")
INTERVAL = 20  # hundredths of a second between two reports
LONGEST_LINE = 30
_INFO = re.compile(r"\binfo (?=move )")


def komi_of(game: Game) -> float:
    """The komi of a game of Go, which its module keeps under this name."""
    return float(game.extra.get("komi", 0.0))


def begin_game(engine: GtpEngine, game: Game, seed: int, timeout: float) -> None:
    """An empty board of the right size. A program for another game than Go need not know of boards and komi."""
    board, is_go = game.board, game.sgf_number == GO
    if board is not None and board.columns == board.rows and (is_go or engine.knows("boardsize")):
        engine.send(f"boardsize {board.columns}", timeout)
    engine.send("clear_board", timeout)
    if is_go:
        engine.send(f"komi {komi_of(game):g}", timeout)
    if engine.knows("set_random_seed"):
        engine.send(f"set_random_seed {seed & 0x7FFFFFFF}", timeout)


def may_send(engine: GtpEngine, command: str) -> bool:
    """Whether to send a command that a program may lack: yes, unless its list of commands leaves it out."""
    return not engine.commands or engine.knows(command)


def seconds_a_move(seconds: float) -> str:
    """GTP counts in whole seconds; a time below one becomes one."""
    return f"time_settings 0 {math.ceil(seconds)} 1"


def clock_settings(engine: GtpEngine, control: TimeControl) -> list[str]:
    """The commands that tell of a clock, as exactly as the program understands it."""
    if control.periods > 1 and engine.knows("kata-time_settings"):
        return [f"kata-time_settings byoyomi {control.main:g} {control.period:g} {control.periods}"]
    if control.increment and engine.knows("kata-time_settings"):
        return [f"kata-time_settings fischer {control.main:g} {control.increment:g}"]
    return [gtp_settings(control)] if may_send(engine, "time_settings") else []


def gtp_settings(control: TimeControl) -> str:
    """The clock as time_settings knows it. Of an increment it knows nothing: the engine learns of it by time_left."""
    if control.stones:
        return f"time_settings {int(control.main)} {max(1, int(control.period))} {control.stones}"
    return f"time_settings {max(1, int(control.main))} 0 0"


def tell_time_left(engine: GtpEngine, side: int, left: tuple[float, int], timeout: float) -> None:
    """Before a move: seconds and stones, as `Clock.gtp_time` has them."""
    if may_send(engine, "time_left"):
        engine.send(f"time_left {COLOURS[side]} {int(left[0])} {left[1]}", timeout)


@dataclass(frozen=True)
class ProgramClock:
    """The clock of whoever is to move."""

    control: TimeControl
    told: tuple[float, int]  # as `Clock.gtp_time` has it
    left: float  # seconds after which the game is lost


@dataclass(frozen=True)
class ProgramMove:
    """What a program says of a move. `chance` and `score` are the mover's."""

    move: int
    visits: int
    chance: float
    prior: float
    score: float | None
    line: tuple[str, ...]  # the moves that it expects, as the game writes them


@dataclass
class ProgramReport:
    """What a program says of a position, its best move first."""

    seconds: float
    moves: list[ProgramMove] = field(default_factory=list)

    @property
    def visits(self) -> int:
        return sum(move.visits for move in self.moves)


class GtpProgram:
    """A program that is brought to whatever position is asked about. After a failure, a UserError, it is started anew."""

    def __init__(self, command: str):
        self.command = command.removeprefix(PROGRAM).strip()
        self._engine = GtpEngine(self.command)
        self._at: Position | None = None
        self._settings: list[str] = []  # of time, as it was told last

    @property
    def name(self) -> str:
        return f"{self._engine.name} {self._engine.version}".strip() or self.command

    def close(self) -> None:
        self._engine.close()

    def move(
        self,
        position: Position,
        limits: Limits,
        clock: ProgramClock | None = None,
    ) -> int | None:
        """Its move; None if it resigns. By the clock, where there is one, in place of the seconds of the limits."""
        mover = int(rules.to_play(position.state))
        wait = ANSWER_SECONDS + (10 * (limits.seconds or 0.0) if clock is None else clock.left)
        try:
            self._follow(position)
            self._tell_time(mover, limits, clock)
            answer = self._engine.send(f"genmove {COLOURS[mover]}", wait).lower()
            if answer == RESIGN:
                self._at = None
                return None
            found = parse_move(position.game, position.state, answer)
            self._at = position.after([found])  # it has made the move on its own board, too
            return found
        except EngineFailure as failure:
            raise self._failed(failure) from None
        except GtpError as error:
            self._at = None
            raise UserError(f"{self.name} made a move that is none: {error}") from None

    def analyse(
        self,
        position: Position,
        limits: Limits,
        tell: Callable[[ProgramReport], None],
        should_stop: Callable[[], bool],
    ) -> ProgramReport:
        """Has it think about a position until a limit is reached or it is told to stop, and tells how it stands."""
        game, state = position.game, position.state
        latest, began = ProgramReport(0.0), time.monotonic()
        try:
            self._follow(position)
            command = next((name for name in ANALYSES if self._engine.knows(name)), None)
            if command is None:
                raise UserError(f"{self.name} cannot analyse: it knows neither {' nor '.join(ANALYSES)}")

            def take(line: str) -> None:
                nonlocal latest
                found = read_report(game, state, line, command == ANALYSES[0])
                if found:
                    latest = ProgramReport(time.monotonic() - began, found)
                    tell(latest)

            def is_done() -> bool:
                used = time.monotonic() - began
                if limits.seconds is not None and used >= limits.seconds and (latest.moves or used >= limits.seconds + 5):
                    return True
                return should_stop() or (limits.playouts is not None and latest.visits >= limits.playouts)

            self._engine.stream(f"{command} {COLOURS[int(rules.to_play(state))]} {INTERVAL}", START_SECONDS, take, is_done)
        except EngineFailure as failure:
            raise self._failed(failure) from None
        return latest

    def _follow(self, position: Position) -> None:
        """Brings its board to the position: by the moves that are new, or from the start."""
        engine, game = self._engine, position.game
        if not (self._at is not None and engine.is_running and engine.is_quiet()):
            engine.kill()
            engine.start(START_SECONDS)
            self._at, self._settings = None, []
        made, wanted = self._at, position.move_numbers
        known = made is not None and made.game == game and made.begin.tobytes() == position.begin.tobytes()
        if made is None or not known or wanted[: len(made.move_numbers)] != made.move_numbers:
            self._at = None
            begin_game(engine, game, 0, START_SECONDS)
            self._settings = []
            made = Position(game, position.begin)
            self._set_stones(made)
        for move in wanted[len(made.move_numbers) :]:
            state = made.state
            engine.send(f"play {COLOURS[int(rules.to_play(state))]} {move_text(game, state, move)}", START_SECONDS)
            made = made.after([move])
        self._at = position

    def _set_stones(self, start: Position) -> None:
        """A position that was set up, stone by stone: programs take these moves in any order of colours."""
        game, board = start.game, start.game.board
        if start == game.start:
            return
        if board is None or game.sgf_number != GO:
            raise UserError(f"{self.name} cannot be told a position of {game.name} that was set up")
        for point, owner in board.stones(start.state).items():
            self._engine.send(f"play {COLOURS[owner]} {board.name(point)}", START_SECONDS)

    def _tell_time(self, mover: int, limits: Limits, clock: ProgramClock | None) -> None:
        settings: list[str] = []
        if clock is not None:
            settings = clock_settings(self._engine, clock.control)
        elif limits.seconds is not None and may_send(self._engine, "time_settings"):
            settings = [seconds_a_move(limits.seconds)]
        if settings != self._settings:
            for command in settings:
                self._engine.send(command, START_SECONDS)
            self._settings = settings or self._settings
        if clock is not None:
            tell_time_left(self._engine, mover, clock.told, START_SECONDS)

    def _failed(self, failure: EngineFailure) -> UserError:
        self._engine.kill()
        self._at = None
        return UserError(f"the program {self.command!r}: {failure}")


def read_report(game: Game, state: State, line: str, is_kata: bool) -> list[ProgramMove]:
    """The moves of one line of an analysis; what cannot be read is left out."""
    found = []
    for part in _INFO.split(line)[1:]:
        words = part.split()
        values = dict(zip(words[::2], words[1::2], strict=False))
        try:
            move = parse_move(game, state, values["move"])
            chance = float(values["winrate"]) / (1.0 if is_kata else 10000.0)
            prior = float(values.get("prior", 0.0)) / (1.0 if is_kata else 10000.0)
            score = float(values["scoreLead"]) if "scoreLead" in values else None
            visits = int(values["visits"])
        except (GtpError, KeyError, ValueError):
            continue
        if not (0.0 <= chance <= 1.0 and math.isfinite(prior) and 0 <= visits < 1 << 62):
            continue
        after = words[words.index("pv") + 1 :] if "pv" in words else []
        line_read = _line(game, state, after)
        found.append(ProgramMove(move, visits, chance, prior, score, line_read or (game.text(state, move),)))
    return found


def _line(game: Game, state: State, words: list[str]) -> tuple[str, ...]:
    """An expected line in the game's own words, up to what is no move."""
    position, texts = Position(game, state), []
    for word in words[:LONGEST_LINE]:
        try:
            move = parse_move(game, position.state, word)
        except GtpError:
            break
        texts.append(game.text(position.state, move))
        position = position.after([move])
        if position.is_over:
            break
    return tuple(texts)

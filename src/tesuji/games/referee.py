"""Asks a game its rules in pure Python and trusts no answer: what raises, loops or is impossible becomes a Fault.

A Fault is one line that names the operation, the moves that lead to the position, and the file and line. The loader of
users' games stops at the first; the checker (lab/check.py) collects them and goes on where that makes sense.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import TAG, Operation
from tesuji.core.encoding import Encoding
from tesuji.core.errors import GameError
from tesuji.core.game import Game, State, copy_state
from tesuji.core.sources import shown_path
from tesuji.core.user_files import error_text, raised_at
from tesuji.core.watchdog import TimeUp, Watchdog

RULE_SECONDS = 5.0  # for one answer to one question
NEEDED = (rules.to_play, rules.moves, rules.play, rules.is_over, rules.outcome)
SPARE_ROOM = 64  # the move list gets more room than the game asks for, so that too many moves are counted, not lost
NOT_WRITTEN = -(1 << 31)
WORD = (1 << 64) - 1


@dataclass(frozen=True)
class RulesPosition:
    """A position with the moves that led to it, as numbers and as the game writes them."""

    state: State
    played: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()

    def line(self) -> str:
        """The moves for a message, the middle left out where there are many."""
        if not self.texts:
            return "at the start"
        shown = self.texts if len(self.texts) <= 40 else (*self.texts[:20], "...", *self.texts[-19:])
        return f"after {' '.join(shown)}"


class Fault(GameError):
    """One mistake of a game. `kind` is a short name that does not change; str() is the whole line."""

    def __init__(
        self,
        kind: str,
        what: str,
        position: RulesPosition | None = None,
        place: str = "",
        told: bool = False,
        drawings: tuple[str, ...] = (),
    ):
        """`told`: `what` already says after which moves. `drawings` are of the positions that it is about."""
        self.kind, self.what, self.position, self.place, self.drawings = kind, what, position, place, drawings
        where = f" ({place})" if place else ""
        moment = f", {position.line()}" if position is not None and not told else ""
        super().__init__(" ".join(f"{what}{moment}{where}".split()))


def _stop(fault: Fault) -> None:
    raise fault


class Referee:
    """Plays one game by its rules. `found` hears of faults; the default raises them. The watchdog must have been entered."""

    def __init__(self, game: Game, watchdog: Watchdog, found: Callable[[Fault], None] = _stop):
        self.game = game
        self.watchdog = watchdog
        self.found = found

    # -- the questions -----------------------------------------------------------------------------------------------
    def start(self) -> RulesPosition:
        return RulesPosition(copy_state(self.game.initial))

    def is_over(self, position: RulesPosition) -> bool:
        return bool(self._whole(rules.is_over, position, self._ask(rules.is_over, position)))

    def to_play(self, position: RulesPosition) -> int:
        player = self._whole(rules.to_play, position, self._ask(rules.to_play, position))
        if self.game.players == 1 and player != 0:
            self._fault(
                "player", f"to_play gives {player}, but in a puzzle (players=1) player 0 always moves", rules.to_play, position
            )
        elif player not in (0, 1):
            self._fault("player", f"to_play gives {player}; players are 0 and 1", rules.to_play, position)
        return player if player in (0, 1) else 0

    def moves(self, position: RulesPosition) -> list[int]:
        """The legal moves of a position that is not over, without those that cannot be."""
        game = self.game
        out = np.full(max(game.buffer_size, game.move_count) + SPARE_ROOM, NOT_WRITTEN, np.int32)
        count = self._whole(rules.moves, position, self._ask(rules.moves, position, out))
        if count <= 0:
            if count < 0:
                self._fault("no-moves", f"moves gives the count {count}", rules.moves, position)
            self._give_up("no-moves", "moves lists no move though is_over says that the game goes on", rules.moves, position)
        listed = [int(m) for m in out[:count]]
        if count > len(out) or NOT_WRITTEN in listed:
            written = listed.index(NOT_WRITTEN) if NOT_WRITTEN in listed else len(listed)
            self._fault("move-count", f"moves gives the count {count} but writes {written} moves", rules.moves, position)
        elif count > game.buffer_size:
            most = f"max_moves is {game.max_moves}" if game.max_moves else f"move_count is {game.move_count}"
            self._fault("too-many-moves", f"moves lists {count} moves, but {most}", rules.moves, position)
        legal: list[int] = []
        for move in listed:
            if move == NOT_WRITTEN:
                break
            if not 0 <= move < game.move_count:
                last = game.move_count - 1
                self._fault(
                    "move-range", f"moves lists {move}; moves are 0 to {last} (move_count={last + 1})", rules.moves, position
                )
            elif move in legal:
                self._fault("duplicate-move", f"moves lists {move} twice", rules.moves, position)
            else:
                legal.append(move)
        if not legal:
            self._give_up("no-moves", "moves lists no move that is possible", rules.moves, position)
        return legal

    def outcome(self, position: RulesPosition) -> int:
        """The outcome of a position that is over."""
        result = self._whole(rules.outcome, position, self._ask(rules.outcome, position))
        low, high = self.game.outcomes
        if not low <= result <= high:
            self._fault("outcome-range", f"outcome gives {result}; outcomes=({low}, {high})", rules.outcome, position)
        return result

    def bounds(self, position: RulesPosition) -> tuple[int, int]:
        """(lower, upper) of a position that is not over."""
        low, high = self.game.outcomes
        answer = self._ask(rules.bounds, position, low, high)
        if not (isinstance(answer, tuple) and len(answer) == 2):
            self._give_up("bounds", f"bounds gives {_shown(answer)}; it must give (lower, upper)", rules.bounds, position)
        lower, upper = (self._whole(rules.bounds, position, part) for part in answer)
        if lower > upper:
            self._fault("bounds", f"bounds gives lower {lower} above upper {upper}", rules.bounds, position)
        elif lower < low or upper > high:
            self._fault(
                "bounds", f"bounds gives ({lower}, {upper}), not within outcomes=({low}, {high})", rules.bounds, position
            )
        return lower, upper

    def evaluate(self, position: RulesPosition) -> float:
        """How good a position that is not over looks."""
        answer = self._ask(rules.evaluate, position)
        value = float(answer) if isinstance(answer, bool | int | float | np.bool_ | np.number) else None
        if value is None or math.isnan(value):
            shown = _shown(answer if value is None else value)
            self._give_up("evaluation", f"evaluate gives {shown}; it must give a number", rules.evaluate, position)
        return value

    def position_hash(self, position: RulesPosition) -> int:
        return self._whole(rules.position_hash, position, self._ask(rules.position_hash, position)) & WORD

    def symmetries(self, position: RulesPosition) -> int:
        count = self._whole(rules.symmetries, position, self._ask(rules.symmetries, position))
        if count < 1:
            what = f"symmetries gives {count}; it must give 1 or more, as the position itself counts"
            self._fault("symmetry", what, rules.symmetries, position)
        return max(count, 1)

    def image(self, position: RulesPosition, number: int) -> RulesPosition:
        """A position's image, which counts as reached by the same moves."""
        out = copy_state(position.state)
        self._ask(rules.image, position, number, out)
        return RulesPosition(out, position.played, position.texts)

    def symmetric_hash(self, position: RulesPosition) -> int:
        """The hash that a position shares with its images."""
        image_buffer = np.zeros(1, position.state.dtype)
        return self._whole(rules.symmetric_hash, position, self._ask(rules.symmetric_hash, position, image_buffer)) & WORD

    def planes(self, position: RulesPosition) -> np.ndarray:
        """What a network sees of a position; the game has an encoding."""
        assert self.game.encoding is not None
        out = self.game.encoding.empty()
        self._ask(rules.planes, position, out)
        return out

    def place(self, position: RulesPosition, move: int) -> int:
        return self._whole(rules.place, position, self._ask(rules.place, position, move))

    def play(self, position: RulesPosition, move: int) -> RulesPosition:
        """The position after a move; the one before is left as it is."""
        after = RulesPosition(
            copy_state(position.state), (*position.played, move), (*position.texts, self.text(position, move))
        )
        self._ask(rules.play, after, move)
        return after

    def check_length(self, position: RulesPosition) -> None:
        """Of a position that is not over: may there be one more move?"""
        most = self.game.max_plies
        if len(position.played) >= most:
            what = f"is_over says that the game goes on after {most} moves, but max_plies is {most}"
            self._give_up("too-long", what, rules.is_over, position)

    # -- how it is written -------------------------------------------------------------------------------------------
    def text(self, position: RulesPosition, move: int) -> str:
        text = self._call(self.game.move_text, "move_text", position, copy_state(position.state), move)
        if isinstance(text, str) and text and not any(c.isspace() or c == "," for c in text):
            return text
        what = f"move_text gives {_shown(text)} for the move {move}; it must give a text without spaces and commas"
        self._fault("text", what, self.game.move_text, position)
        return str(move)

    def drawing(self, position: RulesPosition) -> str:
        drawn = self._call(self.game.drawing, "draw", position, copy_state(position.state))
        if not isinstance(drawn, str):
            self._fault(
                "text", f"draw gives {_shown(drawn)}; it must give a text", self.game.draw or self.game.drawing, position
            )
            return ""
        return drawn

    def parse_move(self, position: RulesPosition, text: str) -> int:
        assert self.game.parse_move is not None
        return self._call(self.game.parse_move, "parse_move", position, copy_state(position.state), text)

    # -- asking ------------------------------------------------------------------------------------------------------
    def _ask(self, operation: Operation, position: RulesPosition, *rest: Any) -> Any:
        """The answer of the game's own function; a question must leave the state as it was, only `play` may change it."""
        state = position.state
        before = copy_state(state)
        answer = self._call(operation.find(state.dtype), operation.__name__, position, state, *rest)
        if operation is not rules.play and state.tobytes() != before.tobytes():
            fields = [n for n in state.dtype.names or () if not np.array_equal(state[n], before[n])]
            what = f"{operation.__name__} changes the state ({', '.join(fields)}); only play may"
            self._fault("changes-state", what, operation, position)
            for name in state.dtype.names or ():
                state[name] = before[name]
        return answer

    def _call(self, function: Callable[..., Any], name: str, position: RulesPosition, *arguments: Any) -> Any:
        if name == "play":
            position, when = (
                RulesPosition(position.state, position.played[:-1], position.texts[:-1]),
                f" of {position.texts[-1]}",
            )
        else:
            when = ""
        try:
            with np.errstate(all="ignore"):
                return self.watchdog.call(RULE_SECONDS, function, *arguments)
        except TimeUp as error:
            what = f"{name}{when} does not end (stopped after {RULE_SECONDS:g} seconds)"
            fault = Fault("loops", what, position, raised_at(error, self.game.source))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever the user's code raises, SystemExit too
            fault = Fault("raises", f"{name}{when} raises {error_text(error)}", position, raised_at(error, self.game.source))
        self.found(fault)
        raise fault

    def _whole(self, operation: Operation, position: RulesPosition, answer: Any) -> int:
        if isinstance(answer, bool | int | np.bool_ | np.integer):
            return int(answer)
        if isinstance(answer, float | np.floating) and float(answer).is_integer():
            name = operation.__name__
            self._fault(
                "not-whole", f"{name} gives {_shown(answer)}, a float; it must give a whole number", operation, position
            )
            return int(answer)
        what = f"{operation.__name__} gives {_shown(answer)}; it must give a whole number"
        self._give_up("not-whole", what, operation, position)

    def _fault(self, kind: str, what: str, function: Any, position: RulesPosition) -> Fault:
        fault = Fault(kind, what, position, place_of(self.game, function))
        self.found(fault)
        return fault

    def _give_up(self, kind: str, what: str, function: Any, position: RulesPosition) -> NoReturn:
        """A fault after which this game cannot go on."""
        raise self._fault(kind, what, function, position)


def place_of(game: Game, function: Any) -> str:
    """file:line of a function, or of the game's implementation of an operation."""
    if isinstance(function, Operation):
        function = function.implementations.get(game.initial.dtype, function.default)
    code = getattr(function, "__code__", None)
    return f"{shown_path(code.co_filename)}:{code.co_firstlineno}" if code else ""


def structure_faults(game: Game) -> list[Fault]:
    """What is wrong with a game before any rule is asked: its record and the operations that are missing."""
    start: Any = game.initial
    if not isinstance(start, np.void) or not start.dtype.names:
        return [Fault("state", f"initial is {_shown(start)}; it must be one record, as np.zeros(1, STATE)[0] gives")]
    if not start.dtype.names[-1].startswith(TAG):
        return [Fault("state", "the state's type must be made by tesuji.state_type(name, fields), not by np.dtype")]
    if start.dtype.hasobject:
        return [
            Fault("state", "the state holds Python objects; its fields must be numbers or arrays of numbers of a fixed size")
        ]
    for name in ("move_count", "max_plies", "max_moves", "players"):
        if not isinstance(getattr(game, name), int):
            return [Fault("state", f"{name} is {_shown(getattr(game, name))}; it must be a whole number")]
    if game.players not in (1, 2):
        return [Fault("state", f"players is {game.players}; it must be 2, or 1 for a puzzle")]
    sees = rules.planes.is_implemented(start.dtype)
    if sees and not isinstance(game.encoding, Encoding):
        return [Fault("encoding", "there are planes, but nothing gives their shape; give the Game encoding=Encoding(...)")]
    needed = (*NEEDED, rules.image) if rules.symmetries.is_implemented(start.dtype) else NEEDED
    if game.encoding is not None:
        needed = (*needed, rules.planes)
    return [
        Fault("missing", f"nothing implements {o.__name__}; write @implements(rules.{o.__name__}, STATE) above a function")
        for o in needed
        if not o.is_implemented(start.dtype)
    ]


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."

"""A game: its initial position, and all that is not in its rules: names, ranges, sizes, how it is written and drawn.

Rules work on records. `Game.start` leads to the same positions as `Position` objects, which are easier to use and cannot be
changed (`core/position.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tesuji.core import rules
from tesuji.core.encoding import Encoding
from tesuji.core.errors import UserError, shortened
from tesuji.core.picture.board import Board
from tesuji.core.records import is_same_record

if TYPE_CHECKING:
    from tesuji.core.picture.drawing import Picture
    from tesuji.core.position import Position

MOST_OUTCOME = 10**9
MOST_COUNT = 10**7
RESIGNS, NO_MOVE = -2, -3  # what `parse_sgf_move` returns for a word in place of a move

State = Any  # one record: a numpy.void of the game's dtype


def _number(_state: State, move: int) -> str:
    return str(move)


@dataclass(frozen=True)
class SgfDialect:
    """How a record differs from the SGF that the game writes itself."""

    black: int = 0  # the player whose moves are marked B
    words: Mapping[str, str] = field(default_factory=dict)  # moves that mean another here
    rules: Mapping[str, Any] = field(default_factory=dict)  # the game that it is: arguments of `Game.vary`


@dataclass(frozen=True, eq=False, repr=False)
class Game:
    """One game at one size. `initial` is a record; every other position is a copy of it with moves played."""

    name: str  # the full game string, as in connect4:7x6
    initial: State
    outcomes: tuple[int, int]  # lowest and highest outcome, for player 0
    move_count: int  # moves are the integers 0 .. move_count - 1
    max_plies: int  # no game is longer than this
    max_moves: int = 0  # no position has more legal moves than this; 0 = move_count
    players: int = 2  # 1 = a puzzle: player 0 always moves
    player_names: tuple[str, str] = ("first", "second")
    move_text: Callable[[State, int], str] = _number
    parse_move: Callable[[State, str], int] | None = None  # None = compare with move_text of each legal move
    draw: Callable[[State], str] | None = None
    draw_value: int | None = None  # the outcome called a draw; None = the middle of the range when that is an outcome
    policy: Any = None  # the playout policy that suits the game; None = uniform
    title: str = ""
    # For those who see the game for the first time: what it is about in one sentence, its rules in about three, what a click on
    # the board does; and the moves, with blanks between, of a game that is won, here or in the game that `won_in` names.
    goal: str = ""
    how_to_play: str = ""
    click: str = ""
    won_by: str = ""
    won_in: str = ""
    source: str = ""  # for a user's game: the file it comes from
    points: int = 0  # cells of the board; 0 = the game has no board, or does not say
    outcome_unit: float = 1.0  # what one step of the outcome is worth in the game's own points (Go counts in halves)
    board: Board | None = None
    picture: Picture | None = None  # how the page and pictures show it; None = a grid by `board`, or the text of `draw`
    sgf_number: int = 0  # the number of the game in SGF (property GM); 0 = it has none
    sgf_move: Callable[[State, int], str] | None = None
    parse_sgf_move: Callable[[State, str], int] | None = None
    why_illegal: Callable[[State, int], str] | None = None  # of a move that `parse_move` knows, in words
    rule_sets: tuple[str, ...] = ()  # what records call these rules: in words, and other names
    # The dialect of a record by its first moves (0 for B and 1 for W, and the text); a UserError if it makes no sense.
    sgf_dialect: Callable[[Sequence[tuple[int, str]]], SgfDialect] | None = None
    # vary(size=None, komi=None): the same game at another size or komi; Go: superko; Hex: swap. With a size it begins with
    # its default start, not with a position that was set up.
    vary: Callable[..., Game] | None = None
    has_rectangles: bool = False  # `vary` takes `columns` too, and `size` is then the number of rows
    result_text: Callable[[State], str] | None = None  # of a game that is over, as in B+3.5
    encoding: Encoding | None = None  # what networks see of it, if it has `rules.planes`
    extra: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        low, high = self.outcomes
        if low > high:
            raise UserError(f"{self.name}: outcomes {self.outcomes} must be (lowest, highest)")
        if max(abs(low), abs(high)) > MOST_OUTCOME:
            raise UserError(f"{self.name}: outcomes {self.outcomes} are out of range: within {-MOST_OUTCOME} .. {MOST_OUTCOME}")
        for field_name in ("move_count", "max_plies"):
            if not 1 <= getattr(self, field_name) <= MOST_COUNT:
                raise UserError(f"{self.name}: {field_name}={getattr(self, field_name)} is out of range: 1 .. {MOST_COUNT}")
        if not 0 <= self.max_moves <= 32767 or self.buffer_size > 32767:
            raise UserError(f"{self.name}: a position may have 32767 legal moves at most; set max_moves")
        if len(self.player_names) != 2:
            raise UserError(f"{self.name}: player_names must be two names")

    def __repr__(self) -> str:
        return f"<Game {self.name}>"

    def __eq__(self, other: object) -> bool:
        """Games are equal if they have the same name and begin alike; an edited file makes records of another type."""
        if not isinstance(other, Game):
            return NotImplemented
        return self.name == other.name and is_same_record(self.initial, other.initial)

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def name_without_folder(self) -> str:
        """The game string; for a user's game, the names of the file and of the game, without the folder, which is private."""
        return f"{Path(self.source).name}:{self.name.rpartition(':')[2]}" if self.source else self.name

    # -- positions ---------------------------------------------------------------------------------------------------
    @cached_property
    def start(self) -> Position:
        """The position in which the game begins."""
        from tesuji.core.position import Position

        return Position(self, self.initial)

    def new_state(self) -> State:
        """A fresh copy of the initial record."""
        return copy_state(self.initial)

    def state_after(self, moves: Iterable[str | int]) -> State:
        """The record after the moves (texts or numbers) from the start; an illegal one is a UserError."""
        state = self.new_state()
        for ply, move in enumerate(moves, 1):
            rules.play(state, self.number_of(state, move, ply))
        return state

    def number_of(self, state: State, move: str | int, ply: int) -> int:
        """The number of a legal move, from its text or number. `ply` says which move of the game it is, for error messages."""
        if rules.is_over(state):
            raise UserError(f"move {ply} ({shortened(str(move))}) comes after the end of the game")
        if isinstance(move, str):
            try:
                return self.parse(state, move)
            except UserError as error:
                raise UserError(f"move {ply}: {error}") from None
        if move not in self.legal_moves(state):
            raise UserError(f"move {ply}: {move} is not legal here")
        return move

    def legal_moves(self, state: State) -> list[int]:
        """The legal moves as plain integers; empty when the game is over."""
        if rules.is_over(state):
            return []
        out = np.zeros(self.buffer_size, np.int32)
        return [int(m) for m in out[: rules.moves(state, out)]]

    def of_size(self, columns: int, rows: int) -> Game:
        """The same game on a board of that size; a UserError if it is not played there."""
        if self.vary is None or (columns != rows and not self.has_rectangles):
            raise UserError(f"{self.name.partition(':')[0]} is not played on {columns}x{rows}")
        return self.vary(size=rows) if columns == rows else self.vary(size=rows, columns=columns)

    @property
    def buffer_size(self) -> int:
        return self.max_moves or self.move_count

    # -- text --------------------------------------------------------------------------------------------------------
    def parse(self, state: State, text: str) -> int:
        """The legal move that `text` means; a UserError names what would be legal."""
        text = text.strip()
        legal = self.legal_moves(state)
        if self.parse_move is not None:
            move = self.parse_move(state, text)
            if move in legal:
                return move
        else:
            for move in legal:
                if self.move_text(state, move).lower() == text.lower():
                    return move
            move = -1
        if move >= 0 and self.why_illegal is not None:
            why = self.why_illegal(state, move)
        else:
            shown = [self.move_text(state, m) for m in legal[:12]]
            more = f" ... ({len(legal)} in all)" if len(legal) > 12 else ""
            why = f"legal: {' '.join(shown)}{more}"
        raise UserError(f"{shortened(text, quoted=True)} is not a legal move of {self.name} here; {why}")

    def text(self, state: State, move: int) -> str:
        return self.move_text(state, move)

    def drawing(self, state: State) -> str:
        """The position for a terminal."""
        if self.draw is not None:
            return self.draw(state)
        names = state.dtype.names or ()
        return "\n".join(f"{name}: {state[name]}" for name in names[:-1])

    def result(self, state: State) -> str:
        """The result of a game that is over in the words of game records: B+1, W+1, 0 for a draw; B is player 0."""
        if self.result_text is not None:
            return self.result_text(state)
        margin = int(rules.outcome(state)) - self.break_even
        return "0" if margin == 0 else f"{'B' if margin > 0 else 'W'}+{abs(margin) * self.outcome_unit:g}"

    # -- outcomes ----------------------------------------------------------------------------------------------------
    @property
    def draw_outcome(self) -> int | None:
        """The outcome that counts as a draw, if the game has one."""
        if self.draw_value is not None:
            return self.draw_value
        low, high = self.outcomes
        return (low + high) // 2 if self.players == 2 and (low + high) % 2 == 0 and low < high else None

    @property
    def break_even(self) -> float:
        """Of a game of two: what is above is won by player 0, what is below by player 1. There may be no outcome just there."""
        return sum(self.outcomes) / 2 if self.draw_outcome is None else float(self.draw_outcome)

    def winner(self, lower: float, upper: float) -> int | None:
        """Who wins for sure when the outcome lies in lower .. upper: player 0 or 1; -1 for a draw, None where that is open."""
        if lower > self.break_even:
            return rules.FIRST
        if upper < self.break_even:
            return rules.SECOND
        return -1 if lower == upper else None

    def in_points(self, outcome: float) -> float:
        """An outcome in the game's own points: Go counts in halves."""
        return outcome if self.outcome_unit == 1.0 else outcome * self.outcome_unit

    @property
    def shares_bounds(self) -> bool:
        """Whether the game supplies a position hash, so that bounds may be shared between transposed positions."""
        return rules.position_hash.is_implemented(self.initial.dtype)

    @property
    def has_symmetries(self) -> bool:
        """Whether the game names its symmetries, so that a proof of a position also holds for its images."""
        return rules.image.is_implemented(self.initial.dtype)


def copy_state(state: State) -> State:
    """A record of its own with the same contents."""
    copy = np.zeros(1, state.dtype)
    copy[0] = state
    return copy[0]

"""A position of a game, immutable: what programs that use the package work with. Knows no search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game, copy_state
from tesuji.core.records import without_gaps

if TYPE_CHECKING:
    from tesuji.core.game import State

MOST_MOVES_SHOWN = 12
LARGEST_NUMBER = 1 << 63


class Position:
    """A game, a record of its type, and the moves that led there. To make a move is to get a new position.

    Moves are texts in the game's own notation. Two positions are equal if nothing but the way to them differs.
    """

    __slots__ = ("_before", "_begin", "_numbers", "_state", "game", "moves")

    game: Game
    moves: tuple[str, ...]  # from the start of the game, or from the position that was set up

    def __init__(self, game: Game, state: State):
        """The position of a record: the start of the game, or one that is set up."""
        if not isinstance(game, Game):
            raise UserError(f"a position needs a tesuji.Game, not {type(game).__name__}")
        if not isinstance(state, np.void) or state.dtype != game.initial.dtype:
            raise UserError(f"a position of {game.name} needs a record of its type, as game.new_state() makes them")
        self._fill(game, _read_only(state), (), ())

    def _fill(
        self,
        game: Game,
        state: State,
        moves: tuple[str, ...],
        numbers: tuple[int, ...],
        begin: State = None,
        before: State = None,
    ) -> None:
        """Sets the attributes, which nothing else can.

        state     the record of the position, read-only
        moves     the moves from `begin`, as texts
        numbers   the same moves, as numbers
        begin     the record that they begin from; None = `state`
        before    the record before the last of them; None = there is none
        """
        values = {
            "game": game,
            "_state": state,
            "moves": moves,
            "_numbers": numbers,
            "_begin": state if begin is None else begin,
            "_before": before,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a position cannot be changed; play(move) makes a new one (not set: {name})")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a position cannot be changed (not deleted: {name})")

    def __copy__(self) -> Position:
        return self  # nobody can change it

    def __deepcopy__(self, _memo: object) -> Position:
        return self

    def __reduce__(self) -> Any:
        """For a position of a user's game, which is code. How those of built-in games are pickled is in games/registry.py."""
        raise UserError(f"a position of {self.game.name} cannot be pickled: keep its moves, and play them again")

    # -- moving ------------------------------------------------------------------------------------------------------
    def play(self, *moves: str | int) -> Position:
        """The position after these moves; one that is not legal is an Error that lists those that are.

        A move is its text; a number stands for the text that it prints as, so that play(4) is play("4").
        """
        state, numbers = self.state, []
        with np.errstate(over="ignore"):  # hashes wrap, on purpose
            for move in moves:
                if not isinstance(move, str | int) or isinstance(move, bool):
                    shown = shortened(repr(move))
                    raise UserError(f"a move is a text in the notation of {self.game.name}; {shown} is a {type(move).__name__}")
                ply = len(self.moves) + len(numbers) + 1
                if isinstance(move, int) and abs(move) > LARGEST_NUMBER:
                    raise UserError(f"move {ply}: no move of {self.game.name} is a number that large")
                numbers.append(self.game.number_of(state, str(move), ply))
                rules.play(state, numbers[-1])
        return self.after(numbers)

    def after(self, numbers: Sequence[int]) -> Position:
        """The position after moves that are known to be legal, by their numbers."""
        state, texts, before = self.state, list(self.moves), self._before
        with np.errstate(over="ignore"):
            for place, number in enumerate(numbers, 1):
                texts.append(self.game.text(state, number))
                if place == len(numbers):
                    before = copy_state(state)
                rules.play(state, number)
        position = Position.__new__(Position)
        position._fill(self.game, _read_only(state), tuple(texts), (*self._numbers, *numbers), self._begin, before)
        return position

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """All legal moves; none when the game is over."""
        state = self.state
        return tuple(self.game.text(state, move) for move in self.game.legal_moves(state))

    @property
    def to_move(self) -> str | None:
        """The name of the player to move; None when the game is over."""
        return None if self.is_over else self.game.player_names[int(rules.to_play(self.state))]

    # -- the end -----------------------------------------------------------------------------------------------------
    @property
    def is_over(self) -> bool:
        return bool(rules.is_over(self.state))

    @property
    def outcome(self) -> float | None:
        """The outcome for the first player in the game's own units; None as long as the game is not over."""
        return self.game.in_points(int(rules.outcome(self.state))) if self.is_over else None

    @property
    def winner(self) -> str | None:
        """The name of the player who has won; None if nobody has: a draw, a puzzle, or the game is not over."""
        if not self.is_over or self.game.players == 1:
            return None
        outcome = int(rules.outcome(self.state))
        side = self.game.winner(outcome, outcome)
        return None if side is None or side < 0 else self.game.player_names[side]

    @property
    def result(self) -> str | None:
        """The result as game records write it: B+1, W+0.5, 0 for a draw, B the first player; None if the game is not over."""
        return self.game.result(self.state) if self.is_over else None

    # -- the record --------------------------------------------------------------------------------------------------
    @property
    def state(self) -> State:
        """A copy of the record. Rules get copies only: some use the record as scratch space while they work."""
        return copy_state(self._state)

    @property
    def begin(self) -> State:
        """A copy of the record from which the moves lead here: the game's initial one, unless a position was set up."""
        return copy_state(self._begin)

    @property
    def before(self) -> State:
        """A copy of the record before the last move; None if there was none."""
        return None if self._before is None else copy_state(self._before)

    @property
    def move_numbers(self) -> tuple[int, ...]:
        """The moves as the numbers that rules use."""
        return self._numbers

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.game == other.game and self._state.tobytes() == other._state.tobytes()

    def __hash__(self) -> int:
        return hash((self.game, self._state.tobytes()))

    def __str__(self) -> str:
        return self.game.drawing(self.state)

    def _repr_svg_(self) -> str:
        """The picture that notebooks show."""
        from tesuji.core.picture.svg import svg_of

        return svg_of(self)

    def __repr__(self) -> str:
        count = len(self.moves)
        after = " ".join(self.moves) if count <= MOST_MOVES_SHOWN else f"{count} moves, the last {self.moves[-1]}"
        end = "" if self.is_over and self.game.players == 1 else "a draw" if self.winner is None else f"{self.winner} wins"
        state = f"{self.to_move} to move" if not self.is_over else end or f"score {self.outcome:g}"
        return f"<Position of {self.game.name}{' after ' if count else ''}{after}: {state}>"


def _read_only(state: State) -> State:
    """A copy of a record that cannot be written to, with zeros between the fields, so that equal positions have equal bytes."""
    own = without_gaps(state)
    own.flags.writeable = False
    return own[0]

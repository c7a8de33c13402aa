"""How a position came about. A file that holds this instead of a record needs no trust: the rules reconstruct the position."""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State
from tesuji.core.position import Position
from tesuji.core.records import is_same_record

Stone = tuple[int, int, int]  # column, row, player


class Origin(NamedTuple):
    """The moves from the start of the game, or from a position that was set up with these stones."""

    moves: tuple[int, ...] = ()
    stones: tuple[Stone, ...] | None = None
    to_move: int = 0  # in the position that was set up

    def position(self, game: Game) -> State:
        """The position; a UserError if the stones cannot stand so, or a move is not legal."""
        state = game.new_state()
        if self.stones is not None:
            if game.board is None or game.board.set_up is None:
                raise UserError(f"no position of {game.name} can be set up")
            stones = {(column, row): player for column, row, player in self.stones}
            state = game.board.set_up(state, stones, self.to_move)
        if len(self.moves) > game.max_plies:
            raise UserError(f"no game of {game.name} has {len(self.moves)} moves")
        with np.errstate(over="ignore"):
            for number, move in enumerate(self.moves, 1):
                if move not in game.legal_moves(state):
                    raise UserError(f"move {number} ({move}) is not legal")
                rules.play(state, move)
        return state

    def after(self, move: int) -> Origin:
        return self._replace(moves=(*self.moves, int(move)))


def origin_of(position: Position) -> Origin:
    """How a position came about, as far as the game can tell."""
    game, begin = position.game, position.begin
    origin = None if is_same_record(begin, game.initial) else set_up_of(game, begin)
    return (origin or Origin())._replace(moves=position.move_numbers)


def position_of_origin(game: Game, origin: Origin) -> Position:
    """The position of that origin, whose moves must be legal."""
    return Position(game, origin._replace(moves=()).position(game)).after(origin.moves)


def set_up_of(game: Game, state: State) -> Origin | None:
    """The origin that sets the stones of a position up; None if the game has none."""
    if game.board is None or game.board.set_up is None:
        return None
    stones = tuple((int(column), int(row), int(player)) for (column, row), player in game.board.stones(state).items())
    return Origin((), stones, int(rules.to_play(state)))


def true_origin(game: Game, state: State, claim: Origin) -> Origin | None:
    """The claimed origin of a position if it leads there, else one that does; None if there is none to try."""
    for origin in (claim, set_up_of(game, state)):
        with contextlib.suppress(UserError):
            if origin is not None and is_same_record(origin.position(game), state):
                return origin
    return None


def origin_from_json(value: Any) -> Origin:
    """The origin in a header; a ValueError if it is none."""
    moves, stones, to_move = value["moves"], value["stones"], value["to_move"]
    if not isinstance(moves, list) or not all(type(move) is int and 0 <= move < 1 << 31 for move in moves):
        raise ValueError("moves")
    if stones is not None and not (
        isinstance(stones, list)
        and all(isinstance(stone, list) and len(stone) == 3 and all(type(n) is int for n in stone) for stone in stones)
    ):
        raise ValueError("stones")
    if type(to_move) is not int or to_move not in (rules.FIRST, rules.SECOND):
        raise ValueError("to_move")
    return Origin(tuple(moves), None if stones is None else tuple((c, r, p) for c, r, p in stones), to_move)

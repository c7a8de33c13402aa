"""Pickling of positions: the name of a built-in game, the record from which its moves lead, and the moves.

A user's own game is made of code that a pickle does not hold, so its positions are refused (core/position.py).
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from typing import Any

import numpy as np

from tesuji.core.position import Position
from tesuji.games.registry import find_built_in, is_built_in


def register() -> None:
    """Lets pickle know; `find_game` calls this, because to load this module takes NumPy."""
    copyreg.pickle(Position, _parts)


def _parts(position: Position) -> tuple[Callable[..., Position], tuple[Any, ...]]:
    if not is_built_in(position.game):
        position.__reduce__()  # which refuses
    return _position, (position.game.name, position.begin.tobytes(), position.move_numbers)


def _position(name: str, begin: bytes, moves: tuple[int, ...]) -> Position:
    game = find_built_in(name)
    return Position(game, np.frombuffer(begin, game.initial.dtype)[0]).after(moves)

"""Checks of the arguments of public functions: a wrong one is a UserError of one line."""

from __future__ import annotations

import math
import operator
import os
from typing import TYPE_CHECKING, Any

from tesuji.core.errors import UserError, shortened

if TYPE_CHECKING:
    from tesuji.core.game import Game

MAX_SEED = (1 << 64) - 1
MOST_SECONDS = 1e9  # 30 years: clocks of the operating system overflow at ten times that


def whole(name: str, value: Any, lowest: int, highest: int | None = None) -> int:
    """A whole number from `lowest`; 1e4 is one as well, True is not."""
    number: Any = int(value) if isinstance(value, float) and value.is_integer() else value
    try:
        integer = operator.index(number)
    except TypeError:
        integer = None
    if integer is None or isinstance(value, bool) or integer < lowest or (highest is not None and integer > highest):
        to = "" if highest is None else f" to {highest}"
        raise UserError(f"{name}={_shown(value)} is not possible: a whole number from {lowest}{to}")
    return integer


def seed_number(value: Any) -> int:
    return whole("seed", value, 0, MAX_SEED)


def seconds_number(value: Any, name: str = "seconds") -> float:
    """A time of 0 seconds or more."""
    seconds = None if isinstance(value, bool | str | bytes | bytearray) else finite(value)
    if seconds is None or not 0 <= seconds <= MOST_SECONDS:
        raise UserError(f"{name}={_shown(value)} is not possible: a number from 0 to {MOST_SECONDS:g}")
    return seconds


def finite(value: Any) -> float | None:
    """A number, or the number that a text spells, as a float; None if it is no number, infinite, or too large for a float."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):  # the last for a whole number of 400 digits, which JSON may hold
        return None
    return number if math.isfinite(number) else None


def text(name: str, value: Any, example: str) -> str:
    if not isinstance(value, str):
        raise UserError(f"{name}={_shown(value)} is not possible: a text as in {example!r}")
    return value


def file_name(value: Any) -> str:
    """A path as text, from a text or a Path."""
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(path, str):
        raise UserError(f"a file name is a text or a Path, not {type(value).__name__}")
    return path


def _shown(value: Any) -> str:
    try:
        return f"{value:g}" if isinstance(value, float) else shortened(repr(value))
    except ValueError:  # a number of more digits than Python writes
        return "<a very long number>"


def game_object(value: Any) -> Game:
    """The argument `game` where it is not a game string: it must be a Game."""
    from tesuji.core.game import Game  # here, so that limits can be checked without loading NumPy

    if not isinstance(value, Game):
        raise UserError(f"a game is a string as in 'connect4:7x6', or a tesuji.Game, not {type(value).__name__}")
    return value

"""Checks of what a program gives to a public function: whatever is wrong is a UserError of one line."""

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
        found = operator.index(number)
    except TypeError:
        found = None
    if found is None or isinstance(value, bool) or found < lowest or (highest is not None and found > highest):
        to = "" if highest is None else f" to {highest}"
        raise UserError(f"{name}={_shown(value)} is not possible: a whole number from {lowest}{to}")
    return found


def seed_number(value: Any) -> int:
    return whole("seed", value, 0, MAX_SEED)


def seconds_number(value: Any, name: str = "seconds") -> float:
    """A time of 0 seconds or more."""
    found = None if isinstance(value, bool | str | bytes | bytearray) else finite(value)
    if found is None or not 0 <= found <= MOST_SECONDS:
        raise UserError(f"{name}={_shown(value)} is not possible: a number from 0 to {MOST_SECONDS:g}")
    return found


def finite(value: Any) -> float | None:
    """The number in a text, or a number as a float; None if it is none, or beyond what a float holds."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):  # the last by a whole number of 400 digits, which JSON may hold
        return None
    return found if math.isfinite(found) else None


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


def whole_game(value: Any) -> Game:
    """A Game, where a string was possible too."""
    from tesuji.core.game import Game  # here: limits are checked where NumPy need not be loaded

    if not isinstance(value, Game):
        raise UserError(f"a game is a string as in 'connect4:7x6', or a tesuji.Game, not {type(value).__name__}")
    return value

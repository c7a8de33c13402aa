"""How moves of Lines of Action are written: `c8-c6`, `a3xc1` for a capture, `pass`; in SGF `c8-c6` and `a3:c1`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.board import Point
from tesuji.core.errors import UserError
from tesuji.games.loa.lines import DIRECTIONS, PASS, landing
from tesuji.games.loa.state import MOST_PIECES

State = Any

COLUMNS = "abcdefgh"
PASS_TEXT = "pass"
_MOVE = re.compile(r"([a-h])([1-8])\s*[-x:]?\s*([a-h])([1-8])", re.IGNORECASE)
_SGF_REMARKS = "+!?# "  # may follow a move in SGF, for people to read


def square_text(square: int) -> str:
    return COLUMNS[square % 8] + str(square // 8 + 1)


def square_at(point: Point) -> int:
    column, row = point
    if not (0 <= column < 8 and 0 <= row < 8):
        raise UserError(f"column {column + 1}, row {row + 1} is not on the board of 8x8")
    return 8 * row + column


def target_square(state: State, move: int) -> int:
    """Where a move leads that is not a pass."""
    return int(landing(state["counts"], move >> 3, move & 7))


def move_text(state: State, move: int) -> str:
    return _written(state, move, "x")


def sgf_move(state: State, move: int) -> str:
    return _written(state, move, ":")


def _written(state: State, move: int, capture: str) -> str:
    if move == PASS:
        return PASS_TEXT
    target = target_square(state, move)
    taken = int(state["stones"][1 - state["to_play"]]) >> target & 1
    return square_text(move >> 3) + (capture if taken else "-") + square_text(target)


def parse_move(state: State, text: str) -> int:
    """The move that goes from one square to the other, whichever of - x : or nothing stands between; -1 if none does."""
    if text.strip().lower() == PASS_TEXT:
        return PASS
    match = _MOVE.fullmatch(text.strip())
    if match is None:
        return -1
    column, row, to_column, to_row = match.groups()
    across = COLUMNS.index(to_column.lower()) - COLUMNS.index(column.lower())
    up = int(to_row) - int(row)
    steps = max(abs(across), abs(up))
    if steps == 0 or (across / steps, up / steps) not in DIRECTIONS:
        return -1
    move = 8 * square_at((COLUMNS.index(column.lower()), int(row) - 1)) + DIRECTIONS.index((across // steps, up // steps))
    return move if target_square(state, move) == (move >> 3) + across + 8 * up else -1


def parse_sgf_move(state: State, text: str) -> int:
    """The move of an SGF value, with or without a remark after it as in `c2:c5+`; a UserError if it is not legal here."""
    move = parse_move(state, text.strip().rstrip(_SGF_REMARKS) or PASS_TEXT)
    if move == -1 or not is_legal(state, move):
        raise UserError(f"{text!r} is not a legal move of loa here")
    return move


def is_legal(state: State, move: int) -> bool:
    legal = np.zeros(8 * MOST_PIECES, np.int32)
    return not rules.is_over(state) and move in legal[: rules.moves(state, legal)]

"""How Lines of Action is written: moves, positions, and the board in a terminal.

Moves: `c8-c6`, `a3xc1` for a capture, `pass`; in SGF `c8-c6` and `a3:c1`. A position is the rows from the eighth down to the
first, then whose turn it is: `1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1:b` is the start. In it b and w are pieces, a number
stands for so many empty squares, and what came before is not part of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError, shortened
from tesuji.core.picture.board import Point
from tesuji.games import strings
from tesuji.games.loa.lines import DIRECTIONS, PASS, landing
from tesuji.games.loa.state import BLACK, MOST_PIECES, WHITE

State = Any

COLUMNS = "abcdefgh"
PASS_TEXT = "pass"
_MOVE = re.compile(r"([a-h])([1-8])\s*[-x:]?\s*([a-h])([1-8])", re.IGNORECASE)
_SGF_REMARKS = "+!?# "  # may follow a move in SGF, for people to read

SIDES = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
LONGEST_POSITION = 90  # characters: more than any position has
FORM = "eight rows from the top, b and w for pieces, numbers for empty squares, then :b or :w for the side to move"


# -- moves -------------------------------------------------------------------------------------------------------------
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
        raise UserError(f"{shortened(text, quoted=True)} is not a legal move of loa here")
    return move


def is_legal(state: State, move: int) -> bool:
    legal = np.zeros(8 * MOST_PIECES, np.int32)
    return not rules.is_over(state) and move in legal[: rules.moves(state, legal)]


# -- the board ---------------------------------------------------------------------------------------------------------
def stones_of(state: State) -> dict[Point, int]:
    sets = [int(bits) for bits in state["stones"]]
    return {(n % 8, n // 8): player for n in range(64) for player in (BLACK, WHITE) if sets[player] >> n & 1}


def point_of(state: State, move: int) -> Point | None:
    if move == PASS:
        return None
    square = target_square(state, move)
    return square % 8, square // 8


def draw(state: State) -> str:
    """For a terminal: x is Black, o is White."""
    black, white = (int(pieces) for pieces in state["stones"])
    rows = []
    for row in reversed(range(8)):
        cells = ["x" if black >> n & 1 else "o" if white >> n & 1 else "." for n in range(8 * row, 8 * row + 8)]
        rows.append(f"{row + 1} " + " ".join(cells))
    rows.append("  a b c d e f g h")
    return "\n".join(rows)


# -- positions ---------------------------------------------------------------------------------------------------------
def position_text(stones: Mapping[Point, int], player: int) -> str:
    """The text of the position with these pieces, and this player to move."""
    return strings.position_text(stones, player, 8, reversed(range(8)))


def parse_position(text: str) -> tuple[dict[Point, int], int]:
    """The pieces and the player to move; a UserError says what is wrong. A blank may stand in place of the colon."""
    board, _, side = text.strip().replace(" ", ":").partition(":")
    rows = board.split("/")
    player = SIDES.get(side.strip().lower())
    if len(rows) != 8 or player is None:
        raise UserError(f"{_no_position(text)}: {FORM}")
    return {point: owner for number, row in enumerate(rows) for point, owner in _row(text, row, 7 - number)}, player


def _row(text: str, row_text: str, row: int) -> list[tuple[Any, int]]:
    found, column = [], 0
    for character in row_text:
        if character.lower() in strings.STONES:
            found.append(((column, row), strings.STONES.index(character.lower())))
            column += 1
        elif character in "12345678":
            column += int(character)
        else:
            raise UserError(f"{_no_position(text)}: {character!r} in row {row + 1}; {FORM}")
    if column != 8:
        raise UserError(f"{_no_position(text)}: row {row + 1} has {column} squares, not 8")
    return found


def _no_position(text: str) -> str:
    return f"{shortened(text, LONGEST_POSITION, quoted=True)} is not a position of loa"

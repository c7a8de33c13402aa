"""Positions of Lines of Action as text: the rows from the eighth down to the first, then whose turn it is.

`1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1:b` is the start: b and w are pieces, a number stands for so many empty squares.
What came before a position is not part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tesuji.core.board import Point
from tesuji.core.errors import UserError
from tesuji.games.loa.state import BLACK, WHITE

LETTERS = "bw"
SIDES = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
LONGEST_SHOWN = 90  # characters of a text that is no position: the longest that is one has fewer
FORM = "eight rows from the top, b and w for pieces, numbers for empty squares, then :b or :w for the side to move"


def position_text(stones: Mapping[Point, int], player: int) -> str:
    """The text of the position with these pieces, and this player to move."""
    rows = []
    for row in reversed(range(8)):
        text, empty = "", 0
        for column in range(8):
            owner = stones.get((column, row))
            if owner is None:
                empty += 1
            else:
                text += (str(empty) if empty else "") + LETTERS[owner]
                empty = 0
        rows.append(text + (str(empty) if empty else ""))
    return f"{'/'.join(rows)}:{LETTERS[player]}"


def parse_position(text: str) -> tuple[dict[Point, int], int]:
    """The pieces and the player to move; a UserError says what is wrong. The side may also stand behind a blank."""
    board, _, side = text.strip().replace(" ", ":").partition(":")
    rows = board.split("/")
    player = SIDES.get(side.strip().lower())
    if len(rows) != 8 or player is None:
        raise UserError(f"{_shown(text)} is not a position of loa: {FORM}")
    return {point: owner for number, row in enumerate(rows) for point, owner in _row(text, row, 7 - number)}, player


def _shown(text: str) -> str:
    return repr(text) if len(text) <= LONGEST_SHOWN else repr(text[:LONGEST_SHOWN]) + "..."


def _row(text: str, row_text: str, row: int) -> list[tuple[Any, int]]:
    found, column = [], 0
    for character in row_text:
        if character.lower() in LETTERS:
            found.append(((column, row), LETTERS.index(character.lower())))
            column += 1
        elif character in "12345678":
            column += int(character)
        else:
            raise UserError(f"{_shown(text)} is not a position of loa: {character!r} in row {row + 1}; {FORM}")
    if column != 8:
        raise UserError(f"{_shown(text)} is not a position of loa: row {row + 1} has {column} squares, not 8")
    return found

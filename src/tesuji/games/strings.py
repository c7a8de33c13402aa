"""Parts of game strings: numbers, and positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tesuji.core.errors import UserError, shortened
from tesuji.core.picture.board import Point

STONES = "bw"  # of player 0 and player 1


def whole_numbers(text: str, separator: str, count: int, usage: str) -> list[int]:
    """Exactly `count` whole numbers between separators; a UserError shows how the game string is written."""
    parts = text.split(separator)
    if len(parts) == count and all(p.isascii() and p.isdigit() and len(p) < 10 for p in parts):
        return [int(p) for p in parts]
    raise UserError(f"{shortened(text, quoted=True)} is not of the form expected: {usage}")


def board_size(text: str, usage: str, least: tuple[int, int], most: tuple[int, int]) -> tuple[int, int]:
    """Columns and rows of '8' or '8x6', each within its limits."""
    columns, rows = whole_numbers(text, "x", 2, usage) if "x" in text else whole_numbers(text, "x", 1, usage) * 2
    if not (least[0] <= columns <= most[0] and least[1] <= rows <= most[1]):
        raise UserError(f"a board of {columns}x{rows} is out of range: {usage}")
    return columns, rows


def side_length(text: str, usage: str, allowed: range) -> int:
    """The one number that says how large a board is."""
    (size,) = whole_numbers(text, "x", 1, usage)
    if size not in allowed:
        raise UserError(f"a board of size {size} is out of range: {usage}")
    return size


def size_text(columns: int, rows: int) -> str:
    return str(columns) if columns == rows else f"{columns}x{rows}"


def position_text(stones: Mapping[Point, int], player: int, columns: int, rows: Iterable[int]) -> str:
    """The position with these stones and this player to move, its rows in this order: 3/1b1/2w:b."""
    written = []
    for row in rows:
        text, empty = "", 0
        for column in range(columns):
            owner = stones.get((column, row))
            if owner is None:
                empty += 1
            else:
                text += (str(empty) if empty else "") + STONES[owner]
                empty = 0
        written.append(text + (str(empty) if empty else ""))
    return f"{'/'.join(written)}:{STONES[player]}"

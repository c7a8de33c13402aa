"""Go in a terminal, in coordinates (A1 at the bottom left, no I) and in SGF."""

from __future__ import annotations

from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError, shortened
from tesuji.core.picture.board import Point
from tesuji.games.go.legality import is_suicide
from tesuji.games.go.state import STRIDE

COLUMNS = "ABCDEFGHJKLMNOPQRST"
SGF_LETTERS = "abcdefghijklmnopqrs"
SGF_PASS = "tt"  # on boards up to 19x19, before FF[4]
PASS = "pass"
SIGNS = {1: "X", 2: "O"}


def point_text(column: int, row: int) -> str:
    return f"{COLUMNS[column]}{row + 1}"


def move_text(state: Any, move: int) -> str:
    size = int(state["size"])
    return PASS if move == size * size else point_text(move % size, move // size)


def parse_move(state: Any, text: str) -> int:
    """The move that a text names, legal or not; -1 if it names none."""
    size = int(state["size"])
    text = text.strip().upper()
    if text == PASS.upper():
        return size * size
    column = COLUMNS.find(text[:1]) if text else -1
    digits = text[1:]
    if not 0 <= column < size or not (digits.isascii() and digits.isdigit() and len(digits) <= 2):
        return -1
    row = int(digits) - 1
    return row * size + column if 0 <= row < size else -1


def sgf_move(state: Any, move: int) -> str:
    """Column and row as letters, the row from the top; nothing for a pass."""
    size = int(state["size"])
    return "" if move == size * size else SGF_LETTERS[move % size] + SGF_LETTERS[size - 1 - move // size]


def parse_sgf_move(state: Any, text: str) -> int:
    size = int(state["size"])
    if text in ("", SGF_PASS):
        return size * size
    column, row = (SGF_LETTERS.find(letter) for letter in text) if len(text) == 2 else (-1, -1)
    if not (0 <= column < size and 0 <= row < size):
        last = SGF_LETTERS[size - 1]
        raise UserError(
            f"{shortened(text, quoted=True)} is not a point of a {size}x{size} board: "
            f"two letters from a to {last}, or nothing for a pass"
        )
    return (size - 1 - row) * size + column


def stones_of(state: Any) -> dict[Point, int]:
    """The stones on the board and whose they are, from the lowest row up."""
    size = int(state["size"])
    board = {}
    for row in range(size):
        for column in range(size):
            colour = int(state["colour"][(row + 1) * STRIDE + column + 1])
            if colour:
                board[column, row] = colour - 1
    return board


def point_of(state: Any, move: int) -> Point | None:
    size = int(state["size"])
    return None if move == size * size else (move % size, move // size)


def why_illegal(state: Any, move: int) -> str:
    """Why a move that has a name is not legal."""
    size = int(state["size"])
    owner = stones_of(state).get((move % size, move // size))
    point = np.int64((move // size + 1) * STRIDE + move % size + 1)
    if owner is not None:
        return f"there is a {('black', 'white')[owner]} stone"
    if point == state["ko"]:
        return "it would take back the stone that has just been taken (ko): play elsewhere first"
    if is_suicide(state, point, np.int64(state["to_play"])):
        return "a stone there would have no liberty (suicide)"
    return "it would repeat an earlier position (superko)"


def star_points(size: int) -> set[Point]:
    """The points that boards mark: corners from 7x7, the centre of odd boards, the sides from 13x13."""
    if size < 7:
        return {(size // 2, size // 2)} if size == 5 else set()
    near = 2 if size < 13 else 3
    lines = [near, size - 1 - near]
    stars = {(column, row) for column in lines for row in lines}
    if size % 2 == 1:
        stars.add((size // 2, size // 2))
        if size >= 13:
            lines.insert(1, size // 2)
            stars |= {(column, row) for column in lines for row in lines}
    return stars


def draw(state: Any) -> str:
    """The board with its coordinates: X Black, O White, the last stone in brackets, + a star point."""
    size = int(state["size"])
    last = int(state["last_move"])
    stars = star_points(size)
    letters = "   " + " ".join(COLUMNS[:size])
    lines = [letters]
    for row in reversed(range(size)):
        cells = []
        for column in range(size):
            colour = int(state["colour"][(row + 1) * STRIDE + column + 1])
            sign = SIGNS.get(colour, "+" if (column, row) in stars else ".")
            cells.append(f"({sign})" if row * size + column == last and colour else f" {sign} ")
        # Neighbouring cells share the blank between them, which is where the brackets go.
        line = cells[0]
        for cell in cells[1:]:
            line = line[:-1] + (line[-1] if line[-1] != " " else cell[0]) + cell[1:]
        lines.append(f"{row + 1:>2}{line}{row + 1}".rstrip())
    lines.append(letters)
    return "\n".join(lines)


def result_text(state: Any) -> str:
    """The score as SGF writes it: B+3.5, W+12, or 0 for a draw."""
    halves = int(rules.outcome(state))
    return "0" if halves == 0 else f"{'B' if halves > 0 else 'W'}+{abs(halves) / 2:g}"

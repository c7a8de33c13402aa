"""Tic-tac-toe in a terminal. Moves are a1 .. c3: column letter, row number from the top; 1 .. 9 is read too."""

from __future__ import annotations

from typing import Any

from tesuji.core.picture.board import Point


def move_text(_state: Any, move: int) -> str:
    return "abc"[move % 3] + str(move // 3 + 1)


def parse_move(_state: Any, text: str) -> int:
    text = text.lower()
    if len(text) == 1 and text in "123456789":
        return int(text) - 1
    if len(text) == 2 and text[0] in "abc" and text[1] in "123":
        return "abc".index(text[0]) + 3 * (int(text[1]) - 1)
    return -1


def stones_of(state: Any) -> dict[Point, int]:
    """The occupied points and whose they are. The first row is a1 b1 c1 here too: board programs show it at the bottom."""
    return {(cell % 3, cell // 3): player for player in (0, 1) for cell in range(9) if int(state["stones"][player]) >> cell & 1}


def point_of(_state: Any, move: int) -> Point | None:
    return move % 3, move // 3


def draw(state: Any) -> str:
    first, second = (int(s) for s in state["stones"])
    rows = ["  a b c"]
    for row in range(3):
        cells = ["x" if first >> c & 1 else "o" if second >> c & 1 else "." for c in range(3 * row, 3 * row + 3)]
        rows.append(f"{row + 1} " + " ".join(cells))
    return "\n".join(rows)

"""Connect Four in a terminal. Moves are written as column numbers from 1."""

from __future__ import annotations

from typing import Any

from tesuji.core.picture.board import Point

SIGNS = ("R", "Y")  # of Red and Yellow


def move_text(_state: Any, move: int) -> str:
    return str(move + 1)


def stones_of(state: Any) -> dict[Point, int]:
    """The occupied points and whose they are."""
    step = int(state["height"]) + 1
    cells = range(int(state["width"]) * step)
    return {divmod(cell, step): player for player in (0, 1) for cell in cells if int(state["stones"][player]) >> cell & 1}


def point_of(state: Any, move: int) -> Point | None:
    """Where a stone in that column comes to rest; in a full column that is above the board."""
    step = int(state["height"]) + 1
    column = (int(state["stones"][0]) | int(state["stones"][1])) >> move * step & (1 << step) - 1
    return move, column.bit_length()


def draw(state: Any) -> str:
    width, height = int(state["width"]), int(state["height"])
    stones = [int(s) for s in state["stones"]]
    rows = []
    for row in reversed(range(height)):
        cells = []
        for column in range(width):
            bit = 1 << (column * (height + 1) + row)
            cells.append(SIGNS[0] if stones[0] & bit else SIGNS[1] if stones[1] & bit else ".")
        rows.append("  ".join(cells))
    rows.append("".join(f"{column + 1:<3}" for column in range(width)).rstrip())
    return "\n".join(rows)

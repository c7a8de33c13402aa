"""Connect Four in a terminal. Moves are written as column numbers from 1."""

from __future__ import annotations

from typing import Any


def move_text(_state: Any, move: int) -> str:
    return str(move + 1)


def draw(state: Any) -> str:
    width, height = int(state["width"]), int(state["height"])
    stones = [int(s) for s in state["stones"]]
    rows = []
    for row in reversed(range(height)):
        cells = []
        for column in range(width):
            bit = 1 << (column * (height + 1) + row)
            cells.append("x" if stones[0] & bit else "o" if stones[1] & bit else ".")
        rows.append("  ".join(cells))
    rows.append("".join(f"{column + 1:<3}" for column in range(width)).rstrip())
    return "\n".join(rows)

"""SameGame in a terminal. A cell is a column letter and a row number from the bottom: a1 is the corner at the bottom left.
A move is written by the lowest cell of the group's leftmost column; any cell of the group is read."""

from __future__ import annotations

import re
from typing import Any

LETTERS = "abcdefghijklmno"
_CELL = re.compile(r"([a-o])(\d{1,2})", re.ASCII)


def move_text(state: Any, move: int) -> str:
    column, row = divmod(move, int(state["rows"]))
    return f"{LETTERS[column]}{row + 1}"


def parse_move(state: Any, text: str) -> int:
    """The number of the group that the cell belongs to; -1 for what is no cell."""
    match = _CELL.fullmatch(text.lower())
    if match is None:
        return -1
    column, row = LETTERS.index(match[1]), int(match[2]) - 1
    rows = int(state["rows"])
    if column >= state["columns"] or not 0 <= row < rows or state["cells"][column * rows + row] == 0:
        return -1
    return int(state["group"][column * rows + row])


def draw(state: Any) -> str:
    rows, columns, cells = int(state["rows"]), int(state["columns"]), state["cells"]
    lines = []
    for row in reversed(range(rows)):
        colours = [int(cells[column * rows + row]) for column in range(columns)]
        lines.append(f"{row + 1:>2} " + " ".join(str(colour) if colour else "." for colour in colours))
    lines.append("   " + " ".join(LETTERS[:columns]))
    lines.append(f"score {int(state['score'])}")
    return "\n".join(lines)

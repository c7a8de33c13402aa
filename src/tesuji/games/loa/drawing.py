"""Lines of Action in a terminal: x is Black, o is White."""

from __future__ import annotations

from typing import Any


def draw(state: Any) -> str:
    black, white = (int(pieces) for pieces in state["stones"])
    rows = []
    for row in reversed(range(8)):
        cells = ["x" if black >> n & 1 else "o" if white >> n & 1 else "." for n in range(8 * row, 8 * row + 8)]
        rows.append(f"{row + 1} " + " ".join(cells))
    rows.append("  a b c d e f g h")
    return "\n".join(rows)

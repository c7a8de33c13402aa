"""A semeai in a terminal. Moves: b1 b2 ... Black's liberties, w1 w2 ... White's, and elsewhere."""

from __future__ import annotations

from typing import Any


def move_text(state: Any, move: int) -> str:
    black, white = (int(size) for size in state["sizes"])
    if move < black:
        return f"b{move + 1}"
    if move < black + white:
        return f"w{move - black + 1}"
    return "elsewhere"


def draw(state: Any) -> str:
    """The liberties still open under their names, and -- for the filled ones."""
    is_open = int(state["open"])
    lines = []
    point = 0
    for title, size, left in zip(("Black", "White"), state["sizes"], state["liberties"], strict=True):
        names = [move_text(state, p) if is_open >> p & 1 else "--" for p in range(point, point + int(size))]
        lines.append(f"{title}, {int(left):>2} left:  {' '.join(f'{name:<3}' for name in names)}".rstrip())
        point += int(size)
    if state["elsewhere"] > 0:
        lines.append(f"moves elsewhere in a row: {int(state['away'])}")
    return "\n".join(lines)

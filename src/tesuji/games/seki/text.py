"""A seki problem in a terminal. Moves: b1 b2 ... Black's outside points, w1 ... White's, s1 ... the shared ones, and pass."""

from __future__ import annotations

from typing import Any

KINDS = "bws"


def move_text(state: Any, move: int) -> str:
    for kind, size in zip(KINDS, state["sizes"], strict=True):
        if move < size:
            return f"{kind}{move + 1}"
        move -= int(size)
    return "pass"


def draw(state: Any) -> str:
    """The points still open under their names, and -- for the filled ones."""
    is_open = int(state["open"])
    shared = int(state["shared"])
    black, white = (int(count) + shared for count in state["outside"])
    lines = []
    point = 0
    for title, size in zip(("Black's outside points", "White's outside points", "shared points"), state["sizes"], strict=True):
        names = [move_text(state, p) if is_open >> p & 1 else "--" for p in range(point, point + int(size))]
        lines.append(f"{title:<24}{' '.join(f'{name:<3}' for name in names)}".rstrip())
        point += int(size)
    lines.append(f"liberties: Black {black}, White {white}" + (" (last move: pass)" if state["passes"] else ""))
    return "\n".join(lines)

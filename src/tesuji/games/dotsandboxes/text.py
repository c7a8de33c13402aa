"""Dots and boxes in a terminal: an edge not yet drawn shows its name, which is the move. h23 is the horizontal edge on the
second line of dots from the top, third from the left; v23 the vertical edge in the second row of boxes, third from the left."""

from __future__ import annotations

from typing import Any

SIGNS = ("B", "O")  # of Blue and Orange


def move_text(state: Any, move: int) -> str:
    columns, horizontals = int(state["columns"]), int(state["horizontals"])
    if move < horizontals:
        row, column = divmod(move, columns)
        return f"h{row + 1}{column + 1}"
    row, column = divmod(move - horizontals, columns + 1)
    return f"v{row + 1}{column + 1}"


def draw(state: Any) -> str:
    rows, columns, horizontals = int(state["rows"]), int(state["columns"]), int(state["horizontals"])
    across, down = (int(word) for word in state["drawn"])
    first, second = (int(word) for word in state["owned"])
    lines = []
    for row in range(rows + 1):
        line = " +"
        for edge in range(row * columns, (row + 1) * columns):
            line += ("-----" if across >> edge & 1 else f" {move_text(state, edge)} ") + "+"
        lines.append(line)
        if row == rows:
            break
        line = ""
        for column in range(columns + 1):
            edge = row * (columns + 1) + column
            line += " | " if down >> edge & 1 else move_text(state, horizontals + edge)
            if column < columns:
                box = row * columns + column
                line += f" {SIGNS[0]} " if first >> box & 1 else f" {SIGNS[1]} " if second >> box & 1 else "   "
        lines.append(line.rstrip())
    lines.append(f"Blue has {first.bit_count()}, Orange has {second.bit_count()} of {rows * columns} boxes")
    return "\n".join(lines)

"""A table of scores as a heat map, one SVG picture: the more a score differs from one half, the stronger its colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tesuji.core.files import FileKind
from tesuji.core.picture.canvas import FAINT, Canvas

MARK = '<svg data-tesuji="heat-map"'  # only a file that begins like this is replaced by a new picture
HEAT_MAP_FILE = FileKind("a heat map", (MARK.encode(),), 1 << 24)
BETTER, WORSE, EVEN = (0x4A, 0x9B, 0xE0), (0xE8, 0x7A, 0x45), (0xF4, 0xF4, 0xF2)
INK = "#22252b"  # on all of these
WIDTH, HEIGHT, GAP = 78.0, 40.0, 2.0  # of a cell
TOP = 64.0
LETTER = 7.2  # the width of a letter
FULL_COLOUR = 0.35  # the distance from one half at which a colour is at its strongest


def heat_map(
    title: str, rows: Sequence[str], columns: Sequence[str], values: Mapping[tuple[str, str], tuple[float, float, float]]
) -> str:
    """The text of an SVG file. `values` are the score and the ends of its interval for (row, column)."""
    left = 24.0 + LETTER * max((len(row) for row in rows), default=0)
    canvas = Canvas(MARK, max(left + WIDTH * len(columns) + 16.0, 24.0 + 9.0 * len(title)))
    canvas.text(12, 26, title, size=15, font_weight="bold")
    for place, column in enumerate(columns):
        game, _, size = column.partition(":")
        middle = left + (place + 0.5) * WIDTH
        canvas.text(middle, TOP - 14, game, "middle", 11)
        canvas.text(middle, TOP - 2, size, "middle", 11)
    for line, row in enumerate(rows):
        y = TOP + 8 + line * HEIGHT
        canvas.text(left - 10, y + HEIGHT / 2 + 4, row, "end")
        for place, column in enumerate(columns):
            x = left + place * WIDTH
            box: dict[str, Any] = {"x": x + GAP / 2, "y": y + GAP / 2, "width": WIDTH - GAP, "height": HEIGHT - GAP}
            if (row, column) not in values:
                canvas.add("rect", **box, fill="none", stroke=FAINT)
                continue
            score, low, high = values[row, column]
            canvas.add("rect", **box, fill=colour(score))
            is_clear = low > 0.5 or high < 0.5
            weight = "bold" if is_clear else None
            canvas.text(x + WIDTH / 2, y + 18, f"{score:.2f}", "middle", 13, fill=INK, font_weight=weight)
            canvas.text(x + WIDTH / 2, y + 32, f"{low:.2f} to {high:.2f}", "middle", 10, fill=INK)
    below = TOP + 8 + len(rows) * HEIGHT + 24
    canvas.text(12, below, "Blue: better with it, orange: worse; bold: the 95% interval does not contain one half.", size=11)
    return canvas.svg(below + 14, title)


def colour(score: float) -> str:
    strength = min(1.0, abs(score - 0.5) / FULL_COLOUR)
    full = BETTER if score >= 0.5 else WORSE
    return "#" + "".join(f"{round(even + strength * (end - even)):02x}" for even, end in zip(EVEN, full, strict=True))

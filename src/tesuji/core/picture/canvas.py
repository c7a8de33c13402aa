"""Charts as SVG: elements, scales and ticks.

There is no background, and greys are of middle brightness, so that a picture can be read on white and on black.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import Any

GREY, FAINT = "#7a7a7a", "#7a7a7a40"
TICKS = 6
Scale = Callable[[float], float]


class Elements:
    """Collects the elements of a picture. `written` says how numbers are written."""

    def __init__(self, written: Callable[[object], str]) -> None:
        self.parts: list[str] = []
        self._written = written

    def add(self, name: str, text: str = "", **attributes: Any) -> None:
        """Adds an element. Underscores in the names of attributes stand for hyphens; an attribute that is None is left out."""
        opening = name
        for key, value in attributes.items():
            if value is not None:
                opening += f' {key.replace("_", "-")}="{escape(self._written(value))}"'
        self.parts.append(f"<{opening}>{escape(text)}</{name}>" if text else f"<{opening}/>")


class Canvas(Elements):
    """A chart."""

    def __init__(self, mark: str, width: float) -> None:
        """`mark` is how the file begins: only a file with the same mark may be overwritten."""
        super().__init__(short)
        self.mark = mark
        self.width = width

    def text(self, x: float, y: float, text: str, anchor: str = "start", size: int = 13, **more: Any) -> None:
        self.add("text", text, x=x, y=y, text_anchor=anchor, font_size=size, **{"fill": GREY, **more})

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str = GREY, **more: Any) -> None:
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, **more)

    def svg(self, height: float, title: str) -> str:
        width, tall = short(self.width), short(height)
        head = (
            f'{self.mark} xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {tall}" width="{width}" '
            f'height="{tall}" font-family="sans-serif" role="img">'
        )
        return "\n".join([head, f"<title>{escape(title)}</title>", *self.parts, "</svg>", ""])


def short(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def scale(low: float, high: float, begin: float, end: float) -> Scale:
    return lambda value: begin + (value - low) / (high - low) * (end - begin)


def ticks(low: float, high: float) -> list[float]:
    """About TICKS round numbers from low to high."""
    span = high - low or 1.0
    raw = span / TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    first = math.ceil(low / step - 1e-9)
    return [round(number * step, 10) for number in range(first, math.floor(high / step + 1e-9) + 1)]

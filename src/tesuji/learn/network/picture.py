"""How a network learned, as one SVG picture: losses, moves predicted, and whether its value is to be believed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tesuji.core.files import FileKind
from tesuji.core.picture.canvas import FAINT, GREY, Canvas, Scale, scale, short, ticks

MARK = '<svg data-tesuji="learning"'  # only a file that begins like this is replaced by a new picture
PICTURE_FILE = FileKind("a picture of network learning", (MARK.encode(),), 1 << 24)
WIDTH, LEFT, RIGHT, HEIGHT, GAP = 720.0, 70.0, 24.0, 190.0, 84.0
BLUE, ORANGE, GREEN = "#3b86d0", "#d9822b", "#2f9e62"
Row = dict[str, Any]


def picture(title: str, rows: Sequence[Row]) -> str:
    """The text of an SVG file. `rows` are those of a checkpoint, one at least."""
    canvas = Canvas(MARK, WIDTH)
    canvas.text(LEFT, 30, title, size=18, font_weight="bold")
    last = rows[-1]
    words = f"{last['samples']:,} samples in {last['seconds'] / 60:,.1f} minutes"
    words += f"; measured on {last['positions']:,} positions of games held out"
    canvas.text(LEFT, 54, words)
    top = 116.0
    curves(canvas, top, "Moves: loss in nats", rows, (("learning, value included", "loss", GREY), ("held out", "nats", BLUE)))
    top += HEIGHT + GAP
    shares = (("first choice right", "top1", BLUE), ("among the first five", "top5", GREEN))
    curves(canvas, top, "Moves of games held out", rows, shares, percent)
    top += HEIGHT + GAP
    if last["with_result"]:
        values = (("loss in nats", "value_nats", ORANGE), ("result right (share)", "value_right", GREEN))
        curves(canvas, top, "Results of games held out", rows, values)
        top += HEIGHT + GAP
        calibration(canvas, top, last)
        top += HEIGHT + GAP
    return canvas.svg(top - GAP + 56, title)


def percent(value: float) -> str:
    return f"{100 * value:.3g}%"


def curves(
    canvas: Canvas,
    top: float,
    heading: str,
    rows: Sequence[Row],
    series: Sequence[tuple[str, str, str]],
    text: Callable[[float], str] = "{:.3g}".format,
    across: str = "samples",
    spread: str = "",
) -> None:
    """Lines over what `across` names in the rows: (words, name in the rows, colour) of each. `spread` names intervals of the
    values of the first line: (low, high)."""
    lines = [(words, colour, [(r[across], r[name]) for r in rows if r[name] is not None]) for words, name, colour in series]
    intervals = [(r[across], *r[spread]) for r in rows if spread and r[spread] is not None]
    values = [value for _, _, points in lines for _, value in points] + [end for _, *ends in intervals for end in ends]
    low, high = min(values), max(values)
    margin = 0.05 * (high - low) or 0.05
    x = scale(0.0, float(rows[-1][across]) or 1.0, LEFT, WIDTH - RIGHT)
    y = scale(low - margin, high + margin, top + HEIGHT, top)
    canvas.text(LEFT, top - 30, heading, size=14, font_weight="bold")
    grid(canvas, top, y, ticks(low - margin, high + margin), text)
    for value in ticks(0.0, float(rows[-1][across]) or 1.0):
        canvas.text(x(value), top + HEIGHT + 18, f"{value:,.0f}", "middle", size=12)
    canvas.text(WIDTH - RIGHT, top + HEIGHT + 36, across, "end", size=12)
    for at, begin, end in intervals:
        canvas.line(x(float(at)), y(begin), x(float(at)), y(end), series[0][2], stroke_opacity=0.4)
    left = LEFT
    for words, colour, points in lines:
        if not points:
            continue
        label = f"{words}: {text(points[-1][1])}"
        canvas.add("rect", x=left, y=top - 20.0, width=12, height=12, fill=colour)
        canvas.text(left + 18, top - 9, label, size=12)
        left += 40 + 6.6 * len(label)
        joined = " ".join(f"{short(x(float(a)))},{short(y(float(b)))}" for a, b in points)
        canvas.add("polyline", points=joined, fill="none", stroke=colour, stroke_width=2)
        canvas.add("circle", cx=x(float(points[-1][0])), cy=y(float(points[-1][1])), r=3, fill=colour)


def grid(canvas: Canvas, top: float, y: Scale, values: Sequence[float], text: Callable[[float], str]) -> None:
    for value in values:
        canvas.line(LEFT, y(value), WIDTH - RIGHT, y(value), FAINT)
        canvas.text(LEFT - 8, y(value) + 4, text(value), "end", size=12)
    canvas.line(LEFT, top + HEIGHT, WIDTH - RIGHT, top + HEIGHT)


def calibration(canvas: Canvas, top: float, row: Row) -> None:
    """Over the score that the network expects the score there was; the area of a circle is the number of positions."""
    canvas.text(LEFT, top - 30, "Calibration of the value, for the player to move", size=14, font_weight="bold")
    canvas.text(LEFT, top - 9, "score there was, over the score expected; a circle's area: how many positions", size=12)
    width = HEIGHT * 1.6
    x, y = scale(0.0, 1.0, LEFT, LEFT + width), scale(0.0, 1.0, top + HEIGHT, top)
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        canvas.line(LEFT, y(value), LEFT + width, y(value), FAINT)
        canvas.text(LEFT - 8, y(value) + 4, percent(value), "end", size=12)
        canvas.text(x(value), top + HEIGHT + 18, percent(value), "middle", size=12)
    canvas.line(x(0.0), y(0.0), x(1.0), y(1.0), GREY, stroke_dasharray="5 4")
    most = max(count for count, _, _ in row["calibration"])
    for count, expected, score in row["calibration"]:
        radius = 2.0 + 9.0 * (count / most) ** 0.5
        canvas.add("circle", cx=x(expected), cy=y(score), r=radius, fill=ORANGE, fill_opacity=0.75)

"""The report as one SVG picture: lengths of games, results, and when games are decided.

There is no background, and all greys and colours are of middle brightness, so that it can be read on white and on black.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tesuji.core.files import FileKind
from tesuji.core.picture.canvas import FAINT, GREY, Canvas, Scale, scale, short, ticks
from tesuji.lab.report import GameReport, Play, five_numbers

MARK = '<svg data-tesuji="report"'  # only a file that begins like this is replaced by a new picture
PICTURE_FILE = FileKind("a picture of a report", (MARK.encode(),), 1 << 24)
WIDTH = 720
LEFT, RIGHT = 76, 24  # margins
TITLE_HEIGHT, LENGTHS_HEIGHT, RESULTS_HEIGHT, DECIDED_HEIGHT = 76, 190, 108, 190
GAP = 74  # between panels: a heading and an axis
COLOURS = {"random": "#d9822b", "search": "#3b86d0"}
DECIDED = "#2f9e62"
MOST_BARS = 40
THIN_BOX = 10.0  # the width of a box whose quartiles are equal


def picture(report: GameReport) -> str:
    """The text of an SVG file."""
    canvas = Canvas(MARK, WIDTH)
    title = f"{report.game.name}: how it plays"
    canvas.text(LEFT, 30, title, size=18, font_weight="bold")
    x = float(LEFT)
    for name, play in report.plays:
        words = "random moves" if name == "random" else f"search ({report.player}, {report.limits_text} a move)"
        canvas.add("rect", x=x, y=44, width=12, height=12, fill=COLOURS[name])
        label = f"{words}: {len(play.played)} game{'s' if len(play.played) != 1 else ''}"
        canvas.text(x + 18, 55, label)
        x += 40 + 7.2 * len(label)
    top = float(TITLE_HEIGHT + 24)
    _lengths(canvas, report, top)
    top += LENGTHS_HEIGHT + GAP
    (_scores if report.is_puzzle else _results)(canvas, report, top)
    top += RESULTS_HEIGHT + GAP
    _decided(canvas, report, top)
    return canvas.svg(top + DECIDED_HEIGHT + 56, title)


# -- panels ------------------------------------------------------------------------------------------------------------
def _lengths(canvas: Canvas, report: GameReport, top: float) -> None:
    """A histogram of both kinds of play, as shares of their games."""
    longest = report.longest
    step = max(1, math.ceil((longest + 1) / MOST_BARS))
    bins = longest // step + 1
    shares = {name: _histogram(play, step, bins) for name, play in report.plays}
    highest = max(max(share) for share in shares.values())
    x = scale(0, bins * step, LEFT, WIDTH - RIGHT)
    y = scale(0, highest, top + LENGTHS_HEIGHT, top)
    unit = f"groups of {step} moves" if step > 1 else "moves"
    _heading(canvas, top, f"Length of games ({unit}), share of the games")
    _vertical(canvas, y, highest, lambda value: f"{100 * value:.3g}%")
    _horizontal(canvas, x, top + LENGTHS_HEIGHT, bins * step, "moves", offset=0.5 if step == 1 else 0.0)
    each = (x(step) - x(0)) * 0.84 / len(shares)
    for place, (name, share) in enumerate(shares.items()):
        for number, value in enumerate(share):
            if value > 0:
                left = x(number * step) + (x(step) - x(0)) * 0.08 + place * each
                canvas.add("rect", x=left, y=y(value), width=each, height=y(0) - y(value), fill=COLOURS[name])


def _histogram(play: Play, step: int, bins: int) -> list[float]:
    counts = [0] * bins
    for length in play.lengths:
        counts[length // step] += 1
    return [count / len(play.played) for count in counts]


def _results(canvas: Canvas, report: GameReport, top: float) -> None:
    """Of each kind of play the first player's score with its interval, and behind it wins, draws and losses."""
    x = scale(0, 1, LEFT, WIDTH - RIGHT)
    _heading(canvas, top, "Score of the first player, with 95% interval; bars: games won, drawn, lost")
    bottom = top + RESULTS_HEIGHT
    for tick in range(0, 101, 25):
        canvas.line(x(tick / 100), top, x(tick / 100), bottom, GREY if tick == 50 else FAINT, stroke_dasharray="4 3")
        canvas.text(x(tick / 100), bottom + 18, f"{tick}%", "middle")
    height = RESULTS_HEIGHT / 2 - 18
    for place, (name, play) in enumerate(report.plays):
        y = top + 12 + place * (height + 14)
        canvas.text(LEFT - 10, y + height / 2 + 4, name, "end")
        begin = 0.0
        for result, opacity in ((1, 0.55), (0, 0.3), (-1, 0.12)):
            share = play.results[result] / len(play.played)
            box: dict[str, Any] = {"x": x(begin), "y": y, "width": x(share) - x(0), "height": height}
            if share > 0:
                canvas.add("rect", **box, fill=COLOURS[name], fill_opacity=opacity, stroke=COLOURS[name])
            begin += share
        low, high = play.score_interval
        middle = y + height / 2
        canvas.line(x(low), middle, x(high), middle, stroke_width=2)
        for end in (low, high):
            canvas.line(x(end), middle - 7, x(end), middle + 7, stroke_width=2)
        canvas.add("circle", cx=x(play.score), cy=middle, r=5, fill=GREY)


def _scores(canvas: Canvas, report: GameReport, top: float) -> None:
    """Of a puzzle: from the lowest score to the highest, a box around the middle half, a line at the median."""
    everything = [point for _name, play in report.plays for point in play.points]
    low, high = min(everything), max(everything)
    room = (high - low or 1) * 0.04
    x = scale(low - room, high + room, LEFT, WIDTH - RIGHT)
    _heading(canvas, top, "Score: lowest and highest, the middle half of the games, the median")
    bottom = top + RESULTS_HEIGHT
    for tick in ticks(low, high):
        canvas.line(x(tick), top, x(tick), bottom, FAINT, stroke_dasharray="4 3")
        canvas.text(x(tick), bottom + 18, f"{tick:g}", "middle")
    height = RESULTS_HEIGHT / 2 - 18
    for place, (name, play) in enumerate(report.plays):
        y = top + 12 + place * (height + 14)
        least, lower, median, upper, most = five_numbers(play.points)
        canvas.text(LEFT - 10, y + height / 2 + 4, name, "end")
        canvas.line(x(least), y + height / 2, x(most), y + height / 2, COLOURS[name], stroke_width=2)
        half = max(x(upper) - x(lower), THIN_BOX) / 2
        box: dict[str, Any] = {"x": x((lower + upper) / 2) - half, "y": y, "width": 2 * half, "height": height}
        canvas.add("rect", **box, fill=COLOURS[name], fill_opacity=0.45, stroke=COLOURS[name])
        canvas.line(x(median), y, x(median), y + height, GREY, stroke_width=2)


def _decided(canvas: Canvas, report: GameReport, top: float) -> None:
    """The share of the games that are over, and of those that are proven, after so many moves."""
    longest = report.longest
    x = scale(0, max(longest, 1), LEFT, WIDTH - RIGHT)
    y = scale(0, 1, top + DECIDED_HEIGHT, top)
    _heading(canvas, top, "Share of the games that are over, or decided, after so many moves")
    _vertical(canvas, y, 1.0, lambda value: f"{100 * value:g}%")
    _horizontal(canvas, x, top + DECIDED_HEIGHT, longest, "moves")
    curves = [(f"over, {name}", COLOURS[name], "", play.share_over) for name, play in report.plays]
    if report.proves and report.by_search.played:
        curves.append(("decided, search", DECIDED, "7 4", report.by_search.share_decided))
    left = float(LEFT)
    for label, colour, dashes, share in curves:
        points = " ".join(f"{short(x(ply))},{short(y(share(ply)))}" for ply in range(longest + 1))
        dashed: dict[str, Any] = {"stroke_dasharray": dashes} if dashes else {}
        canvas.add("polyline", points=points, fill="none", stroke=colour, stroke_width=2.5, **dashed)
        below = top + DECIDED_HEIGHT + 46
        canvas.line(left, below - 4, left + 26, below - 4, colour, stroke_width=2.5, **dashed)
        canvas.text(left + 32, below, label)
        left += 60 + 7.2 * len(label)


# -- axes --------------------------------------------------------------------------------------------------------------
def _heading(canvas: Canvas, top: float, text: str) -> None:
    canvas.text(LEFT, top - 14, text, size=14, font_weight="bold")


def _vertical(canvas: Canvas, y: Scale, highest: float, text: Callable[[float], str]) -> None:
    for tick in ticks(0, highest):
        canvas.line(LEFT, y(tick), WIDTH - RIGHT, y(tick), FAINT)
        canvas.text(LEFT - 8, y(tick) + 4, text(tick), "end")


def _horizontal(canvas: Canvas, x: Scale, y: float, longest: float, label: str, offset: float = 0.0) -> None:
    canvas.line(LEFT, y, WIDTH - RIGHT, y)
    for tick in ticks(0, longest):
        if tick == int(tick) and tick + offset <= longest:
            canvas.line(x(tick + offset), y, x(tick + offset), y + 5)
            canvas.text(x(tick + offset), y + 18, f"{tick:g}", "middle")
    canvas.text(WIDTH - RIGHT, y + 34, label, "end")

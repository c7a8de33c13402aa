"""What an experiment hands back: rows of figures beside the paper's own, and the same as text for people."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

Figure = float | int | str | None

# Two-sided 95% quantiles of Student's t for 1, 2, ... degrees of freedom; 1.96 is the limit for many.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)
STUDENT += (2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)


@dataclass(frozen=True)
class Row:
    """One figure. `paper` is a text where the paper prints no number, as in '>1000000'; None = it prints nothing.

    `low` and `high` are the ends of a 95% interval of the mean. Where some of the n runs were stopped at a limit,
    `measured` counts them at the limit, so the true mean is higher: `high` is then None.
    """

    label: str
    paper: Figure
    measured: Figure
    low: float | None = None
    high: float | None = None
    n: int = 1


@dataclass(frozen=True)
class Report:
    paper: str  # the paper's short name, as in score-bounded
    table: str  # which of its experiments
    rows: list[Row]
    text: str
    error: str = ""  # what went wrong: why there are no rows, or which of them must not be so


def mean_interval(values: Sequence[float]) -> tuple[float, float | None, float | None]:
    """The mean and the ends of its 95% interval; no interval from fewer than two values."""
    mean = statistics.fmean(values)
    count = len(values)
    if count < 2:
        return mean, None, None
    factor = STUDENT[count - 2] if count - 2 < len(STUDENT) else 1.96 + 2.4 / (count - 1)
    half = factor * statistics.stdev(values) / math.sqrt(count)
    return mean, mean - half, mean + half


def grid(corner: str, columns: Sequence[str], lines: Sequence[tuple[str, Sequence[str]]]) -> str:
    """A table for people: a heading for each column, a name before each line, cells aligned to the right."""
    names = [corner, *(name for name, _ in lines)]
    rows = [list(columns), *(list(cells) for _, cells in lines)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
    left = max(map(len, names))
    shown = []
    for name, row in zip(names, rows, strict=True):
        cells = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        shown.append("  ".join([name.ljust(left), *cells]).rstrip())
    return "\n".join(shown)


def number(value: Figure) -> str:
    """A figure as it is printed: 12345.6 -> 12,346; below a hundred with its decimals."""
    if value is None:
        return "-"
    if isinstance(value, str):
        sign = ">" if value.startswith(">") else ""
        digits = value[len(sign) :]
        return f"{sign}{int(digits):,}" if digits.isdigit() else value
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.4g}"

"""The tables of a tune that a person sees, while it runs and at the end."""

from __future__ import annotations

import time
from typing import Any

from tesuji.lab.match.standing import duration
from tesuji.lab.tune.estimate import Summary
from tesuji.lab.tune.runner import SUMMARY_SECONDS, TuneRunner

COLUMNS = ["parameter", "range", "before", "estimate", "95%", ""]
NUMBERS = ["before", "estimate", "95%"]
HISTORY = ["games", "score % (95%)", "kept"]
HISTORY_ROWS = 6


def heading(runner: TuneRunner) -> list[str]:
    plan = runner.plan
    against = ", ".join(player.label for player in plan.players[1:])
    return [f"{plan.tuned.label} in {plan.game} against {against}, by {plan.method}"]


def rows(runner: TuneRunner, summary: Summary) -> list[list[str]]:
    """One row for each parameter."""
    ranges = {parameter.name: parameter.range_text for parameter in runner.plan.parameters}
    return [[p.name, ranges[p.name], p.before, p.value, f"{p.low} .. {p.high}", p.verdict] for p in summary.parameters]


def history_columns(runner: TuneRunner) -> list[str]:
    return [*HISTORY, *(parameter.name for parameter in runner.plan.parameters)]


def history_rows(summaries: list[Summary]) -> list[list[str]]:
    """How score and estimate came about: after a half of the games, a quarter ..."""
    found = []
    for summary in summaries[-HISTORY_ROWS:]:
        score = "" if summary.score is None else "{:.1f} ({:.1f} .. {:.1f})".format(*(100 * value for value in summary.score))
        values = [f"{p.value} ({p.low} .. {p.high})" for p in summary.parameters]
        found.append([str(summary.games), score, f"{100 * summary.kept:.0f}%", *values])
    return found


def status(runner: TuneRunner) -> str:
    elapsed = time.monotonic() - runner.began
    parts = [f"{runner.games_done} of {runner.games_wanted} games", f"{2 * runner.playing} under way"]
    if runner.played_now:
        left = (runner.games_wanted - runner.games_done) * elapsed / runner.played_now
        parts.append(f"{3600 * runner.played_now / elapsed:,.0f} games an hour")
        parts.append(f"{duration(elapsed)} gone, about {duration(left)} to go")
    return "   ".join(parts)


class LiveTune:
    """The tables on a terminal's stderr, drawn anew as games end."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self._console = Console(stderr=True, highlight=False)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)

    def __enter__(self) -> LiveTune:
        self._live.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._live.stop()

    def show(self, runner: TuneRunner) -> None:
        from rich.console import Group
        from rich.text import Text

        summaries = runner.summaries(SUMMARY_SECONDS)
        lines = [Text(line, no_wrap=True, overflow="ellipsis") for line in heading(runner)]
        values = _table(COLUMNS, rows(runner, summaries[-1]), NUMBERS)
        columns = history_columns(runner)
        self._live.update(
            Group(*lines, values, Text(), _table(columns, history_rows(summaries), columns), Text(status(runner))), refresh=True
        )

    def tell(self, text: str) -> None:
        from rich.text import Text

        line: Any = Text(f"tesuji: {text}")
        self._console.print(line)


def _table(columns: list[str], cells: list[list[str]], right: list[str]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    return table

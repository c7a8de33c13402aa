"""The tables of a tune that a person sees, while it runs and at the end."""

from __future__ import annotations

import time

from tesuji.core.tables import TablePart
from tesuji.lab.match.standing import duration
from tesuji.lab.tune.estimate import Summary
from tesuji.lab.tune.runner import TuneRunner

COLUMNS = ["parameter", "range", "before", "estimate", "95%", ""]
NUMBERS = ["before", "estimate", "95%"]
HISTORY = ["games", "score % (95%)", "kept"]
HISTORY_ROWS = 6
SUMMARY_SECONDS = 1.0  # at least, between two fits for the display


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


def tables(runner: TuneRunner, summaries: list[Summary]) -> list[str | TablePart]:
    """The parameters, and how their estimates came about."""
    names = history_columns(runner)
    values = TablePart(COLUMNS, rows(runner, summaries[-1]), NUMBERS)
    return [*heading(runner), values, "", TablePart(names, history_rows(summaries), names)]


def view(runner: TuneRunner) -> list[str | TablePart]:
    """The tune as a person sees it while it runs."""
    return [*tables(runner, runner.summaries(SUMMARY_SECONDS)), status(runner)]

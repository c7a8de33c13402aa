"""Rémi Coulom, "Efficient Selectivity and Backup Operators in Monte-Carlo Tree Search" (2006): its tables and its speed."""

from __future__ import annotations

from collections.abc import Callable

from tesuji.lab.reproduce.crazy_stone import backup, matches, speed
from tesuji.lab.reproduce.report import Report, Row
from tesuji.lab.reproduce.runner import ExperimentRunner

PAPER = "crazy-stone"
TABLES: dict[str, Callable[..., tuple[list[Row], str]]] = {
    "1": backup.table_1,
    "2": matches.table_2,
    "speed": speed.speed_table,
}

READY = {"2": lambda options: matches.gnu_go()}


def run_experiment(
    table: str, runner: ExperimentRunner, runs: int | None, full: bool = False, player: str | None = None
) -> Report:
    """The report of one of the paper's experiments; `player` is for Table 1."""
    rows, text = TABLES[table](runner, runs, full, **({} if player is None else {"player": player}))
    if runner.interrupted:
        text += "\nInterrupted: these are the figures measured so far."
    return Report(PAPER, table, rows, text)

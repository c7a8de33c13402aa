"""Tristan Cazenave and Abdallah Saffidine, "Score Bounded Monte-Carlo Tree Search" (2010): its tables and its match."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tesuji.lab.reproduce.certificates import check_folder
from tesuji.lab.reproduce.report import Report, Row
from tesuji.lab.reproduce.runner import ExperimentRunner
from tesuji.lab.reproduce.score_bounded import connect4, seki, semeai

PAPER = "score-bounded"
Rows = tuple[list[Row], str]

TABLES: dict[str, Callable[[ExperimentRunner, int | None], Rows]] = {
    "1": lambda runner, runs: semeai.table_1(),
    "3": lambda runner, runs: seki.playouts_table(runner, runs, "plain"),
    "4": lambda runner, runs: seki.playouts_table(runner, runs, "cuts"),
    "5": lambda runner, runs: seki.playouts_table(runner, runs, "guided"),
    "order": seki.order_of_algorithms,
    "best": seki.best_table,
    "6": connect4.table_6,
    "match": connect4.match_table,
}

READY = {"2": check_folder}


def run_experiment(table: str, runner: ExperimentRunner, runs: int | None, certificates: str | Path | None = None) -> Report:
    """The report of one of the paper's experiments; they are always as large as in the paper."""
    rows, text = seki.table_2(runner, certificates) if table == "2" else TABLES[table](runner, runs)
    if runner.interrupted:
        text += "\nInterrupted: these are the figures measured so far."
    return Report(PAPER, table, rows, text)

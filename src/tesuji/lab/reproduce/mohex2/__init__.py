"""Huang et al., "MOHEX 2.0: a pattern-based MCTS Hex player" (2013): the program against others, and each
part on and off.
"""

from __future__ import annotations

from tesuji.lab.reproduce.mohex2.matches import EXPERIMENTS, compare
from tesuji.lab.reproduce.report import Report
from tesuji.lab.reproduce.runner import ExperimentRunner

PAPER = "mohex2"


def run_experiment(table: str, runner: ExperimentRunner, runs: int | None, full: bool = False) -> Report:
    """The report of one of the paper's experiments."""
    rows, text = compare(runner, EXPERIMENTS[table], runs, full)
    if runner.interrupted:
        text += "\nInterrupted: these are the figures measured so far."
    return Report(PAPER, table, rows, text)

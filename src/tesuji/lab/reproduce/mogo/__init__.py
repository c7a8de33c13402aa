"""Chaslot et al., "Adding expert knowledge and exploration in Monte-Carlo Tree Search" (2009): MoGo without each part."""

from __future__ import annotations

from tesuji.lab.reproduce.mogo.matches import EXPERIMENTS, compare
from tesuji.lab.reproduce.mogo.positions import compare_positions
from tesuji.lab.reproduce.report import Report
from tesuji.lab.reproduce.runner import ExperimentRunner

PAPER = "mogo"


def run_experiment(table: str, runner: ExperimentRunner, runs: int | None, full: bool = False) -> Report:
    """The report of one of the paper's experiments."""
    if table == "positions":
        rows, text = compare_positions(runner, runs, full)
    else:
        rows, text = compare(runner, EXPERIMENTS[table], runs, full)
    if runner.interrupted:
        text += "\nInterrupted: these are the figures measured so far."
    return Report(PAPER, table, rows, text)

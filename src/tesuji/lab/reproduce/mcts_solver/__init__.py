"""Mark Winands, Yngvi Bjornsson and Jahn-Takeshi Saito, "Monte-Carlo Tree Search Solver" (2008): its tables, and tactics."""

from __future__ import annotations

from pathlib import Path

from tesuji.lab.reproduce.mcts_solver import matches, tactics
from tesuji.lab.reproduce.report import Report
from tesuji.lab.reproduce.runner import ExperimentRunner

PAPER = "mcts-solver"
TABLES = ("1", "2", "tactics")
READY = {"tactics": tactics.check_options}


def run_experiment(
    table: str,
    runner: ExperimentRunner,
    runs: int | None,
    *,
    certificates: str | Path | None = None,
    full: bool = False,
    seconds: float | None = None,
    positions: str | Path | None = None,
    player: str | None = None,
) -> Report:
    """The report of one of the paper's experiments; `runs` are games of each match, or positions."""
    error = ""
    if table == "tactics":
        rows, text, error = tactics.tactics_table(runner, runs, seconds, positions, certificates, tactics.with_player(player))
    else:
        rows, text = {"1": matches.table_1, "2": matches.table_2}[table](runner, runs, full, seconds)
    if runner.interrupted:
        text += "\nInterrupted: these are the figures measured so far."
    return Report(PAPER, table, rows, text, error)

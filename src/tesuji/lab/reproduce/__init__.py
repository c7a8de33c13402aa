"""The papers' experiments: each is run by name and reports its figures beside the paper's own.

Each paper is a module here, whose experiments declare themselves (experiment.py).
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tesuji.core.errors import UserError, did_you_mean
from tesuji.lab.reproduce.claims import ClaimRow, count_verdicts, counted_anew, read_rows, verdicts_text
from tesuji.lab.reproduce.experiment import OPTIONS, Experiment, Paper
from tesuji.lab.reproduce.report import Report, Row

if TYPE_CHECKING:
    from tesuji.lab.reproduce.runner import OnProgress

__all__ = ["Report", "Row", "claim_rows", "count_verdicts", "papers", "run", "summaries", "verdicts_text"]

PAPERS = ("score-bounded", "crazy-stone", "mogo", "mohex2", "mcts-solver")
OWN = ("general",)  # experiments that no paper has


def papers() -> list[Paper]:
    return [_load(name) for name in PAPERS]


def _load(name: str) -> Paper:
    return import_module(f"tesuji.lab.reproduce.{name.replace('-', '_')}").PAPER


def summaries() -> dict[str, str]:
    """What each name that can be run stands for: all of a paper, and each of its experiments."""
    found: dict[str, str] = {}
    for paper in [*papers(), *map(_load, OWN)]:
        found[paper.name] = f"all of {paper.title}"
        found |= {experiment.name: experiment.summary for experiment in paper.experiments.values()}
    return found


def claim_rows(name: str) -> list[ClaimRow]:
    """All claims of a paper with what is shown of them here, as its page has it; figures of kept games are counted anew."""
    return [counted_anew(row) for row in read_rows(name)]


def run(
    text: str,
    runs: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    on_progress: OnProgress | None = None,
    certificates: str | Path | None = None,
    full: bool = False,
    seconds: float | None = None,
    positions: str | Path | None = None,
    player: str | None = None,
    picture: str | Path | None = None,
    games_file: str | Path | None = None,
    cluster: str | None = None,
) -> Report | list[Report]:
    """Runs an experiment, or all of a paper's; Ctrl-C ends it with the rows measured so far.

    `runs` is the number of runs for each figure, or games of a match; None = what the experiment takes for enough.
    `certificates` is a folder in which to keep the certificates of the proofs. `full` = as large as in the paper, where
    that takes hours and the default is less. `seconds` is the time a move or a position, `positions` a file of them,
    `player` one more player (crazy-stone/1: the player), `picture` and `games_file` the files for a picture of the figures and
    for the games as text. An experiment that has no use for one of these refuses it.
    `cluster` plays the matches of an experiment that has any.
    """
    all_experiments = [experiment for paper in [*papers(), *map(_load, OWN)] for experiment in paper.experiments.values()]
    chosen = [experiment for experiment in all_experiments if text in (experiment.paper, experiment.name)]
    if not chosen:
        names = list(summaries())
        raise UserError(f"there is no experiment {text!r}{did_you_mean(text, names)}; there are: {', '.join(names)}")
    given = {"certificates": certificates, "full": full or None, "seconds": seconds, "positions": positions, "player": player}
    given |= {"picture": picture, "games_file": games_file}
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if not any(name in experiment.takes for experiment in chosen):
            able = ", ".join(experiment.name for experiment in all_experiments if name in experiment.takes)
            raise UserError(f"{text} has no {OPTIONS[name]}, so leave --{name.replace('_', '-')} out; {able} take it")
    if cluster and not any(experiment.has_matches for experiment in chosen):
        raise UserError(f"{text} has no matches for a cluster to play, so leave --cluster out")
    for experiment in chosen:
        experiment.ready(options)
    reports = _measure(chosen, runs, seed, jobs, on_progress, cluster, options)
    return reports[0] if "/" in text else reports


def _measure(
    chosen: list[Experiment],
    runs: int | None,
    seed: int,
    jobs: int | None,
    on_progress: OnProgress | None,
    cluster: str | None,
    options: dict[str, Any],
) -> list[Report]:
    """A report of each experiment, until one is interrupted. One that fails leaves the reports before it."""
    from tesuji.lab.reproduce.runner import ExperimentRunner

    runner = ExperimentRunner(seed, jobs, on_progress)
    runner.cluster = cluster
    total = sum(experiment.share for experiment in chosen)
    reports: list[Report] = []
    begin = 0.0
    for experiment in chosen:
        end = begin + experiment.share / total
        runner.part(begin, end)
        begin = end
        used = {name: value for name, value in options.items() if name in experiment.takes}
        name = experiment.paper, experiment.table
        try:
            rows, text, *error = experiment.measure(runner, runs, **used)
        except UserError as failure:
            if not reports:
                raise
            reports.append(Report(*name, [], f"{experiment.name} was not measured: {failure}", str(failure)))
            continue
        if runner.interrupted:
            text += "\nInterrupted: these are the figures measured so far."
        reports.append(Report(*name, rows, text, *error))
        if runner.interrupted:
            break
    return reports

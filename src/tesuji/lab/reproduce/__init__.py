"""The papers' experiments: each is run by name and reports its figures beside the paper's own.

A paper's experiments are a package here with `run_experiment`, and where something must be found before any begins, READY:
by table, what raises a UserError if it is not there, given the options. Nothing is imported before it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tesuji.core.errors import UserError, did_you_mean
from tesuji.lab.reproduce.report import Report, Row

if TYPE_CHECKING:
    from tesuji.lab.reproduce.runner import OnProgress

__all__ = ["EXPERIMENTS", "Experiment", "Report", "Row", "run"]


class Experiment(NamedTuple):
    name: str
    summary: str
    share: float  # of the time that all of the paper's experiments take
    takes: tuple[str, ...] = ()  # the further options of `run` that it uses: see OPTIONS


OPTIONS = {
    "certificates": "certificates to keep",
    "full": "larger form",
    "seconds": "time a move",
    "positions": "positions to choose",
    "player": "player to choose",
}
EXPERIMENTS = (
    Experiment("score-bounded", "all of Cazenave and Saffidine 2010, Score Bounded Monte-Carlo Tree Search", 0.0),
    Experiment("score-bounded/1", "Table 1: who wins a random semeai, by dynamic programming", 0.001),
    Experiment("score-bounded/2", "Table 2: the 36 seki problems, proven, with checked certificates", 0.02, ("certificates",)),
    Experiment("score-bounded/3", "Table 3: playouts to solve them, plain", 0.25),
    Experiment("score-bounded/4", "Table 4: the same with cuts", 0.2),
    Experiment("score-bounded/5", "Table 5: the same with cuts and delta = 10000", 0.2),
    Experiment("score-bounded/order", "Tables 3 to 5 side by side for the drawn problems: plain > cuts >= guided", 0.01),
    Experiment("score-bounded/best", "playouts to solve the 36 problems with the best configuration here", 0.01),
    Experiment("score-bounded/6", "Table 6: playouts to solve small boards of Connect Four, three algorithms", 0.2),
    Experiment("score-bounded/match", "cuts against no cuts: 200 games of Connect Four at 10,000 playouts a move", 0.1),
    Experiment("crazy-stone", "all of Coulom 2006, Efficient Selectivity and Backup Operators in Monte-Carlo Tree Search", 0.0),
    Experiment(
        "crazy-stone/1",
        "Table 1: errors of the backup operators against the value after more simulations",
        0.1,
        ("full", "player"),
    ),
    Experiment("crazy-stone/2", "Table 2: matches against GNU Go on 9x9 at several times a move (needs gnugo)", 0.9, ("full",)),
    Experiment("crazy-stone/speed", "section A.3: playouts a second from the empty 9x9 board", 0.01),
    Experiment("mogo", "all of Chaslot et al. 2009, Adding Expert Knowledge and Exploration in Monte-Carlo Tree Search", 0.0),
    Experiment("mogo/patterns", "Figure 2: learned patterns, tuned constants, and the constant C", 0.3, ("full",)),
    Experiment("mogo/fill-board", "Figure 3: the fill-board clause of the playouts, 9x9 and 19x19", 0.3, ("full",)),
    Experiment("mogo/nakade", "Table 1: the nakade clause", 0.2, ("full",)),
    Experiment("mogo/approach", "section 3.3: approach moves", 0.2, ("full",)),
    Experiment("mogo/shapes", "section 2: the shapes of Figure 1, 19x19", 0.1, ("full",)),
    Experiment("mogo/positions", "Figures 4 and 5: nakade and a semeai, positions of our own making", 0.02, ("full",)),
    Experiment("mohex2", "all of Huang et al. 2013, MOHEX 2.0: a pattern-based MCTS Hex player", 0.0),
    Experiment("mohex2/match", "Figure 10: MoHex 2.0 against MoHex of 2011, 11x11 and 13x13", 0.2, ("full",)),
    Experiment("mohex2/plain", "the same without virtual connections", 0.2, ("full",)),
    Experiment("mohex2/connections", "virtual connections and inferior cells", 0.2, ("full",)),
    Experiment("mohex2/beyond", "the player hex against MoHex 2.0", 0.2, ("full",)),
    Experiment("mohex2/wolve", "Figure 10: both programs against Wolve", 0.2, ("full",)),
    Experiment("mohex2/rave", "section 3: RAVE", 0.1, ("full",)),
    Experiment("mohex2/save-bridge", "section 3: bridges saved in playouts", 0.1, ("full",)),
    Experiment("mohex2/doubling", "section 3: twice the simulations", 0.1, ("full",)),
    Experiment("mohex2/formula", "section 4.2: exploration inside the UCT term", 0.1, ("full",)),
    Experiment("mohex2/patterns", "Figure 11: patterns in the tree", 0.2, ("full",)),
    Experiment("mohex2/simulations", "section 4.6: playouts by patterns", 0.1, ("full",)),
    Experiment("mohex2/clop", "Figure 11: constants by CLOP", 0.5, ("full",)),
    Experiment("mohex2/unstable", "Figure 11: extension of unstable searches", 0.1, ("full",)),
    Experiment("mcts-solver", "all of Winands, Bjornsson and Saito 2008, Monte-Carlo Tree Search Solver", 0.0),
    Experiment("mcts-solver/1", "Table 1: the solver against no solver, Lines of Action", 0.4, ("full", "seconds")),
    Experiment("mcts-solver/2", "Table 2: both against alpha-beta with three evaluations", 0.5, ("full", "seconds")),
    Experiment(
        "mcts-solver/tactics",
        "positions with a forced win: solved by whom, after how many playouts, with certificates that are checked",
        0.1,
        ("certificates", "seconds", "positions", "player"),
    ),
)
# Experiments, or papers, of searches that are not matches of lab/match.
WITHOUT_MATCHES = ("score-bounded", "crazy-stone/1", "crazy-stone/speed", "mogo/positions", "mcts-solver/tactics")


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
    cluster: str | None = None,
) -> Report | list[Report]:
    """Runs an experiment, or all of a paper's; Ctrl-C ends it with the rows measured so far.

    `runs` is the number of runs for each figure, or games of a match; None = what the experiment takes for enough.
    `certificates` is a folder in which to keep the certificates of the proofs. `full` = as large as in the paper, where
    that takes hours and the default is less. `seconds` is the time a move or a position, `positions` a file of them,
    `player` one more player (crazy-stone/1: the player). An experiment that has no use for one of these five refuses it.
    `cluster` plays the matches of an experiment that has any.
    """
    if text not in (entry.name for entry in EXPERIMENTS):
        names = [entry.name for entry in EXPERIMENTS]
        raise UserError(f"there is no experiment {text!r}{did_you_mean(text, names)}; there are: {', '.join(names)}")
    given = {"certificates": certificates, "full": full or None, "seconds": seconds, "positions": positions, "player": player}
    options = {name: value for name, value in given.items() if value is not None}
    _check_options(text, options)
    if cluster and text.startswith(WITHOUT_MATCHES):
        raise UserError(f"{text} has no matches for a cluster to play, so leave --cluster out")
    from tesuji.lab.reproduce.runner import ExperimentRunner

    runner = ExperimentRunner(seed, jobs, on_progress)
    runner.cluster = cluster
    paper, _, table = text.partition("/")
    whole = not table
    module = import_module(f"tesuji.lab.reproduce.{paper.replace('-', '_')}")
    of_paper = [entry for entry in EXPERIMENTS if entry.name.startswith(f"{paper}/")]
    chosen = of_paper if whole else [entry for entry in of_paper if entry.name == text]
    for table, check in getattr(module, "READY", {}).items():
        if any(entry.name == f"{paper}/{table}" for entry in chosen):
            check(options)
    total = sum(entry.share for entry in chosen)
    reports: list[Report] = []
    begin = 0.0
    for entry in chosen:
        end = begin + entry.share / total
        runner.part(begin, end)
        begin = end
        table = entry.name.partition("/")[2]
        used = {name: value for name, value in options.items() if name in entry.takes}
        try:
            reports.append(module.run_experiment(table, runner, runs, **used))
        except UserError as error:
            if not reports:
                raise
            reports.append(Report(paper, table, [], f"{entry.name} was not measured: {error}", str(error)))
        if runner.interrupted:
            break
    return reports if whole else reports[0]


def _check_options(text: str, options: dict[str, Any]) -> None:
    """Refuses an option that the experiment, or every experiment of the paper, would ignore."""
    asked = [entry for entry in EXPERIMENTS if entry.name == text or entry.name.startswith(f"{text}/")]
    for name in options:
        if not any(name in entry.takes for entry in asked):
            able = ", ".join(entry.name for entry in EXPERIMENTS if name in entry.takes)
            raise UserError(f"{text} has no {OPTIONS[name]}, so leave --{name} out; {able} take it")

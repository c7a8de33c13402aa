"""Tristan Cazenave and Abdallah Saffidine, "Score Bounded Monte-Carlo Tree Search" (2010): its tables and its match.

The experiments are always as large as in the paper. In the figures that it prints, a text begins with '>' where runs were
stopped at the limit.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tesuji.core import rules
from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.games.semeai import win_probability
from tesuji.lab.reproduce.certificates import certificate_folder, check_folder
from tesuji.lab.reproduce.experiment import Paper
from tesuji.lab.reproduce.report import Row, grid, mean_interval, number
from tesuji.lab.reproduce.runner import ExperimentRunner, Sample
from tesuji.players.player import Player
from tesuji.players.presets import find_player
from tesuji.proof.trusted.checker import check_certificate
from tesuji.proof.write.writer import write_certificate

PAPER = Paper("score-bounded", "Cazenave and Saffidine 2010, Score Bounded Monte-Carlo Tree Search")
for claim in (
    ("Table 1", "81 chances to win a random semeai", "81 figures", "1"),
    ("section 4", "chance of the unsettled semeai of Figure 3; of the lost one", "0.50; 0.45", "1"),
    ("Table 2", "results of 36 seki problems", "36 results", "2"),
    ("Table 3", "playouts to solve them, plain", "36 figures", "3"),
    ("Table 4", "the same with cuts", "36 figures", "4"),
    ("Table 5", "the same with cuts and delta = 10000", "36 figures", "5"),
    ("section 5.1", "cuts are up to five times faster in drawn problems", "5.0", "order"),
    ("section 5.1", "cuts are faster in won and lost problems too", "1.0 to 3.8", "4"),
    ("section 5.1", "with delta = 10000 up to ten times fewer than with cuts", '"up to ten"', "5"),
    ("section 5.1", "delta = 10000 solves more problems", "31 of 36, cuts 23", "5"),
    ("Table 6", "plain, Connect Four 3x3, 3x4, 4x3, 4x4", "4 figures", "6"),
    ("Table 6", "with cuts", "4 figures", "6"),
    ("Table 6", "with cuts and delta = -0.1", "4 figures", "6"),
    ("section 5.2", "gamma does not matter much", "", "bias"),
    ("section 5.2", "delta = -0.1 is consistently best", "", "bias"),
    ("section 5.2", "cuts against plain, Connect Four 7x6, 10,000 playouts", "0.5725", "match"),
):
    PAPER.claim(*claim)
Measured = tuple[list[Row], str]

# -- Table 1: how often the side to move wins a semeai that is played at random, exactly -----------------------------------
# As printed: rows are the own liberties 1 to 9 of the side to move, columns the opponent's.
TABLE_1 = (
    (1.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00),
    (1.00, 0.50, 0.30, 0.20, 0.14, 0.11, 0.08, 0.07, 0.05),
    (1.00, 0.70, 0.50, 0.37, 0.29, 0.23, 0.18, 0.15, 0.13),
    (1.00, 0.80, 0.63, 0.50, 0.40, 0.33, 0.28, 0.24, 0.20),
    (1.00, 0.86, 0.71, 0.60, 0.50, 0.42, 0.36, 0.31, 0.27),
    (1.00, 0.89, 0.77, 0.67, 0.58, 0.50, 0.44, 0.38, 0.34),
    (1.00, 0.92, 0.82, 0.72, 0.64, 0.56, 0.50, 0.45, 0.40),
    (1.00, 0.93, 0.85, 0.76, 0.69, 0.62, 0.55, 0.50, 0.45),
    (1.00, 0.95, 0.87, 0.80, 0.73, 0.66, 0.60, 0.55, 0.50),
)


@PAPER.experiment("1", "Table 1: who wins a random semeai, by dynamic programming", 0.001)
def table_1(runner: ExperimentRunner, runs: int | None) -> Measured:
    rows = []
    lines = []
    for own, printed in enumerate(TABLE_1, 1):
        cells = []
        for other, paper in enumerate(printed, 1):
            exact = win_probability(own, other)
            rows.append(Row(f"{own} against {other}", paper, exact))
            cells.append(f"{exact:.2f}" if agrees(exact, paper) else f"{exact:.2f} ({paper:.2f})")
        lines.append((str(own), cells))
    agreeing = sum(agrees(row.measured, row.paper) for row in rows)
    columns = [str(other) for other in range(1, len(TABLE_1) + 1)]
    text = [
        "Table 1. Probability that the side to move wins a random semeai: own liberties down, the opponent's across.",
        grid("", columns, lines),
        f"{agreeing} of {len(rows)} agree with the paper after rounding"
        + ("." if agreeing == len(rows) else "; the paper's figure in brackets where not."),
    ]
    return rows, "\n".join(text)


def agrees(exact: object, paper: object) -> bool:
    return f"{exact:.2f}" == f"{paper:.2f}"


# -- Tables 2 to 5: the 36 seki problems, their results proven and the playouts that this takes ----------------------------
# As printed: rows are Min's liberties 1 to 6, columns Max's.
TABLE_2 = (
    ("Draw", "Won", "Won", "Won", "Won", "Won"),
    ("Draw", "Draw", "Won", "Won", "Won", "Won"),
    ("Lost", "Draw", "Draw", "Won", "Won", "Won"),
    ("Lost", "Lost", "Draw", "Draw", "Won", "Won"),
    ("Lost", "Lost", "Lost", "Draw", "Draw", "Won"),
    ("Lost", "Lost", "Lost", "Lost", "Draw", "Draw"),
)
OVER = ">1000000"
PLAYOUTS: dict[str, tuple[tuple[int | str, ...], ...]] = {
    "plain": (
        (359, 479, 1535, 2059, 10566, 25670),
        (1389, 11047, 12627, 68718, 98155, 289324),
        (7219, 60755, 541065, 283782, 516514, 791945),
        (41385, 422975, OVER, OVER, ">989407", ">999395"),
        (275670, OVER, OVER, OVER, OVER, OVER),
        (OVER, OVER, OVER, OVER, OVER, OVER),
    ),
    "cuts": (
        (192, 421, 864, 2000, 4605, 14521),
        (786, 3665, 3427, 17902, 40364, 116749),
        (4232, 22021, 107353, 94844, 263485, 588912),
        (21581, 177693, ">964871", OVER, 878072, OVER),
        (125793, OVER, OVER, OVER, OVER, OVER),
        (825760, OVER, OVER, OVER, OVER, OVER),
    ),
    "guided": (
        (137, 259, 391, 1135, 2808, 7164),
        (501, 1098, 1525, 3284, 13034, 29182),
        (1026, 5118, 9208, 19523, 31584, 141440),
        (2269, 10094, 58397, 102314, 224109, 412043),
        (6907, 27947, 127588, 737774, ">999587", OVER),
        (16461, 85542, 372366, OVER, OVER, OVER),
    ),
}

Problem = tuple[int, int]  # outside liberties of Max and of Min

LIMIT = 1_000_000
RUNS = 30  # of the paper
TRIALS = 3  # a problem that these do not solve is given up, unless the number of runs is asked for
MORE_RUNS = 100  # where runs are cheap, so that small differences show
CHEAP = 60_000  # playouts
BEST_RUNS = 30
NAMES = {1: "Won", 0: "Draw", -1: "Lost"}
HOLDS, BROKEN, UNDECIDED, UNSOLVED = "holds", "does not hold", "only guided is solved", "none is solved"

# One set of constants for the three algorithms. docs/papers/score-bounded.md says how they were chosen.
COMMON = "selection=rave-bound-bias,rave_bias=10,rave_first=off,exploration=0.1,memory=1024"
PLAYERS = {
    "plain": f"bounds-plain:{COMMON},opti_bias=0",
    "cuts": f"bounds-cuts:{COMMON},opti_bias=0",
    "guided": f"bounds-cuts:{COMMON},opti_bias=10000",
}
TITLES = {
    "plain": "Table 3. Playouts to solve the seki problems, plain",
    "cuts": "Table 4. Playouts to solve the seki problems, cuts",
    "guided": "Table 5. Playouts to solve the seki problems, cuts and delta = 10000",
}
BEST = "bounds-best"


def seki_problems() -> list[tuple[int, int]]:
    """The 36 problems (Max's liberties, Min's), in the order of the tables' rows."""
    return [(of_max, of_min) for of_min in range(1, 7) for of_max in range(1, 7)]


def is_drawn(problem: tuple[int, int]) -> bool:
    return TABLE_2[problem[1] - 1][problem[0] - 1] == "Draw"


def name_of(problem: Problem) -> str:
    return f"seki:{problem[0]},{problem[1]}"


def paper_figure(table: Sequence[Sequence[int | str]], problem: Problem) -> int | str:
    return table[problem[1] - 1][problem[0] - 1]


@PAPER.experiment("2", "Table 2: the 36 seki problems, proven, with checked certificates", 0.02, ready=check_folder)
def table_2(
    runner: ExperimentRunner,
    runs: int | None,
    certificates: str | Path | None = None,
    problems: Sequence[Problem] | None = None,
) -> Measured:
    """Each result proven by the best configuration; the proof is written to a file, read again and checked."""
    problems = seki_problems() if problems is None else problems
    with certificate_folder(certificates) as folder:
        tasks = [lambda problem=problem: certified_result(runner, problem, folder) for problem in problems]
        results = runner.all(tasks, "proofs")
    rows = []
    shown: dict[Problem, str] = {}
    for problem, found in zip(problems, results, strict=True):
        if found is None:
            continue
        paper = paper_figure(TABLE_2, problem)
        rows.append(Row(name_of(problem), paper, found))
        shown[problem] = found if found == paper else f"{found} ({paper})"
    agreeing = sum(row.measured == row.paper for row in rows)
    where = "" if certificates is None else f" The certificates are in {certificates}."
    text = [
        "Table 2. Results of the seki problems for Max: liberties of Min down, of Max across.",
        problem_grid(shown),
        f"{agreeing} of {len(rows)} are proven to be as in the paper, each by a certificate that was checked.{where}",
    ]
    return rows, "\n".join(text)


def certified_result(runner: ExperimentRunner, problem: Problem, folder: Path) -> str:
    """Won, Draw or Lost; another word where the proof fails."""
    search = find_player(BEST).engine(find_game(name_of(problem)), seed=runner.run_seed(0))
    result = runner.search(search, Limits(playouts=LIMIT))
    if not result.proven:
        return "unknown"
    path = folder / f"seki-{problem[0]}-{problem[1]}.proof"
    write_certificate(search, path)
    verdict = check_certificate(path)
    if not verdict.valid or verdict.lower != verdict.upper:
        return "refused"
    return NAMES[verdict.lower]


def playouts_table(
    runner: ExperimentRunner, runs: int | None, algorithm: str, problems: Sequence[Problem] | None = None
) -> Measured:
    """Mean playouts to solve each problem with one of the paper's algorithms."""
    problems = seki_problems() if problems is None else problems
    samples = measure(runner, runs, algorithm, problems)
    rows = []
    shown: dict[Problem, str] = {}
    for problem in problems:
        if not samples[problem]:
            continue
        row = playouts_row(name_of(problem), paper_figure(PLAYOUTS[algorithm], problem), samples[problem], LIMIT)
        rows.append(row)
        shown[problem] = beside(row, samples[problem])
    solved = sum(all(sample.proven for sample in samples[problem]) for problem in problems if samples[problem])
    text = [
        f"{TITLES[algorithm]}: measured/paper. Liberties of Min down, of Max across.",
        problem_grid(shown),
        f"Solved in every run: {solved} of {len(rows)}. '>': a run was stopped at {LIMIT:,} playouts and counts as that many.",
    ]
    return rows, "\n".join(text)


PAPER.experiment("3", "Table 3: playouts to solve them, plain", 0.25)(partial(playouts_table, algorithm="plain"))
PAPER.experiment("4", "Table 4: the same with cuts", 0.2)(partial(playouts_table, algorithm="cuts"))
PAPER.experiment("5", "Table 5: the same with cuts and delta = 10000", 0.2)(partial(playouts_table, algorithm="guided"))


def measure(
    runner: ExperimentRunner, runs: int | None, algorithm: str, problems: Sequence[Problem]
) -> dict[Problem, list[Sample]]:
    """The runs of an algorithm on each problem: `runs`, or as many as its difficulty makes sensible.

    How many there are depends on the runs alone and not on the clock, so it is the same on every machine. What was
    measured before is not measured again.
    """
    player = find_player(PLAYERS[algorithm])
    kept: dict[Problem, list[Sample]] = runner.kept.setdefault(("seki", algorithm), {})
    stages: list[Callable[[list[Sample]], int]] = [lambda done: runs or 0]
    if runs is None:
        stages = [
            lambda done: TRIALS,
            lambda done: RUNS if any(sample.proven for sample in done) else 0,
            lambda done: MORE_RUNS if len(done) >= RUNS and sum(s.playouts for s in done) <= CHEAP * len(done) else 0,
        ]
    for number_of_stage, wanted in enumerate(stages, 1):
        missing = [
            (problem, index)
            for problem in problems
            for index in range(len(kept.get(problem, [])), wanted(kept.get(problem, [])))
        ]
        tasks = [lambda p=p, i=i: runner.prove(find_game(name_of(p)), player, LIMIT, i) for p, i in missing]
        results = runner.all(tasks, f"{algorithm}, part {number_of_stage} of {len(stages)}")
        for (problem, _), sample in zip(missing, results, strict=True):
            if sample is not None:
                kept.setdefault(problem, []).append(sample)
    return {problem: kept.get(problem, []) for problem in problems}


def playouts_row(label: str, paper: float | str | None, samples: Sequence[Sample], limit: int) -> Row:
    """The mean of the runs; those that were stopped count as the limit, and the label says how many were not."""
    mean, low, high = mean_interval([sample.playouts if sample.proven else limit for sample in samples])
    solved = sum(sample.proven for sample in samples)
    if solved < len(samples):
        label += f" (solved {solved} of {len(samples)})"
        high = None
    return Row(label, paper, mean, low, high, len(samples))


def beside(row: Row, samples: Sequence[Sample]) -> str:
    sign = "" if all(sample.proven for sample in samples) else ">"
    return f"{sign}{number(row.measured)}/{number(row.paper)}"


@PAPER.experiment("order", "Tables 3 to 5 side by side for the drawn problems: plain > cuts >= guided", 0.01)
def order_of_algorithms(runner: ExperimentRunner, runs: int | None, problems: Sequence[Problem] | None = None) -> Measured:
    """Tables 3 to 5 for the drawn problems: does plain take more than cuts, and cuts no less than guided?"""
    drawn = [problem for problem in (seki_problems() if problems is None else problems) if is_drawn(problem)]
    measured = {algorithm: measure(runner, runs, algorithm, drawn) for algorithm in PLAYERS}
    rows = []
    lines = []
    counts: dict[str, int] = {HOLDS: 0, BROKEN: 0, UNDECIDED: 0, UNSOLVED: 0}
    for problem in drawn:
        found = {}
        for algorithm, samples in measured.items():
            if samples[problem]:
                paper = paper_figure(PLAYOUTS[algorithm], problem)
                found[algorithm] = playouts_row(f"{name_of(problem)} {algorithm}", paper, samples[problem], LIMIT)
        rows += found.values()
        if len(found) < len(PLAYERS):
            continue
        verdict = order_verdict([float(row.measured or 0) for row in found.values()])
        counts[verdict] += 1
        cells = [f"{beside(row, measured[name][problem])} ({row.n})" for name, row in found.items()]
        lines.append((name_of(problem), [*cells, verdict]))
    text = [
        "The drawn problems: playouts measured/paper (runs).",
        grid("", [*PLAYERS, "plain > cuts >= guided"], lines),
        f"The order holds in {counts[HOLDS]} and does not hold in {counts[BROKEN]}. Within {LIMIT:,} playouts only guided "
        f"solves {counts[UNDECIDED]}, and none of the three solves {counts[UNSOLVED]}.",
    ]
    return rows, "\n".join(text)


def order_verdict(means: Sequence[float]) -> str:
    """Whether plain > cuts >= guided. Two that are both stopped at the limit cannot be told apart."""
    plain, cuts, guided = means
    if guided >= LIMIT and cuts >= LIMIT:
        return UNSOLVED if plain >= LIMIT else BROKEN
    if cuts >= LIMIT:
        return UNDECIDED if plain >= LIMIT else BROKEN
    return HOLDS if plain > cuts >= guided else BROKEN


@PAPER.experiment("best", "playouts to solve the 36 problems with the best configuration here", 0.01)
def best_table(runner: ExperimentRunner, runs: int | None, problems: Sequence[Problem] | None = None) -> Measured:
    """Mean playouts with the configuration that solves all 36 problems soonest; the paper's best figure is its Table 5."""
    problems = seki_problems() if problems is None else problems
    player = find_player(BEST)
    count = BEST_RUNS if runs is None else runs
    asked = [(problem, index) for problem in problems for index in range(count)]
    tasks = [lambda p=p, i=i: runner.prove(find_game(name_of(p)), player, LIMIT, i) for p, i in asked]
    samples: dict[Problem, list[Sample]] = {problem: [] for problem in problems}
    for (problem, _), sample in zip(asked, runner.all(tasks, "best configuration"), strict=True):
        if sample is not None:
            samples[problem].append(sample)
    rows = []
    shown: dict[Problem, str] = {}
    for problem in problems:
        if samples[problem]:
            row = playouts_row(name_of(problem), paper_figure(PLAYOUTS["guided"], problem), samples[problem], LIMIT)
            rows.append(row)
            shown[problem] = beside(row, samples[problem])
    most = max((sample.playouts for cell in samples.values() for sample in cell), default=0)
    proven = sum(all(sample.proven for sample in cell) for cell in samples.values() if cell)
    text = [
        f"Playouts to solve the seki problems with {BEST} ({player.describe()}) / the paper's Table 5.",
        problem_grid(shown),
        f"Proven in every run: {proven} of {len(rows)}; the longest run took {most:,} playouts.",
    ]
    return rows, "\n".join(text)


def problem_grid(cells: dict[Problem, str]) -> str:
    """Cells by problem, laid out as the paper's tables are."""
    across = sorted({of_max for of_max, _ in cells})
    down = sorted({of_min for _, of_min in cells})
    lines = [(str(of_min), [cells.get((of_max, of_min), "") for of_max in across]) for of_min in down]
    return grid("Min", [str(of_max) for of_max in across], lines)


# -- which rule for passing, and how even a selection, gives the paper's figures for small problems -------------------------
SMALL = ((1, 1), (2, 1), (3, 1), (3, 2), (1, 2), (2, 2), (1, 3))
PASSES, EXPLORATIONS = (2, 3), (0.1, 1.0, 10.0)
SMALL_RUNS = 10


@PAPER.experiment("rules", "Tables 3 to 5 for small problems, by the rule for passing and the evenness of selection", 0.05)
def rules_table(
    runner: ExperimentRunner,
    runs: int | None,
    problems: Sequence[Problem] = SMALL,
    explorations: Sequence[float] = EXPLORATIONS,
) -> Measured:
    """Mean playouts as a share of the paper's, for two and three passes that end the game and several constants."""
    count = SMALL_RUNS if runs is None else runs
    settings = [(passes, exploration) for passes in PASSES for exploration in explorations]
    cells = [(one, name, problem) for one in settings for name in PLAYERS for problem in problems]

    def prove(cell: tuple[tuple[int, float], str, Problem], index: int) -> Sample:
        (passes, exploration), name, problem = cell
        player = find_player(PLAYERS[name]).changed({"exploration": exploration, "memory": 256.0})
        return runner.prove(find_game(f"{name_of(problem)}:passes={passes}"), player, LIMIT, index)

    asked = [(cell, index) for cell in cells for index in range(count)]
    samples: dict[tuple[tuple[int, float], str, Problem], list[Sample]] = {cell: [] for cell in cells}
    tasks = [lambda cell=cell, index=index: prove(cell, index) for cell, index in asked]
    for (cell, _), sample in zip(asked, runner.all(tasks, "runs"), strict=True):
        if sample is not None:
            samples[cell].append(sample)
    rows, lines = [], []
    for one in settings:
        label = f"{one[0]} passes, exploration {one[1]:g}"
        shares: dict[str, list[float]] = {name: [] for name in PLAYERS}
        for name in PLAYERS:
            for problem in problems:
                if found := samples[one, name, problem]:
                    paper = paper_figure(PLAYOUTS[name], problem)
                    rows.append(playouts_row(f"{label}: {name_of(problem)} {name}", paper, found, LIMIT))
                    shares[name].append(float(rows[-1].measured or 0.0) / float(paper))
        logs = [math.log(share) for some in shares.values() for share in some]
        if len(logs) == len(PLAYERS) * len(problems):
            ranges = [f"{min(some):.2f} to {max(some):.2f}" for some in shares.values()]
            lines.append((label, [*ranges, f"{math.exp(math.sqrt(statistics.fmean(log * log for log in logs))):.2f}"]))
    text = [
        f"Playouts to solve {', '.join(map(name_of, problems))}, as a share of the paper's: least and most of each table;",
        "the factor by which they differ, as the root of the mean squared logarithm.",
        grid("", [*PLAYERS, "factor"], lines),
    ]
    return rows, "\n".join(text)


# -- Table 6: small boards of Connect Four solved by the three algorithms --------------------------------------------------
BOARD_LIMIT = 5_000_000
BOARD_RUNS = 30
MEMORY = "memory=1500"  # MiB: room for the tree of 5,000,000 playouts on 4x4
BOARD_PLAYERS = {"plain": f"bounds-plain:{MEMORY}", "cuts": f"bounds-cuts:{MEMORY}", "guided": f"bounds-guided:{MEMORY}"}

# As printed: playouts by board (columns x rows) and algorithm.
TABLE_6: dict[str, dict[str, float | str]] = {
    "3x3": {"plain": 2700.9, "cuts": 2529.2, "guided": 1607.1},
    "3x4": {"plain": 26042.7, "cuts": 12496.7, "guided": 9792.7},
    "4x3": {"plain": 227617.6, "cuts": 31772.9, "guided": 24340.2},
    "4x4": {"plain": ">5000000", "cuts": 386324.3, "guided": 351320.3},
}


@PAPER.experiment("6", "Table 6: playouts to solve small boards of Connect Four, three algorithms", 0.2)
def table_6(runner: ExperimentRunner, runs: int | None, boards: Sequence[str] = tuple(TABLE_6)) -> Measured:
    """Mean playouts to solve each board with each algorithm."""
    count = BOARD_RUNS if runs is None else runs
    cells = [(board, algorithm) for board in boards for algorithm in BOARD_PLAYERS]
    asked = [(cell, index) for cell in cells for index in range(count)]

    def prove(cell: tuple[str, str], index: int) -> Sample:
        return runner.prove(find_game(f"connect4:{cell[0]}"), find_player(BOARD_PLAYERS[cell[1]]), BOARD_LIMIT, index)

    tasks = [lambda cell=cell, index=index: prove(cell, index) for cell, index in asked]
    samples: dict[tuple[str, str], list[Sample]] = {cell: [] for cell in cells}
    for (cell, _), sample in zip(asked, runner.all(tasks, "runs"), strict=True):
        if sample is not None:
            samples[cell].append(sample)
    rows = []
    lines = []
    for board, algorithm in cells:
        if not samples[board, algorithm]:
            continue
        row = playouts_row(f"{board} {algorithm}", TABLE_6[board][algorithm], samples[board, algorithm], BOARD_LIMIT)
        rows.append(row)
        lines.append((f"{board} {algorithm}", table_6_cells(row, samples[board, algorithm])))
    text = [
        "Table 6. Playouts to solve small boards of Connect Four (columns x rows, four in a row).",
        grid("", ["measured", "95% interval", "paper", "difference", "solved"], lines),
    ]
    return rows, "\n".join(text)


def table_6_cells(row: Row, samples: Sequence[Sample]) -> list[str]:
    solved = sum(sample.proven for sample in samples)
    sign = "" if solved == len(samples) else ">"
    difference = "-"
    if isinstance(row.paper, float) and not sign:
        difference = f"{100 * (float(row.measured or 0) / row.paper - 1):+.1f}%"
    interval = f"{number(row.low)} to {number(row.high)}" if row.high is not None else "-"
    return [f"{sign}{number(row.measured)}", interval, number(row.paper), difference, f"{solved} of {len(samples)}"]


# -- gamma and delta: the paper tried several, found that gamma hardly matters, and delta = -0.1 best -----------------------
SCAN_BOARDS = ("3x3", "3x4", "4x3")
DELTAS = (-0.5, -0.2, -0.1, -0.05, 0.0, 0.05, 0.1)  # with gamma = 0
GAMMAS = (-0.1, -0.05, 0.05, 0.1)  # with the paper's delta
BEST_DELTA = -0.1


@PAPER.experiment("bias", "section 5.2: other values of gamma and delta on small boards of Connect Four", 0.05)
def bias_table(runner: ExperimentRunner, runs: int | None, boards: Sequence[str] = SCAN_BOARDS) -> Measured:
    """Mean playouts to solve each board with cuts and with each gamma and delta."""
    count = BOARD_RUNS if runs is None else runs
    settings = [(0.0, delta) for delta in DELTAS] + [(gamma, BEST_DELTA) for gamma in GAMMAS]
    cells = [(pair, board) for pair in settings for board in boards]

    def prove(cell: tuple[tuple[float, float], str], index: int) -> Sample:
        (gamma, delta), board = cell
        player = find_player(f"bounds-guided:{MEMORY},pess_bias={gamma:g},opti_bias={delta:g}")
        return runner.prove(find_game(f"connect4:{board}"), player, BOARD_LIMIT, index)

    asked = [(cell, index) for cell in cells for index in range(count)]
    samples: dict[tuple[tuple[float, float], str], list[Sample]] = {cell: [] for cell in cells}
    tasks = [lambda cell=cell, index=index: prove(cell, index) for cell, index in asked]
    for (cell, _), sample in zip(asked, runner.all(tasks, "runs"), strict=True):
        if sample is not None:
            samples[cell].append(sample)
    rows, lines = [], []
    for gamma, delta in settings:
        name, shown = f"gamma = {gamma:g}, delta = {delta:g}", []
        for board in boards:
            found = samples[(gamma, delta), board]
            if not found:
                continue
            paper = TABLE_6[board]["guided"] if (gamma, delta) == (0.0, BEST_DELTA) else None
            rows.append(playouts_row(f"{board}, {name}", paper, found, BOARD_LIMIT))
            low, high = rows[-1].low, rows[-1].high
            shown.append(number(rows[-1].measured) + (f" ({number(low)} to {number(high)})" if high is not None else ""))
        if len(shown) == len(boards):
            lines.append((name, shown))
    text = [
        "Playouts to solve small boards of Connect Four with cuts and a bias by bounds, with 95% intervals.",
        grid("", list(boards), lines),
        f"The paper: gamma does not matter much, delta = {BEST_DELTA:g} is consistently best.",
    ]
    return rows, "\n".join(text)


# -- the match of cuts against no cuts -------------------------------------------------------------------------------------
MATCH_GAME = "connect4:7x6"
MATCH_PLAYOUTS = 10_000
MATCH_PLAYERS = ("bounds-cuts:exploration=1,memory=64", "bounds-plain:exploration=1,memory=64")
MATCH_GAMES = 200
MATCH_POINTS = 114.5  # for the side with cuts


class MatchGame(NamedTuple):
    points: float  # of the side with cuts: 1, 0.5 or 0
    plies: int


@PAPER.experiment("match", "cuts against no cuts: 200 games of Connect Four at 10,000 playouts a move", 0.1)
def match_table(runner: ExperimentRunner, runs: int | None, playouts: int = MATCH_PLAYOUTS, game: str = MATCH_GAME) -> Measured:
    """A match of cuts against no cuts, all else equal; each side begins every second game."""
    count = MATCH_GAMES if runs is None else runs
    board = find_game(game)
    sides = [find_player(name) for name in MATCH_PLAYERS]
    tasks = [lambda index=index: play_game(runner, board, sides, playouts, index) for index in range(count)]
    played = [result for result in runner.all(tasks, "games") if result is not None]
    if not played:
        return [], "The match: no game was finished."
    points = [result.points for result in played]
    mean, low, high = mean_interval(points)
    row = Row("cuts against no cuts, score a game", MATCH_POINTS / MATCH_GAMES, mean, low, high, len(played))
    rows = [row]
    for name, value in (("won", 1.0), ("drawn", 0.5), ("lost", 0.0)):
        rows.append(Row(f"games {name} by cuts", None, points.count(value), n=len(played)))
    interval = "" if low is None or high is None else f", 95% interval {low:.3f} to {high:.3f}"
    length = sum(result.plies for result in played) / len(played)
    text = [
        f"The match on {game}, {playouts:,} playouts a move: {MATCH_PLAYERS[0]} against {MATCH_PLAYERS[1]}.",
        f"Measured: {sum(points):g} of {len(played)}, {mean:.3f} a game{interval}",
        f"  won {points.count(1.0)}, drawn {points.count(0.5)}, lost {points.count(0.0)}; {length:.1f} moves a game",
        f"Paper: {MATCH_POINTS:g} of {MATCH_GAMES}, {MATCH_POINTS / MATCH_GAMES:.4f} a game",
    ]
    return rows, "\n".join(text)


def play_game(runner: ExperimentRunner, game: Game, sides: Sequence[Player], playouts: int, index: int) -> MatchGame:
    """One game; the first of the sides begins in games of even index."""
    searches = [side.engine(game, seed=runner.run_seed(2 * index + n)) for n, side in enumerate(sides)]
    order = searches if index % 2 == 0 else searches[::-1]
    state = game.new_state()
    plies = 0
    while not rules.is_over(state):
        mover = order[int(rules.to_play(state))]
        move = runner.search(mover, Limits(playouts=playouts)).best_move
        assert move is not None
        for search in searches:
            search.advance(move)
        rules.play(state, move)
        plies += 1
    outcome = int(rules.outcome(state)) if index % 2 == 0 else -int(rules.outcome(state))
    return MatchGame((outcome + 1) / 2, plies)

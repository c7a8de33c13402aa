"""Tables 2 to 5: the 36 seki problems, their results proven and the playouts that this takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab.reproduce.certificates import certificate_folder
from tesuji.lab.reproduce.report import Row, grid, mean_interval, number
from tesuji.lab.reproduce.runner import ExperimentRunner, Sample
from tesuji.lab.reproduce.score_bounded.printed import PLAYOUTS, TABLE_2, is_drawn, seki_problems
from tesuji.players.presets import find_player
from tesuji.proof.trusted.checker import check_certificate
from tesuji.proof.write.writer import write_certificate

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


def name_of(problem: Problem) -> str:
    return f"seki:{problem[0]},{problem[1]}"


def paper_figure(table: Sequence[Sequence[int | str]], problem: Problem) -> int | str:
    return table[problem[1] - 1][problem[0] - 1]


# -- Table 2 ---------------------------------------------------------------------------------------------------------------
def table_2(
    runner: ExperimentRunner, certificates: str | Path | None = None, problems: Sequence[Problem] | None = None
) -> tuple[list[Row], str]:
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


# -- Tables 3 to 5 ---------------------------------------------------------------------------------------------------------
def playouts_table(
    runner: ExperimentRunner, runs: int | None, algorithm: str, problems: Sequence[Problem] | None = None
) -> tuple[list[Row], str]:
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
        f"{TITLES[algorithm]}: measured / paper. Liberties of Min down, of Max across.",
        problem_grid(shown),
        f"Solved in every run: {solved} of {len(rows)}. '>': a run was stopped at {LIMIT:,} playouts and counts as that many.",
    ]
    return rows, "\n".join(text)


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


def playouts_row(label: str, paper: float | str, samples: Sequence[Sample], limit: int) -> Row:
    """The mean of the runs; those that were stopped count as the limit, and the label says how many were not."""
    mean, low, high = mean_interval([sample.playouts if sample.proven else limit for sample in samples])
    solved = sum(sample.proven for sample in samples)
    if solved < len(samples):
        label += f" (solved {solved} of {len(samples)})"
        high = None
    return Row(label, paper, mean, low, high, len(samples))


def beside(row: Row, samples: Sequence[Sample]) -> str:
    sign = "" if all(sample.proven for sample in samples) else ">"
    return f"{sign}{number(row.measured)} / {number(row.paper)}"


def order_of_algorithms(
    runner: ExperimentRunner, runs: int | None, problems: Sequence[Problem] | None = None
) -> tuple[list[Row], str]:
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
        "The drawn problems: playouts measured / paper (runs).",
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


# -- the best configuration ------------------------------------------------------------------------------------------------
def best_table(runner: ExperimentRunner, runs: int | None, problems: Sequence[Problem] | None = None) -> tuple[list[Row], str]:
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

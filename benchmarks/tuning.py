"""Regret of CLOP, SPSA and uniform samples on functions with a known optimum, and how often intervals hold it.

    python benchmarks/tuning.py                     # all functions, 1,600 games, 40 runs: some 5 minutes of processor time
    python benchmarks/tuning.py --games 400 --runs 10 --only valley "log, 5 parameters"

SPSA depends on the length of its steps, which was chosen on some of these very functions: it is tried with a fourth of it and
with four times as much, too.

Regret is the expected score at the optimum less that at the estimate, in percent, as a mean over the runs with 95% intervals.
The column "held" is for CLOP the share of the runs, over all parameters, in which the interval of the estimate held the
optimum.
"""

from __future__ import annotations

import argparse

import numpy as np

from tesuji.lab.elo import Z95
from tesuji.lab.tune.clop import localize
from tesuji.lab.tune.estimate import optimum_interval
from tesuji.lab.tune.methods import Method, Spsa, make_method
from tesuji.lab.tune.synthetic import GAMES_A_SAMPLE, PROBLEMS, simulate

WINDOW = 8
METHODS = ("clop", "spsa", "spsa / 4", "spsa * 4", "uniform")


class SpsaOfShortSteps(Spsa):
    STEP = Spsa.STEP / 4.0


class SpsaOfLongSteps(Spsa):
    STEP = Spsa.STEP * 4.0


def method_of(name: str, dimensions: int, seed: int) -> Method:
    kinds = {"spsa / 4": SpsaOfShortSteps, "spsa * 4": SpsaOfLongSteps}
    return kinds[name](dimensions, seed) if name in kinds else make_method(name, dimensions, seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1600, help="of the longest tune; shorter ones are its beginnings (1600)")
    parser.add_argument("--runs", type=int, default=40, help="tunes of each kind (40)")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=[problem.name for problem in PROBLEMS],
        help="only the functions of these names, in this order",
    )
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS, help="only these")
    args = parser.parse_args()
    sizes = [args.games // GAMES_A_SAMPLE // share for share in (16, 4, 1)]
    print(
        f"{'function':20} {'method':8} " + "".join(f"{GAMES_A_SAMPLE * size:>8} games" + " " * 5 for size in sizes) + "  held"
    )
    known = {problem.name: problem for problem in PROBLEMS}
    for problem in [known[name] for name in args.only or known]:
        for name in args.methods:
            regrets = np.zeros((args.runs, len(sizes)))
            held = np.zeros((args.runs, problem.dimensions), dtype=bool)
            for seed in range(args.runs):
                chosen = method_of(name, problem.dimensions, seed)
                method, results = simulate(problem, chosen, sizes[-1], seed, WINDOW)
                regrets[seed] = [100.0 * problem.regret(method.estimate(results.first(size))) for size in sizes]
                if name == "clop":
                    low, high = optimum_interval(localize(results))
                    held[seed] = (low <= problem.optimum) & (problem.optimum <= high)
            means, errors = regrets.mean(axis=0), Z95 * regrets.std(axis=0, ddof=1) / args.runs**0.5
            cells = "".join(f"{mean:7.2f} ± {error:5.2f}    " for mean, error in zip(means, errors, strict=True))
            share = f"{100 * held.mean():.0f}%" if name == "clop" else ""
            print(f"{problem.name:20} {name:8} {cells}  {share}", flush=True)


if __name__ == "__main__":
    main()

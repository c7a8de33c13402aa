"""Regret of CLOP, SPSA and uniform samples on functions with a known optimum, and how often intervals hold it.

    python benchmarks/tuning.py                     # all functions, 1,600 games, 40 runs: about 20 minutes on one core
    python benchmarks/tuning.py --games 400 --runs 10 --only valley

Regret is the expected score at the optimum less that at the estimate, in percent, as a mean over the runs with 95% intervals.
The column "held" is the share of the runs, over all parameters, in which the interval of the estimate held the optimum.
"""

from __future__ import annotations

import argparse

import numpy as np

from tesuji.lab.elo import Z95
from tesuji.lab.tune.clop import localize
from tesuji.lab.tune.estimate import optimum_interval
from tesuji.lab.tune.methods import METHODS
from tesuji.lab.tune.synthetic import GAMES_A_SAMPLE, PROBLEMS, simulate

WINDOW = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1600, help="of the longest tune; shorter ones are its beginnings (1600)")
    parser.add_argument("--runs", type=int, default=40, help="tunes of each kind (40)")
    parser.add_argument("--only", help="only the function of this name")
    args = parser.parse_args()
    sizes = [args.games // GAMES_A_SAMPLE // share for share in (16, 4, 1)]
    print(
        f"{'function':20} {'method':8} " + "".join(f"{GAMES_A_SAMPLE * size:>8} games" + " " * 5 for size in sizes) + "  held"
    )
    for problem in PROBLEMS:
        if args.only not in (None, problem.name):
            continue
        for name in METHODS:
            regrets = np.zeros((args.runs, len(sizes)))
            held = np.zeros((args.runs, problem.dimensions), dtype=bool)
            for seed in range(args.runs):
                method, results = simulate(problem, name, sizes[-1], seed, WINDOW)
                regrets[seed] = [100.0 * problem.regret(method.estimate(results.first(size))) for size in sizes]
                low, high = optimum_interval(localize(results))
                held[seed] = (low <= problem.optimum) & (problem.optimum <= high)
            means, errors = regrets.mean(axis=0), Z95 * regrets.std(axis=0, ddof=1) / args.runs**0.5
            cells = "".join(f"{mean:7.2f} ± {error:5.2f}    " for mean, error in zip(means, errors, strict=True))
            print(f"{problem.name:20} {name:8} {cells}  {100 * held.mean():.0f}%", flush=True)


if __name__ == "__main__":
    main()

"""Run a paper's experiment and print its table beside the paper's figures; without a name, list the experiments.

JSON: paper, table, rows (label, paper, measured, low, high, n); for a whole paper tables, a list of these.
"""

from __future__ import annotations

import argparse
from typing import Any

from tesuji.cli import options, output

SUMMARY = "run a paper's experiment beside its printed figures"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", metavar="PAPER[/TABLE]", nargs="?", help="the experiment; without it, they are listed")
    parser.add_argument("--runs", type=options.count, metavar="N", help="runs for each figure")
    parser.add_argument("--seconds", type=options.seconds_number, metavar="S", help="time a move, or for each position")
    parser.add_argument("--positions", metavar="FILE", help="positions instead of the experiment's own")
    parser.add_argument(
        "--player",
        metavar="NAME[:P=V,...]",
        help="measure this player, too; crazy-stone/1: alone",
    )
    parser.add_argument("--jobs", type=options.count, metavar="N", help="parallel runs (default: the number of processors)")
    options.add_cluster(parser, "play the matches")
    parser.add_argument("--certificates", metavar="DIR", help="save the certificates of the proofs in this folder")
    parser.add_argument("--full", action="store_true", help="as large as in the paper, where the default is smaller")
    options.add_common(parser)


def run(args: argparse.Namespace) -> int:
    from tesuji.lab import reproduce

    if args.experiment is None:
        entries = [(entry.name, entry.summary) for entry in reproduce.EXPERIMENTS]
        if args.json:
            output.print_json({"experiments": [{"name": name, "summary": summary} for name, summary in entries]})
        else:
            output.print_table(["experiment", "what it measures"], entries)
        return 0
    with output.Progress(f"reproduce {args.experiment}", total=1.0) as progress:
        seed = 1 if args.seed is None else args.seed
        report = reproduce.run(
            args.experiment,
            runs=args.runs,
            seed=seed,
            jobs=args.jobs,
            on_progress=_reporter(progress),
            certificates=args.certificates,
            full=args.full,
            cluster=args.cluster,
            **{name: value for name in ("seconds", "positions", "player") if (value := getattr(args, name)) is not None},
        )
    reports = report if isinstance(report, list) else [report]
    if args.json:
        tables = [_json(one) for one in reports]
        output.print_json(tables[0] if len(tables) == 1 else {"paper": reports[0].paper, "tables": tables})
    else:
        print("\n\n".join(one.text for one in reports))
    return 2 if any(one.error for one in reports) else 0


def _reporter(progress: output.Progress) -> Any:
    if not progress.is_shown:
        return None

    def report(done: float, text: str = "") -> None:
        progress.update(done, text)

    return report


def _json(report: Any) -> dict[str, Any]:
    names = ("label", "paper", "measured", "low", "high", "n")
    rows = [{name: getattr(row, name) for name in names} for row in report.rows]
    return {"paper": report.paper, "table": report.table, "rows": rows} | ({"error": report.error} if report.error else {})

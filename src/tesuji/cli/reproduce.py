"""Run a paper's experiment and print its table beside the paper's figures; without a name, list the experiments.

--recorded plays nothing: it counts the games in files anew (docs/matches.md). Without files it counts those of this project's
pages, and prints every claim of the papers with what of it is shown here; of one paper, if it is named.

JSON: paper, table, rows (label, paper, measured, low, high, n); for a whole paper tables, a list of these. With --recorded
matches: file, match, game, a, b, games, a_wins, b_wins, draws, score, score_low, score_high, elo, elo_low, elo_high; without
files also papers: paper, rows (where, claim, paper, measured, n, verdict, why), verdicts.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tesuji.cli import options, output
from tesuji.core.errors import UserError

if TYPE_CHECKING:
    from tesuji.lab.reproduce.recorded import RecordedScore

OF_SOME = ("seconds", "positions", "player", "picture", "games_file")  # options that not all experiments take
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
    parser.add_argument(
        "--picture", metavar="FILE", help="general: draw a heat map there (SVG); with --recorded, of these games"
    )
    parser.add_argument("--games-file", metavar="FILE", help="general: keep all games there as text")
    parser.add_argument("--full", action="store_true", help="as large as in the paper, where the default is smaller")
    parser.add_argument(
        "--recorded",
        nargs="*",
        metavar="FILE",
        help="play nothing: count the games in files or folders anew; without any, print the papers' claims and verdicts",
    )
    options.add_common(parser)


def run(args: argparse.Namespace) -> int:
    if args.recorded is not None:
        return _count(args)
    from tesuji.lab import reproduce

    if args.experiment is None:
        entries = list(reproduce.summaries().items())
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
            **{name: value for name in OF_SOME if (value := getattr(args, name)) is not None},
        )
    reports = report if isinstance(report, list) else [report]
    if args.json:
        tables = [_json(one) for one in reports]
        output.print_json(tables[0] if len(tables) == 1 else {"paper": reports[0].paper, "tables": tables})
    else:
        print("\n\n".join(one.text for one in reports))
    return 2 if any(one.error for one in reports) else 0


def _count(args: argparse.Namespace) -> int:
    """Prints the scores of games that were kept and, unless files are named, the claims of the papers."""
    from tesuji.lab import reproduce
    from tesuji.lab.reproduce.recorded import recorded_scores

    others = ("runs", "seconds", "positions", "player", "jobs", "cluster", "certificates", "games_file", "full", "seed")
    unused = [f"--{name.replace('_', '-')}" for name in others if getattr(args, name)]
    if args.experiment and (args.recorded or args.experiment not in reproduce.PAPERS):
        unused.append(args.experiment)
    if unused:
        raise UserError(f"--recorded counts games and plays nothing, so leave {unused[-1]} out")
    if args.picture:
        return _draw(args)
    scores = [] if args.experiment else recorded_scores(args.recorded)
    papers = [] if args.recorded else [(name, reproduce.claim_rows(name)) for name in reproduce.PAPERS]
    papers = [(name, rows) for name, rows in papers if args.experiment in (None, name)]
    if args.json:
        found = {"matches": [score.as_json() for score in scores]}
        tables = [
            {"paper": name, "rows": [row.as_json() for row in rows], "verdicts": reproduce.count_verdicts(rows)}
            for name, rows in papers
        ]
        output.print_json(found | ({"papers": tables} if papers else {}))
        return 0
    if scores:
        _print_scores(scores)
    for name, rows in papers:
        print(f"\n{name}" if scores or len(papers) > 1 else name)
        cells = [[r.claim.where, r.claim.text, r.claim.figure, r.measured.replace("*", ""), r.n, r.verdict] for r in rows]
        output.print_table(["where", "claim", "paper", "ours (95%)", "n", "verdict"], cells)
    for name, rows in papers:
        print(f"{name}: {reproduce.verdicts_text(reproduce.count_verdicts(rows))}")
    return 0


def _print_scores(scores: Sequence[RecordedScore]) -> None:
    columns = ["file", "match", "A", "B", "games", "won", "lost", "drawn", "score of A (95%)"]
    rows = [
        [one.file, one.match, one.a, one.b, one.standing.games, one.standing.a_wins, one.standing.b_wins, one.standing.draws]
        for one in scores
    ]
    output.print_table(columns, [[*row, one.text] for row, one in zip(rows, scores, strict=True)], right=columns[4:])


def _draw(args: argparse.Namespace) -> int:
    """Prints and draws the scores of the games of a run of `general`."""
    from tesuji.lab.reproduce.general import cells_of_games, check_files, keep, table

    if not args.recorded or args.experiment or args.json:
        raise UserError(
            "--picture draws the games of general, and prints a table: name their file after --recorded, without --json"
        )
    check_files(args.picture, None)
    cells = cells_of_games(args.recorded)
    keep(cells, [], args.picture, None)
    print(table(cells))
    return 0


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

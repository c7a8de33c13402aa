"""Tell makers of games how a game plays: who is favoured, how long it lasts, how much choice there is, when it is decided.

Plays games of random moves and games of a player against itself. A position is decided when the game is over or the search
proves its result. Ctrl-C shows the report of the games so far. See docs/report.md.

JSON: game, player, playouts, seconds, cpu, seed, interrupted, svg, random, search. The last two have games, first_player
(score, low, high, wins, draws, losses) and draws, or for a puzzle score (mean, min, lower_quartile, median, upper_quartile,
max); and length (as score), branching (mean, max), over_by_ply, decided_by_ply (share of the games after 0, 1, 2 ... moves).
"""

from __future__ import annotations

import argparse
import statistics
import sys
from typing import TYPE_CHECKING

from tesuji.cli import options, output
from tesuji.core.limits import Limits

if TYPE_CHECKING:
    from tesuji.lab.report import GameReport, Play

SUMMARY = "balance, length and choice of a game, for those who make games"
DEFAULT_GAMES = 100
SHOWN_PLIES = 10  # rows of the table by ply


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help=options.GAME_HELP)
    parser.add_argument(
        "--games", type=options.count, default=DEFAULT_GAMES, metavar="N", help=f"games of each kind ({DEFAULT_GAMES})"
    )
    parser.add_argument("--workers", type=options.count, metavar="N", help="games at a time (as many as processors)")
    parser.add_argument("--svg", metavar="FILE", help="draw a picture of the report there")
    options.add_common(parser)
    options.add_player(parser)


def run(args: argparse.Namespace) -> int:
    if args.svg is not None:
        from tesuji.core.files import check_can_write
        from tesuji.lab.report_picture import PICTURE_FILE

        check_can_write(args.svg, PICTURE_FILE)
    game = options.read_game(args.game)
    player, limits = options.read_player(args, game, "measure")
    from tesuji.lab.report import DEFAULT_LIMITS, make_report

    limits = DEFAULT_LIMITS if limits == Limits() else limits
    with output.Progress(f"report {game.name}", total=1.0) as progress:
        shown = progress.update if progress.is_shown else None
        report = make_report(game, player, args.games, limits, args.seed or 0, args.workers, shown)
    if report.interrupted:
        output.note("interrupted; this is the report of the games so far")
    if args.json:
        drawn = None
        try:
            drawn = _draw(report, args.svg)
        finally:  # a picture that cannot be written does not cost the report
            output.print_json({**report.as_json(), "svg": drawn})
        return 0
    _show(report)
    sys.stdout.flush()
    if _draw(report, args.svg) is not None:
        print(f"picture: {args.svg}")
    return 0


def _draw(report: GameReport, path: str | None) -> str | None:
    """Writes the picture, if one is asked for; returns the path."""
    if path is not None:
        from tesuji.core.files import write_file
        from tesuji.lab.report_picture import PICTURE_FILE, picture

        write_file(path, picture(report).encode(), PICTURE_FILE)
    return path


# -- text ------------------------------------------------------------------------------------------------------------------
def _show(report: GameReport) -> None:
    print(f"{report.game.name}; search: {report.player}, {report.limits_text} a move\n")
    names = [name for name, _play in report.plays]
    columns = [_column(report, play) for _name, play in report.plays]
    rows = [[title, *(column[title] for column in columns)] for title in columns[0]]
    output.print_table(["", *names], rows, right=names)
    print()
    _show_plies(report)
    for line in _conclusions(report):
        print(line)


def _column(report: GameReport, play: Play) -> dict[str, str]:
    from tesuji.lab.report import five_numbers

    least, lower, median, upper, most = five_numbers(play.lengths)
    mean_choice, most_choice = play.branching
    shape = {
        "length, mean": f"{statistics.mean(play.lengths):.1f}",
        "length, quartiles": f"{lower:g}, {median:g}, {upper:g}",
        "shortest, longest": f"{least}, {most}",
        "legal moves, mean": f"{mean_choice:.1f}",
        "legal moves, most": f"{most_choice}",
    }
    if report.is_puzzle:
        least, lower, median, upper, most = five_numbers(play.points)
        result = {
            "score, mean": f"{statistics.mean(play.points):.1f}",
            "score, quartiles": f"{lower:g}, {median:g}, {upper:g}",
            "lowest, highest": f"{least:g}, {most:g}",
        }
    else:
        low, high = play.score_interval
        result = {
            "first player's score": f"{100 * play.score:.1f}%",
            "95% interval": f"{100 * low:.1f} .. {100 * high:.1f}%",
            "draws": f"{100 * play.draws:.1f}%",
        }
    return {"games": str(len(play.played)), **result, **shape}


def _show_plies(report: GameReport) -> None:
    """The share of the games that are over, and decided, after so many moves."""
    step = max(1, -(-report.longest // SHOWN_PLIES))
    curves = [(f"over, {name}", play.share_over) for name, play in report.plays]
    if report.proves and report.by_search.played:
        curves.append(("decided, search", report.by_search.share_decided))
    plies = [*range(0, report.longest, step), report.longest]
    columns = ["after moves", *(title for title, _share in curves)]
    rows = [[ply, *(f"{100 * share(ply):.0f}%" for _title, share in curves)] for ply in plies]
    output.print_table(columns, rows, right=columns)
    print()


def _conclusions(report: GameReport) -> list[str]:
    """What the figures say, in words, and only as far as they say it."""
    play = report.by_search
    if not play.played:
        return []
    lines = []
    if not report.is_puzzle:
        low, high = play.score_interval
        who = "the first player is" if low > 0.5 else "the second player is" if high < 0.5 else "neither player is clearly"
        lines.append(f"With search {who} favoured.")
    if report.proves:
        half, most = play.decided_by(0.5), play.decided_by(0.9)
        median = statistics.median(play.lengths)
        moves = "move" if half == 1 else "moves"
        lines.append(
            f"Half of its games are decided after {half} {moves}, 90% after {most}; their median length is {median:g}."
        )
    return lines

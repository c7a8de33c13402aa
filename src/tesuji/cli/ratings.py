"""Compute the Elo of all players in match files, with 95% intervals, by maximum likelihood.

The model is Bradley and Terry's, with a draw as half a win. Ratings of groups that no game connects cannot be
compared. JSON: game, games, players (player, group, elo, low, high, games, wins, draws, losses, score), colour (elo, low,
high), virtual_draws (by group).
"""

from __future__ import annotations

import argparse
from typing import Any

from tesuji.cli import options, output
from tesuji.core.errors import UserError
from tesuji.core.files import real_path

SUMMARY = "Elo of all players in match files"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="match files, of one game")
    parser.add_argument("--anchor", metavar="PLAYER", help="the player whose Elo is 0 (default: the mean of all)")
    parser.add_argument("--colour", action="store_true", help="also estimate the advantage of moving first")
    parser.add_argument(
        "--prior", type=_draws, metavar="N", help="virtual draws for each pair who met (0; 1 where ratings would be infinite)"
    )
    options.add_common(parser, seed=None)


def run(args: argparse.Namespace) -> int:
    from tesuji.lab.elo import elo_text
    from tesuji.lab.match.store import read_results
    from tesuji.lab.ratings import rate

    games = set()
    results = []
    for path in {real_path(path): path for path in args.files}.values():  # a file that is named twice counts once
        game, found = read_results(path)
        games.add(game)
        results += found
    if len(games) > 1:
        raise UserError(f"these files are of different games: {', '.join(sorted(games))}; rate each by itself")
    if not results:
        raise UserError(f"no game is finished yet in {' '.join(args.files)}")
    ratings = rate(results, args.colour, args.prior, args.anchor)
    if args.json:
        colour = {"elo": ratings.colour, "low": ratings.colour_low, "high": ratings.colour_high} if args.colour else None
        players = [rating.as_json() for rating in ratings.players]
        values: dict[str, Any] = {"game": games.pop(), "games": len(results), "players": players, "colour": colour}
        output.print_json({**values, "virtual_draws": ratings.virtual})
        return 0
    columns = ["group", "player", "Elo", "95%", "games", "wins", "draws", "losses", "score"]
    rows: list[list[object]] = []
    for r in ratings.players:
        interval = f"{elo_text(r.low)} .. {elo_text(r.high)}"
        rows.append([r.group, r.player, elo_text(r.elo), interval, r.games, r.wins, r.draws, r.losses, f"{r.score:.1%}"])
    several = ratings.players[-1].group > 1
    output.print_table(columns[not several :], [row[not several :] for row in rows], right=("Elo", "95%", *columns[4:]))
    print()
    against = f"Elo of {args.anchor} is 0" if args.anchor else "the mean Elo is 0"
    print(f"{games.pop()}, {len(results)} games; {against}" + ("; groups have not met" if several else ""))
    if ratings.colour is not None:
        low, high = elo_text(ratings.colour_low), elo_text(ratings.colour_high)
        print(f"moving first is worth {elo_text(ratings.colour)} Elo (95%: {low} .. {high})")
    for group, draws in ratings.virtual.items():
        whose = f"of group {group} " if several else ""
        why = "as requested" if args.prior is not None else "without them the likeliest ratings would be infinite"
        print(f"with {draws:g} virtual draw{'' if draws == 1 else 's'} for each two players {whose}who met: {why}")
    return 0


def _draws(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0 <= value <= 1000:
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of virtual draws: 0 to 1000")

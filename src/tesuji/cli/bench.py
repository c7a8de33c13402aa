"""Measure the speed of this machine: playouts and simulations a second for each game and player.

JSON: results (game, player, threads, playouts_per_second, simulations_per_second, clock, repeats). With --signature
nothing is timed: it prints a hash of fixed searches, which changes if the search does anything differently.
JSON then: signature, searches (game, player, signature).
"""

from __future__ import annotations

import argparse

from tesuji.cli import options, output
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.games.registry import ENTRIES

SUMMARY = "measure speed; --signature shows whether the search is unchanged"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", metavar="GAME", nargs="*", help="games to measure (all); " + options.GAME_HELP)
    parser.add_argument("--signature", action="store_true", help="print a hash of fixed searches instead")
    parser.add_argument(
        "--repeats", type=options.count, default=3, metavar="N", help="number of measurements; the median is shown (3)"
    )
    options.add_common(parser)
    options.add_player(parser)


def run(args: argparse.Namespace) -> int:
    if args.signature:
        return _signature(args, args.games or [entry.small or entry.example for entry in ENTRIES])
    names = args.games or [entry.example for entry in ENTRIES]
    if args.playouts is not None:
        raise UserError("bench measures by time: give --seconds or --cpu, the time of each measurement, instead of --playouts")
    if args.seconds is not None and args.cpu is not None:
        raise UserError("give either --seconds or --cpu, the time of each measurement")
    args.game = names[0]  # an error in the user's own game names its file
    games = [options.read_game(name) for name in names]
    from tesuji.lab.bench import measure

    speeds = []
    with output.Progress("bench", total=len(games)) as progress:
        for number, game in enumerate(games):
            progress.update(number, game.name)
            args.game = names[number]
            player, limits = options.read_player(args, game, "measure")
            try:
                seconds = limits.cpu or limits.seconds or 1.0
                speeds.append(measure(game, player, seconds, args.repeats, args.seed or 0, limits.cpu is not None))
            except KeyboardInterrupt:
                if not speeds:
                    raise
                output.note(f"interrupted; {len(games) - len(speeds)} of {len(games)} games were not measured")
                break
    if args.json:
        output.print_json({"results": [speed.as_json() for speed in speeds]})
        return 0
    columns = ["game", "player", "threads", "playouts/s", "simulations/s", "clock"]
    rows = [
        [s.game, s.player, s.threads, f"{s.playouts_per_second:,.0f}", f"{s.simulations_per_second:,.0f}", s.clock]
        for s in speeds
    ]
    output.print_table(columns, rows, right=("threads", "playouts/s", "simulations/s"))
    return 0


def _signature(args: argparse.Namespace, names: list[str]) -> int:
    """The searches are fixed, so everything that would change them is refused."""
    limits = options.read_limits(args)
    if args.player or options.given_parameters(args) or limits != Limits() or args.seed is not None:
        raise UserError("--signature runs fixed searches: it takes games, but no player, parameters, limits or seed")
    from tesuji.lab.signature import players_of, signatures, total

    games = [options.read_game(name) for name in names]
    parts: list[tuple[str, str, str]] = []
    with output.Progress("signature", total=sum(len(players_of(game)) for game in games)) as progress:
        for part in signatures(games):
            parts.append(part)
            progress.update(len(parts), f"{part[0]} {part[1]}")
    if args.json:
        listed = [{"game": name, "player": player, "signature": digest} for name, player, digest in parts]
        output.print_json({"signature": total(parts), "searches": listed})
    else:
        for name, player, digest in parts:
            print(f"{digest}  {name} {player}")
        print(f"{total(parts)}  all")
    return 0

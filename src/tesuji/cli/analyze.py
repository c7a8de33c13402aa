"""Search a position and show its moves: visits, value for the player to move, proven bounds and line of play.

JSON: game, to_move, playouts, seconds, best_move, value, lower, upper, moves (move, visits, value, prior, rave, lower,
upper, pv), and nodes, proven, interrupted, player, seed. Values and bounds are outcomes for the first player.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tesuji.cli import options, output
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.search.engine import Result, Search

SUMMARY = "search a position and show moves, values, bounds and lines"
DEFAULT_SECONDS = 1.0


def add_options(parser: argparse.ArgumentParser) -> None:
    options.add_position(parser, optional_game=True)
    parser.add_argument("--top", type=options.count, default=12, metavar="N", help="moves to show in the table (12)")
    parser.add_argument("--save", metavar="FILE", help="save the search, to be continued with --load")
    parser.add_argument("--load", metavar="FILE", help="continue a saved search; the game and position are the file's")
    options.add_common(parser)
    options.add_player(parser)


def run(args: argparse.Namespace) -> int:
    options.check_can_write(args.save)
    search, player, limits = _continued(args) if args.load else _fresh(args)
    from tesuji.cli.searching import run_search, say_why_stopped

    if limits == Limits():
        limits = Limits(seconds=DEFAULT_SECONDS)
    result = run_search(search, limits, f"analyze {search.game.name}")
    if args.save:
        search.save(args.save)
    if args.json:
        output.print_json(_json(search, result, player, args))
    else:
        _show(search, result, args.top)
        say_why_stopped(result)
        if args.save:
            print(f"saved: {args.save}")
    return 0


def _fresh(args: argparse.Namespace) -> tuple[Search, str, Limits]:
    if args.game is None:
        raise UserError("which game? name one, as in 'tesuji analyze connect4:7x6', or give --load FILE")
    game = options.read_game(args.game)
    state, _moves = options.read_position(game, args.moves)
    player, settings, limits = options.read_player(args)
    from tesuji.search.engine import Search

    return Search(game, state, settings, seed=args.seed or 0), player, limits


def _continued(args: argparse.Namespace) -> tuple[Search, str, Limits]:
    """The saved search. What the file already says (position, player, parameters, seed) cannot be said again otherwise."""
    named = {"--moves": args.moves, "--player": args.player, "--seed": args.seed}
    named |= {f"--{name.replace('_', '-')}": value for name, value in options.given_parameters(args).items()}
    clash = [option for option, value in named.items() if value is not None]
    if clash:
        raise UserError(f"{', '.join(clash)} cannot go with --load: the saved search continues as it was begun")
    from tesuji.search.engine import Search

    search = Search.load(args.load)
    if args.game is not None:
        asked = options.read_game(args.game)
        if not _same_game(asked, search.game):
            raise UserError(f"{args.load} is a search of {search.game.name}, not of {asked.name}; leave the game out")
    return search, "", Limits(args.seconds, args.playouts)


def _same_game(a: Game, b: Game) -> bool:
    """Whether two strings named one game; the path to a user's file may be written in many ways."""
    same_file = a.source and a.source == b.source and a.name.rpartition(":")[2] == b.name.rpartition(":")[2]
    return bool(a.name == b.name or same_file)


def _json(search: Search, result: Result, player: str, args: argparse.Namespace) -> dict:
    from tesuji.cli.results import move_text, moves_json

    game, state = search.game, search.state
    return {
        "game": game.name,
        "to_move": game.player_names[result.to_move],
        "playouts": result.playouts,
        "seconds": result.seconds,
        "best_move": move_text(game, state, result.best_move),
        "value": result.value,
        "lower": result.lower,
        "upper": result.upper,
        "moves": moves_json(game, state, result.moves),
        "nodes": result.nodes,
        "proven": result.proven,
        "interrupted": result.interrupted,
        "full": result.full,
        "player": player or None,
        "seed": None if args.load else args.seed or 0,
        "saved": args.save,
    }


def _show(search: Search, result: Result, top: int) -> None:
    from tesuji.cli import results

    game, state = search.game, search.state
    print(game.drawing(state))
    print()
    columns, rows = results.move_rows(game, state, result, top)
    output.print_table(columns, rows, right=("visits", "value", "bounds"))
    more = len(result.moves) - top
    if more > 0:
        print(f"... and {more} more")
    print()
    best = results.move_text(game, state, result.best_move)
    value = results.value_text(game, result.value, result.to_move)
    print(f"{game.player_names[result.to_move]} to move: {best}, {value}")
    proof = results.bounds_text(game, result.lower, result.upper)
    if proof:
        print(f"proven: {proof}")
    print(f"{result.playouts:,} playouts, {result.nodes:,} nodes, {result.seconds:.2f} s")

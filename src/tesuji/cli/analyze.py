"""Search a position and show its moves: visits, value for the player to move, proven bounds and line of play.

JSON: game, to_move, playouts, seconds, best_move, value, lower, upper, moves (move, visits, value, prior, rave, lower,
upper, pv), and nodes, proven, interrupted, player, seed. Values and bounds are outcomes for the first player.

With --jsonl requests come in on stdin, one JSON object a line, and answers with the same keys and the request's id go out
as they finish; the other options are then what holds for requests that do not say otherwise. See docs/sgf.md for records
of games and docs/jsonl.md for requests.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tesuji.cli import options, output
from tesuji.core.errors import UserError
from tesuji.core.files import check_can_write
from tesuji.core.limits import Limits

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.io.sgf.record import Record
    from tesuji.search.engine import Result, Search
    from tesuji.search.origin import Origin

SUMMARY = "search a position and show moves, values, bounds and lines"
DEFAULT_SECONDS = 1.0


def add_options(parser: argparse.ArgumentParser) -> None:
    options.add_position(parser, optional_game=True)
    parser.add_argument("--sgf", metavar="FILE", help="a game record; its game is the file's unless GAME is given")
    parser.add_argument(
        "--at", type=options.move_number, metavar="N", help="the position after N moves of the record (its end)"
    )
    parser.add_argument("--game-index", type=options.count, metavar="N", help="which game of the record's file, from 1 (1)")
    parser.add_argument("--top", type=options.count, default=12, metavar="N", help="moves to show in the table (12)")
    parser.add_argument("--save", metavar="FILE", help="save the search, to be continued with --load")
    parser.add_argument("--load", metavar="FILE", help="continue a saved search; name GAME too if it is a game of your own")
    parser.add_argument("--jsonl", action="store_true", help="answer requests that come as JSON lines on stdin")
    parser.add_argument("--workers", type=options.count, metavar="N", help="searches at the same time, with --jsonl (1)")
    options.add_common(parser)
    options.add_player(parser)


def run(args: argparse.Namespace) -> int:
    _refuse_what_does_not_fit(args)
    if args.jsonl:
        return _serve(args)
    if args.save is not None:
        from tesuji.search.saved import SAVED

        check_can_write(args.save, SAVED)
    search, player, limits = _continued(args) if args.load is not None else _fresh(args)
    if args.save is not None:
        from tesuji.search.saved import check_can_save

        check_can_save(search, args.save)
    from tesuji.cli.searching import run_search, say_why_stopped

    if limits == Limits():
        limits = Limits(seconds=DEFAULT_SECONDS)
    result = run_search(search, limits, f"analyze {search.game.name}")
    if args.json:
        _print_json(search, result, player, args)
        return 0
    _show(search, result, args.top)
    say_why_stopped(result)
    if args.save is not None:
        sys.stdout.flush()  # a search that cannot be saved has an answer all the same
        search.save(args.save)
        print(f"saved: {args.save}")
    return 0


def _print_json(search: Search, result: Result, player: str, args: argparse.Namespace) -> None:
    """The answer, and whether the search was saved: if that fails, the answer is printed all the same."""
    saved = None
    try:
        if args.save is not None:
            search.save(args.save)
            saved = args.save
    finally:
        output.print_json({**_json(search, result, player, args), "saved": saved})


def _refuse_what_does_not_fit(args: argparse.Namespace) -> None:
    def given(*names: str) -> list[str]:
        return [f"--{name}" for name in names if getattr(args, name.replace("-", "_")) is not None]

    if args.jsonl:
        clash, why = given("moves", "sgf", "at", "game-index", "save", "load"), "--jsonl: requests name their positions"
    elif args.load is not None:
        clash, why = given("sgf", "at", "game-index", "workers"), "--load: the saved search continues as it was begun"
    elif args.sgf is None:
        clash, why = given("at", "game-index"), "a position that is not from a file: give --sgf FILE"
    else:
        clash, why = [], ""
    if clash:
        raise UserError(f"{', '.join(clash)} cannot go with {why}")
    if args.workers is not None and not args.jsonl:
        raise UserError("--workers goes with --jsonl only; --threads sets the threads of one search")


def _fresh(args: argparse.Namespace) -> tuple[Search, str, Limits]:
    from tesuji.search.origin import Origin

    if args.sgf is not None:
        game, state, origin = _sgf_position(args)
    elif args.game is None:
        raise UserError("which game? name one, as in 'tesuji analyze connect4:7x6', or give --sgf FILE or --load FILE")
    else:
        game = options.read_game(args.game)
        state, moves = options.read_position(game, args.moves)
        origin = Origin(tuple(moves))
    player, limits = options.read_player(args, game)
    if args.save and player.alphabeta:
        raise UserError(f"the player {player.name} keeps no tree that could be saved; leave --player or --save out")
    search = player.new_search(game, state, args.seed or 0)
    search.origin = origin
    return search, player.name, limits


def _sgf_position(args: argparse.Namespace) -> tuple[Game, Any, Origin]:
    """The position of the record that is asked for, and after --moves from there."""
    import numpy as np

    from tesuji.cli.results import end_text
    from tesuji.core import rules
    from tesuji.io.sgf import load_sgf, read_record

    game = None if args.game is None else options.read_game(args.game)
    trees = load_sgf(args.sgf)
    index = args.game_index or 1
    if index > len(trees):
        raise UserError(f"{args.sgf} has no game {index}: it has {len(trees)}")
    record = read_record(trees[index - 1], args.sgf, index if len(trees) > 1 else None, game, args.at)
    for note in record.notes:
        output.note(note)
    game = record.game
    if args.at is not None and args.at > len(record.moves):
        raise UserError(f"{args.sgf}: there is no position after {args.at} moves: the game has {len(record.moves)}")
    state, origin = record.position(args.at), _origin(record, args.at)
    for number, text in enumerate(options.split_moves(game, args.moves or ""), 1):
        try:
            with np.errstate(over="ignore"):  # hashes wrap, on purpose
                move = game.parse(state, text)
                rules.play(state, move)
                origin = origin.after(move)
        except UserError as error:
            raise UserError(f"move {number} after the record's: {error}") from None
    if rules.is_over(state):
        end = end_text(game, int(rules.outcome(state)))
        raise UserError(f"{args.sgf}: the game is over in this position: {end}; --at N takes an earlier one")
    return game, state, origin


def _origin(record: Record, count: int | None) -> Origin:
    """How the position after so many moves of the record came about: from its start, or from what was set up last."""
    from tesuji.search.origin import Origin, is_same, set_up_of

    start, moves = record.start, []
    for turn in record.turns:
        if turn.move is None:
            start, moves = turn.position, []
        elif count == 0:
            break
        else:
            moves.append(turn.move)
            count = None if count is None else count - 1
    begin = None if is_same(start, record.game.start) else set_up_of(record.game, start)
    return (begin or Origin())._replace(moves=tuple(moves))


def _serve(args: argparse.Namespace) -> int:
    """Answers JSON lines until the end of input."""
    from tesuji.io.jsonl import Server
    from tesuji.io.jsonl_requests import Defaults
    from tesuji.players.presets import PLAYERS, find_player

    player = find_player(args.player, may_load=True) if args.player else PLAYERS[0]
    own = player.limits
    limits = Limits(args.seconds or own.seconds, args.playouts or own.playouts)
    defaults = Defaults(
        game=args.game,
        player=player,
        parameters=options.given_parameters(args),
        limits=limits,
        seed=args.seed or 0,
    )
    if args.game is not None:
        options.read_game(args.game)  # a wrong one is told now, not with every request
    with output.only_json(not args.json):
        Server(_stdin_reader(), output.print_json, _found, defaults, args.workers or 1).serve()
    return 0


def _stdin_reader() -> Callable[[int], bytes]:
    """Reads the descriptor itself: a buffered stream that another thread is reading cannot be closed at the end."""
    try:
        descriptor = sys.stdin.fileno()
    except (OSError, ValueError, AttributeError):  # a stream without one, or none at all
        text = io.BytesIO((sys.stdin.read() if sys.stdin else "").encode())
        return text.read
    return lambda count: os.read(descriptor, count)


def _continued(args: argparse.Namespace) -> tuple[Search, str, Limits]:
    """The saved search. What the file already says (position, player, parameters, seed) cannot be said again otherwise."""
    named = {"--moves": args.moves, "--player": args.player, "--seed": args.seed}
    given = options.given_parameters(args)
    files = {"weights": given.pop("weights")} if "weights" in given else {}
    named |= {f"--{name.replace('_', '-')}": value for name, value in given.items()}
    clash = [option for option, value in named.items() if value is not None]
    if clash:
        raise UserError(f"{', '.join(clash)} cannot go with --load: the saved search continues as it was begun")
    from tesuji.players.player import search_from
    from tesuji.search.engine import Search

    game = None if args.game is None else options.read_game(args.game)
    return Search.load(args.load, search_from, game, files), "", Limits(args.seconds, args.playouts)


def _json(search: Search, result: Result, player: str, args: argparse.Namespace) -> dict[str, Any]:
    seed = None if args.load is not None else args.seed or 0
    return {**_found(search, result), "player": player or None, "seed": seed}


def _found(search: Search, result: Result) -> dict[str, Any]:
    """What a search found, in the keys that every analysis has."""
    from tesuji.cli.results import in_points, move_text, moves_json, value_in_points

    game, state = search.game, search.state
    return {
        "game": game.name,
        "to_move": game.player_names[result.to_move],
        "playouts": result.playouts,
        "seconds": result.seconds,
        "best_move": move_text(game, state, result.best_move),
        "value": value_in_points(game, result, result.value),
        "lower": in_points(game, result.lower),
        "upper": in_points(game, result.upper),
        "moves": moves_json(game, state, result),
        "nodes": result.nodes,
        "proven": result.proven,
        "interrupted": result.interrupted,
        "full": result.full,
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
    value = results.value_text(game, result, result.value)
    print(f"{game.player_names[result.to_move]} to move: {best}, {value}")
    proof = results.bounds_text(game, result.lower, result.upper)
    if proof:
        print(f"proven: {proof}")
    print(f"{result.playouts:,} playouts, {result.nodes:,} nodes, {result.seconds:.2f} s")

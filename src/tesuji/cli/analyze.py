"""Search a position and show its moves: visits, value for the player to move, proven bounds and principal variation.

JSON: game, to_move, playouts, seconds, cpu, best_move, value (of the best move), score and score_deviation (the points by
which the first player leads, null where there are none), lower, upper, moves (move, visits, value, prior, rave, lower, upper,
score, score_deviation, pv), nodes, proven, interrupted, player, seed, and saved, tree and svg: the files, if they were written.
Values and bounds are outcomes for the first player, in points where the game counts points; a value where only winning counts
is from -1 to 1.

--svg writes the picture of the position that notebooks show.

--show shows what a game knows of the position without a search, such as connections in Hex; a wrong name lists what there is.
Without a limit nothing is searched. JSON: shown, a list of objects with what, title, marks (by point:
text, kind, player, by, why), lines, and more that depends on what is shown; without a search only game, to_move and shown.

--tree writes the tree as nested JSON objects: move, visits, value, prior, rave, lower, upper, children.

With --jsonl, requests are read from stdin, one JSON object per line, and answered on stdout with the same keys and the
request's id as they finish; the other options are then the defaults for requests. See docs/sgf.md for game records and
docs/jsonl.md for requests.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tesuji.cli import options, output
from tesuji.core.errors import UserError
from tesuji.core.files import FileKind, check_can_write, real_path, write_file
from tesuji.core.limits import Limits

if TYPE_CHECKING:
    from tesuji.core.position import Position
    from tesuji.io.sgf.record import Record
    from tesuji.knowledge.overlays import Overlay
    from tesuji.players.search import Search
    from tesuji.search.engine.tree_search import Result, TreeSearch
    from tesuji.search.report.analysis import Analysis

SUMMARY = "search a position and show moves, values, bounds and lines"
DEFAULT_SECONDS = 1.0
LONGEST_LINE = 120  # of what is shown in words
NETWORK_OPTION = f"{options.PREFIX}network"
TREE = FileKind("a tree in JSON", (b'{"game": ',), 1 << 36)


def add_options(parser: argparse.ArgumentParser) -> None:
    options.add_position(parser, optional_game=True)
    parser.add_argument("--sgf", metavar="FILE", help="take the position from a game record; GAME overrides its game")
    parser.add_argument(
        "--at", type=options.move_number, metavar="N", help="the position after N moves of the record (default: the last)"
    )
    parser.add_argument("--game-index", type=options.count, metavar="N", help="which game of the file, from 1 (1)")
    parser.add_argument("--top", type=options.count, default=12, metavar="N", help="moves to show in the table (12)")
    parser.add_argument("--save", metavar="FILE", help="save the search to continue it with --load")
    parser.add_argument("--load", metavar="FILE", help="continue a saved search; also name GAME if it is your own game")
    parser.add_argument(
        "--show",
        action="append",
        metavar="WHAT[=POINTS]",
        help="show what is known without a search, as in connections or connections=c3,d5 (docs/commands.md); may be repeated",
    )
    parser.add_argument("--tree", metavar="FILE", help="write the tree as JSON")
    parser.add_argument("--tree-depth", type=options.move_number, metavar="N", help="depth of the written tree in moves (5)")
    parser.add_argument(
        "--tree-visits", type=options.move_number, metavar="N", help="leave out nodes with fewer visits (a thousandth of all)"
    )
    parser.add_argument("--svg", metavar="FILE", help="write a picture of the position as SVG")
    parser.add_argument("--jsonl", action="store_true", help="answer requests in JSON lines from stdin")
    parser.add_argument("--workers", type=options.count, metavar="N", help="searches in parallel, with --jsonl (1)")
    options.add_common(parser)
    options.add_player(parser)


def run(args: argparse.Namespace) -> int:
    _refuse_what_does_not_fit(args)
    if args.jsonl:
        return _serve(args)
    if args.save is not None:
        from tesuji.search.files.saved_search import SAVED

        check_can_write(args.save, SAVED)
    if args.tree is not None:
        check_can_write(args.tree, TREE)
    if args.svg is not None:
        from tesuji.core.picture.svg import BOARD_FILE

        check_can_write(args.svg, BOARD_FILE)
    network = _network_to_show(args)
    search, limits = _continued(args) if args.load is not None else _fresh(args, network)
    if args.save is not None:
        from tesuji.search.files.saved_search import check_can_save

        check_can_save(search.tree_search("the search cannot be saved"), args.save)
    overlays = _overlays(search, args, network)
    if overlays and limits == Limits() and args.save is None and args.tree is None:
        _print_overlays(search.position, overlays, args.json)
        return 0
    from tesuji.cli.searching import run_analysis, say_why_stopped

    if limits == Limits():
        limits = Limits(seconds=DEFAULT_SECONDS)
    found = run_analysis(search, limits, f"analyze {search.position.game.name}")
    if args.json:
        _print_json(search, found, overlays, args)
        return 0
    if overlays:
        _print_overlays(search.position, overlays, False)
        print()
    _show(found, args.top)
    say_why_stopped(found)
    sys.stdout.flush()  # what cannot be written has an answer all the same
    for path in _write_files(search, args):
        print(f"saved: {path}")
    return 0


def _network_to_show(args: argparse.Namespace) -> str | None:
    """The file of --network, taken from the player's parameters, if it is to be shown: the player need not have that one."""
    named = getattr(args, NETWORK_OPTION, None)
    if named is None or "network" not in (args.show or []):
        return None
    setattr(args, NETWORK_OPTION, None)
    return named


def _overlays(search: Search, args: argparse.Namespace, network: str | None) -> list[Overlay]:
    if not args.show:
        return []
    from tesuji.knowledge.overlays import NETWORK, SHIPPED, overlay

    position = search.position
    if network is None:
        network = SHIPPED if args.load is not None else search.player.network_for(position.game)
    if network is None and NETWORK in args.show:
        raise UserError(f"--show network: {search.player.name} asks an evaluator of its own; name a network by --network FILE")
    return [overlay(position.game, position.state, request, network=network or SHIPPED) for request in args.show]


def _print_overlays(position: Position, overlays: Sequence[Overlay], as_json: bool) -> None:
    """Prints what --show names, without a search."""
    if as_json:
        output.print_json(
            {"game": position.game.name, "to_move": position.to_move, "shown": _overlays_json(position, overlays)}
        )
        return
    for number, one in enumerate(overlays):
        print("\n" * (number > 0) + one.title)
        print(one.drawing)
        for line in one.lines:
            print(textwrap.fill(line, LONGEST_LINE, subsequent_indent="  ", break_on_hyphens=False))


def _overlays_json(position: Position, overlays: Sequence[Overlay]) -> list[dict[str, Any]]:
    return [one.to_json(position.game) for one in overlays]


def _print_json(search: Search, found: Analysis, overlays: Sequence[Overlay], args: argparse.Namespace) -> None:
    """The answer, and which files were written. If writing fails, the answer is printed all the same."""
    written = []
    loaded = args.load is not None
    named = {"player": None if loaded else search.player.name, "seed": None if loaded else search.seed}
    try:
        written += _write_files(search, args)
    finally:
        wanted = (("saved", args.save), ("tree", args.tree), ("svg", args.svg))
        files = {name: path if path in written else None for name, path in wanted}
        more = {"shown": _overlays_json(search.position, overlays)} if overlays else {}
        output.print_json({**found.to_json(), **more, **named, **files})


def _write_files(search: Search, args: argparse.Namespace) -> Iterator[str]:
    """Writes the files of the options, and notes each one when it is written."""
    if args.save is not None:
        search.save(args.save)
        yield args.save
    if args.tree is not None:
        from tesuji.search.report.nodes import DEPTH

        tree = search.tree.to_json(DEPTH if args.tree_depth is None else args.tree_depth, args.tree_visits)
        write_file(args.tree, json.dumps(output.plain(tree), allow_nan=False).encode() + b"\n", TREE)
        yield args.tree
    if args.svg is not None:
        from tesuji.core.picture.svg import BOARD_FILE, svg_of

        write_file(args.svg, svg_of(search.position).encode(), BOARD_FILE)
        yield args.svg


def _refuse_what_does_not_fit(args: argparse.Namespace) -> None:
    def given(*names: str) -> list[str]:
        return [f"--{name}" for name in names if getattr(args, name.replace("-", "_")) is not None]

    if args.jsonl:
        names = ("moves", "sgf", "at", "game-index", "save", "load", "tree", "svg", "show")
        clash, why = given(*names), "--jsonl: requests name their positions"
    elif args.load is not None:
        clash, why = given("sgf", "at", "game-index", "workers"), "--load: the saved search continues as it was begun"
    elif args.sgf is None:
        clash, why = given("at", "game-index"), "a position that is not from a file: give --sgf FILE"
    else:
        clash, why = [], ""
    if clash:
        raise UserError(f"{', '.join(clash)} cannot go with {why}")
    if args.tree is None and given("tree-depth", "tree-visits"):
        raise UserError(f"{', '.join(given('tree-depth', 'tree-visits'))} goes with --tree FILE")
    files = [(f"--{name}", getattr(args, name)) for name in ("save", "tree", "svg") if getattr(args, name) is not None]
    for (option, path), (other, other_path) in itertools.combinations(files, 2):
        if real_path(path) == real_path(other_path):
            raise UserError(f"{option} and {other} both name {path}: name two files")
    if args.workers is not None and not args.jsonl:
        raise UserError("--workers goes with --jsonl only; --threads sets the threads of one search")


def _fresh(args: argparse.Namespace, network: str | None) -> tuple[Search, Limits]:
    if args.sgf is not None:
        position = _sgf_position(args)
    elif args.game is None:
        raise UserError("which game? name one, as in 'tesuji analyze connect4:7x6', or give --sgf FILE or --load FILE")
    else:
        position = options.read_position(options.read_game(args.game), args.moves)
    player, limits = options.read_player(args, position.game, "analyze")
    if network is not None and "network" in player.settings_for(position.game):
        player = player.changed({"network": network})
    for option, path in (("--save", args.save), ("--tree", args.tree)):
        if path and player.alphabeta:
            raise UserError(f"the player {player.name} keeps no tree that could be saved; leave --player or {option} out")
    return player.search(position, args.seed or 0), limits


def _sgf_position(args: argparse.Namespace) -> Position:
    """The position of the record that --at names, and after --moves from there."""
    from tesuji.core import rules
    from tesuji.core.words import end_text
    from tesuji.io.sgf import load_sgf, read_record

    game = None if args.game is None else options.read_game(args.game)
    trees = load_sgf(args.sgf)
    index = args.game_index or 1
    if index > len(trees):
        raise UserError(f"{args.sgf} has no game {index}: it has {len(trees)}")
    record = read_record(trees[index - 1], args.sgf, index if len(trees) > 1 else None, game, args.at, own_rules=True)
    for note in record.notes:
        output.note(note)
    game = record.game
    if args.at is not None and args.at > len(record.moves):
        raise UserError(f"{args.sgf}: there is no position after {args.at} moves: the game has {len(record.moves)}")
    position = _position_of(record, args.at).play(*options.split_moves(game, args.moves or ""))
    if position.is_over:
        end = end_text(game, int(rules.outcome(position.state)))
        raise UserError(f"{args.sgf}: the game is over in this position: {end}; --at N takes an earlier one")
    return position


def _position_of(record: Record, count: int | None) -> Position:
    """The position after so many moves of the record, counted from its start or from the last position set up in it."""
    from tesuji.core.position import Position

    begin, moves = record.start, []
    for turn in record.turns:
        if turn.move is None:
            begin, moves = turn.position, []
        elif count == 0:
            break
        else:
            moves.append(turn.move)
            count = None if count is None else count - 1
    return Position(record.game, begin).after(moves)


def _serve(args: argparse.Namespace) -> int:
    """Answers JSON lines until the end of input."""
    from tesuji.io.jsonl import JsonLinesServer
    from tesuji.io.jsonl_requests import Defaults
    from tesuji.players.presets import find_player

    player = find_player(args.player, may_load=True) if args.player else None
    own = player.limits if player else Limits()
    limits = own.overridden(options.read_limits(args))
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
        JsonLinesServer(_stdin_reader(), output.print_json, _found, defaults, args.workers or 1).serve()
    return 0


def _stdin_reader() -> Callable[[int], bytes]:
    """Reads from the descriptor: a buffered stream could not be closed at the end while another thread reads it."""
    try:
        descriptor = sys.stdin.fileno()
    except (OSError, ValueError, AttributeError):  # a stream without one, or none at all
        text = io.BytesIO((sys.stdin.read() if sys.stdin else "").encode())
        return text.read
    return lambda count: os.read(descriptor, count)


def _continued(args: argparse.Namespace) -> tuple[Search, Limits]:
    """The saved search. Options that would change what the file holds (position, player, parameters, seed) are refused."""
    named = {"--moves": args.moves, "--player": args.player, "--seed": args.seed}
    given = options.given_parameters(args)
    files = {"weights": given.pop("weights")} if "weights" in given else {}
    memory = given.pop("memory", None)
    named |= {f"--{name.replace('_', '-')}": value for name, value in given.items()}
    clash = [option for option, value in named.items() if value is not None]
    if clash:
        raise UserError(f"{', '.join(clash)} cannot go with --load: the saved search continues as it was begun")
    from tesuji.api.naming import load

    search = load(args.load, args.game, memory=memory, **files)
    if count := search.engine.bounds_left_out:
        output.note(f"{args.load} has {count:,} bounds that do not follow from its tree; they are left out, to be proven again")
    return search, options.read_limits(args)


def _found(search: TreeSearch, result: Result) -> dict[str, Any]:
    """The result of a request's search."""
    from tesuji.core.position import Position
    from tesuji.search.report.analysis import analysis_of

    return analysis_of(Position(search.game, search.state), result).to_json()


def _show(found: Analysis, top: int) -> None:
    from tesuji.search.report.analysis import COLUMNS, NUMBERS

    print(found.position)
    print()
    output.print_table(COLUMNS, found.rows(top), right=NUMBERS)
    more = len(found.moves) - top
    if more > 0:
        print(f"... and {more} more")
    print()
    print(f"{found.position.to_move} to move: {found.best}, {found.shown(found)}")
    if found.proof:
        print(f"proven: {found.proof}")
    from tesuji.core.words import counted

    print(f"{counted(found.playouts, 'playout')}, {counted(found.nodes, 'node')}, {found.seconds:.2f} s")

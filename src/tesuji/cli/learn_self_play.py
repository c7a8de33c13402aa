"""`tesuji learn network GAME --self-play --run FOLDER`: learning by self-play, from the rules alone (lab/self_play/).

JSON: game, folder, network, report, games, seconds, interrupted, rounds (round, games, positions, proven, network, top1,
value_right, nats, value_nats, calibration, score, score_low, score_high, match_games, better, elo, elo_interval,
games_a_second, positions_a_second, seconds).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Any

from tesuji.cli import interrupts, output
from tesuji.core.errors import UserError
from tesuji.core.parameters import parse_assignments

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.lab.self_play.players import PlaysGames
    from tesuji.lab.self_play.run import SelfPlayRun
    from tesuji.lab.self_play.store import Round
    from tesuji.learn.records import RecordedGame

DEFAULT_HOURS = 8.0
NAMED = ("sizes", "batch", "rate", "value_weight", "seed")
NOT_HERE = ("blocks", "channels", "numbers", "steps")  # options of learning from records
SHOW_SECONDS = 0.5


def learn_by_self_play(args: argparse.Namespace) -> int:
    from tesuji.games.registry import find_game
    from tesuji.lab.processors import processors
    from tesuji.lab.self_play.plan import make_plan
    from tesuji.lab.self_play.run import SelfPlayFolder, open_self_play
    from tesuji.lab.self_play.store import read_run
    from tesuji.learn.network.games import network_game

    for name in NOT_HERE:
        if getattr(args, name) is not None:
            raise UserError(f"--{name} is for learning from records, not for --self-play")
    if args.set == "help":
        return _list_parameters(args)
    game = network_game(find_game(args.game))
    folder = SelfPlayFolder(args.folder)
    kept = read_run(folder.base)
    named = {name: getattr(args, name) for name in NAMED if getattr(args, name) is not None}
    plan = make_plan(game, None if kept is None else kept.plan, named, parse_assignments(args.set or ""))
    workers = args.workers or processors()
    stop = Event()  # what is under way is saved
    threads, players = args.threads or workers, _cluster_players(args)
    with open_self_play(folder, game, plan, workers, threads, output.note, players) as run:
        if not run.has_begun:
            run.begin(_records(args, game), args.begin_with)
        elif args.files:
            raise UserError(f"{args.folder} holds a run already, whose records are in it: leave RECORDS out")
        with _view() as show, interrupts.stopping(stop.set):
            done = run.run(_budget(args), stop.is_set, show)
        _report(args, run.plan.game, run.folder, run.rounds, run.seconds, interrupted=not done)
    return 0 if done else interrupts.exit_code()


def _cluster_players(args: argparse.Namespace) -> PlaysGames | None:
    if args.cluster is None:
        return None
    from tesuji.lab.cluster.connection import connect
    from tesuji.lab.cluster.network_play import ClusterPlayers

    return ClusterPlayers(connect(args.cluster, args.workers), output.note)


def _list_parameters(args: argparse.Namespace) -> int:
    """`--set help`: what can be set."""
    from tesuji.core.parameters import Parameter
    from tesuji.lab.self_play.plan import SELF_PLAY

    columns = ["parameter", "default", "range", "meaning"]
    found = [(one.name, Parameter.format(one.default), one.range_text, one.meaning) for one in SELF_PLAY.all().values()]
    if args.json:
        output.print_json({"parameters": [dict(zip(columns, row, strict=True)) for row in found]})
    else:
        output.print_table(columns, found)
    return 0


def show_report(args: argparse.Namespace) -> int:
    """`tesuji learn network FOLDER --report`: how a run went, or goes."""
    from tesuji.core.files import write_file
    from tesuji.lab.self_play.run import SelfPlayFolder
    from tesuji.lab.self_play.standing import picture
    from tesuji.lab.self_play.store import read_run
    from tesuji.learn.network.picture import PICTURE_FILE

    folder = SelfPlayFolder(args.folder or args.game)
    kept = read_run(folder.base)
    if kept is None:
        raise UserError(f"{folder.path} holds no run of self-play to report on")
    write_file(folder.report, picture(kept.plan.game, kept.rounds).encode(), PICTURE_FILE)
    _report(args, kept.plan.game, folder, kept.rounds, kept.seconds, interrupted=False)
    return 0


def _budget(args: argparse.Namespace) -> float:
    if args.minutes is not None:
        return 60.0 * args.minutes
    return 3600.0 * (args.hours if args.hours is not None else DEFAULT_HOURS)


def _records(args: argparse.Namespace, game: Game) -> list[RecordedGame]:
    """The games of the records to begin with, on boards of the game's own size."""
    if not args.files:
        return []
    from tesuji.cli.learn import read

    collection = read(game, args.files, any_size=False, even_only=True)
    for line in collection.refused:
        output.note(f"left out: {line}")
    if not collection.games:
        raise UserError("there is no game in the records that can be learned from")
    return collection.games


# -- what a person sees --------------------------------------------------------------------------------------------------------
@contextmanager
def _view() -> Iterator[Callable[[SelfPlayRun], None]]:
    """Shows the run on stderr while a person watches."""
    if not output.is_terminal(sys.stderr):
        yield lambda _run: None
        return
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    from tesuji.core.tables import TablePart, plain_table
    from tesuji.lab.self_play.standing import view

    shown = 0.0
    with Live(console=Console(stderr=True, highlight=False), auto_refresh=False, transient=True) as live:

        def show(run: SelfPlayRun) -> None:
            nonlocal shown
            if time.monotonic() - shown >= SHOW_SECONDS:
                shown = time.monotonic()
                parts = [plain_table(*part) if isinstance(part, TablePart) else part for part in view(run)]
                live.update(Group(*(Text(part, no_wrap=True, overflow="ellipsis") for part in parts)), refresh=True)

        yield show


def _report(args: argparse.Namespace, game: str, folder: Any, rounds: list[Round], seconds: float, interrupted: bool) -> None:
    from tesuji.lab.match.standing import duration
    from tesuji.lab.self_play.standing import round_rows, table

    network = str(folder.network) if folder.network.exists() else None
    games = rounds[-1].end if rounds and rounds[-1].size else rounds[-1].first if rounds else 0
    if args.json:
        facts = {"game": game, "folder": str(folder.path), "network": network, "report": str(folder.report), "games": games}
        output.print_json({**facts, "seconds": seconds, "interrupted": interrupted, "rounds": round_rows(rounds)})
        return
    part = table(rounds, None)
    if part.rows:
        output.print_table(part.columns, part.rows, right=part.right)
    print(f"{games:,} games learned from in {duration(seconds)}; {folder.report}: how it went")
    if network is None:
        length = "--hours" if args.minutes is None else "--minutes"
        print(f"no network has won its match yet: the run goes on with the same command and a longer {length}")
    else:
        print(f"{network}: the best network; play against it with: tesuji play {game} --network {folder.path}")

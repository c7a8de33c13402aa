"""`tesuji learn network GAME RECORDS... --run FOLDER` learns a network from game records, with PyTorch.

Everything is kept in the folder: the games, a checkpoint every half minute, the network as last measured, and a picture of how
it learned. The same command, or one without RECORDS, goes on where the run was, also after it was killed; a longer time makes
it go on after its end. Every twelfth game is held out to measure on.

JSON: game, folder, network, report, games, positions, refused, learned_from, held_out, steps, samples, seconds, loss,
prediction (positions, top1, top5, nats, with_result, value_nats, value_right, calibration), interrupted.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Any

from tesuji.cli import interrupts, options, output
from tesuji.core.errors import UserError, shortened
from tesuji.core.tables import plain_table
from tesuji.core.words import counted

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.learn.network.games import Games
    from tesuji.learn.network.run import Folder, Run
    from tesuji.learn.network.settings import LearningBudget

DEFAULT_MINUTES = 60
MOST_THREADS = 256
NAMED = ("blocks", "channels", "batch", "rate", "value_weight", "numbers", "seed")  # the settings that belong to a run for good
COLUMNS = ("minutes", "samples", "loss", "first choice", "among 5", "nats", "winner right", "value nats")
ROWS_SHOWN = 12
SHOW_SECONDS = 0.25


def add_options(tasks: Any) -> None:
    parser = tasks.add_parser("network", help="a network that predicts moves and winners, of any game that says what one sees")
    parser.add_argument("game", metavar="GAME", help="as in go:9 for games of that size; go, hex ... for those of all sizes")
    parser.add_argument(
        "files",
        metavar="RECORDS",
        nargs="*",
        help="game records: SGF or a table, also packed by gzip; none to go on with a run",
    )
    parser.add_argument("--run", dest="folder", metavar="FOLDER", help="where everything is kept")
    parser.add_argument(
        "--begin-with",
        metavar="FOLDER",
        help="begin with the weights of another run, as of another size",
    )
    own = parser.add_argument_group("self-play (docs/self-play.md)")
    own.add_argument("--self-play", action="store_true", help="learn from games of its own, after RECORDS if there are any")
    own.add_argument("--sizes", metavar="BxC,BxC@N,...", help="blocks x channels, and those after N games (2x32,4x32@4000,...)")
    own.add_argument("--set", metavar="P=V,...", help="parameters of self-play; 'help' lists them")
    own.add_argument("--workers", type=options.count, metavar="N", help="processes that play (default: one for each processor)")
    options.add_cluster(own, "play the games of --self-play")
    own.add_argument("--report", action="store_true", help="how the run of self-play in the folder GAME went")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--hours", type=options.seconds_number, metavar="H", help="how long to learn in all")
    length.add_argument("--minutes", type=options.seconds_number, metavar="M", help=f"the same in minutes ({DEFAULT_MINUTES})")
    length.add_argument("--steps", type=options.count, metavar="N", help="the same in steps, of one batch each")
    shape = parser.add_argument_group("the network and how it learns, fixed when the run begins")
    shape.add_argument("--blocks", type=options.count, metavar="N", help="residual blocks of two convolutions (4)")
    shape.add_argument("--channels", type=options.count, metavar="N", help="channels of each (32)")
    shape.add_argument("--batch", type=options.count, metavar="N", help="positions in a batch (128)")
    shape.add_argument("--rate", type=_number, metavar="R", help="highest learning rate (0.003)")
    shape.add_argument("--value-weight", type=_number, metavar="W", help="weight of results beside that of moves (0.3)")
    shape.add_argument(
        "--numbers", metavar="KIND", help="float32 (default), or bfloat16: faster on processors that have instructions for it"
    )
    parser.add_argument(
        "--threads",
        type=options.count,
        metavar="N",
        help="threads that PyTorch may use (1; for self-play as many as processes)",
    )
    options.add_common(parser, "seed of the weights and of the order of the positions (0)")
    parser.set_defaults(learn=learn_network)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isfinite(value):
        return value
    raise argparse.ArgumentTypeError(f"{shortened(text, quoted=True)} is not a number")


def learn_network(args: argparse.Namespace) -> int:
    from tesuji.learn.network.run import Folder, check_torch

    if args.report:
        from tesuji.cli.learn_self_play import show_report

        return show_report(args)
    check_torch()
    if (args.threads or 1) > MOST_THREADS:
        raise UserError(f"--threads {args.threads} is out of range: 1 to {MOST_THREADS}")
    if args.folder is None:
        raise UserError("name a folder in which everything is kept: --run FOLDER")
    if args.self_play:
        from tesuji.cli.learn_self_play import learn_by_self_play

        return learn_by_self_play(args)
    for name in ("sizes", "set", "workers", "cluster"):
        if getattr(args, name) is not None:
            raise UserError(f"--{name} is for --self-play")
    folder = Folder(args.folder)
    with folder.locked():
        folder.check()
        return _learn(args, folder)


def _learn(args: argparse.Namespace, folder: Folder) -> int:
    from tesuji.games.registry import find_game
    from tesuji.learn.network.checkpoint import load_head
    from tesuji.learn.network.games import network_game
    from tesuji.learn.network.run import Folder, Run
    from tesuji.learn.network.settings import settled

    game = network_game(find_game(args.game))
    named = {name: getattr(args, name) for name in NAMED if getattr(args, name) is not None}
    kept = load_head(folder.checkpoint)[1] if folder.has_run else None
    settings = settled(kept, named, args.folder)
    recorded, refused = _games(args, game, folder)
    run = Run(folder, game, recorded, settings, args.threads or 1, output.note)
    if args.begin_with is not None and not folder.has_run:
        run.begin_with(Folder(args.begin_with))
    budget = _budget(args)
    stop = Event()  # the current step is finished, and everything is saved
    with _view(run) as show, interrupts.stopping(stop.set):
        done = run.learn(budget, show, stop.is_set)
    _report(args, run, refused, interrupted=not done)
    return 0 if done else interrupts.exit_code()


def _games(args: argparse.Namespace, game: Game, folder: Folder) -> tuple[Games, list[str]]:
    """The games of the run: those in its folder, or those of the records, which are written there."""
    from tesuji.cli.learn import read
    from tesuji.learn.network.games import games_of, load_games, save_games

    if folder.games.exists():
        return load_games(folder.games, game), []
    if folder.has_run:
        raise UserError(f"the games of {args.folder} are missing: start again in another folder")
    if not args.files:
        raise UserError(f"{args.folder} holds no run yet: name game records to learn from")
    family = game.name.partition(":")[0]
    collection = read(game, args.files, any_size=args.game == family, even_only=True)
    before = len(collection.refused)
    recorded = games_of(game, collection)
    for line in collection.refused[before:]:
        output.note(f"left out: {line}")
    save_games(folder.games, recorded)
    return recorded, collection.refused


def _budget(args: argparse.Namespace) -> LearningBudget:
    from tesuji.learn.network.settings import LearningBudget

    if args.steps is not None:
        return LearningBudget(steps=args.steps)
    hours = args.hours if args.hours is not None else (args.minutes or DEFAULT_MINUTES) / 60
    return LearningBudget(seconds=3600 * hours)


# -- what a person sees --------------------------------------------------------------------------------------------------------
@contextmanager
def _view(run: Run) -> Iterator[Callable[[Run, LearningBudget], None]]:
    """Shows the run on stderr while a person watches."""
    if not output.is_terminal(sys.stderr):
        yield lambda _run, _budget: None
        return
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    shown = 0.0
    with Live(console=Console(stderr=True, highlight=False), auto_refresh=False, transient=True) as live:
        live.update(Text(run.title), refresh=True)

        def show(run: Run, budget: LearningBudget) -> None:
            nonlocal shown
            if time.monotonic() - shown >= SHOW_SECONDS:
                shown = time.monotonic()
                table = plain_table(COLUMNS, [_cells(row) for row in run.progress.rows[-ROWS_SHOWN:]], COLUMNS)
                live.update(Group(Text(run.title), Text(table), Text(_status(run, budget))), refresh=True)

        yield show


def _status(run: Run, budget: LearningBudget) -> str:
    progress = run.progress
    share = budget.share(progress.step, progress.seconds)
    speed = progress.samples / max(progress.seconds, 1e-9)
    left = progress.seconds / share * (1.0 - share) if share > 0 else 0.0
    loss = f"   loss {progress.loss_sum / progress.loss_steps:.3f}" if progress.loss_steps else ""
    return f"{100 * share:.1f}%   {progress.samples:,} samples   {speed:,.0f} a second{loss}   {left / 60:,.1f} minutes to go"


def _cells(row: dict[str, Any]) -> list[str]:
    value = ["-", "-"] if row["value_nats"] is None else [f"{100 * row['value_right']:.2f}%", f"{row['value_nats']:.4f}"]
    predicted = [f"{100 * row['top1']:.2f}%", f"{100 * row['top5']:.2f}%", f"{row['nats']:.4f}"]
    return [f"{row['seconds'] / 60:.1f}", f"{row['samples']:,}", f"{row['loss']:.4f}", *predicted, *value]


def _report(args: argparse.Namespace, run: Run, refused: list[str], interrupted: bool) -> None:
    progress, recorded = run.progress, run.recorded
    last = progress.rows[-1] if progress.rows else None
    if not args.json:
        positions, left_out = counted(recorded.positions, "position"), f"; {len(refused)} left out" if refused else ""
        print(f"{counted(recorded.count, 'game')}, {positions}{left_out}")
        learned_from, steps = counted(run.learned_games, "game"), counted(progress.step, "step")
        print(f"learned from {learned_from}: {progress.samples:,} samples in {steps}")
        if last is not None:
            held_out, measured = recorded.count - run.learned_games, counted(last["positions"], "position")
            print(f"measured on {counted(held_out, 'game')} held out ({measured}):")
            output.print_table(COLUMNS, [_cells(row) for row in progress.rows[-ROWS_SHOWN:]], right=COLUMNS)
            print(f"{run.folder.network}: the network; {run.folder.report}: how it learned")
        return
    measured = ("positions", "top1", "top5", "nats", "with_result", "value_nats", "value_right", "calibration")
    output.print_json(
        {
            "game": args.game,
            "folder": args.folder,
            "network": None if last is None else str(run.folder.network),
            "report": None if last is None else str(run.folder.report),
            "games": recorded.count,
            "positions": recorded.positions,
            "refused": refused,
            "learned_from": run.learned_games,
            "held_out": recorded.count - run.learned_games,
            "steps": progress.step,
            "samples": progress.samples,
            "seconds": progress.seconds,
            "loss": None if last is None else last["loss"],
            "prediction": None if last is None else {name: last[name] for name in measured},
            "interrupted": interrupted,
        }
    )

"""`tesuji learn games GAME --games N --out FILE` plays games of a player against itself, as records to learn networks from.

The table says, beside the moves and the winner, what result each search expected and how it shared out its visits. It is
written every few seconds. The same command goes on where it was, also after it was killed; a larger --games makes it longer.

JSON: game, player, games, positions, out, seconds, interrupted.
"""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Iterator
from threading import Event
from typing import TYPE_CHECKING, Any

from tesuji.cli import interrupts, options, output
from tesuji.core.errors import UserError
from tesuji.core.files import MIB, FileKind, check_can_write, read_file, write_file
from tesuji.core.words import counted

if TYPE_CHECKING:
    from tesuji.learn.self_play import SelfPlay

SAVE_SECONDS = 20.0
BEGIN = "game\twinner\tmoves\tvalues\tvisits\n"
TABLE = FileKind("a table of games of self-play", (BEGIN.encode(),), 512 * MIB)

_play: SelfPlay | None = None  # in a process that plays


def add_options(tasks: Any) -> None:
    parser = tasks.add_parser("games", help="games of a player against itself, with what its searches found")
    parser.add_argument("game", metavar="GAME", help="as in go:9")
    parser.add_argument("--games", type=options.count, required=True, metavar="N", help="how many games")
    parser.add_argument("--out", metavar="FILE", required=True, help="the table of games; if it is there, it is continued")
    parser.add_argument("--player", metavar="PLAYER", help="who plays (default: the strongest player of the game)")
    parser.add_argument("--playouts", type=options.playouts_number, metavar="N", help="playouts a move (300)")
    parser.add_argument("--workers", type=options.count, metavar="N", help="processes (default: one for each processor)")
    options.add_common(parser, "seed of the games (0)")
    parser.set_defaults(learn=learn_games)


def learn_games(args: argparse.Namespace) -> int:
    from tesuji.games.registry import find_game
    from tesuji.knowledge.network.file import encoding_of
    from tesuji.lab.processors import processors
    from tesuji.players.presets import default_player, find_player

    game = find_game(args.game)
    if game.players != 2:
        raise UserError(f"{game.name} is a puzzle: networks learn games of two")
    encoding_of(game)  # says in one line if networks see nothing of it
    player = default_player(game) if args.player is None else find_player(args.player, may_load=True)
    player.settings_for(game)  # says in one line if it does not play this game
    setup = f"# {game.name} {player.as_string()} playouts={args.playouts} seed={args.seed or 0}"
    check_can_write(args.out, TABLE)
    rows = _rows_so_far(args.out, setup)
    missing = [number for number in range(args.games) if number + 1 not in rows]
    began = saved = time.monotonic()
    stop = Event()
    with output.Progress("games", total=args.games) as progress, interrupts.stopping(stop.set):
        work = _Work(args.game, args.player, args.playouts, args.seed or 0)
        for number, row in _played(work, missing, min(args.workers or processors(), max(1, len(missing))), stop):
            rows[number + 1] = row
            progress.update(len(rows), f"{counted(len(rows), 'game')} played")
            if time.monotonic() - saved >= SAVE_SECONDS:
                _save(args.out, setup, rows)
                saved = time.monotonic()
    _save(args.out, setup, rows)
    positions = sum(len(row.split("\t")[2].split()) for row in rows.values())
    facts = {"game": game.name, "player": player.as_string(), "games": len(rows), "positions": positions, "out": args.out}
    if args.json:
        output.print_json({**facts, "seconds": time.monotonic() - began, "interrupted": stop.is_set()})
    else:
        print(f"{counted(len(rows), 'game')}, {counted(positions, 'position')}: {args.out}")
    return interrupts.exit_code() if stop.is_set() else 0


class _Work:
    """What a process needs to play: only words, so that it can be sent there."""

    def __init__(self, game: str, player: str | None, playouts: int | None, seed: int):
        self.game, self.player, self.playouts, self.seed = game, player, playouts, seed

    def begin(self) -> SelfPlay:
        from tesuji.games.registry import find_game
        from tesuji.learn.self_play import SelfPlay
        from tesuji.players.presets import default_player, find_player

        game = find_game(self.game)
        player = default_player(game) if self.player is None else find_player(self.player, may_load=True)
        return SelfPlay(game, player, self.seed, self.playouts)


def _played(work: _Work, numbers: list[int], workers: int, stop: Event) -> Iterator[tuple[int, str]]:
    """The rows of these games, in the order in which they end; no more are begun after a request to stop."""
    from tesuji.learn.self_play import table_row

    if workers == 1:
        play = work.begin()
        for number in numbers:
            if stop.is_set():
                return
            yield number, table_row(number, play.game_number(number))
        return
    from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    work.begin().prepare()  # compiled once, before several processes want it
    waiting = iter(numbers)
    with ProcessPoolExecutor(workers, get_context("spawn"), _begin_process, (work,)) as pool:
        running: set[Future[tuple[int, str]]] = set()
        try:
            while True:
                while len(running) < workers and not stop.is_set() and (number := next(waiting, None)) is not None:
                    running.add(pool.submit(_play_one, number))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BrokenProcessPool:
            raise UserError("a process that plays has died; the games so far are kept: the same command goes on") from None


def _begin_process(work: _Work) -> None:
    global _play
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal reaches all processes: only the first one answers it
    _play = work.begin()


def _play_one(number: int) -> tuple[int, str]:
    from tesuji.learn.self_play import table_row

    assert _play is not None
    return number, table_row(number, _play.game_number(number))


# -- the table -----------------------------------------------------------------------------------------------------------------
def _rows_so_far(path: str, setup: str) -> dict[int, str]:
    """The games that the file has, by number; a UserError if they are of another setup."""
    from pathlib import Path

    if not Path(path).exists():
        return {}
    lines = read_file(path, TABLE).decode("utf-8", "replace").splitlines()
    if len(lines) < 2 or lines[1] != setup:
        began = lines[1].removeprefix("# ") if len(lines) > 1 else "nothing"
        raise UserError(f"{path} was begun with {began[:200]}: name another file, or the same game, player, playouts and seed")
    rows = {line.partition("\t")[0]: line for line in lines[2:]}
    return {int(number): line for number, line in rows.items() if number.isdecimal() and line.count("\t") == BEGIN.count("\t")}


def _save(path: str, setup: str, rows: dict[int, str]) -> None:
    text = BEGIN + setup + "\n" + "".join(f"{rows[number]}\n" for number in sorted(rows))
    write_file(path, text.encode(), TABLE)

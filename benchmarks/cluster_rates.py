"""What the driver of a cluster spends: on a task, on a game, on a transaction; and the overhead of a cluster on this machine.

    python benchmarks/cluster_rates.py                  # the first three, in seconds of its processor where they compute
    python benchmarks/cluster_rates.py --overhead 40    # also 40 games of about 1 s, by processes and by Ray, in turn
    python benchmarks/cluster_rates.py --overhead 40 --waiting

With --waiting the players of these games wait for a fifth of a second instead of thinking, five times a game: on a machine that
others use, such games take as long as on a quiet one.

The figures are in docs/experiments/cluster.md; benchmarks/cluster_scale.py takes them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tesuji.core.sources import playing_digest
from tesuji.games.registry import find_game
from tesuji.lab.cluster.connection import connect
from tesuji.lab.cluster.tasks import check_machine
from tesuji.lab.match import open_match
from tesuji.lab.match.games import Played
from tesuji.lab.match.plan import make_plan
from tesuji.lab.match.store import Store

GAME = "connect4:7x6"
SGF = "(;FF[4]GM[1000]PB[A]PW[B];B[aa];W[bb])" * 8


def task_seconds(count: int) -> tuple[float, float]:
    """(seconds of the driver's processor, seconds on the clock) for a task that does next to nothing."""
    cluster = connect("local")
    machines = [machine.id for machine in cluster.machines()]

    def work(tasks: int) -> None:
        waiting = [cluster.send(machines, 1, check_machine, '{"kind": "status"}') for _ in range(tasks)]
        while waiting:
            for task in cluster.wait(waiting, 1.0):
                waiting.remove(task)
                cluster.result(task)

    work(10)
    used, began = time.process_time(), time.monotonic()
    for _ in range(count // 20):
        work(20)
    return (time.process_time() - used) / count, (time.monotonic() - began) / count


def store_seconds(count: int, together: bool) -> tuple[float, float]:
    """(seconds of the processor for a game, seconds on the clock for a transaction of one game or of all)."""
    game = find_game("tictactoe")
    plan = make_plan(game, ["uct:playouts=1", "uct:playouts=2"])
    with tempfile.TemporaryDirectory() as folder:
        store = Store(str(Path(folder) / "match.db"))
        store.open(plan, playing_digest())
        used, began = time.process_time(), time.monotonic()

        def add(numbers: range) -> None:
            for number in numbers:
                entry = plan.entry(number)
                moves = ("a1 b2 c3",) * 10
                store.add(
                    Played(
                        *(number, entry.first, entry.second, entry.opening, 0, entry.seed, None, "0", "score", "", 0),
                        *(" ".join(moves), 30, 0.5, 0.5, SGF),
                    )
                )

        if together:
            with store.together():
                add(range(count))
        else:
            add(range(count))
        spent = (time.process_time() - used) / count
        clock = (time.monotonic() - began) / (1 if together else count)
        store.close()
        return spent, clock


def match_seconds(games: int, cluster: str | None, workers: int, seed: int, waiting: bool) -> float:
    """A match in which a game takes about a second, after a short one that starts everything."""
    game, players = GAME, ["uct:playouts=12000", "uct:playouts=12001"]
    if waiting:
        game, players = "tictactoe", [f"gtp:{sys.executable} {Path(__file__).resolve()} --engine {s}" for s in ("0.2", "0.20")]
    with tempfile.TemporaryDirectory() as folder:
        for number, some in enumerate((2 * workers, games)):
            file = str(Path(folder) / f"{number}.db")
            with open_match(game, players, some, file=file, workers=workers, cluster=cluster, seed=seed) as match:
                began = time.monotonic()
                match.run()
                spent = time.monotonic() - began
    return spent


def wait_and_play(seconds: float) -> None:
    """A GTP program for tic-tac-toe whose moves take so long: the first player wins with the fifth of the game."""
    moves: list[str] = []
    for line in sys.stdin:
        number, _, command = line.strip().partition(" ")
        word, answer = command.split()[0] if command else number, ""
        if word == "clear_board":
            moves = []
        elif word == "genmove":
            time.sleep(seconds)
            answer = ("a" if command.split()[1] == "b" else "b") + str(len(moves) + 1)
            moves.append(answer)
        print(f"={number} {answer}\n", flush=True)
        if word == "quit":
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=400)
    parser.add_argument("--overhead", type=int, default=0, metavar="GAMES")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--waiting", action="store_true")
    parser.add_argument("--engine", type=float, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.engine is not None:
        wait_and_play(args.engine)
        return
    began = time.monotonic()
    connect("local", args.workers)
    print(f"start of a local cluster: {time.monotonic() - began:.1f} s")
    spent, clock = task_seconds(args.tasks)
    print(f"a task: {1e6 * spent:.0f} us of the driver's processor, {1e6 * clock:.0f} us on the clock")
    spent, clock = store_seconds(100, together=False)
    print(f"a game, each in a transaction: {1e6 * spent:.0f} us of the processor, {1e3 * clock:.1f} ms on the clock")
    spent, clock = store_seconds(1000, together=True)
    print(f"a game, 1000 in a transaction: {1e6 * spent:.0f} us of the processor; {1e3 * clock:.1f} ms for all")
    for seed in range(3 if args.overhead else 0):
        own = match_seconds(args.overhead, None, args.workers, seed, args.waiting)
        ray = match_seconds(args.overhead, "local", args.workers, seed, args.waiting)
        print(
            f"{args.overhead} games, seed {seed}: {own:.1f} s by processes, {ray:.1f} s by Ray, ratio {ray / own:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

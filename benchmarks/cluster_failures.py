"""Two Ray nodes on this machine: nodes are killed and join, drivers are killed, in the middle of a match, a tune, a proof.

    python benchmarks/cluster_failures.py              # all three, about ten minutes on a busy machine with 2 cores
    python benchmarks/cluster_failures.py --only tune

For each: what a run without a cluster gives; the same on the cluster with both nodes killed in the middle and a new one that
joins; the same by a command that is killed three times (kill -9) and started again. All must be equal: the games of the match,
the samples and games of the tune, the value of the proof, whose certificate must be valid. One line is printed for each.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import tesuji
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.lab.cluster.connection import connect, disconnect
from tesuji.lab.cluster.proof_tree import ProofTree
from tesuji.lab.cluster.proving import make_setup, prove_on_cluster
from tesuji.lab.match import open_match
from tesuji.lab.match.store import read_match
from tesuji.lab.tune.runner import open_tune
from tesuji.lab.tune.store import read_tune
from tesuji.proof.trusted.format import save_certificate

SMALL: dict[str, Any] = {"object_store_memory": 80 << 20}
ENVIRONMENT = {
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": "0123456789abcdef0123456789abcdef",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_health_check_initial_delay_ms": "0",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "20000",
}
GAME, PLAYERS, GAMES = "connect4:5x4", ["uct:playouts=200", "uct:playouts=400"], 120
TUNED, PARAMETERS, TUNE_GAMES = "uct:playouts=100", ["exploration=0.05..2:log", "expand_after"], 100
POSITION, VALUE = "connect4:5x5", 0
KILLS = 3
MOST_SECONDS = 600.0


class Nodes:
    """The cluster, and the nodes that give processors."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self._cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **SMALL})
        self.address = str(self._cluster.address)
        self._nodes: list[Any] = [self._add(1), self._add(1)]

    def _add(self, cpus: int) -> Any:
        return self._cluster.add_node(num_cpus=cpus, **SMALL)

    def change(self) -> None:
        """All nodes are killed, and one joins."""
        for node in self._nodes:
            self._cluster.remove_node(node, allow_graceful=False)
        self._nodes = [self._add(2)]

    def restore(self) -> None:
        for node in self._nodes:
            self._cluster.remove_node(node)
        self._nodes = [self._add(1), self._add(1)]


def killed_three_times(words: list[str], done: Callable[[], int], step: int) -> list[int]:
    """Starts a command and kills it three times, each after so many more results, then lets it end; how many it had then."""
    kept: list[int] = []
    for turn in range(KILLS + 1):
        process = subprocess.Popen([sys.executable, "-m", "tesuji", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end, enough = time.monotonic() + MOST_SECONDS, done() + step
        while turn < KILLS and done() < enough and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        if turn < KILLS:
            assert process.poll() is None, f"it ended before it was killed: {process.communicate()[1].decode()}"
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
            kept.append(done())
            continue
        errors = process.communicate()[1].decode()
        assert process.returncode == 0, errors
    return kept


def read(path: str, what: Callable[[str], list[Any]]) -> list[Any]:
    with contextlib.suppress(Exception):
        return what(path)
    return []


# -- a match -----------------------------------------------------------------------------------------------------------
def match_games(path: str) -> list[Any]:
    return sorted((game.number, game.seed, game.moves) for game in read_match(path)[1])


def try_match(nodes: Nodes) -> None:
    with open_match(GAME, PLAYERS, GAMES, file="here.db", workers=1) as match:
        match.run()
    changed: list[int] = []

    def change(match: Any) -> None:
        if match.done >= GAMES // 4 and not changed:
            changed.append(match.done)
            nodes.change()

    with open_match(GAME, PLAYERS, GAMES, file="lost.db", cluster=nodes.address) as match:
        match.on_tick = change
        match.run()
    assert match_games("lost.db") == match_games("here.db")
    print(f"match: nodes killed after {changed[0]} of {GAMES} games, another joined: the {GAMES} games of a run without")
    nodes.restore()
    words = ["match", *PLAYERS, "--game", GAME, "--games", str(GAMES), "--file", "killed.db", "--cluster", nodes.address]
    kept = killed_three_times(words, lambda: len(read("killed.db", match_games)), GAMES // 8)
    assert match_games("killed.db") == match_games("here.db")
    print(f"match: driver killed with {kept} games kept, then resumed: the same {GAMES} games", flush=True)


# -- a tune ------------------------------------------------------------------------------------------------------------
def tune_games(path: str) -> list[Any]:
    found = read_tune(path)
    return [found.samples, sorted((game.number, game.seed, game.moves) for game in found.games)]


def try_tune(nodes: Nodes) -> None:
    words = (GAME, TUNED, PARAMETERS, [], TUNE_GAMES)
    with open_tune(*words, file="here.db", workers=1) as tune:
        tune.run()
    changed: list[int] = []

    def change(tune: Any) -> None:
        if tune.played_now >= TUNE_GAMES // 4 and not changed:
            changed.append(tune.played_now)
            nodes.change()

    with open_tune(*words, file="lost.db", cluster=nodes.address) as tune:
        tune.on_tick = change
        tune.run()
    assert tune_games("lost.db") == tune_games("here.db")
    print(f"tune: nodes killed after {changed[0]} of {TUNE_GAMES} games, another joined: samples and games of a run without")
    nodes.restore()
    options = [word for parameter in PARAMETERS for word in ("--parameter", parameter)]
    command = ["tune", TUNED, "--game", GAME, *options, "--games", str(TUNE_GAMES), "--validate", "0", "--file", "killed.db"]
    kept = killed_three_times(
        [*command, "--cluster", nodes.address], lambda: sum(map(len, read("killed.db", tune_games)[1:])), TUNE_GAMES // 8
    )
    assert tune_games("killed.db") == tune_games("here.db")
    print(f"tune: driver killed with {kept} games kept, then resumed: the same samples and {TUNE_GAMES} games", flush=True)


# -- a proof -----------------------------------------------------------------------------------------------------------
def proof_results(path: str) -> list[Any]:
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
        return base.execute("select moves, high from results").fetchall()


def try_proof(nodes: Nodes) -> None:
    game = find_game(POSITION)
    setup = make_setup(POSITION, game, "", {}, True)
    tree = ProofTree(game, (), Limits(), setup)
    changed: list[int] = []

    def change() -> None:
        if tree.jobs >= 8 and not changed:
            changed.append(tree.jobs)
            nodes.change()

    prove_on_cluster(connect(nodes.address), tree, setup, print, change, 1000)
    assert changed and (tree.root.lower, tree.root.upper) == (VALUE, VALUE)
    save_certificate("lost.cert", tree.certificate())
    assert tesuji.verify("lost.cert").valid
    print(f"solve: nodes killed after {changed[0]} jobs, another joined: proven in {tree.jobs} jobs, valid certificate")
    nodes.restore()
    words = ["solve", POSITION, "--certificate", "killed.cert", "--file", "killed.db", "--cluster", nodes.address]
    kept = killed_three_times(words, lambda: len(read("killed.db", proof_results)), 5)
    found = proof_results("killed.db")
    assert len(set(found)) == len(found) and tesuji.verify("killed.cert").valid
    print(f"solve: driver killed with {kept} jobs kept, then resumed: proven in {len(found)} jobs, none twice, valid")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("match", "tune", "solve"))
    args = parser.parse_args()
    os.environ.update(ENVIRONMENT)
    for name, trial in (("match", try_match), ("tune", try_tune), ("solve", try_proof)):
        if args.only in (None, name):
            before = os.getcwd()
            nodes = Nodes()
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                trial(nodes)
                os.chdir(before)
            disconnect()
            nodes._cluster.shutdown()


if __name__ == "__main__":
    main()

"""Two Ray nodes on one machine: one is lost, one joins, the driver is killed; the games are those of a match without a cluster.

All in one test, as to start nodes takes seconds. Rules and search run in pure Python here, so that nothing is compiled.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from tesuji.cli.main import main
from tesuji.lab.match import open_match
from tesuji.lab.match.store import read_match

pytest.importorskip("ray", reason="Ray is not installed: make setup installs it where it can")

PLAYERS = ["uct:playouts=10", "uct:playouts=20"]
GAME = "tictactoe"
GAMES = 60
DEADLINE = 120.0


@pytest.fixture
def nodes(monkeypatch, tmp_path):
    """A cluster that is reached by this machine's address, so with a token. Its head has no processors to give."""
    from ray.cluster_utils import Cluster

    from tesuji.lab.cluster import connection

    for name, value in {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": "0123456789abcdef0123456789abcdef",
        "RAY_worker_niceness": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_health_check_initial_delay_ms": "0",
        "RAY_health_check_period_ms": "500",
        "RAY_health_check_timeout_ms": "20000",
        "RAY_health_check_failure_threshold": "4",
        "TESUJI_PURE": "1",
    }.items():
        monkeypatch.setenv(name, value)
    reset_token()
    monkeypatch.chdir(tmp_path)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **SMALL})
    try:
        yield cluster
    finally:
        connection.disconnect()
        cluster.shutdown()
        monkeypatch.undo()
        reset_token()


SMALL = {"object_store_memory": 80 << 20}


def reset_token() -> None:
    """Ray reads its settings once; other tests of this process may have had others."""
    from ray._raylet import AuthenticationTokenLoader, Config

    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()


def moves_of(path: str) -> dict[int, str]:
    games = read_match(path)[1]
    assert len({game.number for game in games}) == len(games)
    return {game.number: game.moves for game in games}


def test_nodes_lost_and_joined_and_a_driver_killed(nodes, capsys):
    with open_match(GAME, PLAYERS, GAMES, file="local.db", workers=1) as match:
        match.run()
    expected = moves_of("local.db")
    assert len(expected) == GAMES
    old = [nodes.add_node(num_cpus=1, **SMALL) for _ in range(2)]
    new: list[Any] = []
    done: dict[str, int] = {}  # jobs, by the id of the node

    def change_nodes(match) -> None:
        done.update({id: machine.done for id, machine in match._pool.dispatcher.machines.items()})
        if match.done >= 10 and not new:
            for node in old:
                nodes.remove_node(node, allow_graceful=False)
            new.append(nodes.add_node(num_cpus=2, **SMALL))

    with open_match(GAME, PLAYERS, GAMES, file="cluster.db", cluster=nodes.address) as match:
        match.on_tick = change_nodes
        match.run()
        assert match.standings[0].games == GAMES
    assert moves_of("cluster.db") == expected, "none is missing, twice, or another"
    assert sum(done.get(node.node_id, 0) for node in old) > 0, "which of them, is for Ray to say"
    assert done[new[0].node_id] > 0, "also the one that joined"
    assert "raylet" not in capsys.readouterr().out, "what Ray has to say of nodes that are lost"
    processes_that_end_are_tried_again(nodes)
    status_is_told(nodes, capsys)
    a_proof_is_verified(nodes, capsys)
    the_driver_is_killed(nodes, expected)


def processes_that_end_are_tried_again(nodes) -> None:
    """By Ray: once for one that ends once, and not without end."""
    from tesuji.lab.cluster.connection import TaskFailed, connect

    cluster = connect(nodes.address)
    ids = [machine.id for machine in cluster.machines() if machine.cpus]
    mark = os.path.abspath("ended")
    once = f"import os\nif not os.path.exists({mark!r}):\n    open({mark!r}, 'w').close()\n    os._exit(1)"
    task = cluster.send(ids, 1, exec, once)
    assert cluster.wait([task], DEADLINE) == [task] and cluster.result(task) == (ids[0], None)
    assert os.path.exists(mark)
    task = cluster.send(ids, 1, os._exit, 1)
    assert cluster.wait([task], DEADLINE) == [task]
    with pytest.raises(TaskFailed, match="WorkerCrashedError"):
        cluster.result(task)


def status_is_told(nodes, capsys) -> None:
    capsys.readouterr()
    assert main(["cluster", "status", "--cluster", nodes.address, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["processors"] == 2
    assert sorted((m["usable"], m["why"]) for m in found["machines"]) == [
        (False, "it offers no processors"),
        (True, ""),
    ]


def a_proof_is_verified(nodes, capsys) -> None:
    words = ["solve", "tictactoe", "--moves", "b2", "--certificate", "proof.cert", "--json", "--cluster", nodes.address]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["outcome"], found["proven"], found["certificate"]) == ("draw", True, "proof.cert")
    assert main(["verify", "proof.cert"]) == 0


def the_driver_is_killed(nodes, expected: dict[int, str]) -> None:
    words = ["match", *PLAYERS, "--game", GAME, "--games", str(GAMES), "--file", "killed.db", "--cluster", nodes.address]
    process = subprocess.Popen([sys.executable, "-m", "tesuji", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + DEADLINE
    while count("killed.db") < 4 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    kept = moves_of("killed.db")
    assert 4 <= len(kept) and kept.items() <= expected.items()
    with open_match(GAME, PLAYERS, GAMES, file="killed.db", cluster=nodes.address) as match:
        match.run()
        assert match.played_now == GAMES - len(kept)
    assert moves_of("killed.db") == expected


def count(path: str) -> int:
    with contextlib.suppress(Exception):
        return len(read_match(path)[1])
    return 0

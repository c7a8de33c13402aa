"""Addresses of clusters that cannot be used: one line, exit code 2, nothing written."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading

import pytest

from tesuji.cli import interrupts
from tesuji.cli.main import main
from tesuji.core.errors import Terminated, UserError
from tesuji.games.registry import find_game
from tesuji.lab.cluster import connection
from tesuji.lab.cluster.identity import differences, plan_identity, program_identity, threads_per_core
from tesuji.lab.match.plan import make_plan


@pytest.fixture
def closed_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    return port


def match(address: str) -> int:
    return main(["match", "uct:playouts=1", "uct:playouts=2", "--game", "tictactoe", "--file", "m.db", "--cluster", address])


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("somewhere", "'somewhere' is not the address of a cluster"),
        ("10.0.0.1:99999", "is not the address of a cluster"),
        ("10.0.0.1:6379", "must be used with a token"),
        ("cluster.example:6379", "must be used with a token"),
    ],
)
def test_bad_addresses(address, said, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    assert match(address) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_an_address_that_does_not_answer(closed_port, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    address = f"127.0.0.1:{closed_port}"
    for code in (match(address), main(["cluster", "status", "--cluster", address])):
        assert code == 2
    assert capsys.readouterr().err == 2 * f"tesuji: no cluster answers at {address}: Connection refused\n"
    assert not list(tmp_path.iterdir())


def test_what_listens_there_is_not_ray(monkeypatch):
    """Ray would wait for a minute and end the process; here it gets less time than that."""

    release = threading.Event()

    class Waiting:
        def init(self, **_options):
            release.wait(60)

    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.05)
    monkeypatch.setattr(connection, "import_ray", Waiting)
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(UserError, match="is not Ray, or it is too busy"):
        connection.connect(f"127.0.0.1:{listener.getsockname()[1]}")
    release.set()
    assert connection.REACH_SECONDS + 20.0 < 30.0


def test_no_cluster_on_this_machine(capsys, monkeypatch, tmp_path):
    """There is nothing to show a token to."""
    pytest.importorskip("ray", reason="Ray is not installed: make setup installs it where it can")
    services = pytest.importorskip("ray._private.services")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(services, "find_gcs_addresses", set)
    monkeypatch.setattr(services, "find_bootstrap_address", lambda temp_dir: None)
    for code in (main(["cluster", "status"]), match("auto")):
        assert code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and len(set(lines)) == 1
    assert "no cluster answers" in lines[0] and "ray start --head" in lines[0] and "token" in lines[0]
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(services, "find_bootstrap_address", lambda temp_dir: "10.0.0.1:6379")
    assert main(["cluster", "status"]) == 2
    assert "must be used with a token" in capsys.readouterr().err


def test_sigterm_while_ray_starts_is_ours(monkeypatch):
    """Ray's own handler would end the process with Ray's exit code and trace."""

    class Starting:
        def init(self, **_options):
            signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(number))
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(connection, "import_ray", Starting)
    before = signal.signal
    with interrupts.handled(), pytest.raises(Terminated):
        connection.connect("local")
    assert signal.signal is before and "local" not in connection._connections


def test_only_what_ray_writes_is_left_out_while_it_connects():
    script = """if True:
        import os, sys
        from tesuji.lab.cluster import connection

        class Noisy:
            def init(self, **_options):
                os.write(2, b"noise of a library\\n")
                print("a line of ours", file=sys.stderr)

        assert connection._join(Noisy(), "", {}) is None
        print("after", file=sys.stderr)
    """
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, "a line of ours\nafter\n")


def test_without_ray(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)

    def missing(_name):
        raise ImportError

    monkeypatch.setattr(connection.importlib, "import_module", missing)
    assert match("local") == 2
    assert "not installed: pip install ray" in capsys.readouterr().err


def test_what_machines_must_have_in_common(tmp_path):
    weights = tmp_path / "mine.json"
    weights.write_text("{}")
    plan = make_plan(find_game("loa"), ["mc-loa", f"mc-loa:weights={weights}"])
    found = plan_identity(plan, "loa")
    assert found.keys() >= program_identity().keys() >= {"tesuji", "code", "numba", "numpy", "python"}
    weights.write_text("[]")
    changed = plan_identity(plan, "loa")
    assert differences(found, found) == ""
    assert differences(found, changed).startswith("weights of player 2 ")
    assert differences(found, {**found, "numba": "0.1"}) == f"numba 0.1 there and {found['numba']} here"
    assert threads_per_core() >= 1

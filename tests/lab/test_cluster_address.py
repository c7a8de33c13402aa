"""Addresses of clusters that cannot be used: one line, exit code 2, nothing written."""

from __future__ import annotations

import socket

import pytest

from tesuji.cli.main import main
from tesuji.core.errors import UserError
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

    class Waiting:
        def init(self, **_options):
            import time

            time.sleep(5.0)

    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.05)
    monkeypatch.setattr(connection, "import_ray", Waiting)
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(UserError, match="is not Ray, or it is too busy"):
        connection.connect(f"127.0.0.1:{listener.getsockname()[1]}")
    assert connection.REACH_SECONDS + 20.0 < 30.0


def test_without_ray(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)

    def missing(_name):
        raise ImportError

    monkeypatch.setattr(connection.importlib, "import_module", missing)
    assert match("local") == 2
    assert "pip install 'tesuji[cluster]'" in capsys.readouterr().err


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

"""The page while the search of a game is being compiled: the computer answers all the same, and what is left is told."""

import pytest
from web_client import COMPUTER, PERSON, Client, RunningServer


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TESUJI_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("TESUJI_PURE", raising=False)
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)


@pytest.fixture
def compiling(empty_cache):
    server = RunningServer(sides=(PERSON, COMPUTER))
    tab = Client(server)
    yield tab
    tab.disconnect()
    server.close()


def test_the_computer_answers_while_its_search_is_compiled(compiling):
    tab = compiling
    compiling = tab.wait("progress", lambda values: values["task"] == "compile")
    assert not compiling["final"] and compiling["of"] > compiling["done"]
    tab.post("move", move="b2")
    tab.until(lambda state: state["ply"] == 2 and state["turn"] == "person")
    assert "while the search was being compiled" in tab.state["why"][0]
    assert not any(values["final"] for name, values in tab.seen if name == "progress")

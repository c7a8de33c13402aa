"""Servers for the tests of the page. Searches are of tic-tac-toe in pure Python: nothing is compiled."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the page needs starlette and uvicorn")
sys.path.insert(0, str(Path(__file__).parent))

from browser import shared_browser
from web_client import Client, RunningServer

BROWSER_FIXTURES = {"browser", "page"}


@pytest.fixture
def browser():
    return shared_browser.open()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem):
    """The browser stays open as long as the next test needs one too."""
    try:
        return (yield)
    finally:
        if nextitem is None or not BROWSER_FIXTURES & set(nextitem.fixturenames):
            shared_browser.close()


@pytest.fixture(scope="module")
def pure():
    """The engines that are started from here on search in pure Python."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESUJI_PURE", "1")
        yield


@pytest.fixture(scope="module")
def server(pure):
    running = RunningServer()
    yield running
    running.close()


@pytest.fixture
def tab(server):
    client = Client(server)
    yield client
    client.post("close")
    client.disconnect()

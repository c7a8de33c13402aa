"""Connections of the server: only so many are kept open, and none that sends nothing."""

import contextlib
import socket

import pytest
from web_client import LOCAL, Client, RunningServer

from tesuji.web import connections


@pytest.fixture
def fresh(pure):
    running = RunningServer()
    yield running
    running.close()


def is_closed(connection, seconds=10.0):
    """Whether the server ends a connection within that time."""
    connection.settimeout(seconds)
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


def test_only_so_many_connections_are_kept_open(fresh, monkeypatch):
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 8)
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection((LOCAL, fresh.port))) for _ in range(12)]
        assert [is_closed(connection) for connection in opened[8:]] == [True] * 4
        assert not any(is_closed(connection, 0.01) for connection in opened[:8])
    assert fresh.request("GET", "/static/style.css")[0] == 200  # there is room again


def test_a_connection_without_a_whole_request_is_closed(fresh, monkeypatch):
    monkeypatch.setattr(connections, "SILENT_SECONDS", 0.2)
    with socket.create_connection((LOCAL, fresh.port)) as silent, socket.create_connection((LOCAL, fresh.port)) as slow:
        slow.sendall(b"GET / HT")
        assert is_closed(silent) and is_closed(slow)


def test_a_stream_of_events_is_left_open(fresh, monkeypatch):
    monkeypatch.setattr(connections, "SILENT_SECONDS", 0.05)
    tab = Client(fresh)
    with socket.create_connection((LOCAL, fresh.port)) as silent:
        assert is_closed(silent)  # at least one look at the stream has passed by then
    with socket.create_connection((LOCAL, fresh.port)) as silent:
        assert is_closed(silent)
    tab.play("b2")
    tab.disconnect()

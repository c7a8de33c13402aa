"""Connections of the server: only so many are kept open, and none that sends nothing."""

import contextlib
import ctypes
import gc
import socket
import time
import weakref

import pytest
from web_client import LOCAL, Client, RunningServer

from tesuji.web import connections, memory, server


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
    assert fresh.status_soon("/static/style.css") == 200  # there is room again


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


# -- memory ------------------------------------------------------------------------------------------------------------
class Cycle:
    """An object that refers to itself: only the collector frees it."""

    def __init__(self):
        self.itself = self


def test_memory_is_given_back_once_after_each_stretch_of_work():
    tidier = memory.Tidier()
    assert not tidier.look(0)  # nothing has happened yet
    gc.disable()
    try:
        left = weakref.ref(Cycle())
        assert not tidier.look(3) and not tidier.look(5) and left() is not None  # there is work
        assert tidier.look(5) and left() is None
    finally:
        gc.enable()
    assert not tidier.look(5)
    assert not tidier.look(6) and tidier.look(6)


def test_memory_is_given_back_where_the_c_library_cannot_trim(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: object())
    memory.give_back()

    def no_library(_name):
        raise TypeError

    monkeypatch.setattr(ctypes, "CDLL", no_library)
    memory.give_back()


def test_an_idle_server_gives_memory_back(monkeypatch, pure):
    monkeypatch.setattr(server, "TICKS_BETWEEN_LOOKS", 1)
    calls = []
    monkeypatch.setattr(memory, "give_back", lambda: calls.append(1))
    running = RunningServer()
    try:
        assert running.request("GET", "/static/style.css")[0] == 200
        end = time.monotonic() + 20
        while not calls and time.monotonic() < end:
            time.sleep(0.02)
        assert calls
    finally:
        running.close()

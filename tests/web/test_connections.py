"""Connections of the server: only so many are kept open, and none that sends nothing."""

import contextlib
import ctypes
import gc
import socket
import time
import weakref
from collections import Counter

import pytest
from web_client import LOCAL, Client, RunningServer

from tesuji.web import connections, memory, server
from tesuji.web.hub import MOST_TABS


@pytest.fixture
def fresh(pure):
    running = RunningServer()
    yield running
    running.close()


def is_closed(connection, seconds=60.0):
    """Whether the server ends a connection within that time."""
    connection.settimeout(seconds)
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


def test_idle_connections_do_not_keep_the_page_out(fresh, monkeypatch):
    """When there are too many, the oldest that has not shown the key is closed."""
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 8)
    tab = Client(fresh)
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection((LOCAL, fresh.port))) for _ in range(11)]
        assert [is_closed(connection) for connection in opened[:4]] == [True] * 4
        assert fresh.request("GET", "/static/style.css")[0] == 200
        tab.play("b2")  # the stream of the page is older than all of them
        assert is_closed(opened[4]) and not is_closed(opened[-1], 0.01)
    tab.disconnect()


def test_connections_of_the_page_are_not_closed_in_favour_of_others(fresh, monkeypatch):
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 3)
    tabs = [Client(fresh) for _ in range(3)]
    with socket.create_connection((LOCAL, fresh.port)) as stranger:
        assert is_closed(stranger)
    tabs.pop().disconnect()
    assert fresh.status_soon("/static/style.css") == 200  # there is room again
    for tab in tabs:
        tab.play("b2")
        tab.disconnect()


def ask_for_stream(server, stack, name):
    connection = stack.enter_context(socket.create_connection((LOCAL, server.port), timeout=60))
    lines = [f"GET /events?tab={name} HTTP/1.1", f"Host: {LOCAL}:{server.port}", *map(": ".join, server.bearer().items())]
    connection.sendall("\r\n".join([*lines, "", ""]).encode())
    return connection


def test_a_burst_of_tabs_gets_no_more_streams_than_there_may_be(fresh):
    with contextlib.ExitStack() as stack:
        opened = [ask_for_stream(fresh, stack, f"{number:020}") for number in range(60)]
        statuses = Counter(connection.recv(65536).split()[1] for connection in opened)
    assert statuses == {b"200": MOST_TABS, b"400": 60 - MOST_TABS}


def test_streams_that_are_dropped_before_they_begin_leave_no_tab_watched(fresh):
    with contextlib.ExitStack() as stack:
        for number in range(MOST_TABS):
            ask_for_stream(fresh, stack, f"{number:020}").close()
    name, end = "a" * 20, time.monotonic() + 60
    while fresh.request("HEAD", f"/events?tab={name}")[0] != 200:  # until the server has seen that they are closed
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_stream_of_a_tab_ends_with_it(fresh):
    """Else one could have any number of streams, a tab at a time."""
    tab = Client(fresh)
    tab.post("close")
    assert tab.ended()


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
        end = time.monotonic() + 60
        while not calls and time.monotonic() < end:
            time.sleep(0.02)
        assert calls
    finally:
        running.close()

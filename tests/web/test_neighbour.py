"""Another server on this machine, at another port. Browsers send it the cookies of every port, so there must be none to send.

The neighbour notes what a browser with an open page sends it, and tries every route with that.
"""

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browser import watched
from web_client import LOCAL, RunningServer

from tesuji.web.commands import COMMANDS

TAB = "a" * 20
ROUTES = [
    ("GET", f"/events?tab={TAB}"),
    ("GET", "/nowhere"),
    ("POST", "/key"),
    *(("POST", f"/api/{name}") for name in COMMANDS),
]
OF_THE_CONNECTION = {"host", "connection", "content-length", "content-type", "sec-fetch-site", "origin"}
ATTEMPTS = """(async (page) => {
    const attempts = [
        fetch(`${page}/events?tab=aaaaaaaaaaaaaaaaaaaa`, { credentials: "include" }),
        fetch(`${page}/api/games`, { method: "POST", credentials: "include", body: '{"tab": "aaaaaaaaaaaaaaaaaaaa"}' }),
        fetch(`${page}/`, { credentials: "include" }),
        import(`${page}/static/key.js`),
    ];
    const results = await Promise.allSettled(attempts);
    return results.map((result) => result.status);
})"""


class Neighbour:
    """A server that keeps the headers and the address of every request."""

    def __init__(self):
        received = self.received = []

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_words):
                pass

            def do_GET(self):
                received.append((self.path, [(name.lower(), value) for name, value in self.headers.items()]))
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!doctype html><title>Neighbour</title><link rel=icon href='data:,'>")

        self._server = ThreadingHTTPServer((LOCAL, 0), Handler)
        self.address = f"http://{LOCAL}:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def neighbour():
    with contextlib.closing(Neighbour()) as found:
        yield found


@pytest.fixture
def fresh(pure):
    with contextlib.closing(RunningServer()) as found:
        yield found


def answered(server, headers):
    """The routes that do not refuse someone who has these headers and claims to be the page, with their statuses."""
    found = {}
    for method, path in ROUTES:
        body = json.dumps({"tab": TAB, "generation": 1}) if method == "POST" else None
        status = server.request(method, path, body, {"Authorization": None, **headers})[0]
        if status != 403:
            found[method, path] = status
    return found


def test_no_cookie_opens_anything(fresh):
    """Not even one that holds the key."""
    fresh.bearer()
    for name in (f"tesuji_{fresh.port}", "tesuji-key", "Authorization"):
        assert answered(fresh, {"Cookie": f"{name}={fresh.keys.key}"}) == {}
    assert not fresh.hub.tabs


def test_what_a_browser_sends_a_neighbour_opens_nothing(browser, fresh, neighbour):
    with watched(browser, fresh.address, allowed=("",), elsewhere=(neighbour.address,)) as page:
        page.evaluate(
            """(address) => {
                const link = Object.assign(document.createElement("a"), { href: address, id: "neighbour", textContent: "x" });
                document.querySelector("main").prepend(link);
            }""",
            f"{neighbour.address}/clicked",
        )
        page.click("#neighbour")
        page.wait_for_url(f"{neighbour.address}/clicked")
        results = page.evaluate(ATTEMPTS, f"http://{LOCAL}:{fresh.port}")
        assert set(results) == {"rejected"}
        page.evaluate("(address) => { location.href = address; }", f"http://{LOCAL}:{fresh.port}/#game=go:9")
        page.wait_for_url(f"http://{LOCAL}:{fresh.port}/*")
        assert "go" not in page.evaluate("document.title").lower()
        assert not [tab for tab in fresh.hub.tabs.values() if tab.game.name != "tictactoe"]
    assert neighbour.received
    for path, headers in neighbour.received:
        assert path == "/clicked"
        assert answered(fresh, {name: value for name, value in headers if name not in OF_THE_CONNECTION}) == {}
        assert not {"cookie", "referer", "authorization"} & {name for name, _ in headers}, headers

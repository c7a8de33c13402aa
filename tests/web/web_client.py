"""A server in a thread, and a client that speaks to it as the page does, over real sockets and without a browser."""

import asyncio
import contextlib
import http.client
import json
import queue
import secrets
import threading
import time

import tesuji
from tesuji.play.side import Side
from tesuji.web.app import make_app
from tesuji.web.choice import read_side
from tesuji.web.hub import Hub, Opening
from tesuji.web.security import ENTRANCE, Keys
from tesuji.web.server import LOCAL, PageServer, listen, make_config, names_of

PATIENCE = 60.0  # seconds for an answer of the engine, which may have to start first
COMPUTER = {"kind": "computer", "level": 5, "playouts": 30}
PERSON = {"kind": "person"}


class RunningServer:
    """A server with the game of a string; people play both sides unless it is told otherwise."""

    def __init__(self, game="tictactoe", sides=(PERSON, PERSON), port=None, **options):
        self.keys = Keys()
        self.socket = listen(LOCAL, port)
        self.port = self.socket.getsockname()[1]
        own = options.get("own_player")
        first, second = (one if isinstance(one, Side) else read_side(one, tesuji.game(game), own) for one in sides)
        self.opening = Opening(tesuji.game(game), sides=(first, second), **options)
        self.hub = None
        self.loop = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()
        assert self._ready.wait(PATIENCE)

    async def _run(self):
        self.loop = asyncio.get_running_loop()
        self.hub = Hub(self.opening, memory=600.0)
        self.app = make_app(self.hub, self.keys, names_of(LOCAL), self.port)
        self.server = PageServer(make_config(self.app))
        self.server.hub = self.hub
        self._ready.set()
        await self.server.serve([self.socket])

    def close(self):
        self.server.should_exit = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def do(self, function):
        """Calls a function in the server's own thread."""
        done = threading.Event()
        found = []

        def call():
            found.append(function())
            done.set()

        self.loop.call_soon_threadsafe(call)
        assert done.wait(PATIENCE)
        return found[0]

    @property
    def address(self):
        """What the terminal shows."""
        return f"http://{LOCAL}:{self.port}{ENTRANCE}#{self.keys.token}"

    def bearer(self):
        """The header with the key, for which the token is exchanged the first time."""
        if not self.keys.is_used:
            status, _, body = self.request("POST", "/key", headers={"Authorization": f"Bearer {self.keys.token}"})
            assert status == 200 and json.loads(body) == {"key": self.keys.key}
        return {"Authorization": f"Bearer {self.keys.key}"}

    def status_soon(self, path, seconds=PATIENCE):
        """The status of a request, sent again while the server has not yet seen that other connections are closed."""
        end = time.monotonic() + seconds
        while True:
            try:
                return self.request("GET", path)[0]
            except ConnectionError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def request(self, method, path, body=None, headers=None):
        """Status, headers and body of one request, as they come; the headers are the page's own unless others are given."""
        connection = http.client.HTTPConnection(LOCAL, self.port, timeout=PATIENCE)
        sent = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"} if method == "POST" else {}
        sent |= self.bearer() if "Authorization" not in (headers or {}) else {}
        sent |= headers or {}
        sent = {name: value for name, value in sent.items() if value is not None}
        with contextlib.closing(connection):
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


class Client:
    """A tab: commands go out by `post`, events come in."""

    def __init__(self, server, name=None):
        self.server = server
        self.name = name or secrets.token_hex(10)
        self.state = None
        self.game = None
        self.seen = []
        self._events = queue.Queue()
        self.connect()

    def connect(self):
        """Opens the stream of events, and waits for the state."""
        connection = http.client.HTTPConnection(LOCAL, self.server.port, timeout=PATIENCE)
        connection.request("GET", f"/events?tab={self.name}", headers=self.server.bearer())
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        self._connection, self._answer = connection, answer
        threading.Thread(target=self._read, args=(answer,), daemon=True).start()
        self.wait("state")

    def disconnect(self):
        self._connection.sock.shutdown(2) if self._connection.sock else None
        self._answer.close()
        self._connection.close()

    def _read(self, answer):
        name = ""
        with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):
            for line in answer:
                text = line.decode().rstrip("\n")
                if text.startswith("event: "):
                    name = text[7:]
                elif text.startswith("data: "):
                    self._events.put((name, json.loads(text[6:])))
        self._events.put(("end", {}))

    def post(self, command, **fields):
        """The answer of a command that must succeed."""
        status, answer = self.try_to(command, **fields)
        assert status == 200 and answer["ok"], answer
        return answer

    def try_to(self, command, **fields):
        body = {"tab": self.name, "generation": self.state["generation"], **fields}
        status, _, answer = self.server.request("POST", f"/api/{command}", json.dumps(body))
        return status, json.loads(answer)

    def refused(self, command, **fields):
        """The sentence with which a command is refused."""
        status, answer = self.try_to(command, **fields)
        assert status == 400 and set(answer) == {"error"}, answer
        assert "\n" not in answer["error"] and len(answer["error"]) < 600
        return answer["error"]

    def wait(self, name="state", when=lambda values: True):
        """The next event of that name for which the condition holds; all on the way are kept in `seen`."""
        until = time.monotonic() + PATIENCE
        while True:
            found, values = self._events.get(timeout=max(0.1, until - time.monotonic()))
            self.seen.append((found, values))
            if found == "state":
                nodes = {} if values["tree"]["full"] else self.state["nodes"]
                nodes = {**nodes, **{node["id"]: node for node in values["tree"]["nodes"]}}
                self.state = {**values, "nodes": nodes}
            if found == "game":
                self.game = values
            if found == name and when(values):
                return values
            assert found != "end", f"the stream ended before {name}"

    def ended(self):
        """Waits for the end of the stream."""
        while self._events.get(timeout=PATIENCE)[0] != "end":
            pass
        return True

    def until(self, condition):
        """Waits until the state is so, if it is not already."""
        if not condition(self.state):
            self.wait("state", condition)

    def play(self, *moves):
        for move in moves:
            before = self.state["generation"]
            self.post("move", move=move)
            self.wait("state", lambda values, before=before: values["generation"] > before)

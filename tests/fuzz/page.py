"""Hostile requests to the page: every command with values that it does not expect, and requests of those who have no key.

The server runs in this process, without sockets, so that a request is repeated by its text; its engines are real processes.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import Counter, deque
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import tesuji
from tesuji.play.side import PERSON
from tesuji.web.app import make_app
from tesuji.web.commands import COMMANDS
from tesuji.web.hub import Hub, Opening
from tesuji.web.security import Bucket, Keys
from tesuji.web.server import LOCAL, names_of

PORT = 8600
TAB = "f" * 20
PATIENCE = 300.0  # seconds without an answer, after which the server counts as dead
MISTAKES = ("internal error", "the engine failed")
REFUSALS = {400, 403, 405, 413, 414, 415, 421}
LAST = 12  # commands that a finding shows

# A text between two of these becomes a part of the JSON as it is: no number of Python's is written so.
RAW = "\x01"
_RAW = re.compile(r'"\\u0001(.*?)\\u0001"')
DIGITS = "9" * 400
UNUSUAL = [DIGITS, f"-{DIGITS}", "9" * 5000, f"{DIGITS}.5", "1e400", "-1e400", "1e-400", "1E+9999999"]
UNUSUAL += ["NaN", "Infinity", "-Infinity", "-0", "1e5", "0.5e1"]
NUMBERS = [
    *(f"{RAW}{text}{RAW}" for text in UNUSUAL),
    *(0, 1, -1, 2, 7, 31, 2**31, 2**53, 2**63 - 1, 2**63, 2**64, -(2**63), 10**17, 0.0, 0.5, 1.0, 1.5, -0.0, 1e308, 5e-324),
]
TEXTS = ["", " ", "x", "\0", "\n", "\ud800", "é" * 300, "a" * 100_000, "../../x", "%s{}", f"-{DIGITS}.{DIGITS}", *UNUSUAL]
NESTED = f"{RAW}{'[' * 100_000}{RAW}"
OTHERS = [None, True, False, [], {}, [None], [[[[[]]]]], {"a": {"b": {}}}, ["a1"] * 10_001, NESTED]
GAMES = ["tictactoe", "connect4:4x3:3", "go:3", "go:5:komi=0.5", "hex:3", "hex:2:swap=on", "samegame:3x4:1", "dotsandboxes:1x2"]
PLAYERS = [None, None, None, "tesuji", "uct", "uct", "uct-rave", "alphabeta", "mogo", "nobody"]
PARAMETERS = {"exploration": 0.5, "threads": 1, "memory": 1.0, "solver": "bounds", "expand_after": 2}
RECORD = "(;GM[1]SZ[{a}]KM[{b}]HA[{c}];B[bb]SBKV[{d}]LZ[0 {e} {f}k x]TESUJIVALUE[{g}];W[cc]C[{h}](;B[aa])(;B[]))"


class Attack:
    """A server, a tab of it, and what was asked so far."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.keys = Keys()
        self.counts: Counter[str] = Counter()
        self.asked: deque[str] = deque(maxlen=LAST)
        self.undo = ""
        self.hub = Hub(Opening(tesuji.game("tictactoe"), sides=(PERSON, PERSON)), memory=240.0)
        self.app = make_app(self.hub, self.keys, names_of(LOCAL), PORT)
        self.app._bucket = Bucket(1e18)

    # -- requests ------------------------------------------------------------------------------------------------------
    async def send(
        self, method: str, path: str, body: bytes, headers: dict[str, str], take: Callable[[bytes], None] | None = None
    ) -> tuple[int, bytes]:
        """Status and body of the answer; `take` gets the body piece by piece."""
        status, pieces, waiting = 0, [], [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            if waiting:
                return waiting.pop()
            await asyncio.Event().wait()  # the connection stays open
            raise AssertionError("never")

        async def send(message: dict[str, Any]) -> None:
            nonlocal status
            status = message.get("status", status)
            (take or pieces.append)(message.get("body", b""))

        path, _, query = path.partition("?")
        names = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": names}
        scope |= {"http_version": "1.1", "scheme": "http", "root_path": "", "raw_path": path.encode(), "server": (LOCAL, PORT)}
        await self.app(scope, receive, send)
        return status, b"".join(pieces)

    def headers(self) -> dict[str, str]:
        own = {"Host": f"{LOCAL}:{PORT}", "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
        return {**own, "Authorization": f"Bearer {self.keys.key}"}

    async def command(self, name: str, body: str) -> tuple[int, dict[str, Any]]:
        self.asked.append(f"{name} {body[:1000]}")
        try:
            sent = body.encode("utf-8", "surrogatepass")
            status, answer = await asyncio.wait_for(self.send("POST", f"/api/{name}", sent, self.headers()), PATIENCE)
        except TimeoutError:
            raise self.finding("no answer") from None
        except Exception as error:  # the server sends its answer, and then raises what it could not foresee
            raise self.finding(f"{type(error).__name__}: {error}") from error
        values = json.loads(answer)
        if status not in (200, 400, 404, 409, 413) or self.is_mistake(values.get("error", "")):
            raise self.finding(f"status {status}: {answer[:500]!r}")
        self.counts[f"{name}: {'answered' if status == 200 else 'refused'}"] += 1
        return status, values

    async def intrude(self, name: str, body: str) -> None:
        """The same request of somebody who is not the page: nothing is done, and nothing is said but that."""
        headers = self.headers()
        name_of, value = self.rng.choice(
            [
                ("Authorization", f"Bearer {self.rng.getrandbits(250):x}"),
                ("Authorization", f"Bearer {self.keys.key[:-1]}"),
                ("Authorization", f"Basic {self.keys.key}"),
                ("Authorization", ""),
                ("Host", "evil.example"),
                ("Host", f"evil.example:{PORT}"),
                ("Sec-Fetch-Site", self.rng.choice(["cross-site", "same-site", "none"])),
                ("Origin", "http://127.0.0.1:1"),
                ("Content-Type", "text/plain"),
            ]
        )
        headers[name_of] = value
        method, path = self.rng.choice([("POST", f"/api/{name}"), ("POST", "/key"), ("GET", f"/events?tab={TAB}")])
        if name_of in ("Content-Type", "Origin", "Sec-Fetch-Site"):
            method = "POST"  # what is only read is not asked for these
        before = self.hub.tabs[TAB].generation
        status, answer = await self.send(method, path, body.encode("utf-8", "surrogatepass"), headers)
        if status not in REFUSALS or self.keys.key.encode() in answer or self.hub.tabs[TAB].generation != before:
            raise self.finding(f"{method} {path} with {name_of}: {value!r} was answered with {status}: {answer[:200]!r}")
        self.counts["intrusion: refused"] += 1

    def listen(self) -> asyncio.Task[Any]:
        """The stream of the tab: what the engine says of a search comes there."""
        text = b""

        def take(piece: bytes) -> None:
            nonlocal text
            *events, text = (text + piece).split(b"\n\n")
            for event in events:
                is_error = event.startswith(b"event: error") and self.is_mistake(event.decode())
                if is_error or event.startswith(b"event: engine-died"):
                    self.heard.append(event.decode())

        self.heard: list[str] = []
        headers = {name: value for name, value in self.headers().items() if name != "Content-Type"}
        return asyncio.create_task(self.send("GET", f"/events?tab={TAB}", b"", headers, take))

    def is_mistake(self, text: str) -> bool:
        return any(words in text for words in MISTAKES)

    def finding(self, what: str) -> AssertionError:
        return AssertionError(f"{what[:2000]}\nthe last commands, the guilty one last:\n" + "\n".join(self.asked))

    # -- what is asked -------------------------------------------------------------------------------------------------
    def hostile(self) -> Any:
        return self.rng.choice(self.rng.choice([NUMBERS, NUMBERS, TEXTS, OTHERS]))

    def number(self) -> str:
        """For a text: of a record, a link, the name of a game."""
        return str(self.rng.choice([*NUMBERS, "5", "9", "x", ""])).strip(RAW)

    def record(self) -> str:
        """A record with one hostile number."""
        analysis: dict[str, Any] = {"mover": 1, "chance": 0.5, "value": 1, "playouts": 1}
        values = {"a": "5", "b": "6.5", "c": "0", "d": "50", "e": "40.5", "f": "2", "h": ""}
        letter = self.rng.choice("abcdefgh")
        if letter == "g":
            analysis[self.rng.choice(list(analysis))] = self.hostile()
        else:
            values[letter] = self.number()
        return RECORD.format(**values, g=self.written(analysis))

    def sides(self) -> list[Any]:
        return [self.side(), self.side()]

    def side(self) -> Any:
        if self.rng.random() < 0.5:
            return {"kind": "person"}
        return {"kind": "computer", "level": self.rng.randint(1, 10), "playouts": self.rng.randint(1, 20), **self.choice()}

    def choice(self) -> dict[str, Any]:
        names = self.rng.sample(sorted(PARAMETERS), self.rng.choice([0, 0, 1, 2]))
        return {"player": self.rng.choice(PLAYERS), "parameters": {name: PARAMETERS[name] for name in names}}

    def game(self) -> str:
        if self.rng.random() < 0.8:
            return self.rng.choice(GAMES)
        name, between = self.rng.choice(GAMES).partition(":")[0], self.rng.choice(["", "x", ":", ":komi=", ","])
        return f"{name}:{self.number()}{between}{self.number()}"

    def link(self) -> str:
        values = {"game": self.game(), "moves": self.rng.choice(["", "a1", "a1 b2"]), "sides": self.written(self.sides())}
        if self.rng.random() < 0.3:
            values |= {"stones": f"a1={self.number()} b2=1", "to_move": self.number()}
        return "#" + urlencode(values, errors="replace")

    def shape(self, name: str) -> dict[str, Any]:
        """The fields of a command as the page would send them, for the position that is shown."""
        rng, tab = self.rng, self.hub.tabs[TAB]
        moves = list(tab.position.legal_moves) or ["a1"]
        node = rng.choice(list(tab.tree.nodes))
        limits = {"seconds": rng.choice([0.01, 0.05]), "playouts": rng.randint(1, 10)}
        game = self.game()
        komi = 7.5 if game.startswith("go") else None
        fields: dict[str, dict[str, Any]] = {
            "new": {"game": game, "sides": self.sides(), "moves": [], "handicap": 0, "komi": komi, "clock": "600+3x30"},
            "teach": {"loss": 0.2},
            "mark": {"node": node, "at": "b2", "kind": self.rng.choice(["label", "circle"]), "text": "A"},
            "move": {"move": rng.choice(moves)},
            "goto": {"node": node},
            "agree": {"dead": ["a1"]},
            "hint": {**limits, **self.choice()},
            "sides": {"sides": self.sides()},
            "pause": {"paused": rng.random() < 0.5},
            "analyse": {"on": rng.random() < 0.5, "ownership": True, "region": rng.choice([[], ["b2"]]), **self.choice()},
            "analyse-game": {"threshold": 0.05, **limits, **self.choice()},
            "compare": {"players": [self.choice(), self.choice()], **limits},
            "solve": {**limits, **self.choice()},
            "certificate-open": {"base64": "VEVTVUpJ", "name": "x.cert"},
            "certificate-walk": {"moves": moves[:1], "side": 1},
            "tree": {"moves": moves[:1], "slot": 0},
            "step": self.choice(),
            "sgf-open": {"text": self.record(), "name": "x.sgf", "number": 1},
            "setup": {"stones": {"a1": 0, "b2": 1}, "to_move": 0, "keep": rng.random() < 0.5},
            "comment": {"node": node, "text": "a comment"},
            "delete": {"node": node},
            "restore": {"undo": self.undo},
            "promote": {"node": node},
            "players": {"game": self.game()},
            "parameters": {"game": self.game(), "to": "play", **self.choice()},
            "open-link": {"fragment": self.link()},
        }
        return {"tab": TAB, "generation": tab.generation, **fields.get(name, {})}

    def mutate(self, value: Any) -> Any:
        """The value with one place of it changed."""
        if isinstance(value, dict) and value and self.rng.random() < 0.9:
            name = self.rng.choice([key for key in value if key != "tab" or self.rng.random() < 0.1] or ["tab"])
            way = self.rng.random()
            if way < 0.05:
                return {key: one for key, one in value.items() if key != name}
            if way < 0.1:
                return {**value, self.rng.choice(TEXTS): self.hostile()}
            return {**value, name: self.mutate(value[name])}
        if isinstance(value, list) and value and self.rng.random() < 0.8:
            place = self.rng.randrange(len(value))
            return [self.mutate(one) if at == place else one for at, one in enumerate(value)]
        return self.hostile()

    @staticmethod
    def written(value: Any) -> str:
        return _RAW.sub(lambda match: match[1], json.dumps(value))

    def damaged(self, body: str) -> str:
        at = self.rng.randrange(len(body))
        return body[:at] + self.rng.choice(["", "\0", "}", '"', ",", "9" * 400, "é"]) + body[at + self.rng.randint(0, 3) :]


async def attack(rng: random.Random, stop: Callable[[], bool]) -> Counter[str]:
    attack = Attack(rng)
    names = [name for name in COMMANDS if name != "close"]
    await attack.hub.open()
    stream = attack.listen()
    try:
        while TAB not in attack.hub.tabs:
            await asyncio.sleep(0)
        while not stop():
            name = rng.choice(names)
            fields = attack.shape(name)
            for _ in range(rng.choice([0, 0, 1, 1, 2])):
                fields = attack.mutate(fields)
            body = attack.written(fields)
            if rng.random() < 0.05:
                body = attack.damaged(body)
            if rng.random() < 0.1:
                await attack.intrude(name, body)
            _, answer = await attack.command(name, body)
            attack.undo = answer.get("undo", attack.undo)
            if rng.random() < 0.3:
                await attack.command("stop", attack.written(attack.shape("stop")))
            if stream.done() or attack.heard:
                raise attack.finding(f"the stream has ended, or says: {attack.heard}")
        await attack.command("new", attack.written({"tab": TAB, "game": "tictactoe", "sides": [{"kind": "person"}] * 2}))
        status, answer = await attack.command("move", attack.written({**attack.shape("move"), "move": "b2"}))
        if status != 200 or attack.hub.tabs[TAB].tree.position().moves != ("b2",):
            raise attack.finding(f"the page is not what it was: {answer}")
    finally:
        stream.cancel()
        await attack.hub.close()
    return attack.counts


def attack_page(rng: random.Random, stop: Callable[[], bool]) -> Counter[str]:
    """Commands until `stop()`, and what became of them. An AssertionError shows the last ones."""
    return asyncio.run(attack(rng, stop))

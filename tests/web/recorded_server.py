"""A server for the page without an engine: it plays moves by the rules, sends recorded analyses, and keeps what it was asked.

It speaks the protocol of docs/web-protocol.md as far as tests of layout and overlays need it, with the same content policy as
the real one.
"""

from __future__ import annotations

import contextlib
import json
import queue
import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import tesuji
from tesuji.core.picture.drawing import describe, draw
from tesuji.games.registry import ENTRIES, find_game
from tesuji.web.catalogue import shown
from tesuji.web.guide import guide_of

STATIC = Path(tesuji.__file__).parent / "web" / "static"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
PLAYERS = [  # the usual one is not the first
    {
        "name": name,
        "summary": f"the player {name}",
        "default": name == "tesuji",
        "analyses": name == "tesuji",
        "alphabeta": False,
        "parameters": [],
    }
    for name in ("uct", "tesuji", "uct-rave")
]
PARAMETERS = [
    {
        "name": "exploration",
        "part": "selection",
        "meaning": "how much is tried",
        "kind": "number",
        "low": 0,
        "high": 10,
        "choices": None,
    },
    {"name": "playouts", "meaning": "playouts a move", "kind": "integer", "low": 1, "high": 10**9, "choices": None},
    {
        "name": "solver",
        "part": "search",
        "meaning": "what is proven",
        "kind": "choice",
        "low": None,
        "high": None,
        "choices": ["off", "bounds"],
    },
    {"name": "cuts", "meaning": "cut what cannot matter", "kind": "flag", "low": None, "high": None, "choices": None},
]
VALUES = {"exploration": 0.4, "playouts": 1000, "solver": "bounds", "cuts": True}


class RecordedServer:
    """One tab's game. `asked` holds every command with its fields."""

    def __init__(self, game: str = "tictactoe", moves: tuple[str, ...] = (), **state: Any):
        self.extra: dict[str, Any] = state
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, dict[str, Any]] = {}
        self.failures: dict[str, tuple[int, dict[str, Any]]] = {}
        self.streams: list[queue.Queue[tuple[str, Any] | None]] = []
        self.generation = 1
        self.ownership = True  # whether the game has it
        self.network: str | None = None
        self.sides: list[dict[str, Any]] = [{"kind": "person"}, {"kind": "person"}]
        self.analysis_on: dict[str, Any] | None = None
        self.load(game, moves)

    def load(self, game: str, moves: tuple[str, ...] = ()) -> None:
        self.game = tesuji.game(game)
        self.positions = [self.game.start]
        for move in moves:
            self.positions.append(self.positions[-1].play(move))
        self.nodes = [self._node(number) for number in range(len(self.positions))]
        self.current = len(self.positions) - 1

    # -- events --------------------------------------------------------------------------------------------------------
    def _node(self, number: int) -> dict[str, Any]:
        position = self.positions[number]
        mover = None
        if number:
            mover = draw(position)["last"]["player"]
        return {
            "id": number,
            "parent": number - 1 if number else None,
            "children": [number + 1] if number + 1 < len(self.positions) else [],
            "move": position.moves[-1] if number else None,
            "mover": mover,
            "ply": number,
            "comment": "",
            "setup": False,
            "analysis": None,
        }

    def hello(self) -> dict[str, Any]:
        limits = {"seconds": 600, "memory": 1000, "searches": 2, "body": 2 << 20, "tree_nodes": 20000}
        return {"version": "0", "limits": limits, "threads": 1, "default_game": self.game.name}

    def games(self) -> list[dict[str, Any]]:
        sizes = {"go": ["9", "13", "19"], "hex": ["7", "11"], "connect4": ["7x6", "5x4"]}
        return [
            {
                "name": entry.name,
                "title": entry.title,
                "form": entry.form,
                "example": entry.example,
                "summary": entry.summary,
                "players": 1 if entry.name == "samegame" else 2,
                **shown(find_game(entry.example)),
                "options": [
                    {
                        "name": "size",
                        "label": "Size",
                        "kind": "choice",
                        "values": sizes[entry.name],
                        "labels": sizes[entry.name],
                        "default": sizes[entry.name][0],
                        "open": True,
                    }
                ]
                if entry.name in sizes
                else [],
                "pattern": entry.name + ":{size}" if entry.name in sizes else entry.example,
            }
            for entry in ENTRIES
        ]

    def game_event(self) -> dict[str, Any]:
        game = self.game
        return {
            "name": game.name,
            "family": game.name.partition(":")[0],
            "title": game.title or game.name,
            "players": game.players,
            "player_names": list(game.player_names),
            "outcomes": [game.in_points(outcome) for outcome in game.outcomes],
            "draw_value": game.draw_outcome,
            "has_scores": game.outcomes[1] - game.outcomes[0] > 2,
            "board": describe(game),
            "can_set_up": game.board is not None and game.board.set_up is not None,
            "can_pass": False,
            "handicap": False,
            "komi": None,
            "ownership": self.ownership,
            "network": self.network,
            "sgf": game.board is not None,
            "default_player": "tesuji",
            "guide": guide_of(game),
            "explains": game.why_illegal is not None,
            "can_mark": game.board is not None,
        }

    def state(self) -> dict[str, Any]:
        position = self.positions[self.current]
        drawing = draw(position)
        to_move = drawing["to_play"]
        result = None
        if position.is_over:
            names = self.game.player_names
            winner = None if position.winner is None else names.index(position.winner)
            result = {"text": drawing["result"], "sgf": position.result, "winner": winner, "outcome": position.outcome}
        return {
            "generation": self.generation,
            "node": self.current,
            "position": drawing,
            "moves": list(position.legal_moves),
            "text": str(position),
            "to_move": to_move,
            "turn": "over" if result else self.sides[to_move]["kind"],
            "last_move": position.moves[-1] if position.moves else None,
            "last_mover": drawing["last"]["player"] if drawing["last"] else None,
            "ply": self.current,
            "captures": None,
            "result": result,
            "scoring": None,
            "message": f"{self.game.player_names[drawing['last']['player']]} plays {position.moves[-1]}"
            if position.moves
            else "",
            "sides": self.sides,
            "paused": False,
            "running": None,
            "analysis_on": self.analysis_on,
            "can": {"undo": self.current > 0, "redo": self.current + 1 < len(self.positions), "resign": not result}
            | {"pass": False, "swap": False},
            "setup": None,
            "certificate": None,
            "proof": None,
            "notes": [],
            "info": {},
            "markup": [],
            "clock": None,
            "teaching": None,
            "mistake": None,
            "link": f"#game={self.game.name}",
            "tree": {"full": True, "root": 0, "nodes": self.nodes},
            **self.extra,
        }

    def recorded_analysis(self, proven: dict[str, str] | None = None, seed: int = 1, **more: Any) -> dict[str, Any]:
        """Numbers as a search would give them: few moves with many visits, and some with fewer than ten."""
        position = self.positions[self.current]
        chance = random.Random(seed)
        texts = list(position.legal_moves)
        chance.shuffle(texts)
        visits, moves = 42_000.0, []
        for text in texts:
            value = max(0.02, min(0.98, 0.62 - 0.06 * len(moves) + 0.02 * chance.random()))
            outcome = (proven or {}).get(text, "unknown")
            moves.append(
                {
                    "move": text,
                    "visits": int(visits),
                    "value": 2 * value - 1,
                    "chance": value,
                    "prior": round(1 / (1 + len(moves)), 3),
                    "rave": None,
                    "rave_chance": None,
                    "lower": self.game.in_points(self.game.outcomes[0]),
                    "upper": self.game.in_points(self.game.outcomes[1]),
                    "outcome": outcome,
                    "pv": [text, *[other for other in texts if other != text][:5]],
                }
            )
            visits = max(3.0, visits * 0.45)
        return {
            "generation": self.generation,
            "task": "analyse",
            "slot": 0,
            "final": False,
            "player": "tesuji",
            "mover": draw(position)["to_play"],
            "playouts": 91_234,
            "nodes": 1234,
            "seconds": 1.5,
            "speed": 60_000,
            "value": 0.24,
            "chance": 0.62,
            "lower": -1,
            "upper": 1,
            "proven": False,
            "outcome": "unknown",
            "proof": "",
            "best": texts[0] if texts else None,
            "full": False,
            "score": None,
            "ownership": None,
            "moves": moves,
            **more,
        }

    def send(self, name: str, data: Any) -> None:
        for stream in self.streams:
            stream.put((name, data))

    def change(self) -> None:
        """The position has changed: everybody is told."""
        self.generation += 1
        self.send("state", self.state())

    def drop(self) -> None:
        """Ends all streams, as when the connection is lost."""
        for stream in self.streams:
            stream.put(None)
        self.streams = []

    # -- commands ------------------------------------------------------------------------------------------------------
    def answer(self, name: str, fields: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.asked.append((name, fields))
        if name in self.failures:
            return self.failures[name]
        if name in self.answers:
            return 200, {"ok": True, "generation": self.generation, **self.answers[name]}
        if name == "move":
            try:
                position = self.positions[self.current].play(fields["move"])
            except tesuji.Error as error:
                return 400, {"error": str(error)}
            del self.positions[self.current + 1 :]
            self.positions.append(position)
            self.current += 1
            self.nodes = [self._node(number) for number in range(len(self.positions))]
            self.change()
        elif name in ("undo", "redo", "goto"):
            self.current = fields["node"] if name == "goto" else self.current + (1 if name == "redo" else -1)
            self.change()
        elif name == "drawings":
            known = [number for number in fields["nodes"] if number < len(self.positions)]
            return 200, {"ok": True, "drawings": {n: draw(self.positions[n], with_moves=False) for n in known}}
        elif name == "new":
            self.load(fields["game"])
            self.sides = fields["sides"]
            self.send("game", self.game_event())
            self.change()
        elif name == "sides":
            self.sides = fields["sides"]
            self.change()
        elif name == "analyse":
            self.analysis_on = {"player": None, "parameters": {}} if fields["on"] else None
            self.send("state", self.state())
            if fields["on"]:
                self.send("analysis", self.recorded_analysis())
        elif name == "comment":
            self.nodes[fields["node"]]["comment"] = fields["text"]
            self.send("state", self.state())
        elif name == "games":
            return 200, {"ok": True, "games": self.games()}
        elif name == "players":
            given = fields.get("game")
            game = self.game if given in (None, self.game_event()["name"]) else tesuji.game(given)
            return 200, {"ok": True, "players": PLAYERS, "player_names": list(game.player_names)[: game.players]}
        elif name == "parameters":
            return 200, {"ok": True, "parameters": [{**one, "default": VALUES[one["name"]], "value": VALUES[one["name"]], "brings": False} for one in PARAMETERS]}  # fmt: skip  # noqa: E501
        return 200, {"ok": True}

    def names_asked(self) -> list[str]:
        return [name for name, _ in self.asked]

    def fields_of(self, name: str) -> dict[str, Any]:
        """The fields of the last such command, without those that every command has."""
        found = next(fields for asked, fields in reversed(self.asked) if asked == name)
        return {key: value for key, value in found.items() if key not in ("tab", "generation")}


@contextlib.contextmanager
def serving(recorded: RecordedServer) -> Iterator[str]:
    """The address of the page, served from a thread."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_words: object) -> None:
            pass

        def give(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", POLICY)
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path == "/events":
                return self.stream()
            file = STATIC / ("index.html" if path == "/" else Path(path).name)
            if not file.is_file():
                return self.give(404, "text/plain", b"")
            return self.give(200, TYPES[file.suffix], file.read_bytes())

        def stream(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            mine: queue.Queue[tuple[str, Any] | None] = queue.Queue()
            for name, data in (("hello", recorded.hello()), ("game", recorded.game_event()), ("state", recorded.state())):
                mine.put((name, data))
            recorded.streams.append(mine)
            with contextlib.suppress(OSError):
                while (event := mine.get()) is not None:
                    name, data = event
                    self.wfile.write(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())
                    self.wfile.flush()
            self.close_connection = True

        def do_POST(self) -> None:
            fields = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = recorded.answer(self.path.rpartition("/")[2], fields)
            self.give(status, "application/json", json.dumps(answer).encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        recorded.drop()
        server.shutdown()
        server.server_close()

"""Hostile requests: JSON lines and GTP. A bad line is answered by an error, and the next one is read."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest
import samples

from tesuji.games.registry import find_game
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.server import Server
from tesuji.players.presets import find_player

GOOD = {"id": "good", "game": "tictactoe", "playouts": 1}


@pytest.fixture
def evil(good):
    Path("evil.py").write_bytes(good["evil.py"])
    Path("w.json").write_bytes(good["evaluation.json"])


@pytest.fixture
def ask(tesuji, monkeypatch):
    """Sends lines to `tesuji analyze --jsonl` and, last, a good one; returns the answers before that one's."""

    def run(lines: list[bytes]) -> list[dict]:
        stream = io.TextIOWrapper(io.BytesIO(b"\n".join([*lines, json.dumps(GOOD).encode()]) + b"\n"), errors="replace")
        monkeypatch.setattr(sys, "stdin", stream)
        answer = tesuji("analyze", "--jsonl", "--memory", 1)
        assert answer.code == 0
        answers = [json.loads(line) for line in answer.out.splitlines()]
        assert answers[-1]["id"] == "good" and answers[-1]["playouts"] == 1
        return answers[:-1]

    return run


FILES = [
    {"game": "evil.py:game"},
    {"game": "./evil.py:game"},
    {"game": "/dev/zero:game"},
    {"game": "pipe.py:game"},
    {"game": "evil.py"},
    {"player": "evil.py:player"},
    {"player": "./evil.py:player"},
    {"game": "loa", "player": "mc-loa:weights=w.json"},
    {"game": "loa", "player": "mc-loa:weights=pipe.py"},
    {"game": "loa", "player": "mc-loa:weights=/dev/zero+w.json"},
    {"sgf": "(;GM[0]TESUJI[evil.py:game])", "game": None},
    {"sgf": "(;GM[1]SZ[9])", "game": "evil.py:game"},
]


def test_requests_that_name_files_are_refused(ask, evil):
    os.mkfifo("pipe.py")
    requests = [{**GOOD, "id": number, **change} for number, change in enumerate(FILES)]
    answers = ask([json.dumps(request).encode() for request in requests])
    assert [answer["id"] for answer in answers] == list(range(len(FILES)))
    assert all("error" in answer and "\n" not in answer["error"] for answer in answers), answers


def test_a_game_of_one_s_own_that_the_command_line_names_is_searched(tesuji, monkeypatch, good):
    Path("own.py").write_bytes(good["own.py"])
    lines = b'{"id": 1, "playouts": 1}\n{"id": 2, "playouts": 1, "game": "own.py:game"}\n{"id": 3, "game": "./own.py:game"}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    answers = {a["id"]: a for a in map(json.loads, tesuji("analyze", "own.py:game", "--jsonl", "--memory", 1).out.splitlines())}
    assert answers[1]["game"] == answers[2]["game"] == "own.py:game" and "error" in answers[3]


VALUES = [None, [], {}, "", "x", -1, 10**30, 1.5, True, "\x1b[2J", "x" * 100_000, [[[[]]]], [1] * 100_000, {"a": {"a": 1}}]


def test_wrong_values(ask):
    keys = ("id", "game", "moves", "sgf", "at", "gameIndex", "player", "playouts", "seconds", "seed", "action", "terminateId")
    lines = [json.dumps({**GOOD, "id": 1, key: value}).encode() for key in keys for value in VALUES if key != "playouts"]
    lines += [json.dumps({**GOOD, "playouts": value}).encode() for value in VALUES if value not in (None, 10**30)]
    answers = ask(lines)
    assert len(answers) == len(lines)
    assert sum("error" in answer for answer in answers) > len(lines) / 2


def test_lines_that_are_no_requests(ask, good):
    nan = [b'{"id": NaN}', b'{"id": 1e999}', b'{"id": 1, "id": 2}', b'{"id": ' + b"9" * 5000 + b"}", b"{}", b"[]", b"1", b'"x"']
    deep = [b"[" * 100_000, b'{"id":' * 50_000, b'{"id":1,"moves":' + b"[" * 50_000]
    whole = json.dumps({**GOOD, "id": 1, "moves": ["b2"]}).encode()
    cut = [whole[: len(whole) * part // 16] for part in range(1, 16)]
    flipped = [whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :] for at in range(len(whole))]
    files = [data.replace(b"\n", b" ").replace(b"\r", b" ") for data in good.values() if not data.isspace()]
    lines = [line for line in (*nan, *deep, *cut, *flipped, *files, *samples.ALIEN) if line.strip() and b"\n" not in line]
    answers = ask(lines)
    assert len(answers) >= len(lines) - 2


def test_a_line_that_is_too_long(ask):
    (answer,) = ask([b'{"id": 1, "game": "' + b"x" * (17 << 20) + b'"}'])
    assert answer["id"] is None and "too long" in answer["error"]


# -- GTP -------------------------------------------------------------------------------------------------------------------
class Session:
    """An engine in this process: `say` gives the answers to some lines, and looks whether it goes on."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        engine = Engine(find_game("go:4"), find_player("uct:playouts=1,memory=1"), 1, None)
        self.server = Server(engine, self.pieces.append)

    def say(self, line: str) -> str:
        self.pieces.clear()
        assert self.server.handle(line) or "quit" in line
        answer = "".join(self.pieces)
        assert "internal error" not in answer and "Traceback" not in answer, (line[:80], answer)
        assert self.server.handle("name") and self.pieces[-1].startswith("= ")
        return answer


def test_gtp_files(evil):
    session = Session()
    os.mkfifo("pipe")
    Path("huge").touch()
    os.truncate("huge", 20 << 30)
    Path("evil.sgf").write_text("(;GM[0]TESUJI[evil.py:game])")
    for name in ("evil.py", "evil.sgf", "pipe", "huge", "/dev/zero", ".", "none", "w.json", "x" * 300, "a\0b"):
        assert session.say(f"loadsgf {name}").startswith("? "), name


@pytest.mark.parametrize("command", ["tesuji-param", "tesuji-params"])
def test_gtp_names_no_weights(evil, command):
    os.mkfifo("pipe")
    pieces: list[str] = []
    server = Server(Engine(find_game("loa"), find_player("mc-loa:playouts=1,memory=1"), 1, None), pieces.append)
    for name in ("w.json", "pipe", "/dev/zero"):
        pieces.clear()
        server.handle(f"{command} weights {name}")
        assert "only the command line" in "".join(pieces)
    server.handle(f"{command} weights shipped")
    assert pieces[-1].startswith("=")


ARGUMENTS = [
    "",
    "x",
    "-1",
    "999999999999999999999",
    "1e999",
    "nan",
    "b",
    "b Z99",
    "b a1 c3 d4",
    "\x1b[2J",
    "a" * 5000,
    "b pass " * 300,
]


def test_every_gtp_command_with_every_argument():
    session = Session()
    commands = session.say("list_commands").removeprefix("= ").split()
    endless = {"quit", "kata-analyze", "lz-analyze", "analyze", "kata-genmove_analyze", "lz-genmove_analyze", "genmove_analyze"}
    for command in commands:
        if command in endless or "analyze" in command:
            continue
        for argument in ARGUMENTS:
            session.say(f"{command} {argument}")
    session.say("clear_board")


def test_gtp_streams_that_are_none(good):
    session = Session()
    for data in (*good.values(), *samples.ALIEN):
        for line in data[:20_000].decode("latin-1").splitlines():
            if line.strip() and not line.startswith("quit"):
                session.say(line)

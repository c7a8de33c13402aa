"""A GTP engine in this process, in pure Python: lines go in, answers come out."""

from __future__ import annotations

import re

from tesuji.games.registry import find_game
from tesuji.io.gtp.engine import Engine
from tesuji.io.gtp.server import Server
from tesuji.players.presets import find_player

GO_PLAYER = "uct:playouts=4,memory=4,policy=uniform"


def vertex(point):
    return "ABCDEFGHJKLMNOPQRST"[point[0]] + str(point[1] + 1)


def play(session, text):
    """'b C3 w D3 ...'"""
    words = text.split()
    for colour, place in zip(words[::2], words[1::2], strict=True):
        session.ok(f"play {colour} {place}")


class Session:
    def __init__(self, game, player="tesuji:playouts=20,memory=4", status=None, seed=1):
        player = find_player(player) if isinstance(player, str) else player
        self.engine = Engine(find_game(game) if isinstance(game, str) else game, player, seed, status)
        self.pieces: list[str] = []
        self.lines: list[str] = []
        self.server = Server(self.engine, self.pieces.append)

    def raw(self, line: str) -> str:
        """Everything that is written in answer to one line, checked for being one whole answer (or nothing)."""
        self.pieces.clear()
        self.lines.append(line)
        self.goes_on = self.server.handle(line)
        text = "".join(self.pieces)
        assert text == "" or re.fullmatch(r"[=?][0-9]*( [^\n]*)?\n([^\n]+\n)*\n", text), text
        return text

    def ok(self, line: str) -> str:
        """The text of an answer that must be no error."""
        text = self.raw(line)
        assert text.startswith("="), (line, text)
        return text[1:].strip()

    def fails(self, line: str) -> str:
        """The message of an answer that must be an error; the position must be the same after it."""
        before, entries = self.engine.state.tobytes(), self.engine.played.tree.path()
        text = self.raw(line)
        assert text.startswith("? "), (line, text)
        assert "internal error" not in text
        assert self.engine.state.tobytes() == before and self.engine.played.tree.path() == entries
        return text[2:].strip()

    def stones(self) -> dict[str, str]:
        found = {}
        for colour in ("black", "white"):
            for vertex in self.ok(f"list_stones {colour}").split():
                found[vertex] = colour
        return found

"""Our reader and writer of SGF against sgfmill's, on records of the shapes that collections have."""

from __future__ import annotations

import random

import pytest
from sgfmill import sgf, sgf_grammar, sgf_moves

from tesuji.core import rules
from tesuji.games.registry import find_game
from tesuji.io.sgf import Record, decode, parse_sgf, read_record, record_tree, sgf_bytes

SIZE = 7
GAME = find_game(f"go:{SIZE}")
NAMES = {
    "UTF-8": "Honinbō 秀策",
    "ISO-8859-1": "Müller [9 dan]",
    "windows-1251": "Иванов",
    "EUC-KR": "이세돌",
    "GB18030": "李世石",
    "Shift_JIS": "本因坊 ソ",
    "Big5": "許功蓋",
}
COMMENTS = [
    "",
    "plain",
    "a ] and a \\ and a :",
    "two\nlines\twith a tab",
    "soft \\\nbreak",
    "(;B[aa]) ; CA[GBK]",
    "\\\\\\]",
    " : ",
]


class Maker:
    """Makes one record of a random shape: its bytes, and what is in them."""

    def __init__(self, seed: int):
        self.chance = random.Random(seed)
        self.charset = self.chance.choice(list(NAMES))
        self.old = self.chance.random() < 0.3  # FF[3], with lower-case letters in names
        self.state = GAME.new_state()

    def record(self) -> bytes:
        chance = self.chance
        root = {"FF": "3" if self.old else "4", "GM": "1", "SZ": str(SIZE), "CA": self.charset, "KM": "6.5"}
        if self.charset == "ISO-8859-1" and chance.random() < 0.5:
            del root["CA"]
        root["PW"] = self.escaped(NAMES[self.charset])
        parts = [f"{name}[{value}]" for name, value in root.items()]
        shape = chance.choice(["plain", "handicap", "set-up", "rectangle"])
        first = 0
        if shape == "handicap":
            parts.append("HA[2]AB[cc][ee]")
            self.set_up({(2, 4): 0, (4, 2): 0}, 1)
            first = 1
        elif shape == "set-up":
            parts.append("AB[aa]\n[ba] AW[gg]PL[W]")
            self.set_up({(0, 6): 0, (1, 6): 0, (6, 0): 1}, 1)
            first = 1
        elif shape == "rectangle":
            parts.append("AB[aa:bb]AW[fg:gg]PL[B]")
            self.set_up({(0, 6): 0, (1, 6): 0, (0, 5): 0, (1, 5): 0, (5, 0): 1, (6, 0): 1}, 0)
        chance.shuffle(parts)
        before = "Date: from a mail\r\n\r\n" if chance.random() < 0.2 else ""
        text = f"{before}({self.space()};{''.join(parts)}{self.line(first, chance.randrange(4, 16))}){self.space()}"
        return text.encode(self.charset, "replace")

    def set_up(self, stones, player) -> None:
        self.state = GAME.board.set_up(self.state, stones, player)

    def escaped(self, text: str) -> str:
        return text.replace("\\", "\\\\").replace("]", "\\]")

    def space(self) -> str:
        return self.chance.choice(["", "", " ", "\n", "\r\n", "\t"])

    def line(self, player: int, length: int) -> str:
        """Moves from here, at times with variations beside the rest of the main line."""
        chance, pieces = self.chance, []
        for number in range(length):
            if rules.is_over(self.state):
                break
            pieces.append(self.node(player))
            player = 1 - player
            if chance.random() < 0.15:
                others = "".join(
                    f"(;{'BW'[player]}[{chance.choice('abcdefg')}a]C[other];)" for _ in range(chance.randrange(1, 3))
                )
                return f"{''.join(pieces)}({self.line(player, length - number) or ';'}){others}"
        return "".join(pieces)

    def node(self, player: int) -> str:
        chance = self.chance
        legal = GAME.legal_moves(self.state)
        move = chance.choice(legal)
        text = GAME.sgf_move(self.state, move) or chance.choice(["", "tt"])
        rules.play(self.state, move)
        colour = ("Black", "White")[player] if self.old and chance.random() < 0.5 else "BW"[player]
        comment = chance.choice(COMMENTS)
        note = f"C[{self.escaped(comment)}]" if comment else ""
        time = f"{'BW'[player]}L[12.5]" if chance.random() < 0.2 else ""
        return f"{self.space()};{colour}{self.space()}[{text}]{note}{time}"


def theirs_moves(game: sgf.Sgf_game):
    board, plays = sgf_moves.get_setup_and_moves(game)
    stones = {(column, row): "bw".index(colour) for colour, (row, column) in board.list_occupied_points()}
    return stones, [("bw".index(colour), None if move is None else (move[1], move[0])) for colour, move in plays]


def our_moves(record: Record):
    moves = [(turn.player, GAME.board.point(state, turn.move)) for state, turn in record.replay()]
    return GAME.board.stones(record.start), moves


def their_nodes(game: sgf.Sgf_game):
    waiting = [game.get_root()]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(list(node)))


@pytest.mark.parametrize("seed", range(60))
def test_both_read_the_same(seed):
    maker = Maker(seed)
    data = maker.record()
    if maker.charset in ("GB18030", "Shift_JIS", "Big5"):  # sgfmill cuts bytes before it decodes: give it what we have decoded
        text = decode(data)
        other = text.replace(f"CA[{maker.charset}]", "CA[UTF-8]").encode()
    else:
        other = data
    theirs = sgf.Sgf_game.from_bytes(other)
    (tree,) = parse_sgf(data)
    record = read_record(tree)
    assert our_moves(record) == theirs_moves(theirs)
    assert record.white == NAMES[maker.charset] == theirs.get_player_name("w")
    ours = list(tree.walk())
    found = list(their_nodes(theirs))
    assert len(ours) == len(found)
    for node, their_node in zip(ours, found, strict=True):
        assert set(node.properties) == set(their_node.properties())
        for name in node.properties.keys() - {"CA"}:
            raw = [value.decode(theirs.get_charset()) for value in their_node.get_raw_list(name)]
            assert node.values(name) == raw
        if "C" in node:
            assert node.text("C") == their_node.get("C")


@pytest.mark.parametrize("seed", range(20))
def test_sgfmill_reads_what_we_write(seed):
    maker = Maker(seed)
    record = read_record(parse_sgf(maker.record())[0])
    record.black, record.comment, record.result = "A ] \\ : B", "one\ntwo ]", "B+2.5"
    theirs = sgf.Sgf_game.from_bytes(sgf_bytes([record_tree(record)]))
    assert theirs_moves(theirs) == our_moves(record)
    assert (theirs.get_size(), theirs.get_komi(), theirs.get_winner()) == (SIZE, 6.5, "b")
    assert (theirs.get_player_name("b"), theirs.get_player_name("w")) == (record.black, record.white)
    assert theirs.get_root().get("C") == record.comment
    assert (theirs.get_handicap() or 0) == record.handicap


@pytest.mark.parametrize("seed", range(10))
def test_both_find_the_same_games_in_a_collection(seed):
    data = b"\n".join(Maker(10 * seed + number).record() for number in range(4))
    text = decode(data) if not any(name in data for name in (b"GB18030", b"Shift_JIS", b"Big5")) else data.decode("latin-1")
    theirs = sgf_grammar.parse_sgf_collection(text.encode())
    assert len(parse_sgf(text)) == len(theirs) == 4

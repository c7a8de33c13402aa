"""One good file of every format that is read, made small and quickly, and how files are broken on purpose."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core.container import CHECKSUM_SIZE, LENGTHS, header_text, seal
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.knowledge.loa import evaluation_weights, weights
from tesuji.lab.match.games import SCORE, Played, Ruling, completed
from tesuji.lab.match.games_file import TIMES, games_text
from tesuji.lab.match.games_run import code_digest
from tesuji.lab.match.plan import make_plan, openings_digest
from tesuji.lab.match.store import COLUMNS, Store
from tesuji.lab.report import make_report
from tesuji.lab.report_picture import picture
from tesuji.lab.tune.plan import make_tune_plan
from tesuji.lab.tune.store import TuneStore
from tesuji.players.presets import find_player
from tesuji.proof.trusted import format as form
from tesuji.proof.write.writer import write_certificate
from tesuji.search.files import saved_search
from tesuji.search.files.saved_search import save_search
from tesuji.search.kernel.tree import NODE

PAGE = Path(__file__).parents[2] / "docs" / "your-own-game.md"
MAGIC = saved_search.FORMAT.magic
MARK = "ran"  # a file that code which must not run would make
CODE = f'open({MARK!r}, "w").close()\n'
RECORD = b"(;FF[4]GM[1]SZ[4]KM[0.5]PB[one];B[bb];W[cc];B[bc];W[cb])\n"
MOVES = "#file\tgame\twinner\tmoves\na\t1\tB\tb1-b3 a2-c2 d1-d3 a4-c4\n"
PROBLEMS = "#position\tto_move\tplies\twinning_moves\tsource\n8/8/8/3xx3/8/5x2/2o4o/8\tB\t\t\tmade up\n"


def write_all(folder: Path) -> dict[str, bytes]:
    """Makes every file in the folder; returns the contents by name."""
    write_own_game(folder / "own.py")
    (folder / "evil.py").write_text(CODE + (folder / "own.py").read_text() + '\nplayer = __import__("tesuji").Player("mine")\n')
    own = find_game(str(folder / "own.py") + ":game")
    for name, game in (("plain", find_game("tictactoe")), ("own", own)):
        write_proof(folder / f"{name}.cert", game)
        write_search(folder / f"{name}.search", game, "tesuji:memory=0.5")
    write_search(folder / "go.search", find_game("go:4"), "uct-rave:memory=0.5", 24)
    write_search(folder / "gauss.search", find_game("go:3"), "crazystone:memory=0.5", 12)
    (folder / "categories.json").write_text(small_categories())
    evaluation_weights.EvaluationWeights.shipped().save(folder / "evaluation.json")
    write_match(folder / "match.db")
    write_tune(folder / "tune.db")
    write_games(folder / "games.tsv")
    (folder / "openings.txt").write_text("# two openings\nb2 a1\na1 b2  # the corner\n")
    (folder / "record.sgf").write_bytes(RECORD)
    (folder / "record.sgf.gz").write_bytes(gzip.compress(RECORD))
    (folder / "moves.tsv").write_text(MOVES)
    (folder / "problems.tsv").write_text(PROBLEMS)
    write_tree(folder / "tree.tree")
    write_picture(folder / "picture.svg")
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def write_own_game(path: Path) -> None:
    path.write_text(max(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S), key=len))


def write_proof(path: Path, game: Any) -> None:
    search = find_player("tesuji:memory=1").engine(game, seed=1)
    moves: list[int] = []
    for text in ("b2", "a1", "a2", "c2", "b1") if game.name == "tictactoe" else [None] * 16:  # a few moves before the end
        moves.append(game.legal_moves(search.state)[0] if text is None else game.parse(search.state, text))
        search.advance(moves[-1])
    search.run(Limits(playouts=3000))
    write_certificate(search, path, moves=moves)


def write_tree(path: Path) -> None:
    search = find_player("tesuji:memory=1").search(find_game("tictactoe").start, seed=1)
    search.run(playouts=10)
    path.write_text(json.dumps(search.tree.to_json()))


def write_picture(path: Path) -> None:
    report = make_report(find_game("tictactoe"), find_player("uct:memory=1"), 1, Limits(playouts=2), 1, 1)
    path.write_text(picture(report))


def write_search(path: Path, game: Any, player: str, playouts: int = 30) -> None:
    search = find_player(player).engine(game, seed=1)
    search.run(Limits(playouts=playouts))
    save_search(search, path)


def small_categories() -> str:
    whole = weights.CategoryWeights.shipped()
    few = np.arange(len(whole.available)) < 40
    return weights.CategoryWeights(whole.played * few, whole.available * few, 3, 9).as_text()


def write_match(path: Path) -> None:
    """Two games, made without playing them."""
    game = find_game("tictactoe")
    plan = make_plan(game, ["uct:playouts=2", "uct:playouts=3"], openings=openings_digest([]))
    store = Store(str(path))
    store.open(plan, code_digest(plan, game))
    values = dict.fromkeys(COLUMNS, 0) | {"result": "B+1", "reason": "score", "detail": "", "moves": "a1", "sgf": "(;)"}
    for number in range(2):
        entry = plan.entry(number)
        values |= {"number": number, "first": entry.first, "second": entry.second, "opening": entry.opening}
        store.add(Played(**{**values, "winner": entry.first, "seconds_first": 0.5, "seconds_second": 0.5}))
    store.close()


def write_games(path: Path) -> None:
    """Two games of another match as text."""
    game = find_game("tictactoe")
    plan = make_plan(game, ["uct:playouts=2", "uct:playouts=3"], openings=openings_digest([]))
    moves = [game.parse(game.new_state(), text) for text in ("a1", "b1", "a2", "b2", "a3")]
    times = dict.fromkeys(TIMES.values(), 0.5) | {"moves_first": 3, "moves_second": 2}
    games = [completed(plan, game, plan.entry(number), 0, moves, Ruling(0, SCORE), times) for number in range(2)]
    path.write_text(games_text(plan, [(played, ("0.1.0", "abc")) for played in games]))


def write_tune(path: Path) -> None:
    """Twelve samples of two games each, made without playing them."""
    game = find_game("tictactoe")
    plan = make_tune_plan(game, "uct:playouts=2", ["exploration"], [], None, None, "clop", 8, openings=openings_digest([]))
    store = TuneStore(str(path))
    store.open(plan, code_digest(plan, game))
    values = dict.fromkeys(COLUMNS, 0) | {"result": "B+1", "reason": "score", "detail": "", "moves": "a1", "sgf": "(;)"}
    for sample in range(12):
        store.add_sample(sample, {"exploration": plan.parameters[0].value_at(sample / 6 - 1)})
        for number in (2 * sample, 2 * sample + 1):
            entry = plan.entry(number)
            values |= {"number": number, "first": entry.first, "second": entry.second, "opening": entry.opening}
            store.add(Played(**{**values, "winner": entry.first, "seconds_first": 0.5, "seconds_second": 0.5}))
    store.close()


# -- broken by chance ------------------------------------------------------------------------------------------------------
def damaged(data: bytes) -> Iterator[bytes]:
    """Cut off at every sixteenth, with single bits changed, and with something before or behind."""
    for part in range(16):
        yield data[: len(data) * part // 16]
    for number in range(32):
        at = number * len(data) // 32
        for bit in (1, 128):
            yield data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]
    yield data + b"x"
    yield b"\n" + data


ALIEN = (
    b"\n",
    b"\0" * 5000,
    b"\x7fELF" + b"\1" * 300,
    b"PK\x03\x04" + b"\2" * 300,
    b"\x89PNG\r\n\x1a\n" + b"\3" * 300,
    b"\x1f\x8b\x08\x00",
    gzip.compress(b"nothing of the kind"),
    b"\x80\x04\x95cos\nsystem\n(S'touch " + MARK.encode() + b"'\ntR.",  # a pickle
    b"[" * 100_000,
    b'{"format":' * 20_000,
    b"(;" * 50_000,
    b"(" * 100_000,
    "\ufeff".encode() * 100,
    bytes(range(256)) * 8,
    b"import os; os.system('touch " + MARK.encode() + b"')\n",
)


# -- forged: a right checksum around something wrong -------------------------------------------------------------------------
def forged_certificate(data: bytes, change: Callable[[dict[str, Any]], None], payload: bytes | None = None) -> bytes:
    start = len(form.FORMAT.magic) + LENGTHS.size + CHECKSUM_SIZE
    size, _ = LENGTHS.unpack_from(data, len(form.FORMAT.magic))
    header = json.loads(data[start : start + size])
    change(header)
    return seal(form.FORMAT.magic, header_text(header), data[start + size :] if payload is None else payload)


class Forgery:
    """A saved search taken apart. `seal` puts it together again, with a right checksum and the sizes that the parts have."""

    def __init__(self, data: bytes):
        start = len(MAGIC) + LENGTHS.size + 32
        size, _ = LENGTHS.unpack_from(data, len(MAGIC))
        self.header: dict[str, Any] = json.loads(data[start : start + size])
        raw = zlib.decompress(data[start + size :])
        self.parts: dict[str, Any] = {}
        at = 0
        for name in saved_search.PARTS:
            end = at + self.header["sizes"][name]
            self.parts[name] = bytearray(raw[at:end])
            at = end

    @property
    def nodes(self) -> np.ndarray:
        """The nodes; what is written into them is in the part."""
        return np.frombuffer(self.parts["nodes"], NODE)

    def words(self, part: str) -> np.ndarray:
        return np.frombuffer(self.parts[part], np.int64)

    def seal(self, sizes: bool = True, magic: bytes = MAGIC) -> bytes:
        if sizes:
            self.header["sizes"] = {name: len(part) for name, part in self.parts.items()}
        return sealed(self.header, zlib.compress(b"".join(bytes(self.parts[name]) for name in saved_search.PARTS)), magic)


def sealed(header: Any, body: bytes, magic: bytes = MAGIC) -> bytes:
    return seal(magic, header if isinstance(header, bytes) else header_text(header), body)

"""Small hostile saved searches and files of proofs, read within the budget (`budget.py`)."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from budget import in_child
from samples import Forgery, sealed

from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.players.player import search_from
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files import proof_table
from tesuji.search.files.proof_table import load_proof_table, save_proof_table
from tesuji.search.files.saved_search import PARTS, load_search
from tesuji.search.kernel.tree import NODE

ZEROS = b"\0" * (1 << 20)


def read_file(name: str) -> str:
    """What comes of a file; called in the child."""
    try:
        if name.endswith(".search"):
            load_search(name, search_from)
        else:
            load_proof_table(TreeSearch(find_game("tictactoe"), settings=SEARCH.settings({"memory": 1.0}), pure=True), name)
    except UserError as error:
        return str(error)
    return "accepted"


@pytest.fixture
def read(tmp_path):
    """What a child says to files of these contents, by name."""

    def run(files: dict[str, bytes]) -> dict[str, str]:
        for name, data in files.items():
            (tmp_path / name).write_bytes(data)
        lines = in_child("test_budgets_saves:read_file", [[name] for name in files], tmp_path)
        assert all("\n" not in line and len(line) < 400 for line in lines)
        return dict(zip(files, lines, strict=True))

    return run


def bomb(mebibytes: int) -> bytes:
    """Zeros, packed: one block again and again, without the checksum at the end that nobody gets to."""
    pack = zlib.compressobj(9)
    first, again = (pack.compress(ZEROS) + pack.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + again * (mebibytes - 1)


def test_saved_searches(good, read):
    def with_header(**changes) -> bytes:
        forgery = Forgery(good["plain.search"])
        for key, value in changes.items():
            forgery.header[key] = {**forgery.header[key], **value} if isinstance(value, dict) else value
        return forgery.seal(sizes="sizes" not in changes)

    header = Forgery(good["plain.search"]).header
    sizes, packed = dict.fromkeys(PARTS, 0), bomb(2000)
    assert len(packed) < 1 << 21
    whole = 500 * len(ZEROS) // NODE.itemsize * NODE.itemsize
    settings = {**header["settings"], "memory": 1000.0}
    files = {
        "bomb.search": sealed({**header, "sizes": {**sizes, "nodes": whole}, "settings": settings}, packed),
        "bomb of generators.search": sealed({**header, "sizes": {**sizes, "generators": whole}}, packed),
        "silent bomb.search": sealed(header, packed),
        "memory.search": with_header(settings={"memory": 1e9}),
        "memory as a text.search": with_header(settings={"memory": "5000"}),
        "memory as a spaced text.search": with_header(settings={"memory": " 5_000.0 "}),
        "more memory than there is.search": with_header(settings={"memory": 1024.0, "threads": 256}),
        "memory of 400 digits.search": with_header(settings={"memory": 10**400}),
        "seed of 400 digits.search": with_header(seed=10**400),
        "seed of 5000 digits.search": sealed(json.dumps(header).replace('"seed": 1', '"seed": ' + "9" * 5000).encode(), b""),
        "playouts of 400 digits.search": with_header(playouts=10**400),
        "seconds of 400 digits.search": with_header(seconds=10**400),
        "moves of 400 digits.search": with_header(origin={"moves": [10**400]}),
        "many moves.search": with_header(game="go:9", origin={"moves": [0] * 400_000}),
        "huge table.search": with_header(table=1 << 39),
        "threads.search": with_header(settings={"threads": 1 << 40}),
        "header of lists.search": sealed(b'{"game": [' + b"[]," * ((1 << 20) - 10) + b"[]]}", b""),
        "header too long.search": sealed(b" " * (1 << 23) + b"{}", b""),
        "good.search": good["plain.search"],
    }
    said = read(files)
    assert said.pop("good.search") == "accepted"
    assert "accepted" not in said.values(), said
    assert "unpacks to more than it can hold" in said["bomb.search"]
    assert "made with 1e+09 MiB, more than the default 1024" in said["memory.search"]
    for name in ("memory as a text.search", "memory as a spaced text.search"):
        assert "made with 5000 MiB, more than the default 1024" in said[name]


def test_files_of_proofs(read, tmp_path):
    search = TreeSearch(find_game("tictactoe"), settings=SEARCH.settings({"memory": 1.0}), seed=1, pure=True)
    search.run(Limits(playouts=20))
    save_proof_table(search, tmp_path / "good")
    data = (tmp_path / "good").read_bytes()
    start = len(proof_table.FORMAT.magic) + 44
    size = int.from_bytes(data[start - 44 : start - 40], "little")
    header, entries = json.loads(data[start : start + size]), zlib.decompress(data[start + size :])

    def proofs(body: bytes, **changes) -> bytes:
        return sealed({**header, **changes}, body, proof_table.FORMAT.magic)

    one = np.frombuffer(entries, np.uint64)[:2].tobytes()
    files = {
        "bomb.proofs": proofs(bomb(2000), entries=120 << 20),
        "bomb of one entry.proofs": proofs(zlib.compress(one * (1 << 20), 9), entries=1 << 20),
        "silent bomb.proofs": proofs(bomb(2000)),
        "huge count.proofs": proofs(zlib.compress(entries), entries=(1 << 40) - 1),
        "count of 400 digits.proofs": proofs(zlib.compress(entries), entries=10**400),
        "name of a megabyte.proofs": proofs(zlib.compress(entries), game="x" * (1 << 20), digest="y"),
        "header too long.proofs": sealed(b" " * (1 << 23) + b"{}", b"", proof_table.FORMAT.magic),
        "good.proofs": data,
    }
    said = read(files)
    assert said.pop("good.proofs") == "accepted"
    assert "accepted" not in said.values(), said
    for name in ("bomb.proofs", "bomb of one entry.proofs", "huge count.proofs"):
        assert "unpacks to more than it can hold" in said[name]


def test_a_command_says_so_in_one_line(good, tesuji):
    forgery = Forgery(good["plain.search"])
    forgery.header["settings"]["memory"] = 1e9
    Path("x.search").write_bytes(forgery.seal())
    answer = tesuji("analyze", "--load", "x.search", "--playouts", 1)
    assert answer.code == 2 and "use --memory" in answer.err
    assert tesuji("analyze", "--load", "x.search", "--playouts", 1, "--memory", 1).code == 0
    answer = tesuji("analyze", "tictactoe", "--playouts", 1, "--memory", 1e9)
    assert answer.code == 2 and "memory=1e+09 MiB is more than there is" in answer.err

"""Match, tune and proof files with a byte that is not UTF-8, anywhere in the schema or in a text: one line, never a fault."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from test_match_files import WEAK, damaged_file

from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.lab.cluster.proof_store import ProofPlan, ProofStore
from tesuji.lab.match.plan import make_plan, openings_digest
from tesuji.lab.match.store import Store, read_match
from tesuji.lab.tune.plan import make_tune_plan
from tesuji.lab.tune.store import TuneStore, read_tune

PROOF = ProofPlan({"game": "tictactoe", "player": "", "parameters": {}, "certificate": False}, (), 0, {"code": "x"})
EVERY = 61  # one byte of so many is changed


def match_file() -> str:
    damaged_file("select 1")
    return "one.db"


def tune_plan():
    return make_tune_plan(
        find_game("tictactoe"), WEAK, ["exploration"], [], None, None, "clop", 8, openings=openings_digest([])
    )


def tune_file() -> str:
    store = TuneStore("tune.db")
    store.open(tune_plan(), "code")
    store.add_sample(0, {"exploration": "0.5"})
    store._is_new = False  # it is kept, though it has no games
    store.close()
    return "tune.db"


def proof_file() -> str:
    store = ProofStore("proof.db")
    store.open(PROOF, "code")
    store.add((1, 2), 1, '{"lower": 1}', 0.5)
    store.close()
    return "proof.db"


def go_on(store, plan) -> None:
    try:
        store.open(plan, "code")
        if isinstance(store, ProofStore):
            list(store.results())
            store.seconds()
        else:
            store.games()
            store.openings()
    finally:
        store.close()


def readers(kind: str):
    """All that reads a file of this kind, each called with its path."""
    if kind == "match":
        plan = make_plan(find_game("tictactoe"), [WEAK, WEAK], openings=openings_digest([]))
        return [read_match, lambda path: go_on(Store(path), plan)]
    if kind == "tune":
        return [read_tune, lambda path: go_on(TuneStore(path), tune_plan())]
    return [lambda path: go_on(ProofStore(path), PROOF)]


FILES = {"match": match_file, "tune": tune_file, "proof": proof_file}
CELLS = {
    "match": ["match.value", "players.label", "runs.code", "games.moves", "games.result"],
    "tune": ["tune.value", "players.label", "runs.code", "samples.vals"],
    "proof": ["proof.value", "runs.code", "results.moves", "results.result", "results.digest"],
}


@pytest.mark.parametrize("kind", FILES)
def test_one_byte_of_the_first_page(kind, tmp_path, monkeypatch):
    """The schema stands there. Whatever byte it is, the file is read or refused."""
    monkeypatch.chdir(tmp_path)
    path = FILES[kind]()
    whole, refused = Path(path).read_bytes(), 0
    for place in range(100, 4096, EVERY):
        for read in readers(kind):
            Path(path).write_bytes(whole[:place] + b"\xff" + whole[place + 1 :])
            try:
                read(path)
            except UserError as error:
                refused += 1
                assert "\n" not in str(error) and path in str(error)
    assert refused > 10


@pytest.mark.parametrize("kind", FILES)
def test_a_text_in_a_cell(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = FILES[kind]()
    whole, refused = Path(path).read_bytes(), set()
    for cell in CELLS[kind]:
        table, column = cell.split(".")
        for read in readers(kind):
            Path(path).write_bytes(whole)
            base = sqlite3.connect(path)
            base.execute(f"update {table} set {column} = cast(x'ff' as text)")
            base.commit()
            base.close()
            try:
                read(path)
            except UserError as error:
                assert "\n" not in str(error) and f"{path} is damaged" in str(error)
                refused.add(cell)
    assert refused >= {cell for cell in CELLS[kind] if not cell.startswith(("players", "runs"))}  # those are not read back


@pytest.mark.parametrize("kind", FILES)
def test_a_name_in_the_schema(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = FILES[kind]()
    base = sqlite3.connect(path)
    base.execute("pragma writable_schema = on")
    base.execute("update sqlite_master set name = cast(x'ff' as text) where name = 'runs'")
    base.commit()
    base.close()
    for read in readers(kind):
        with pytest.raises(UserError, match="damaged"):
            read(path)

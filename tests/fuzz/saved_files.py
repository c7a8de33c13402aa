"""Saved searches and files of proofs, mutated: whatever a file says, no false bound is believed and nothing but a UserError
is raised.

The games are random graphs whose tables lie in the record: many games of one name and one type. Positions are known by the
number of their node alone, so a proof of one game is wrong in most others.
"""

from __future__ import annotations

import json
import random
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.container import LENGTHS, SealedFormat, header_text, seal
from tesuji.core.dispatch import implements, state_type
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.hashing import mixed
from tesuji.core.limits import Limits
from tesuji.core.parameters import Settings
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch
from tesuji.search.files import proof_table, saved_search
from tesuji.search.files.proof_table import load_proof_table, save_proof_table
from tesuji.search.files.saved_search import load_search, save_search
from tesuji.search.kernel.table import pack, packed_lower, packed_upper
from tesuji.search.kernel.tree import NODE, ROOT, USED

NODES, WIDEST = 40, 4
STATE = state_type(
    "graph",
    [
        ("node", np.int32),
        ("child", np.int32, (NODES, WIDEST)),
        ("count", np.int32, (NODES,)),
        ("owner", np.int32, (NODES,)),
        ("value", np.int32, (NODES,)),
    ],
)
NO_HASH = np.uint64(0)
RANGES = ((-1, 1), (0, 1), (-3, 3))
WHOLE = (0, 1, -1, 2, 5, 7, 100, 1 << 20, 1 << 31, 1 << 40, (1 << 63) - 1, 10**400, 1.5, 1e300, None, True, "x", [], {}, [[]])


@implements(rules.to_play, STATE)
def to_play(state):
    return state["owner"][state["node"]]


@implements(rules.moves, STATE)
def moves(state, out):
    count = state["count"][state["node"]]
    for i in range(count):
        out[i] = i
    return count


@implements(rules.play, STATE)
def play(state, move):
    state["node"] = state["child"][state["node"], move]


@implements(rules.is_over, STATE)
def is_over(state):
    return state["count"][state["node"]] == 0


@implements(rules.outcome, STATE)
def outcome(state):
    return state["value"][state["node"]]


@implements(rules.position_hash, STATE)
def position_hash(state):
    return mixed(NO_HASH, np.uint64(state["node"] + 1))


# -- games and what is true of them ----------------------------------------------------------------------------------------
def graph_game(rng: random.Random, outcomes: tuple[int, int] = (-1, 1), nodes: int = NODES) -> Game:
    """A game on a random graph without circles: a child's number is above its parent's."""
    state = np.zeros(1, STATE)[0]
    for node in range(nodes):
        left = nodes - node - 1
        width = 0 if node > nodes * 2 // 3 else min(left, rng.randint(1, WIDEST))
        children = rng.sample(range(node + 1, min(nodes, node + 14)), width)
        state["child"][node][:width], state["count"][node] = children, width
        state["owner"][node], state["value"][node] = rng.randint(0, 1), rng.randint(*outcomes)
    return Game("graph", state, outcomes, move_count=WIDEST, max_plies=NODES)


def values_of(game: Game) -> list[int]:
    """The value of every position, by minimax."""
    start, found = game.initial, [0] * NODES
    for node in range(NODES - 1, -1, -1):
        children = [found[child] for child in start["child"][node][: start["count"][node]]]
        best = max if start["owner"][node] == 0 else min
        found[node] = best(children) if children else int(start["value"][node])
    return found


def check_bounds(search: TreeSearch, what: str) -> None:
    """Every bound of the tree and of the table is true."""
    values, nodes = values_of(search.game), search.tree.nodes[: search.tree.counters[USED]]
    at = [int(search.state["node"])]
    for record in nodes[1:]:
        at.append(int(search.game.initial["child"][at[record["parent"]], record["move"]]))
    for record, node in zip(nodes, at, strict=True):
        assert record["lower"] <= values[node] <= record["upper"], f"{what}: node {node} is {values[node]}, not {record}"
    with np.errstate(over="ignore"):
        by_key = {int(mixed(NO_HASH, np.uint64(node + 1))): value for node, value in enumerate(values)}
    for word, data in search.tree.table.reshape(-1, 2):
        if data:
            value = by_key.get(int(word ^ data))
            assert value is None or packed_lower(data) <= value <= packed_upper(data), f"{what}: an entry of the table is false"


def new_search(rng: random.Random, game: Game) -> TreeSearch:
    values: dict[str, Any] = {
        "memory": rng.choice([0.01, 0.2]),
        "selection": rng.choice(["uct", "rave", "gaussian", "most-proving"]),
        "solver": rng.choice(["bounds", "bounds", "win-loss", "off"]),
    }
    if values["solver"] == "off" and values["selection"] == "most-proving":
        values["solver"] = "bounds"
    if values["solver"] != "off":
        values["transpositions"] = rng.random() < 0.8
    return TreeSearch(game, settings=SEARCH.settings(values), seed=rng.randrange(1000), pure=True)


# -- files taken apart -------------------------------------------------------------------------------------------------------
def unsealed(data: bytes, form: SealedFormat) -> tuple[dict[str, Any], bytearray]:
    start = len(form.magic) + LENGTHS.size + 32
    size, _ = LENGTHS.unpack_from(data, len(form.magic))
    return json.loads(data[start : start + size]), bytearray(zlib.decompress(data[start + size :]))


def sealed(header: Any, body: bytes | bytearray, form: SealedFormat) -> bytes:
    """A file with a right checksum around whatever it holds."""
    return seal(form.magic, header_text(header), zlib.compress(bytes(body)))


def damaged(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return rng.choice([data[:at], data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :], data + b"\0"])


def _mutate_header(rng: random.Random, header: dict[str, Any]) -> str:
    place = rng.choice([header, *(part for part in header.values() if isinstance(part, dict) and part)])
    key = rng.choice(list(place))
    place[key] = rng.choice(WHOLE)
    return f"header {key}={str(place[key])[:20]}"


def _mutate_nodes(rng: random.Random, header: dict[str, Any], body: bytearray, outcomes: tuple[int, int]) -> str:
    """Bounds that could be, but need not be true; flags; children that are left out."""
    count = header["sizes"]["nodes"] // NODE.itemsize
    nodes = np.frombuffer(body, NODE, count)
    told = []
    for _ in range(rng.choice([1, 1, 3, 10])):
        node = rng.choice([ROOT, rng.randrange(count)])
        field = rng.choice(["bounds", "bounds", "bounds", "flags", "child_count", "to_play", "visits", "move"])
        if field == "bounds":
            nodes[node]["lower"], nodes[node]["upper"] = sorted(rng.choices(range(outcomes[0], outcomes[1] + 1), k=2))
        else:
            nodes[node][field] = rng.choice([0, 1, 2, 3, int(nodes[node][field]) - 1])
        told.append(f"{field} of {node}: {nodes[node]}")
    return "; ".join(told)


def _without_last_child(header: dict[str, Any], body: bytearray) -> bytearray:
    """The last child of the last inner node is gone, as if there were no such move; the numbers of the others stay."""
    size = header["sizes"]["nodes"]
    nodes = np.frombuffer(body, NODE, size // NODE.itemsize).copy()
    inner = np.flatnonzero(nodes["child_count"] > 1)
    if len(inner) == 0:
        return body
    node = inner[np.argmax(nodes["first_child"][inner])]
    gone = int(nodes[node]["first_child"] + nodes[node]["child_count"]) - 1
    if gone != len(nodes) - 1 or nodes[gone]["child_count"]:
        return body
    nodes[node]["child_count"] -= 1
    extra = header["sizes"]["statistics"]
    parts = [nodes[:-1].tobytes(), body[size : size + extra - extra // len(nodes)], body[size + extra :]]
    header["sizes"] |= {"nodes": size - NODE.itemsize, "statistics": extra - extra // len(nodes)}
    return bytearray(b"".join(parts))


def _mutate_entries(rng: random.Random, header: dict[str, Any], body: bytearray, outcomes: tuple[int, int]) -> str:
    """Other bounds for the positions of the table."""
    start = sum(header["sizes"][name] for name in saved_search.PARTS[: saved_search.PARTS.index("entries")])
    entries = np.frombuffer(body, np.uint64, header["sizes"]["entries"] // 8, start).reshape(-1, 2)
    for entry in entries:
        if rng.random() < 0.3:
            key = entry[0] ^ entry[1]
            lower, upper = sorted(rng.choices(range(outcomes[0], outcomes[1] + 1), k=2))
            entry[1] = pack(lower, upper, 1)
            entry[0] = key ^ entry[1]
    return f"entries, of {len(entries)}"


# -- what is tried -----------------------------------------------------------------------------------------------------------
def mutate_saved_searches(rng: random.Random, stop: Callable[[], bool]) -> Counter[str]:
    """Saves searches, mutates the files and goes on with them, until `stop` says so. Returns how many were accepted and
    refused.
    """
    tried: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "search"
        while not stop():
            seed = rng.randrange(1 << 32)
            tried[_one_search(random.Random(seed), path, f"mutate_saved_searches, seed {seed}")] += 1
    return tried


def _plain_search(game: Game, values: Any, _files: Any, seed: int) -> TreeSearch:
    return TreeSearch(game, settings=Settings(SEARCH, values), seed=seed)


def _one_search(rng: random.Random, path: Path, label: str) -> str:
    game = graph_game(rng, rng.choice(RANGES))
    search = new_search(rng, game)
    search.run(Limits(playouts=rng.randint(1, 120)))
    path.unlink(missing_ok=True)
    save_search(search, path)
    data, other = path.read_bytes(), None
    way = rng.choice(["none", "damage", "header", "nodes", "nodes", "child", "entries", "bits", "game"])
    header, body = unsealed(data, saved_search.FORMAT)
    what = f"{label}, {way}"
    if way == "header":
        what += f" {_mutate_header(rng, header)}"
    elif way == "nodes":
        what += f" {_mutate_nodes(rng, header, body, game.outcomes)}"
    elif way == "child":
        body = _without_last_child(header, body)
    elif way == "entries":
        what += f" {_mutate_entries(rng, header, body, game.outcomes)}"
    elif way == "bits":
        for _ in range(rng.randint(1, 8)):
            body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
    elif way == "game":
        other = graph_game(rng, game.outcomes)
    path.write_bytes(
        damaged(rng, data) if way == "damage" else data if way == "none" else sealed(header, body, saved_search.FORMAT)
    )
    try:
        loaded = load_search(path, _plain_search, game=other or game)
    except UserError:
        assert way != "none", f"{what}: a good file was refused"
        return f"saved search, {way}: refused"
    except Exception as error:
        raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
    assert way not in ("damage", "game"), f"{what}: it was accepted"
    loaded.pure = True
    check_bounds(loaded, what)
    try:
        loaded.run(Limits(playouts=30))
    except Exception as error:
        raise AssertionError(f"{what}, going on: {type(error).__name__}: {error}") from error
    check_bounds(loaded, f"{what}, going on")
    if way == "none" and not search.was_full:
        search.run(Limits(playouts=30))
        assert loaded.tree_hash() == search.tree_hash(), f"{what}: it did not go on as it would have"
    return f"saved search, {way}: accepted"


def mutate_proof_files(rng: random.Random, stop: Callable[[], bool]) -> Counter[str]:
    """The same for files of proofs. What one says of its own game is taken at its word; of another game it is not taken."""
    tried: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proofs"
        while not stop():
            seed = rng.randrange(1 << 32)
            tried[_one_proof_file(random.Random(seed), path, f"mutate_proof_files, seed {seed}")] += 1
    return tried


def _one_proof_file(rng: random.Random, path: Path, label: str) -> str:
    game = graph_game(rng, rng.choice(RANGES))
    settings = SEARCH.settings({"memory": 0.2})
    search = TreeSearch(game, settings=settings, seed=1, pure=True)
    search.run(Limits(playouts=rng.randint(1, 200)))
    path.unlink(missing_ok=True)
    save_proof_table(search, path)
    data = path.read_bytes()
    header, body = unsealed(data, proof_table.FORMAT)
    way = rng.choice(["none", "damage", "header", "game", "game", "bits"])
    what, other = f"{label}, {way}", game
    if way == "header":
        what += f" {_mutate_header(rng, header)}"
    elif way == "game":
        other = graph_game(rng, game.outcomes)
    elif way == "bits" and body:
        body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
    path.write_bytes(
        damaged(rng, data) if way == "damage" else data if way == "none" else sealed(header, body, proof_table.FORMAT)
    )
    fresh = TreeSearch(other, settings=settings, seed=2, pure=True)
    before = fresh.tree.table.tobytes()
    try:
        load_proof_table(fresh, path)
    except UserError:
        assert way != "none", f"{what}: a good file was refused"
        assert fresh.tree.table.tobytes() == before, f"{what}: something of a refused file was kept"
        return f"proofs, {way}: refused"
    except Exception as error:
        raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
    assert way != "damage", f"{what}: it was accepted"
    try:
        fresh.run(Limits(playouts=100))
    except UserError:  # what a file claims of its own game may contradict itself
        assert way == "bits", f"{what}, going on"
    if way != "bits":
        check_bounds(fresh, what)
    return f"proofs, {way}: accepted"

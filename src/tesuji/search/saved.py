"""A search in a file: everything needed to go on exactly where it stopped.

Layout: a magic line, a SHA-256 digest of all that follows, the length of a JSON header, the header (game, settings, counts),
then the arrays compressed.
Written to a temporary name and renamed, so a file is either whole or not there.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.files import FileKind, read_file, write_file
from tesuji.core.sources import is_of_package, source_digest
from tesuji.games.registry import find_game
from tesuji.search.table import new_table
from tesuji.search.tree import KNOWN, NODE, PLACED, REPLACED, USED, largest_table, put_place, set_table_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tesuji.core.game import Game
    from tesuji.search.engine import TreeSearch

KIND = b"tesuji search "
MAGIC = KIND + b"4\n"
SAVED = FileKind("a saved search", (KIND,), 1 << 36)


def save_search(search: TreeSearch, path: Path) -> None:
    for part in (search.rule, search.policy):
        if not is_of_package(type(part)):
            raise UserError(
                f"{path} is not written: a search with {type(part).__name__}, which is someone's own, cannot be saved"
            )
    used, placed = int(search.tree.counters[USED]), int(search.tree.counters[PLACED])
    table = search.tree.table
    buckets = np.flatnonzero(table.reshape(-1, 2)[:, 1]) if len(table) > 2 else np.zeros(0, np.int64)
    entries = table.reshape(-1, 2)[buckets] if len(buckets) else np.zeros((0, 2), np.uint64)
    parts = {
        "state": np.array([search.state]),
        "nodes": search.tree.nodes[:used],
        "extra": search.tree.extra[:used] if len(search.tree.extra) > 1 else search.tree.extra[:0],
        "positions": search.tree.positions[:placed],
        "owners": search.tree.owners[:placed],
        "slots": buckets.astype(np.int64),
        "entries": entries,
        "generators": np.array([s.rng for s in search.scratches]),
        "seen": np.array([s.move_stamps for s in search.scratches]),
    }
    body = zlib.compress(b"".join(np.ascontiguousarray(a).tobytes() for a in parts.values()), 1)
    header = {
        "game": _lasting_name(search),
        "source": source_digest(search.game.source) if search.game.source else "",
        "settings": dict(search.settings),
        "seed": search.seed,
        "playouts": search.playouts,
        "seconds": search.seconds,
        "full": search.was_full,
        "table": len(table) // 2,
        "sizes": {name: int(a.nbytes) for name, a in parts.items()},
    }
    text = json.dumps(header).encode()
    rest = struct.pack("<I", len(text)) + text + body
    write_file(path, MAGIC + hashlib.sha256(rest).digest() + rest, SAVED)


def _lasting_name(search: TreeSearch) -> str:
    """The game string; for a user's game with the whole path, so that it is found from any folder."""
    if not search.game.source:
        return search.game.name
    return f"{Path(search.game.source).resolve()}:{search.game.name.rpartition(':')[2]}"


def load_search(path: Path, make: Callable[[Game, Mapping[str, Any], int], TreeSearch]) -> TreeSearch:
    header, body = _read(path)
    try:
        return _restored(path, header, body, make)
    except (ValueError, TypeError, KeyError, OverflowError, AttributeError):
        raise UserError(f"{path} is damaged: its header does not make sense") from None


def _restored(
    path: Path, header: dict[str, Any], body: bytes, make: Callable[[Game, Mapping[str, Any], int], TreeSearch]
) -> TreeSearch:
    game = find_game(header["game"])
    if game.source and source_digest(game.source) != header["source"]:
        raise UserError(f"{path}: {header['game']} has changed since this search was saved")
    search = make(game, header["settings"], header["seed"])
    parts = _arrays(path, header["sizes"], body)
    state = _typed(path, parts["state"], game.initial.dtype)
    search.state = state[0]
    nodes = _typed(path, parts["nodes"], NODE)
    extra = _typed(path, parts["extra"], search.tree.extra.dtype)
    positions = _typed(path, parts["positions"], game.initial.dtype)
    owners = _typed(path, parts["owners"], np.dtype(np.int32))
    slots = _typed(path, parts["slots"], np.dtype(np.int64))
    entries = _typed(path, parts["entries"], np.dtype(np.uint64)).reshape(-1, 2)
    entries_in_all = header["table"]
    if not (isinstance(entries_in_all, int) and 1 <= entries_in_all <= largest_table(search.settings["memory"])):
        raise UserError(f"{path} is damaged: its table does not fit")
    search.tree = search.tree._replace(table=new_table(entries_in_all))
    table = search.tree.table.reshape(-1, 2)
    beside = len(extra) == (len(nodes) if len(search.tree.extra) > 1 else 0) and len(positions) == len(owners)
    room = len(nodes) <= len(search.tree.nodes) and len(positions) <= len(search.tree.positions)
    if not room or not beside or len(slots) != len(entries):
        raise UserError(f"{path} is damaged: its parts do not fit together")
    if len(slots) and (slots.min() < 0 or slots.max() >= len(table)):
        raise UserError(f"{path} is damaged: its table does not fit")
    if not _is_a_tree(nodes, owners, game.move_count):
        raise UserError(f"{path} is damaged: its nodes are no tree")
    search.tree.nodes[: len(nodes)] = nodes
    search.tree.extra[: len(extra)] = extra
    search.tree.positions[: len(positions)] = positions
    search.tree.owners[: len(owners)] = owners
    for index, owner in enumerate(owners):
        put_place(search.tree, int(owner), index)
    search.tree.counters[PLACED] = len(owners)
    table[slots] = entries
    search.tree.counters[USED] = len(nodes)
    search.tree.counters[KNOWN] = len(slots)
    set_table_limit(search.tree, search.settings["memory"])
    words = _typed(path, parts["generators"], np.dtype(np.uint64)).reshape(-1, 4)
    seen = _typed(path, parts["seen"], np.dtype(np.int64)).reshape(len(search.scratches), 2, -1)
    for scratch, rng, marks in zip(search.scratches, words, seen, strict=True):
        scratch.rng[:] = rng
        scratch.move_stamps[:] = marks
    search.playouts, search.seconds = int(header["playouts"]), float(header["seconds"])
    search.was_full = bool(header["full"])
    return search


def _read(path: Path) -> tuple[dict[str, Any], bytes]:
    data = read_file(path, SAVED)
    if data.startswith(KIND) and not data.startswith(MAGIC):
        raise UserError(f"{path} is a search saved by another version of tesuji")
    if not data.startswith(MAGIC):
        raise UserError(f"{path} is not a saved search (write one with: tesuji analyze GAME --save FILE)")
    cut = UserError(f"{path} is cut short or damaged; it cannot be continued")
    digest, rest = data[len(MAGIC) : len(MAGIC) + 32], data[len(MAGIC) + 32 :]
    if len(rest) < 4 or hashlib.sha256(rest).digest() != digest:
        raise cut
    (length,) = struct.unpack("<I", rest[:4])
    try:
        header = json.loads(rest[4 : 4 + length])
    except ValueError:
        raise cut from None
    if not isinstance(header, dict):
        raise cut
    return header, rest[4 + length :]


def _arrays(path: Path, sizes: dict[str, int], body: bytes) -> dict[str, bytes]:
    try:
        raw = zlib.decompress(body)
    except zlib.error:
        raise UserError(f"{path} is damaged: its contents do not unpack") from None
    parts, start = {}, 0
    for name in ("state", "nodes", "extra", "positions", "owners", "slots", "entries", "generators", "seen"):
        size = int(sizes.get(name, -1))
        if size < 0 or start + size > len(raw):
            raise UserError(f"{path} is damaged: a part is missing")
        parts[name] = raw[start : start + size]
        start += size
    return parts


def _typed(path: Path, raw: bytes, dtype: np.dtype) -> np.ndarray:
    if len(raw) % dtype.itemsize:
        raise UserError(f"{path} was saved by another version: its records have another size")
    return np.frombuffer(raw, dtype).copy()


def _is_a_tree(nodes: np.ndarray, owners: np.ndarray, move_count: int) -> bool:
    """Whether every index and move in the nodes is one that compiled code may follow."""
    count = len(nodes)
    if count == 0:
        return False
    index = np.arange(count)
    first, children = nodes["first_child"].astype(np.int64), nodes["child_count"].astype(np.int64)
    expanded = children > 0
    below = (first[expanded] > index[expanded]) & (first[expanded] + children[expanded] <= count)
    moves, parents, movers = nodes["move"][1:], nodes["parent"][1:], nodes["to_play"]
    sound = np.all(children >= 0) and np.all(below) and np.all((moves >= 0) & (moves < move_count))
    sound = sound and np.all((movers == 0) | (movers == 1)) and np.all(nodes["visits"] >= 0)
    replaced = np.flatnonzero(nodes["flags"] & REPLACED)
    sound = sound and np.all((parents >= 0) & (parents < index[1:])) and np.array_equal(replaced, np.sort(owners))
    if not sound:
        return False
    sizes = children[expanded]
    places = np.repeat(first[expanded] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    return np.array_equal(nodes["parent"][places], np.repeat(index[expanded], sizes))

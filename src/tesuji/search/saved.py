"""A search in a file: everything needed to go on exactly where it stopped.

    tesuji search 6\\n           the first line names the format and its version
    uint32, uint64               lengths of the header and of the body, little endian
    32 bytes                     SHA-256 of the header and the body
    header                       JSON: the game, the way to the position, settings, counts, sizes of the arrays
    body                         zlib: the arrays, one after the other

A file is data, and may come from anyone. The position is made again by the rules from its moves; the tree is checked before
compiled code sees it (`saved_tree.py`). A user's own game is code: it is never loaded because a file names it. Whoever
loads the search names the game, and its source must be the one that the search was made with. The same holds for weights.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tesuji.core.errors import UserError, shortened
from tesuji.core.files import FileKind, open_file, unpack_zlib, write_file
from tesuji.core.parameters import files_digest
from tesuji.core.sources import is_of_package, source_digest
from tesuji.core.user_files import is_path
from tesuji.games.registry import find_built_in
from tesuji.search.origin import Origin, known_origin, origin_from_json
from tesuji.search.policy import learns
from tesuji.search.saved_tree import (
    first_wrong_node,
    has_possible_bounds,
    has_possible_extra,
    has_possible_numbers,
    is_tree,
)
from tesuji.search.table import new_table
from tesuji.search.tree import (
    KNOWN,
    NO_EXTRA,
    NODE,
    NOTES,
    NOTES_END,
    PLACED,
    USED,
    largest_memo,
    largest_table,
    set_memo_limit,
    set_table_limit,
)

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.search.engine import TreeSearch

NAME = b"tesuji search "
MAGIC = NAME + b"6\n"
SAVED = FileKind("a saved search", (NAME,), 1 << 36)
LENGTHS = struct.Struct("<IQ")
LONGEST_HEADER = 1 << 24
PIECE = 1 << 20
PARTS = ("nodes", "extra", "slots", "entries", "memo_slots", "memos", "generators")
MANY_NODES = 2000  # expanded nodes from which on it pays to compile the check of their moves
MOST_PLAYOUTS = 1 << 62
LONGEST_REASON = 200  # characters of a message about what the header says

# Makes a search of a game with the values that the file has of its parameters, those that a person gave of the ones that name
# files, and a seed. It refuses values of the file that name files.
Make = Callable[["Game", Mapping[str, Any], Mapping[str, Any], int], "TreeSearch"]


# -- saving --------------------------------------------------------------------------------------------------------------
def check_can_save(search: TreeSearch, path: str | Path) -> Origin:
    """Refuses a search that could not be saved, before hours are spent on it. Returns how its position came about."""
    for part in (search.rule, search.policy):
        if not is_of_package(type(part)):
            raise UserError(f"{path} is not written: a search with {type(part).__name__}, your own class, cannot be saved")
    if learns(search.policy):
        raise UserError(f"{path} is not written: a search whose policy learns from its own games cannot be saved")
    origin = known_origin(search.game, search.state, search.origin)
    if origin is None:
        raise UserError(f"{path} is not written: the moves that led to the position are not known, so it cannot be saved")
    return origin


def save_search(search: TreeSearch, path: str | Path) -> None:
    origin = check_can_save(search, path)
    if int(search.tree.counters[PLACED]):
        raise UserError(f"{path} is not written: a search in which a policy replaced positions cannot be saved")
    parts = _parts_of(search)
    body = zlib.compress(b"".join(np.ascontiguousarray(parts[name]).tobytes() for name in PARTS), 1)
    header = {
        "game": _name_without_folder(search.game),
        "source": source_digest(search.game.source) if search.game.source else "",
        "origin": origin._asdict(),
        "settings": dict(search.settings),
        "files": {name: files_digest(str(search.settings[name])) for name in search.settings.named_files()},
        "seed": search.seed,
        "playouts": search.playouts,
        "seconds": search.seconds,
        "full": search.was_full,
        "table": len(search.tree.table) // 2,
        "memo": len(search.tree.memo),
        "notes": [int(number) for number in search.tree.counters[NOTES:NOTES_END]],
        "sizes": {name: int(parts[name].nbytes) for name in PARTS},
    }
    text = json.dumps(header).encode()
    digest = hashlib.sha256(text + body).digest()
    write_file(path, MAGIC + LENGTHS.pack(len(text), len(body)) + digest + text + body, SAVED)


def _parts_of(search: TreeSearch) -> dict[str, np.ndarray]:
    """The arrays of a search as they are kept: of the table only the entries that are taken."""
    tree, used = search.tree, int(search.tree.counters[USED])
    table = tree.table.reshape(-1, 2)
    slots = np.flatnonzero(table[:, 1]) if len(table) > 1 else np.zeros(0, np.int64)
    memo_slots = np.flatnonzero(tree.memo["key"]).astype(np.int64) if len(tree.memo) > 1 else np.zeros(0, np.int64)
    return {
        "nodes": tree.nodes[:used],
        "extra": tree.extra[: used if _has_extra(search) else 0],
        "slots": slots.astype(np.int64),
        "entries": table[slots],
        "memo_slots": memo_slots,
        "memos": tree.memo[memo_slots],
        "generators": np.array([scratch.rng for scratch in search.scratches]),
    }


def _has_extra(search: TreeSearch) -> bool:
    return search.tree.extra.dtype != NO_EXTRA


def _name_without_folder(game: Game) -> str:
    """The game string; of a user's game the file's name and the game's: where it lies is nobody's business."""
    return f"{Path(game.source).name}:{game.name.rpartition(':')[2]}" if game.source else game.name


# -- loading -------------------------------------------------------------------------------------------------------------
def load_search(path: str | Path, make: Make, game: Game | None = None, files: Mapping[str, Any] | None = None) -> TreeSearch:
    """The search of a file. `game` is needed if it is a user's own; `files` are values for parameters that name files."""
    header, body = _read(path)
    try:
        found, seed = _same_game(path, header, game), _whole(header["seed"], 1 << 64)
        search = _made(path, header, files or {}, make, found, seed)
        _fill(path, search, header, body)
        return search
    except (ValueError, TypeError, KeyError, OverflowError, AttributeError, RecursionError):
        raise UserError(f"{path} is damaged: its header does not make sense") from None


def _read(path: str | Path) -> tuple[dict[str, Any], bytes]:
    """The header and the packed arrays. Nothing is held before the lengths and the checksum have been found right."""
    cut = UserError(f"{path} is cut short or damaged; it cannot be continued")
    with open_file(path, SAVED) as file:
        begin = file.read(len(MAGIC))
        if begin.startswith(NAME) and begin != MAGIC:
            raise UserError(f"{path} is a search saved by another version of tesuji")
        if begin != MAGIC:
            raise UserError(f"{path} is not a saved search (write one with: tesuji analyze GAME --save FILE)")
        fixed = file.read(LENGTHS.size + 32)
        if len(fixed) < LENGTHS.size + 32:
            raise cut
        start = file.tell()
        header_size, body_size = LENGTHS.unpack_from(fixed)
        if header_size > LONGEST_HEADER or file.seek(0, 2) != start + header_size + body_size:
            raise cut
        file.seek(start)
        digest = hashlib.sha256()
        while piece := file.read(PIECE):
            digest.update(piece)
        if digest.digest() != fixed[LENGTHS.size :]:
            raise cut
        file.seek(start)
        text, body = file.read(header_size), file.read(body_size)
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise cut from None
    if not isinstance(header, dict):
        raise cut
    return header, body


def _same_game(path: str | Path, header: Mapping[str, Any], named: Game | None) -> Game:
    """The game of the search: one of the package, or the one that was named if it is the same."""
    name, source = header["game"], header["source"]
    if not isinstance(name, str) or not isinstance(source, str):
        raise ValueError("game")
    shown = shortened(name)
    if source or is_path(name):
        if named is None or not named.source:
            what = f", not of {named.name}" if named is not None else ""
            raise UserError(
                f"{path} is a search of {shown}, a user's own game{what}: name the game too, "
                f"as in path/to/{shortened(name.rpartition('/')[2])}"
            )
        found = source_digest(named.source)
        if found != source:
            raise UserError(
                f"{path} was saved with another version of {shown}: "
                f"its source had the digest {shortened(source, 12)}, {named.name} has {found[:12]}"
            )
        if named.name.rpartition(":")[2] != name.rpartition(":")[2]:
            raise UserError(f"{path} is a search of {shown}, not of {named.name}")
        return named
    try:
        game = find_built_in(name)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    if named is not None and named.name != game.name:
        raise UserError(f"{path} is a search of {game.name}, not of {named.name}; leave the game out")
    return game


def _made(
    path: str | Path, header: Mapping[str, Any], files: Mapping[str, Any], make: Make, game: Game, seed: int
) -> TreeSearch:
    """A search with the settings of the file, and with the same contents of the files that it was saved with."""
    digests = dict(header["files"])
    for name in files:
        if name not in digests:
            raise UserError(f"{path} was saved without {name} of its own; leave --{name} out")
    try:
        search = make(game, dict(header["settings"]), files, seed)
    except UserError as error:
        raise UserError(f"{path}: {shortened(str(error), LONGEST_REASON)}") from None
    if digests.keys() != set(search.settings.named_files()):
        raise UserError(f"{path} is damaged: it names other files than its settings do")
    for name, digest in digests.items():
        if files_digest(str(files[name])) != digest:
            raise UserError(f"{path} was saved with other {name} than {shortened(str(files[name]))}")
    return search


def _fill(path: str | Path, search: TreeSearch, header: Mapping[str, Any], body: bytes) -> None:
    """Takes position, tree and counts from the file, each checked."""
    try:
        search.origin = origin_from_json(header["origin"])
        search.state = search.origin.position(search.game)
    except UserError as error:
        raise UserError(f"{path} is damaged: its position cannot be reached: {shortened(str(error), LONGEST_REASON)}") from None
    parts = _arrays(path, search, header["sizes"], body)
    nodes, extra, slots, entries = parts["nodes"], parts["extra"], parts["slots"], parts["entries"].reshape(-1, 2)
    scale = search.options.scale
    if len(extra) != (len(nodes) if _has_extra(search) else 0) or len(slots) != len(entries):
        raise UserError(f"{path} is damaged: its parts do not fit together")
    if not is_tree(nodes, search.game.move_count):
        raise UserError(f"{path} is damaged: its nodes are no tree")
    if not has_possible_numbers(nodes, scale, search.options.studies) or not has_possible_extra(extra, scale):
        raise UserError(f"{path} is damaged: its nodes have impossible numbers")
    if not _has_legal_moves(search, nodes):
        raise UserError(f"{path} is damaged: its nodes have illegal moves")
    _fill_table(path, search, header["table"], slots, entries)
    _fill_memo(path, search, header["memo"], parts["memo_slots"], parts["memos"])
    notes = header["notes"]
    if not isinstance(notes, list) or len(notes) != NOTES_END - NOTES or not all(type(note) is int for note in notes):
        raise ValueError("notes")
    search.tree.counters[NOTES:NOTES_END] = np.clip(np.array(notes, np.int64), -(1 << 40), 1 << 40)
    search.tree.nodes[: len(nodes)] = nodes
    search.tree.extra[: len(extra)] = extra
    search.tree.counters[USED] = len(nodes)
    generators = parts["generators"].reshape(-1, 4)
    if len(generators) != len(search.scratches) or not np.all(generators.any(axis=1)):
        raise UserError(f"{path} is damaged: its random generators are not those of {len(search.scratches)} threads")
    for scratch, words in zip(search.scratches, generators, strict=True):
        scratch.rng[:] = words
    search.playouts, search.seconds = _whole(header["playouts"], MOST_PLAYOUTS), float(header["seconds"])
    if not 0.0 <= search.seconds < math.inf:
        raise ValueError("seconds")
    search.was_full = bool(header["full"])


def _arrays(path: str | Path, search: TreeSearch, sizes: Any, body: bytes) -> dict[str, np.ndarray]:
    """The parts of the body. None is unpacked that would not fit into the search."""
    tree, word = search.tree, np.dtype(np.int64)
    entries = largest_table(search.settings["memory"], search.table_share)
    memos = largest_memo(search.settings["memory"], tree.memo.dtype, search.table_share)
    kinds = {
        "nodes": (NODE, len(tree.nodes)),
        "extra": (tree.extra.dtype, len(tree.extra)),
        "slots": (word, entries),
        "entries": (np.dtype(np.uint64), 2 * entries),
        "memo_slots": (word, memos),
        "memos": (tree.memo.dtype, memos),
        "generators": (np.dtype(np.uint64), 4 * len(search.scratches)),
    }
    for name, (kind, most) in kinds.items():
        if _whole(sizes[name], 1 << 62) % kind.itemsize or sizes[name] > most * kind.itemsize:
            raise UserError(f"{path} is damaged: its parts do not fit together")
    raw = unpack_zlib(body, sum(sizes[name] for name in PARTS))
    if raw is None:
        raise UserError(f"{path} is damaged: its contents do not unpack")
    found, start = {}, 0
    for name in PARTS:
        found[name] = np.frombuffer(raw, kinds[name][0], sizes[name] // kinds[name][0].itemsize, start)
        start += sizes[name]
    return found


def _fill_table(path: str | Path, search: TreeSearch, size: Any, slots: np.ndarray, entries: np.ndarray) -> None:
    memory = search.settings["memory"]
    used = search.options.proof.transpositions
    most = largest_table(memory, search.table_share)
    fits = 4 <= _whole(size, most + 1) and size & (size - 1) == 0 if used else size == 1 and len(slots) == 0
    if not fits or np.any((slots < 0) | (slots >= size)) or not has_possible_bounds(entries, search.options.scale):
        raise UserError(f"{path} is damaged: its table does not fit")
    if used:
        search.tree = search.tree._replace(table=new_table(size))
        search.tree.table.reshape(-1, 2)[slots] = entries
    search.tree.counters[KNOWN] = len(slots)
    set_table_limit(search.tree, memory, search.table_share)


def _fill_memo(path: str | Path, search: TreeSearch, count: Any, slots: np.ndarray, memos: np.ndarray) -> None:
    """What the rule kept of positions. It is only advice to the search: the numbers need not be true, but must be numbers."""
    memory, kind = search.settings["memory"], search.tree.memo.dtype
    most = largest_memo(memory, kind, search.table_share)
    fits = 4 <= _whole(count, most + 1) and count & (count - 1) == 0 if most > 1 else count == 1 and len(slots) == 0
    if not fits or len(slots) != len(memos) or np.any((slots < 0) | (slots >= count)):
        raise UserError(f"{path} is damaged: its parts do not fit together")
    if len(memos) and not has_possible_extra(memos, search.options.scale):
        raise UserError(f"{path} is damaged: its positions have impossible numbers")
    memo = np.zeros(count, kind)
    memo[slots] = memos
    search.tree = search.tree._replace(memo=memo)
    set_memo_limit(search.tree, memory, search.table_share)


def _has_legal_moves(search: TreeSearch, nodes: np.ndarray) -> bool:
    expanded = int(np.count_nonzero(nodes["child_count"]))
    depths = min(search.game.max_plies, expanded) + 1
    states = np.zeros(depths, search.state.dtype)
    states[0] = search.state
    path, upcoming = np.zeros(depths, np.int64), np.zeros(depths, np.int64)
    buffer, marks = np.zeros(search.game.buffer_size, np.int32), np.zeros(search.game.move_count, np.int64)
    return search.checked(first_wrong_node, expanded > MANY_NODES, nodes, states, path, upcoming, buffer, marks) < 0


def _whole(value: Any, end: int) -> int:
    if type(value) is not int or not 0 <= value < end:
        raise ValueError("a whole number")
    return value

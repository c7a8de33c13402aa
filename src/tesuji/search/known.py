"""The table of known positions in a file: what one search has proven, for the next one of the same game.

    tesuji proofs 1\\n           the first line names the format and its version
    uint32, uint64               lengths of the header and of the body, little endian
    32 bytes                     SHA-256 of the header and the body
    header                       JSON: the game, a digest of its rules, one of the policy's knowledge, the number of entries
    body                         zlib: two uint64 for each entry, the hash of the position and its packed bounds

Bounds belong to positions. They hold for the present rules of the game only: the digest is of the sources that implement them.
Where the policy prunes moves or studies positions, they hold if it is right, so that searches with another policy, or another
version of this one, refuse them; bounds by the rules alone serve every player. A file is taken at its word, though: what is
proven with its help is proven if the file is right. A certificate does not rest on it: the checker sees every position.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from tesuji.core import dispatch, rules, sources
from tesuji.core.errors import UserError, shortened
from tesuji.core.files import FileKind, open_file, write_file
from tesuji.search.policy import rate_moves, study, study_moves
from tesuji.search.saved_tree import has_possible_bounds
from tesuji.search.table import UNKNOWN, new_table
from tesuji.search.tree import KNOWN, largest_table, set_table_limit

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.search.engine import TreeSearch

NAME = b"tesuji proofs "
MAGIC = NAME + b"1\n"
KNOWN_FILE = FileKind("a file of proofs", (NAME,), 1 << 36)
LENGTHS = struct.Struct("<IQ")
LONGEST_HEADER = 1 << 16
PIECE = 1 << 20  # bytes that are unpacked at a time: a file may hold more than the search has room for


def rules_digest(game: Game) -> str:
    """A digest of the sources that implement the rules of the game: another one, and old bounds may be wrong."""
    if game.source:
        return sources.source_digest(game.source)
    operations = [one for one in vars(rules).values() if isinstance(one, dispatch.Operation)]
    return _digest_of(operations, game.initial.dtype)


def knowledge_digest(search: TreeSearch) -> str:
    """The same of what the policy knows of moves and positions; '' if it neither prunes nor studies."""
    return _digest_of((rate_moves, study, study_moves), type(search.policy))


def _digest_of(operations: Iterable[dispatch.Operation], kind: Any) -> str:
    files: set[Path] = set()
    for operation in operations:
        if operation.is_implemented(kind):
            place = dispatch.file_of(operation.find(kind))
            files |= sources.closure(place) if place is not None else set()
    contents = sorted(file.name.encode() + b"\0" + file.read_bytes() + b"\0" for file in files)  # wherever they lie
    return hashlib.sha256(b"".join(contents)).hexdigest() if files else ""


def _name_of(game: Game) -> str:
    """The game string; of a user's game its name alone: where it lies is nobody's business."""
    return game.name.rpartition(":")[2] if game.source else game.name


def check_has_table(search: TreeSearch, path: str | Path) -> None:
    if search.table_share == 0.0:
        raise UserError(
            f"{path}: no table of known positions is kept, because {search.game.name} has no hash of positions, "
            "or transpositions are off"
        )


def check_can_save(search: TreeSearch, path: str | Path) -> None:
    check_has_table(search, path)
    policy = type(search.policy)
    for operation in (rate_moves, study, study_moves):
        if operation.is_implemented(policy) and not sources.is_in_package(operation.find(policy).__code__.co_filename):
            raise UserError(
                f"{path}: proofs that rest on the policy {policy.__name__}, which is not one of tesuji's, are not kept"
            )


# -- saving ----------------------------------------------------------------------------------------------------------------
def save_known(search: TreeSearch, path: str | Path) -> int:
    """Writes all that the table holds; returns how many positions that is."""
    check_can_save(search, path)
    table = search.tree.table.reshape(-1, 2)
    taken = table[table[:, 1] != UNKNOWN]
    entries = np.stack([taken[:, 0] ^ taken[:, 1], taken[:, 1]], axis=1)
    entries = entries[np.argsort(entries[:, 0], kind="stable")]
    body = zlib.compress(np.ascontiguousarray(entries, "<u8").tobytes(), 1)
    knowledge = knowledge_digest(search)
    header = {
        "game": _name_of(search.game),
        "rules": rules_digest(search.game),
        "knowledge": knowledge,
        "entries": len(entries),
    }
    text = json.dumps(header).encode()
    digest = hashlib.sha256(text + body).digest()
    write_file(path, MAGIC + LENGTHS.pack(len(text), len(body)) + digest + text + body, KNOWN_FILE)
    return len(entries)


# -- loading ---------------------------------------------------------------------------------------------------------------
def load_known(search: TreeSearch, path: str | Path) -> tuple[int, int]:
    """Puts what the file holds into the search's table, as far as there is room; returns how many entries the table has then,
    and how many the file has."""
    check_has_table(search, path)
    with open_file(path, KNOWN_FILE) as file:
        header, start = _read_header(path, file)
        count = _check_header(path, search, header)
        _enlarge_for(search, count)
        file.seek(start)
        _read_entries(path, search, file, count)
    return int(search.tree.counters[KNOWN]), count


def _cut(path: str | Path) -> UserError:
    return UserError(f"{path} is cut short or damaged; it cannot be used")


def _read_header(path: str | Path, file: BinaryIO) -> tuple[dict[str, Any], int]:
    """The header, and where the body begins. The checksum of both has been found right."""
    begin = file.read(len(MAGIC))
    if begin.startswith(NAME) and begin != MAGIC:
        raise UserError(f"{path} holds proofs of another version of tesuji")
    if begin != MAGIC:
        raise UserError(f"{path} is no file of proofs (write one with: tesuji solve GAME --save FILE)")
    fixed = file.read(LENGTHS.size + 32)
    if len(fixed) < LENGTHS.size + 32:
        raise _cut(path)
    start = file.tell()
    header_size, body_size = LENGTHS.unpack_from(fixed)
    if header_size > LONGEST_HEADER or file.seek(0, 2) != start + header_size + body_size:
        raise _cut(path)
    file.seek(start)
    digest = hashlib.sha256()
    while piece := file.read(PIECE):
        digest.update(piece)
    if digest.digest() != fixed[LENGTHS.size :]:
        raise _cut(path)
    file.seek(start)
    try:
        header = json.loads(file.read(header_size))
    except (ValueError, RecursionError):
        raise _cut(path) from None
    if not isinstance(header, dict):
        raise _cut(path)
    return header, start + header_size


def _check_header(path: str | Path, search: TreeSearch, header: dict[str, Any]) -> int:
    """The number of entries, if they are of this game and of its present rules."""
    found, digest, knowledge, count = (header.get(key) for key in ("game", "rules", "knowledge", "entries"))
    if not all(isinstance(text, str) for text in (found, digest, knowledge)):
        raise _cut(path)
    if type(count) is not int or not 0 <= count < 1 << 40:
        raise _cut(path)
    name = shortened(str(found))
    if found != _name_of(search.game):
        raise UserError(f"{path} holds proofs of {name}, not of {search.game.name}")
    if digest != rules_digest(search.game):
        raise UserError(f"{path} holds proofs of {name} by other rules or another version of them; it is not used")
    if knowledge and knowledge != knowledge_digest(search):
        raise UserError(f"{path} holds proofs that rest on another policy, or on another version of it; it is not used")
    return count


def _enlarge_for(search: TreeSearch, count: int) -> None:
    """Makes the table large enough for so many entries more, if the memory allows it."""
    memory, share = search.settings["memory"], search.table_share
    size = len(search.tree.table) // 2
    while size < 2 * (count + int(search.tree.counters[KNOWN])) and size < largest_table(memory, share):
        size *= 2
    table = new_table(size)
    search.tree.counters[KNOWN] = search.copy_known(search.tree.table, table)
    search.tree = search.tree._replace(table=table)
    set_table_limit(search.tree, memory, share)


def _read_entries(path: str | Path, search: TreeSearch, file: BinaryIO, count: int) -> None:
    unpack, rest, done = zlib.decompressobj(), b"", 0
    try:
        while done < count:
            packed = unpack.unconsumed_tail or file.read(PIECE)
            data = rest + unpack.decompress(packed, PIECE)
            if not packed and not data:
                raise _cut(path)
            whole = min(len(data) // 16, count - done)
            entries = np.frombuffer(data, "<u8", 2 * whole).astype(np.uint64).reshape(-1, 2)
            rest = data[16 * whole :]
            done += whole
            _take(path, search, entries)
            if not packed and whole == 0:
                raise _cut(path)
        if rest or unpack.unconsumed_tail or unpack.decompress(file.read(PIECE), 1):
            raise _cut(path)
    except zlib.error:
        raise _cut(path) from None


def _take(path: str | Path, search: TreeSearch, entries: np.ndarray) -> None:
    if not has_possible_bounds(entries, search.options.scale) or np.any(entries == UNKNOWN):
        raise UserError(f"{path} is damaged: it has bounds that {search.game.name} cannot have")
    words = entries.copy()
    words[:, 0] ^= words[:, 1]
    search.tree.counters[KNOWN] += search.copy_known(words.reshape(-1), search.tree.table)

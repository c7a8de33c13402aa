"""The transposition table in a file: what one search has proven, for the next search of the same game.

A sealed file (`core/container.py`). The header names the game, with digests of the game and of the policy's knowledge, and the
number of entries. The body has two uint64 for each entry, the hash of the position and its packed bounds.

Bounds belong to positions of one game: they are used if the game is the same (`games/same_game.py`), whatever its name; of a
game of the package that takes a digest too, as nothing of the file is compared with the rules.
Where the policy prunes moves or studies positions, they hold if it is right, so that searches with another policy, or another
version of this one, refuse them; bounds by the rules alone serve every player. A file is taken at its word, though: what is
proven with its help is proven if the file is right. A certificate does not rest on it: the checker sees every position.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tesuji.core import sources
from tesuji.core.container import Body, SealedFormat, damaged, open_sealed, write_sealed
from tesuji.core.errors import UserError
from tesuji.core.files import FileKind
from tesuji.core.game_digest import functions_digest, game_digest
from tesuji.games.same_game import find_same_game
from tesuji.search.files.tree_checks import has_possible_bounds
from tesuji.search.kernel.table import UNKNOWN, new_table
from tesuji.search.kernel.tree import TABLE_ENTRIES
from tesuji.search.policy import rate_moves, study, study_moves

if TYPE_CHECKING:
    from tesuji.search.engine.tree_search import TreeSearch

PROOF_TABLE_FILE = FileKind("a file of proofs", (b"tesuji proofs ",), 1 << 36)
FORMAT = SealedFormat(PROOF_TABLE_FILE, 3, "holds proofs of", "tesuji solve GAME --save FILE")
WORD = np.dtype("<u8")
ENTRIES_AT_ONCE = 1 << 16  # entries unpacked at a time: a file may hold more than the search has memory for


def knowledge_digest(search: TreeSearch) -> str:
    """A digest of the code by which the policy prunes and studies; '' if it does neither."""
    policy = type(search.policy)
    return functions_digest(one.find(policy) for one in (rate_moves, study, study_moves) if one.is_implemented(policy))


def check_has_table(search: TreeSearch, path: str | Path) -> None:
    if search.table_share == 0.0:
        raise UserError(
            f"{path}: there is no transposition table, because {search.game.name} has no hash of positions, "
            "or transpositions are off"
        )


def check_can_save(search: TreeSearch, path: str | Path) -> None:
    check_has_table(search, path)
    policy = type(search.policy)
    for operation in (rate_moves, study, study_moves):
        if operation.is_implemented(policy) and not sources.is_in_package(operation.find(policy).__code__.co_filename):
            raise UserError(
                f"{path} is not written: its proofs would rest on the policy {policy.__name__}, which is not part of tesuji"
            )


# -- saving ----------------------------------------------------------------------------------------------------------------
def save_proof_table(search: TreeSearch, path: str | Path) -> int:
    """Writes all entries of the transposition table to a file; returns how many."""
    check_can_save(search, path)
    table = search.tree.table.reshape(-1, 2)
    taken = table[table[:, 1] != UNKNOWN]
    entries = np.stack([taken[:, 0] ^ taken[:, 1], taken[:, 1]], axis=1)
    entries = entries[np.argsort(entries[:, 0], kind="stable")]
    header = {
        "game": search.game.name_without_folder,
        "digest": game_digest(search.game),
        "knowledge": knowledge_digest(search),
        "entries": len(entries),
    }
    write_sealed(path, FORMAT, header, [entries.astype(WORD)])
    return len(entries)


# -- loading ---------------------------------------------------------------------------------------------------------------
def load_proof_table(search: TreeSearch, path: str | Path) -> tuple[int, int]:
    """Copies the entries of a file into the search's table, as far as its memory allows; returns how many entries the table
    has then, and how many the file has."""
    check_has_table(search, path)
    with open_sealed(path, FORMAT) as (header, body):
        count = _check_header(path, search, header)
        body.check_size(2 * WORD.itemsize * count)
        table, entries = _larger_table(search, count)
        entries += _read_entries(path, search, body, count, table)
    search.replace_table(table, entries)
    return entries, count


def _check_header(path: str | Path, search: TreeSearch, header: dict[str, Any]) -> int:
    """The number of entries of the file; a UserError unless they are of this game and, where they rest on it, this policy."""
    name, digest, knowledge, count = (header.get(key) for key in ("game", "digest", "knowledge", "entries"))
    if not all(isinstance(text, str) for text in (name, digest, knowledge)):
        raise damaged(path)
    if type(count) is not int or not 0 <= count < 1 << 40:
        raise damaged(path)
    find_same_game(path, "holds proofs", str(name), str(digest), search.game)
    if knowledge and knowledge != knowledge_digest(search):
        raise UserError(f"{path} holds proofs that rest on another policy, or on another version of it; it is not used")
    return count


def _larger_table(search: TreeSearch, count: int) -> tuple[np.ndarray, int]:
    """A copy of the table, enlarged for `count` more entries as far as the memory allows, and how many entries it has."""
    size = len(search.tree.table) // 2
    while size < 2 * (count + int(search.tree.counters[TABLE_ENTRIES])) and size < search.most_entries:
        size *= 2
    table = new_table(size)
    return table, search.copy_table(search.tree.table, table)


def _read_entries(path: str | Path, search: TreeSearch, body: Body, count: int, table: np.ndarray) -> int:
    """Copies the entries of the file into the table; returns how many that adds."""
    added = 0
    while count > 0:
        part = min(count, ENTRIES_AT_ONCE)
        entries = body.read(WORD, 2 * part).astype(np.uint64).reshape(-1, 2)
        if not has_possible_bounds(entries, search.options.scale) or np.any(entries == UNKNOWN):
            raise UserError(f"{path} is damaged: it has bounds that {search.game.name} cannot have")
        entries[:, 0] ^= entries[:, 1]
        added += search.copy_table(entries.reshape(-1), table)
        count -= part
    body.end()
    return added

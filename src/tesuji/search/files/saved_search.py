"""A search in a file: everything needed to go on exactly where it stopped.

A sealed file (`core/container.py`). The header has the game, the way to the position, settings, counts and the sizes of the
arrays, which are the body.

A file is data, and may come from anyone. The position is reconstructed by the rules from its moves; the tree is checked before
compiled code sees it (`tree_checks.py`), and bounds are used as far as they follow from it (`justified_bounds.py`). A user's
own game is code: it is never loaded because a file names it. Whoever loads the search gives the game, which must be the same
(`games/same_game.py`). The same holds for weights. No more memory is taken than whoever loads the search has allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tesuji.core.container import Body, SealedFormat, open_sealed, write_sealed
from tesuji.core.errors import UserError, shortened
from tesuji.core.files import FileKind
from tesuji.core.limits import MOST_PLAYOUTS
from tesuji.core.parameters import files_digest
from tesuji.core.sources import is_of_package
from tesuji.games.same_game import find_same_game, own_digest
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.files.justified_bounds import FACTS, JustifiedBounds, forget_studies, groups_of, survey
from tesuji.search.files.origin import Origin, origin_from_json, true_origin
from tesuji.search.files.tree_checks import has_possible_bounds, has_possible_expectations, has_possible_numbers, is_tree
from tesuji.search.kernel.bounds import OFF
from tesuji.search.kernel.quality import WIN_NOTES, are_possible_wins
from tesuji.search.kernel.table import new_table
from tesuji.search.kernel.tree import NODE, NOTES, NOTES_END, REPLACEMENTS, USED
from tesuji.search.playouts.memory import fill_from, is_possible, words_of
from tesuji.search.playouts.setup import make_memory
from tesuji.search.policy import RATING, Uniform, learns
from tesuji.search.selection.interface import (
    NOTHING,
    are_possible,
    are_possible_memos,
    are_possible_moves,
    begin_statistics,
    spec_of,
)

if TYPE_CHECKING:
    from tesuji.core.game import Game
    from tesuji.search.engine.tree_search import TreeSearch

SAVED = FileKind("a saved search", (b"tesuji search ",), 1 << 36)
FORMAT = SealedFormat(SAVED, 10, "is a search saved by", "tesuji analyze GAME --save FILE")
PARTS = (
    "nodes",
    "statistics",
    "expectations",
    "slots",
    "entries",
    "memo_slots",
    "memos",
    "learned_slots",
    "learned",
    "by_move",
    "wins",
    "generators",
)
MANY_INNER, MANY_NODES = 2000, 10_000  # with more nodes it pays to compile the check of their moves and bounds
LONGEST_REASON = 200  # characters of a message that may quote the header

# Makes a search from a game, the values of parameters in the file, values of those parameters that name files, which come from
# whoever loads it, and a seed. It refuses values in the file that name files.
Make = Callable[["Game", Mapping[str, Any], Mapping[str, Any], int], "TreeSearch"]


class _Refused(Exception):
    """Why a file is not used: what is said of it after its name."""


# -- saving --------------------------------------------------------------------------------------------------------------
def check_can_save(search: TreeSearch, path: str | Path) -> Origin:
    """Refuses a search that could not be saved, before hours are spent on it. Returns how its position came about."""
    for part in (search.rule, search.policy):
        if not is_of_package(type(part)):
            raise UserError(f"{path} is not written: a search with {type(part).__name__}, your own class, cannot be saved")
    if search.evaluation is not None:
        raise UserError(f"{path} is not written: a search with an evaluator of your own cannot be saved")
    if learns(search.policy):
        raise UserError(f"{path} is not written: a search whose policy learns from its own games cannot be saved")
    origin = true_origin(search.game, search.state, search.origin)
    if origin is None:
        raise UserError(f"{path} is not written: the moves that led to the position are not known, so it cannot be saved")
    return origin


def save_search(search: TreeSearch, path: str | Path) -> None:
    origin = check_can_save(search, path)
    if int(search.tree.counters[REPLACEMENTS]):
        raise UserError(f"{path} is not written: a search in which a policy replaced positions cannot be saved")
    parts = _parts_of(search)
    header = {
        "game": search.game.name_without_folder,
        "digest": own_digest(search.game),
        "origin": origin._asdict(),
        "settings": dict(search.settings),
        "files": search.settings.file_digests(),
        "seed": search.seed,
        "playouts": search.playouts,
        "seconds": search.seconds,
        "full": search.was_full,
        "table": len(search.tree.table) // 2,
        "memo": len(search.tree.memo),
        "notes": [int(number) for number in search.tree.counters[NOTES:NOTES_END]],
        "sizes": {name: int(parts[name].nbytes) for name in PARTS},
    }
    write_sealed(path, FORMAT, header, [parts[name] for name in PARTS])


def _parts_of(search: TreeSearch) -> dict[str, np.ndarray]:
    """The arrays of a search as they are saved: of the table only the entries in use."""
    tree, used = search.tree, int(search.tree.counters[USED])
    table = tree.table.reshape(-1, 2)
    slots = np.flatnonzero(table[:, 1]) if len(table) > 1 else np.zeros(0, np.int64)
    learned = _learned_words(search)
    learned_slots = np.flatnonzero(learned != _fresh_words(search)).astype(np.int64)
    memo_slots = np.flatnonzero(tree.memo["key"]).astype(np.int64) if len(tree.memo) > 1 else np.zeros(0, np.int64)
    return {
        "nodes": tree.nodes[:used],
        "statistics": tree.statistics[: used if _has_statistics(search) else 0],
        "expectations": tree.expectations[: used if search.options.value_share > 0.0 else 0],
        "slots": slots.astype(np.int64),
        "entries": table[slots],
        "memo_slots": memo_slots,
        "memos": tree.memo[memo_slots],
        "by_move": np.concatenate([scratch.by_move.ravel() for scratch in search.scratches])[
            : None if _keeps_moves(search) else 0
        ],
        "wins": np.array([scratch.wins for scratch in search.scratches]),
        "learned_slots": learned_slots,
        "learned": learned[learned_slots],
        "generators": np.array([scratch.rng for scratch in search.scratches]),
    }


def _learned_words(search: TreeSearch) -> np.ndarray:
    """What all threads have learned for their playouts."""
    return np.concatenate([words_of(scratch.learned) for scratch in search.scratches])


def _fresh_words(search: TreeSearch) -> np.ndarray:
    """The same of threads that have learned nothing yet: a file holds what differs."""
    return np.tile(words_of(make_memory(search.game, search.options.chooser)), len(search.scratches))


def _has_statistics(search: TreeSearch) -> bool:
    return search.tree.statistics.dtype != NOTHING


def _keeps_moves(search: TreeSearch) -> bool:
    """Whether what the rule keeps of moves lasts from one choice to the next."""
    return are_possible_moves.is_implemented(type(search.rule))


# -- loading -------------------------------------------------------------------------------------------------------------
def load_search(
    path: str | Path,
    make: Make,
    game: Game | None = None,
    files: Mapping[str, Any] | None = None,
    memory: float | None = None,
) -> TreeSearch:
    """The search saved in a file. `game` is needed if it is not one of the package; `files` are values for parameters that
    name files; `memory` is how much it may take, if not what it had. More than the default must be allowed this way.
    """
    try:
        with open_sealed(path, FORMAT) as (header, body):
            name, digest = header["game"], header["digest"]
            if not isinstance(name, str) or not isinstance(digest, str):
                raise ValueError("game")
            same, seed = find_same_game(path, "is a search", name, digest, game), _whole(header["seed"], 1 << 64)
            search = _made(path, header, files or {}, make, same, seed, memory)
            _fill(search, header, body)
            return search
    except _Refused as error:
        raise UserError(f"{path} {error}") from None
    except (ValueError, TypeError, KeyError, OverflowError, AttributeError, RecursionError):
        raise UserError(f"{path} is damaged: its header does not make sense") from None
    except MemoryError:
        raise UserError(f"{path} needs more memory than there is; ask for less with --memory") from None


def _made(
    path: str | Path,
    header: Mapping[str, Any],
    files: Mapping[str, Any],
    make: Make,
    game: Game,
    seed: int,
    memory: float | None,
) -> TreeSearch:
    """A search with the settings of the file, and with the same contents of the files that it was saved with."""
    digests = dict(header["files"])
    for name in files:
        if name not in digests:
            raise _Refused(f"was saved without {name} of its own; leave --{name} out")
    settings = dict(header["settings"])
    try:
        _limit_memory(settings, memory)
        search = make(game, settings, files, seed)
    except UserError as error:
        raise UserError(f"{path}: {shortened(str(error), LONGEST_REASON)}") from None
    if digests.keys() != set(search.settings.named_files()):
        raise _damaged("it names other files than its settings do")
    for name, digest in digests.items():
        if files_digest(str(files[name])) != digest:
            raise _Refused(f"was saved with other {name} than {shortened(str(files[name]))}")
    return search


def _limit_memory(settings: dict[str, Any], memory: float | None) -> None:
    """Sets the memory to `memory`; without it, a file that wants more than the default is refused."""
    allowed = {"memory": memory, "learned_memory": memory}
    if memory is not None:
        settings["memory"] = memory
    for name, most in allowed.items():
        parameter = SEARCH.all()[name]
        default = float(parameter.default)
        wanted = float(parameter.parse(settings.get(name, default)))  # as the search will read it: it may be a text
        if wanted > max(default, float(parameter.parse(most or default))):
            raise UserError(f"made with {wanted:.6g} MiB, more than the default {default:g}: use --memory to allow that much")


def _fill(search: TreeSearch, header: Mapping[str, Any], body: Body) -> None:
    """Takes position, tree and counts from the file, each checked."""
    try:
        search.origin = origin_from_json(header["origin"])
        search.state = search.origin.position(search.game)
    except UserError as error:
        raise _damaged(f"its position cannot be reached: {shortened(str(error), LONGEST_REASON)}") from None
    parts = _arrays(search, header["sizes"], body)
    nodes, statistics, slots, entries = parts["nodes"], parts["statistics"], parts["slots"], parts["entries"].reshape(-1, 2)
    expectations, options = parts["expectations"], search.options
    fits = len(statistics) == (len(nodes) if _has_statistics(search) else 0) and len(slots) == len(entries)
    if not fits or len(expectations) != (len(nodes) if options.value_share > 0.0 else 0):
        raise _damaged("its parts do not fit together")
    if not is_tree(nodes, search.game.move_count):
        raise _damaged("its nodes are no tree")
    possible = has_possible_numbers(nodes, options.scale, options.studies) and has_possible_expectations(expectations)
    if not possible or not are_possible(search.rule, statistics, options.scale):
        raise _damaged("its nodes have impossible numbers")
    _check_table(search, header["table"], slots, entries)
    _justify(search, nodes, statistics, entries)
    _fill_table(search, header["table"], slots, entries)
    _fill_memo(search, header["memo"], parts["memo_slots"], parts["memos"])
    notes = header["notes"]
    if not isinstance(notes, list) or len(notes) != NOTES_END - NOTES or not all(type(note) is int for note in notes):
        raise ValueError("notes")
    search.tree.counters[NOTES:NOTES_END] = np.clip(np.array(notes, np.int64), -(1 << 40), 1 << 40)
    search.tree.nodes[: len(nodes)] = nodes
    search.tree.statistics[: len(statistics)] = statistics
    search.tree.expectations[: len(expectations)] = expectations
    search.tree.counters[USED] = len(nodes)
    generators = parts["generators"].reshape(-1, 4)
    if len(generators) != len(search.scratches) or not np.all(generators.any(axis=1)):
        raise _damaged(f"its random generators are not those of {len(search.scratches)} threads")
    _fill_threads(search, parts["by_move"], parts["wins"])
    for scratch, words in zip(search.scratches, generators, strict=True):
        scratch.rng[:] = words
    _fill_learned(search, parts["learned_slots"], parts["learned"])
    search.playouts, search.seconds = _whole(header["playouts"], MOST_PLAYOUTS), float(header["seconds"])
    if not 0.0 <= search.seconds < math.inf:
        raise ValueError("seconds")
    search.was_full = bool(header["full"])


def _arrays(search: TreeSearch, sizes: Any, body: Body) -> dict[str, np.ndarray]:
    """The arrays of the body. None is unpacked that would not fit into the search."""
    tree, word, entries, memos = search.tree, np.dtype(np.int64), search.most_entries, search.most_memos
    kinds = {
        "nodes": (NODE, len(tree.nodes)),
        "statistics": (tree.statistics.dtype, len(tree.statistics)),
        "expectations": (np.dtype(np.float32), len(tree.expectations)),
        "slots": (word, entries),
        "entries": (np.dtype(np.uint64), 2 * entries),
        "memo_slots": (word, memos),
        "memos": (tree.memo.dtype, memos),
        "by_move": (search.scratches[0].by_move.dtype, search.scratches[0].by_move.size * len(search.scratches)),
        "wins": (np.dtype(np.float64), WIN_NOTES * len(search.scratches)),
        "learned_slots": (word, len(_learned_words(search))),
        "learned": (np.dtype(np.uint64), len(_learned_words(search))),
        "generators": (np.dtype(np.uint64), 4 * len(search.scratches)),
    }
    for name, (kind, most) in kinds.items():
        if _whole(sizes[name], 1 << 62) % kind.itemsize:
            raise _damaged("its parts do not fit together")
        if sizes[name] > most * kind.itemsize:
            raise _too_large(search)
    body.check_size(sum(sizes[name] for name in PARTS))
    arrays = {name: body.read(kinds[name][0], sizes[name] // kinds[name][0].itemsize) for name in PARTS}
    body.end()
    return arrays


def _justify(search: TreeSearch, nodes: np.ndarray, statistics: np.ndarray, entries: np.ndarray) -> None:
    """Checks all moves, and leaves out the bounds that do not follow from the rules and the tree."""
    options, game = search.options, search.game
    proves = options.proof.solver != OFF
    if proves and options.studies:
        forget_studies(nodes)
    inner = int(np.count_nonzero(nodes["child_count"]))
    many = inner > MANY_INNER or (proves and len(nodes) > MANY_NODES)
    depths = min(game.max_plies, inner) + 2
    states, temporary = np.zeros(depths, search.state.dtype), np.zeros(1, search.state.dtype)
    states[0] = search.state
    walk = (states, np.zeros(depths + 1, np.int64), np.zeros(depths, np.int64))
    buffer, marks = np.zeros(game.buffer_size, np.int32), np.zeros(game.move_count, np.int64)
    facts, ratings = np.zeros(len(nodes) if proves else 1, FACTS), np.zeros(game.buffer_size, RATING)
    # Without pruning the policy is not asked: then one compilation serves all policies.
    policy = search.policy if proves and options.rates and options.prunes else Uniform()

    def run(kernel: Callable[..., Any], *arguments: Any) -> int:
        if many:
            return int(search.call(kernel, *arguments))
        with np.errstate(over="ignore"):
            return int(kernel(*arguments))

    if run(survey, nodes, facts, *walk, buffer, marks, temporary, policy, ratings, options) >= 0:
        raise _damaged("its nodes do not have the moves of their positions")
    if not proves:
        nodes["lower"], nodes["upper"] = game.outcomes
        return
    groups = groups_of(run, nodes, facts, walk, temporary, options)
    justified = JustifiedBounds(run, nodes, facts, groups, options.scale)
    changed = justified.widen_nodes(nodes)
    search.bounds_left_out = len(changed) + justified.widen_entries(entries)
    if spec_of(type(search.rule)).proves:  # its numbers go with the bounds
        for node in changed:
            begin_statistics(search.rule, statistics[node])


def _check_table(search: TreeSearch, size: Any, slots: np.ndarray, entries: np.ndarray) -> None:
    used = search.options.proof.transpositions
    fits = 4 <= _whole(size, 1 << 40) and size & (size - 1) == 0 if used else size == 1 and len(slots) == 0
    if fits and used and size > search.most_entries:
        raise _too_large(search)
    if not fits or np.any((slots < 0) | (slots >= size)) or not has_possible_bounds(entries, search.options.scale):
        raise _damaged("its table does not fit")


def _fill_table(search: TreeSearch, size: int, slots: np.ndarray, entries: np.ndarray) -> None:
    table = new_table(size) if search.options.proof.transpositions else search.tree.table
    table.reshape(-1, 2)[slots] = entries
    search.replace_table(table, int(np.count_nonzero(entries[:, 1])))


def _fill_memo(search: TreeSearch, count: Any, slots: np.ndarray, memos: np.ndarray) -> None:
    """The rule's records of positions. They only guide the search, so they need not be true, but must be in range."""
    most = search.most_memos
    fits = 4 <= _whole(count, 1 << 40) and count & (count - 1) == 0 if most > 1 else count == 1 and len(slots) == 0
    if fits and count > most:
        raise _too_large(search)
    if not fits or len(slots) != len(memos) or np.any((slots < 0) | (slots >= count)):
        raise _damaged("its parts do not fit together")
    if len(memos) and not are_possible_memos(search.rule, memos, search.options.scale):
        raise _damaged("its positions have impossible numbers")
    memo = np.zeros(count, search.tree.memo.dtype)
    memo[slots] = memos
    search.replace_memo(memo)


def _fill_threads(search: TreeSearch, by_move: np.ndarray, wins: np.ndarray) -> None:
    """What each thread has kept of moves, and of the ends of its games."""
    scratches = search.scratches
    size = scratches[0].by_move.size if _keeps_moves(search) else 0
    if len(by_move) != size * len(scratches) or len(wins) != WIN_NOTES * len(scratches):
        raise _damaged("its parts do not fit together")
    if not are_possible_wins(wins) or (size and not are_possible_moves(search.rule, by_move, search.options.scale)):
        raise _damaged("its moves have impossible numbers")
    for thread, scratch in enumerate(scratches):
        scratch.wins[:] = wins[thread * WIN_NOTES : (thread + 1) * WIN_NOTES]
        if size:
            scratch.by_move[:] = by_move[thread * size : (thread + 1) * size].reshape(scratch.by_move.shape)


def _fill_learned(search: TreeSearch, slots: np.ndarray, learned: np.ndarray) -> None:
    """What each thread has learned for its playouts. It only guides the search: it need not be true, but must be in range."""
    words = _fresh_words(search)
    if len(slots) != len(learned) or np.any((slots < 0) | (slots >= len(words))):
        raise _damaged("its parts do not fit together")
    words[slots] = learned
    for scratch, mine in zip(search.scratches, np.split(words, len(search.scratches)), strict=True):
        fill_from(scratch.learned, mine)
        if not is_possible(scratch.learned, search.game.move_count):
            raise _damaged("what its playouts have learned has impossible numbers")


def _damaged(what: str) -> _Refused:
    return _Refused(f"is damaged: {what}")


def _too_large(search: TreeSearch) -> _Refused:
    return _Refused(f"does not fit into {search.settings['memory']:g} MiB; ask for more with --memory")


def _whole(value: Any, end: int) -> int:
    if type(value) is not int or not 0 <= value < end:
        raise ValueError("a whole number")
    return value

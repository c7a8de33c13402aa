"""Game records for learning: files of SGF, or tables of tab-separated values with a column `moves`.

A table of games that a program has played may say what its searches found (`self_play.py`): in a column `values` the result
that each expected for the player to move, with `=` before it if it is proven, in a column `visits` how often it visited each
move; `-` where there was no search.

A game with an illegal move is left out and named, with the file, the game and the ply; the rest is used. The same holds for a
game whose text is broken, and for a file that is neither of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError, shortened
from tesuji.core.files import MIB, FileKind, read_unpacked
from tesuji.core.game import NO_MOVE, Game, State, copy_state
from tesuji.core.numba.registration import compiled, is_pure
from tesuji.io.sgf import parse_sgf, read_record
from tesuji.io.sgf.conversion import DIALECT_MOVES
from tesuji.io.sgf.record import DRAW, Record, stepper
from tesuji.io.sgf.text import decode
from tesuji.io.sgf.tree import GameTrees, Node, Place, SgfError

RECORDS = FileKind("a file of game records", (), 512 * MIB)
MANY_CHARACTERS = 50_000  # in a file: from there on it pays to compile the rules
WINNERS = {"b": 1, "black": 1, "w": -1, "white": -1, "d": 0, "draw": 0}  # column 'winner' of a table; else it says nothing
COMPILE_FROM = 1000  # moves: below that, pure Python is quicker
COLOURS = {"b": rules.FIRST, "w": rules.SECOND}  # of moves in a table
HANDICAP_COLUMNS = ("handicap", "ha")
NO_SEARCH, VISITS_OF, NEXT_VISITS = "-", "=", ";"  # in a table: 0.52 and d4=120;e5=80, or - and -
PROVEN = "="  # before a value: it is exact, and so
EXACT_VALUES = (0.0, 0.5, 1.0)  # one of these
MOST_VISITS = 1e12
_SGF = re.compile(rb"[\xef\xbb\xbf\xff\xfe\0 \t\r\n]*+\(")  # after the mark of a character set; UTF-16 has zeros, too
_TREE = re.compile(r"\(\s*+;")
# Properties that only the first node of a game may have. Others, such as players and result, may stand in a variation.
_ROOT_ONLY = ("AP", "CA", "FF", "GM", "ST", "SZ")
_SINGLE = (*_ROOT_ONLY, "B", "W", "C", "PB", "PW", "KM", "RE", "DT", "EV", "RU", "HA")  # these have one value
_ROOT = rf"(?:{'|'.join(_ROOT_ONLY)})\s*+\["
_VALUE = r"[^\\\[\]]*+"
_GAME_BEGIN = re.compile(rf"\(\s*+;\s*+(?:[A-Z]++\s*+(?:\[{_VALUE}\]\s*+)++)*?{_ROOT}{_VALUE}\]")
# A value that was not closed ends with the first value of the next game.
_SWALLOWED_BEGIN = re.compile(rf"[)\r\n][ \t]*+\(\s*+;\s*+{_ROOT}{_VALUE}\Z")
Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class SearchedMove:
    """What a search found in a position."""

    value: float  # the result that it expects for the player to move, from 0 to 1
    shares: tuple[tuple[int, float], ...]  # moves, each with its share of what is learned of them, such as of all visits
    proven: bool = False  # the value is exact: 1 a win, 0.5 a draw, 0 a loss


@dataclass(frozen=True)
class RecordedGame:
    """One game: where it is from, where it begins, and its moves. `outcome` is for player 0; None if it is not known. `game`
    is its board and rules, where its record may differ from what was asked for.

    What the record says goes before what the board shows: it may have other rules for moves that connect both sides.
    """

    label: str
    start: State
    moves: tuple[int, ...]
    outcome: int | None = None
    game: Game | None = None
    searches: tuple[SearchedMove | None, ...] = ()  # for each move the search that chose it; () = the record has none


@dataclass
class Collection:
    """The games of some files, and a line for each that could not be used."""

    games: list[RecordedGame] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @property
    def positions(self) -> int:
        return sum(len(game.moves) for game in self.games)


def read_collection(
    game: Game,
    paths: Iterable[str | Path],
    on_progress: Progress | None = None,
    any_size: bool = False,
    even_only: bool = False,
) -> Collection:
    """All games of the files that can be used, in order. A file that cannot be opened or unpacked is a UserError.

    Only the size of the game matters: games begin as usual and may have a swap. `any_size` takes games on boards of other sizes
    too, `even_only` none that begins with stones. A table says the size in a column `size`, a handicap in one of that name or
    `ha`; without these, all games are even and of the game's own size.
    """
    collection = Collection()
    game = _not_set_up(game)
    paths = list(paths)
    with np.errstate(over="ignore"):
        for number, path in enumerate(paths):
            data = read_unpacked(path, RECORDS)
            if _SGF.match(data):
                found = _sgf_games(game, str(path), decode(data), any_size, even_only)
            else:
                found = _table_games(game, str(path), data.decode("utf-8", "replace"), any_size, even_only)
            for one in found:
                if isinstance(one, str):
                    collection.refused.append(one)
                else:
                    collection.games.append(one)
                if on_progress is not None and len(collection.games) % 20 == 0:
                    on_progress(number / len(paths), f"{len(collection.games)} games read")
    return collection


def read_text(path: str | Path) -> str:
    """The text of a file, which may be packed by gzip."""
    return read_unpacked(path, RECORDS).decode("utf-8", "replace")


def _sgf_games(game: Game, path: str, text: str, any_size: bool, even_only: bool) -> Iterator[RecordedGame | str]:
    quick = len(text) > MANY_CHARACTERS
    for number, tree in _trees(path, text):
        if isinstance(tree, str):
            yield tree
            continue
        try:
            record = read_record(tree, path, number, game=None if any_size else game, quick=quick, own_rules=True)
            if record.game.sgf_number != game.sgf_number:
                raise UserError(f"{path}: game {number}: this is a game of {record.game.name}, not of {game.title}")
            _check_usable(record, f"{path}: game {number}", even_only)
        except UserError as error:
            yield str(error)
            continue
        result = record.outcome
        outcome = 0 if result.by == DRAW else None if result.winner is None else 1 - 2 * result.winner
        moves = tuple(record.moves)
        outcome = _outcome(game, record.start, moves, outcome)
        yield RecordedGame(f"{path}: game {number}", record.start, moves, outcome, record.game)


def _trees(path: str, text: str) -> Iterator[tuple[int, Node | str]]:
    """The games of a file of SGF, each with its number from 1, or what is wrong with its text.

    Only a text that is broken, or in which one game seems to have swallowed the next, is cut where games seem to begin: legal
    values may look like the beginning of a game.
    """
    try:
        trees = parse_sgf(text, path)
        if not _has_swallowed(trees, text):
            yield from _numbered(trees, 1)
            return
    except SgfError:
        pass
    except UserError as error:  # there is too much of it
        yield 1, str(error)
        return
    number = 1
    for part, line, column in _parts(text):
        try:
            trees = parse_sgf(part, path if part == text else f"{path}: game {number}", line, column)
        except UserError as error:
            yield number, str(error)
            number += 1
        else:
            yield from _numbered(trees, number)
            number += len(trees)


def _numbered(trees: GameTrees, first: int) -> Iterator[tuple[int, Node | str]]:
    for index in range(len(trees)):
        try:
            yield first + index, trees[index]
        except UserError as error:  # the game is too large
            yield first + index, str(error)


def _has_swallowed(trees: GameTrees, text: str) -> bool:
    """Whether one of the games seems to hold another, because a value was not closed."""
    begins = set(trees.begins)
    if all(match.start() in begins for match in _GAME_BEGIN.finditer(text)):
        return False
    return any(_holds_another(tree) for _, tree in _numbered(trees, 1) if isinstance(tree, Node))


def _holds_another(tree: Node) -> bool:
    for node in tree.walk():
        for name, values in node.properties.items():
            if (node is not tree and name in _ROOT_ONLY) or (len(values) > 1 and name in _SINGLE):
                return True
            if any(map(_SWALLOWED_BEGIN.search, values)):
                return True
    return False


def _parts(text: str) -> Iterator[tuple[str, int, int]]:
    """The text cut where games seem to begin; each part with the line and column of its beginning."""
    first = _TREE.search(text)
    cuts = (match.start() for match in _GAME_BEGIN.finditer(text, first.end() if first else len(text)))
    place = Place(text)
    for end in (*cuts, len(text)):
        begin, line, column = place.position, place.line, place.column
        place.move_to(end)
        yield text[begin:end], line, column


def _check_usable(record: Record, label: str, even_only: bool) -> None:
    if even_only and (record.handicap or record.start.tobytes() != record.game.initial.tobytes()):
        raise UserError(f"{label}: it begins with a handicap or with stones set up")
    if not record.is_plain:
        ply = 1 + next(index for index, turn in enumerate(record.turns) if turn.move is None)
        raise UserError(f"{label}, move {ply}: stones are set up in the middle, or the move is out of turn or after the end")
    if not record.turns:
        raise UserError(f"{label}: there are no moves")


class _MoveError(UserError):
    """What is wrong with a move of a table; it begins with the ply."""


def _table_games(game: Game, path: str, text: str, any_size: bool, even_only: bool) -> Iterator[RecordedGame | str]:
    lines = text.splitlines()
    columns = lines[0].lstrip("\ufeff#").split("\t") if lines else []
    columns = [name.partition(" ")[0] for name in columns]
    if "moves" not in columns:
        yield f"{path} is neither SGF nor a table: its first line must name tab-separated columns, one of them 'moves'"
        return
    quick = len(text) > MANY_CHARACTERS
    steps: dict[str, Callable[[State, int], bool]] = {}
    for number, line in enumerate((one for one in lines[1:] if one.strip() and not one.startswith("#")), 1):
        row = dict(zip(columns, line.split("\t"), strict=False))
        name = ", ".join(row[c] for c in ("file", "game") if row.get(c)) or "?"
        label = f"{path}: game {number} ({name})"
        size = row.get("size", "") if game.vary is not None else ""
        handicap = next((row[c].strip() for c in columns if c.lower() in HANDICAP_COLUMNS and c in row), "")
        try:
            if even_only and handicap not in ("", "0"):
                raise UserError(f"it has a handicap of {shortened(handicap)}")
            played = _of_size(game, size, any_size) if size else game
            turns, rules_shown = _turns(played, row.get("moves", "").split())
            if rules_shown and played.vary is not None:
                played = played.vary(**rules_shown)
            if played.name not in steps:
                steps[played.name] = stepper(played, quick)
            moves = replayed(played, turns, steps[played.name])
            searches = _searches(played, moves, steps[played.name], row.get("values", ""), row.get("visits", ""))
        except UserError as error:
            yield f"{label}{', ' if isinstance(error, _MoveError) else ': '}{error}"
            continue
        outcome = WINNERS.get(row.get("winner", "").strip().lower())
        outcome = _outcome(played, played.initial, moves, outcome)
        yield RecordedGame(label, copy_state(played.initial), tuple(moves), outcome, played, searches)


def _searches(
    game: Game, moves: list[int], step: Callable[[State, int], bool], values: str, visits: str
) -> tuple[SearchedMove | None, ...]:
    """What a table says of the searches for these moves; a UserError if that makes no sense.

    That the moves visited were legal is for those to check who use them.
    """
    if not values.strip() and not visits.strip():
        return ()
    by_move = list(zip(values.split(), visits.split(), strict=False))
    if len(by_move) != len(moves) or len(values.split()) != len(visits.split()):
        raise UserError(f"it has {len(moves)} moves, {len(values.split())} values and {len(visits.split())} lists of visits")
    state, searches = game.new_state(), []
    for ply, (move, (value, counts)) in enumerate(zip(moves, by_move, strict=True), 1):
        searches.append(None if value == NO_SEARCH else _search(game, state, ply, value, counts))
        step(state, move)
    return tuple(searches)


def _search(game: Game, state: State, ply: int, value: str, counts: str) -> SearchedMove:
    expected, total = _number_in(value.removeprefix(PROVEN), 1.0), 0.0
    proven = value.startswith(PROVEN)
    shares: dict[int, float] = {}
    for text, _, count in (one.rpartition(VISITS_OF) for one in counts.split(NEXT_VISITS)):
        move, number = _meaning(game, state, text), _number_in(count, MOST_VISITS)
        if move < 0 or number is None:
            raise _MoveError(f"ply {ply}: {shortened(text)}={shortened(count)} are no visits of a move")
        shares[move] = shares.get(move, 0.0) + number
        total += number
    if expected is None or total <= 0.0 or (proven and expected not in EXACT_VALUES):
        raise _MoveError(f"ply {ply}: {shortened(value)} is not an expected result from 0 to 1, or no move was visited")
    return SearchedMove(expected, tuple((move, count / total) for move, count in shares.items()), proven)


def _number_in(text: str, most: float) -> float | None:
    """The number from 0 to `most`, or None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0.0 <= number <= most else None


def _turns(game: Game, texts: list[str]) -> tuple[list[tuple[int | None, str]], Mapping[str, Any]]:
    """The moves of a game in a table, each with the player that it names, as in `b:a1`; and the rules that they show."""
    if game.sgf_dialect is None or game.parse_sgf_move is None:
        return [(None, text) for text in texts], {}
    turns: list[tuple[int | None, str]] = []
    for text in texts:
        colour, _, move = text.rpartition(":")
        player = COLOURS.get(colour.lower())
        turns.append((player, move) if player is not None else (None, text))
    first = [(ply % 2 if player is None else player, text) for ply, (player, text) in enumerate(turns[:DIALECT_MOVES])]
    dialect = game.sgf_dialect(first)
    no_moves = {word for word, meant in dialect.words.items() if game.parse_sgf_move(game.initial, meant) == NO_MOVE}
    return [(player, text) for player, text in turns if text.lower() not in no_moves], dialect.rules


def _not_set_up(game: Game) -> Game:
    """The game from its default start, where it is one from a position."""
    board = game.board
    if game.vary is None or board is None or not board.stones(game.initial):
        return game
    return game.of_size(board.columns, board.rows)


def _of_size(game: Game, text: str, any_size: bool) -> Game:
    """The game on a board of the size that a table names, which must be its own unless any will do."""
    if not text.isdecimal() or len(text) > 4 or game.vary is None:
        raise UserError(f"its size {shortened(text, quoted=True)} is not a number")
    own = game.board.rows if game.board is not None else 0
    if int(text) == own:
        return game
    if not any_size:
        raise UserError(f"it is of size {text}, not of {own}")
    return game.vary(size=int(text))


def _outcome(game: Game, start: State, moves: Sequence[int], said: int | None) -> int | None:
    """What the record says; where it says nothing, who has won on the board, if the game is over there."""
    if said is not None:
        return said
    state, step = copy_state(start), stepper(game, quick=False, check=False)
    for move in moves:
        step(state, move)
    return int(rules.outcome(state)) if rules.is_over(state) else None


def replayed(game: Game, turns: list[tuple[int | None, str]], step: Callable[[State, int], bool]) -> list[int]:
    """The moves of these texts from the start, each with its player where that is said; a UserError names the ply of the first
    that is not legal.
    """
    state = game.new_state()
    moves = []
    for ply, (player, text) in enumerate(turns, 1):
        if rules.is_over(state):
            raise _MoveError(f"ply {ply}: {shortened(text)} comes after the end of the game")
        if player is not None and player != rules.to_play(state):
            raise _MoveError(f"ply {ply}: {'bw'[player]}:{shortened(text)} is out of turn")
        move = _meaning(game, state, text)
        if move < 0 or not step(state, move):
            raise _MoveError(f"ply {ply}: {shortened(text)} is not a legal move")
        moves.append(move)
    if not moves:
        raise UserError("there are no moves")
    return moves


def _meaning(game: Game, state: State, text: str) -> int:
    """The move that a text names, legal or not; -1 if none."""
    if game.parse_move is not None:
        return game.parse_move(state, text)
    try:
        return game.parse(state, text)
    except UserError:
        return -1


# -- use of games --------------------------------------------------------------------------------------------------------------
def replays(games: Sequence[RecordedGame]) -> Iterator[tuple[State, np.ndarray]]:
    """The start of each game, in a record that may be changed, and its moves."""
    states = np.zeros(1, games[0].start.dtype)
    for one in games:
        states[0] = one.start
        yield states[0], np.array(one.moves, np.int32)


def compiled_if_many(walk: Callable[..., Any], games: Sequence[RecordedGame]) -> Callable[..., Any]:
    """A kernel that goes through games, compiled where that pays."""
    return walk if is_pure() or sum(len(one.moves) for one in games) < COMPILE_FROM else compiled(walk)

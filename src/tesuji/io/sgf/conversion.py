"""Between game trees and records of our games: which game, where it begins, and the moves of its main line, checked.

No game is named here: SGF's number of a game (GM) is looked up among the games of the registry. A game without a number is
written with GM[0] and the private property TESUJI, which holds the game string; its moves are then in the game's own words.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tesuji import __version__
from tesuji.core import rules
from tesuji.core.arguments import finite
from tesuji.core.errors import UserError, shortened
from tesuji.core.game import NO_MOVE, RESIGNS, Game, SgfDialect, State, copy_state
from tesuji.core.picture.board import Point
from tesuji.core.records import is_same_record
from tesuji.games.registry import ENTRIES, find_built_in, find_game
from tesuji.io.sgf.record import Record, Turn, stepper
from tesuji.io.sgf.text import LETTERS, escaped, letters_of, point_of, simple_text_of, split_composed
from tesuji.io.sgf.tree import Node, SgfError

PRIVATE = "TESUJI"  # the property that holds a game string
NO_NUMBER = 0
DEFAULT_NUMBER = 1  # what a file without GM is about, by the standard
DEFAULT_SIZE = {1: 19}  # what a file without SZ is played on, by the standard
SET_UP = ("AB", "AW", "AE", "PL")
COLOURS = (("B", rules.FIRST), ("W", rules.SECOND))
_SIZE = re.compile(r"(\d{1,3})(?:\s*:\s*(\d{1,3}))?")
_SQUARE = re.compile(r"([A-Za-z])(\d{1,2})")
MOST_SIDE = len(LETTERS)  # of a board whose points have names
DIALECT_MOVES = 3  # that show the dialect of a record

# Limits of a record: each stone that is set up, and each move, is checked by the rules, which takes 0.02 and 1 ms.
FEWEST_MOVES = 1000  # are read of any game; more if the rules allow more
MOST_POSITIONS = 200  # set up in the midst of a game, or gone on from after its end
MOST_STONES = 20_000  # in all of these positions together


def board_point(game: Game, state: State, text: str) -> Point | None:
    """The point that a list of stones names: two letters, or as the game writes its moves, or as chess players do."""
    board = game.board
    if board is None:
        return None
    if len(text) == 2 and text.isalpha():
        return point_of(text, board.columns, board.rows, board.from_top)
    match = _SQUARE.fullmatch(text)
    if match is None:
        return None
    if game.parse_sgf_move is not None:
        try:
            move = game.parse_sgf_move(state, text)
            return board.point(state, move) if move >= 0 else None
        except UserError:
            pass
    column, row = ord(match[1].lower()) - ord("a"), int(match[2]) - 1
    return (column, row) if column < board.columns and 0 <= row < board.rows else None


# -- reading -----------------------------------------------------------------------------------------------------------
def read_record(
    root: Node,
    name: str = "SGF",
    number: int | None = None,
    game: Game | None = None,
    moves: int | None = None,
    quick: bool = False,
    own_rules: bool = False,
) -> Record:
    """The main line of a game tree as a record.

    `name` and `number` are the file and the game in it, for errors. A `game` that is given is the one that is played,
    whatever komi the file names, and its size must be the file's. `moves` reads only so many moves. `quick` checks them by
    compiled rules, which pays for many games. With `own_rules` the game is played by the rules that the record shows, such
    as a swap, and not only by those of the `game`.
    """
    return _Reader(root, name, number, game, quick, own_rules).read(moves)


class _Reader:
    def __init__(self, root: Node, name: str, number: int | None, game: Game | None, quick: bool, own_rules: bool = False):
        self.root = root
        self.label = name if number is None else f"{name}: game {number}"
        self.notes: list[str] = []
        self.played = 0
        self.positions = 0
        self.stones = 0
        self.exchanged = False  # the players have changed places
        self.resigned: int | None = None
        self.dialect = SgfDialect()
        self.game = _given_game(self, game) if game is not None else _named_game(self)
        if own_rules:
            self.game = _by_rules_of_record(self, self.game)
        self.step = stepper(self.game, quick)
        self.state: State = self.game.new_state()

    def read(self, moves: int | None) -> Record:
        root = self.root
        self._begin()
        record = Record(
            self.game,
            copy_state(self.state),
            black=root.simple_text("PB"),
            white=root.simple_text("PW"),
            result=root.simple_text("RE"),
            handicap=self._handicap(),
            date=root.simple_text("DT"),
            rules=root.simple_text("RU"),
            comment=root.text("C"),
            notes=self.notes,
        )
        for node in root.main_line():
            self._node(node, record.turns, moves)
            if moves is not None and self.played > moves:
                break
        if self.resigned is not None and not record.result:
            record.result = f"{'WB'[self.resigned]}+R"
        return record

    # -- where it begins ---------------------------------------------------------------------------------------------
    def _begin(self) -> None:
        """The start position: stones of the root, or of a handicap that is only named; who moves first."""
        root, board = self.root, self.game.board
        stones = any(name in root for name in ("AB", "AW", "AE"))
        handicap = self._handicap()
        first = self._first_to_move()
        if "PL" in root:
            player = self._player(root)
        elif first is not None and (stones or handicap):
            player = first
        else:
            player = rules.SECOND if handicap >= 2 else int(rules.to_play(self.state))
        if not stones and handicap >= 2 and player == rules.SECOND and board is not None and board.handicap is not None:
            points = self._at(root, lambda: board.handicap(handicap))  # type: ignore[misc]
            self._set_up(root, dict.fromkeys(points, rules.FIRST), player)
        elif stones or "PL" in root:
            self._set_up(root, self._changed_stones(root), player)

    def _handicap(self) -> int:
        text = self.root.simple_text("HA")
        return int(text) if re.fullmatch(r"\d{1,3}", text) else 0

    def _first_to_move(self) -> int | None:
        for node in self.root.main_line():
            for colour, player in self._colours():
                if colour in node:
                    return player
        return None

    def _colours(self) -> tuple[tuple[str, int], ...]:
        """The properties of moves, and whose they are in this record."""
        return COLOURS if self.dialect.black == rules.FIRST else (("B", rules.SECOND), ("W", rules.FIRST))

    def read_dialect(self, game: Game) -> None:
        """Finds out by the first moves how this record is written."""
        if game.sgf_dialect is None:
            return
        first: list[tuple[int, str]] = []
        for node in self.root.main_line():
            first += [(player, simple_text_of(value).strip()) for colour, player in COLOURS for value in node.values(colour)]
            if len(first) >= DIALECT_MOVES:
                break
        find = game.sgf_dialect
        self.dialect = self._at(self.root, lambda: find(first[:DIALECT_MOVES]))
        if any(name in self.root for name in ("AB", "AW", "PL")):  # these say who is Black
            self.dialect = replace(self.dialect, black=rules.FIRST)

    # -- one node ----------------------------------------------------------------------------------------------------
    def _node(self, node: Node, turns: list[Turn], most: int | None) -> None:
        comment = node.text("C") if node is not self.root else ""
        if node is not self.root and any(name in node for name in SET_UP):
            player = self._player(node) if "PL" in node else self._to_play()
            self._set_up(node, self._changed_stones(node), player)
            turns.append(self._set_up_turn(node, player))
            turns[-1].comment = comment if not any(colour in node for colour, _player in COLOURS) else ""
        for colour, player in self._colours():
            for value in node.values(colour):
                self.played += 1
                if most is not None and self.played > most:
                    return
                if self.played > max(FEWEST_MOVES, self.game.max_plies):
                    raise self._error(node, f"a game of {self.game.name} has no more than {self.played - 1:,} moves")
                if not self._move(node, colour, player, value, turns):
                    continue
                turns[-1].comment, comment = comment, ""
                turns[-1].seconds_left = _number(node.simple_text(f"{colour}L"))
                left = _number(node.simple_text(f"O{colour}"))
                turns[-1].stones_left = None if left is None else int(left)

    def _move(self, node: Node, colour: str, player: int, value: str, turns: list[Turn]) -> bool:
        """Adds the move; False if the words in its place are none, such as those of a player who resigns."""
        text = simple_text_of(value).strip()
        text = self.dialect.words.get(text.lower(), text)
        shown = f"{colour}[{shortened(value)}]"
        if self.resigned is not None:
            resigned = next(other for other, owner in self._colours() if owner == self.resigned)
            raise self._error(node, f"{shown} comes after {resigned} has resigned")
        move = self._at(node, lambda: self._parse_words(text), f"{shown}: ")
        if move == RESIGNS:
            self.resigned = player
            return False
        if move == NO_MOVE:
            self._exchange(node, shown, player)
            return False
        if rules.is_over(self.state):
            self._resume(node, f"{shown} comes after the end of the game", player, turns)
        elif player != self._to_play():
            self._resume(node, f"{shown} is out of turn: {'WB'[player]} is to move", player, turns)
        move = self._at(node, lambda: self._parse(text), f"{shown}: ")
        if move < 0 or not self.step(self.state, move):
            raise self._error(node, f"{shown} is not a legal move of {self.game.name} here")
        turns.append(Turn(player, move, line=node.line, column=node.column))
        return True

    def _exchange(self, node: Node, what: str, player: int) -> None:
        """The players change places, which the second one may ask for in place of his first move; that is no move itself."""
        if self.played != 2 or self.exchanged:
            raise self._error(node, f"{what} is only possible as the second move")
        if player != self._to_play():
            raise self._error(node, f"{what} is out of turn")
        self.exchanged = True
        self.played -= 1

    def _parse_words(self, text: str) -> int:
        """RESIGNS or NO_MOVE, or 0 for what may be a move. Only games with dialects have such words."""
        if self.game.sgf_dialect is None or not self.game.sgf_number or self.game.parse_sgf_move is None:
            return 0
        move = self.game.parse_sgf_move(self.state, text)
        return move if move in (RESIGNS, NO_MOVE) else 0

    def _parse(self, text: str) -> int:
        if self.game.sgf_number and self.game.parse_sgf_move is not None:
            return self.game.parse_sgf_move(self.state, text)
        return self.game.parse(self.state, text)

    def _resume(self, node: Node, why: str, player: int, turns: list[Turn]) -> None:
        """Goes on with the same stones and this player to move, as people do after two passes, or who move twice in turn."""
        board = self.game.board
        if board is None or board.set_up is None:
            raise self._error(node, why)
        self._set_up(node, board.stones(self.state), player)
        if rules.is_over(self.state):
            raise self._error(node, why)
        turns.append(self._set_up_turn(node, player))

    def _to_play(self) -> int:
        return int(rules.to_play(self.state))

    # -- setting up --------------------------------------------------------------------------------------------------
    def _set_up_turn(self, node: Node, player: int) -> Turn:
        return Turn(player, None, copy_state(self.state), line=node.line, column=node.column)

    def _set_up(self, node: Node, stones: dict[Point, int], player: int) -> None:
        board = self.game.board
        if board is None or board.set_up is None:
            raise self._error(node, f"positions of {self.game.name} cannot be set up; only moves are possible")
        set_up = board.set_up
        self.positions += 1
        self.stones += len(stones)
        if self.positions > MOST_POSITIONS or self.stones > MOST_STONES:
            most = f"{MOST_POSITIONS} positions and {MOST_STONES:,} stones"
            raise self._error(node, f"too much is set up, or played on after the end: at most {most} in one game")
        self.state = self._at(node, lambda: set_up(self.state, stones, player))

    def _changed_stones(self, node: Node) -> dict[Point, int]:
        board = self.game.board
        stones = dict(board.stones(self.state)) if board is not None else {}
        for point in self._points(node, "AE"):
            stones.pop(point, None)
        for colour, player in COLOURS:
            stones.update(dict.fromkeys(self._points(node, f"A{colour}"), player))
        return stones

    def _points(self, node: Node, name: str) -> list[Point]:
        """All points of a list, each once; 'aa:cc' is a rectangle."""
        board = self.game.board
        listed = np.zeros((board.columns, board.rows) if board is not None else (0, 0), np.bool_)
        for value in filter(None, map(str.strip, dict.fromkeys(node.values(name)))):
            corners = split_composed(value) or (value, value)
            (left, top), (right, bottom) = (self._point(node, name, corner) for corner in corners)
            listed[min(left, right) : max(left, right) + 1, min(top, bottom) : max(top, bottom) + 1] = True
        return [(int(column), int(row)) for column, row in np.argwhere(listed)]

    def _point(self, node: Node, name: str, text: str) -> Point:
        point = board_point(self.game, self.state, text.strip())
        if point is None:
            raise self._error(
                node, f"{name}[{shortened(text)}]: {shortened(text, quoted=True)} is not a point of {self.game.name}"
            )
        return point

    def _player(self, node: Node) -> int:
        text = node.simple_text("PL").upper()
        if text[:1] in ("B", "1"):
            return rules.FIRST
        if text[:1] in ("W", "2"):
            return rules.SECOND
        raise self._error(node, f"PL[{shortened(node.raw('PL') or '')}] is nobody; expected B or W")

    # -- faults ------------------------------------------------------------------------------------------------------
    def _at(self, node: Node, action: Callable, before: str = ""):
        """The action's value; its UserError with the place added."""
        try:
            return action()
        except SgfError:
            raise
        except UserError as error:
            raise self._error(node, f"{before}{error}") from None

    def _error(self, node: Node, what: str) -> SgfError:
        move = f", move {self.played}" if self.played else ""
        place = f"line {node.line}, column {node.column}"
        return SgfError(f"{self.label}{move} ({place}): {what}", node.line, node.column)


# -- reading: which game -----------------------------------------------------------------------------------------------
class _Size(NamedTuple):
    columns: int
    rows: int

    def __str__(self) -> str:
        return f"{self.columns}x{self.rows}"


def _named_game(reader: _Reader) -> Game:
    """The game that the file says it is."""
    root = reader.root
    number = _game_number(reader)
    private = root.simple_text(PRIVATE)
    game = None
    if private:
        if is_users_own(private):
            raise reader._error(root, f"this is a game of {private}, code that a record must not run; name the game yourself")
        game = reader._at(root, lambda: find_built_in(private), f"{PRIVATE}[{shortened(private)}]: ")
    if game is None or game.sgf_number != number:
        game = game_of_number(number)
    if game is None:
        known = ", ".join(f"{n} ({title})" for n, title in numbered_games().items()) or "none"
        raise reader._error(root, f"GM[{number}] is not a game that is known here; known: {known}")
    size = _size(reader, number)
    board = game.board
    if game.vary is None or number == NO_NUMBER:
        return _same_size(reader, game, size)
    reader.read_dialect(game)
    if size is not None and (board is None or (board.columns, board.rows) != size):
        default = game
        game = reader._at(root, lambda: default.of_size(*size), f"SZ[{root.raw('SZ')}]: ")
    return _with_komi(reader, _by_rules_of_record(reader, game))


def _by_rules_of_record(reader: _Reader, game: Game) -> Game:
    """The game with the rules that the record's dialect shows, such as a swap."""
    missing = {name: value for name, value in reader.dialect.rules.items() if game.extra.get(name) != value}
    vary = game.vary
    return reader._at(reader.root, lambda: vary(**missing)) if missing and vary is not None else game


def _with_komi(reader: _Reader, game: Game) -> Game:
    """A komi that the game does not allow is no reason to refuse the moves: the default is taken, with a note."""
    text = reader.root.simple_text("KM")
    if not text or game.vary is None:
        return game
    komi = _number(text)
    try:
        if komi is None:
            raise UserError("it is not a number")
        return game.vary(komi=komi)
    except UserError as error:
        reader.notes.append(f"{reader.label}: KM[{shortened(text)}]: {error}; taken: {game.name}")
        return game


def _given_game(reader: _Reader, game: Game) -> Game:
    """The game that the caller names, if the record can be one of it."""
    private = reader.root.simple_text(PRIVATE)
    number = _game_number(reader)
    if game.sgf_number:
        fits = number == game.sgf_number or (game.sgf_dialect is not None and not (private or "GM" in reader.root))
    elif is_users_own(private):
        fits = private.rpartition(":")[2] == game.name.rpartition(":")[2]
    else:
        fits = private == game.name
    if not fits:
        what = f"a game of {private}" if private else f"a game of number GM[{number}]"
        raise reader._error(reader.root, f"this is {what}, not of {game.name}")
    reader.read_dialect(game)
    return _same_size(reader, game, _size(reader, number))


def _same_size(reader: _Reader, game: Game, size: _Size | None) -> Game:
    board = game.board
    if size is not None and board is not None and (board.columns, board.rows) != size:
        raise reader._error(reader.root, f"this game is on a board of {size}, not that of {game.name}")
    return game


def _game_number(reader: _Reader) -> int:
    text = reader.root.simple_text("GM")
    if not text:
        return NO_NUMBER if PRIVATE in reader.root else _number_of_event(reader.root.simple_text("EV"))
    if not re.fullmatch(r"\d{1,4}", text):
        raise reader._error(reader.root, f"GM[{shortened(text)}] is not the number of a game")
    return int(text)


def _size(reader: _Reader, number: int) -> _Size | None:
    text = reader.root.simple_text("SZ")
    if not text:
        size = DEFAULT_SIZE.get(number)
        return None if size is None else _Size(size, size)
    match = _SIZE.fullmatch(text)
    if match is None:
        raise reader._error(reader.root, f"SZ[{shortened(text)}] is not a size; expected a number, or two as in SZ[7:6]")
    return _Size(int(match[1]), int(match[2] or match[1]))


def _number_of_event(event: str) -> int:
    """The game of a record without GM. Little Golem's events begin with it, as in EV[hex.ch.23.1.1]."""
    kind = event.partition(".")[0]
    found = [number for number, game in _by_number().items() if game.name.partition(":")[0] == kind and "." in event]
    return found[0] if found else DEFAULT_NUMBER


def game_of_number(number: int) -> Game | None:
    """A game of the registry that SGF knows by this number, at some size; None if there is none."""
    return _by_number().get(number)


def numbered_games() -> dict[int, str]:
    return {number: game.title or game.name for number, game in sorted(_by_number().items())}


@functools.cache
def _by_number() -> dict[int, Game]:
    games = [find_game(entry.example) for entry in ENTRIES]
    return {game.sgf_number: game for game in reversed(games) if game.sgf_number}


def is_users_own(text: str) -> bool:
    """Whether a game string names code, a file of the user's; positions of built-in games have slashes, too."""
    built_in = text.partition(":")[0] in {entry.name for entry in ENTRIES}
    return not built_in and (".py" in text or "/" in text or "\\" in text)


def _number(text: str) -> float | None:
    return finite(text.replace(",", "."))


# -- writing -----------------------------------------------------------------------------------------------------------
def record_tree(record: Record, check: bool = True) -> Node:
    """The record as a tree of one line. A UserError if a move is illegal, or the start is one that cannot be written.

    Without `check` the moves are known to be legal, which saves most of the time.
    """
    game = record.game
    root = _root(record)
    state = copy_state(record.start)
    step = stepper(game, quick=False, check=check)
    node = root
    for number, turn in enumerate(record.turns, 1):
        node = node.add(Node())
        if turn.move is None:
            _write_set_up(node, game, state, turn.position, turn.player)
            state = copy_state(turn.position)
        else:
            colour = "BW"[turn.player]
            if rules.is_over(state) or turn.move not in range(game.move_count):
                raise UserError(f"move {number} of the record, {turn.move}, is not possible in {game.name}")
            node.properties[colour] = [_move_value(game, state, turn.move)]
            if not step(state, turn.move):
                raise UserError(f"move {number} of the record, {turn.move}, is not legal in {game.name}")
            _write_time(node, colour, turn)
        if turn.comment:
            node.set_text("C", turn.comment)
    return root


def _root(record: Record) -> Node:
    game, board = record.game, record.game.board
    root = Node()
    root.properties = {
        "FF": ["4"],
        "GM": [str(game.sgf_number or NO_NUMBER)],
        "CA": ["UTF-8"],
        "AP": [f"tesuji:{escaped(__version__, composed=True)}"],
    }
    if board is not None:
        same = board.columns == board.rows
        root.properties["SZ"] = [str(board.columns) if same else f"{board.columns}:{board.rows}"]
    root.set_text(PRIVATE, game.name)
    komi = game.extra.get("komi")
    if komi is not None:
        root.set_text("KM", f"{komi:g}")
    if record.handicap:
        root.set_text("HA", str(record.handicap))
    start = _default_start(game)
    if not is_same_record(record.start, start):
        _write_set_up(root, game, start, record.start, int(rules.to_play(record.start)))
    texts = {"RU": record.rules, "PB": record.black, "PW": record.white, "RE": record.result, "DT": record.date}
    for name, text in {**texts, "C": record.comment}.items():
        if text:
            root.set_text(name, text)
    return root


def _default_start(game: Game) -> State:
    """The start that other programs know: a position in the game string is set up on it, stone by stone."""
    board = game.board
    if not game.sgf_number or game.vary is None or board is None or board.set_up is None:
        return game.initial
    plain = game.of_size(board.columns, board.rows)
    same = board.stones(plain.initial) == board.stones(game.initial)
    return game.initial if same and rules.to_play(plain.initial) == rules.to_play(game.initial) else plain.initial


def _move_value(game: Game, state: State, move: int) -> str:
    if game.sgf_number and game.sgf_move is not None:
        return escaped(game.sgf_move(state, move))
    return escaped(game.text(state, move))


def _write_time(node: Node, colour: str, turn: Turn) -> None:
    if turn.seconds_left is not None:
        node.set_text(f"{colour}L", f"{turn.seconds_left:.3f}".rstrip("0").rstrip("."))
    if turn.stones_left is not None:
        node.set_text(f"O{colour}", str(turn.stones_left))


def _write_set_up(node: Node, game: Game, before: State, after: State, player: int) -> None:
    """The stones that make one position of the other, and who is to move."""
    board = game.board
    if board is None or board.set_up is None or max(board.columns, board.rows) > MOST_SIDE:
        raise UserError(
            f"a game of {game.name} that begins elsewhere than at its start cannot be written; begin with the moves"
        )
    old, new = board.stones(before), board.stones(after)
    changes = {
        "AB": [point for point, owner in new.items() if owner == rules.FIRST and old.get(point) != owner],
        "AW": [point for point, owner in new.items() if owner == rules.SECOND and old.get(point) != owner],
        "AE": [point for point in old if point not in new],
    }
    names = point_texts(game, [point for points in changes.values() for point in points])
    for name, points in changes.items():
        if points:
            node.properties[name] = sorted(names[point] for point in points)
    node.properties["PL"] = ["BW"[player]]


def point_texts(game: Game, points: Collection[Point]) -> dict[Point, str]:
    """How lists of points name these."""
    names = _point_names(game) if points else {}
    return {point: names.get(point) or _other_name(game, point) for point in points}


def _point_names(game: Game) -> dict[Point, str]:
    """How the game writes a move to a point, where that names the point too."""
    board = game.board
    if board is None or not game.sgf_number or game.sgf_move is None:
        return {}
    names: dict[Point, str] = {}
    for move in game.legal_moves(game.initial):
        point = board.point(game.initial, move)
        text = game.sgf_move(game.initial, move)
        if point is not None and len(text) <= 3 and board_point(game, game.initial, text) == point:
            names[point] = text
    return names


def _other_name(game: Game, point: Point) -> str:
    board = game.board
    assert board is not None
    if game.sgf_number and board_point(game, game.initial, f"{LETTERS[point[0]]}{point[1] + 1}") == point:
        return f"{LETTERS[point[0]]}{point[1] + 1}"
    return letters_of(point, board.rows, board.from_top)

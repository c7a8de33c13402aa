"""Trees of nodes with properties, of any game: read from SGF text and files, and written.

    Collection = GameTree+     GameTree = "(" Node+ GameTree* ")"     Node = ";" Property*     Property = Name ("[" Value "]")+

Reading takes FF[4], and the older FF[3] in which lower-case letters of a name mean nothing. Anything may stand before the
first game. A fault is an SgfError with its line and column. Files may be in any character set, plain or packed by gzip; they
are always written in UTF-8. Nothing here calls itself, so a deep tree needs no deep stack.

A collection is read in two steps. First all of it is checked, mostly by one regular expression, which takes less than a second
for 16 MiB and keeps only where each game begins. A game's tree is built when it is asked for, within limits on its size:
a collection of ten thousand games needs the memory of one of them.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import overload

from tesuji.core.errors import UserError
from tesuji.core.files import MIB, FileKind, read_unpacked, write_file
from tesuji.io.sgf.text import RAW, decode, escaped, simple_text_of, text_of

_VALUE_TEXT = rf"\[{RAW.pattern}\]"
_BEGIN = re.compile(r"\(\s*+;")
_BROKEN_BEGIN = re.compile(r"\(\s*+(?:\Z|\(|[A-Z]{1,2}\[)")  # hardly the bracket of a remark
_PROPERTY = rf"[a-z]*+[A-Z][A-Za-z0-9_]*+\s*+(?:{_VALUE_TEXT}\s*+)++"
_NODES = re.compile(rf"\s*+(?:;\s*+(?:{_PROPERTY})*+)++", re.DOTALL)
_TOKEN = re.compile(rf"\s*+(?:([();])|([A-Za-z][A-Za-z0-9_]*+)\s*+(?:\[({RAW.pattern})\])?)", re.DOTALL)
_VALUE = re.compile(rf"\s*+\[({RAW.pattern})\]", re.DOTALL)
_BLANKS = re.compile(r"\s*+")
_BETWEEN = re.compile(r"[\s\0\x1a]*+")
_LOWER = re.compile(r"[a-z]+")
_OPENED, _IN_NODE, _CLOSED = range(3)  # just after "(", within a sequence of nodes, just after ")"
_WANTED = {
    _OPENED: "';', the first node of the variation",
    _IN_NODE: "a property, ';', '(' or ')'",
    _CLOSED: "'(' of another variation or ')'",
}

LINE_LENGTH = 80
_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_SHARED = 3  # characters: values up to this length, mostly moves, are kept once a game

SGF = FileKind("an SGF file", (b"(;", b"\xef\xbb\xbf(;"), 16 * MIB, pipes=True)
MOST_GAMES = 200_000  # in a file
MOST_VARIATIONS = 1_000_000  # in all games of a file
MOST_PARTS = 250_000  # nodes and values in one game
MOST_VALUE = 1 << 20  # characters


class Node:
    """Properties in order, each with its list of raw values, and the nodes that follow.

    The first child goes on with the main line, the others begin variations. Line and column are where it was read.
    """

    __slots__ = ("children", "column", "line", "properties")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        properties: dict[str, list[str]] | None = None,
        children: list[Node] | None = None,
        line: int = 0,
        column: int = 0,
    ):
        self.properties: dict[str, list[str]] = {} if properties is None else properties
        self.children: list[Node] = [] if children is None else children
        self.line = line
        self.column = column

    # -- properties --------------------------------------------------------------------------------------------------
    def __contains__(self, name: str) -> bool:
        return name in self.properties

    def values(self, name: str) -> list[str]:
        """All raw values of a property; none if it is not there."""
        return self.properties.get(name, [])

    def raw(self, name: str) -> str | None:
        """The first raw value, or None."""
        values = self.properties.get(name)
        return values[0] if values else None

    def text(self, name: str) -> str:
        """The first value as Text; '' if the property is not there."""
        return text_of(self.raw(name) or "")

    def simple_text(self, name: str) -> str:
        """The first value on one line, without blanks around it; '' if the property is not there."""
        return simple_text_of(self.raw(name) or "").strip()

    def set_text(self, name: str, *texts: str) -> None:
        """Gives the property these values, escaped as need be."""
        self.properties[name] = [escaped(text) for text in texts]

    # -- the tree ----------------------------------------------------------------------------------------------------
    def add(self, child: Node) -> Node:
        self.children.append(child)
        return child

    def main_line(self) -> Iterator[Node]:
        """This node and its first descendants."""
        node = self
        while True:
            yield node
            if not node.children:
                return
            node = node.children[0]

    def walk(self) -> Iterator[Node]:
        """All nodes of the tree, each before those that follow it."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def __eq__(self, other: object) -> bool:
        """Whether both trees hold the same properties in the same order, and the same variations."""
        if not isinstance(other, Node):
            return NotImplemented
        waiting: list[tuple[Node, Node]] = [(self, other)]
        while waiting:
            a, b = waiting.pop()
            if len(a.children) != len(b.children) or list(a.properties.items()) != list(b.properties.items()):
                return False
            waiting.extend(zip(a.children, b.children, strict=True))
        return True

    def __repr__(self) -> str:
        shown = "".join(name + "".join(f"[{value}]" for value in values) for name, values in self.properties.items())
        return f"Node(;{shown[:80]}{'...' if len(shown) > 80 else ''}, {len(self.children)} children)"


# -- reading -----------------------------------------------------------------------------------------------------------
class SgfError(UserError):
    """A file that is not SGF; says where, and what would be right there."""

    def __init__(self, message: str, line: int, column: int):
        super().__init__(message)
        self.line = line
        self.column = column


def parse_sgf(source: str | bytes, name: str = "SGF", line: int = 1, column: int = 1) -> GameTrees:
    """The game trees of a collection, at least one. `name` is what errors call the source. Line and column are where it
    begins, if it is a part of a larger text.
    """
    source = decode(source) if isinstance(source, bytes) else source  # the bytes, if nobody else has them, are freed here
    return GameTrees(source, name, line, column)


class Place:
    """Line and column, both from 1, of one position after another in a text. Going on costs a look at what lies between."""

    def __init__(self, text: str, position: int = 0, line: int = 1, line_start: int = 0, only_newlines: bool | None = None):
        self._text = text
        self._only_newlines = "\r" not in text if only_newlines is None else only_newlines
        self.position = position
        self.line = line
        self.line_start = line_start

    @property
    def column(self) -> int:
        return self.position - self.line_start + 1

    def move_to(self, position: int) -> None:
        """To a position further on. A line ends with \\n, \\r\\n or \\r."""
        text, start = self._text, self.position
        self.position = position
        ends = text.count("\n", start, position)
        last = text.rfind("\n", start, position) if ends else -1
        if not self._only_newlines:
            pair = start > 0 and text[start - 1] == "\r" and text[start : start + 1] == "\n" and start < position
            ends += text.count("\r", start, position) - text.count("\r\n", start, position) - pair
            last = max(last, text.rfind("\r", start, position))
        if last >= 0:
            self.line += ends
            self.line_start = last + 1


class GameTrees(Sequence[Node]):
    """The games of an SGF text that has been checked as a whole. Each access builds the tree anew."""

    def __init__(self, text: str, name: str, line: int = 1, column: int = 1):
        self._text = text
        self._name = name
        self._first_line = (line, 1 - column)  # its number, and where it begins
        self._only_newlines = "\r" not in text  # looked for once, not in the whole text for each game
        self.begins = array("q")  # of each game: where it begins, in which line, and where that line begins
        self._lines = array("q")
        self._line_starts = array("q")
        self._variations = 0
        self._check()

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.begins)

    def __eq__(self, other: object) -> bool:
        """Whether the other one, or a list, has equal trees in the same order."""
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    @overload
    def __getitem__(self, index: int) -> Node: ...
    @overload
    def __getitem__(self, index: slice) -> list[Node]: ...
    def __getitem__(self, index: int | slice) -> Node | list[Node]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        place = Place(self._text, self.begins[index], self._lines[index], self._line_starts[index], self._only_newlines)
        return _Game(self._text, self._name, place, self._first_line).build()

    def _check(self) -> None:
        """Finds the games; a SgfError if the text is not SGF, or there is too much of it."""
        text = self._text
        place = Place(text, 0, *self._first_line)
        found = _BEGIN.search(text)
        if found is None:
            place.move_to(max(text.find("("), 0))
            raise _error(self._name, place, "there is no game here; expected '(;', the beginning of a game tree")
        while found is not None:
            if len(self) >= MOST_GAMES:
                raise UserError(f"{self._name}: more than {MOST_GAMES:,} games; split the file")
            place.move_to(found.start())
            self.begins.append(place.position)
            self._lines.append(place.line)
            self._line_starts.append(place.line_start)
            end = self._check_game(found.start())
            found = _BEGIN.search(text, end)
            self._check_between(end)

    def _check_game(self, position: int) -> int:
        """Where the game that begins here ends. A faulty one is built, too: that finds the fault's place and name."""
        text, nodes = self._text, _NODES.match
        depth = 0
        while True:
            if text[position : position + 1] == "(":
                self._variations += 1
                if self._variations > MOST_VARIATIONS:
                    raise UserError(f"{self._name}: more than {MOST_VARIATIONS:,} variations; split the file")
                match = nodes(text, position + 1)
                if match is None:
                    self._explain(position)
                position = match.end()  # type: ignore[union-attr]
                depth += 1
            elif text[position : position + 1] == ")":
                depth -= 1
                position += 1
                if depth == 0:
                    return position
                position = _BLANKS.match(text, position).end()  # type: ignore[union-attr]
            else:
                self._explain(position)

    def _explain(self, position: int) -> None:
        self[len(self) - 1]  # raises
        place = Place(self._text, 0, *self._first_line)
        place.move_to(position)
        raise _error(self._name, place, "this is not SGF")

    def _check_between(self, end: int) -> None:
        """After a game there may be another, or words of no meaning; but what looks like a part of a game is misplaced."""
        text = self._text
        position = _BETWEEN.match(text, end).end()  # type: ignore[union-attr]
        if text[position : position + 1] in (")", ";", "]") or _BROKEN_BEGIN.match(text, position):
            place = Place(text, 0, *self._first_line)
            place.move_to(position)
            raise _error(self._name, place, f"expected '(' of another game or the end of the file, found {text[position]!r}")


class _Game:
    """Builds the tree of one game."""

    def __init__(self, text: str, name: str, place: Place, first_line: tuple[int, int]):
        self.text = text
        self.name = name
        self.place = place  # of the last node
        self.first_line = first_line
        self.parts = 0
        self.words: dict[str, str] = {}  # property names as they are written, and as they count
        self.shared: dict[str, str] = {}  # short values

    def build(self) -> Node:
        text, place = self.text, self.place
        token = _TOKEN.match
        position = place.position
        root = current = None
        branches: list[Node | None] = []  # for each open parenthesis the node that its tree follows
        opened: list[int] = []
        where = _CLOSED
        while True:
            match = token(text, position)
            if match is None:
                raise self._nothing(position, where, opened)
            mark, word, value = match.groups()
            if word is not None:
                if where != _IN_NODE or current is None:
                    raise self._expected(match.start(2), _WANTED[where])
                name = self.words.get(word) or self._property_name(word, match.start(2))
                if value is None:
                    raise self._no_value(match.end(), name)
                position = self._values(current.properties.setdefault(name, []), value, match.end())
                continue
            at = match.start(1)
            position = match.end()
            if mark == ";":
                if where == _CLOSED:
                    raise self._expected(at, _WANTED[_CLOSED])
                place.move_to(at)
                self._count(1, at)
                node = Node(line=place.line, column=place.column)
                if current is None:
                    root = node
                else:
                    current.children.append(node)
                current = node
                where = _IN_NODE
            elif where == _OPENED:
                raise self._expected(at, _WANTED[_OPENED])
            elif mark == "(":
                branches.append(current)
                opened.append(at)
                where = _OPENED
            else:
                current = branches.pop()
                opened.pop()
                where = _CLOSED
                if not branches:
                    assert root is not None
                    return root

    def _values(self, values: list[str], value: str, position: int) -> int:
        """Adds a value and all that follow it; returns where they end."""
        text, more, share = self.text, _VALUE.match, self.shared.setdefault
        room = MOST_PARTS - self.parts
        before = len(values)
        while True:
            if len(value) > MOST_VALUE:
                raise self._error(position, f"a value of {len(value):,} characters ends here; at most {MOST_VALUE:,} are read")
            values.append(share(value, value) if len(value) <= _SHARED else value)
            match = more(text, position)
            if match is None or len(values) - before > room:
                break
            value, position = match[1], match.end()
        self._count(len(values) - before, position)
        return position

    def _count(self, parts: int, position: int) -> None:
        self.parts += parts
        if self.parts > MOST_PARTS:
            raise self._error(position, f"the game has more than {MOST_PARTS:,} nodes and values, the most that is read")

    def _property_name(self, word: str, position: int) -> str:
        name = word if word.isupper() else _LOWER.sub("", word)
        if not name or not name[0].isalpha():
            raise self._error(position, f"{word[:20]!r} is no property; expected a name with a capital letter")
        self.words[word] = name
        return name

    # -- faults ------------------------------------------------------------------------------------------------------
    def _nothing(self, position: int, where: int, opened: list[int]) -> SgfError:
        """Neither a mark nor a name is here."""
        position = _BLANKS.match(self.text, position).end()  # type: ignore[union-attr]
        if position >= len(self.text) and opened:
            place = Place(self.text, 0, *self.first_line)
            place.move_to(opened[-1])
            return self._expected(position, f"')' to close the '(' of line {place.line}, column {place.column}")
        return self._expected(position, _WANTED[where])

    def _no_value(self, position: int, name: str) -> SgfError:
        position = _BLANKS.match(self.text, position).end()  # type: ignore[union-attr]
        if self.text[position : position + 1] == "[":
            return self._error(position, f"the value of {name[:20]} that begins here does not end; expected ']'")
        return self._expected(position, f"'[' and the value of {name[:20]}")

    def _expected(self, position: int, what: str) -> SgfError:
        found = repr(self.text[position]) if position < len(self.text) else "the end of the file"
        return self._error(position, f"expected {what}, found {found}")

    def _error(self, position: int, what: str) -> SgfError:
        place = Place(self.text, 0, *self.first_line)
        place.move_to(position)
        return _error(self.name, place, what)


def _error(name: str, place: Place, what: str) -> SgfError:
    return SgfError(f"{name}: line {place.line}, column {place.column}: {what}", place.line, place.column)


# -- writing -----------------------------------------------------------------------------------------------------------
def sgf_text(trees: Iterable[Node]) -> str:
    """The collection as text that parses to equal trees. A value that would not is a ValueError: escape it first."""
    return "".join(_tree_text(tree) for tree in trees)


def _tree_text(root: Node) -> str:
    pieces: list[str] = []
    length = 0

    def put(piece: str, may_break: bool) -> None:
        nonlocal length
        if may_break and length and length + len(piece) > LINE_LENGTH:
            pieces.append("\n")
            length = 0
        pieces.append(piece)
        length += len(piece)

    put("(", False)
    waiting: list[Node | str] = [")", root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            put(item, False)
            continue
        put(_node_text(item), item is not root)
        if len(item.children) == 1:
            waiting.append(item.children[0])
        else:
            for child in reversed(item.children):
                waiting.extend((")", child, "("))
    return "".join(pieces) + "\n"


def _node_text(node: Node) -> str:
    parts = [";"]
    for name, values in node.properties.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of an SGF property: capital letters only")
        if not values:
            raise ValueError(f"the property {name} has no value")
        parts.append(name)
        for value in values:
            if not RAW.fullmatch(value):
                raise ValueError(f"{value!r} is not escaped as a value of {name} must be")
            parts.append(f"[{value}]")
    return "".join(parts)


# -- files -------------------------------------------------------------------------------------------------------------
def load_sgf(path: str | Path, kind: FileKind = SGF) -> GameTrees:
    """The game trees of a file, plain or packed by gzip; a UserError says what is wrong with it, where."""
    return parse_sgf(read_unpacked(path, kind), str(path))


def sgf_bytes(trees: Sequence[Node]) -> bytes:
    """The collection in UTF-8, which every game says of itself (CA[UTF-8])."""
    return sgf_text(_in_utf8(tree) for tree in trees).encode("utf-8", "replace")


def save_sgf(path: str | Path, trees: Sequence[Node]) -> None:
    write_file(path, sgf_bytes(trees), SGF)


def _in_utf8(root: Node) -> Node:
    """The same tree with CA[UTF-8]; the tree itself stays as it is."""
    if root.values("CA") == ["UTF-8"]:
        return root
    properties = dict(root.properties)
    if "CA" not in properties:
        first = {name: properties.pop(name) for name in ("FF", "GM") if name in properties}
        properties = {**first, "CA": [], **properties}
    properties["CA"] = ["UTF-8"]
    return Node(properties, root.children)

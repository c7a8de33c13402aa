"""Trees of nodes with properties, of any game: read from SGF text and files, and written.

    Collection = GameTree+     GameTree = "(" Node+ GameTree* ")"     Node = ";" Property*     Property = Name ("[" Value "]")+

Reading takes FF[4], and the older FF[3] in which lower-case letters of a name mean nothing. Anything may stand before the
first game. A fault is an SgfError with its line and column. Files may be in any character set, plain or packed by gzip; they
are always written in UTF-8. Nothing here calls itself: a record of a million moves is a tree of that depth.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tesuji.core.errors import UserError
from tesuji.core.files import MIB, FileKind, read_unpacked, write_file
from tesuji.io.sgf.text import RAW, decode, escaped, simple_text_of, text_of

_BEGIN = re.compile(r"\(\s*+;")
_BROKEN_BEGIN = re.compile(r"\(\s*+(?:\Z|\(|[A-Z]{1,2}\[)")  # hardly the bracket of a remark
_LINE_END = re.compile(r"\r\n|\n|\r")
_TOKEN = re.compile(rf"\s*+(?:([();])|([A-Za-z][A-Za-z0-9_]*+)\s*+(?:\[({RAW.pattern})\])?)", re.DOTALL)
_VALUE = re.compile(rf"\s*+\[({RAW.pattern})\]", re.DOTALL)
_SPACE = re.compile(r"[\s\0\x1a]*+")
_LOWER = re.compile(r"[a-z]+")
_OPENED, _IN_NODE, _CLOSED = range(3)  # just after "(", within a sequence of nodes, just after ")"
_WANTED = {
    _OPENED: "';', the first node of the variation",
    _IN_NODE: "a property, ';', '(' or ')'",
    _CLOSED: "'(' of another variation or ')'",
}

LINE_LENGTH = 80
_NAME = re.compile(r"[A-Z][A-Z0-9_]*")

SGF = FileKind("an SGF file", (b"(", b"\xef\xbb\xbf("), 512 * MIB, pipes=True)


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


def parse_sgf(source: str | bytes, name: str = "SGF") -> list[Node]:
    """The game trees of a collection, at least one. `name` is what errors call the source."""
    return _Parser(decode(source) if isinstance(source, bytes) else source, name).collection()


class _Parser:
    def __init__(self, text: str, name: str):
        self.text = text
        self.name = name
        self.line_starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def collection(self) -> list[Node]:
        found = _BEGIN.search(self.text)
        if found is None:
            paren = self.text.find("(")
            raise self._error(max(paren, 0), "there is no game here; expected '(;', the beginning of a game tree")
        trees = []
        while found is not None:
            root, end = self._tree(found.start())
            trees.append(root)
            found = _BEGIN.search(self.text, end)
            self._check_between(end)
        return trees

    def _check_between(self, end: int) -> None:
        """After a game there may be another, or words of no meaning; but what looks like a part of a game is misplaced."""
        begins = _SPACE.match(self.text, end)
        position = begins.end() if begins else end
        if self.text[position : position + 1] in (")", ";", "]") or _BROKEN_BEGIN.match(self.text, position):
            raise self._expected(position, "'(' of another game or the end of the file")

    def _tree(self, position: int) -> tuple[Node, int]:
        """One game tree that begins at `position`, and where it ends."""
        text, line_starts = self.text, self.line_starts
        token, more = _TOKEN.match, _VALUE.match
        root = current = None
        branches: list[Node | None] = []  # for each open parenthesis the node that its tree follows
        opened: list[int] = []
        place = _CLOSED
        while True:
            match = token(text, position)
            if match is None:
                raise self._nothing(position, place, opened)
            mark, word, value = match.groups()
            if word is not None:
                if place != _IN_NODE or current is None:
                    raise self._expected(match.start(2), _WANTED[place])
                name = self._name(word, match.start(2))
                if value is None:
                    raise self._no_value(match.end(), name)
                position = match.end()
                values = current.properties.get(name)
                if values is None:
                    values = current.properties[name] = []
                values.append(value)
                match = more(text, position)
                while match is not None:
                    values.append(match[1])
                    position = match.end()
                    match = more(text, position)
                continue
            at = match.start(1)
            position = match.end()
            if mark == ";":
                if place == _CLOSED:
                    raise self._expected(at, _WANTED[_CLOSED])
                line = bisect_right(line_starts, at)
                node = Node(line=line, column=at - line_starts[line - 1] + 1)
                if current is None:
                    root = node
                else:
                    current.children.append(node)
                current = node
                place = _IN_NODE
            elif place == _OPENED:
                raise self._expected(at, _WANTED[_OPENED])
            elif mark == "(":
                branches.append(current)
                opened.append(at)
                place = _OPENED
            else:
                current = branches.pop()
                opened.pop()
                place = _CLOSED
                if not branches:
                    assert root is not None
                    return root, position

    def _name(self, word: str, position: int) -> str:
        name = word if word.isupper() else _LOWER.sub("", word)
        if not name or not name[0].isalpha():
            raise self._error(position, f"{word[:20]!r} is no property; expected a name with a capital letter")
        return name

    # -- faults ------------------------------------------------------------------------------------------------------
    def _nothing(self, position: int, place: int, opened: list[int]) -> SgfError:
        """Neither a mark nor a name is here."""
        position = self._skip_space(position)
        if position >= len(self.text) and opened:
            line, column = self._place(opened[-1])
            return self._expected(position, f"')' to close the '(' of line {line}, column {column}")
        return self._expected(position, _WANTED[place])

    def _no_value(self, position: int, name: str) -> SgfError:
        position = self._skip_space(position)
        if self.text[position : position + 1] == "[":
            return self._error(position, f"the value of {name} that begins here does not end; expected ']'")
        return self._expected(position, f"'[' and the value of {name[:20]}")

    def _skip_space(self, position: int) -> int:
        while position < len(self.text) and self.text[position].isspace():
            position += 1
        return position

    def _expected(self, position: int, what: str) -> SgfError:
        found = repr(self.text[position]) if position < len(self.text) else "the end of the file"
        return self._error(position, f"expected {what}, found {found}")

    def _error(self, position: int, what: str) -> SgfError:
        line, column = self._place(position)
        return SgfError(f"{self.name}: line {line}, column {column}: {what}", line, column)

    def _place(self, position: int) -> tuple[int, int]:
        line = bisect_right(self.line_starts, position)
        return line, position - self.line_starts[line - 1] + 1


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
def load_sgf(path: str | Path, kind: FileKind = SGF) -> list[Node]:
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

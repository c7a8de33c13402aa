"""Reading SGF text into trees: FF[4], and the older FF[3] in which lower-case letters of a name mean nothing.

    Collection = GameTree+     GameTree = "(" Node+ GameTree* ")"     Node = ";" Property*     Property = Name ("[" Value "]")+

Anything may stand before the first game. A fault is an SgfError with its line and column. The parser keeps its own stack, so
that nothing limits the depth of a tree.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from tesuji.core.errors import UserError
from tesuji.io.sgf.charset import decode
from tesuji.io.sgf.node import Node
from tesuji.io.sgf.values import RAW

_BEGIN = re.compile(r"\(\s*+;")
_BROKEN_BEGIN = re.compile(r"\(\s*+(?:\Z|\(|[A-Z]{1,2}\[)")  # hardly the bracket of a remark
_LINE_END = re.compile(r"\r\n|\n|\r")
_TOKEN = re.compile(rf"\s*+(?:([();])|([A-Za-z][A-Za-z0-9_]*+)\s*+(?:\[({RAW.pattern})\])?)", re.DOTALL)
_VALUE = re.compile(rf"\s*+\[({RAW.pattern})\]", re.DOTALL)
_SPACE = re.compile(r"[\s\0\x1a]*+")
_LOWER = re.compile(r"[a-z]+")
_OPENED, _IN_NODE, _CLOSED = range(3)  # just after "(", within a sequence of nodes, just after ")"


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


_WANTED = {
    _OPENED: "';', the first node of the variation",
    _IN_NODE: "a property, ';', '(' or ')'",
    _CLOSED: "'(' of another variation or ')'",
}

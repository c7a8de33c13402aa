"""Writing trees as SGF text: a line break between nodes now and then, none inside a value."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tesuji.io.sgf.node import Node
from tesuji.io.sgf.values import RAW

LINE_LENGTH = 80
_NAME = re.compile(r"[A-Z][A-Z0-9_]*")


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

"""A node of a game tree: properties in order, each with its list of raw values, and the nodes that follow it.

Nothing here calls itself: a record of a million moves is a tree of that depth.
"""

from __future__ import annotations

from collections.abc import Iterator

from tesuji.io.sgf.values import escaped, simple_text_of, text_of


class Node:
    """The first child goes on with the main line, the others begin variations. Line and column are where it was read."""

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

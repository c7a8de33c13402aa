"""The tree of a game being played: moves with their variations, positions that are set up, comments, and what is known of each.

A node holds what was done; its position follows from that, and the last ones asked for are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.position import Position

if TYPE_CHECKING:
    from tesuji.play.review import AnalysisSummary

ROOT = 0
MOST_NODES = 20_000
KEPT_BYTES = 1 << 24  # of positions that are kept
FEWEST_KEPT = 64
SETUP_BYTES = 1 << 28  # of all positions that are set up: a game is no reason to run out of memory
LONGEST_COMMENT = 20_000


@dataclass
class MoveNode:
    """A move, a position that is set up, or neither: then it only says something."""

    id: int
    parent: int | None
    ply: int
    move: str | None = None
    number: int | None = None  # the move as rules know it
    mover: int | None = None
    setup: Position | None = None
    is_turn: bool = False  # of a set-up: the same stones, and the other player to move; it belongs to the move that follows
    comment: str = ""
    properties: dict[str, list[str]] = field(default_factory=dict)  # of the SGF file that it came from
    analysis: AnalysisSummary | None = None
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Deleted:
    """A variation that was taken out, as `restore` needs it."""

    parent: int
    place: int  # among its parent's children
    nodes: Sequence[MoveNode]


class MoveTree:
    """Nodes by their ids; the first child of a node goes on with its main line. `changed` and `is_new` say what has changed
    since they were reset, for those who show the tree."""

    def __init__(self, start: Position):
        self.game: Game = start.game
        self.nodes = {ROOT: MoveNode(ROOT, None, 0, setup=start)}
        self.current = ROOT
        self.changed: set[int] = set()
        self.is_new = True
        self._next = 1
        self._visited: dict[int, int] = {}  # of a node: the child that was shown last
        self._positions: OrderedDict[int, Position] = OrderedDict()
        self._most_kept = max(FEWEST_KEPT, KEPT_BYTES // (2 * max(1, self.game.initial.dtype.itemsize)))

    @property
    def start(self) -> Position:
        found = self.nodes[ROOT].setup
        assert found is not None
        return found

    def __getitem__(self, number: int) -> MoveNode:
        return self.nodes[number]

    def node(self, given: Any) -> MoveNode:
        """The node of an id that comes from elsewhere."""
        if isinstance(given, bool) or not isinstance(given, int) or given not in self.nodes:
            raise UserError("there is no such node in the game tree")
        return self.nodes[given]

    # -- positions -----------------------------------------------------------------------------------------------------
    def position(self, number: int | None = None) -> Position:
        """The position at a node (the current one)."""
        number = self.current if number is None else number
        moves: list[int] = []
        at: int | None = number
        while at is not None:
            node = self.nodes[at]
            known = node.setup or self._positions.get(at)
            if known is not None:
                break
            if node.number is not None:
                moves.append(node.number)
            at = node.parent
        else:
            raise AssertionError("the root has a position")
        found = known.after(moves[::-1]) if moves else known
        self._keep(number, found)
        return found

    def _keep(self, number: int, position: Position) -> None:
        self._positions[number] = position
        self._positions.move_to_end(number)
        while len(self._positions) > self._most_kept:
            self._positions.popitem(last=False)

    # -- going about ---------------------------------------------------------------------------------------------------
    def go_to(self, number: int) -> None:
        self.current = number
        node = self.nodes[number]
        while node.parent is not None:
            self._visited[node.parent] = node.id
            node = self.nodes[node.parent]

    def next_shown(self, number: int | None = None) -> int | None:
        """The child of a node that was shown last, or its first."""
        node = self.nodes[self.current if number is None else number]
        shown = self._visited.get(node.id)
        return shown if shown in node.children else node.children[0] if node.children else None

    def path(self, number: int | None = None) -> list[int]:
        """From the root to a node."""
        at: int | None = self.current if number is None else number
        found = []
        while at is not None:
            found.append(at)
            at = self.nodes[at].parent
        return found[::-1]

    def line(self) -> list[int]:
        """From the root through the current node to the end of the line that was shown last."""
        found = self.path()
        following = self.next_shown()
        while following is not None:
            found.append(following)
            following = self.next_shown(following)
        return found

    # -- changing ------------------------------------------------------------------------------------------------------
    def play(self, move: str | int, parent: int | None = None) -> MoveNode:
        """The child by that move, its text or its number: a new variation if there is none. A UserError if it is not legal."""
        above = self.nodes[self.current if parent is None else parent]
        position = self.position(above.id)
        after = position.play(move) if isinstance(move, str) else position.after([move])
        number = after.move_numbers[-1]
        for child in above.children:
            if self.nodes[child].number == number:
                return self.nodes[child]
        node = self.add(above.id, move=after.moves[-1], number=number, mover=int(rules.to_play(position.state)))
        self._keep(node.id, after)
        return node

    def add(self, parent: int, **values: Any) -> MoveNode:
        """A new child, the last one of its parent."""
        if len(self.nodes) >= MOST_NODES:
            raise UserError(f"the game tree has {MOST_NODES:,} nodes, the most there can be: delete some variations")
        if values.get("setup") is not None:
            self._check_room_for_setup()
        above = self.nodes[parent]
        node = MoveNode(self._next, parent, above.ply + (values.get("move") is not None), **values)
        self._next += 1
        self.nodes[node.id] = node
        above.children.append(node.id)
        self.changed |= {node.id, parent}
        return node

    def _check_room_for_setup(self) -> None:
        count = sum(node.setup is not None for node in self.nodes.values())
        if count * self.game.initial.dtype.itemsize >= SETUP_BYTES:
            raise UserError(f"{count:,} positions are set up in this game, the most there can be: begin a new one")

    def delete(self, number: int) -> Deleted:
        """Takes a variation out."""
        node = self.nodes[number]
        if node.parent is None:
            raise UserError("the start of the game cannot be deleted: begin a new game instead")
        above = self.nodes[node.parent]
        taken = [self.nodes[found] for found in self.in_order(number)]
        place = above.children.index(number)
        above.children.remove(number)
        if self.current in {found.id for found in taken}:
            self.go_to(above.id)
        for found in taken:
            del self.nodes[found.id]
            self._positions.pop(found.id, None)
        self.is_new = True
        return Deleted(above.id, place, taken)

    def restore(self, deleted: Deleted) -> None:
        above, taken = self.nodes.get(deleted.parent), deleted.nodes
        if above is None:
            raise UserError("what this variation followed is not there any more")
        if len(self.nodes) + len(taken) > MOST_NODES:
            raise UserError(f"the game tree would have more than {MOST_NODES:,} nodes")
        for node in taken:
            self.nodes[node.id] = node
        above.children.insert(min(deleted.place, len(above.children)), taken[0].id)
        self.is_new = True

    def end_at(self, number: int) -> None:
        """Goes back to a node of the path to the current one, and takes out the variation between them."""
        path = self.path()
        following = path[path.index(number) + 1 :]
        if following:
            for node in self.delete(following[0]).nodes:
                self._visited.pop(node.id, None)

    def promote(self, number: int) -> None:
        """Makes the variation of a node the first of its parent's, and so on up to the root."""
        for found in self.path(number)[1:]:
            children = self.nodes[self.nodes[found].parent or ROOT].children
            children.remove(found)
            children.insert(0, found)
        self.is_new = True

    def in_order(self, begin: int = ROOT) -> list[int]:
        """A node and all below it, parents first, the main line first of all."""
        found, waiting = [], [begin]
        while waiting:
            at = waiting.pop()
            found.append(at)
            waiting.extend(reversed(self.nodes[at].children))
        return found

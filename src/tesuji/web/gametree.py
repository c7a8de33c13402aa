"""The game tree of a tab: moves with their variations, positions that are set up, comments, and what is known of each node."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game
from tesuji.core.position import Position

ROOT = 0
MOST_NODES = 20_000
KEPT_POSITIONS = 64
LONGEST_COMMENT = 20_000
FEWEST_VISITS = 10  # of a move, below which its value says nothing


@dataclass
class GameNode:
    """A move, a position that is set up, or neither: then it only says something."""

    id: int
    parent: int | None
    ply: int
    move: str | None = None
    number: int | None = None  # the move as rules know it
    mover: int | None = None
    setup: Position | None = None
    comment: str = ""
    properties: dict[str, list[str]] = field(default_factory=dict)  # of the SGF file that it came from
    analysis: dict[str, Any] | None = None
    children: list[int] = field(default_factory=list)


class GameTree:
    """Nodes by their ids; the first child of a node goes on with its main line. `changed` and `is_new` say what to send."""

    def __init__(self, start: Position):
        self.game: Game = start.game
        self.nodes = {ROOT: GameNode(ROOT, None, 0, setup=start)}
        self.current = ROOT
        self.changed: set[int] = set()
        self.is_new = True  # the whole tree is to be sent
        self._next = 1
        self._visited: dict[int, int] = {}  # of a node: the child that was shown last
        self._positions: OrderedDict[int, Position] = OrderedDict()

    @property
    def start(self) -> Position:
        found = self.nodes[ROOT].setup
        assert found is not None
        return found

    def __getitem__(self, number: int) -> GameNode:
        return self.nodes[number]

    def node(self, given: Any) -> GameNode:
        """The node of an id out of a request."""
        if isinstance(given, bool) or not isinstance(given, int) or given not in self.nodes:
            raise UserError("there is no such node in the game tree")
        return self.nodes[given]

    # -- positions -----------------------------------------------------------------------------------------------------
    def position(self, number: int | None = None) -> Position:
        """The position at a node (the current one). The last ones asked for are kept, the others made anew."""
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
        self._positions[number] = found
        self._positions.move_to_end(number)
        while len(self._positions) > KEPT_POSITIONS:
            self._positions.popitem(last=False)
        return found

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
    def play(self, text: str, parent: int | None = None) -> int:
        """The child by that move: a new variation if there is none. A UserError if it is not legal."""
        above = self.nodes[self.current if parent is None else parent]
        position = self.position(above.id)
        after = position.play(text)
        number = after.move_numbers[-1]
        for child in above.children:
            if self.nodes[child].number == number:
                return child
        node = self.add(above.id, move=after.moves[-1], number=number, mover=int(rules.to_play(position.state)))
        self._positions[node.id] = after
        return node.id

    def add(self, parent: int, **values: Any) -> GameNode:
        """A new child, the last one of its parent."""
        if len(self.nodes) >= MOST_NODES:
            raise UserError(f"the game tree has {MOST_NODES:,} nodes, the most there can be: delete some variations")
        above = self.nodes[parent]
        node = GameNode(self._next, parent, above.ply + (values.get("move") is not None), **values)
        self._next += 1
        self.nodes[node.id] = node
        above.children.append(node.id)
        self.changed |= {node.id, parent}
        return node

    def delete(self, number: int) -> dict[str, Any]:
        """Takes a variation out; returns what `restore` needs to put it back."""
        node = self.nodes[number]
        if node.parent is None:
            raise UserError("the start of the game cannot be deleted: begin a new game instead")
        above = self.nodes[node.parent]
        taken = [self.nodes[found] for found in self._below(number)]
        place = above.children.index(number)
        above.children.remove(number)
        if self.current in {found.id for found in taken}:
            self.go_to(above.id)
        for found in taken:
            del self.nodes[found.id]
            self._positions.pop(found.id, None)
        self.is_new = True
        return {"parent": above.id, "place": place, "nodes": taken}

    def restore(self, deleted: dict[str, Any]) -> None:
        above, taken = self.nodes.get(deleted["parent"]), deleted["nodes"]
        if above is None:
            raise UserError("what this variation followed is not there any more")
        if len(self.nodes) + len(taken) > MOST_NODES:
            raise UserError(f"the game tree would have more than {MOST_NODES:,} nodes")
        for node in taken:
            self.nodes[node.id] = node
        above.children.insert(min(deleted["place"], len(above.children)), taken[0].id)
        self.is_new = True

    def promote(self, number: int) -> None:
        """Makes the variation of a node the first of its parent's, and so on up to the root."""
        for found in self.path(number)[1:]:
            children = self.nodes[self.nodes[found].parent or ROOT].children
            children.remove(found)
            children.insert(0, found)
        self.is_new = True

    def _below(self, number: int) -> list[int]:
        """A node and all below it, parents first."""
        found, waiting = [], [number]
        while waiting:
            at = waiting.pop()
            found.append(at)
            waiting.extend(reversed(self.nodes[at].children))
        return found

    def in_order(self) -> list[int]:
        return self._below(ROOT)

    # -- what is known ---------------------------------------------------------------------------------------------------
    def keep_analysis(self, number: int, summary: dict[str, Any]) -> None:
        """A longer search replaces a shorter one; what is proven stays."""
        node = self.nodes.get(number)
        if node is None:
            return
        known = node.analysis
        if known is not None and known.get("playouts", 0) > summary["playouts"] and not summary["proven"]:
            return
        node.analysis = summary
        self.changed |= {number, *node.children}

    def loss(self, number: int) -> float | None:
        """What the move to this node has lost, from 0 to 1, for the player who made it; None if that is not known."""
        node = self.nodes[number]
        if node.parent is None or node.mover is None or self.game.players == 1:
            return None
        before = self.nodes[node.parent].analysis
        if before is None or before.get("mover") != node.mover:
            return None
        after = self.chance_of(number, node.mover)
        if after is None:
            known = next((m for m in before.get("top", ()) if m["move"] == node.move and m["visits"] >= FEWEST_VISITS), None)
            after = None if known is None else known["chance"]
        return None if after is None else min(1.0, max(0.0, before["chance"] - after))

    def chance_of(self, number: int, player: int) -> float | None:
        """The chance of a player at a node, if it is analysed or the game is over there."""
        node = self.nodes[number]
        if node.analysis is not None:
            return node.analysis["chance"] if node.analysis["mover"] == player else 1.0 - node.analysis["chance"]
        if node.children:
            return None
        position = self.position(number)
        if not position.is_over:
            return None
        winner = self.game.winner(int(rules.outcome(position.state)), int(rules.outcome(position.state)))
        return 0.5 if winner is None or winner < 0 else float(winner == player)

    def as_data(self, number: int) -> dict[str, Any]:
        """A node as the page is told."""
        node = self.nodes[number]
        analysis = None if node.analysis is None else {**node.analysis, "loss": self.loss(number)}
        if analysis is None and node.parent is not None and self.nodes[node.parent].analysis is not None:
            loss = self.loss(number)
            analysis = None if loss is None else {"loss": loss}
        return {
            "id": node.id,
            "parent": node.parent,
            "children": list(node.children),
            "move": node.move,
            "mover": node.mover,
            "ply": node.ply,
            "comment": node.comment,
            "setup": node.setup is not None and node.id != ROOT,
            "analysis": analysis,
        }

    def take_changes(self, everything: bool = False) -> dict[str, Any]:
        """What must be sent: the whole tree if it is new, else the nodes that have changed."""
        full = everything or self.is_new
        numbers = self.in_order() if full else sorted(number for number in self.changed if number in self.nodes)
        self.changed = set()
        self.is_new = False
        return {"full": full, "root": ROOT, "nodes": [self.as_data(number) for number in numbers]}

"""Whole game trees: every variation of a file with its comments, each move checked; and such a tree as SGF again.

What is not understood here stays: properties that are neither moves nor stones are kept as they were written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tesuji.core.errors import UserError, shortened
from tesuji.core.game import Game, State, copy_state
from tesuji.io.sgf.conversion import SET_UP, _move_value, _Reader, _root, _write_set_up
from tesuji.io.sgf.record import Record, Turn, stepper
from tesuji.io.sgf.tree import Node, SgfError

MOST_NODES = 20_000
MOST_NOTES = 20
OWN = ("B", "W", "C", *SET_UP)  # of any node: what `turns` and `comment` hold
# Of the root: what a record holds, and what each writer says of itself.
OWN_OF_ROOT = ("FF", "GM", "CA", "AP", "SZ", "KM", "HA", "TESUJI", "PB", "PW", "RE", "DT", "RU")


@dataclass
class Variation:
    """One node of a file: what it plays or sets up, mostly one move, what is said of it, and all its other properties."""

    parent: int  # its place in the list; -1 = this is the root
    turns: list[Turn] = field(default_factory=list)
    comment: str = ""
    properties: dict[str, list[str]] = field(default_factory=dict)  # raw values


@dataclass
class RecordTree:
    """A record whose moves are in `nodes`: parents before their children, the main line first among these."""

    record: Record  # without turns
    nodes: list[Variation]


def read_tree(
    root: Node,
    name: str = "SGF",
    number: int | None = None,
    game: Game | None = None,
    most: int = MOST_NODES,
    own_rules: bool = False,
    moves: int | None = None,
    variations: bool = True,
) -> RecordTree:
    """A game tree with all its variations, or its main line alone. A variation that cannot be played, the main line too, ends
    before its mistake, with a note. A mistake before the first move is an SgfError, and so is any in a main line read alone.

    `most` nodes may be there, and `moves` are read of each line; `name`, `number`, `game`, `own_rules`: as in `read_record`.
    """
    return _TreeReader(root, name, number, game, False, own_rules).read_tree(most, moves, variations)


class _TreeReader(_Reader):
    def read_tree(self, most: int, moves: int | None, variations: bool) -> RecordTree:
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
            notes=self.notes,
        )
        self._note_rules(record.rules)
        main = {id(node) for node in root.main_line()}
        found: list[Variation] = []
        waiting: list[tuple[Node, int, tuple]] = [(root, -1, self._snapshot())]
        while waiting:
            node, parent, before = waiting.pop()
            self._go_back(before)
            turns: list[Turn] = []
            try:
                self._node(node, turns, moves)
            except SgfError as error:
                if id(node) not in main:
                    self._note(f"{error}; the variation ends before it")
                elif variations and any(variation.turns for variation in found):
                    self._note(f"{error}; the game is open up to there")
                else:
                    raise
                continue
            past = moves is not None and self.played > moves
            if past and not turns and parent >= 0:
                continue
            if len(found) >= most:
                raise UserError(f"{self.label}: more than {most:,} nodes; leave some variations out")
            found.append(Variation(parent, turns, node.text("C"), self._others(node)))
            after = self._snapshot()
            children = node.children[: 0 if past else None if variations else 1]
            waiting += [(child, len(found) - 1, after) for child in reversed(children)]
            if self.resigned is not None and id(node) in main and not record.result:
                record.result = f"{'WB'[self.resigned]}+R"
        return RecordTree(record, found)

    def _others(self, node: Node) -> dict[str, list[str]]:
        own = (*OWN, *OWN_OF_ROOT) if node is self.root else OWN
        return {name: list(values) for name, values in node.properties.items() if name not in own}

    def _note_rules(self, rules: str) -> None:
        """Other rules than ours count and forbid otherwise."""
        ours = self.game.rule_sets
        if ours and rules and not any(rules.strip().lower().startswith(name.lower()) for name in ours):
            self._note(f"{self.label} was played by other rules, {shortened(rules)}; here it goes on by {ours[0]}")

    def _note(self, text: str) -> None:
        if len(self.notes) < MOST_NOTES:
            self.notes.append(text)

    def _snapshot(self) -> tuple[State, int, bool, int | None]:
        return copy_state(self.state), self.played, self.exchanged, self.resigned

    def _go_back(self, before: tuple[State, int, bool, int | None]) -> None:
        state, self.played, self.exchanged, self.resigned = before
        self.state = copy_state(state)


def tree_of(record: Record, nodes: Sequence[Variation]) -> Node:
    """The tree as SGF nodes. A node of several turns becomes as many; the moves are known to be legal."""
    game = record.game
    written: list[tuple[Node, State]] = []  # the last node of each variation, and the position after it
    top: Node | None = None
    for variation in nodes:
        if variation.parent < 0:
            top = node = _root(record)
            state = copy_state(record.start)
        else:
            above, state = written[variation.parent]
            state = copy_state(state)
            node = above.add(Node())
        for number, turn in enumerate(variation.turns):
            if number > 0 or variation.parent < 0:
                node = node.add(Node())
            state = _write_turn(game, node, state, turn)
        if variation.comment:
            node.set_text("C", variation.comment)
        for name, values in variation.properties.items():
            node.properties.setdefault(name, list(values))
        written.append((node, state))
    if top is None:
        raise UserError("there is no game to write")
    return top


def _write_turn(game: Game, node: Node, state: State, turn: Turn) -> State:
    """Writes a move, or a position that is set up; returns the position after it."""
    if turn.move is None:
        _write_set_up(node, game, state, turn.position, turn.player)
        return copy_state(turn.position)
    node.properties["BW"[turn.player]] = [_move_value(game, state, turn.move)]
    stepper(game, quick=False, check=False)(state, turn.move)
    return state

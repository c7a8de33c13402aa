"""One certificate out of several: proofs of positions below, and a tree above them that says which of these are needed.

A part is a certificate of its own, of a position that some moves lead to. While its choices are followed again, each is
recorded under its position: which position it leads to, or the connection that wins. So what one part proves serves the
others, images included where the proof relies on symmetries. Nothing here needs to be trusted: the result goes through the
checker's walk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import State
from tesuji.core.records import record_bytes, without_gaps
from tesuji.proof.budget import Budget
from tesuji.proof.follow.answers import Key, key_of
from tesuji.proof.trusted.checker import Choices
from tesuji.proof.trusted.claims import Claim, Refused, claims_of
from tesuji.proof.trusted.connections import Step
from tesuji.proof.trusted.format import Certificate
from tesuji.proof.trusted.plain_rules import PlainRules
from tesuji.proof.trusted.walk import ALL_MOVES, Progress, Walk
from tesuji.proof.write.certificate import certificate_of
from tesuji.proof.write.connection_steps import numbers_of

MOST_IN_PART = 1_000_000  # positions of one part: who writes it keeps to that, and to the default memory
FindParts = Callable[[Key], Sequence[Certificate]]  # the parts that prove something of a position


class ProvenNode(Protocol):
    """A position of the tree above, and its proven bounds."""

    moves: tuple[int, ...]
    lower: int
    upper: int


FindNode = Callable[[Key], ProvenNode | None]


class PartChoices(Choices):
    """The choices of a part. While they are followed, they are added to a strategy where it has none yet."""

    def __init__(self, choices: tuple[int, ...], game_rules: PlainRules, strategy: CombinedStrategy):
        super().__init__(choices)
        self._rules = game_rules
        self._strategy = strategy

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        choice = super().visit(state, moves, chooses)
        key = key_of(self._rules, state)
        self._strategy.forms.setdefault(key, without_gaps(state))
        if chooses and 0 <= choice < len(moves) and key not in self._strategy.answers:
            children, _ = self._rules.after(state, [moves[choice]])
            self._strategy.answers[key] = key_of(self._rules, children[0])
            self._strategy.forms[key] = without_gaps(state)
        return choice

    def connect(self, state: State) -> Sequence[Step]:
        steps = super().connect(state)
        self._strategy.steps.setdefault(key_of(self._rules, state), steps)
        return steps


class CombinedStrategy:
    """Follows the tree above to positions that have parts, and from there the choices of the parts.

    A part may have an image of a position, and what follows that image need not be identified by its images: rules need not
    give images that cannot come up in the same game. So the walk's positions are replaced by images as needed (`_images`).

    game_rules   the game's rules
    claim        what is to be proven
    connections  whether parts may rest on connections
    parts, node  the parts, and the position of the tree above, of a key
    """

    def __init__(self, game_rules: PlainRules, claim: Claim, connections: bool, parts: FindParts, node: FindNode):
        self.choices: list[int] = []
        self.answers: dict[Key, Key] = {}
        self.steps: dict[Key, Sequence[Step]] = {}
        self.forms: dict[Key, np.ndarray] = {}  # the image of a position that the parts have
        self._rules = game_rules
        self._claim = claim
        self._connections = connections
        self._parts = parts
        self._node = node
        self._images: dict[bytes, np.ndarray] = {}  # by record: the image of a position of the walk that the parts have

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        """The part that the checker's walk calls (see walk.Strategy)."""
        own = without_gaps(state)
        image = self._images.get(own.tobytes(), own)
        key = key_of(self._rules, image[0])
        if key not in self.answers and key not in self.steps:
            for part in self._parts(key):
                self._follow(part)
        image = self._form(key, image)
        if image.tobytes() == own.tobytes():
            choice = self._choice(state, moves, self.answers.get(key)) if chooses else ALL_MOVES
        else:
            choice = self._choice_by_image(own[0], moves, image, key, chooses)
        if chooses:
            self.choices.append(choice)
        return choice

    def _form(self, key: Key, otherwise: np.ndarray) -> np.ndarray:
        """The image of a position that the parts or the tree above have."""
        if key not in self.answers:
            node = self._node(key)
            if node is not None and key not in self.forms:
                return without_gaps(self._rules.game.state_after(node.moves))
        return self.forms.get(key, otherwise)

    def _choice_by_image(self, state: State, moves: Sequence[int], image: np.ndarray, key: Key, chooses: bool) -> int:
        """The same where the parts have an image of the position: the moves from here are images of those from there.

        image  an array of one record; `key` is that of both
        """
        numbers = range(int(rules.symmetries.find(state.dtype)(self._rules.game.initial)))
        number = next((n for n in numbers if self._image_of(state, n).tobytes() == image.tobytes()), 0)
        image_moves = self._rules.legal_moves(image[0])
        children, _ = self._rules.after(image[0], image_moves)
        if chooses:
            choice = self._choice(image[0], image_moves, self.answers.get(key))
            children = children[choice : choice + 1]
        records = {record_bytes(child) for child in children}
        for index, child in enumerate(self._rules.after(state, moves)[0]):
            child_image = self._image_of(child, number)
            if child_image.tobytes() in records:
                self._images[record_bytes(child)] = child_image
                if chooses:
                    return index
        if chooses:
            raise UserError(f"no certificate: no move of an image of a position has a proof of {self._claim}")
        return ALL_MOVES

    def _image_of(self, state: State, number: int) -> np.ndarray:
        image = without_gaps(state)
        rules.image.find(state.dtype)(without_gaps(state)[0], number, image[0])
        return image

    def connect(self, state: State) -> Sequence[Step]:
        steps = self.steps.get(key_of(self._rules, state), ())
        self.choices += numbers_of(steps)
        return steps

    def _choice(self, state: State, moves: Sequence[int], target: Key | None) -> int:
        """The move to the position that the part leads to; in the tree above, one to a position that shows the claim."""
        children, views = self._rules.after(state, moves)
        for index, child in enumerate(children):
            if target is not None:
                if key_of(self._rules, child) == target:
                    return index
                continue
            lower, upper, _ = views[index]
            node = None if self._claim.holds(lower, upper) else self._node(key_of(self._rules, child))
            if self._claim.holds(lower, upper) or (node is not None and self._claim.holds(node.lower, node.upper)):
                return index
        raise UserError(f"no certificate: no move of a position has a proof of {self._claim}")

    def _follow(self, part: Certificate) -> None:
        """Follows the choices of a part, and records them where they show the claim."""
        header = part.header
        choices = PartChoices(part.choices, self._rules, self)
        root = self._rules.game.state_after(header.moves)
        budget = Budget()
        walk = Walk(root, self._rules, header.nodes, self._connections, budget)
        for claim in claims_of(self._rules.game, header.lower, header.upper):
            is_wanted = claim.player == self._claim.player and self._claim.holds(claim.bound, claim.bound)
            try:
                walk.prove(claim, choices if is_wanted else _Skipped(choices))
            except Refused as refusal:
                raise UserError(f"no certificate: a part of the proof does not hold: {refusal}") from None


class _Skipped:
    """The choices of a claim that is not needed: followed, to get to those of the next, but not recorded."""

    def __init__(self, choices: Choices):
        self._choices = choices

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        return Choices.visit(self._choices, state, moves, chooses)

    def connect(self, state: State) -> Sequence[Step]:
        return Choices.connect(self._choices, state)


def combine(
    game_rules: PlainRules,
    moves: Sequence[int],
    lower: int,
    upper: int,
    connections: bool,
    parts: FindParts,
    node: FindNode,
    on_progress: Progress | None = None,
) -> Certificate:
    """A certificate of lower <= value <= upper for the position after `moves`; a UserError if the parts do not make one.

    Bounds are outcomes for player 0. `game_rules`, `connections`, `parts` and `node` are those of CombinedStrategy.
    """
    walk = Walk(game_rules.game.state_after(moves), game_rules, connections=connections)
    walk.on_progress = on_progress
    return certificate_of(
        walk, moves, lower, upper, lambda claim: CombinedStrategy(game_rules, claim, connections, parts, node)
    )

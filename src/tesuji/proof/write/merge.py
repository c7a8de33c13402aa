"""One certificate out of several: proofs of positions below, and a tree above them that says which of these are needed.

A part is a certificate of its own, of a position that some moves lead to. While its choices are followed again, each is kept
under its position: which position it leads to. So what one part proves serves the others, images included where the game has
symmetries. Nothing here needs to be trusted: the result goes through the walk of the checker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State
from tesuji.core.numba.sources import source_digest
from tesuji.proof.budget import Budget
from tesuji.proof.follow.answers import Key, key_of
from tesuji.proof.trusted.checker import (
    ALL_MOVES,
    Choices,
    Claim,
    PlainRules,
    Progress,
    Refused,
    Walk,
    WalkDigest,
    canonical,
    claims_of,
)
from tesuji.proof.trusted.format import Certificate, Header, encode_choices
from tesuji.proof.trusted.links import LinkStep

MOST_IN_PART = 1_000_000  # positions of one part: who writes it keeps to that, and to the usual memory
FindParts = Callable[[Key], Sequence[Certificate]]  # the parts that prove something of a position


class KnownNode(Protocol):
    """A position of the tree above."""

    moves: tuple[int, ...]
    lower: int
    upper: int


FindNode = Callable[[Key], KnownNode | None]


class RecordedChoices(Choices):
    """The choices of a part; what they are is kept while they are followed, that of others is not replaced."""

    def __init__(self, choices: tuple[int, ...], game_rules: PlainRules, strategy: CombinedStrategy):
        super().__init__(choices)
        self._rules = game_rules
        self._strategy = strategy

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        choice = super().visit(state, moves, chooses)
        key = key_of(self._rules, state)
        self._strategy.forms.setdefault(key, canonical(state))
        if chooses and 0 <= choice < len(moves) and key not in self._strategy.answers:
            children, _ = self._rules.after(state, [moves[choice]])
            self._strategy.answers[key] = key_of(self._rules, children[0])
            self._strategy.forms[key] = canonical(state)
        return choice

    def keep(self, state: State, moves: Sequence[int]) -> Sequence[int]:
        kept = super().keep(state, moves)
        self._strategy.kept.setdefault(key_of(self._rules, state), kept)
        return kept


class CombinedStrategy:
    """Follows the tree above to positions that have parts, and from there the choices of the parts.

    A position may be known by an image of it, and what follows that image need not be known by its images: rules may stop to
    look for these where none can come up in the same game. So the walk's positions are turned as far as needed (`_turned`).
    """

    def __init__(self, game: Game, game_rules: PlainRules, claim: Claim, concessions: bool, parts: FindParts, known: FindNode):
        self.choices: list[int] = []
        self.answers: dict[Key, Key] = {}
        self.kept: dict[Key, Sequence[int]] = {}
        self.forms: dict[Key, np.ndarray] = {}  # the image by which a position is known
        self._game = game
        self._rules = game_rules
        self._claim = claim
        self._concessions = concessions
        self._parts = parts
        self._known = known
        self._turned: dict[bytes, np.ndarray] = {}  # positions of the walk that are known as turned: how

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        """The part that the checker's walk calls (see checker.Strategy)."""
        own = canonical(state)
        known = self._turned.get(own.tobytes(), own)
        key = key_of(self._rules, known[0])
        if key not in self.answers and key not in self.kept:
            for part in self._parts(key):
                self._follow(part)
        known = self._form(key, known)
        if known.tobytes() == own.tobytes():
            choice = self._choice(state, moves, self.answers.get(key)) if chooses else ALL_MOVES
        else:
            choice = self._choice_by_image(own[0], moves, known, key, chooses)
        if chooses:
            self.choices.append(choice)
        return choice

    def _form(self, key: Key, known: np.ndarray) -> np.ndarray:
        """The image by which a position is known."""
        if key not in self.answers:
            node = self._known(key)
            if node is not None and key not in self.forms:
                return canonical(self._game.state_after(node.moves))
        return self.forms.get(key, known)

    def _choice_by_image(self, state: State, moves: Sequence[int], known: np.ndarray, key: Key, chooses: bool) -> int:
        """The same where an image of the position is known, and the moves from it: these are images of those from here."""
        images = range(int(rules.symmetries.find(state.dtype)(self._game.initial)))
        number = next((n for n in images if self._image(state, n).tobytes() == known.tobytes()), 0)
        theirs = self._rules.legal(known[0])
        ways, _ = self._rules.after(known[0], theirs)
        chosen = self._choice(known[0], theirs, self.answers.get(key)) if chooses else ALL_MOVES
        wanted = [canonical(way).tobytes() for way in (ways[chosen : chosen + 1] if chooses else ways)]
        for index, child in enumerate(self._rules.after(state, moves)[0]):
            image = self._image(child, number)
            if image.tobytes() in wanted:
                self._turned[canonical(child).tobytes()] = image
                if chooses:
                    return index
        if chooses:
            raise UserError(f"no certificate: no move of an image of a position is known to show {self._claim}")
        return ALL_MOVES

    def _image(self, state: State, number: int) -> np.ndarray:
        turned = canonical(state)
        rules.image.find(state.dtype)(canonical(state)[0], number, turned[0])
        return turned

    def keep(self, state: State, moves: Sequence[int]) -> Sequence[int]:
        kept = self.kept.get(key_of(self._rules, state), ())
        self.choices += [len(kept), *kept]
        return kept

    def connect(self, state: State) -> Sequence[LinkStep]:
        return ()  # parts rest on concessions instead

    def _choice(self, state: State, moves: Sequence[int], target: Key | None) -> int:
        """The move to the position that the part leads to; in the tree above, one to a position that shows the claim."""
        children, views = self._rules.after(state, moves)
        for index, child in enumerate(children):
            if target is not None:
                if key_of(self._rules, child) == target:
                    return index
                continue
            lower, upper, _ = views[index]
            node = None if self._claim.holds(lower, upper) else self._known(key_of(self._rules, child))
            if self._claim.holds(lower, upper) or (node is not None and self._claim.holds(node.lower, node.upper)):
                return index
        raise UserError(f"no certificate: no move of a position is known to show {self._claim}")

    def _follow(self, part: Certificate) -> None:
        """Follows the choices of a part, and keeps them where they show the claim."""
        header = part.header
        choices = RecordedChoices(part.choices, self._rules, self)
        root = self._game.state_after(header.moves)
        budget = Budget()
        walk = Walk(self._game, root, self._rules, WalkDigest(), header.nodes, self._concessions, budget=budget)
        for claim in claims_of(self._game, header.lower, header.upper):
            is_wanted = claim.player == self._claim.player and self._claim.holds(claim.bound, claim.bound)
            try:
                walk.prove(claim, choices if is_wanted else _Skipped(choices))
            except Refused as refusal:
                raise UserError(f"no certificate: a part of the proof does not hold: {refusal}") from None


class _Skipped:
    """The choices of a claim that is not needed: followed, to get to those of the next, but not kept."""

    def __init__(self, choices: Choices):
        self._choices = choices

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        return Choices.visit(self._choices, state, moves, chooses)

    def keep(self, state: State, moves: Sequence[int]) -> Sequence[int]:
        return Choices.keep(self._choices, state, moves)

    def connect(self, state: State) -> Sequence[LinkStep]:
        return Choices.connect(self._choices, state)


def combine(
    game: Game,
    moves: Sequence[int],
    lower: int,
    upper: int,
    game_rules: PlainRules,
    concessions: bool,
    parts: FindParts,
    known: FindNode,
    on_progress: Progress | None = None,
) -> Certificate:
    """A certificate of lower <= value <= upper for the position after `moves`; a UserError if the parts do not make one."""
    digest = WalkDigest()
    walk = Walk(game, game.state_after(moves), game_rules, digest, concessions=concessions)
    walk.on_progress = on_progress
    choices: list[int] = []
    with np.errstate(over="ignore"):
        for claim in claims_of(game, lower, upper):
            strategy = CombinedStrategy(game, game_rules, claim, concessions, parts, known)
            try:
                walk.prove(claim, strategy)
            except Refused as refusal:
                raise UserError(f"no certificate: the proof of {claim} fails ({walk.where()}): {refusal}") from None
            choices += strategy.choices
    header = Header(
        game=game.name,
        moves=tuple(moves),
        lower=lower,
        upper=upper,
        initial_bounds=walk.bounded > 0,
        source=source_digest(game.source) if game.source else "",
        nodes=walk.nodes,
        choices_size=len(encode_choices(choices)),
        walk="",
        symmetry=walk.images > 0,
        concessions=concessions,
    )
    return Certificate(replace(header, walk=digest.finish(header)), tuple(choices))

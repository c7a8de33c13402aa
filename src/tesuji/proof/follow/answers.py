"""Playing by a certificate that was checked: what its strategy answers to the moves of the other side, one after the other.

Like the checker, this knows the rules and nothing of the search. The proof may see another position than the one on the board:
where moves are conceded, the opponent has them already in the proof. Whatever he plays outside of what the proof needs is then
no news to it, and the strategy has a move to spare.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import State
from tesuji.proof.budget import Budget
from tesuji.proof.trusted.checker import ENTRY, MOVE, Choices, Claim, PlainRules, canonical
from tesuji.proof.trusted.links import ALL, ANY, PAIR, Links, LinkStep

Key = bytes

NOT_IN_PROOF = "this position is not part of the proof: a move before it was not the certificate's answer"


def key_of(game_rules: PlainRules, state: State) -> Key:
    """What a position is known by: a digest, equal for its images where the proof relies on symmetries."""
    record = canonical(state)
    return hashlib.blake2b(game_rules.key(record[0], record.tobytes()), digest_size=16).digest()


class KeptChoices(Choices):
    """The choices of a certificate; each is kept while it is checked, under the position for which it was asked."""

    def __init__(self, choices: tuple[int, ...], budget: Budget):
        super().__init__(choices)
        self._budget = budget
        self.claims: dict[Claim, KeptStrategy] = {}
        self._current: KeptStrategy | None = None

    def begin(self, claim: Claim, game_rules: PlainRules) -> None:
        self._current = self.claims[claim] = KeptStrategy(game_rules, claim)

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        choice = super().visit(state, moves, chooses)
        if chooses and 0 <= choice < len(moves) and self._current is not None:
            self._budget.take(2 * ENTRY)
            self._current.keep_answer(state, moves[choice])
        return choice

    def keep(self, state: State, moves: Sequence[int]) -> Sequence[int]:
        kept = super().keep(state, moves)
        if kept and all(index < len(moves) for index in kept) and self._current is not None:
            self._budget.take(state.nbytes + 2 * ENTRY)
            self._current.keep_concession(state, moves, kept)
        return kept

    def connect(self, state: State) -> Sequence[LinkStep]:
        steps = super().connect(state)
        if steps and self._current is not None:
            self._budget.take(state.nbytes + ENTRY + sum(ENTRY + MOVE * len(step.numbers) for step in steps))
            self._current.steps[canonical(state).tobytes()] = steps
        return steps


class KeptStrategy:
    """What a certificate says about each position of one claim."""

    def __init__(self, game_rules: PlainRules, claim: Claim):
        self.rules = game_rules
        self.claim = claim
        self.answers: dict[Key, Key] = {}  # position -> the position that the chosen move leads to
        self.conceded: dict[Key, np.ndarray] = {}  # position -> the one in which moves are conceded, an array of one record
        self.steps: dict[bytes, Sequence[LinkStep]] = {}  # by record: the connection that wins

    def keep_answer(self, state: State, move: int) -> None:
        self.answers[self.key(state)] = self.key(self.rules.after(state, [move])[0][0])

    def keep_concession(self, state: State, moves: Sequence[int], kept: Sequence[int]) -> None:
        self.conceded[self.key(state)] = self.rules.without(state, 1 - self.claim.player, moves, kept)

    def key(self, state: State) -> Key:
        return key_of(self.rules, state)


class Follower:
    """A game by the strategy. `opponent` and `answer` are called by turns; `matters` says whether the last move of the opponent
    was one that the proof had to answer.
    """

    def __init__(self, strategy: KeptStrategy, start: State):
        self._strategy = strategy
        self._rules = strategy.rules
        self._player = strategy.claim.player
        self._seen = canonical(start)  # the position as the proof sees it
        self._plan: ConnectionPlan | None = None
        self.matters = True
        self._settle()

    def is_shown(self) -> bool:
        """Whether the rules alone show the claim for what the proof sees."""
        view = self._rules.view(self._seen[0])
        return self._plan is None and self._strategy.claim.holds(view.lower, view.upper)

    def opponent(self, move: int) -> None:
        """A move of the other side."""
        if self._plan is not None:
            self.matters = self._plan.opponent(move)
            return
        self.matters = move in self._rules.legal(self._seen[0])
        if self.matters:
            self._seen = canonical(self._rules.after(self._seen[0], [move])[0][0])
            self._settle()

    def answer(self, board: State) -> int:
        """The strategy's move in the position on the board, which may have more stones of its own than the proof sees."""
        legal = self._rules.legal(board)
        move = None
        if self._plan is not None:
            move = self._plan.answer(legal)
        elif self.matters:
            move = self._chosen()
            self._seen = canonical(self._rules.after(self._seen[0], [move])[0][0])
            self._settle()
        return move if move is not None and move in legal else legal[0]

    def _chosen(self) -> int:
        """The move that leads where the proof goes on: into that position or, with symmetries, an image of it."""
        state = self._seen[0]
        target = self._strategy.answers.get(self._strategy.key(state))
        legal = self._rules.legal(state)
        children, _ = self._rules.after(state, legal)
        for move, child in zip(legal, children, strict=True):
            if target is not None and self._strategy.key(child) == target:
                return move
        raise UserError(NOT_IN_PROOF)

    def _settle(self) -> None:
        """Concedes what the proof concedes here, or begins to follow its connection."""
        view = self._rules.view(self._seen[0])
        if view.mover != 1 - self._player:
            return
        steps = self._strategy.steps.get(self._seen.tobytes())
        if steps is not None:
            self._plan = ConnectionPlan(steps, self._rules.connected(self._seen[0], self._player, steps))
            return
        target = self._strategy.conceded.get(self._strategy.key(self._seen[0]))
        if target is not None:
            self._seen = self._concede(target)

    def _concede(self, target: np.ndarray) -> np.ndarray:
        """The position seen with the concession that leads to `target` or an image of it."""
        state = self._seen[0]
        legal = self._rules.legal(state)
        for image in self._images(target):
            answered = set(self._rules.legal(image[0]))
            kept = [index for index, move in enumerate(legal) if move in answered]
            if len(kept) == len(answered):
                conceded = self._rules.without(state, 1 - self._player, legal, kept)
                if self._strategy.key(conceded[0]) == self._strategy.key(target[0]):
                    return conceded
        raise UserError(NOT_IN_PROOF)

    def _images(self, target: np.ndarray) -> list[np.ndarray]:
        """A position and, whether the proof relies on symmetries or not, its images."""
        found = [target]
        for number in range(1, int(rules.symmetries(target[0]))):
            turned = canonical(target[0])
            rules.image(target[0], number, turned[0])
            found.append(turned)
        return found


class ConnectionPlan:
    """A connection that is being made: the links that are still to be made good, and the captured pairs."""

    def __init__(self, steps: Sequence[LinkStep], links: Links):
        self._steps = steps
        self._links = links.shown
        self._open: list[int] = []  # numbers of ANY steps
        self._pairs: list[tuple[int, int]] = []
        self._next: int | None = None  # the answer to the last move
        self._begin(len(steps) - 1)

    def _begin(self, number: int) -> None:
        """Takes a link apart, down to those that need an answer."""
        waiting = [number]
        while waiting:
            at = waiting.pop()
            kind, numbers = self._steps[at]
            if kind == ALL:
                waiting += [at - back for back in numbers]
            elif kind == PAIR:
                self._pairs.append((numbers[1], numbers[2]))
                waiting.append(at - numbers[0])
            elif kind == ANY:
                self._open.append(at)

    def opponent(self, cell: int) -> bool:
        """Finds the answer to a move; False if the move is on no carrier."""
        for pair in self._pairs:
            if cell in pair:
                self._pairs.remove(pair)
                self._next = pair[0] + pair[1] - cell
                return True
        for at in self._open:
            if self._links[at].carrier >> cell & 1:
                self._next = self._take(at, cell)
                return True
        return False

    def _take(self, at: int, avoided: int = -1) -> int:
        """Goes one of the ways of an ANY step, one that does not use a certain cell; returns the cell to take."""
        self._open.remove(at)
        numbers = self._steps[at].numbers
        for cell, back in zip(numbers[::2], numbers[1::2], strict=True):
            used = self._links[at - back].carrier | 1 << cell
            if avoided < 0 or not used >> avoided & 1:
                self._begin(at - back)
                return cell
        raise AssertionError("a connection that was checked has a reply to every cell")

    def answer(self, legal: Sequence[int]) -> int | None:
        """The answer, or, where none is needed or it is there already, a move that makes another link good; None if all are."""
        move, self._next = self._next, None
        while move is None or move not in legal:
            if self._open:
                move = self._take(self._open[0])
            elif self._pairs:
                move = self._pairs.pop()[0]
            else:
                return None
        return move

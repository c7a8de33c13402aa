"""Playing by a certificate that was checked: what its strategy answers to the moves of the other side, one after the other.

Like the checker, this knows the rules and nothing of the search. Where a connection wins, moves outside of its carrier need no
answer, and the strategy has a move to spare.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from tesuji.core.errors import UserError
from tesuji.core.game import State
from tesuji.core.records import record_bytes, without_gaps
from tesuji.proof.budget import Budget
from tesuji.proof.trusted.checker import Choices
from tesuji.proof.trusted.claims import Claim
from tesuji.proof.trusted.connections import AND, OR, PAIR, ProvenConnections, Step
from tesuji.proof.trusted.plain_rules import PlainRules
from tesuji.proof.trusted.walk import ENTRY, MOVE

Key = bytes

NOT_IN_PROOF = "this position is not part of the proof: a move before it was not the certificate's answer"


def key_of(game_rules: PlainRules, state: State) -> Key:
    """What identifies a position: a digest, equal for its images where the proof relies on symmetries."""
    record = without_gaps(state)
    return hashlib.blake2b(game_rules.key(record[0], record.tobytes()), digest_size=16).digest()


class RecordedChoices(Choices):
    """The choices of a certificate. While they are checked, each is recorded under the position that it belongs to."""

    def __init__(self, choices: tuple[int, ...], budget: Budget):
        super().__init__(choices)
        self._budget = budget
        self.claims: dict[Claim, RecordedStrategy] = {}
        self._current: RecordedStrategy | None = None

    def begin(self, claim: Claim, game_rules: PlainRules) -> None:
        self._current = self.claims[claim] = RecordedStrategy(game_rules, claim)

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        choice = super().visit(state, moves, chooses)
        if chooses and 0 <= choice < len(moves) and self._current is not None:
            self._budget.take(2 * ENTRY)
            self._current.record_answer(state, moves[choice])
        return choice

    def connect(self, state: State) -> Sequence[Step]:
        steps = super().connect(state)
        if steps and self._current is not None:
            self._budget.take(state.nbytes + ENTRY + sum(ENTRY + MOVE * len(step.numbers) for step in steps))
            self._current.steps[record_bytes(state)] = steps
        return steps


class RecordedStrategy:
    """What a certificate says of each position for one claim."""

    def __init__(self, game_rules: PlainRules, claim: Claim):
        self.rules = game_rules
        self.claim = claim
        self.answers: dict[Key, Key] = {}  # position -> the position that the chosen move leads to
        self.steps: dict[bytes, Sequence[Step]] = {}  # by record: those of the connection that wins

    def record_answer(self, state: State, move: int) -> None:
        self.answers[self.key(state)] = self.key(self.rules.after(state, [move])[0][0])

    def key(self, state: State) -> Key:
        return key_of(self.rules, state)


class Follower:
    """A game by the strategy. `opponent` and `answer` are called alternately; `matters` says whether the last move of the
    opponent was one that the proof had to answer.
    """

    def __init__(self, strategy: RecordedStrategy, start: State):
        self._strategy = strategy
        self._rules = strategy.rules
        self._player = strategy.claim.player
        self._position = without_gaps(start)  # not continued where a connection is followed
        self._plan: ConnectionPlan | None = None
        self.matters = True
        self._find_plan()

    def is_shown(self) -> bool:
        """Whether the rules alone show the claim."""
        view = self._rules.view(self._position[0])
        return self._plan is None and self._strategy.claim.holds(view.lower, view.upper)

    def opponent(self, move: int) -> None:
        """A move of the other side."""
        if self._plan is not None:
            self.matters = self._plan.opponent(move)
        else:
            self._go_on(move)

    def answer(self, board: State) -> int:
        """The strategy's move in the position on the board."""
        legal = self._rules.legal_moves(board)
        if self._plan is not None:
            move = self._plan.answer(legal)
        else:
            move = self._chosen()
            self._go_on(move)
        return move if move is not None and move in legal else legal[0]

    def _chosen(self) -> int:
        """The move that leads where the proof goes on: to that position or, with symmetries, an image of it."""
        state = self._position[0]
        target = self._strategy.answers.get(self._strategy.key(state))
        legal = self._rules.legal_moves(state)
        children, _ = self._rules.after(state, legal)
        for move, child in zip(legal, children, strict=True):
            if target is not None and self._strategy.key(child) == target:
                return move
        raise UserError(NOT_IN_PROOF)

    def _go_on(self, move: int) -> None:
        self._position = without_gaps(self._rules.after(self._position[0], [move])[0][0])
        self._find_plan()

    def _find_plan(self) -> None:
        """Begins to follow a connection, if the proof has one here."""
        view = self._rules.view(self._position[0])
        steps = self._strategy.steps.get(self._position.tobytes())
        if view.mover == 1 - self._player and steps is not None:
            self._plan = ConnectionPlan(steps, self._rules.check_win(self._position[0], self._player, steps))


class ConnectionPlan:
    """A connection that is being made: the steps that still need an answer, and the captured pairs."""

    def __init__(self, steps: Sequence[Step], connections: ProvenConnections):
        self._steps = steps
        self._connections = connections.proven
        self._open: list[int] = []  # numbers of OR steps
        self._pairs: list[tuple[int, int]] = []
        self._next: int | None = None  # the answer to the last move
        self._begin(len(steps) - 1)

    def _begin(self, number: int) -> None:
        """Breaks a connection down into those that need an answer."""
        waiting = [number]
        while waiting:
            at = waiting.pop()
            kind, numbers = self._steps[at]
            if kind == AND:
                waiting += [at - back for back in numbers]
            elif kind == PAIR:
                self._pairs.append((numbers[1], numbers[2]))
                waiting.append(at - numbers[0])
            elif kind == OR:
                self._open.append(at)

    def opponent(self, cell: int) -> bool:
        """Finds the answer to a move; False if the move is on no carrier."""
        for pair in self._pairs:
            if cell in pair:
                self._pairs.remove(pair)
                self._next = pair[0] + pair[1] - cell
                return True
        for at in self._open:
            if self._connections[at].carrier >> cell & 1:
                self._next = self._take(at, cell)
                return True
        return False

    def _take(self, at: int, avoided: int = -1) -> int:
        """Takes one of the ways of an OR step, one that does not use the cell `avoided`; returns the cell to take."""
        self._open.remove(at)
        numbers = self._steps[at].numbers
        for cell, back in zip(numbers[::2], numbers[1::2], strict=True):
            used = self._connections[at - back].carrier | 1 << cell
            if avoided < 0 or not used >> avoided & 1:
                self._begin(at - back)
                return cell
        raise AssertionError("a connection that was checked has a reply to every cell")

    def answer(self, legal: Sequence[int]) -> int | None:
        """The answer. If none is needed, or the player has that cell, a move that the rest needs; None if nothing is left."""
        move, self._next = self._next, None
        while move is None or move not in legal:
            if self._open:
                move = self._take(self._open[0])
            elif self._pairs:
                move = self._pairs.pop()[0]
            else:
                return None
        return move

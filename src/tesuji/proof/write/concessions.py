"""A strategy that concedes moves: it answers only those that matter to it (docs/proofs.md).

For a position that the claim's opponent loses on his turn, a region is worked out: the moves that the proof needs. Some answers
to moves of his are proven, each within a region of its own; a move outside of one of these regions is answered as if it had not
been made. So there are enough answers when no move lies in all of their regions, and the region of the position is the union of
theirs. A win that the policy explains, a virtual connection, has its own region.

When all moves outside the region are conceded, the position depends on the region alone. So lines that differ elsewhere come
together in the certificate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.game import State
from tesuji.proof.trusted.checker import ALL_MOVES, canonical
from tesuji.proof.write.strategy import TreeStrategy, kernel_of
from tesuji.proof.write.survey import NOT_PROVEN, PROOF_DROPPED
from tesuji.search.policy import explain


@dataclass
class Lost:
    """A position that the opponent loses on his turn. Regions are sets of moves, as bits."""

    region: int
    answers: list[Won] = field(default_factory=list)  # none if the policy explains how it is lost


@dataclass
class Won:
    """A position that the claim's player wins on his turn: by this move, and within this region, the move included."""

    move: int
    region: int
    then: Lost


class ConcedingStrategy(TreeStrategy):
    """Works out regions where the walk asks for moves to answer, and then follows what it has found."""

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        search = self.search
        self._explain = kernel_of(search, ask_policy)
        self._buffer = np.zeros(search.game.buffer_size, np.int32)
        self._kept = np.zeros(search.game.buffer_size, np.bool_)
        self._won: dict[bytes, Won] = {}  # by record
        self._lost: dict[bytes, Lost] = {}

    # -- what the walk asks ----------------------------------------------------------------------------------------------------
    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        if not chooses:
            return ALL_MOVES
        record = state.tobytes()
        if record not in self._won:
            self._won[record] = self._find_win(state, moves)
        won = self._won[record]
        self._lost[self._after(state, won.move).tobytes()] = won.then
        self.choices.append(list(moves).index(won.move))
        return self.choices[-1]

    def keep(self, state: State, moves: Sequence[int]) -> Sequence[int]:
        record = state.tobytes()
        if record not in self._lost:
            self._lost[record] = self._find_loss(state, moves)
        lost = self._lost[record]
        kept = [index for index, move in enumerate(moves) if lost.region >> move & 1]
        if len(kept) == len(moves):
            kept = []  # nothing to concede
        if kept and lost.answers:
            conceded = self.walk.rules.without(state, 1 - self.claim.player, moves, kept)[0]
            answered = [moves[index] for index in kept]
            children, _ = self.walk.rules.after(conceded, answered)
            for move, child in zip(answered, children, strict=True):
                self._won[child.tobytes()] = next(won for won in lost.answers if not won.region >> move & 1)
        self.choices += [len(kept), *kept]
        return kept

    # -- working out -----------------------------------------------------------------------------------------------------------
    def _find_win(self, state: State, moves: Sequence[int]) -> Won:
        winning = self._explained(state, moves)
        costs = [] if len(winning) == 1 else self._costs(state, moves)
        if costs and min(costs) == NOT_PROVEN:
            self._search_again(state)
            costs = self._costs(state, moves)
            if min(costs) == NOT_PROVEN:
                raise UserError(f"no certificate: {self.claim} was proven again for a position, but not by its moves")
        move = moves[costs.index(min(costs)) if costs else winning[0]]
        child = self._after(state, move)
        then = self._loss_of(child)
        return Won(move, then.region | 1 << move, then)

    def _loss_of(self, state: State) -> Lost:
        record = state.tobytes()
        if record not in self._lost:
            view = self.walk.rules.view(state)
            over = view.mover != 1 - self.claim.player
            self._lost[record] = Lost(0) if over else self._find_loss(state, self.walk.rules.legal(state))
        return self._lost[record]

    def _find_loss(self, state: State, moves: Sequence[int]) -> Lost:
        explained = self._explained(state, moves)
        if explained:
            return Lost(sum(1 << moves[index] for index in explained))
        lost = Lost(0)
        left = dict.fromkeys(moves)
        children, _ = self.walk.rules.after(state, moves)
        after = dict(zip(moves, children, strict=True))
        known = dict(zip(moves, self._costs(state, moves), strict=True))
        while left:
            move = min(left, key=lambda one: (known[one] >= PROOF_DROPPED, known[one] == NOT_PROVEN))
            record = after[move].tobytes()
            if record not in self._won:
                self._won[record] = self._find_win(after[move], self.walk.rules.legal(after[move]))
            won = self._won[record]
            lost.answers.append(won)
            lost.region |= won.region
            left = {one: None for one in left if won.region >> one & 1}
        return lost

    def _after(self, state: State, move: int) -> State:
        return self.walk.rules.after(state, [move])[0][0]

    def _explained(self, state: State, moves: Sequence[int]) -> list[int]:
        """Indices of the moves that the policy keeps, if it says that the claim's player wins; else none."""
        count = len(moves)
        self._buffer[:count] = moves
        self._kept[:count] = True
        winner = self._explain(self.search.policy, canonical(state)[0], self._buffer, count, self._kept)
        return np.flatnonzero(self._kept[:count]).tolist() if winner == self.claim.player else []


def ask_policy(policy, state, moves, count, kept):
    return np.int64(explain(policy, state, moves, count, kept))

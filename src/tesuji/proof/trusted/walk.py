"""The walk through a proof: every position of it, each once. The checker and the writer go the same way.

A proof of `value >= L` is a strategy of Max (player 0): one move wherever Max is to move, an answer to every move of Min,
and an outcome of at least L at the end of every game. `value <= U` is the same with the players exchanged. The walk makes the
positions by the rules, in an order of its own, and asks the strategy where it needs a choice.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from tesuji.core import rules
from tesuji.core.game import State
from tesuji.core.records import without_gaps
from tesuji.proof.budget import Budget
from tesuji.proof.trusted.claims import Claim, Refused
from tesuji.proof.trusted.connections import Step
from tesuji.proof.trusted.format import Header, encode_header
from tesuji.proof.trusted.plain_rules import OVER, PlainRules, RuleView

ALL_MOVES = -1  # in place of a chosen move, where every move must be answered
NO_MOVE = -1  # in place of the move that led to a position, for the first one
PROGRESS_EVERY = 1000  # positions between two calls of on_progress
ENTRY, MOVE = 200, 36  # bytes of memory, in round numbers: for a key beside its own bytes, and for a move in a list

Progress = Callable[[int, int], object]  # (positions checked, positions in all)


class Strategy(Protocol):
    """Where the choices come from: a certificate, or the writer of one."""

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        """Called at each position entered, parents first. Returns the index of the move to make where `chooses` is set."""
        ...

    def connect(self, state: State) -> Sequence[Step]:
        """Called where the opponent moves, in a proof by connections: the steps of a connection that wins whatever he plays.
        Without steps, each of his moves must be answered.
        """
        ...


class Walk:
    """Goes through the positions of a proof, depth first. A position is made when its turn comes.

    A position is identified by all bytes of its record, or those of an image that the rules make: no hash is relied on.

    root         the position that the proof is about
    game_rules   its rules
    max_nodes    how many positions and steps the proof may have, None for any number
    connections  whether the strategy is asked for connections
    budget       what the walk may take
    """

    def __init__(
        self,
        root: State,
        game_rules: PlainRules,
        max_nodes: int | None = None,
        connections: bool = False,
        budget: Budget | None = None,
    ):
        self.root = without_gaps(root)
        self.rules = game_rules
        self.max_nodes = max_nodes
        self.connections = connections
        self.budget = budget or Budget(memory=None)
        self.digest = WalkDigest()
        self.on_progress: Progress | None = None
        self.nodes = 0
        self.bounded = 0  # positions where the rules' own bounds showed the claim
        self.images = 0  # positions that were proven before, but only as an image
        self.proven: dict[bytes, bool] = {}  # by key; False while the position is being proven
        self._records: set[bytes] = set()  # of the positions entered, where keys are those of images
        self._frames: list[_Frame] = []
        self._memory = 0  # bytes that `proven` and `_records` take

    def prove(self, claim: Claim, strategy: Strategy) -> None:
        """Returns if the strategy proves the claim, raises Refused if not."""
        self.digest.add_claim(claim)
        self.budget.take(-self._memory)
        self.proven, self._records, self._frames, self._memory = {}, set(), [], 0
        frames, after = self._frames, self.rules.after
        self._meet(claim, strategy, self.root, self.rules.view(self.root[0]), NO_MOVE)
        while frames:
            frame = frames[-1]
            frame.move = next(frame.moves, None)
            if frame.move is None:
                self.proven[frame.key] = True
                self.budget.take(-frame.size)
                frames.pop()
            else:
                states, views = after(frame.state, [frame.move])
                self._meet(claim, strategy, states, views[0], frame.move)

    def _meet(self, claim: Claim, strategy: Strategy, states: np.ndarray, view: RuleView, last_move: int) -> None:
        """A position of the proof: shown by the rules, or proven before, or else entered.

        states     an array of one record, the position
        view       what the rules say of it
        last_move  the move that led there
        """
        self.budget.check_time()
        lower, upper, mover = view
        if mover == OVER and not self.rules.lowest <= lower <= self.rules.highest:
            raise Refused(f"the game ends with {lower}, outside of the game's range {self.rules.game.outcomes}")
        if claim.holds(lower, upper):
            self.bounded += mover != OVER
            return
        if mover == OVER:
            raise Refused(f"the game ends with {lower}, and the claim is {claim}")
        record = states.tobytes()
        key = self.rules.key(states[0], record)
        if key in self.proven:
            if not self.proven[key]:
                raise Refused("the position repeats: the proof is circular")
            self.images += key is not record and record not in self._records
            return
        moves = self._enter(claim, strategy, states[0], mover, last_move)
        self.proven[key] = False
        self._add_memory(len(key) + ENTRY)
        if key is not record:
            self._records.add(record)
            self._add_memory(len(record) + ENTRY)
        frame = _Frame(key, states[0], iter(moves), len(record) + ENTRY + MOVE * len(moves))
        self.budget.take(frame.size)
        self._frames.append(frame)

    def _enter(self, claim: Claim, strategy: Strategy, state: State, mover: int, last_move: int) -> list[int]:
        """The moves to follow from a position: the strategy's choice, or every move; none where a connection wins.

        state      the position, in which `mover` is to move
        last_move  the move that led there
        """
        self._count(1)
        if len(self._frames) > self.rules.game.max_plies:
            raise Refused(f"the game is longer than its maximum of {self.rules.game.max_plies} moves")
        if mover not in (rules.FIRST, rules.SECOND):
            raise Refused(f"the rules name player {mover} to move")
        moves = self.rules.legal_moves(state)
        chooses = mover == claim.player
        choice = strategy.visit(state, moves, chooses)
        if chooses:
            if not 0 <= choice < len(moves):
                raise Refused(f"move number {choice} of {len(moves)} is not legal")
            self.digest.add_position(last_move, len(moves), moves[choice])
            moves = [moves[choice]]
        else:
            self.digest.add_position(last_move, len(moves), ALL_MOVES)
        if self.on_progress is not None and self.nodes % PROGRESS_EVERY == 0:
            self.on_progress(self.nodes, self.max_nodes or 0)
        if chooses or not self.connections:
            return moves
        steps = strategy.connect(state)
        if not steps:
            return moves
        self._count(len(steps))
        self.rules.check_win(state, claim.player, self.budget.timed(steps))
        self.digest.add_steps(steps)
        return []

    def _count(self, more: int) -> None:
        if self.max_nodes is not None and self.nodes + more > self.max_nodes:
            raise Refused(f"the proof has more than the {self.max_nodes} positions that its header announces")
        self.nodes += more

    def _add_memory(self, size: int) -> None:
        self._memory += size
        self.budget.take(size)

    def where(self) -> str:
        """The position that the walk has reached, in words."""
        line = [frame.move for frame in self._frames if frame.move is not None]
        if not line:
            return f"node {self.nodes}, the first position"
        try:
            state = without_gaps(self.root[0])[0]
            texts = []
            for move in line:
                texts.append(self.rules.game.text(state, move))
                rules.play(state, move)
        except Exception:  # a user's game that fails here too: its moves as numbers then
            texts = [str(move) for move in line]
        return f"node {self.nodes}, after {' '.join(texts)}"


class _Frame:
    """A position on the way down, and the moves from it that are still to be followed."""

    __slots__ = ("key", "move", "moves", "size", "state")

    def __init__(self, key: bytes, state: State, moves: Iterator[int], size: int):
        self.key = key  # the position is proven when all moves have been followed
        self.state = state
        self.moves = moves
        self.move: int | None = None  # the one that is being followed
        self.size = size  # bytes, in round numbers


class WalkDigest:
    """SHA-256 of a walk: of each position the last move, the number of moves and the choice, in the order of the walk; then
    the header.

    A certificate has the digest of its own walk. So a choice that was changed is noticed even if it happens to lead to another
    proof of the same claim.
    """

    def __init__(self) -> None:
        self._sum = hashlib.sha256()
        self._pack = struct.Struct("<iii").pack

    def add_claim(self, claim: Claim) -> None:
        self._sum.update(str(claim).encode())

    def add_position(self, last_move: int, count: int, choice: int) -> None:
        self._sum.update(self._pack(last_move, count, choice))

    def add_steps(self, steps: Sequence[Step]) -> None:
        for kind, numbers in steps:
            self._sum.update(struct.pack(f"<{len(numbers) + 2}i", kind, len(numbers), *numbers))

    def finish(self, header: Header) -> str:
        """The digest in hex, of the walk and of all that the header says except the digest itself."""
        self._sum.update(encode_header(replace(header, walk="")))
        return self._sum.hexdigest()

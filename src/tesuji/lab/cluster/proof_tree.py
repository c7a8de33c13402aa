"""The top of a proof that is made by jobs: job-level proof-number search (Wu et al. 2011) with the bounds of our search.

The driver keeps a tree of positions above, each with bounds on its value and, for the question that is asked now ("is the root
at least v?"), a proof and a disproof number, as the search itself has them. A job is one of the leaves. If
its answer settles the question there, the bounds above are narrowed. If not, the leaf becomes a node, and its moves become
leaves with the numbers that the job has found. The next leaf is the most proving one; numbers of what is under way count as
larger, so that other jobs go elsewhere. What can change nothing above is never sent. Positions that are equal, or images of
each other, are one node, so that what is proven of one is proven of all.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import math
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State, copy_state
from tesuji.core.limits import Limits
from tesuji.lab.cluster.dispatcher import Assignment
from tesuji.lab.cluster.proof_jobs import check_answer, read_part
from tesuji.proof.follow.answers import Key, key_of
from tesuji.proof.trusted.format import Certificate
from tesuji.proof.trusted.plain_rules import PlainRules
from tesuji.proof.trusted.walk import Progress
from tesuji.proof.write.merge import combine
from tesuji.proof.write.strategy import CompiledRules
from tesuji.search.engine.final_move import Result
from tesuji.search.selection.proof_numbers import LARGEST

FIRST_PLAYOUTS = 2_000  # of the job at the root; it is to give the others something to do
GROWTH = 5  # of that, for each move below the root
MOST_PLAYOUTS = 50_000  # of a job, until there are many
PATIENCE = 2.0
SHARE = 16  # jobs of that much for each that is under way: the larger a proof is, the larger its jobs


@dataclass(eq=False)
class TopNode:
    """A position. Bounds and numbers are player 0's; the numbers are for the question that is asked now."""

    key: Key
    moves: tuple[int, ...]  # from the start of the game
    to_play: int
    lower: int
    upper: int
    depth: int
    children: dict[int, TopNode] | None = None  # by move; None = a leaf
    parents: list[TopNode] = field(default_factory=list)
    proof: float = 1.0
    disproof: float = 1.0
    found: dict[int, tuple[float, float]] = field(default_factory=dict)  # the numbers of a leaf, by question
    under_way: int = 0  # jobs at it and below
    is_sent: bool = False
    best: int | None = None  # the move that its own job found
    parts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_decided(self) -> bool:
        return self.lower == self.upper

    def number(self, high: int) -> bool:
        """Brings the numbers up to date for "is it at least `high`?"; whether they have changed."""
        before = self.proof, self.disproof
        if self.lower >= high or self.upper < high:
            self.proof, self.disproof = (0.0, math.inf) if self.lower >= high else (math.inf, 0.0)
            return before != (self.proof, self.disproof)
        if self.children is None:
            proof, disproof = self.found.get(high) or next(iter(self.found.values()), (1.0, 1.0))
        else:
            of_proof, of_disproof = (min, sum) if self.to_play == rules.FIRST else (sum, min)
            distinct = dict.fromkeys(self.children.values())  # in an order that does not depend on the run
            proof = of_proof(child.proof for child in distinct)
            disproof = of_disproof(child.disproof for child in distinct)
        self.proof, self.disproof = (min(max(number, 1.0), LARGEST) for number in (proof, disproof))
        return before != (self.proof, self.disproof)


class Keeper(Protocol):
    """Where the results of jobs are kept (proof_store.py)."""

    path: str

    def add(self, moves: Sequence[int], high: int, result: str, seconds: float) -> None: ...

    def seconds(self) -> float: ...

    def together(self) -> AbstractContextManager[None]: ...


class ProofTree:
    """The tree above, as a source of jobs."""

    def __init__(self, game: Game, moves: Sequence[int], limits: Limits, setup: dict[str, Any], seed: int = 0):
        self.game = game
        self.playouts = 0
        self.nodes = 0  # of all searches
        self.jobs = 0
        self.from_before = 0  # jobs
        self.seconds = 0.0
        self.interrupted = False
        self.keeper: Keeper | None = None
        self._limits = limits
        self._setup = setup
        self._seed = seed
        self._is_stuck = False
        self._began = time.monotonic()
        self._seconds_before = 0.0  # of earlier runs
        flags = setup["flags"]
        self.rules = PlainRules(game, flags["initial_bounds"], flags["symmetry"])
        self._top: dict[Key, TopNode] = {}
        self._paths: dict[str, tuple[list[TopNode], int]] = {}  # of jobs under way: from the root to theirs; the question
        self._root = self._node(tuple(moves), 0)
        self._high = 0
        self._asked_at = 0  # playouts when the question was chosen
        self._ask()

    @property
    def root(self) -> TopNode:
        return self._root

    @property
    def kept(self) -> str:
        return "the results so far are kept, and the same command goes on" if self.keeper else "what was proven is lost"

    def _node(self, moves: tuple[int, ...], depth: int, before: State | None = None) -> TopNode:
        """The node of a position, which may be there already; `before` is the position before the last move, if it is known."""
        with np.errstate(over="ignore"):
            if before is None:
                state = self.game.state_after(moves)
            else:
                state = copy_state(before)
                rules.play(state, moves[-1])
            key = key_of(self.rules, state)
            found = self._top.get(key)
            if found is None:
                lower, upper = self.game.outcomes
                if rules.is_over(state):
                    lower = upper = int(rules.outcome(state))
                to_play = int(rules.to_play(state)) if lower != upper else rules.FIRST
                found = self._top[key] = TopNode(key, moves, to_play, lower, upper, depth)
        return found

    # -- jobs: leaves ------------------------------------------------------------------------------------------------
    def next(self) -> Assignment | None:
        path = None if self.is_done else self._descend(self._root, [])
        if path is None:
            self._is_stuck = not self._paths  # positions that repeat lead to no other leaf
            return None
        leaf = path[-1]
        most = max(MOST_PLAYOUTS, self.playouts // (SHARE * (len(self._paths) + 1)))
        playouts = min(most, FIRST_PLAYOUTS * GROWTH ** min(leaf.depth, 20))
        if self._limits.playouts is not None:
            playouts = max(1, min(playouts, self._limits.playouts - self.playouts))
        proof, disproof = self._thresholds(path)
        job = {"moves": list(leaf.moves), "high": self._high, "playouts": playouts, "seed": self._job_seed(leaf)}
        job |= {"proof": proof, "disproof": disproof}
        text = json.dumps(job)
        id = hashlib.sha256(f"{json.dumps(self._setup, sort_keys=True)}{text}".encode()).hexdigest()[:16]
        leaf.is_sent = True
        for node in path:
            node.under_way += 1
        self._paths[id] = (path, self._high)
        return Assignment(id, text, f"the position after {len(leaf.moves)} moves")

    def left(self) -> int:
        return 0 if self.is_done else 1

    @property
    def is_done(self) -> bool:
        limits, elapsed = self._limits, time.monotonic() - self._began
        late = limits.seconds is not None and elapsed >= limits.seconds
        return (
            self._root.is_decided
            or self._is_stuck
            or late
            or (limits.playouts is not None and self.playouts >= limits.playouts)
        )

    def take(self, id: str, result: str) -> bool:
        path, high = self._paths.pop(id)
        leaf = path[-1]
        leaf.is_sent = False
        for node in path:
            node.under_way -= 1
        self._learn(leaf, high, json.loads(result))
        elapsed = time.monotonic() - self._began
        if self.keeper is not None:
            self.keeper.add(leaf.moves, high, result, elapsed)
        self.seconds = self._seconds_before + elapsed
        return self.is_done

    def resume(self, results: Iterable[tuple[tuple[int, ...], int, dict[str, Any]]], keeper: Keeper) -> None:
        """Learns again from the results that an earlier run kept, in their order, and keeps those to come."""
        for moves, high, answer in results:
            try:
                check_answer(answer, self.game)
                leaf = self._top[key_of(self.rules, self.game.state_after(moves))]
                self._learn(leaf, high, answer)
            except (UserError, LookupError, TypeError, ValueError, AttributeError, OverflowError):
                raise UserError(
                    f"{keeper.path} is damaged: its result {self.from_before + 1} is none of this proof; remove the file, "
                    "or name another --file"
                ) from None
            self.from_before += 1
        self.keeper = keeper
        self.seconds = self._seconds_before = keeper.seconds()

    def ready(self, programs: list[str]) -> None:
        pass  # there are none

    def transaction(self) -> AbstractContextManager[Any]:
        return nullcontext() if self.keeper is None else self.keeper.together()

    def _job_seed(self, leaf: TopNode) -> int:
        return int.from_bytes(hashlib.sha256(f"{self._seed}/{leaf.moves}".encode()).digest()[:8], "big") >> 1

    # -- the next leaf -----------------------------------------------------------------------------------------------
    def _descend(self, node: TopNode, above: list[TopNode]) -> list[TopNode] | None:
        """The way to the leaf to search next; None if all that matter are under way."""
        path = [*above, node]
        if node.children is None:
            return None if node.is_sent else path
        for child in sorted(dict.fromkeys(node.children.values()), key=self._rank(node)):
            if child.lower < self._high <= child.upper and child not in path:
                found = self._descend(child, path)
                if found is not None:
                    return found
        return None

    def _thresholds(self, path: list[TopNode]) -> tuple[float, float]:
        """The numbers beyond which another leaf is the most proving one (Nagai 2002): a job that gets there ends. PATIENCE
        times as much is allowed, so that jobs do not go to and fro.
        """
        proof = disproof = LARGEST
        for node, child in pairwise(path):
            others = {other for other in (node.children or {}).values() if other is not child}
            if node.to_play == rules.FIRST:
                proof = min(proof, PATIENCE * min((other.proof for other in others), default=LARGEST) + 1.0)
                disproof = max(1.0, disproof - sum(other.disproof for other in others if other.disproof < math.inf))
            else:
                disproof = min(disproof, PATIENCE * min((other.disproof for other in others), default=LARGEST) + 1.0)
                proof = max(1.0, proof - sum(other.proof for other in others if other.proof < math.inf))
        return min(proof, LARGEST), min(disproof, LARGEST)

    def _rank(self, node: TopNode) -> Callable[[TopNode], float]:
        """What is left to prove for the player to move; each job under way makes it as much more."""
        if node.to_play == rules.FIRST:
            return lambda child: child.proof * (1 + child.under_way)
        return lambda child: child.disproof * (1 + child.under_way)

    def _ask(self) -> None:
        """Chooses the question whose answer seems nearest: of the lowest, the middle and the highest v that is open.

        It is chosen anew when it has been answered, and when twice the playouts have been made.
        """
        root = self._root
        is_open = root.lower < self._high <= root.upper and self._asked_at > 0
        if root.is_decided or (is_open and self.playouts < 2 * self._asked_at):
            return
        self._asked_at = max(1, self.playouts)
        efforts = {}
        for high in {root.lower + 1, (root.lower + root.upper + 1) // 2, root.upper}:
            self._number_all(high)
            efforts[high] = min(root.proof, root.disproof)
        self._high = min(sorted(efforts), key=efforts.__getitem__)
        self._number_all(self._high)

    def _number_all(self, high: int) -> None:
        for node in sorted(self._top.values(), key=lambda node: -len(node.moves)):
            node.number(high)

    # -- what a job has found ------------------------------------------------------------------------------------------
    def _learn(self, leaf: TopNode, high: int, answer: dict[str, Any]) -> None:
        self.jobs += 1
        self.playouts += answer["playouts"]
        self.nodes += answer["nodes"]
        leaf.best = answer["best"]
        if answer["part"] is not None:
            leaf.parts.append(answer["part"])
        self._narrow(leaf, answer["lower"], answer["upper"])
        is_open = leaf.lower < high <= leaf.upper and leaf.children is None
        self._renew_above(self._expand(leaf, high, answer["children"]) if is_open else [leaf])
        self._ask()

    def _narrow(self, node: TopNode, lower: int, upper: int) -> None:
        if not (node.lower <= upper and lower <= node.upper):
            raise UserError("jobs have proven what contradicts each other: one of the machines has a fault")
        node.lower, node.upper = max(node.lower, lower), min(node.upper, upper)

    def _expand(self, node: TopNode, high: int, told: list[list[Any]]) -> list[TopNode]:
        """Makes nodes of the moves that a job has told of, and of theirs; returns those that are new or have changed."""
        found = {int(move): rest for move, *rest in told}
        with np.errstate(over="ignore"):
            state = self.game.state_after(node.moves)
            legal = self.game.legal_moves(state)
        if not found or not self._setup["flags"]["prunes"]:
            found = {move: found.get(move, [*self.game.outcomes, 1.0, 1.0, []]) for move in legal}
        elif not found.keys() <= set(legal):
            raise UserError("a job tells of a move that is not legal: one of the machines has a fault")
        node.children, changed = {}, [node]
        for move, (lower, upper, proof, disproof, below) in found.items():
            moves = (*node.moves, move)
            child = node.children[move] = self._node(moves, node.depth + 1, state)
            child.parents.append(node)
            child.found.setdefault(high, (proof, disproof))
            self._narrow(child, lower, upper)
            changed.append(child)
            is_new = child.moves == moves and child.children is None and not child.is_sent  # an image has images of the moves
            if below and is_new and child.lower < high <= child.upper:
                changed += self._expand(child, high, below)
        return changed

    def _renew_above(self, changed: Sequence[TopNode]) -> None:
        """Bounds and numbers from those of the moves, upwards as long as something changes, later positions first. Where
        positions repeat, numbers could grow without end, so each node is only numbered once.
        """
        waiting = {id(node): node for node in changed}
        told = set(waiting)
        heap = [(-len(node.moves), mark) for mark, node in waiting.items()]
        heapq.heapify(heap)
        numbered: set[int] = set()
        while heap:
            mark = heapq.heappop(heap)[1]
            node = waiting.pop(mark)
            before = node.lower, node.upper
            if node.children is not None:
                best = max if node.to_play == rules.FIRST else min
                node.lower = max(node.lower, best(child.lower for child in node.children.values()))
                node.upper = min(node.upper, best(child.upper for child in node.children.values()))
            is_first = mark not in numbered
            is_new = is_first and node.number(self._high)
            numbered.add(mark)
            if is_new or (is_first and mark in told) or (node.lower, node.upper) != before:
                for parent in node.parents:
                    if id(parent) not in waiting:
                        waiting[id(parent)] = parent
                        heapq.heappush(heap, (-len(parent.moves), id(parent)))

    # -- the answer --------------------------------------------------------------------------------------------------
    def result(self) -> Result:
        """What is known of the root, as a search tells it."""
        root = self._root
        low, high = self.game.outcomes
        value = (root.lower + root.upper) / 2.0
        return Result(
            to_move=root.to_play,
            playouts=self.playouts,
            nodes=self.nodes,
            seconds=self.seconds,
            best_move=self._best_move(),
            value=value,
            lower=root.lower,
            upper=root.upper,
            proven=root.is_decided,
            interrupted=self.interrupted,
            value_range=(float(low), float(high)),
            best_value=value,
        )

    def _best_move(self) -> int | None:
        """A move that keeps what is proven, and of these the one with the least left to prove."""
        root = self._root
        if root.children is None:
            return root.best

        def worth(item: tuple[int, TopNode]) -> tuple[float, float]:
            child = item[1]
            return (child.lower, -child.proof) if root.to_play == rules.FIRST else (-child.upper, -child.disproof)

        return max(root.children.items(), key=worth)[0]

    def certificate(self, on_progress: Progress | None = None, pure: bool = False) -> Certificate:
        """One certificate out of the parts."""
        flags = self._setup["flags"]
        make = PlainRules if pure else CompiledRules
        game_rules = make(self.game, flags["initial_bounds"], flags["symmetry"])
        root = self._root

        def parts(key: Key) -> list[Certificate]:
            node = self._top.get(key)
            return [] if node is None else [read_part(part) for part in node.parts]

        return combine(game_rules, root.moves, root.lower, root.upper, flags["connections"], parts, self._top.get, on_progress)

"""A strategy out of a search's tree: the move to name wherever the claim's player is to move.

The search knows bounds, not strategies. A node's bounds may rest on its children, on the rules, on an equal position in
another branch, or on a subtree that has since been dropped. So the tree is first surveyed (proof/write/survey.py): nodes are
grouped into positions, and for each position the smallest proof in the tree is measured. Then a move is chosen by the
position it leads to. Where the tree has no proof left, the position is searched again.

Nothing here needs to be trusted: the result is a sequence of moves, and the checker's walk finds out whether they prove
the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import compiled
from tesuji.core.records import without_gaps
from tesuji.proof.trusted.claims import Claim
from tesuji.proof.trusted.connections import Step
from tesuji.proof.trusted.plain_rules import PlainRules
from tesuji.proof.trusted.walk import ALL_MOVES, Walk
from tesuji.proof.write.survey import (
    NOT_PROVEN,
    PROOF_DROPPED,
    count_symmetries,
    follow_moves,
    list_moves,
    make_image,
    measure_proofs,
    name_positions,
    survey_tree,
)
from tesuji.search.kernel.tree import USED

if TYPE_CHECKING:
    from tesuji.search.engine.tree_search import Result, TreeSearch

FIRST_TRY = 1000  # playouts of the first attempt to prove a position again; each further attempt is twice as long
FIRST_MEMORY = 2.0  # MiB of the first attempt
AGAIN_PLAYOUTS = 50_000_000  # playouts after which a position counts as not provable


class CompiledRules(PlainRules):
    """The same answers as the plain rules, from compiled code: for the writer, which need not be trusted."""

    def __init__(self, game: Game, initial_bounds: bool, symmetry: bool):
        super().__init__(game, initial_bounds, symmetry)
        self._use_bounds = initial_bounds
        self._chosen = np.zeros(game.buffer_size, np.int32)
        self._list_moves = compiled(list_moves)
        self._follow_moves = compiled(follow_moves)
        if self._image is not None:
            self._symmetries, self._image = compiled(count_symmetries), compiled(make_image)

    def legal_moves(self, state: State) -> list[int]:
        return self._move_buffer[: self._list_moves(state, self._move_buffer)].tolist()

    def after(self, state: State, moves: Sequence[int]) -> tuple[np.ndarray, list[Any]]:
        count = len(moves)
        self._chosen[:count] = moves
        children = np.zeros(count, state.dtype)
        views = np.zeros((count, 3), np.int64)
        self._follow_moves(state, self._chosen, count, children, views, self.lowest, self.highest, self._use_bounds)
        return children, views.tolist()


class Survey:
    """What the nodes of a tree stand for: `names` are the positions in it (64 bits each), `group` says which one a node is."""

    def __init__(self, search: TreeSearch, initial_bounds: bool, symmetry: bool):
        game = search.game
        self.nodes = search.tree.nodes
        self.used = int(search.tree.counters[USED])
        lowest, highest = game.outcomes
        self.view = np.empty((self.used, 3), np.int32)
        self.view[:] = (lowest, highest, rules.FIRST)
        self.complete = np.zeros(self.used, np.bool_)
        names = np.zeros(self.used, np.uint64)
        states = np.zeros(game.max_plies + 2, game.initial.dtype)
        states[:1] = without_gaps(search.state)
        kernel_of(search, survey_tree)(
            self.nodes,
            states,
            bytes_of(states),
            np.zeros(game.buffer_size, np.int32),
            np.zeros(len(states), np.int64),
            np.zeros(len(states), np.int64),
            lowest,
            highest,
            initial_bounds,
            game.shares_bounds,
            symmetry,
            np.zeros(1, states.dtype),
            names,
            self.view,
            self.complete,
        )
        self._measure = kernel_of(search, measure_proofs)
        self.names, group = np.unique(names, return_inverse=True)
        self.group = group.astype(np.int32)

    def proof_sizes(self, claim: Claim, trust: float = PROOF_DROPPED, pruned: float = NOT_PROVEN) -> np.ndarray:
        """For each position the size of the smallest proof of the claim in the tree, NOT_PROVEN if there is none.

        `trust` and `pruned` are what positions and moves count for that the tree does not show (`measure_proofs`).
        """
        size = np.zeros(len(self.names), np.float64)
        trusted = np.zeros(len(self.names), np.bool_)
        tree = self.nodes, self.used, self.group, self.view, self.complete
        self._measure(*tree, claim.player, claim.bound, float(trust), float(pruned), size, trusted)
        return size


class TreeStrategy:
    """Follows the smallest proofs in a search's tree through the checker's walk, and writes down the choices.

    search, survey            a finished search, and what its nodes stand for
    claim, walk               what is to be proven, and the walk that asks for choices
    initial_bounds, symmetry  whether the proof may rely on bounds and images that the rules give
    playouts                  the most that a search takes which proves a position again
    """

    def __init__(
        self,
        search: TreeSearch,
        survey: Survey,
        claim: Claim,
        walk: Walk,
        initial_bounds: bool,
        symmetry: bool,
        playouts: int,
    ):
        self.search = search
        self.claim = claim
        self.walk = walk
        self.initial_bounds = initial_bounds
        self.symmetry = symmetry
        self.playouts = playouts
        self.choices: list[int] = []
        self.searches = 0  # positions that had to be searched again
        self._names = survey.names
        self._sizes = self._measured(survey)
        self._again: dict[int, float] = {}  # sizes of proofs by name of the position, from positions searched again
        self._name_positions = kernel_of(search, name_positions)
        self._image_buffer = np.zeros(1, search.state.dtype)

    def visit(self, state: State, moves: Sequence[int], chooses: bool) -> int:
        """What the walk calls (see walk.Strategy)."""
        costs = self._costs(state, moves)
        cost = min(costs) if chooses else max(costs)
        if cost == NOT_PROVEN:
            self._search_again(state)
            costs = self._costs(state, moves)
            cost = min(costs) if chooses else max(costs)
            if cost == NOT_PROVEN:
                raise UserError(f"no certificate: {self.claim} was proven again for a position, but not by its moves")
        if not chooses:
            return ALL_MOVES
        choice = costs.index(cost)
        self.choices.append(choice)
        return choice

    def connect(self, state: State) -> Sequence[Step]:
        return ()  # a proof without connections: never asked

    def _measured(self, survey: Survey, again: TreeSearch | None = None) -> np.ndarray:
        """The sizes of the proofs in a tree: the search's own, or that of another search."""
        return survey.proof_sizes(self.claim)

    def _costs(self, state: State, moves: Sequence[int]) -> list[float]:
        """What a proof of the claim after each move would add to the certificate, NOT_PROVEN if the trees have none."""
        children, views = self.walk.rules.after(state, moves)
        count = len(moves)
        names = np.zeros(count, np.uint64)
        octets, hashed = bytes_of(children), self.search.game.shares_bounds
        self._name_positions(children, octets, count, hashed, self.symmetry, self._image_buffer, names)
        places = np.searchsorted(self._names, names)
        places[places == len(self._names)] = 0
        sizes = np.where(self._names[places] == names, self._sizes[places], NOT_PROVEN).tolist()
        records, size = children.tobytes(), children.dtype.itemsize
        costs = []
        for i in range(count):
            lower, upper, _ = views[i]
            if self.claim.holds(lower, upper):
                costs.append(0.0)
                continue
            key = self.walk.rules.key(children[i], records[i * size : i * size + size])
            if self.walk.proven.get(key, False):
                costs.append(0.0)
            elif self._again:
                costs.append(min(sizes[i], self._again.get(int(names[i]), NOT_PROVEN)))
            else:
                costs.append(sizes[i])
        return costs

    def _search_again(self, state: State) -> TreeSearch:
        """Proves the claim for a position anew, and takes over what the new tree holds."""
        again, spent = self._find_again(state, self.search.policy, self.playouts)
        if again is None:
            raise UserError(
                f"no certificate: a part of the proof of {self.claim} is not in the tree, and {spent} playouts "
                "did not find it again; search with more memory"
            )
        return again

    def _find_again(self, state: State, policy: Any, playouts: int) -> tuple[TreeSearch | None, int]:
        """A search by this policy that proves the claim, None if it takes more playouts than these; and how many it took.

        It begins with little memory, which a processor's cache likes: most positions that are missing have small proofs.
        """
        self.searches += 1
        old = self.search
        game = old.game
        limit = old.settings["memory"]
        memory = min(limit, max(FIRST_MEMORY, game.buffer_size / 4096))
        spent = 0
        while True:
            # A certificate cannot rely on the policy's pruning or bounds, so this search tries every move, unless the policy
            # can explain these.
            values = {"memory": memory, "initial_bounds": self.initial_bounds, "solver": "bounds"}
            values |= {} if self.walk.connections else {"pruning": False}
            settings = old.settings.overridden(values)
            again = type(old)(game, state, settings, policy, old.seed, old.pure, type(old.rule))
            result = self._run(again, playouts - spent, stop_when_full=memory < limit)
            spent += result.playouts
            if self.claim.holds(result.lower, result.upper):
                break
            if result.proven or spent >= playouts:
                return None, spent
            memory = min(limit, memory * 8)
        survey = Survey(again, self.initial_bounds, self.symmetry)
        sizes = self._measured(survey, again)
        is_proven = sizes < NOT_PROVEN
        self._again.update(zip(survey.names[is_proven].tolist(), sizes[is_proven].tolist(), strict=True))
        return again, spent

    def _run(self, search: TreeSearch, playouts: int, stop_when_full: bool) -> Result:
        """Searches until the claim is proven, or nothing is left to prove, or the limits are reached."""
        step = FIRST_TRY
        result = search.result(with_moves=False)
        while not self.claim.holds(result.lower, result.upper):
            if result.proven or result.playouts >= playouts or (result.full and stop_when_full):
                break
            result = search.run(Limits(playouts=min(step, playouts - result.playouts)), with_moves=False)
            step *= 2
        return result


def bytes_of(states: np.ndarray) -> np.ndarray:
    """The same memory as rows of bytes."""
    return states.view(np.uint8).reshape(len(states), -1)


def kernel_of(search: TreeSearch, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel as the search runs its own: compiled, or as plain Python (where hashes overflow on purpose)."""
    return np.errstate(over="ignore")(kernel) if search.pure else compiled(kernel)

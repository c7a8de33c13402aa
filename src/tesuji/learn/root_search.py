"""How a search of self-play looks at its root, and what is learned from it.

A search that plays as well as it can looks at few moves, and learns little of the others. So moves of the root are made to be
tried here, beside what the selection rule chooses: by noise and forced playouts (Silver et al. 2017; Wu 2019, "Accelerating
self-play learning in Go"), or by sampling moves and halving their number (Danihelka et al. 2022, "Policy improvement by
planning with Gumbel"). What was only forced is taken out of what is learned. What the search has proven is learned as it is:
the exact value, and of moves the best ones alone.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

from tesuji.core.game import Game
from tesuji.core.limits import Limits
from tesuji.learn.records import SearchedMove
from tesuji.search.engine.final_move import Result, children_of, is_pruned, node_value
from tesuji.search.kernel.tree import ROOT

LEAST_SHARE = 0.01  # of the visits: moves with less are left out of what is learned
NOISE_GAMES = 10.0  # the sum of the parameters of the noise's Dirichlet distribution, whatever the number of moves
FORCED_PARTS = 4  # of a search: before each it is said anew how often a move is to be visited
SMALLEST = 1e-6  # of a prior that a logarithm is taken of
# Of Danihelka et al.: how much a difference of values counts beside one of logits.
VALUE_VISITS, VALUE_SCALE = 50.0, 1.0
WIN, DRAW, LOSS = 1.0, 0.5, 0.0


@dataclass(frozen=True)
class RootMove:
    """A move of the root after a search, for the player to move."""

    move: int
    visits: int
    prior: float
    value: float  # from 0 to 1; of a move without visits the middle of its bounds
    exact: float | None  # WIN, DRAW or LOSS, if that is proven
    at_most: float  # the best result that is not refuted: WIN, DRAW or LOSS


@dataclass(frozen=True)
class Exploration:
    """How the moves of a root are made to be tried. The search itself is that of the player."""

    method: str = "forced"  # or gumbel
    noise: float = 0.25  # share of noise in the priors of the root
    forced: float = 2.0  # k: a move is visited sqrt(k P N) times at least, P its prior and N the playouts; 0 = none is forced
    considered: int = 16  # moves that gumbel begins with


@dataclass(frozen=True)
class Searched:
    """One search of self-play: its result, the move to be made, and what is learned from it."""

    result: Result
    move: int
    learned: SearchedMove
    exact: float | None  # WIN, DRAW or LOSS for the player to move, if that is proven


class RootSearch:
    """Searches for self-play, by one player of one game."""

    def __init__(self, exploration: Exploration, learns_proofs: bool = True):
        self.exploration = exploration
        self.learns_proofs = learns_proofs

    def quick(self, engine: Any, playouts: int) -> Searched:
        """A search of which only the move is needed: as the player plays, without noise."""
        result = engine.run(Limits(playouts=playouts), with_moves=False)
        moves = root_moves(engine, result)
        return self._searched(engine, result, moves, visit_shares(moves))

    def full(self, engine: Any, playouts: int, chance: random.Random) -> Searched:
        """A search to be learned from."""
        engine.run(Limits(playouts=1), with_moves=False)  # so that the root has its moves
        moves, exploration = root_moves(engine, engine.result(with_moves=False)), self.exploration
        if len(moves) < 2:
            return self.quick(engine, playouts)
        if exploration.method == "gumbel":
            return self._halving(engine, playouts, chance)
        engine.set_root_priors(noisy_priors(moves, exploration.noise, chance))
        left = max(1, playouts - 1)
        for part in range(FORCED_PARTS, 0, -1):
            now = -(-left // part)
            left -= now
            if exploration.forced > 0.0:
                engine.set_root_goals(self._goals(engine, now))
            if now:
                engine.run(Limits(playouts=now), with_moves=False)
        engine.set_root_goals({})
        result = engine.result(with_moves=False)
        moves = root_moves(engine, result)
        kept = pruned_visits(moves, exploration.forced, engine.rule.exploration) if exploration.forced > 0.0 else None
        return self._searched(engine, result, moves, visit_shares(moves, kept))

    def _goals(self, engine: Any, playouts: int) -> dict[int, int]:
        """How often each move that was visited at all is to be visited, by the end of so many playouts."""
        moves = root_moves(engine, engine.result(with_moves=False))
        visits = sum(one.visits for one in moves) + playouts
        return {one.move: forced_visits(one, self.exploration.forced, visits) for one in moves if one.visits > 0}

    # -- Gumbel --------------------------------------------------------------------------------------------------------
    def _halving(self, engine: Any, playouts: int, chance: random.Random) -> Searched:
        """Samples moves without replacement by their priors, and shares the playouts out in rounds, after each of which the
        better half of them goes on."""
        result = engine.result(with_moves=False)
        moves = root_moves(engine, result)
        noise = {one.move: -math.log(-math.log(max(chance.random(), SMALLEST))) for one in moves}
        going_on = sorted(moves, key=lambda one: -(noise[one.move] + logit(one)))[: self.exploration.considered]
        rounds = max(1, math.ceil(math.log2(max(2, len(going_on)))))
        left = max(1, playouts - 1)
        chosen = [one.move for one in going_on]
        for number in range(rounds):
            each = max(1, left // ((rounds - number) * len(chosen)))
            visits = {one.move: one.visits for one in moves}
            count = min(left, each * len(chosen))
            if count < 1 or engine.is_finished():
                break
            engine.set_root_goals({move: visits.get(move, 0) + each for move in chosen})
            result = engine.run(Limits(playouts=count), with_moves=False)
            left -= count
            moves = root_moves(engine, result)
            scores = completed(moves, result.chance(result.value))
            chosen.sort(key=lambda move: -(noise[move] + scores[move]))
            chosen = chosen[: max(1, (len(chosen) + 1) // 2)]
        engine.set_root_goals({})
        scores = completed(moves, result.chance(result.value))
        highest = max(scores.values())
        weights = {move: math.exp(score - highest) for move, score in scores.items()}
        searched = self._searched(engine, result, moves, shares_of(weights))
        return searched if result.proven or chosen[0] not in weights else _with_move(searched, chosen[0])

    # -- what is learned -----------------------------------------------------------------------------------------------
    def _searched(self, engine: Any, result: Result, moves: list[RootMove], shares: dict[int, float]) -> Searched:
        exact = exact_value(engine.game, result)
        best = int(result.best_move or 0)
        if self.learns_proofs:
            shares = exact_shares(moves, shares)
        value = result.chance(result.best_value)
        learned = SearchedMove(value, tuple((shares or {best: 1.0}).items()))
        if exact is not None and self.learns_proofs:
            learned = SearchedMove(exact, learned.shares, proven=True)
        return Searched(result, best, learned, exact)


def _with_move(searched: Searched, move: int) -> Searched:
    return Searched(searched.result, move, searched.learned, searched.exact)


# -- the moves of the root ---------------------------------------------------------------------------------------------------
def root_moves(engine: Any, result: Result) -> list[RootMove]:
    """The moves of the root that the policy has not pruned."""
    tree, game, moves = engine.tree, engine.game, []
    for child in children_of(tree, ROOT):
        if is_pruned(tree, child):
            continue
        node = tree.nodes[child]
        lower, upper = int(node["lower"]), int(node["upper"])
        worst, best = (outcome_value(game, result.to_move, bound) for bound in (lower, upper))
        worst, best = min(worst, best), max(worst, best)
        value = result.chance(node_value(engine, child))
        exact = worst if worst == best else None
        moves.append(RootMove(int(node["move"]), int(node["visits"]), float(node["prior"]), value, exact, best))
    return moves


def outcome_value(game: Game, to_move: int, outcome: int) -> float:
    """What an outcome is for the player to move: WIN, DRAW or LOSS."""
    winner = game.winner(outcome, outcome)
    if winner is None or winner < 0:
        return DRAW
    return WIN if winner == to_move else LOSS


def exact_value(game: Game, result: Result) -> float | None:
    """What a search has proven the root to be for the player to move: WIN, DRAW or LOSS; None if that is open."""
    values = {outcome_value(game, result.to_move, bound) for bound in (result.lower, result.upper)}
    return values.pop() if len(values) == 1 else None


def exact_shares(moves: list[RootMove], shares: dict[int, float]) -> dict[int, float]:
    """Shares without moves that are proven to be worse than another. Where the best result is certain, the moves that are known
    to reach it have equal shares: proven moves get no more visits, so visits say nothing of them. Where all moves lose, the
    shares stay: the most visited one resisted longest."""
    secured = max((one.exact for one in moves if one.exact is not None), default=None)
    highest = max((one.at_most for one in moves), default=LOSS)
    if secured is None or highest == LOSS:
        return shares
    if highest == secured:
        best = [one.move for one in moves if one.exact == secured]
        return dict.fromkeys(best, 1.0 / len(best))
    worse = {one.move for one in moves if one.at_most < secured or one.exact == LOSS}
    left = {move: share for move, share in shares.items() if move not in worse}
    return shares_of(left) if left else shares


# -- visits ------------------------------------------------------------------------------------------------------------------
def noisy_priors(moves: list[RootMove], share: float, chance: random.Random) -> dict[int, float]:
    """The priors of the root with noise of a Dirichlet distribution."""
    drawn = [chance.gammavariate(NOISE_GAMES / len(moves), 1.0) for _ in moves]
    total = sum(drawn) or 1.0
    return {one.move: (1.0 - share) * one.prior + share * noise / total for one, noise in zip(moves, drawn, strict=True)}


def forced_visits(one: RootMove, forced: float, visits: int) -> int:
    return int(math.sqrt(forced * one.prior * visits))


def pruned_visits(moves: list[RootMove], forced: float, exploration: float) -> dict[int, int]:
    """Visits without those that were only forced: of each move but the most visited, as many are taken away, up to the number
    that was forced, as leave it worth less to PUCT than the most visited one."""
    total = sum(one.visits for one in moves)
    if total == 0:
        return {}
    leader = max(moves, key=lambda one: one.visits)
    root = math.sqrt(total)
    aim = leader.value + exploration * leader.prior * root / (1.0 + leader.visits)
    kept = {}
    for one in moves:
        visits = one.visits
        if one is not leader:
            least = visits - forced_visits(one, forced, total)
            lacking = aim - one.value
            enough = math.ceil(exploration * one.prior * root / lacking - 1.0) if lacking > 0.0 else visits
            visits = min(visits, max(least, enough, 0))
            visits = 0 if visits <= 1 else visits
        kept[one.move] = visits
    return kept


def visit_shares(moves: list[RootMove], visits: dict[int, int] | None = None) -> dict[int, float]:
    counts = {one.move: one.visits for one in moves} if visits is None else visits
    least = LEAST_SHARE * sum(counts.values())
    return shares_of({move: float(count) for move, count in counts.items() if count > least})


def shares_of(weights: dict[int, float]) -> dict[int, float]:
    """The weights as shares of their sum, small ones left out; nothing if all are 0."""
    total = sum(weights.values())
    kept = {move: weight for move, weight in weights.items() if weight > LEAST_SHARE * total}
    total = sum(kept.values())
    return {move: weight / total for move, weight in kept.items()}


def logit(one: RootMove) -> float:
    return math.log(max(one.prior, SMALLEST))


def completed(moves: list[RootMove], value: float) -> dict[int, float]:
    """Logits of the improved policy: that of the prior, and the value of the move, which for a move without visits is what is
    expected of the root."""
    most = max(one.visits for one in moves)
    known = {one.move: one.value if one.visits or one.exact is not None else value for one in moves}
    return {one.move: logit(one) + (VALUE_VISITS + most) * VALUE_SCALE * known[one.move] for one in moves}

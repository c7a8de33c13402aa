"""Writing a certificate: the strategies come out of a search's tree, and go through the same walk that will check them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.game import Game, State
from tesuji.core.records import record_bytes
from tesuji.proof.budget import Budget
from tesuji.proof.trusted.claims import Claim
from tesuji.proof.trusted.format import Certificate, save_certificate
from tesuji.proof.trusted.plain_rules import PlainRules
from tesuji.proof.trusted.walk import Progress, Walk
from tesuji.proof.write.certificate import certificate_of
from tesuji.proof.write.connection_strategy import ConnectionStrategy
from tesuji.proof.write.strategy import AGAIN_PLAYOUTS, CompiledRules, Survey, TreeStrategy
from tesuji.search.engine.canonical import image_of
from tesuji.search.policy import connection_finder

if TYPE_CHECKING:
    from tesuji.search.engine.tree_search import TreeSearch


def write_certificate(
    search: TreeSearch,
    path: str | Path,
    lower: int | None = None,
    upper: int | None = None,
    moves: Sequence[int] = (),
    initial_bounds: bool | None = None,
    symmetry: bool | None = None,
    on_progress: Progress | None = None,
    playouts: int = AGAIN_PLAYOUTS,
) -> dict[str, Any]:
    """Writes a proof of lower <= value <= upper for the search's position; None stands for what the search has proven.

    lower, upper    the claim, outcomes for player 0; no tighter than what the search has proven
    moves           from the start of the game to the search's position, or to one of which that is an image
    initial_bounds  whether the proof may rely on bounds that the rules give; None = as the search did
    symmetry        whether it may rely on symmetries of the game; None = as the search did
    on_progress     is called with (positions so far, 0): how many there will be is unknown
    playouts        the most for each part of the proof that is not in the tree, and has to be searched again

    Returns what was written: path, bytes, nodes, choices, lower, upper, initial_bounds, symmetry, connections, and searches,
    the number of positions that were searched again.
    """
    certificate, searches = make_certificate(search, lower, upper, moves, initial_bounds, symmetry, on_progress, playouts)
    size = save_certificate(path, certificate)
    header = certificate.header
    return {
        "path": str(path),
        "bytes": size,
        "nodes": header.nodes,
        "choices": len(certificate.choices),
        "lower": header.lower,
        "upper": header.upper,
        "initial_bounds": header.initial_bounds,
        "symmetry": header.symmetry,
        "connections": header.connections,
        "searches": searches,
    }


def make_certificate(
    search: TreeSearch,
    lower: int | None = None,
    upper: int | None = None,
    moves: Sequence[int] = (),
    initial_bounds: bool | None = None,
    symmetry: bool | None = None,
    on_progress: Progress | None = None,
    playouts: int = AGAIN_PLAYOUTS,
    max_nodes: int | None = None,
    budget: Budget | None = None,
) -> tuple[Certificate, int]:
    """The certificate, and the number of positions that were searched again for it.

    The arguments are those of `write_certificate`. A UserError if the proof would have more than `max_nodes` positions, or its
    walk would take more than the `budget`.
    """
    game = search.game
    lower, upper = _check_claim(search, lower, upper)
    use_bounds = bool(search.options.proof.initial_bounds if initial_bounds is None else initial_bounds)
    use_bounds = use_bounds and rules.bounds.is_implemented(game.initial.dtype)
    use_symmetry = game.has_symmetries and bool(search.settings.get("symmetry", True) if symmetry is None else symmetry)
    moves, state = _check_moves(search, moves, use_symmetry)
    connections = rests_on_connections(game, search.policy)
    # Cells have no images, so nobody could walk through a proof by connections that uses these. A tree knows positions by them.
    game_rules = (PlainRules if search.pure else CompiledRules)(game, use_bounds, use_symmetry and not connections)
    make = ConnectionStrategy if connections else TreeStrategy
    walk = Walk(state, game_rules, max_nodes, connections, budget)
    walk.on_progress = on_progress
    with np.errstate(over="ignore"):
        survey = Survey(search, use_bounds, use_symmetry)
    strategies: list[TreeStrategy] = []

    def strategy_of(claim: Claim) -> TreeStrategy:
        strategies.append(make(search, survey, claim, walk, use_bounds, use_symmetry, playouts))
        return strategies[-1]

    certificate = certificate_of(walk, moves, lower, upper, strategy_of)
    return certificate, sum(strategy.searches for strategy in strategies)


def rests_on_connections(game: Game, policy: Any) -> bool:
    """Whether proofs are by connections: where the rules have them, and the policy finds them."""
    return rules.neighbours.is_implemented(game.initial.dtype) and connection_finder.is_implemented(type(policy))


def _check_moves(search: TreeSearch, moves: Sequence[int], symmetry: bool) -> tuple[tuple[int, ...], State]:
    """The moves, and the position that they lead to: that of the search or, with symmetries, one whose image that is."""
    numbers = tuple(int(move) for move in moves)
    state = search.game.state_after(numbers)
    images = [image_of(state, number) for number in range(int(rules.symmetries(state)))] if symmetry else []
    if record_bytes(search.state) not in [record_bytes(one) for one in (state, *images)]:
        raise UserError("no certificate: these moves do not lead to the position that was searched")
    return numbers, state


def _check_claim(search: TreeSearch, lower: int | None, upper: int | None) -> tuple[int, int]:
    """The bounds to prove; they must be no tighter than what the search has proven."""
    game: Game = search.game
    lowest, highest = game.outcomes
    result = search.result(with_moves=False)
    lower = result.lower if lower is None else int(lower)
    upper = result.upper if upper is None else int(upper)
    if not (lowest <= lower <= result.lower and result.upper <= upper <= highest):
        raise UserError(f"no certificate of {lower} .. {upper}: the search has proven {result.lower} .. {result.upper}")
    if lower == lowest and upper == highest and lowest < highest:
        raise UserError(
            f"no certificate: nothing is proven but that the value is within the game's range {lowest} .. {highest}"
        )
    return lower, upper

"""What a policy may supply to the alpha-beta engine besides `evaluate` (search/policy.py). Every operation has a default.

All of them are chosen by the policy, not by the game: what the engine does then follows from the types it is compiled for.
"""

from __future__ import annotations

from tesuji.core.dispatch import operation_with_default
from tesuji.core.rules import position_hash


@operation_with_default
def search_hash(policy, state):
    """The key of the position in the engine's table; 0 = none. The default is the rules' own, exact hash.

    A policy may leave out of it which positions have been there before, so that more of them meet in the table. It then
    holds wins and losses only for as long as the root stays (docs/proving.md). Who is to move, and whatever else may change
    the outcome, must be in it: a counter of moves to a draw at least where it is near its end.
    """
    return position_hash(state)


@operation_with_default
def known_bounds(policy, state, lowest, highest):
    """The bounds (lower, upper) of the outcome that the policy can prove of a position that is not over, for player 0."""
    return lowest, highest


@operation_with_default
def noisy_moves(policy, state, out):
    """Writes the moves that must be tried before the position can be evaluated; returns how many. 0 = it is quiet."""
    return 0


@operation_with_default
def skip_turn(policy, state):
    """Gives the turn to the other player without a move, for the null move; False (and nothing changed) if impossible."""
    return False


@operation_with_default
def move_order(policy, state, move):
    """Above 0: tried early, the highest first; 0: by killers and history; below 0: tried last. A number within a million."""
    return 0.0


@operation_with_default
def transition_probability(policy, state, move):
    """How likely a good player makes the move when it can be made, within (0, 1]; 0 = not known, which costs one ply."""
    return 0.0


@operation_with_default
def rate_order(policy, state, candidates, count, orders, chances):
    """`move_order` and `transition_probability` of all moves at once, for policies that can share work between them.

    state        the position
    candidates   int32[at least count]: the moves
    count        how many
    orders       float64[at least count]: becomes their `move_order`
    chances      float64[at least count]: becomes their `transition_probability`
    """
    for i in range(count):
        orders[i] = move_order(policy, state, candidates[i])
        chances[i] = transition_probability(policy, state, candidates[i])

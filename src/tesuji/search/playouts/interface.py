"""What a chooser of playout moves is: it stands between the playout and the policy, and may learn from every simulation.

A chooser is a NamedTuple of constants; its class selects the implementation of the operations below, so a search that leaves
all to its policy has none of this in its code. What a chooser learns is each thread's own (`Scratch.learned`): no locks, and
memory that does not grow.
"""

from __future__ import annotations

from typing import NamedTuple

from tesuji.core.dispatch import implements, kernel, operation_with_default
from tesuji.search.policy import playout_move

NO_MOVE = -1


class ByPolicy(NamedTuple):
    """The policy makes every move, and nothing is learned."""

    nothing: int = 0


@operation_with_default
def chosen_move(chooser, policy, notes, state, scratch, start, ply):
    """The move that a playout makes; NO_MOVE from a part of a chooser that has no opinion.

    notes   this thread's record for the policy
    start   the length of the game when the playout began
    ply     its length now; scratch.history and scratch.movers have the moves before
    """
    return playout_move(policy, notes, state, scratch.rng)


@operation_with_default
def safe_move(chooser, state, scratch, start, ply, move):
    """Instead of a chosen move, another one where that would lose at once."""
    return move


@operation_with_default
def leaves_all_to_policy(chooser):
    """Whether the policy makes every move: it may then play whole games in one go."""
    return True


@operation_with_default
def learn_from(chooser, scratch, start, first, length, score):
    """A simulation has ended, of `length` moves (scratch.history, scratch.movers) from the root, with this score for player 0.

    start   the position from which it began, after the first `first` of these moves
    """


# -- several parts -------------------------------------------------------------------------------------------------------
class NoOpinion(NamedTuple):
    """A part of a chooser that is not in use."""

    nothing: int = 0


class Chooser(NamedTuple):
    """A move that wins at once, else the last good reply, else a move by what was learned; but none that loses at once."""

    decisive: NamedTuple
    replies: NamedTuple
    draw: NamedTuple
    memory: float  # MiB a thread for each table of sequences
    decay: float  # the share of what was learned that is left after each move of the game


@implements(chosen_move, NoOpinion)
@kernel
def no_move(chooser, policy, notes, state, scratch, start, ply):
    return NO_MOVE


@implements(chosen_move, Chooser)
def first_opinion(chooser, policy, notes, state, scratch, start, ply):
    move = chosen_move(chooser.decisive, policy, notes, state, scratch, start, ply)
    if move >= 0:
        return move
    move = chosen_move(chooser.replies, policy, notes, state, scratch, start, ply)
    if move < 0:
        move = chosen_move(chooser.draw, policy, notes, state, scratch, start, ply)
    return safe_move(chooser.decisive, state, scratch, start, ply, move)


@implements(leaves_all_to_policy, Chooser)
def chooses(chooser):
    return False


@implements(learn_from, Chooser)
def each_part_learns(chooser, scratch, start, first, length, score):
    learn_from(chooser.replies, scratch, start, first, length, score)
    learn_from(chooser.draw, scratch, start, first, length, score)

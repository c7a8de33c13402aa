"""The vocabulary of rules: the operations that make a game. Each game implements them for its record type.

Point of view: player 0 moves first and maximises the outcome (Max), player 1 minimises it (Min). Outcomes are integers,
always from player 0's point of view. The player to move need not alternate.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import operation, operation_with_default
from tesuji.core.random import below

FIRST = 0  # Max
SECOND = 1  # Min
NO_HASH = np.uint64(0)
FIRST_END, SECOND_END = -1, -2  # what a player joins to win a connection game, as points: see `neighbours`
ENDS = (FIRST_END, SECOND_END)
FREE, NO_CELL = -1, -2  # in place of a cell's holder


@operation
def to_play(state):
    """The player to move: 0 (Max) or 1 (Min). Undefined when the game is over."""


@operation
def moves(state, out):
    """Writes the legal moves, each once, into the int32 array `out` and returns how many; must not change `state`.

    A position that is not over has at least one move; pass is a move. Moves are integers from 0 below the game's
    `move_count`; the same number means the same thing all game long (all-moves-as-first relies on it).
    """


@operation
def play(state, move):
    """Plays a legal move: changes `state` in place."""


@operation
def is_over(state):
    """Whether the game has ended."""


@operation
def outcome(state):
    """The result of a game that is over, an integer for player 0 within the game's range."""


@operation_with_default
def random_move(state, buffer, rng):
    """A legal move as a random game makes it: drawn uniformly, unless the game has a model of random play of its own.

    A game may also implement it because it has a quicker way than the default, which lists all moves.
    """
    return buffer[below(rng, moves(state, buffer))]


@operation_with_default
def bounds(state, lowest, highest):
    """(lower, upper): bounds of the outcome under perfect play, without search. They must be correct.

    Called for positions that are not over. The default knows nothing: the whole range.
    """
    return lowest, highest


@operation_with_default
def neighbours(state, player, cell, out):
    """For connection games: writes the points that a stone of `player` on this cell touches, and returns how many.

    Points are cells, by the number of the move that takes them, and FIRST_END and SECOND_END, the player's two ends. A game
    that implements this, and `holder`, promises that from this position on
    - the players take turns, and whoever is to move takes any one free cell, which is his from then on;
    - a player whose cells join his two ends has won, with the best outcome that there is for him, and his opponent never can.
    Where that is not so (yet), nothing touches anything: the default. For proofs (docs/proofs.md).
    """
    return 0


@operation_with_default
def holder(state, cell):
    """For connection games: who has this cell, 0 or 1, or FREE; NO_CELL if no move of this number takes a cell."""
    return NO_CELL


@operation_with_default
def position_hash(state):
    """64 bits that are equal for equal positions and almost surely differ otherwise; 0 (the default) opts out.

    Two positions are equal if the same future is possible with the same outcomes. A game in which a position can come
    back must opt out, or hash its history.
    """
    return NO_HASH


# -- symmetries --------------------------------------------------------------------------------------------------------------
@operation_with_default
def symmetries(state):
    """How many images a position has, itself (number 0) included: 2 with a mirror, 8 on a square board; 1 is the default.

    An image is another position with the same player to move and the same future: its moves lead to the images of the
    positions that the moves here lead to, and games that are over have equal outcomes. May be 1 where no image of this
    position can come up in the same game: a search then saves the work.
    """
    return 1


@operation_with_default
def image(state, number, out):
    """Changes `out`, a copy of `state`, to the image of that number, 0 .. symmetries(state) - 1; must not change `state`.

    Number 0 is the position itself, but where equal positions can have different records it may become the same
    record for all of them. A game without symmetries need not implement it.
    """


@operation_with_default
def canonical(state, out):
    """Changes `out`, a copy of `state`, to the record that all equal positions share: without what cannot matter any more.

    Images count as equal where `symmetries` leaves them out but `symmetric_hash` does not. The default is the image of number
    0. Where that is not enough, a saved search has to find some of its proofs again.
    """
    image(state, 0, out)


@operation_with_default
def symmetric_hash(state, image_buffer):
    """A hash that a position shares with its images: the least of their hashes. A game may have a quicker way.

    `image_buffer` is an array of one record, to write images into.
    """
    least = position_hash(state)
    for number in range(1, symmetries(state)):
        image_buffer[0] = state
        image(state, number, image_buffer[0])
        least = min(least, position_hash(image_buffer[0]))
    return least


# -- what a network sees -----------------------------------------------------------------------------------------------------
@operation
def planes(state, planes):
    """Optional: fills a float32 array rows x columns x planes, zeroed by the caller, with what a network sees of a position.

    From the point of view of the player to move, who is always shown in the same way. The shape is the game's `encoding`
    (core/encoding.py). Called for positions that are not over.
    """


@operation_with_default
def place(state, move):
    """Where a network's opinion of a legal move is in its output: (plane * rows + row) * columns + column.

    Moves that lie nowhere on the board, such as a pass, come after all of these. Each legal move has a place of its own. The
    default serves games whose moves are the cells, row by row, and then the others.
    """
    return move


# -- what a search may go by -------------------------------------------------------------------------------------------------
@operation_with_default
def evaluate(state):
    """Optional: how good a position that is not over looks for player 0, in any unit; 0 = equal. Must be a number.

    It is what the policy `uniform` says where a policy with an evaluation is asked for (search/policy.py).
    """
    return 0.0


BESIDE_RULES = (planes, place, evaluate)  # not part of the rules proper: two games that differ only in these are the same

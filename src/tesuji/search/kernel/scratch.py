"""The memory of one thread of a search: buffers, and the record of its current simulation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

# Its positions: the simulation's, one move ahead, and the root of its subtree or a leaf.
HERE, AHEAD, SUBTREE = range(3)
GAMES, SUM, SQUARES = range(3)  # columns of `outcomes`


class Scratch(NamedTuple):
    """The memory of one thread."""

    states: np.ndarray  # three positions
    image: np.ndarray  # one position: a mirrored or rotated copy of another
    rng: np.ndarray  # uint64[4]
    notes: np.ndarray  # one record: the policy's notes
    buffer: np.ndarray  # int32: moves
    ratings: np.ndarray  # RATING, parallel to buffer
    kept: np.ndarray  # int32, parallel to buffer: what a study says of each move; in a presearch, children
    bounds: np.ndarray  # int64[2, ...], parallel to buffer: of the positions after these moves
    values: np.ndarray  # float64, parallel to buffer
    weights: np.ndarray  # float64, parallel to buffer
    path: np.ndarray  # int64: nodes from the root
    hashes: np.ndarray  # uint64: position hashes along the path
    history: np.ndarray  # int32: moves of the game
    movers: np.ndarray  # int8: who made them
    move_stamps: np.ndarray  # int64[2, move_count + 1]: the last game in which a player made a move (RAVE); last cell: games
    by_move: np.ndarray  # [2, move_count + 1]: records of the selection rule's own; one if it keeps none
    barred: np.ndarray  # int32[2, move_count]: the player's move stays out of nodes that are less deep than this
    root_goals: np.ndarray  # int32[move_count]: how often a move of the root is visited before the selection rule chooses
    virtual_losses: np.ndarray  # int32: virtual losses given along the path
    outcomes: np.ndarray  # float64[move_count, 3]: GAMES, SUM, SQUARES of finished games by the root's move; one row: not kept
    wins: np.ndarray  # float64[WIN_NOTES]: how the games ended that this thread has played (search/kernel/quality.py)
    local_counts: np.ndarray  # LOCAL_COUNTS: counts not flushed yet
    leaves: Any  # `Leaves` or `NoLeaves`: what waits for an evaluator
    learned: Any  # `Learned` or `NothingLearned`: what the choice of playout moves has learned (search/playouts/memory.py)
    checks: np.ndarray  # int64[2], for a user's policy: playouts checked, and the ply of an illegal move

"""The explicit stack of the search: one frame for each ply, and beside it the positions, moves and lines of each ply.

Scores are integers. An evaluation is rounded to steps of 1 / `grain`; a proven outcome scores PROVEN_SCORE or more, so that no
evaluation ever beats it, and a draw scores 0. Depth is counted in units of 1 / PLY of a ply.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel

PLY = 32  # units of depth in a ply
PROVEN_SCORE = 1 << 40  # evaluations lie below, won games above
INFINITE = 1 << 60
NO_MOVE = -1  # no move

FRAME = np.dtype(
    [
        ("alpha", np.int64),  # the window that the parent gave, for player 0
        ("beta", np.int64),
        ("low", np.int64),  # the window now, for the player to move; low rises
        ("high", np.int64),
        ("start_low", np.int64),  # low before the first move
        ("best", np.int64),  # the best value so far, for the player to move
        ("least", np.int64),  # proven outcome, for the player to move: of the best move so far
        ("most", np.int64),  # and the best that some move tried may still be
        ("key", np.uint64),
        ("lower", np.int32),  # proven of the position before its moves are searched, for player 0
        ("upper", np.int32),
        ("move_lower", np.int32),  # proven of the move under way, for player 0
        ("move_upper", np.int32),
        ("sign", np.int32),  # 1 = player 0 is to move, -1 = player 1
        ("depth", np.int32),  # left, in units of 1 / PLY
        ("phase", np.int32),
        ("stage", np.int32),  # of the move under way
        ("count", np.int32),  # moves
        ("try_count", np.int32),  # how many of them are tried at most; if not all, the node's upper bound is unknown
        ("index", np.int32),  # of the move under way
        ("best_move", np.int32),
        ("cuts", np.int32),  # moves that cut in multi-cut
        ("quiet_left", np.int32),  # plies of quiescence left
        ("nodes_before", np.int64),  # nodes when the move under way began (root only)
        ("noisy", np.bool_),  # only noisy moves are tried
        ("wide", np.bool_),  # on the expected line: no forward pruning
        ("may_skip", np.bool_),  # the last move was no null move
        ("null_parity", np.bool_),  # an odd number of null moves lies above
        ("pruned", np.bool_),  # the value comes from forward pruning and proves nothing
    ],
    align=True,
)
ENTER, SKIP, CUT, TRY, DONE = 0, 1, 2, 3, 4  # phases
SCOUT, DEEPER, FULL = 0, 1, 2  # stages

ROOT_MOVE = np.dtype(
    [
        ("move", np.int32),
        ("rank", np.int32),  # 0 is tried first
        ("value", np.int64),  # for player 0, of the last search
        ("nodes", np.int64),  # in all
        ("lower", np.int32),
        ("upper", np.int32),
        ("depth", np.int32),  # of the last search, in plies; 0 = never searched
        ("since", np.int32),  # the depth at which its bounds last narrowed
    ],
    align=True,
)

# Fields of `control`: the ply under way (-1 = the search of this depth has ended) and the result on its way up.
PLY_NOW, RETURNING, VALUE, LOWER, UPPER, NODES, STATUS, LINE_LENGTH, ERA, CONTROLS = range(10)
STATUS_CROSSED = 1  # in STATUS: two bounds of a position contradict each other; 0 = all is well


class AlphaBetaOptions(NamedTuple):
    """The options of the kernel, all of one type each, so that every search of a game uses the same compiled code."""

    lowest: int
    highest: int
    twice_break_even: int  # twice the outcome called a draw
    quiescence: int
    pvs: bool
    killers: bool
    history: bool
    null_move: bool
    null_cost: int  # depth that a null move costs, in units of 1 / PLY
    multi_cut: bool
    multi_cut_moves: int
    multi_cut_needed: int
    multi_cut_cost: int
    width: int  # 0 = all moves
    realization: bool
    least_cost: int
    transpositions: bool
    exact_keys: bool  # equal keys are equal positions, history and all
    initial_bounds: bool
    thorough: bool  # no pruning, no estimates: the depth reaches the end of every game
    grain: float
    noise: float


class AlphaBetaScratch(NamedTuple):
    """The search's memory besides the table."""

    states: np.ndarray  # one position a ply
    frames: np.ndarray  # FRAME
    moves: np.ndarray  # int32[ply, move]
    keys: np.ndarray  # int64[ply, move]: order, the highest first
    costs: np.ndarray  # int16[ply, move]: depth, in units of 1 / PLY
    lines: np.ndarray  # int32[ply, ply]: the expected line from each ply on
    lengths: np.ndarray  # int32[ply]
    line: np.ndarray  # int32: the root's best line so far
    killers: np.ndarray  # int32[ply, 2]
    history: np.ndarray  # int64[player, move modulo its length]
    root: np.ndarray  # ROOT_MOVE
    thresholds: np.ndarray  # float64: the least probability at which a move costs least_cost, least_cost + 1, ...
    buffer: np.ndarray  # int32: moves
    orders: np.ndarray  # float64, parallel to buffer
    chances: np.ndarray  # float64, parallel to buffer
    control: np.ndarray  # int64
    salt: np.ndarray  # uint64[2]: for the noise, and for positions behind a null move


@kernel
def root_index(root, move):
    """Where among the moves of the root this one is."""
    index = 0
    while root[index]["move"] != move:
        index += 1
    return index


@kernel
def score_of(outcome, options):
    """The score of a proven outcome, for player 0."""
    beyond = 2 * np.int64(outcome) - options.twice_break_even
    if beyond > 0:
        return np.int64(PROVEN_SCORE + beyond)
    if beyond < 0:
        return np.int64(beyond - PROVEN_SCORE)
    return np.int64(0)


@kernel
def least_score(lower, upper, sign, options):
    """The score that the player to move is sure of, given bounds for player 0."""
    return score_of(lower, options) if sign > 0 else -score_of(upper, options)


@kernel
def most_score(lower, upper, sign, options):
    """The score beyond which the player to move can never come."""
    return score_of(upper, options) if sign > 0 else -score_of(lower, options)

"""The policy of MoGo (Chaslot et al. 2009): Algorithm 4, whose clauses are in mogo_playouts.py, and what is known of moves
beforehand (offline.py).

Every clause has a chance to be tried: 1 is the paper's program, 0 leaves the clause out. Those that the paper does not have
are off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter, filled
from tesuji.games.go.state import NOWHERE
from tesuji.knowledge.go.crazystone import pass_move
from tesuji.knowledge.go.mogo_playouts import (
    approach_move,
    capturing_move,
    happens,
    list_patterns,
    nakade_move,
    one_of,
    open_space_move,
    random_point,
    saving_move,
)
from tesuji.knowledge.go.offline import OfflineKnowledge, rate_by_knowledge, value_of_pass
from tesuji.knowledge.go.ownership import count_owners
from tesuji.knowledge.go.tree_moves import passing_matters, prune_own_eyes
from tesuji.knowledge.go.two_liberties import two_liberty_move
from tesuji.search.policy import learns, playout_ended, playout_move, prunes_by_guess, rate_moves


class MoGoPlayouts(NamedTuple):
    """The chance of each clause to be tried."""

    save_atari: float
    nakade: float
    fill_board: int
    fill_empty: int
    patterns: float
    approach: float
    captures: float
    two_liberties: float
    second_patterns: float
    avoid_self_atari: float

    PARAMETERS = (
        Parameter("save_atari", 1.0, "chance that a playout saves strings in atari beside the last move", 0.0, 1.0),
        Parameter("nakade", 1.0, "chance that it plays the centre of a hole of three points beside the last move", 0.0, 1.0),
        Parameter(
            "fill_board", 4, "points that it draws in search of an open space to play in; 0 = none", 0, 1000, tuning="0..16"
        ),
        Parameter("fill_empty", 8, "nearest points that are empty in an open space", 4, 24),
        Parameter("patterns", 1.0, "chance that it plays a 3x3 pattern beside the last move", 0.0, 1.0),
        Parameter("approach", 0.5, "chance that it connects first where the pattern is a self-atari", 0.0, 1.0),
        Parameter("captures", 1.0, "chance that it captures, anywhere", 0.0, 1.0),
        Parameter(
            "two_liberties", 0.0, "chance that it plays on a liberty of a string with two, beside the last move", 0.0, 1.0
        ),
        Parameter("second_patterns", 0.0, "chance that it looks for patterns beside the second-last move too", 0.0, 1.0),
        Parameter("avoid_self_atari", 0.0, "chance that it rejects a pattern or random move that is a self-atari", 0.0, 1.0),
    )


class MoGo(NamedTuple):
    playouts: MoGoPlayouts
    knowledge: OfflineKnowledge

    PARAMETERS = (*MoGoPlayouts.PARAMETERS, *OfflineKnowledge.PARAMETERS)
    GIVES = OfflineKnowledge.GIVES

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> MoGo:
        return cls(filled(MoGoPlayouts, settings), OfflineKnowledge.made_for(game, settings))


@implements(playout_move, MoGo)
def mogo_move(policy, notes, state, rng):
    return move_by_clauses(policy.playouts, notes["moves"], state, rng)


@kernel
def move_by_clauses(playouts, points, state, rng):
    """Algorithm 4: the first clause that finds a move plays it; if none does, the player passes. `points` is a buffer."""
    player = np.int64(state["to_play"])
    last = point_of(state, state["last_move"])
    point = np.int64(NOWHERE)
    if last != NOWHERE:
        if state["atari_count"] > 0 and happens(playouts.save_atari, rng):
            point = saving_move(state, last, player, points, rng)
        if point == NOWHERE and happens(playouts.two_liberties, rng):
            point = two_liberty_move(state, last, player, points, rng)
        if point == NOWHERE and happens(playouts.nakade, rng):
            point = nakade_move(state, last, player)
    if point == NOWHERE:
        point = open_space_move(state, player, playouts.fill_board, playouts.fill_empty, rng)
    if point == NOWHERE and last != NOWHERE:
        point = pattern_move(playouts, state, last, player, points, rng)
    if point == NOWHERE and state["atari_count"] > 0 and happens(playouts.captures, rng):
        point = capturing_move(state, player, points, rng)
    if point == NOWHERE:
        point = random_point(state, player, playouts.avoid_self_atari, rng)
    return pass_move(state) if point == NOWHERE else np.int64(state["move_of"][point])


@kernel
def pattern_move(playouts, state, last, player, points, rng):
    """One of the moves beside the last one that fit a pattern, or the approach move for it."""
    count = 0
    if happens(playouts.patterns, rng):
        count = list_patterns(state, last, player, playouts.avoid_self_atari, points, count, rng)
    second_last = point_of(state, state["second_last_move"])
    if second_last != NOWHERE and happens(playouts.second_patterns, rng):
        count = list_patterns(state, second_last, player, playouts.avoid_self_atari, points, count, rng)
    point = one_of(points, count, rng)
    if point != NOWHERE and happens(playouts.approach, rng):
        connection = approach_move(state, point, player)
        if connection != NOWHERE:
            return connection
    return point


@kernel
def point_of(state, move):
    """The point of a move; NOWHERE for a pass, and for -1: no move."""
    return np.int64(state["point_of"][move]) if move >= 0 else np.int64(NOWHERE)


@implements(playout_ended, MoGo)
def count_mogo_game(policy, notes, state):
    if policy.knowledge.uses_owners:
        count_owners(policy.knowledge.owners, state)


@implements(learns, MoGo)
def mogo_learns(policy):
    return policy.knowledge.uses_owners


@implements(prunes_by_guess, MoGo)
def mogo_guesses(policy):
    return True


@implements(rate_moves, MoGo)
def rate_mogo_moves(policy, state, moves, count, ratings):
    moves_left = prune_own_eyes(state, moves, count, ratings)
    pass_value = value_of_pass(passing_matters(state, moves_left))
    rate_by_knowledge(policy.knowledge, state, moves, count, pass_value, ratings)

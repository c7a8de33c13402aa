"""Which moves of Go enter the tree.

Crazy Stone's playouts leave every point alone that own stones surround (urgency.py): its paper says that this prevents some
needed connections, but that false eyes could not be told from real ones quickly enough during simulations. In the tree there is
time for that, and such a connection may be the only move.

A pass matters when few moves are left. In a seki every other move loses, and who could not pass would seem to be forced to make
one. RAVE says nothing of it: nearly all games end with passes, whether it was time for one or not.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.games.go.legality import is_eye
from tesuji.games.go.state import NOWHERE

FEW_MOVES, FEW_SHARE = 4, 8  # at most 4 + points / 8 moves are few: 14 on 9x9


@kernel
def prune_own_eyes(state, moves, count, ratings):
    """Prunes the moves that fill a real eye, and takes RAVE from a pass; returns how many moves are left besides a pass.

    Filling it saves nothing: the strings around a real eye are connected or have other liberties, and if it is the last liberty
    of all of them, the move is suicide.
    """
    point_of = state["point_of"]
    own = np.int64(state["to_play"]) + 1
    left = 0
    for i in range(count):
        point = np.int64(point_of[moves[i]])
        if point == NOWHERE:
            ratings[i]["rave"] = False
        elif is_eye(state, point, own):
            ratings[i]["kept"] = False
        else:
            left += 1
    return left


@kernel
def passing_matters(state, moves_left):
    """Whether a pass is worth a thought: few other moves are left, or it ends the game."""
    size = np.int64(state["size"])
    return moves_left <= FEW_MOVES + size * size // FEW_SHARE or state["passes"] > 0


@kernel
def prune_idle_moves(state, moves, count, ratings):
    """Prunes the moves that fill a real eye, and a pass that does not matter."""
    moves_left = prune_own_eyes(state, moves, count, ratings)
    if passing_matters(state, moves_left):
        return
    point_of = state["point_of"]
    for i in range(count):
        if point_of[moves[i]] == NOWHERE:
            ratings[i]["kept"] = False

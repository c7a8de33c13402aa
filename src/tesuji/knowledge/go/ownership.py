"""Who owns the points at the end of a search's own games: the one part of MoGo's knowledge that no position tells.

MoGo prefers "locations which have probability nearly 1/3 of being of one's color at the end of the game" (Chaslot et al. 2009,
section 2): points that are still to be fought for. The counts are of all playouts of a search, whatever node they began at.
Threads count without locks: of two that add at the same moment one may be lost, as likely for one player as for the other, and
while one halves the counts another may see some of them twice as large as others.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.numba.atomics import compare_and_swap
from tesuji.games.go.state import BOARD, EMPTY, STRIDE

OWNERS = np.dtype([("games", np.int64), ("owned", np.int32, (2, BOARD))], align=True)
FEWEST_GAMES = 64  # before, the shares are too rough
MOST_GAMES = 8192  # then all counts are halved, so that games of the moves before weigh less and less
BEST_SHARE = 1.0 / 3.0


@kernel
def count_owners(owners, state):
    """Counts one game that ended at `state`: stones, and empty points that only one colour is next to.

    `owners` is an array of one record.
    """
    games = np.int64(owners[0]["games"])
    if games >= MOST_GAMES and compare_and_swap(owners["games"], 0, games, games // 2) == games:  # one thread halves
        halve(owners[0]["owned"])
    owners[0]["games"] += 1
    owned = owners[0]["owned"]
    colour = state["colour"]
    point_of = state["point_of"]
    size = np.int64(state["size"])
    for move in range(size * size):
        point = np.int64(point_of[move])
        owner = np.int64(colour[point])
        if owner == EMPTY:  # the border has the bits of both colours
            owner = np.int64(colour[point - STRIDE] & colour[point - 1] & colour[point + 1] & colour[point + STRIDE])
        owned[0, point] += owner & 1
        owned[1, point] += owner >> 1


@kernel
def halve(owned):
    for player in range(2):
        for point in range(BOARD):
            owned[player, point] //= 2


@kernel
def closeness_to_best_share(owners, player, point):
    """1 where the player owns the point at the end of a third of the games, 0 at none and from two thirds on."""
    games = np.int64(owners["games"])
    if games < FEWEST_GAMES:
        return 0.0
    share = owners["owned"][player, point] / games
    return max(0.0, 1.0 - abs(share - BEST_SHARE) / BEST_SHARE)

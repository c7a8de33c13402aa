"""What a move of Connect Four is worth by the cells on which either player would then win: for searches that prove.

The value of a move is 1/2 + d (own cells - the other's cells), between 0 and 1, whatever their rows. Playouts are those of
`decisive`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements
from tesuji.core.numba.bits import bit_count
from tesuji.core.parameters import Parameter
from tesuji.games.connect4.bounds import winning_cells
from tesuji.games.connect4.state import ONE
from tesuji.knowledge.connect4.decisive import Decisive, decisive_move
from tesuji.search.policy import VALUE, playout_move, rate_moves


class Threats(NamedTuple):
    safe_moves: bool
    threat_games: float
    threat_value: float

    PARAMETERS = (
        *Decisive.PARAMETERS,
        Parameter("threat_games", 4.0, "games that the value of a move by its threats counts for", 0.0, 1e6, needs=VALUE),
        Parameter(
            "threat_value", 0.2, "d: what one cell on which a player would win adds to a move's value", 0.0, 1.0, needs=VALUE
        ),
    )
    GIVES = (VALUE,)


@implements(playout_move, Threats)
def threats_playout(policy, notes, state, rng):
    return decisive_move(policy, notes, state, rng)


@implements(rate_moves, Threats)
def rate_by_threats(policy, state, moves, count, ratings):
    """Lines of another length than four are not looked for: every move is worth 1/2 then."""
    stones = state["stones"]
    height = np.int64(state["height"])
    mover = np.int64(state["to_play"])
    occupied = stones[0] | stones[1]
    for i in range(count):
        ratings[i]["games"] = policy.threat_games
        if state["length"] == 4:
            column = np.uint64(moves[i]) * np.uint64(height + 1)
            cell = (occupied + (ONE << column)) & (((ONE << np.uint64(height)) - ONE) << column)
            own = stones[mover] | cell
            other = stones[1 - mover]
            empty = state["cells"] & ~(own | other)
            more = bit_count(winning_cells(own, height) & empty) - bit_count(winning_cells(other, height) & empty)
            ratings[i]["value"] = min(max(0.5 + policy.threat_value * np.float64(more), 0.0), 1.0)

"""What is known of a position without a search: one kernel, which studies of nodes, Wolve and `--show` read.

It fills the board in, finds the connections of both colours, and asks whether they decide the game. If they do not, and if the
carrier of some connection leads nowhere else, that is filled too, and all begins anew on the new board. At the end it knows
where the opponent's threats leave the mover to play, and which of these moves are worth considering.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.games.hex.state import BLACK
from tesuji.knowledge.hex.connections.build import build
from tesuji.knowledge.hex.connections.closed_carriers import fill_closed_carriers
from tesuji.knowledge.hex.connections.edge_to_edge import mustplay, wins_as_first, wins_as_second
from tesuji.knowledge.hex.geometry import EMPTY, place_of_move
from tesuji.knowledge.hex.inferior.board import see_stones
from tesuji.knowledge.hex.inferior.fill_in import fill_in, put_filled_stones
from tesuji.knowledge.hex.inferior.pruning import KEPT, begin_pruning, prune_inferior

# How a position is decided.
OPEN = 0  # it is not
FILLED = 1  # by stones and filled cells, whoever moves
OPPONENT_CONNECTED = 2  # by a full connection of the opponent
MOVER_CONNECTED = 3  # by a full or semi connection of the mover
THREATS_UNMET = 4  # no move meets all threats of the opponent
NOTHING_LEFT = 5  # all moves that meet them are inferior

MUST_PLAY = 1  # in `marks`: a move here meets all threats


@kernel
def assess(windows, work, marks, board, mover, own, other, fills):
    """How the position is decided if `mover` begins. Everything that it needs is for it to write:

    `board` is the position and becomes the filled-in one, `own` and `other` get the mover's and the opponent's connections on
    it, and `work` has the board with what is inferior on it. `marks` says by cell where the mover must play, if the game is
    open. Later steps are left out once the game is decided. Without `fills` no cell is filled in or left out.
    """
    if fills:
        fill(windows, work, board)
    else:
        see_stones(work, board)
    while board["winner"] == 0:
        build(other, board)
        if wins_as_second(other):
            return OPPONENT_CONNECTED
        build(own, board)
        if wins_as_first(own):
            return MOVER_CONNECTED
        if mustplay(other, marks) == 0:
            return THREATS_UNMET
        if not fills or fill_closed_carriers(own, work, board) + fill_closed_carriers(other, work, board) == 0:
            break
        fill(windows, work, board)
    if board["winner"] != 0:
        return FILLED
    if fills:
        prune_inferior(windows, work, mover)
    else:
        begin_pruning(work)
    return OPEN if considers_a_move(work, marks, board) else NOTHING_LEFT


@kernel
def fill(windows, work, board):
    """Fills the board in, to a fixed point or until somebody has won."""
    fill_in(windows, work, board)
    put_filled_stones(work, board)


@kernel
def value_for(mover, decided, board):
    """1 if the mover wins, -1 if he loses, 0 if the game is open."""
    if decided == FILLED:
        return np.int64(board["winner"]) if mover == BLACK else -np.int64(board["winner"])
    if decided == OPEN:
        return np.int64(0)
    return np.int64(1 if decided == MOVER_CONNECTED else -1)


@kernel
def is_considered(work, marks, cell):
    """Whether a move here meets all threats of the opponent, and is not inferior."""
    place = place_of_move(cell, work["width"])
    return marks[cell] & MUST_PLAY != 0 and work["colours"][place] == EMPTY and work["pruned"][place] == KEPT


@kernel
def considers_a_move(work, marks, board):
    for cell in range(np.int64(board["width"]) * np.int64(board["height"])):
        if is_considered(work, marks, cell):
            return True
    return False

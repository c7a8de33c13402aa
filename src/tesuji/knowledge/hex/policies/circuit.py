"""What Wolve knows: the circuits of both colours on the filled-in board, moves by their energy, and games that are decided.

For the alpha-beta engine. A position is looked at once: its fill-in, the virtual connections of both colours, the moves worth
considering and the circuits give its value, its bounds and the order of its moves together, which are kept in a table by the
hash of the position until the engine has asked for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import called_kernel, implements, kernel
from tesuji.core.game import Game
from tesuji.core.rules import NO_HASH, position_hash, random_move
from tesuji.games.hex.rules import can_swap
from tesuji.games.hex.state import MAY_SWAP, MOST_CELLS, WHITE
from tesuji.knowledge.hex.assessment import FILLED, MOVER_CONNECTED, OPEN, assess, is_considered, value_for
from tesuji.knowledge.hex.connections.circuit import CircuitWork, add_currents, compared, new_circuit_work, solve_circuit
from tesuji.knowledge.hex.connections.edge_to_edge import NO_KEY_CELL, count_needed, winning_key, wins_as_second
from tesuji.knowledge.hex.geometry import BLACK_STONE, EMPTY, WHITE_STONE, colour_of
from tesuji.knowledge.hex.inferior.windows import WindowTables, window_tables
from tesuji.knowledge.hex.workspaces import (
    CONNECTION_PARAMETERS,
    NONE,
    Workspaces,
    connections_in,
    give_back,
    new_workspaces,
    take_workspace,
)
from tesuji.search.alphabeta.hooks import known_bounds, rate_order
from tesuji.search.policy import evaluate, playout_move

KEPT_VIEWS = 1 << 12  # positions, for each thread
STEPS = 8192.0  # of energy, in the order of moves
ORDER_UNIT = 1.0 / 1024.0
DECIDED = 11.0  # the evaluation of a position that is won; others stay within circuit.LIMIT
NOT_CONSIDERED = -1
SURE, SWAP = 30_000, 30_001  # the order of a move that wins, and of the swap, which is always worth a look

VIEW = np.dtype(
    [
        ("key", np.uint64),  # the hash of the position; 0 = no position
        ("value", np.float64),  # for player 0
        ("winner", np.int64),  # +1 player 0, -1 player 1, 0 not known
        ("orders", np.int16, (MOST_CELLS,)),  # by cell: above 0 where a move is worth considering, the best the highest
    ],
    align=True,
)


class Circuit(NamedTuple):
    """The evaluation is ln(R of White / R of Black), the logarithm of the ratio of resistances."""

    windows: WindowTables
    workspaces: Workspaces
    circuit: CircuitWork  # arrays with the workspace in front of their axes
    energy: np.ndarray  # float64[workspace, cell]
    views: np.ndarray  # VIEW[workspace, place]

    PARAMETERS = CONNECTION_PARAMETERS

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> Circuit:
        memory = new_workspaces(game, settings, 1)
        threads = len(memory.taken)
        return cls(
            window_tables(),
            memory,
            CircuitWork(*(np.stack([array] * threads) for array in new_circuit_work(memory.slots))),
            np.zeros((threads, MOST_CELLS)),
            np.zeros((threads, KEPT_VIEWS), VIEW),
        )


@implements(playout_move, Circuit)
def any_move(policy, notes, state, rng):
    return random_move(state, notes["moves"], rng)


# -- what the search asks ------------------------------------------------------------------------------------------------
@implements(evaluate, Circuit)
def evaluate_by_circuit(policy, state):
    workspace = take_workspace(policy.workspaces.taken)
    if workspace == NONE:
        return 0.0
    value = policy.views[workspace, look(policy, workspace, state)]["value"]
    give_back(policy.workspaces.taken, workspace)
    return value


@implements(known_bounds, Circuit)
def bounds_by_connections(policy, state, lowest, highest):
    """Nothing while there may be a swap."""
    workspace = NONE if state["swap"] == MAY_SWAP else take_workspace(policy.workspaces.taken)
    if workspace == NONE:
        return lowest, highest
    winner = policy.views[workspace, look(policy, workspace, state)]["winner"]
    give_back(policy.workspaces.taken, workspace)
    if winner == 0:
        return lowest, highest
    return (highest, highest) if winner > 0 else (lowest, lowest)


@implements(rate_order, Circuit)
def order_by_energy(policy, state, moves, count, orders, chances):
    workspace = take_workspace(policy.workspaces.taken)
    for i in range(count):
        orders[i] = 0.0
        chances[i] = 0.0
    if workspace != NONE:
        by_cell = policy.views[workspace, look(policy, workspace, state)]["orders"]
        cells = np.int64(state["width"]) * np.int64(state["height"])
        for i in range(count):
            order = np.int64(by_cell[moves[i]]) if moves[i] < cells else np.int64(SWAP)
            orders[i] = np.float64(order) * ORDER_UNIT
        give_back(policy.workspaces.taken, workspace)


# -- looking at a position -----------------------------------------------------------------------------------------------
@called_kernel
def look(policy, workspace, state):
    """The place of the position's view in the workspace's table."""
    key = position_hash(state)
    place = np.int64(key & np.uint64(policy.views.shape[1] - 1))
    view = policy.views[workspace, place]
    if view["key"] == key:
        return place
    view["key"] = NO_HASH  # whoever is interrupted leaves no half of a view
    orders = view["orders"]
    for i in range(len(orders)):
        orders[i] = NOT_CONSIDERED
    memory = policy.workspaces
    memory.boards[workspace, 0] = state
    board, work, marks = memory.boards[workspace, 0], memory.work[workspace], memory.marks[workspace]
    mover = np.int64(state["to_play"])
    own = connections_in(memory.slots, 2 * workspace + mover)
    other = connections_in(memory.slots, 2 * workspace + 1 - mover)
    decided = assess(policy.windows, work, marks, board, mover, own, other, True)
    winner = value_for(mover, decided, board)
    if mover == WHITE:
        winner = -winner
    if decided == OPEN:
        black, white = connections_in(memory.slots, 2 * workspace), connections_in(memory.slots, 2 * workspace + 1)
        energy = policy.energy[workspace]
        value = judge(black, white, policy.circuit, workspace, energy)
        order_considered(work, marks, board, energy, orders)
    else:
        value = DECIDED * winner
        if decided == FILLED:
            order_filled(board, state, winner, orders)
        elif decided == MOVER_CONNECTED:
            order_needed(own, marks, orders)
            cell = np.int64(NO_KEY_CELL) if wins_as_second(own) else winning_key(own)
            if cell != NO_KEY_CELL:
                orders[cell] = SURE
        else:
            order_needed(other, marks, orders)
    if can_swap(state):  # whoever has the better side of the first stone
        value = -abs(value)
    view["winner"] = winner
    view["value"] = value
    view["key"] = key
    return place


@kernel
def judge(black, white, circuit, workspace, energy):
    """The evaluation for Black; `energy` gets that of every cell."""
    node, matrix, voltage = circuit.node[workspace], circuit.matrix[workspace], circuit.voltage[workspace]
    for cell in range(len(energy)):
        energy[cell] = 0.0
    his = solve_circuit(black, node, matrix, voltage)
    add_currents(black, voltage, energy)
    others = solve_circuit(white, node, matrix, voltage)
    add_currents(white, voltage, energy)
    return compared(his, others)


@kernel
def order_considered(work, marks, board, energy, orders):
    for cell in range(np.int64(board["width"]) * np.int64(board["height"])):
        if is_considered(work, marks, cell):
            orders[cell] = np.int64(energy[cell] * STEPS) + 1


@kernel
def order_filled(board, state, winner, orders):
    """Where the filled-in board is won: the winner's filled cells, so that he joins his edges with stones."""
    width = np.int64(state["width"])
    for cell in range(width * np.int64(state["height"])):
        row = cell // width
        column = cell - row * width
        if colour_of(state, column, row) == EMPTY and colour_of(board, column, row) == (
            BLACK_STONE if winner > 0 else WHITE_STONE
        ):
            orders[cell] = 1


@kernel
def order_needed(connections, counts, orders):
    """Orders cells by how many of a colour's connections from edge to edge need them; `counts` is room to count in."""
    count_needed(connections, counts)
    for cell in range(connections.points - 2):
        if counts[cell] > 0:
            orders[cell] = counts[cell]

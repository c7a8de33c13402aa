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
from tesuji.core.parameters import Parameter
from tesuji.core.rules import NO_HASH, position_hash, random_move
from tesuji.games.hex.rules import can_swap
from tesuji.games.hex.state import MAY_SWAP, MOST_CELLS, STATE, WHITE
from tesuji.knowledge.hex.bitsets import has_point, load
from tesuji.knowledge.hex.circuit import CircuitWork, add_currents, compared, new_circuit_work, solve_circuit
from tesuji.knowledge.hex.connection_lists import FULLS, FULLS_AT, SEMIS, SEMIS_AT, Connections
from tesuji.knowledge.hex.connections import (
    ARENA,
    NO_KEY_CELL,
    SOFT_LIMIT,
    build,
    mustplay,
    pair_at,
    wins_as_first,
    wins_as_second,
)
from tesuji.knowledge.hex.fill_in import fill_in, put_filled_stones
from tesuji.knowledge.hex.knowing import MUST_PLAY, SMALLEST_ARENA, winning_key
from tesuji.knowledge.hex.patterns import BLACK_STONE, EMPTY, WHITE_STONE, place_of_move
from tesuji.knowledge.hex.pruning import KEPT, prune_inferior
from tesuji.knowledge.hex.rooms import NONE, connections_in, enter_room, leave_room, new_slots
from tesuji.knowledge.hex.windows import WindowTables, window_tables
from tesuji.knowledge.hex.working_board import WORK, move_at
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


class CircuitRooms(NamedTuple):
    """Working memory, one room for each thread, in front of all arrays."""

    taken: np.ndarray  # int64[room]: 1 while a thread is in it
    slots: Connections  # two for each room: Black's and White's
    work: np.ndarray  # WORK[room]
    marks: np.ndarray  # int64[room, cell]
    states: np.ndarray  # STATE[room]: the filled-in board
    energy: np.ndarray  # float64[room, cell]
    circuit: CircuitWork
    views: np.ndarray  # VIEW[room, place]


class Circuit(NamedTuple):
    """The evaluation is ln(R of White / R of Black), the logarithm of the ratio of resistances."""

    windows: WindowTables
    rooms: CircuitRooms

    PARAMETERS = (
        Parameter("connection_limit", SOFT_LIMIT, "semi connections of two points kept before most are left out", 1, 1 << 20),
        Parameter(
            "connection_room", ARENA, "carriers of connections that there is room for, a colour", SMALLEST_ARENA, 1 << 24
        ),
    )

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> Circuit:
        width, height = int(game.initial["width"]), int(game.initial["height"])
        threads, limit = int(settings.get("threads", 1)), int(settings["connection_limit"])
        arena = int(settings["connection_room"])
        slots = new_slots(width, height, arena, limit, 2 * threads)
        rooms = CircuitRooms(
            taken=np.zeros(threads, np.int64),
            slots=slots,
            work=np.zeros(threads, WORK),
            marks=np.zeros((threads, MOST_CELLS), np.int64),
            states=np.zeros(threads, STATE),
            energy=np.zeros((threads, MOST_CELLS)),
            circuit=CircuitWork(*(np.stack([array] * threads) for array in new_circuit_work(slots))),
            views=np.zeros((threads, KEPT_VIEWS), VIEW),
        )
        return cls(window_tables(), rooms)


@implements(playout_move, Circuit)
def any_move(policy, notes, state, rng):
    return random_move(state, notes["moves"], rng)


# -- what the search asks ------------------------------------------------------------------------------------------------
@implements(evaluate, Circuit)
def evaluate_by_circuit(policy, state):
    room = enter_room(policy.rooms.taken)
    if room == NONE:
        return 0.0
    value = policy.rooms.views[room, look(policy.windows, policy.rooms, room, state)]["value"]
    leave_room(policy.rooms.taken, room)
    return value


@implements(known_bounds, Circuit)
def bounds_by_connections(policy, state, lowest, highest):
    """Nothing while there may be a swap."""
    room = NONE if state["swap"] == MAY_SWAP else enter_room(policy.rooms.taken)
    if room == NONE:
        return lowest, highest
    winner = policy.rooms.views[room, look(policy.windows, policy.rooms, room, state)]["winner"]
    leave_room(policy.rooms.taken, room)
    if winner == 0:
        return lowest, highest
    return (highest, highest) if winner > 0 else (lowest, lowest)


@implements(rate_order, Circuit)
def order_by_energy(policy, state, moves, count, orders, chances):
    room = enter_room(policy.rooms.taken)
    for i in range(count):
        orders[i] = 0.0
        chances[i] = 0.0
    if room != NONE:
        view = policy.rooms.views[room, look(policy.windows, policy.rooms, room, state)]
        by_cell = view["orders"]
        cells = np.int64(state["width"]) * np.int64(state["height"])
        for i in range(count):
            order = np.int64(by_cell[moves[i]]) if moves[i] < cells else np.int64(SWAP)
            orders[i] = np.float64(order) * ORDER_UNIT
        leave_room(policy.rooms.taken, room)


# -- looking at a position -----------------------------------------------------------------------------------------------
@called_kernel
def look(windows, rooms, room, state):
    """The place of the position's view in the room's table."""
    key = position_hash(state)
    place = np.int64(key & np.uint64(rooms.views.shape[1] - 1))
    view = rooms.views[room, place]
    if view["key"] == key:
        return place
    view["key"] = NO_HASH  # whoever is interrupted leaves no half of a view
    orders = view["orders"]
    for cell in range(len(orders)):
        orders[cell] = NOT_CONSIDERED
    rooms.states[room] = state
    board, work = rooms.states[room], rooms.work[room]
    fill_in(windows, work, state)
    put_filled_stones(work, board)
    winner = np.int64(board["winner"])
    value = 0.0
    if winner != 0:
        order_filled(work, winner, orders)
    else:
        black, white = connections_in(rooms.slots, 2 * room), connections_in(rooms.slots, 2 * room + 1)
        mover = np.int64(state["to_play"])
        own = connections_in(rooms.slots, 2 * room + mover)
        other = connections_in(rooms.slots, 2 * room + 1 - mover)
        winner = mover_wins(windows, work, rooms.marks[room], board, own, other, orders)
        if state["to_play"] == WHITE:
            winner = -winner
        if winner == 0:
            energy = rooms.energy[room]
            value = judge(black, white, rooms.circuit, room, energy)
            order_considered(work, rooms.marks[room], board, energy, orders)
    if winner != 0:
        value = DECIDED * winner
    if can_swap(state):  # whoever has the better side of the first stone
        value = -abs(value)
    view["winner"] = winner
    view["value"] = value
    view["key"] = key
    return place


@kernel
def mover_wins(windows, work, marks, board, own, other, orders):
    """1 if the player to move wins by what is known, -1 if he loses, 0 if that is open and `marks` has where he must move.

    Where the game is decided, orders has the moves that win, or those that the winner must answer.
    """
    build(other, board)
    if wins_as_second(other):
        order_carriers(other, orders)
        return np.int64(-1)
    build(own, board)
    if wins_as_first(own):
        order_carriers(own, orders)
        key = np.int64(NO_KEY_CELL) if wins_as_second(own) else winning_key(own)
        if key != NO_KEY_CELL:
            orders[key] = SURE
        return np.int64(1)
    prune_inferior(windows, work, np.int64(board["to_play"]))
    if mustplay(other, marks) == 0 or considered(work, marks, board) == 0:
        order_carriers(other, orders)
        return np.int64(-1)
    return np.int64(0)


@kernel
def is_considered(work, marks, width, cell):
    """Whether a move here meets all threats of the opponent, and no other move makes it needless."""
    place = place_of_move(cell, width)
    return marks[cell] == MUST_PLAY and work["colours"][place] == EMPTY and work["pruned"][place] == KEPT


@kernel
def considered(work, marks, board):
    """How many moves are worth considering."""
    width = np.int64(board["width"])
    count = 0
    for cell in range(width * np.int64(board["height"])):
        count += np.int64(is_considered(work, marks, width, cell))
    return count


@kernel
def judge(black, white, circuit, room, energy):
    """The evaluation for Black; `energy` gets that of every cell."""
    node, matrix, voltage = circuit.node[room], circuit.matrix[room], circuit.voltage[room]
    for cell in range(len(energy)):
        energy[cell] = 0.0
    his = solve_circuit(black, node, matrix, voltage)
    add_currents(black, voltage, energy)
    others = solve_circuit(white, node, matrix, voltage)
    add_currents(white, voltage, energy)
    return compared(his, others)


@kernel
def order_considered(work, marks, board, energy, orders):
    width = np.int64(board["width"])
    for cell in range(width * np.int64(board["height"])):
        if is_considered(work, marks, width, cell):
            orders[cell] = np.int64(energy[cell] * STEPS) + 1


@kernel
def order_filled(work, winner, orders):
    """Where the filled-in board is won: the winner's filled cells, so that he joins his edges with stones."""
    for i in range(work["filled_count"]):
        place = np.int64(work["filled"][i])
        if np.int64(work["colours"][place]) == (BLACK_STONE if winner > 0 else WHITE_STONE):
            orders[move_at(place, work["width"])] = 1


@kernel
def order_carriers(known, orders):
    """Orders cells by how many of a colour's connections from edge to edge need them: of the full ones, if there are any."""
    first = pair_at(known, known.points - 2, known.points - 1)
    fulls, semis = np.int64(known.pairs[first + FULLS]), np.int64(known.pairs[first + SEMIS])
    at = np.int64(known.pairs[first + FULLS_AT] if fulls > 0 else known.pairs[first + SEMIS_AT])
    for number in range(fulls if fulls > 0 else semis):
        carrier = load(known.kind, known.arena, at + number)
        for cell in range(known.points - 2):
            if has_point(carrier, cell):
                orders[cell] = max(np.int64(orders[cell]), 0) + 1

"""For proofs: every node is assessed when it is new, and its moves are tried in the order of their energy in the circuits.

As `knowledge` with `study_after=0`, but the priors, which say in what order a proof tries the moves, are those of Wolve. One
assessment serves both: the study of a node finds it in the workspace.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.game import Game
from tesuji.core.parameters import Parameter
from tesuji.core.rules import NO_HASH, position_hash, random_move
from tesuji.games.hex.state import BLACK, MAY_SWAP, MOST_CELLS, WHITE
from tesuji.knowledge.hex.assessment import OPEN, is_considered
from tesuji.knowledge.hex.connections.circuit import CircuitWork, add_currents, new_circuit_work, solve_circuit
from tesuji.knowledge.hex.connections.finder import ConnectionFinder
from tesuji.knowledge.hex.inferior.windows import WindowTables, window_tables
from tesuji.knowledge.hex.policies.mohex import leave_out_useless
from tesuji.knowledge.hex.policies.studies import POSITIONS, SLOTS, assess_in, conclude
from tesuji.knowledge.hex.workspaces import (
    CONNECTION_PARAMETERS,
    NONE,
    Workspaces,
    connections_in,
    give_back,
    new_workspaces,
    take_workspace,
)
from tesuji.search.policy import (
    NO_LOWER,
    NO_UPPER,
    PRIOR,
    connection_finder,
    playout_move,
    rate_moves,
    study,
    study_at,
    without_inferior_moves,
)

ASSESSED = np.dtype([("key", np.uint64), ("decided", np.int64)], align=True)


class MovesByEnergy(NamedTuple):
    windows: WindowTables
    workspaces: Workspaces
    assessed: np.ndarray  # ASSESSED[workspace]: the position that the workspace is about
    circuit: CircuitWork  # arrays with the workspace in front of their axes
    energy: np.ndarray  # float64[workspace, cell]
    pairs: np.ndarray
    fill: bool
    reply_bonus: float = 0.0

    PARAMETERS = (
        Parameter("fill", True, "studies fill cells in and leave out inferior ones; off: they go by connections alone"),
        *CONNECTION_PARAMETERS,
    )
    GIVES = (PRIOR,)

    @classmethod
    def made_for(cls, game: Game, settings: Mapping[str, Any]) -> MovesByEnergy:
        memory = new_workspaces(game, settings, POSITIONS)
        threads = len(memory.taken)
        return cls(
            window_tables(),
            memory,
            np.zeros(threads, ASSESSED),
            CircuitWork(*(np.stack([array] * threads) for array in new_circuit_work(memory.slots))),
            np.zeros((threads, MOST_CELLS)),
            np.zeros((threads, 1), np.int64),
            bool(settings["fill"]),
        )


@implements(playout_move, MovesByEnergy)
def any_move(policy, notes, state, rng):
    return random_move(state, notes["moves"], rng)


@implements(study_at, MovesByEnergy)
def studied_at_once(policy):
    return 0


@implements(rate_moves, MovesByEnergy)
def rate_by_energy(policy, state, moves, count, ratings):
    if state["swap"] == MAY_SWAP:
        return
    if policy.fill:
        leave_out_useless(policy.windows, state, moves, count, np.int64(state["width"]) * np.int64(state["height"]), ratings)
    workspace = take_workspace(policy.workspaces.taken)
    if workspace == NONE:
        return
    if assessed(policy, workspace, state) == OPEN:
        memory, energy = policy.workspaces, policy.energy[workspace]
        find_energy(policy, workspace, energy)
        for i in range(count):
            if is_considered(memory.work[workspace], memory.marks[workspace], np.int64(moves[i])):
                ratings[i]["prior"] = energy[moves[i]]
    give_back(policy.workspaces.taken, workspace)


@kernel
def assessed(policy, workspace, state):
    """How the position is decided: known already, if the workspace is still about it."""
    last, key = policy.assessed[workspace], position_hash(state)
    if last["key"] != key:
        last["key"] = NO_HASH  # whoever is interrupted leaves no half of an assessment
        last["decided"] = assess_in(policy, workspace, state)
        last["key"] = key
    return np.int64(last["decided"])


@kernel
def find_energy(policy, workspace, energy):
    """The energy of each cell: the currents of both circuits."""
    circuit, slots = policy.circuit, policy.workspaces.slots
    node, matrix, voltage = circuit.node[workspace], circuit.matrix[workspace], circuit.voltage[workspace]
    for cell in range(len(energy)):
        energy[cell] = 0.0
    for colour in (BLACK, WHITE):
        connections = connections_in(slots, SLOTS * workspace + colour)
        solve_circuit(connections, node, matrix, voltage)
        add_currents(connections, voltage, energy)


@implements(study, MovesByEnergy)
def study_assessed(policy, state, moves, count, kept):
    workspace = take_workspace(policy.workspaces.taken)
    lower, upper, replaced = NO_LOWER, NO_UPPER, False
    if workspace != NONE and state["swap"] != MAY_SWAP:
        decided = assessed(policy, workspace, state)
        policy.assessed[workspace]["key"] = NO_HASH  # what follows writes over the marks
        lower, upper, replaced = conclude(policy, workspace, decided, state, moves, count, kept)
    if workspace != NONE:
        give_back(policy.workspaces.taken, workspace)
    return lower, upper, replaced


@implements(connection_finder, MovesByEnergy)
def find_connections(policy, game, player, pure):
    return ConnectionFinder(game, player, pure)


@implements(without_inferior_moves, MovesByEnergy)
def by_connections_alone(policy):
    return policy._replace(fill=False)

"""The circuits of both players (connections/circuit.py), drawn on the board: how much current flows through each cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tesuji.core.game import State
from tesuji.core.numba.registration import compiled
from tesuji.games.hex.state import BLACK, WHITE
from tesuji.games.hex.text import cell_text
from tesuji.knowledge.hex.connections.circuit import add_currents, compared, new_circuit_work, solve_circuit
from tesuji.knowledge.hex.overlays.board import NAMES, board_overlay, fill_legend, fill_marks
from tesuji.knowledge.hex.overlays.positions import AssessedPosition
from tesuji.knowledge.overlays import Overlay, PointMark

LARGEST_DIGIT = 9
MOST_LISTED = 10  # cells


def resistance_and_currents(connections, node, matrix, voltage, energy):
    resistance = solve_circuit(connections, node, matrix, voltage)
    add_currents(connections, voltage, energy)
    return resistance


def circuit_overlay(position: AssessedPosition, state: State, _arguments: Sequence[str]) -> Overlay:
    """The energy of a cell, the sum of both currents through it, as a digit: 9 the most on this board."""
    marks, lines = fill_marks(position), fill_legend(position)
    energy = np.zeros(position.width * position.height)
    title = "Energy of the cells in the circuits of both players"
    if position.winner is not None:
        lines.append(f"{NAMES[position.winner]} wins: there is no circuit to speak of")
        return board_overlay("circuit", title, state, marks, lines, {"winner": NAMES[position.winner]})
    resistances = []
    for player in (BLACK, WHITE):
        connections = position.connections(player)
        resistances.append(float(compiled(resistance_and_currents)(connections, *new_circuit_work(connections), energy)))
    most = max(float(energy.max()), 1e-9)
    ranked = sorted(position.empty, key=lambda cell: -energy[position.number(cell)])
    for cell in position.empty:
        marks[cell] = PointMark(str(int(LARGEST_DIGIT * energy[position.number(cell)] / most)), "energy")
    value = float(compared(*resistances))
    lines.append(
        f"resistance: Black {resistances[BLACK]:.3f}, White {resistances[WHITE]:.3f}; evaluation for Black {value:+.3f}"
    )
    lines.append(
        "most energy: " + " ".join(f"{cell_text(*cell)} {energy[position.number(cell)]:.3f}" for cell in ranked[:MOST_LISTED])
    )
    data = {
        "resistance": dict(zip(NAMES, resistances, strict=True)),
        "evaluation": value,
        "energy": {cell_text(*cell): float(energy[position.number(cell)]) for cell in ranked},
    }
    return board_overlay("circuit", title, state, marks, lines, data)

"""The circuits of both players (circuit.py), drawn on the board: how much current flows through each cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tesuji.core.game import State
from tesuji.core.numba.registration import compiled
from tesuji.games.hex.state import BLACK, WHITE
from tesuji.games.hex.text import cell_text
from tesuji.knowledge.hex.circuit import add_currents, compared, new_circuit_work, solve_circuit
from tesuji.knowledge.hex.facts import Facts
from tesuji.knowledge.hex.showing import NAMES, fill_legend, fill_marks, shown_on_board
from tesuji.knowledge.shown import PointMark, Shown

LARGEST_DIGIT = 9
MOST_LISTED = 10  # cells


def resistance_and_currents(known, node, matrix, voltage, energy):
    resistance = solve_circuit(known, node, matrix, voltage)
    add_currents(known, voltage, energy)
    return resistance


def show(facts: Facts, state: State, _arguments: Sequence[str]) -> Shown:
    """The energy of a cell, the sum of both currents through it, as a digit: 9 the most on this board."""
    marks, lines = fill_marks(facts), fill_legend(facts)
    energy = np.zeros(facts.width * facts.height)
    title = "Energy of the cells in the circuits of both players"
    if facts.winner is not None:
        lines.append(f"{NAMES[facts.winner]} wins: there is no circuit to speak of")
        return shown_on_board("circuit", title, state, marks, lines, {"winner": NAMES[facts.winner]})
    resistances = []
    for player in (BLACK, WHITE):
        known = facts.known(player)
        resistances.append(float(compiled(resistance_and_currents)(known, *new_circuit_work(known), energy)))
    most = max(float(energy.max()), 1e-9)
    ranked = sorted(facts.empty, key=lambda cell: -energy[facts.number(cell)])
    for cell in facts.empty:
        marks[cell] = PointMark(str(int(LARGEST_DIGIT * energy[facts.number(cell)] / most)), "energy")
    value = float(compared(*resistances))
    lines.append(
        f"resistance: Black {resistances[BLACK]:.3f}, White {resistances[WHITE]:.3f}; evaluation for Black {value:+.3f}"
    )
    lines.append(
        "most energy: " + " ".join(f"{cell_text(*cell)} {energy[facts.number(cell)]:.3f}" for cell in ranked[:MOST_LISTED])
    )
    data = {
        "resistance": dict(zip(NAMES, resistances, strict=True)),
        "evaluation": value,
        "energy": {cell_text(*cell): float(energy[facts.number(cell)]) for cell in ranked},
    }
    return shown_on_board("circuit", title, state, marks, lines, data)

"""The circuit of one colour: how well his edges conduct, and how much current flows through each cell.

After Anshelevich (2002) and its later form in Wolve: the nodes are the points of his virtual connections, namely empty cells,
chains and the two edges. Two points with a full connection are joined by a link: of conductance 1 between empty cells, 2
between an empty cell and a chain or edge, each divided by 1 + the number of cells that all their full connections need. Chains
and edges are not linked with each other: the cells between them conduct. One ampere enters at the first edge and leaves at the
second; the resistance is the voltage at the first.

All numbers come from additions, multiplications and divisions in a fixed order, so they are the same, bit for bit, compiled and
in pure Python. That is why the linear system is solved here, and the logarithm is our own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.knowledge.hex.bitsets import load, points_in
from tesuji.knowledge.hex.connections.lists import (
    ABSENT,
    EMPTY_CELL,
    FULLS,
    OF_FULLS,
    ONE_END,
    OTHER_END,
    PAIR_NUMBERS,
    PAIR_SETS,
    PAIRS_USED,
    Connections,
)

BETWEEN_CELLS = 1.0  # conductances
CELL_TO_STONES = 2.0
NO_LINK = 0.0
NOTHING = 1e-9  # a pivot below this is a rounding error: the node is not joined with the sink
CUT_OFF = 1e6  # the resistance if no link leads from edge to edge; that takes an arena too small for the neighbours
LIMIT = 10.0  # of the evaluation
LOG_2 = 0.6931471805599453
LOG_TERMS = 16  # of the series, which gains more than 1.5 digits a term
NO_NODE = -1


class CircuitWork(NamedTuple):
    """Room for the circuit of one colour at a time."""

    node: np.ndarray  # int64[point]: its row in the matrix
    matrix: np.ndarray  # float64[row * rows + column]
    voltage: np.ndarray  # float64[point], 0 at the second edge


def new_circuit_work(connections: Connections) -> CircuitWork:
    points = int(connections.points)
    return CircuitWork(np.zeros(points, np.int64), np.zeros(points * points), np.zeros(points))


@kernel
def conductance(connections, pair):
    """Of the link between the two points of a pair."""
    first = pair * PAIR_NUMBERS
    if connections.pairs[first + FULLS] == 0:
        return NO_LINK
    one, other = (
        connections.status[connections.pairs[first + ONE_END]],
        connections.status[connections.pairs[first + OTHER_END]],
    )
    value = NO_LINK
    if one == EMPTY_CELL and other == EMPTY_CELL:
        value = BETWEEN_CELLS
    elif one == EMPTY_CELL or other == EMPTY_CELL:
        value = CELL_TO_STONES
    return value / (1.0 + np.float64(points_in(load(connections.kind, connections.common, pair * PAIR_SETS + OF_FULLS))))


@called_kernel
def solve_circuit(connections, node, matrix, voltage):
    """The resistance between the edges of a colour whose connections are known; `voltage` has that of every point."""
    rows = number_nodes(connections, node)
    write_conductances(connections, node, matrix, rows)
    return solve(matrix, voltage, node, rows, connections.points)


@kernel
def number_nodes(connections, node):
    """Gives rows to all points but the sink, the second edge; the source, the first edge, gets the last one."""
    rows = np.int64(0)
    for point in range(connections.points - 1):
        node[point] = NO_NODE
        if connections.status[point] != ABSENT:
            node[point] = rows
            rows += 1
    node[connections.points - 1] = NO_NODE
    return rows


@kernel
def write_conductances(connections, node, matrix, rows):
    """The upper half of the matrix G of Kirchhoff's law G V = I: conductances with a minus, and their sums."""
    pairs = connections.pairs
    for i in range(rows * rows):
        matrix[i] = 0.0
    for pair in range(1, connections.counts[PAIRS_USED]):
        value = conductance(connections, pair)
        if value > 0.0:
            one, other = node[pairs[pair * PAIR_NUMBERS + ONE_END]], node[pairs[pair * PAIR_NUMBERS + OTHER_END]]
            low, high = min(one, other), max(one, other)
            if low != NO_NODE:
                matrix[low * rows + high] -= value
                matrix[low * rows + low] += value
            if high != NO_NODE:
                matrix[high * rows + high] += value


@kernel
def solve(matrix, voltage, node, rows, points):
    """Gauss elimination without pivoting: the matrix is symmetric, and positive definite on all that the sink is joined with.

    All current enters at the last row. So elimination leaves the right side as it is, and the resistance is one over the last
    pivot.
    """
    for k in range(rows - 1):
        pivot = matrix[k * rows + k]
        if pivot < NOTHING:
            continue
        inverse = 1.0 / pivot
        for i in range(k + 1, rows):
            if matrix[k * rows + i] != 0.0:
                factor = matrix[k * rows + i] * inverse
                for j in range(i, rows):
                    matrix[i * rows + j] -= factor * matrix[k * rows + j]
    for point in range(points):
        voltage[point] = 0.0
    last = matrix[rows * rows - 1]
    if last < NOTHING:
        return CUT_OFF
    # The rows from the last up; for now row k has its voltage at place k.
    voltage[rows - 1] = 1.0 / last
    for k in range(rows - 2, -1, -1):
        pivot = matrix[k * rows + k]
        if pivot >= NOTHING:
            total = 0.0
            for j in range(k + 1, rows):
                total -= matrix[k * rows + j] * voltage[j]
            voltage[k] = total / pivot
    for point in range(points - 1, -1, -1):  # rows never exceed their points, so none is overwritten before it is read
        voltage[point] = voltage[node[point]] if node[point] != NO_NODE else 0.0
    return 1.0 / last


@called_kernel
def add_currents(connections, voltage, energy):
    """Adds the current through each empty cell, half of the sum over its links, to its energy."""
    pairs = connections.pairs
    cells = connections.points - 2
    for pair in range(1, connections.counts[PAIRS_USED]):
        value = conductance(connections, pair)
        if value > 0.0:
            one, other = np.int64(pairs[pair * PAIR_NUMBERS + ONE_END]), np.int64(pairs[pair * PAIR_NUMBERS + OTHER_END])
            current = 0.5 * value * abs(voltage[one] - voltage[other])
            if one < cells and connections.status[one] == EMPTY_CELL:
                energy[one] += current
            if other < cells and connections.status[other] == EMPTY_CELL:
                energy[other] += current


@kernel
def compared(black, white):
    """The evaluation for Black, given both resistances: the logarithm of White's over his, within LIMIT."""
    return min(max(natural_log(white) - natural_log(black), -LIMIT), LIMIT)


@kernel
def natural_log(x):
    """Of a positive number, by ln m = 2 artanh((m - 1) / (m + 1)) for m within a factor 1.42 of 1."""
    halvings = 0
    while x > 1.4142135623730951:
        x *= 0.5
        halvings += 1
    while x < 0.7071067811865476:
        x *= 2.0
        halvings -= 1
    ratio = (x - 1.0) / (x + 1.0)
    square = ratio * ratio
    total = 0.0
    for term in range(LOG_TERMS - 1, -1, -1):
        total = total * square + 1.0 / (2.0 * term + 1.0)
    return 2.0 * ratio * total + LOG_2 * halvings

"""The prior of moves in the tree: the product of the strengths of their features, as shares of all moves (features.py).

The paper's player has the sum of a pattern's two strengths instead, one for anywhere on the board and one near the last move
(Huang et al. 2013, section 4.4).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.knowledge.hex.geometry import place_of
from tesuji.knowledge.hex.patterns.features import (
    EDGE_FEATURES,
    LAST_CLASSES,
    LOCAL,
    NO_KEY,
    NO_LAST,
    SHAPE,
    cell_of,
    edge_feature,
    keys_of,
    last_class,
    outer_ring,
)
from tesuji.knowledge.hex.patterns.open_addressing import find_key, open_addressing


class FeatureTable(NamedTuple):
    """Strengths by key, by open addressing, and those of the two small families."""

    keys: np.ndarray  # uint64; NO_KEY = a free place
    gammas: np.ndarray  # float64, parallel to keys; 1 at free places
    shift: np.uint64  # 64 - the bits of a place
    last: np.ndarray
    edges: np.ndarray


@kernel
def strength_of(table, board, column, row, width, height, last_column, last_row, player):
    """The product of the strengths of a move's features. A last_column below 0: there is no last move."""
    place = place_of(column, row)
    columns, rows = last_column - column, last_row - row
    cell = cell_of(columns, rows) if last_column >= 0 else np.int64(-1)
    shape, six, reply, large = keys_of(board["codes"][place], outer_ring(board["colours"], place), cell, player)
    at = find_key(table.keys, table.shift, shape)
    if table.keys[at] == NO_KEY:
        at = find_key(table.keys, table.shift, six)
    strength = table.gammas[at]
    if reply != NO_KEY:
        strength *= table.gammas[find_key(table.keys, table.shift, reply)]
    strength *= table.gammas[find_key(table.keys, table.shift, large)]
    strength *= table.last[last_class(columns, rows, player) if last_column >= 0 else NO_LAST]
    return strength * table.edges[edge_feature(column, row, width, height, player)]


@kernel
def summed_strength_of(table, board, column, row, last_column, last_row, player):
    """The strength of the move's pattern, and the one that it has near the last move if it is near. Unknown patterns have 1 and
    0.

    Of each kind the 12-cell pattern counts, or the 6-cell pattern if the 12 cells are not known.
    """
    place = place_of(column, row)
    cell = cell_of(last_column - column, last_row - row) if last_column >= 0 else np.int64(-1)
    shape, six, _reply, _large = keys_of(board["codes"][place], np.uint32(0), np.int64(-1), player)
    at = find_key(table.keys, table.shift, shape)
    if table.keys[at] == NO_KEY:
        at = find_key(table.keys, table.shift, six)
    strength = table.gammas[at]
    if cell >= 0:
        at = find_key(table.keys, table.shift, shape | LOCAL)
        if table.keys[at] == NO_KEY:
            at = find_key(table.keys, table.shift, six | LOCAL)
        if table.keys[at] != NO_KEY:
            strength += table.gammas[at]
    return strength


# -- making tables -------------------------------------------------------------------------------------------------------------
def feature_table(keys: np.ndarray, gammas: np.ndarray, last: np.ndarray, edges: np.ndarray) -> FeatureTable:
    """The table of features with these strengths."""
    assert len(last) == LAST_CLASSES and len(edges) == EDGE_FEATURES
    table, places, shift = open_addressing(keys)
    values = np.ones(len(table))
    values[places] = gammas
    return FeatureTable(table, values, shift, last, edges)


def summed_table(codes: np.ndarray, gammas: np.ndarray, local_codes: np.ndarray, local_gammas: np.ndarray) -> FeatureTable:
    """The table for `summed_strength_of`."""
    keys = np.concatenate([codes.astype(np.uint64) | SHAPE, local_codes.astype(np.uint64) | SHAPE | LOCAL])
    none = np.ones(LAST_CLASSES), np.ones(EDGE_FEATURES)
    return feature_table(keys, np.concatenate([gammas, local_gammas]), *none)

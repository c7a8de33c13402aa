"""Features of a move of Go beside its pattern (Coulom 2007): captures, threats, distances to the last two moves and the edge.

A move has one feature of each family, or none, which is number 0 and has strength 1. The strength of a move is the product of
the strengths of its features and of its pattern; it is played with a probability in proportion to that.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.games.go.state import NOWHERE
from tesuji.knowledge.go.tactics import (
    ATARI,
    ATARI_IN_KO,
    CAPTURE,
    CAPTURE_MORE,
    DISTANCE_1,
    DISTANCE_2,
    DISTANCE_3,
    EMPTY_AREA,
    EMPTY_EDGE,
    EXTEND,
    LADDER,
    LADDER_RUN,
    RESCUE,
    SELF_ATARI,
    SHAPE_3X3,
    line_of,
    steps_between,
)

FAMILIES = ("capture", "escape", "atari", "self_atari", "shape_3x3", "empty", "along_strings", "last", "second_last", "line")
FARTHEST = 17  # from the last two moves, columns + rows + the larger of both: what is farther counts as this far
HIGHEST_LINE = 6
FEATURES = FARTHEST  # of a family at most, "none" included
FAMILY_COUNT = len(FAMILIES)


@kernel
def feature_of(family, tactics, state, point):
    """The number of a move's feature in a family. `tactics` are those of the move (tactics.py)."""
    if family == 0:
        captured = 2 if tactics & CAPTURE_MORE != 0 else 1 if tactics & CAPTURE != 0 else 0
        return captured + 2 if tactics & RESCUE != 0 else captured
    if family == 1:
        return 1 if tactics & EXTEND != 0 else 2 if tactics & LADDER_RUN != 0 else 0
    if family == 2:
        threat = 2 if tactics & ATARI_IN_KO != 0 else 1 if tactics & ATARI != 0 else 0
        return threat + 3 if tactics & LADDER != 0 else threat
    if family == 3:
        return 1 if tactics & SELF_ATARI != 0 else 0
    if family == 4:
        return 1 if tactics & SHAPE_3X3 != 0 else 0
    if family == 5:
        return 1 if tactics & EMPTY_AREA != 0 else 2 if tactics & EMPTY_EDGE != 0 else 0
    if family == 6:
        return 1 if tactics & DISTANCE_1 != 0 else 2 if tactics & DISTANCE_2 != 0 else 3 if tactics & DISTANCE_3 != 0 else 0
    if family == 7:
        return distance_feature(state, point, np.int64(state["last_move"]))
    if family == 8:
        return distance_feature(state, point, np.int64(state["second_last_move"]))
    return min(HIGHEST_LINE, line_of(state, point))


@kernel
def distance_feature(state, point, move):
    """1 for the points next to an earlier move; 0 if there was none, or it was a pass."""
    if move < 0 or state["point_of"][move] == NOWHERE:
        return 0
    return min(FARTHEST, max(2, steps_between(point, np.int64(state["point_of"][move])))) - 1


@kernel
def strength_of_features(strengths, tactics, state, point):
    """The product of the strengths of a move's features. strengths[family, feature]"""
    product = 1.0
    for family in range(FAMILY_COUNT):
        product *= strengths[family, feature_of(family, tactics, state, point)]
    return product

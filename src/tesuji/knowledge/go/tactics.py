"""Tactics of Go at a glance, for moves that enter the tree: captures, extensions, ataris, self-ataris, ladders.

These are the rules of section 2 of Chaslot et al. 2009. Each test looks at one move of the player to move; which extensions
escape from a ladder is worked out for the whole position before.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.games.go.legality import is_legal
from tesuji.games.go.state import BOARD, NEIGHBOURS, NOWHERE, STONES, STRIDE
from tesuji.knowledge.go.ladders import is_captured_in_ladder
from tesuji.knowledge.go.liberties import at_most_one_liberty_besides, first_liberties, self_atari
from tesuji.knowledge.go.urgency import touches_atari

# What a move does, as bits: `tactics_of` says which.
TACTICS = ("capture", "capture_more", "rescue", "extend", "ladder_run", "atari", "atari_in_ko", "self_atari")
CAPTURE, CAPTURE_MORE, RESCUE, EXTEND, LADDER_RUN, ATARI, ATARI_IN_KO, SELF_ATARI = (1 << n for n in range(len(TACTICS)))

BEST_LINE = 3  # the optimum distance to the border (19x19)
NEXT_TO, FAR_OFF = 2, 10  # columns + rows + the larger of both, to a point next to it, and where nearness ends
EXTENSIONS = np.dtype([("at", np.uint8, (BOARD,))])  # by empty point: EXTEND, LADDER_RUN
NO_EXTENSIONS = np.zeros(1, EXTENSIONS)[0]


@kernel
def read_extensions(extensions, state):
    """Marks the points that extend an own string in atari, by whether it escapes: EXTEND or LADDER_RUN."""
    head = state["head"]
    colour = state["colour"]
    point_of = state["point_of"]
    player = np.int64(state["to_play"])
    size = np.int64(state["size"])
    for move in range(size * size):
        prey = np.int64(point_of[move])
        if head[prey] != prey or colour[prey] != player + 1 or state["atari_at"][prey] == 0:
            continue
        liberty = first_liberties(state, prey)[1]
        if is_legal(state, liberty, player):
            extensions["at"][liberty] |= LADDER_RUN if is_captured_in_ladder(state, prey, liberty) else EXTEND


@kernel
def tactics_of(extensions, state, point):
    """What a legal move on `point` does, in bits. `extensions` are those that `read_extensions` has marked."""
    colour = state["colour"]
    head = state["head"]
    atari_at = state["atari_at"]
    strings = state["strings"]
    player = np.int64(state["to_play"])
    own = player + 1
    found = np.int64(extensions["at"][point])
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        string = np.int64(head[neighbour])
        if colour[neighbour] == 3 - own:
            if atari_at[string] != 0:
                found |= CAPTURE_MORE if strings[string, STONES] > 1 else CAPTURE
                if touches_atari(state, string):
                    found |= RESCUE
            elif at_most_one_liberty_besides(state, string, point):
                found |= ATARI if state["ko"] == NOWHERE else ATARI | ATARI_IN_KO
    if found & CAPTURE_MORE != 0:
        found &= ~CAPTURE
    if found & (CAPTURE | CAPTURE_MORE) == 0 and self_atari(state, point, player) != NOWHERE:
        found |= SELF_ATARI
    return found


@kernel
def line_of(state, point):
    """The line that a point is on, counted from the nearest edge: 1 is the edge."""
    size = np.int64(state["size"])
    row, column = point // STRIDE, point % STRIDE
    return min(min(row, column), min(size + 1 - row, size + 1 - column))


@kernel
def closeness_to_best_line(line):
    """1 on the third line, a third less with each line from there."""
    return max(0.0, 1.0 - abs(line - BEST_LINE) / BEST_LINE)


@kernel
def nearness(state, point, move):
    """1 next to the point of an earlier move, 0 from FAR_OFF on; 0 for a pass or -1."""
    if move < 0 or state["point_of"][move] == NOWHERE:
        return 0.0
    steps = steps_between(point, np.int64(state["point_of"][move]))
    return min(1.0, max(0.0, (FAR_OFF - steps) / (FAR_OFF - NEXT_TO)))


@kernel
def steps_between(point, other):
    """Columns + rows + the larger of both: NEXT_TO for a point next to the other."""
    rows, columns = abs(point // STRIDE - other // STRIDE), abs(point % STRIDE - other % STRIDE)
    return rows + columns + max(rows, columns)

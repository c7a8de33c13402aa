"""Tactics of Go at a glance, for moves that enter the tree: captures, extensions, ataris, self-ataris, ladders, distances.

These are the rules of section 2 of Chaslot et al. 2009, and the distances that other programs use. Each test looks at one move
of the player to move; what concerns the whole position (ladders, distances from the last move) is worked out once before.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.games.go.legality import is_legal
from tesuji.games.go.state import BOARD, EMPTY, NEIGHBOURS, NOWHERE, STONES, STRIDE
from tesuji.knowledge.go.ladders import empty_neighbours, is_captured_in_ladder
from tesuji.knowledge.go.liberties import at_most_one_liberty_besides, first_liberties, self_atari
from tesuji.knowledge.go.nearest_patterns import EDGE, WIDTH, place_on_board
from tesuji.knowledge.go.patterns import fits_pattern
from tesuji.knowledge.go.urgency import touches_atari

# What a move does, as bits: `tactics_of` says which.
TACTICS = ("capture", "capture_more", "rescue", "extend", "ladder_run", "atari", "atari_in_ko", "ladder", "self_atari")
TACTICS += ("distance_1", "distance_2", "distance_3", "shape_3x3", "empty_area", "empty_edge")
CAPTURE, CAPTURE_MORE, RESCUE, EXTEND, LADDER_RUN, ATARI, ATARI_IN_KO, LADDER, SELF_ATARI = (1 << n for n in range(9))
DISTANCE_1, DISTANCE_2, DISTANCE_3, SHAPE_3X3, EMPTY_AREA, EMPTY_EDGE = (1 << n for n in range(9, 15))

FAR = 4  # the distance of everything that `measure_distances` does not reach
BEST_LINE = 3  # the optimum distance to the border (19x19)
NEXT_TO, FAR_OFF = 2, 10  # columns + rows + the larger of both, to a point next to it, and where nearness ends


def steps_within(most: int) -> np.ndarray:
    """The steps on the board that patterns see to all points that are so many rows and columns away, or fewer."""
    reach = range(-most, most + 1)
    return np.array([row * WIDTH + column for row in reach for column in reach if 0 < abs(row) + abs(column) <= most], np.int64)


AREA = steps_within(3)
OVERVIEW = np.dtype(
    [
        ("ladder", np.uint8, (BOARD,)),  # by empty point: EXTEND, LADDER_RUN, LADDER
        ("distance", np.int8, (BOARD,)),  # by point: from the last move, as `measure_distances` says; 0 = FAR
        ("queue", np.int16, (BOARD,)),
        ("tactics", np.int16, (BOARD,)),  # by empty point: what a move there does, for whoever needs it twice
    ],
    align=True,
)
EMPTY_OVERVIEW = np.zeros(1, OVERVIEW)[0]


@kernel
def read_ladders(overview, state):
    """Marks the moves that extend a string in atari, by whether it escapes, and those that begin a ladder which works."""
    ladder = overview["ladder"]
    head = state["head"]
    colour = state["colour"]
    point_of = state["point_of"]
    player = np.int64(state["to_play"])
    size = np.int64(state["size"])
    for move in range(size * size):
        prey = np.int64(point_of[move])
        if head[prey] != prey:
            continue
        count, one, other = first_liberties(state, prey)
        is_own = colour[prey] == player + 1
        if count != (1 if is_own else 2):
            continue
        for _ in range(count):
            # Where running on to `other` gives three liberties at once there is no ladder.
            if is_legal(state, one, player) and (is_own or free_besides(state, other, one) < 3):
                captured = is_captured_in_ladder(state, prey, one)
                if is_own:
                    ladder[one] |= LADDER_RUN if captured else EXTEND
                elif captured:
                    ladder[one] |= LADDER
            one, other = other, one


@kernel
def free_besides(state, point, other):
    """How many empty points are next to `point` if a stone is put on the empty point `other`."""
    count = empty_neighbours(state, point)
    for i in range(4):
        count -= point + NEIGHBOURS[i] == other
    return count


@kernel
def tactics_of(overview, board, state, point):
    """What a legal move on `point` does, in bits. `board` is the position as patterns see it."""
    colour = state["colour"]
    head = state["head"]
    atari_at = state["atari_at"]
    strings = state["strings"]
    player = np.int64(state["to_play"])
    own = player + 1
    found = np.int64(overview["ladder"][point])
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
    distance = distance_from_last(overview, point)
    if distance < FAR:
        found |= DISTANCE_1 << (distance - 1)
    if fits_pattern(state, point, player):
        found |= SHAPE_3X3
    line = line_of(state, point)
    if line <= BEST_LINE and is_in_empty_area(board, place_on_board(point)):
        found |= EMPTY_AREA if line == BEST_LINE else EMPTY_EDGE
    return found


@kernel
def measure_distances(overview, state):
    """The distances of points from the last move, up to 3, all stones of a string being one point (the common fate graph)."""
    last = np.int64(state["last_move"])
    if last < 0 or state["point_of"][last] == NOWHERE:
        return
    distance = overview["distance"]
    queue = overview["queue"]
    colour = state["colour"]
    head = state["head"]
    next_stone = state["next_stone"]
    start = np.int64(state["point_of"][last])
    # Distances are kept plus 1, as 0 stands for what was not reached.
    filled = 0
    stone = start
    while True:
        distance[stone] = 1
        queue[filled] = stone
        filled += 1
        stone = np.int64(next_stone[stone])
        if stone == start:
            break
    at = 0
    while at < filled:
        point = np.int64(queue[at])
        at += 1
        here = np.int64(distance[point])
        if here == FAR:
            return
        for i in range(4):
            near = point + NEIGHBOURS[i]
            if distance[near] != 0:
                continue
            if colour[near] == EMPTY:
                distance[near] = here + 1
                queue[filled] = near
                filled += 1
            elif head[near] != NOWHERE:
                stone = near
                while True:
                    distance[stone] = here + 1
                    queue[filled] = stone
                    filled += 1
                    stone = np.int64(next_stone[stone])
                    if stone == near:
                        break


@kernel
def distance_from_last(overview, point):
    """1 to 3; FAR for what is farther, or if there is no last move."""
    found = np.int64(overview["distance"][point])
    return FAR if found == 0 else found - 1


@kernel
def is_in_empty_area(board, place):
    """Whether no stone is within three steps."""
    for i in range(len(AREA)):
        who = board[place + AREA[i]]
        if EMPTY < who < EDGE:
            return False
    return True


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

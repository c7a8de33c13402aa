"""Moves that the player to move need not consider on the filled board: reversible and dominated cells.

Which may be left out together? Let R be the cells that are reversible for the mover, by windows or by a graph, and let every
other cell that is left out have a chain of dominating cells that ends in one that is kept. Then a position that he wins has a
winning move that is kept:

- Dominance is about the position itself: if c wins, so does d. So it is enough to find a winning move outside R.
- If c in R wins, let the opponent answer with r, which reverses c. The mover, say Black, still wins, and would win with white
  stones on both: so some move m outside {c, r} wins on the board with these white stones, and on the board without. If m is
  in R too, the same goes on from the board with the white stones. Facts about m hold there: more white stones do not matter,
  as they were allowed for; and if they have taken its r, White needs no answer. Every step fills a cell, so the last m is
  outside R, and wins on the board without the white stones.

So reversible cells need no order among themselves, and only dominance can run in circles: one cell of each is kept.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import called_kernel, kernel
from tesuji.core.numba.bits import lowest_bit
from tesuji.knowledge.hex.geometry import EMPTY, PLACES, move_of_place, place_of
from tesuji.knowledge.hex.inferior.board import MOST_RELATIONS, NO_CELL
from tesuji.knowledge.hex.inferior.fill_in import NONE, ONE, rim_number
from tesuji.knowledge.hex.inferior.player_graph import LATER, is_covered, set_words
from tesuji.knowledge.hex.inferior.windows import AREA_SIZES, AREA_STEPS

KEPT, REVERSIBLE, DOMINATED = 0, 1, 2  # in work["pruned"]


@called_kernel
def prune_inferior(tables, work, player):
    """Marks in work["pruned"] the empty cells that the player to move need not consider; returns how many cells are kept.

    To be called after `fill_in`, if nobody has joined his edges on the filled board. If no cell is kept, the player has lost.
    A kept move that wins on the filled board also wins in the position that was filled.
    """
    begin_pruning(work)
    for row in range(work["height"]):
        for place in range(place_of(0, row), place_of(work["width"], row)):
            if work["colours"][place] == EMPTY:
                judge_by_windows(tables, work, place, player)
                judge_by_graph(work, place, player)
    return leave_out_dominated(work)


@called_kernel
def prune_by_windows(tables, work, player):
    """The same without graphs, after `fill_in_by_windows`."""
    begin_pruning(work)
    for row in range(work["height"]):
        for place in range(place_of(0, row), place_of(work["width"], row)):
            if work["colours"][place] == EMPTY:
                judge_by_windows(tables, work, place, player)
    return leave_out_dominated(work)


@kernel
def begin_pruning(work):
    pruned, leader = work["pruned"], work["leader"]
    work["relation_count"] = 0
    for place in range(PLACES):
        pruned[place] = KEPT
        leader[place] = NO_CELL


@kernel
def judge_by_windows(tables, work, place, player):
    """Notes what the windows whose first cell is `place` show."""
    images = tables.may_prune[player, work["rings"][place]]
    while images != NONE:
        image = lowest_bit(images)
        images &= images - ONE
        number = rim_number(tables, work, image, place)
        if number <= 0:
            continue
        facts = tables.words[player, tables.first[image] + number]
        if facts == 0:
            continue
        size = AREA_SIZES[image]
        bits = np.int64(facts) >> size
        pairs = size * (size - 1)
        at = 0
        for one in range(size):
            for other in range(size):
                if one != other:
                    cell = place + AREA_STEPS[image, one]
                    if bits >> (pairs + at) & 1 != 0:
                        note_reversible(work, cell, place + AREA_STEPS[image, other])
                    elif bits >> at & 1 != 0:
                        note_dominance(work, cell, place + AREA_STEPS[image, other])
                    at += 1


@kernel
def judge_by_graph(work, place, player):
    """Notes what the graphs show of `place`, and of it and the later cells within two steps."""
    colours, near, killer = work["colours"], work["near"], work["killer"]
    width = work["width"]
    words = set_words(work)
    cell = move_of_place(place, width)
    if killer[player, place] != NO_CELL:
        note_reversible(work, place, killer[player, place])
    for i in range(len(LATER)):
        other = place + LATER[i]
        if colours[other] != EMPTY:
            continue
        second = move_of_place(other, width)
        if is_covered(near, 1 - player, cell, second, words):
            note_reversible(work, place, other)
        if is_covered(near, 1 - player, second, cell, words):
            note_reversible(work, other, place)
        if is_covered(near, player, cell, second, words):
            note_dominance(work, place, other)
        if is_covered(near, player, second, cell, words):
            note_dominance(work, other, place)


@kernel
def note_reversible(work, place, answer):
    """Notes that the opponent answers a move on `place` with one on `answer`, after which it is of no use."""
    work["pruned"][place] = REVERSIBLE
    work["leader"][place] = answer


@kernel
def note_dominance(work, place, better):
    """Notes that a move on `better` is at least as good as one on `place`. What there is no room for is forgotten."""
    if work["relation_count"] < MOST_RELATIONS:
        work["relations"][work["relation_count"]] = place * PLACES + better
        work["relation_count"] += 1


@kernel
def leave_out_dominated(work):
    """Leaves out every dominated cell from which dominance leads to a kept one; returns how many cells are kept."""
    colours, pruned, leader, relations = work["colours"], work["pruned"], work["leader"], work["relations"]
    for i in range(work["relation_count"]):
        place, better = np.int64(relations[i]) // PLACES, np.int64(relations[i]) % PLACES
        if pruned[place] != KEPT:
            continue
        while pruned[better] == DOMINATED:
            better = np.int64(leader[better])
        if pruned[better] == KEPT and better != place:
            pruned[place] = DOMINATED
            leader[place] = better
    kept = 0
    for row in range(work["height"]):
        for place in range(place_of(0, row), place_of(work["width"], row)):
            if colours[place] == EMPTY and pruned[place] == KEPT:
                kept += 1
    return kept

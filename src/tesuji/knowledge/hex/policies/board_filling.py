"""Games played until the board is full, which is quicker than to look for the winner after each move.

Stones that are placed after the game is won cannot change who has joined their sides. So a playout fills the board, and the
winner is found once, by a walk along the line that separates the stones joined with Black's top edge from those joined with
White's left edge: it begins at the corner between the two, and ends at the bottom if Black has won, at the right if White has.

Two kinds of playouts are here: all moves equally likely, and the same with bridges saved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tesuji.core.dispatch import implements, kernel
from tesuji.core.random import below
from tesuji.games.hex.state import LARGEST
from tesuji.knowledge.hex.geometry import (
    BLACK_STONE,
    CLOCKWISE,
    COLUMN_MASK,
    EMPTY,
    MARGIN,
    PLACES,
    RING,
    ROW_SHIFT,
    STEPS,
    colour_position,
    move_of_place,
    place_of,
    place_of_move,
)
from tesuji.search.policy import begin_playout, play_whole_game, played, playout_move, plays_whole_games

NOWHERE = -1
RING_MASK = (1 << RING) - 1
NOTES = (
    ("colours", np.uint8, (PLACES,)),
    ("places", np.int32, (LARGEST * LARGEST + 1,)),  # the empty ones, `empty` of them
    ("at", np.int32, (PLACES,)),  # where each is in that list
    ("empty", np.int64),
)


class RandomFilling(NamedTuple):
    """All empty cells are equally likely."""

    NOTES = NOTES


class SaveBridges(NamedTuple):
    """The same, but a bridge that the last move has attacked is saved (MoHex until 2011; Arneson, Hayward and Henderson
    2010).
    """

    NOTES = NOTES


# -- the operations of policies ------------------------------------------------------------------------------------------------
@implements(plays_whole_games, RandomFilling)
@implements(plays_whole_games, SaveBridges)
def fills_the_board(policy):
    return True


@implements(play_whole_game, RandomFilling)
def fill_at_random(policy, notes, state, rng, history, movers, ply):
    return fill_board(notes, state, rng, history, movers, ply, False)


@implements(play_whole_game, SaveBridges)
def fill_saving_bridges(policy, notes, state, rng, history, movers, ply):
    return fill_board(notes, state, rng, history, movers, ply, True)


@implements(begin_playout, RandomFilling)
@implements(begin_playout, SaveBridges)
def begin_filling(policy, notes, state):
    list_cells(notes, state)


@implements(playout_move, RandomFilling)
def random_cell(policy, notes, state, rng):
    return move_of_place(random_place(notes, rng), np.int64(state["width"]))


@implements(playout_move, SaveBridges)
def saving_cell(policy, notes, state, rng):
    place = bridge_to_save(notes["colours"], last_place(state), np.int64(state["to_play"]), rng)
    return move_of_place(place if place != NOWHERE else random_place(notes, rng), np.int64(state["width"]))


@implements(played, RandomFilling)
@implements(played, SaveBridges)
def note_move(policy, notes, state, move):
    if move >= state["width"] * state["height"]:
        list_cells(notes, state)  # a swap
        return
    take_place(notes, place_of_move(np.int64(move), np.int64(state["width"])), 1 - np.int64(state["to_play"]))


# -- parts ---------------------------------------------------------------------------------------------------------------------
@kernel
def fill_board(notes, state, rng, history, movers, ply, saves_bridges):
    """Plays on until the board is full; returns the number of moves of the whole game and who has won, +1 or -1."""
    width = np.int64(state["width"])
    player = np.int64(state["to_play"])
    last = last_place(state)
    colours = notes["colours"]
    list_cells(notes, state)
    for _ in range(np.int64(notes["empty"])):
        place = bridge_to_save(colours, last, player, rng) if saves_bridges else np.int64(NOWHERE)
        if place == NOWHERE:
            place = random_place(notes, rng)
        take_place(notes, place, player)
        history[ply] = move_of_place(place, width)
        movers[ply] = player
        ply += 1
        player = 1 - player
        last = place
    return ply, winner_of(colours, width, np.int64(state["height"]))


@kernel
def list_cells(notes, state):
    """Fills the notes: the colours of all places, and the empty ones."""
    colours, places, at = notes["colours"], notes["places"], notes["at"]
    width = np.int64(state["width"])
    colour_position(colours, state)
    count = 0
    for row in range(np.int64(state["height"])):
        for place in range(place_of(0, row), place_of(width, row)):
            places[count] = place
            at[place] = count
            count += 1 if colours[place] == EMPTY else 0
    notes["empty"] = count


@kernel
def random_place(notes, rng):
    return np.int64(notes["places"][below(rng, notes["empty"])])


@kernel
def take_place(notes, place, player):
    """Puts a stone on an empty place."""
    places, at = notes["places"], notes["at"]
    last = np.int64(notes["empty"]) - 1
    hole, moved = at[place], places[last]
    places[hole] = moved
    at[moved] = hole
    notes["empty"] = last
    notes["colours"][place] = player + 1


@kernel
def bridge_to_save(colours, last, player, rng):
    """A cell that restores a bridge of the player which the stone on `last` attacks, drawn if there are several; or NOWHERE.

    Around that stone, such a cell lies between two of the player's own stones or border cells.
    """
    if last == NOWHERE:
        return np.int64(NOWHERE)
    own, empty = 0, 0
    for i in range(RING):
        colour = np.int64(colours[last + STEPS[CLOCKWISE[i]]])
        own |= (1 if colour & 3 == player + 1 else 0) << i
        empty |= (1 if colour == EMPTY else 0) << i
    after = (own << 1 | own >> (RING - 1)) & RING_MASK
    before = (own >> 1 | own << (RING - 1)) & RING_MASK
    saving = empty & after & before
    if saving == 0:
        return np.int64(NOWHERE)
    count = 0
    for i in range(RING):
        count += saving >> i & 1
    chosen = below(rng, count) if count > 1 else 0
    for i in range(RING):
        if saving >> i & 1 != 0:
            if chosen == 0:
                return np.int64(last + STEPS[CLOCKWISE[i]])
            chosen -= 1
    return np.int64(NOWHERE)


@kernel
def last_place(state):
    """The place of the last stone; NOWHERE if there is none, or it was swapped."""
    last = np.int64(state["last_move"])
    return place_of_move(last, np.int64(state["width"])) if last >= 0 else np.int64(NOWHERE)


@kernel
def winner_of(colours, width, height):
    """+1 if Black has joined top and bottom on a full board, -1 if White has joined left and right."""
    right, under = width + MARGIN, height + MARGIN
    black, white = place_of(0, -1), place_of(-1, 0)  # neighbours; the line passes between them
    before = place_of(-1, -1)  # the place that the line comes from
    while True:
        ahead = black + white - before  # the other common neighbour of the two
        if ahead >> ROW_SHIFT >= under:
            return 1
        if ahead & COLUMN_MASK >= right:
            return -1
        if colours[ahead] & 3 == BLACK_STONE:
            before = black
            black = ahead
        else:
            before = white
            white = ahead

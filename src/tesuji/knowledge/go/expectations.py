"""Initial expectations for moves in Go, which RAVE starts with (`prior_games`).

Captures and rescues promise something, self-atari little, moves near the last one more than others, and the edge without a
stone nearby hardly anything. The numbers are rough guesses; a few real games soon outweigh them.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.games.go.state import EMPTY, NEIGHBOURS, NOWHERE, STONES, STRIDE
from tesuji.knowledge.go.liberties import at_most_one_liberty_besides, self_atari
from tesuji.knowledge.go.urgency import is_hopeless, touches_atari

NOTHING, EMPTY_EDGE, BAD_SHAPE = 0.5, 0.2, 0.1
GIVES_ATARI, RESCUES, CAPTURES, CAPTURES_MUCH = 0.6, 0.8, 0.8, 0.95
NEAR, NEXT_TO = 0.08, 0.12  # added within three steps of the last move, and within two


@kernel
def expect(state, moves, count, ratings, games):
    """Rates the value of each move that is kept, but for a pass, for the player to move, as that of so many games."""
    point_of = state["point_of"]
    size = np.int64(state["size"])
    last = np.int64(state["last_move"])
    for i in range(count):
        move = np.int64(moves[i])
        point = np.int64(point_of[move])
        if point == NOWHERE or not ratings[i]["kept"]:
            continue
        ratings[i]["games"] = games
        value = expectation(state, point, np.int64(state["to_play"]), size)
        if 0 <= last < size * size:
            steps = abs(move % size - last % size) + abs(move // size - last // size)
            value += NEXT_TO if steps <= 2 else NEAR if steps == 3 else 0.0
        ratings[i]["value"] = min(value, 1.0)


@kernel
def expectation(state, point, player, size):
    """Of a stone on an empty point, without regard to the last move."""
    colour = state["colour"]
    head = state["head"]
    atari_at = state["atari_at"]
    strings = state["strings"]
    own = player + 1
    best = NOTHING
    for k in range(4):
        neighbour = point + NEIGHBOURS[k]
        who = colour[neighbour]
        string = np.int64(head[neighbour])
        if who == 3 - own:
            if atari_at[string] != 0:
                much = strings[string, STONES] > 1 or touches_atari(state, string)
                best = max(best, CAPTURES_MUCH if much else CAPTURES)
            elif at_most_one_liberty_besides(state, string, point):
                best = max(best, GIVES_ATARI)
        elif who == own and atari_at[string] != 0 and not is_hopeless(state, point, own):
            best = max(best, RESCUES)
    if best < CAPTURES and self_atari(state, point, player) != NOWHERE:
        return BAD_SHAPE
    if best == NOTHING and is_lonely_edge(colour, point, size):
        return EMPTY_EDGE
    return best


@kernel
def is_lonely_edge(colour, point, size):
    """Whether a point is on the first line and no stone is around it."""
    row, column = point // STRIDE - 1, point % STRIDE - 1
    if row != 0 and column != 0 and row != size - 1 and column != size - 1:
        return False
    for k in range(4):
        neighbour = point + NEIGHBOURS[k]
        if colour[neighbour] == 1 or colour[neighbour] == 2:
            return False
        if colour[neighbour] == EMPTY:
            for j in range(4):
                beyond = colour[neighbour + NEIGHBOURS[j]]
                if beyond == 1 or beyond == 2:
                    return False
    return True

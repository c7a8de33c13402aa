"""The random player of a semeai that Cazenave and Saffidine compute with (games/semeai/probability.py), as a playout policy."""

from __future__ import annotations

from typing import NamedTuple

from tesuji.core.dispatch import implements
from tesuji.core.random import below, unit
from tesuji.core.rules import moves
from tesuji.search.playout import playout_move


class LibertyPlayout(NamedTuple):
    """Captures if it can; else plays elsewhere with the game's own probability; else fills any liberty, its own included.

    So the share of games that the side to move wins is win_probability of the position. With one liberty left to it, and
    nothing to capture, the side to move may only fill the opponent's, and loses all the same.
    """


@implements(playout_move, LibertyPlayout)
def liberty_move(policy, state, buffer, rng):
    sizes = state["sizes"]
    liberties = state["liberties"]
    player = state["to_play"]
    points = moves(state, buffer)  # liberties in order of their numbers, and elsewhere at the end if it is a move at all
    if liberties[1 - player] == 1:
        for i in range(points):
            is_second = buffer[i] >= sizes[0]
            if is_second != (player == 1):  # the first one listed that belongs to the opponent is the one to capture
                return buffer[i]
    if state["elsewhere"] > 0.0:
        points -= 1
        if unit(rng) < state["elsewhere"]:
            return buffer[points]
    return buffer[below(rng, points)]

"""A reader of ladders: whether a string that is chased, one atari after the other, is captured.

The attacker plays on one of the two liberties of the string, each time with atari. The string runs to its last liberty, or
takes an attacking string in atari that touches it. It has escaped once it has three liberties, or is not in atari after an
attacker's move; it is captured if it stays in atari after its own. Both sides try all such moves, MOST_MOVES in all: a
string that is not captured by then has escaped.
"""

from __future__ import annotations

import numpy as np

from tesuji.core.dispatch import kernel
from tesuji.core.numba.local_copies import local_copy, local_zeros
from tesuji.games.go.legality import is_suicide
from tesuji.games.go.state import EMPTY, NEIGHBOURS, NOWHERE
from tesuji.games.go.strings import last_liberty, put_stone
from tesuji.knowledge.go.liberties import first_liberties

MOST_MOVES = 300  # that are tried in one ladder; a ladder across a 19x19 board has about 70
LINE = np.dtype(
    [
        ("moves", np.int16, (MOST_MOVES + 2,)),  # the line that is being read
        ("tried", np.int16, (MOST_MOVES + 2,)),  # the moves tried before, at each place of it
    ]
)
EMPTY_LINE = np.zeros(1, LINE)[0]


@kernel
def is_captured_in_ladder(state, prey, first):
    """Whether the string of the stone `prey` is captured after a legal move on `first` of the player to move.

    He is the attacker, who begins on one of two liberties, or the owner of the string, who saves it from atari.
    """
    line = local_zeros(EMPTY_LINE)
    moves, tried = line["moves"], line["tried"]
    hunted = np.int64(state["colour"][prey]) - 1
    attacks = state["to_play"] != hunted  # who makes the first move of the line
    board = local_copy(state)
    moves[0] = first
    played, depth = 0, 1  # moves on the board, moves of the line
    for _ in range(MOST_MOVES):
        while played < depth:
            player = 1 - hunted if attacks == (played % 2 == 0) else hunted
            board["ko"] = put_stone(board, np.int64(moves[played]), player)
            played += 1
        is_attackers_turn = attacks == (depth % 2 == 0)
        move = np.int64(NOWHERE)
        captured = False
        if is_attackers_turn:
            count, one, other = first_liberties(board, prey)
            captured = count == 1
            if count == 2:
                move = attack(board, one, other, 1 - hunted, np.int64(tried[depth]))
        elif board["atari_at"][board["head"][prey]] != 0:
            move = defence(board, prey, hunted, np.int64(tried[depth]))
            captured = move == NOWHERE
        if move != NOWHERE:
            moves[depth] = move
            depth += 1
            tried[depth] = 0
            continue
        # The line ends: back to the last move that another could be tried for.
        while True:
            if depth == 1:
                return captured
            depth -= 1
            is_attackers_turn = not is_attackers_turn
            if is_attackers_turn != captured:
                break
        tried[depth] += 1
        board = local_copy(state)
        played = 0
    return False


@kernel
def attack(state, one, other, player, number):
    """The attacker's move of this number, the point where the string would gain more first; NOWHERE if there is none."""
    if empty_neighbours(state, other) > empty_neighbours(state, one):
        one, other = other, one
    if may_play(state, one, player):
        if number == 0:
            return one
        number -= 1
    if number == 0 and may_play(state, other, player):
        return other
    return NOWHERE


@kernel
def defence(state, prey, player, number):
    """The move of this number of a string in atari: to its last liberty, or taking a string in atari that touches it."""
    head = state["head"]
    colour = state["colour"]
    atari_at = state["atari_at"]
    next_stone = state["next_stone"]
    run = last_liberty(state, np.int64(head[prey]))
    if may_play(state, run, player):
        if number == 0:
            return run
        number -= 1
    at = np.int64(prey)
    before = run
    while True:
        for i in range(4):
            touched = at + NEIGHBOURS[i]
            if colour[touched] == 2 - player and atari_at[head[touched]] != 0:
                take = last_liberty(state, np.int64(head[touched]))
                if take != run and take != before and may_play(state, take, player):
                    if number == 0:
                        return take
                    number -= 1
                    before = take
        at = np.int64(next_stone[at])
        if at == prey:
            return NOWHERE


@kernel
def may_play(state, point, player):
    """Whether a move is legal, superko aside."""
    return point != state["ko"] and not is_suicide(state, point, player)


@kernel
def empty_neighbours(state, point):
    colour = state["colour"]
    count = 0
    for i in range(4):
        count += colour[point + NEIGHBOURS[i]] == EMPTY
    return count

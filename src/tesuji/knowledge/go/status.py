"""Which stones of a Go position are dead, told by playing it out many times and looking at who owns their points then.

The playouts are Crazy Stone's with one exception. That policy never passes while it has a move, so it breaks every seki in the
end: one side fills a shared liberty and is taken. Here a player does not put a large string of his own into atari without
taking something; small ones he may sacrifice, for that is how stones inside a dead group's eye space kill it.
"""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.dispatch import kernel
from tesuji.core.game import Game, State, copy_state
from tesuji.core.numba.registration import compiled
from tesuji.core.picture.board import Point
from tesuji.core.random import make_rng
from tesuji.games.go.state import BOARD, BORDER, EMPTY, NEIGHBOURS, NOWHERE, STONES, STRIDE
from tesuji.knowledge.go.crazystone import CrazyStone, pass_move
from tesuji.knowledge.go.liberties import is_first_touch, self_atari
from tesuji.search.policy import notes_type, playout_move

ALIVE, DEAD, SEKI = "alive", "dead", "seki"
PLAYOUTS = 400
MOST = 0.5  # of the playouts: a string whose points are then the other player's is dead
CLEAR = 0.65  # of the playouts: enough to call a point nobody's
LARGE = 5  # stones that nobody sacrifices
TRIES = 6  # draws of a move, before a player passes rather than give a large string away
BLACKS, WHITES, NOBODYS = 0, 1, 2  # columns of the counts


def point_status(game: Game, state: State, playouts: int = PLAYOUTS, seed: int = 0) -> dict[Point, str]:
    """Each stone's point -> alive, dead or seki. The stones of a string share their fate.

    A position that is over is looked at as if it were not. Each player begins half of the playouts, so whether a string
    lives does not depend on who is to move.
    """
    counts = _owner_counts(state, playouts, seed)
    shares = counts / max(1, playouts)
    colour, head = state["colour"], state["head"]
    size = game.board.columns if game.board is not None else int(state["size"])
    points = {(row + 1) * STRIDE + column + 1: (column, row) for row in range(size) for column in range(size)}
    strings: dict[int, list[int]] = {}
    for point in points:
        if colour[point] != EMPTY:
            strings.setdefault(int(head[point]), []).append(point)
    status = {}
    for stones in strings.values():
        owner = int(colour[stones[0]]) - 1
        liberties = {near for stone in stones for step in NEIGHBOURS if colour[near := stone + step] == EMPTY}
        if np.mean(shares[stones, 1 - owner]) > MOST:
            found = DEAD
        elif any(shares[liberty, NOBODYS] >= CLEAR for liberty in liberties) and not _has_two_eyes(shares, liberties, owner):
            found = SEKI
        else:
            found = ALIVE
        for stone in stones:
            status[points[stone]] = found
    return status


def ownership(game: Game, state: State, playouts: int = PLAYOUTS, seed: int = 0) -> dict[Point, float]:
    """How often each point ends up Black's, less how often White's: from -1 to 1."""
    counts = _owner_counts(state, playouts, seed)
    size = int(state["size"])
    points = {(column, row): counts[(row + 1) * STRIDE + column + 1] for row in range(size) for column in range(size)}
    return {point: float(found[BLACKS] - found[WHITES]) / max(1, playouts) for point, found in points.items()}


def _has_two_eyes(shares: np.ndarray, liberties: set[int], owner: int) -> bool:
    """Whether two of a string's liberties are clearly its owner's: a shared liberty is then an ordinary neutral point."""
    return sum(shares[liberty, owner] >= CLEAR for liberty in liberties) >= 2


def _owner_counts(state: State, playouts: int, seed: int) -> np.ndarray:
    """How many of the playouts end with each point Black's, White's and nobody's: int64[BOARD, 3]."""
    start = copy_state(state)
    start["passes"] = 0
    start["ply"] = 0
    work = np.zeros(1, state.dtype)
    policy = CrazyStone(useless_rules=True, prior_games=0)
    notes = np.zeros(1, notes_type(type(policy), int(state["size"]) ** 2 + 1))[0]
    counts = np.zeros((BOARD, 3), np.int64)
    with np.errstate(over="ignore"):
        compiled(count_owners)(policy, notes, start, work, make_rng(seed), playouts, counts)
    return counts


def count_owners(policy, notes, start, work, rng, playouts, counts):
    """Plays out from `start` in `work` and counts the owners of all points at the end."""
    for number in range(playouts):
        work[0] = start
        state = work[0]
        if number % 2 == 1:
            state["to_play"] = 1 - state["to_play"]
            state["ko"] = NOWHERE
        while not rules.is_over(state):
            move = pass_move(state)
            for _ in range(TRIES):
                drawn = playout_move(policy, notes, state, rng)
                if not gives_away(state, drawn):
                    move = drawn
                    break
            rules.play(state, move)
        add_owners(state, counts)
    return 0


@kernel
def gives_away(state, move):
    """Whether a move puts a large string of the mover's own into atari and takes nothing."""
    colour = state["colour"]
    head = state["head"]
    strings = state["strings"]
    player = np.int64(state["to_play"])
    point = np.int64(state["point_of"][move])
    if point == NOWHERE:
        return False
    stones = 1
    for i in range(4):
        neighbour = point + NEIGHBOURS[i]
        if colour[neighbour] == player + 1:
            if is_first_touch(head, point, i):
                stones += np.int64(strings[head[neighbour], STONES])
        elif colour[neighbour] == 2 - player and state["atari_at"][head[neighbour]] != 0:
            return False
    return stones >= LARGE and self_atari(state, point, player) != NOWHERE


@kernel
def add_owners(state, counts):
    """A stone owns its point, stones of one colour alone the empty point between them; other points are nobody's."""
    colour = state["colour"]
    for move in range(pass_move(state)):
        point = np.int64(state["point_of"][move])
        who = np.int64(colour[point])
        if who == EMPTY:
            reached = BORDER
            for i in range(4):
                reached &= np.int64(colour[point + NEIGHBOURS[i]])
            who = reached
        if who == EMPTY:
            counts[point, NOBODYS] += 1
        else:
            counts[point, who - 1] += 1

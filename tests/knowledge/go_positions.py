"""Go positions from pictures, urgencies read off the policy, and whole playouts, for the tests of Go's policies."""

from __future__ import annotations

import numpy as np

from tesuji.core import rules
from tesuji.core.numba.registration import compiled
from tesuji.core.random import make_rng
from tesuji.games.go.state import STRIDE
from tesuji.games.registry import find_game
from tesuji.knowledge.go.urgency import POINT_BITS, POINT_MASK, UNIT, is_open, list_extras, urgency
from tesuji.search.policy import RATING, notes_type, playout_move, rate_moves

COLUMNS = "ABCDEFGHJ"


def picture(text, to_move="X", options=""):
    """The game and the position: X is Black, O White, everything else empty; the top row first."""
    rows = text.split()
    game = find_game(f"go:{len(rows)}{options}")
    stones = {
        (column, len(rows) - 1 - number): "XO".index(sign)
        for number, row in enumerate(rows)
        for column, sign in enumerate(row)
        if sign in "XO"
    }
    return game, game.board.set_up(game.initial, stones, "XO".index(to_move))


def point(name):
    return np.int64(int(name[1:]) * STRIDE + COLUMNS.index(name[0]) + 1)


def name_of(point):
    return f"{COLUMNS[point % STRIDE - 1]}{point // STRIDE}"


def slow_urgencies(state):
    """Point -> urgency of the player to move, where it is not zero, straight from the text."""
    own = np.int64(state["to_play"]) + 1
    points = [np.int64(p) for p in state["empties"][: state["empty_count"]]]
    found = {int(p): int(urgency(state, p, own)) for p in points}
    return {p: u for p, u in found.items() if u > 0}


def fast_urgencies(game, state):
    """The same as the playouts see it."""
    player = np.int64(state["to_play"])
    buffer = np.zeros(game.buffer_size, np.int32)
    count, units = list_extras(state, player, buffer)
    points = [np.int64(p) for p in state["empties"][: state["empty_count"]]]
    found = {int(p): 1 for p in points if is_open(state, p, player)}
    for entry in buffer[:count]:
        p, own_units = int(entry) & POINT_MASK, int(entry) >> POINT_BITS
        assert p in found and found[p] == 1 and own_units > 0
        found[p] += UNIT * own_units
    assert sum(found.values()) == len(found) + UNIT * units
    return found


def notes_for(policy, game):
    """A record for `playout_move` to make its notes in."""
    return np.zeros(1, notes_type(policy, game.buffer_size))[0]


def ratings_of(policy, state, moves):
    """What the policy says of the moves, begun as the search begins ratings."""
    ratings = np.zeros(len(moves), RATING)
    ratings["value"], ratings["rave"], ratings["kept"] = 0.5, True, True
    rate_moves(policy, state, np.array(moves, np.int32), len(moves), ratings)
    return ratings


def run_policy(policy, state, legal, notes, rng, made, draws, counts):
    """Plays to the end and returns the number of moves, and of those among them that the rules do not list.

    With `draws`, so many moves are drawn from the one position and counted. Both in one kernel: it is compiled once.
    """
    ply, illegal, drawn = 0, 0, 0
    while not rules.is_over(state):
        move = playout_move(policy, notes, state, rng)
        if draws > 0:
            counts[move] += 1
            drawn += 1
            if drawn == draws:
                break
            continue
        found = False
        for i in range(rules.moves(state, legal)):
            found = found or legal[i] == move
        illegal += 0 if found else 1
        made[ply] = move
        rules.play(state, move)
        ply += 1
    return ply, illegal


def run(policy, game, start, seed, draws, kernel):
    state = np.zeros(1, game.initial.dtype)
    state[0] = start
    legal, notes = np.zeros(game.buffer_size, np.int32), notes_for(policy, game)
    made, counts = np.zeros(game.max_plies, np.int32), np.zeros(game.move_count, np.int64)
    plies, illegal = kernel(policy, state[0], legal, notes, make_rng(seed), made, draws, counts)
    return int(plies), int(illegal), made.tolist(), counts.tolist(), state.tobytes()


def playout(policy, game, seed, pure=False):
    """Moves played, illegal ones, the moves, and the last position."""
    plies, illegal, made, _, last = run(policy, game, game.initial, seed, 0, run_policy if pure else compiled(run_policy))
    return plies, illegal, made[:plies], last

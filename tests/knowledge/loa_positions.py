"""Positions of Lines of Action for the tests of its players, as sets of points and as states."""

from __future__ import annotations

import random
from functools import cache

import numpy as np

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.knowledge.registry import make_policy
from tesuji.players.presets import find_player
from tesuji.search.policy import RATING, notes_type, rate_moves

GAME = find_game("loa")


def set_of(points):
    return np.uint64(sum(1 << (8 * row + column) for column, row in points))


def points_of(bits):
    return {(n % 8, n // 8) for n in range(64) if int(bits) >> n & 1}


@cache
def positions():
    """Positions of random games, after all sorts of numbers of moves, some of one side with few pieces."""
    found = []
    for seed in range(8):
        chooser, state = random.Random(seed), GAME.new_state()
        for ply in range(120):
            if rules.is_over(state):
                break
            if ply % 5 == seed % 5:
                found.append((points_of(state["stones"][0]), points_of(state["stones"][1]), int(state["to_play"])))
            legal = GAME.legal_moves(state)
            captures = [m for m in legal if "x" in GAME.text(state, m)]
            rules.play(state, chooser.choice(captures or legal if chooser.random() < 0.6 else legal))
    for seed in range(120):
        chooser = random.Random(1000 + seed)
        low, high = seed % 4, 8 if seed % 3 else 8 - seed % 4  # some of them huddled
        low = low if high == 8 else 0
        squares = chooser.sample([(c, r) for c in range(low, high) for r in range(low, high)], 24)
        first, second = chooser.randint(1, 12), chooser.randint(1, 12)
        found.append((set(squares[:first]), set(squares[12 : 12 + second]), seed % 2))
    return found


def king(one, other):
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def near_the_end(count, mover_wins=0):
    """Positions with a few pieces near each other, the game not over, in many of which a move wins."""
    made = []
    seed = 0
    blank = find_game("loa:simultaneous=mover" if mover_wins else "loa").initial
    while len(made) < count:
        chooser = random.Random(seed)
        seed += 1
        room = [(c, r) for c in range(1, 6) for r in range(1, 6)]
        chooser.shuffle(room)
        split, end = chooser.randint(2, 8), chooser.randint(9, 16)
        stones = dict.fromkeys(room[:split], 0) | dict.fromkeys(room[split:end], 1)
        try:
            state = GAME.board.set_up(blank, stones, seed % 2)
        except UserError:
            continue
        if not rules.is_over(state):
            made.append(state)
    return made


def winners(state):
    """The moves after which the mover has won, by making them all."""
    found = []
    for move in GAME.legal_moves(state):
        after = np.zeros(1, state.dtype)
        after[0] = state
        rules.play(after[0], move)
        if after[0]["over"] and rules.outcome(after[0]) == (1 if state["to_play"] == 0 else -1):
            found.append(move)
    return found


def policy(player="mc-loa"):
    """The policy of a player string."""
    chosen = find_player(player)
    settings = chosen.settings_for(GAME)
    return make_policy(GAME, chosen.policies(GAME)[settings["policy"]], settings)


def notes_for(mine):
    """A record for `playout_move` to make its notes in."""
    return np.zeros(1, notes_type(mine, GAME.buffer_size))[0]


def priors_of(mine, state, legal):
    ratings = np.zeros(len(legal), RATING)
    rate_moves(mine, state, np.array(legal, np.int32), len(legal), ratings)
    return ratings["prior"]


def after(state, move):
    copy = np.zeros(1, state.dtype)
    copy[0] = state
    rules.play(copy[0], move)
    return copy[0]


def blocked_state():
    points = {("abcdefgh".index(s[0]), int(s[1]) - 1): 0 for s in ("a2", "b1", "b2", "g1", "g2", "h2", "d8")}
    return GAME.board.set_up(GAME.initial, points | {(0, 0): 1, (7, 0): 1}, 1)

"""Games in which positions come back: what a table that forgets the history may prove, against brute force with history.

The game: a token goes along the edges of a small graph, the players move it in turn. Some places end the game; a place that is
reached with the same player to move for the `limit`-th time is a draw.
"""

import random
from typing import NamedTuple

import numpy as np
import pytest

from tesuji.core import rules
from tesuji.core.dispatch import implements, state_type
from tesuji.core.game import Game, copy_state
from tesuji.search.alphabeta.engine import AlphaBeta
from tesuji.search.alphabeta.hooks import search_hash, skip_turn
from tesuji.search.alphabeta.options import ALPHABETA
from tesuji.search.policy import evaluate

PLACES, WIDEST = 8, 3
STATE = state_type(
    "token",
    [
        ("edges", np.int32, (PLACES, WIDEST)),
        ("degree", np.int32, (PLACES,)),  # 0 = the game ends here
        ("result", np.int32, (PLACES,)),
        ("seen", np.int32, (2, PLACES)),
        ("limit", np.int32),
        ("at", np.int32),
        ("to_play", np.int32),
    ],
)


def random_game(rng, places, limit) -> Game:
    start = np.zeros(1, STATE)[0]
    for place in range(places):
        if place > 0 and rng.random() < 0.35:
            start["result"][place] = rng.choice([-1, 1])
            continue
        targets = rng.sample(range(places), rng.randrange(1, WIDEST + 1))
        start["degree"][place] = len(targets)
        start["edges"][place, : len(targets)] = targets
    start["limit"] = limit
    start["seen"][0, 0] = 1
    return Game("token", start, (-1, 1), move_count=PLACES, max_plies=2 * PLACES * limit, max_moves=WIDEST)


@implements(rules.to_play, STATE)
def to_play(state):
    return state["to_play"]


@implements(rules.moves, STATE)
def moves(state, out):
    place = state["at"]
    for i in range(state["degree"][place]):
        out[i] = state["edges"][place, i]
    return state["degree"][place]


@implements(rules.play, STATE)
def play(state, move):
    state["at"] = move
    state["to_play"] = 1 - state["to_play"]
    state["seen"][state["to_play"], move] += 1


@implements(rules.is_over, STATE)
def is_over(state):
    return state["degree"][state["at"]] == 0 or state["seen"][state["to_play"], state["at"]] >= state["limit"]


@implements(rules.outcome, STATE)
def outcome(state):
    return state["result"][state["at"]] if state["degree"][state["at"]] == 0 else 0


class Forgetful(NamedTuple):
    """Its keys hold the token and who is to move, and nothing of what has been."""

    scale: float


@implements(search_hash, Forgetful)
def key_without_history(policy, state):
    return np.uint64(1 + 2 * state["at"] + state["to_play"]) * np.uint64(0x9E3779B97F4A7C15)


@implements(evaluate, Forgetful)
def evaluate_somehow(policy, state):
    return policy.scale * (np.float64(state["at"] * 37 % 11) - 5.0)


@implements(skip_turn, Forgetful)
def skip(policy, state):
    state["to_play"] = 1 - state["to_play"]
    return True


def brute_force(game, state) -> int:
    if rules.is_over(state):
        return int(rules.outcome(state))
    sign = 1 if rules.to_play(state) == 0 else -1
    best = -1
    for move in game.legal_moves(state):
        after = copy_state(state)
        rules.play(after, move)
        best = max(best, sign * brute_force(game, after))
        if best == 1:
            break
    return sign * best


@pytest.mark.parametrize("places, limit, seed", [(5, 2, 1), (6, 2, 9), (6, 2, 19), (4, 3, 4)])
def test_proofs_hold_with_the_history_of_the_game(places, limit, seed):
    rng = random.Random(seed)
    settings = ALPHABETA.settings({"memory": 0.01, "multi_cut": True, "multi_cut_moves": 2, "multi_cut_needed": 2})
    proven = 0
    for number in range(12 if limit == 2 else 5):
        game = random_game(rng, places, limit)
        search = AlphaBeta(game, None, settings, Forgetful(rng.choice([0.0, 1.0])), seed=number, pure=True)
        assert not search.options.exact_keys
        while not rules.is_over(search.state):
            truth = brute_force(game, search.state)
            result = search.run()
            assert result.lower <= truth <= result.upper
            proven += result.proven
            for report in result.moves:
                after = copy_state(search.state)
                rules.play(after, report.move)
                assert report.lower <= brute_force(game, after) <= report.upper
            if result.proven:
                after = copy_state(search.state)
                rules.play(after, result.best_move)
                assert brute_force(game, after) == truth
            search.advance(rng.choice(game.legal_moves(search.state)))
    assert proven > 5


def test_draws_are_not_kept_where_keys_forget():
    rng = random.Random(5)
    for _ in range(10):
        game = random_game(rng, 6, 2)
        search = AlphaBeta(game, None, ALPHABETA.settings({"memory": 0.01}), Forgetful(0.0), pure=True)
        search.run()
        entries = search.table[search.table["kind"] != 0]
        assert all((entry["lower"], entry["upper"]) in ((-1, -1), (1, 1), (-1, 1)) for entry in entries)

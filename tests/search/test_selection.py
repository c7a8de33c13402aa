"""The formula of selection, recomputed naively from the tree; and all moves as first, recounted from the games."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toytree import toy_game

from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.search.answer import children_of
from tesuji.search.engine import Search
from tesuji.search.options import SEARCH
from tesuji.search.selection import choose_child

WIDE = ("max", [("min", [("max", [0, 2]), 1])] * 5)


def expected(child, rave, parent, to_play, chosen, lowest=0, highest=2):
    """Q of the Bandit's docstring in plain Python."""
    n, m = int(child["visits"]), int(rave["visits"])
    sign = 1 if to_play == 0 else -1

    def scaled(x):
        return (x - lowest) / (highest - lowest)

    def for_mover(x):
        return scaled(x) if sign > 0 else 1 - scaled(x)

    if n == 0 and (m == 0 or not chosen["rave"]):
        value = chosen["first_play"]
    else:
        weight = m / (n + m + chosen["rave_bias"] * n * m) if chosen["rave"] and m else 0.0
        mean = for_mover(int(child["sum"]) / n) if n else 0.0
        value = (1 - weight) * mean + (weight * for_mover(int(rave["sum"]) / m) if weight else 0.0)
    if n or chosen["rave"]:
        value += chosen["exploration"] * math.sqrt(math.log(max(1, int(parent["visits"]))) / max(1, n))
    pess, opti = scaled(int(child["lower"])), scaled(int(child["upper"]))
    gamma, delta = chosen["pess_bias"], chosen["opti_bias"]
    bias = gamma * pess + delta * opti if sign > 0 else -gamma * opti - delta * pess
    if chosen["bias_decay"] > 0:
        bias *= chosen["bias_decay"] / (chosen["bias_decay"] + n)
    return value + bias


counts = st.tuples(st.integers(0, 50), st.integers(0, 50), st.sampled_from([(0, 2), (0, 1), (1, 2)]))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(counts, min_size=5, max_size=5),
    st.sampled_from([0, 1]),
    st.booleans(),
    st.floats(0, 2),
    st.sampled_from([0.0, 0.001, 0.1]),
    st.floats(-1, 1),
    st.floats(-1, 1),
    st.sampled_from([0.0, 20.0]),
    st.sampled_from([1e6, 0.5]),
)
def test_the_chosen_child_has_the_highest_value(stats, to_play, rave, exploration, rave_bias, gamma, delta, decay, first_play):
    chosen = SEARCH.settings(
        {
            "memory": 1.0,
            "rave": rave,
            "exploration": exploration,
            "rave_bias": rave_bias,
            "pess_bias": gamma,
            "opti_bias": delta,
            "bias_decay": decay,
            "first_play": first_play,
            "cuts": False,
            "probe_children": False,
        }
    )
    search = Search(toy_game(WIDE), settings=chosen, pure=True)
    search.run(Limits(playouts=1))
    nodes, first = search.tree.nodes, int(search.tree.nodes[0]["first_child"])
    nodes[0]["to_play"], nodes[0]["visits"] = to_play, max(1, sum(n for n, _, _ in stats))
    values = []
    table = search.tree.rave if rave else np.zeros(20, search.tree.rave.dtype)
    for i, (n, m, (lower, upper)) in enumerate(stats):
        child, entry = nodes[first + i], table[first + i]
        child["visits"], child["sum"], child["lower"], child["upper"] = n, (n * (7 * i % 3)) // 2, lower, upper
        entry["visits"], entry["sum"] = m, (m * (5 * i % 3)) // 2
        values.append(expected(child, entry, nodes[0], to_play, chosen))
    index = choose_child(search.rule, search.tree, 0, search.state, search.policy, search.scratches[0], search.options)
    assert values[index - first] == pytest.approx(max(values), rel=1e-9, abs=1e-9)


def test_all_moves_as_first_counts_games_with_the_move_now_or_later():
    """One game at a time: a child's count rises just if its mover made its move from there on."""
    game = find_game("tictactoe")
    chosen = SEARCH.settings({"memory": 1.0, "rave": True, "solver": "off", "expand_after": 1})
    search = Search(game, settings=chosen, seed=4, pure=True)
    for _ in range(150):
        before = search.tree.rave["visits"][: search.result(with_moves=False).nodes].copy()
        sums = search.tree.rave["sum"][: len(before)].copy()
        visits = search.tree.nodes["visits"][: len(before)].copy()
        search.run(Limits(playouts=1))
        scratch = search.scratches[0]
        path = [0]
        while True:
            step = [
                c
                for c in children_of(search.tree, path[-1])
                if search.tree.nodes[c]["visits"] > (visits[c] if c < len(visits) else 0)
            ]
            if not step:
                break
            path.append(step[0])
        score = int(search.tree.nodes[0]["sum"]) - getattr(search, "last_sum", 0)
        search.last_sum = int(search.tree.nodes[0]["sum"])
        made = played_moves(game, scratch, path, search)
        for depth, node in enumerate(path):
            mover = int(search.tree.nodes[node]["to_play"])
            later = {move for ply, (player, move) in enumerate(made) if ply >= depth and player == mover}
            for child in children_of(search.tree, node):
                rise = int(search.tree.rave[child]["visits"]) - (int(before[child]) if child < len(before) else 0)
                assert rise == (int(search.tree.nodes[child]["move"]) in later)
                gain = int(search.tree.rave[child]["sum"]) - (int(sums[child]) if child < len(sums) else 0)
                assert gain == rise * score


def played_moves(game, scratch, path, search):
    """The moves of the last game, replayed until it is over."""
    from tesuji.core import rules

    state = game.new_state()
    made = []
    while not rules.is_over(state):
        move = int(scratch.history[len(made)])
        made.append((int(rules.to_play(state)), move))
        rules.play(state, move)
    return made


def test_priors_come_from_the_policy():
    """Progressive bias: W P / (n + 1), with P as the policy writes it."""
    from typing import NamedTuple

    from tesuji.core.dispatch import implements
    from tesuji.search.playout import playout_move, set_priors, uniform_move

    class Keen(NamedTuple):
        """Likes move 3 best."""

    implements(playout_move, Keen)(uniform_move)

    @implements(set_priors, Keen)
    def keen(policy, state, candidates, count, priors):
        for i in range(count):
            priors[i] = 1.0 if candidates[i] == 3 else 0.0

    chosen = SEARCH.settings({"memory": 1.0, "solver": "off", "prior_weight": 50.0, "exploration": 0.0})
    search = Search(toy_game(WIDE), settings=chosen, policy=Keen(), pure=True)
    result = search.run(Limits(playouts=30))
    assert result.best_move == 3 and result.moves[0].prior == 1.0 and result.moves[1].prior == 0.0
    assert result.moves[0].visits > 20

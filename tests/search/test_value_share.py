"""What a policy expects of a position, backed up beside a playout's score or in its place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from toytree import toy_game

import tesuji
from tesuji.core.dispatch import implements
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.parameters import Settings
from tesuji.core.rules import random_move
from tesuji.games.registry import find_game
from tesuji.knowledge.network.file import LearnedNetwork, save_network
from tesuji.knowledge.network.network import NetworkShape, random_network
from tesuji.players.presets import find_player
from tesuji.search.engine.parameters import SEARCH
from tesuji.search.engine.tree_search import TreeSearch, final_move
from tesuji.search.kernel.tree import NOT_EXPECTED, ROOT, USED
from tesuji.search.policy import EXPECTATION, PRIOR, playout_move, rate_moves

OUTCOMES = (0, 4)
# Player 0 chooses first. All games end in 0 after the first move and in 4 after the second.
TREE = ("max", [("min", [("max", [0, 0]), ("max", [0, 0])]), ("min", [("max", [4, 4]), ("max", [4, 4])])])


class Expecting(NamedTuple):
    """Expects the same of every position, for the player to move; below 0 it says nothing."""

    result: float

    GIVES = (PRIOR, EXPECTATION)


@implements(playout_move, Expecting)
def any_move(policy, notes, state, rng):
    return random_move(state, notes["moves"], rng)


@implements(rate_moves, Expecting)
def expect_the_same(policy, state, moves, count, ratings):
    for i in range(count):
        ratings[i]["prior"] = 1.0 / count
    return policy.result


def searched(playouts, share, result=0.25, game=None, **values):
    settings = Settings(SEARCH, {"memory": 4.0, "solver": "off", "value_share": share, **values})
    search = TreeSearch(game or toy_game(TREE, OUTCOMES), settings=settings, policy=Expecting(result), seed=1, pure=True)
    search.run(Limits(playouts=playouts))
    return search


def children(search):
    return {
        int(search.tree.nodes[child]["move"]): search.tree.nodes[child] for child in final_move.children_of(search.tree, ROOT)
    }


def mean(search, node):
    return (node["sum"] / node["visits"] - search.options.scale.least) * search.options.scale.per_sum


def test_without_playouts_a_new_node_is_worth_what_is_expected_of_it():
    """The first simulation expands the root and then one child, whose mover is player 1: he expects a quarter for himself."""
    search = searched(1, 1.0)
    visited = [node for node in children(search).values() if node["visits"]]
    assert len(visited) == 1 and mean(search, visited[0]) == pytest.approx(0.75, abs=1e-3)
    assert visited[0]["child_count"] == 2  # it was expanded in the same simulation, whatever expand_after says
    assert mean(search, search.tree.nodes[ROOT]) == pytest.approx(0.75, abs=1e-3)
    assert search.tree.expectations[ROOT] == pytest.approx(0.25)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5])
def test_it_is_mixed_with_the_playout_as_the_share_says(share):
    """With late expansion only the root is rated: its mover, player 0, expects a quarter. Playouts end in 0 and 1."""
    search = searched(40, share, expand_after=100)
    means = {move: mean(search, node) for move, node in children(search).items()}
    assert means == {move: pytest.approx(share * 0.25 + (1 - share) * move, abs=1e-3) for move in (0, 1)}


def test_the_end_of_a_game_counts_as_it_is():
    search = searched(1, 1.0, game=toy_game(("max", [0, 4]), OUTCOMES))
    assert [mean(search, node) for move, node in children(search).items() if node["visits"]] in ([0.0], [1.0])


@pytest.mark.parametrize("result", [-1.0, 2.0, np.nan])
def test_to_expect_nothing_is_to_say_nothing_of_who_is_ahead(result):
    search = searched(1, 1.0, result)
    assert search.tree.expectations[ROOT] == NOT_EXPECTED
    assert mean(search, search.tree.nodes[ROOT]) == pytest.approx(0.5)


def test_bounds_and_proofs_go_on_beside_it():
    """The policy is sure of the opposite; the proof is right."""
    search = searched(200, 1.0, 1.0, solver="bounds", cuts=True)
    assert search.is_decided() and search.result().lower == search.result().upper == 4


def test_what_is_expected_is_kept_when_the_tree_moves_on_and_when_memory_runs_out():
    search = searched(60, 1.0, game=find_game("tictactoe"))
    kept = {}
    for child in final_move.children_of(search.tree, ROOT):
        kept[int(search.tree.nodes[child]["move"])] = float(search.tree.expectations[child])
    move = int(search.result().best_move or 0)
    search.advance(move)
    assert float(search.tree.expectations[ROOT]) == kept[move] == pytest.approx(0.75)
    small = searched(2_000, 0.5, game=find_game("connect4:7x6"), memory=0.02)
    used = small.tree.nodes[: int(small.tree.counters[USED])]
    assert small.was_full and len(used)
    expanded = np.flatnonzero(used["child_count"] > 0)
    assert np.all(np.isin(np.round(small.tree.expectations[expanded[expanded > 0]], 3), (0.25, 0.75)))


def test_a_policy_that_expects_nothing_refuses_it():
    with pytest.raises(UserError, match="value_share"):
        find_player("uct:value_share=0.5").settings_for(find_game("go:9"))
    with pytest.raises(UserError, match="whole outcomes"):
        searched(1, 0.5, selection="gaussian", game=find_game("go:5"))


def test_a_saved_search_goes_on_as_if_it_had_never_ended(tmp_path):
    game = find_game("tictactoe")
    shape = NetworkShape(game.encoding.planes, 1, 0, 8, 1, 0, 4, 8, 3)
    save_network(tmp_path / "network", LearnedNetwork("tictactoe", game.encoding.names, 1, random_network(shape, seed=3)))
    player = find_player("network:value_share=0.5,solver=off,memory=4").changed({"network": str(tmp_path / "network")})

    def search(playouts):
        one = player.search(game.start, seed=1)
        one.run(playouts=playouts)
        return one

    whole = search(80)
    search(40).save(tmp_path / "saved")
    again = tesuji.load(tmp_path / "saved", network=tmp_path / "network")
    again.run(playouts=40)
    one, other = (search.engine.tree.expectations[: int(search.engine.tree.counters[USED])] for search in (whole, again))
    assert again.engine.tree_hash() == whole.engine.tree_hash() and np.array_equal(one, other) and len({*one}) > 10

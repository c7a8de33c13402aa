"""A network beside MoHex's knowledge: the priors that it gives, and searches with studies, pruning and its value."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from checked_indices import indices_checked
from naive_network import naive_network, softmax

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import is_pure
from tesuji.games.registry import find_game
from tesuji.knowledge.hex.policies.studies import MoHexWithStudies, study_position
from tesuji.knowledge.network.file import LearnedNetwork, save_network
from tesuji.knowledge.network.network import NetworkShape, random_network
from tesuji.players.presets import find_player
from tesuji.search.policy import RATING, rate_moves, study

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
from naive_hex import winning_openings

GAME = find_game("hex:5")
SHAPE = NetworkShape(GAME.encoding.planes, 1, 1, 16, 2, 1, 4, 8, 3)
NETWORK = random_network(SHAPE, seed=2)
PLAYER = "hex:policy=network,study_after=6,expand_after=2"
SEARCHES = (
    PLAYER,
    f"{PLAYER},value_share=0.5,pattern_prior=1",
    f"{PLAYER},selection=puct,value_share=1",
    f"{PLAYER},selection=rave-prior,network_games=20,value_share=0.2",
)


@pytest.fixture
def path(tmp_path):
    save_network(tmp_path / "hex.network", LearnedNetwork("hex", GAME.encoding.names, 1, NETWORK))
    return str(tmp_path / "hex.network")


def player(text, path):
    return find_player(text).changed({"network": path, "memory": 1.0})


def rated(policy, state, game=GAME):
    moves = np.array(game.legal_moves(state), np.int32)
    ratings = np.zeros(len(moves), RATING)
    ratings["kept"] = True
    return rate_moves(policy, state, moves, len(moves), ratings), moves, ratings


@pytest.mark.parametrize("moves", [["b2", "c4", "d3"], ["b2", "c4", "d3", "a1"]])
def test_the_network_is_shared_out_among_the_moves_that_are_left(path, moves):
    policy = player(PLAYER, path).engine(GAME, pure=True).policy
    state = GAME.state_after(moves)
    value, moves, ratings = rated(policy, state)
    planes = GAME.encoding.empty()
    rules.planes(state, planes)
    logits, result = naive_network(NETWORK, planes, 1)
    chances, (win, draw, _loss) = softmax(logits[[rules.place(state, move) for move in moves]]), softmax(result)
    kept = ratings["kept"]
    assert 2 < np.count_nonzero(kept) < len(moves)
    assert ratings["prior"][kept] == pytest.approx(chances[kept] / chances[kept].sum(), abs=1e-5)
    assert value == pytest.approx(win + draw / 2, abs=1e-6)
    assert (ratings["games"] == 8).all() and not ratings["own_games"].any()  # as without a network: rave_games


def test_network_and_patterns_may_be_mixed(path):
    """Both are shares of all moves, so that each is half of it."""
    state = GAME.state_after(["b2", "c4"])

    def priors(of_network, of_patterns):
        chosen = player(f"{PLAYER},prune_new=off,network_prior={of_network},pattern_prior={of_patterns}", path)
        return rated(chosen.engine(GAME, pure=True).policy, state)[2]["prior"]

    network, patterns, both = priors(1, 0), priors(0, 1), priors(1, 1)
    assert both == pytest.approx((network + patterns) / 2) and both.sum() == pytest.approx(1)
    assert np.abs(network - patterns).max() > 0.01


def tree_of(player, pure=True):
    search = player.engine(GAME, seed=1, pure=pure)
    with np.errstate(over="ignore"):
        search.run(Limits(playouts=60))
    return search.tree_hash()


@pytest.mark.parametrize("text", SEARCHES)
def test_a_search_with_a_network_in_pure_python(path, text):
    """No index is out of range, and what the network says matters."""
    player(text, path).engine(GAME, pure=True)  # so that all kernels are loaded
    with indices_checked():
        tree = tree_of(player(text, path))
    assert tree != tree_of(player(text, path).changed({"network_temperature": 4.0}))


@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
def test_a_compiled_search_with_a_network_is_the_same(path):
    chosen = player(SEARCHES[1], path)
    assert tree_of(chosen, pure=False) == tree_of(chosen)


@pytest.mark.skipif(is_pure(), reason="threads run compiled code")
def test_two_threads_share_a_network(path):
    search = player(f"{SEARCHES[1]},threads=2", path).engine(GAME, seed=1)
    search.run(Limits(playouts=2000))
    assert search.result().playouts >= 2000 or search.is_decided()
    assert not search.policy.advice.taken.any() and not search.policy.mohex.workspaces.taken.any()


def test_what_a_search_proves_beside_a_network_is_right(path):
    game, winning = find_game("hex:3"), winning_openings(3, 3)
    for text in ("a1", "b1", "b2", "a3"):
        chosen = player("hex:policy=network,value_share=0.5,study_after=2", path)
        result = chosen.engine(game, game.state_after([text]), seed=1, pure=True).run(Limits(playouts=200))
        assert (result.lower, result.upper) == ((1, 1) if text in winning else (-1, -1))


def test_studies_go_on_beside_a_network(path, monkeypatch):
    """Positions with filled cells are evaluated, and no line of play leads to one."""
    seen = []

    def checked(policy, state, moves, count, kept):
        seen.append(int(np.count_nonzero(state["stones"][0] & state["stones"][1])))
        return study_position(policy, state, moves, count, kept)

    monkeypatch.setitem(study.implementations, MoHexWithStudies, checked)
    player(PLAYER, path).engine(find_game("hex:4"), seed=1, pure=True).run(Limits(playouts=100))
    assert len(seen) > 1 and not any(seen)


@pytest.mark.parametrize("size", [7, 13])
def test_the_network_of_the_package_serves_all_sizes(size):
    """The answer to a move on the edge is near the centre. Records begin on the edge: of a first move it says nothing."""
    game = find_game(f"hex:{size}")
    policy = find_player("hex:policy=network").engine(game, pure=True).policy
    value, moves, ratings = rated(policy, game.state_after(["a2"]), game)
    kept = ratings["kept"]
    assert ratings["prior"][kept].sum() == pytest.approx(1) and 0.3 < value < 0.8
    column, row = moves[kept][np.argmax(ratings["prior"][kept])] % size, moves[kept][np.argmax(ratings["prior"][kept])] // size
    assert abs(column - size // 2) <= 2 and abs(row - size // 2) <= 2
    value, _moves, ratings = rated(policy, game.initial, game)
    assert value < 0 and np.ptp(ratings["prior"]) == 0


def test_a_board_without_a_network_is_one_line():
    with pytest.raises(UserError, match="hex:3x4 does not say what a network sees of it") as error:
        find_player("hex:policy=network").engine(find_game("hex:3x4"), pure=True)
    assert "\n" not in str(error.value)

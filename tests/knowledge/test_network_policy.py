"""A network beside MoGo's knowledge: what it adds to the ratings, in a search, and what cannot be a player's network."""

from __future__ import annotations

import numpy as np
import pytest
from naive_network import naive_network, softmax

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.games.registry import find_game
from tesuji.knowledge import registry
from tesuji.knowledge.network.file import LearnedNetwork, save_network
from tesuji.knowledge.network.network import NetworkShape, random_network
from tesuji.knowledge.network.policy import NetworkAdvice, rate_by_network
from tesuji.players.presets import find_player
from tesuji.search.policy import RATING

GAME = find_game("go:5")
SHAPE = NetworkShape(GAME.encoding.planes, 1, 1, 16, 2, 1, 4, 8, 3)
NETWORK = random_network(SHAPE, seed=2)


@pytest.fixture
def path(tmp_path):
    save_network(tmp_path / "go.network", LearnedNetwork("go", GAME.encoding.names, 1, NETWORK))
    return str(tmp_path / "go.network")


def settings(path, **changes):
    return {parameter.name: parameter.default for parameter in NetworkAdvice.PARAMETERS} | {"network": path} | changes


@pytest.mark.parametrize("into", ["own", "rave", "both", "0"])
def test_what_a_network_adds(path, into):
    advice = NetworkAdvice.made_for(GAME, settings(path, network_into=into, network_prior=2.0, network_games=100.0))
    state = GAME.state_after(["c3", "b2"])
    moves = np.array(GAME.legal_moves(state), np.int32)
    ratings = np.zeros(len(moves), RATING)
    ratings["prior"], ratings["value"], ratings["games"], ratings["own_value"] = 0.25, 0.5, 10.0, 0.5
    value = rate_by_network(advice, state, moves, len(moves), ratings)
    planes = GAME.encoding.empty()
    rules.planes(state, planes)
    policy, result = naive_network(NETWORK, planes, 1)
    chances, (win, draw, _loss) = softmax(policy[moves]), softmax(result)
    assert value == pytest.approx(win + draw / 2, abs=1e-6) and not advice.taken.any()
    assert ratings["prior"] == pytest.approx(0.25 + 2 * chances, abs=1e-5)
    games = 100 * np.sqrt(chances)
    own, rave = into in ("own", "both"), into in ("rave", "both", "0")
    assert ratings["own_games"] == pytest.approx(games if own else 0 * games, abs=1e-4)
    assert ratings["games"] == pytest.approx(10 + games if rave else 10 + 0 * games, abs=1e-4)
    assert ratings["value"] == pytest.approx((5 + games) / (10 + games) if rave else 0.5 + 0 * games, abs=1e-5)


def test_every_thread_has_a_room_of_its_own(path):
    advice = NetworkAdvice.made_for(GAME, settings(path, threads=2))
    moves, ratings = np.array(GAME.legal_moves(GAME.initial), np.int32), np.zeros(26, RATING)
    advice.taken[0] = 1
    value = rate_by_network(advice, GAME.initial, moves, 26, ratings)
    assert value != 0.5 and ratings["prior"].sum() == pytest.approx(1) and list(advice.taken) == [1, 0]
    assert not advice.rooms.planes[0].any() and advice.rooms.planes[1].any()
    advice.taken[1] = 1
    assert rate_by_network(advice, GAME.initial, moves, 26, ratings) == 0.5


def test_a_search_with_a_network(path, monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    place = "tesuji.knowledge.go.network_mogo:NetworkMoGo"
    monkeypatch.setitem(registry.POLICIES, "go", registry.POLICIES["go"] | {"network": place})
    player = find_player("mogo").changed({"policy": "network"}).changed({"network": path, "memory": 1.0})
    hashes = []
    for _ in range(2):
        search = player.new_search(GAME, seed=3)
        search.run(Limits(playouts=60))
        hashes.append(search.tree_hash())
    plain = find_player("mogo").changed({"memory": 1.0}).new_search(GAME, seed=3)
    plain.run(Limits(playouts=60))
    assert hashes[0] == hashes[1] != plain.tree_hash()


def test_what_cannot_be_a_network_is_one_line(path, tmp_path):
    for value, game, message in (
        ("shipped", GAME, "no network comes with the package: name one for go by network=FILE"),
        (path, find_game("hex:5"), "is a network for go, not for hex"),
        (str(tmp_path / "none"), GAME, "cannot be read"),
    ):
        with pytest.raises(UserError) as error:
            NetworkAdvice.made_for(game, settings(value))
        assert message in str(error.value) and "\n" not in str(error.value)

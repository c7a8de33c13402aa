"""A network beside MoGo's knowledge: what it adds to the ratings, in a search, and what cannot be a player's network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from checked_indices import indices_checked
from naive_network import naive_network, softmax

from tesuji.cli.main import main
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.limits import Limits
from tesuji.core.numba.registration import is_pure
from tesuji.games.registry import find_game
from tesuji.knowledge.go.crazystone import pass_move
from tesuji.knowledge.network.file import PACKAGE, LearnedNetwork, load_network_for, save_network, shipped_networks
from tesuji.knowledge.network.network import NetworkShape, random_network
from tesuji.knowledge.network.policy import NetworkAdvice, rate_by_network
from tesuji.players.presets import find_player
from tesuji.search.policy import RATING, rate_moves

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
@pytest.mark.parametrize("value_games", [0.0, 20.0])
def test_what_a_network_adds(path, into, value_games):
    values = {"network_prior": 2.0, "network_games": 100.0, "network_value_games": value_games, "network_into": into}
    advice = NetworkAdvice.made_for(GAME, settings(path, **values))
    state = GAME.state_after(["c3", "b2"])
    moves = np.array(GAME.legal_moves(state), np.int32)
    ratings = np.zeros(len(moves), RATING)
    ratings["prior"], ratings["value"], ratings["games"], ratings["own_value"] = 0.25, 0.5, 10.0, 0.5
    value = rate_by_network(advice, state, moves, len(moves), ratings, moves[3])
    planes = GAME.encoding.empty()
    rules.planes(state, planes)
    policy, result = naive_network(NETWORK, planes, 1)
    chances, (win, draw, _loss) = softmax(policy[moves]), softmax(result)
    assert value == pytest.approx(win + draw / 2, abs=1e-6) and not advice.taken.any()
    assert ratings["prior"] == pytest.approx(0.25 + 2 * chances, abs=1e-5)
    games, won = 100 * np.sqrt(chances) + value_games, 100 * np.sqrt(chances) + value * value_games
    games[3], won[3] = 0, 0
    for uses, name, before in ((into in ("own", "both"), "own_", 1e-9), (into in ("rave", "both", "0"), "", 10)):
        assert ratings[f"{name}games"] == pytest.approx(before + uses * games, abs=1e-4)
        expected = (before / 2 + uses * won) / (before + uses * games)
        assert ratings[f"{name}value"] == pytest.approx(expected, abs=1e-5)


def test_every_thread_has_a_room_of_its_own(path):
    advice = NetworkAdvice.made_for(GAME, settings(path, threads=2))
    moves, ratings = np.array(GAME.legal_moves(GAME.initial), np.int32), np.zeros(26, RATING)
    advice.taken[0] = 1
    value = rate_by_network(advice, GAME.initial, moves, 26, ratings, -1)
    assert value != 0.5 and ratings["prior"].sum() == pytest.approx(1) and list(advice.taken) == [1, 0]
    assert not advice.rooms.planes[0].any() and advice.rooms.planes[1].any()
    advice.taken[1] = 1
    assert rate_by_network(advice, GAME.initial, moves, 26, ratings, -1) == 0.5


# -- the policy of Go with a network -------------------------------------------------------------------------------------------
BY_RAVE = "mogo:policy=network,prior_share=0,expand_after=2,network_value_games=10"
BY_PUCT = "mogo:policy=network,selection=puct,expand_after=2"


def player(text, path):
    return find_player(text).changed({"network": path})


def tree_of(player, pure=True):
    search = player.changed({"memory": 1.0}).engine(GAME, seed=1, pure=pure)
    with np.errstate(over="ignore"):
        search.run(Limits(playouts=100))
    return search.tree_hash()


@pytest.mark.parametrize(("text", "other"), [(BY_RAVE, "network_value_games"), (BY_PUCT, "network_prior")])
def test_a_search_with_a_network_in_pure_python(path, text, other):
    """No index is out of range, and what the network says matters."""
    player(text, path).engine(GAME, pure=True)  # so that all kernels are loaded
    with indices_checked():
        tree = tree_of(player(text, path))
    assert tree != tree_of(player(text, path).changed({other: 0.5}))


@pytest.mark.skipif(is_pure(), reason="there is no compiler in pure Python")
def test_a_compiled_search_with_a_network_is_the_same(path):
    assert tree_of(player(BY_RAVE, path), pure=False) == tree_of(player(BY_RAVE, path))


def test_a_pass_has_its_prior_but_no_games_of_the_network(path):
    chosen = player(BY_RAVE, path)
    policy = chosen.engine(GAME, pure=True).policy
    moves, ratings = np.array(GAME.legal_moves(GAME.initial), np.int32), np.zeros(26, RATING)
    ratings["kept"] = True
    rate_moves(policy, GAME.initial, moves, len(moves), ratings)
    passes = moves == pass_move(GAME.initial)
    assert chosen.settings_for(GAME)["even_games"] == 14 and (ratings["prior"] > 0).all()
    assert ratings["own_games"][passes] == [14] and (ratings["own_games"][~passes] > 24).all()


def test_a_network_of_a_large_size_serves_another_board(path):
    search = player(BY_RAVE, path).engine(find_game("go:7"), seed=1, pure=True)
    assert search.run(Limits(playouts=5)).playouts == 5


# -- which file ----------------------------------------------------------------------------------------------------------------
def test_networks_of_the_package():
    """They can be read, and of several the one for the nearest size of board is taken."""
    for path in PACKAGE.rglob("*.network"):
        word = path.parent.name
        size = int(path.stem.removeprefix(word))
        game = find_game(f"{word}:{size}")
        assert shipped_networks(game) == [path]
        assert load_network_for(game, path).shape.planes == game.encoding.planes
    assert shipped_networks(find_game("hex:11"))[0].name == "hex13.network"
    assert shipped_networks(find_game("hex:3x4")) == shipped_networks(find_game("tictactoe")) == []


def test_the_nearest_network_of_the_package(path, tmp_path, monkeypatch):
    monkeypatch.setattr("tesuji.knowledge.network.file.PACKAGE", tmp_path)
    assert shipped_networks(GAME) == []
    (tmp_path / "go").mkdir()
    for name in ("go9", "go19", "gone", "other"):
        (tmp_path / "go" / f"{name}.network").write_bytes(Path(path).read_bytes())
    for game, name in (("go:5", "go9"), ("go:13", "go9"), ("go:15", "go19"), ("go:19", "go19")):
        assert [path.stem for path in shipped_networks(find_game(game))] == [name]
    assert find_player("mogo:policy=network").engine(GAME, pure=True).policy.advice.games == 300


def test_what_cannot_be_a_network_is_one_line(path, tmp_path, monkeypatch):
    monkeypatch.setattr("tesuji.knowledge.network.file.PACKAGE", tmp_path)
    other, cut = tmp_path / "other", tmp_path / "cut"
    other.write_text("no network\n")
    cut.write_bytes(Path(path).read_bytes()[:-1])
    for value, game, message in (
        ("shipped", GAME, "no network for go comes with the package: name the file of one by network=FILE"),
        (f"{path}+{path}", GAME, "a player has one network: name the file of one by network=FILE"),
        (path, find_game("hex:5"), "is a network for go, not for hex"),
        (str(tmp_path / "none"), GAME, "cannot be read"),
        (str(other), GAME, "is not a network"),
        (str(cut), GAME, "is cut short or damaged"),
    ):
        with pytest.raises(UserError) as error:
            NetworkAdvice.made_for(game, settings(value))
        assert message in str(error.value) and "\n" not in str(error.value)


def test_only_the_command_line_names_a_network(path, capsys):
    with pytest.raises(UserError, match="names a file: only the command line can do that"):
        find_player(f"mogo:policy=network,network={path}")
    assert main(["analyze", "connect4", "--player", "uct:policy=network"]) == 2
    assert main(["analyze", "go:5", "--player", f"mogo:policy=network,network={path}x", "--playouts", "5"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and "no network for connect4 comes with the package" in lines[0] and "cannot be read" in lines[1]

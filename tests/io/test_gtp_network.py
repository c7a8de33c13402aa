"""What a network says, over GTP: KataGo's kata-raw-nn, and what an analysis tells of the position itself."""

import math
import re

import numpy as np
import pytest
from gtp_helpers import GO_PLAYER, Session

import tesuji
from tesuji.games.registry import find_game
from tesuji.knowledge.network.evaluation import evaluator_for
from tesuji.knowledge.network.file import LearnedNetwork, save_network
from tesuji.knowledge.network.network import NetworkShape, random_network
from tesuji.players.presets import find_player

pytestmark = pytest.mark.usefixtures("pure_gtp")


def parsed(text):
    """The values of each block, as somebody reads them who knows nothing of lines."""
    blocks = []
    for word in text.split():
        if word == "symmetry":
            blocks.append({})
        if re.fullmatch(r"[a-zA-Z]+", word) and word != "NAN":
            name = word
            blocks[-1][name] = []
        else:
            blocks[-1][name].append(float(word))
    return blocks


def test_what_the_network_says_of_go():
    session = Session("go:5", GO_PLAYER)
    session.ok("play b C2")
    (found,) = parsed(session.ok("kata-raw-nn 0"))
    assert list(found) == ["symmetry", "whiteWin", "whiteLoss", "noResult", "policy", "policyPass"]
    said = evaluator_for(find_game("go:5")).evaluate(session.engine.state)
    assert found["whiteWin"] == [pytest.approx(said.chance, abs=1e-6)] and found["noResult"] == [0]
    assert found["whiteWin"][0] + found["whiteLoss"][0] == pytest.approx(1)
    policy = found["policy"]
    assert len(policy) == 25 and [place for place, prior in enumerate(policy) if math.isnan(prior)] == [17]
    assert policy[3] == pytest.approx(said.priors[23], abs=1e-6) and policy[21] == pytest.approx(said.priors[1], abs=1e-6)
    assert found["policyPass"] == [pytest.approx(said.priors[25], abs=1e-6)]
    assert 1 == pytest.approx(sum(p for p in policy if not math.isnan(p)) + said.priors[25], abs=1e-4)
    images = parsed(session.ok("kata-raw-nn ALL"))
    assert [one["symmetry"] for one in images] == [[number] for number in range(8)] and repr(images[0]) == repr(found)
    session.ok("play w C4")
    assert parsed(session.ok("kata-raw-nn 3"))[0]["whiteLoss"] == [
        pytest.approx(evaluator_for(find_game("go:5")).evaluate(session.engine.state, 3).chance, abs=1e-6)
    ]
    for words, message in (
        ("8", "or all, not '8'"),
        ("-1", "not '-1'"),
        ("", "kata-raw-nn SYMMETRY"),
        ("0 0", "kata-raw-nn SYMMETRY"),
    ):
        assert message in session.fails(f"kata-raw-nn {words}")
    session.ok("play b pass")
    session.ok("play w pass")
    assert "the game is over" in session.fails("kata-raw-nn 0")


def test_what_the_network_says_of_hex():
    session = Session("hex:4:swap=on", "uct:playouts=4,memory=4,policy=uniform")
    session.ok("play b b1")
    one, three = parsed(session.ok("kata-raw-nn all"))
    assert (one["symmetry"], three["symmetry"]) == ([0], [3]) and "policySwap" in one and "policyPass" not in one
    assert math.isnan(one["policy"][1]) and sum(map(math.isnan, one["policy"])) == 1, "rows are counted from the top"
    assert "0, 3 or all, not '1'" in session.fails("kata-raw-nn 1")


def test_only_where_there_is_a_network():
    for game, player in (("tictactoe", "tesuji:playouts=4,memory=4"), ("loa", "uct:playouts=4,memory=4")):
        session = Session(game, player)
        assert session.ok("known_command kata-raw-nn") == "false" and "kata-raw-nn" not in session.ok("list_commands").split()
        assert "unknown command" in session.fails("kata-raw-nn 0")
        assert "rootInfo" not in session.raw("kata-analyze 10 rootInfo false")


def test_a_network_of_the_player_with_a_score(tmp_path):
    game = find_game("go:4")
    shape = NetworkShape(game.encoding.planes, 1, 1, 8, 2, 1, 4, 8, 4)
    path = tmp_path / "own.network"
    save_network(path, LearnedNetwork("go", game.encoding.names, 1, random_network(shape)))
    session = Session("go:4", GO_PLAYER)
    session.engine.player = find_player("network:playouts=4,memory=4").changed({"network": str(path)})
    session.ok("play b B2")
    said = evaluator_for(game, str(path)).evaluate(session.engine.state)
    (found,) = parsed(session.ok("kata-raw-nn 0"))
    assert found["whiteLead"] == [pytest.approx(said.score, abs=1e-3)]
    assert found["whiteWin"] == [pytest.approx(said.chance, abs=1e-6)]
    line = session.raw("kata-analyze 10 rootInfo true ownership true").splitlines()[1]
    raw = r"rawWinrate ([\d.]+) rawLead (-?[\d.]+) ownership "
    root = re.search(rf" rootInfo visits \d+ winrate [\d.]+ {raw}", line)
    assert (
        root
        and float(root[1]) == pytest.approx(said.chance, abs=1e-6)
        and float(root[2]) == pytest.approx(said.score, abs=1e-3)
    )


def test_an_analysis_tells_of_the_position_itself_if_asked_to():
    session = Session("connect4", "tesuji:playouts=50,memory=4")
    line = session.raw("kata-genmove_analyze b interval 10 rootInfo true").splitlines()[1]
    assert re.search(r" rootInfo visits \d+ winrate 0\.\d+$", line), "there is no network"
    assert "rootInfo" not in session.raw("lz-analyze 10 rootInfo true") + session.raw("kata-analyze 10")
    assert "rootInfo is true or false, not 'yes'" in session.fails("kata-analyze rootInfo yes")


def test_a_player_with_an_evaluator_of_its_own():
    faulty = []

    def evaluate(planes):
        if faulty:
            raise ValueError("no luck")
        return np.zeros((len(planes), 9)), np.full(len(planes), 0.5)

    player = tesuji.player("network:playouts=20,memory=4", evaluator=tesuji.Evaluator(evaluate), batch=4)
    session = Session("tictactoe", player)
    assert session.ok("genmove b")
    assert re.search(r"info move \w+ visits \d+", session.ok("kata-genmove_analyze w"))
    faulty.append(True)
    assert "no luck" in session.fails("genmove b")
    faulty.clear()
    assert session.ok("genmove b"), "the session goes on"

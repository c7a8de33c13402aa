"""What a network says of one position: against the formulas in plain NumPy, and the same compiled."""

from __future__ import annotations

import os

import numpy as np
import pytest
from naive_network import naive_network, softmax

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.knowledge.network import evaluation
from tesuji.knowledge.network.evaluation import PositionEvaluator, evaluator_for, offered
from tesuji.knowledge.network.file import LearnedNetwork, game_word, load_network_for, save_network
from tesuji.knowledge.network.network import SCORE, NetworkShape, random_network


def evaluator_of(folder, game, outputs=4, learned=None):
    encoding = game.encoding
    shape = NetworkShape(encoding.planes, encoding.policy_planes, encoding.others, 8, 2, 1, 4, 8, outputs)
    network = random_network(shape, 3)
    path = folder / "one.network"
    save_network(path, LearnedNetwork(game_word(game), encoding.names, encoding.policy_planes, network, learned or {}))
    return network, PositionEvaluator(game, path)


@pytest.mark.parametrize(("name", "moves", "image"), [("go:4", ["b2", "c3"], 5), ("hex:4", ["b2"], 1), ("connect4:5x4", [], 0)])
def test_what_a_network_says(tmp_path, name, moves, image):
    game = find_game(name)
    state, encoding = game.state_after(moves), game.encoding
    network, evaluator = evaluator_of(tmp_path, game)
    planes = encoding.empty()
    rules.planes(state, planes)
    policy, result = naive_network(network, encoding.image_of_planes(planes, image), encoding.policy_planes)
    legal = game.legal_moves(state)
    chances = softmax(policy[encoding.place_images[image]][[int(rules.place(state, move)) for move in legal]])
    found = evaluator.evaluate(state, image)
    assert [found.priors[move] for move in legal] == pytest.approx(chances, abs=1e-5)
    assert [found.win, found.draw, found.loss] == pytest.approx(softmax(result[:SCORE]), abs=1e-5)
    assert found.chance == found.win + found.draw / 2
    assert found.score == pytest.approx(result[SCORE] * np.sqrt(encoding.rows * encoding.columns), abs=1e-4)
    assert list(found.priors.values()) == sorted(found.priors.values(), reverse=True)
    assert evaluator.evaluate(state, image, quick=True) == found


def test_without_a_score_and_at_the_end_of_a_game(tmp_path):
    game = find_game("go:3")
    _, evaluator = evaluator_of(tmp_path, game, outputs=3)
    assert evaluator.evaluate(game.new_state()).score is None
    with pytest.raises(UserError, match=r"^the game is over in this position$"):
        evaluator.evaluate(game.state_after(["pass", "pass"]))


def test_what_a_file_says_of_itself_is_shown_only_if_it_is_short_and_plain(tmp_path):
    game = find_game("go:3")
    for boards, about in (
        (["3x3", "9x9"], "one"),
        (["9x9", "13x13"], "one (learned on 9x9, 13x13)"),
        (["9x9" * 9, "\n", "\N{SNOWMAN}", 19], "one (learned on 19)"),
        ("9x9", "one"),
    ):
        assert evaluator_of(tmp_path, game, 3, {"boards": boards})[1].about == about


def test_which_games_a_network_is_offered_for(tmp_path):
    names = ("go:9", "go:19", "hex:11", "hex:3x4", "tictactoe", "samegame")
    assert [offered(find_game(name)) for name in names] == ["go9", "go19", "hex13", None, None, None]
    game = find_game("tictactoe")
    evaluator_of(tmp_path, game)
    path = tmp_path / "one.network"
    assert offered(game, str(path)) == "one" and offered(find_game("go:9"), str(path)) is None
    path.write_bytes(path.read_bytes()[:-1])
    assert offered(game, str(path)) is None and offered(game, f"{path}x") is None
    assert evaluator_for(find_game("go:5")) is evaluator_for(find_game("go:5"))


def test_a_network_is_read_once_and_again_when_its_file_has_changed(tmp_path, monkeypatch):
    game, path = find_game("tictactoe"), tmp_path / "one.network"
    evaluator_of(tmp_path, game)
    reads: list[str] = []
    monkeypatch.setattr(evaluation, "load_network_for", lambda game, path: reads.append(path) or load_network_for(game, path))
    assert [offered(game, str(path)) for _ in range(3)] == ["one"] * 3 and len(reads) == 1
    first = evaluator_for(game, str(path))
    assert evaluator_for(game, str(path)) is first and len(reads) == 2
    evaluator_of(tmp_path, game)
    reads.clear()
    os.utime(path, ns=(1, 1))
    assert offered(game, str(path)) == "one" and evaluator_for(game, str(path)) is not first and len(reads) == 2

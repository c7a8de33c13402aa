"""Weights that were learned serve any player: the parameter `weights`."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tesuji.cli.main import main
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.knowledge.loa import evaluation_weights, weights
from tesuji.knowledge.loa.evaluation import hand_weights
from tesuji.knowledge.registry import make_policy
from tesuji.players.presets import find_player
from tesuji.search.policy import Uniform

GAME = find_game("loa")
PLAYERS = ("mc-loa", "loa", "mcts-solver", "mia2000", "mia2006")


def policy_of(text):
    player = find_player(text, may_load=True)
    settings = player.settings_for(GAME)
    return make_policy(GAME, player.policies(GAME)[settings["policy"]], settings)


@pytest.fixture
def files(tmp_path):
    """A file of each kind that differs from the shipped one."""
    shipped = weights.CategoryWeights.shipped()
    weights.CategoryWeights(shipped.available // 2, shipped.available, 3, 40).save(tmp_path / "categories.json")
    terms = evaluation_weights.EvaluationWeights.shipped().terms
    evaluation_weights.EvaluationWeights(terms + 1.0, 3, 40).save(tmp_path / "evaluation.json")
    return tmp_path / "categories.json", tmp_path / "evaluation.json"


@pytest.mark.parametrize("player", PLAYERS)
def test_files_stand_in_place_of_the_shipped_weights(player, files):
    categories, evaluation = files
    usual, by_categories = policy_of(player), policy_of(f"{player}:weights={categories}")
    learned = weights.CategoryWeights.load(categories).probabilities()
    assert np.array_equal(by_categories.weights, learned) and not np.array_equal(usual.weights, learned)
    assert np.array_equal(by_categories.terms, usual.terms)

    by_both = policy_of(f"{player}:weights={evaluation}+{categories}")
    assert np.array_equal(by_both.weights, learned)
    assert np.array_equal(by_both.terms, evaluation_weights.EvaluationWeights.load(evaluation).terms)
    assert not np.array_equal(by_both.terms, usual.terms)
    assert by_both[3:] == usual[3:]


def test_the_plain_player_has_learned_nothing():
    assert type(policy_of("uct")) is Uniform


def test_without_files_all_is_as_it_was():
    assert np.array_equal(policy_of("mia2000:weights=shipped").terms, hand_weights("mia2000"))
    assert np.array_equal(policy_of("mc-loa:policy=categories").weights, weights.CategoryWeights.shipped().probabilities())


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("mc-loa:weights=none.json", "none.json cannot be read: No such file or directory"),
        ("mc-loa:weights=C+", "names a file with no name"),
        ("mc-loa:weights=+", "+ names a file with no name"),
        ("mc-loa:weights=C+C", "are both files of category weights"),
        ("mc-loa:weights=E+C+E", "are both files of evaluation weights"),
        ("mc-loa:weights=noise", "is not a file of category weights or evaluation weights: it is not JSON"),
        ("mc-loa:weights=other", "is not a file of category weights or evaluation weights ('tesuji learn' writes them)"),
        ("mia2006:weights=old", "holds evaluation weights of version 99, not of version 1"),
        ("mc-loa:policy=categories,weights=E", "is not a file of category weights"),
        ("mc-loa:policy=uniform,weights=C", "weights has no effect here: it goes with policy="),
    ],
)
def test_files_that_do_not_fit(tmp_path, files, player, message):
    (tmp_path / "noise").write_bytes(b"\x00\xff")
    (tmp_path / "other").write_text("[1, 2]")
    (tmp_path / "old").write_text(json.dumps(evaluation_weights.KIND.header() | {"version": 99}))
    names = {"C": files[0], "E": files[1], **{name: tmp_path / name for name in ("noise", "other", "old")}}
    head, _, chosen = player.rpartition("=")
    with pytest.raises(UserError) as refusal:
        policy_of(f"{head}=" + "+".join(str(names.get(name, name)) for name in chosen.split("+")))
    assert message in str(refusal.value)


def test_a_name_may_have_a_plus_in_it(files):
    path = files[0].rename(files[0].parent / "a+b.json")
    assert np.array_equal(policy_of(f"mc-loa:weights={path}").weights, weights.CategoryWeights.load(path).probabilities())


def test_a_game_without_learned_weights():
    with pytest.raises(UserError, match="there is no parameter 'weights'"):
        find_player("uct-rave:weights=some.json", may_load=True).settings_for(find_game("connect4"))
    with pytest.raises(UserError, match="weights has no effect here: it goes with policy=mogo"):
        find_player("uct-rave:weights=some.json", may_load=True).settings_for(find_game("go:5"))


def test_the_command_line_takes_them(files, capsys):
    words = ["analyze", "loa", "--player", "mc-loa", "--playouts", "2", "--json"]
    assert main([*words, "--weights", f"{files[0]}+{files[1]}"]) == 0
    assert json.loads(capsys.readouterr().out)["playouts"] == 2
    assert main([*words, "--weights", "none.json"]) == 2
    assert capsys.readouterr().err.strip().endswith("none.json cannot be read: No such file or directory")

"""Learning the evaluation of Lines of Action: the fit, the judgement, self-play, and the command."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from tesuji.cli.main import main
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.knowledge.loa.evaluation import POINTS, hand_weights
from tesuji.knowledge.loa.evaluation_weights import SHIPPED, EvaluationWeights
from tesuji.knowledge.loa.features import FEATURE_COUNT, FEATURES, features
from tesuji.learn import evaluation
from tesuji.learn import self_play as learn_self_play
from tesuji.learn.evaluation import OPENING, Examples, examples_of, fit, games_for_evaluation, judge, learn_evaluation
from tesuji.learn.records import RecordedGame, read_collection
from tesuji.learn.self_play import self_play
from tesuji.players.presets import find_player

GAME = find_game("loa")
HEAD = "#file\tgame\tblack\twhite\twinner\tend\tplies\tmoves"


def random_game(seed, plies=30):
    chooser, state, moves = random.Random(seed), GAME.new_state(), []
    while len(moves) < plies and not rules.is_over(state):
        moves.append(chooser.choice(GAME.legal_moves(state)))
        rules.play(state, moves[-1])
    return moves


def texts_of(moves):
    state, texts = GAME.new_state(), []
    for move in moves:
        texts.append(GAME.text(state, move))
        rules.play(state, move)
    return texts


def table(path, games):
    """`games` are (winner, moves)."""
    rows = [
        f"some\tgame {n}\tx\ty\t{winner}\tconnect\t{len(moves)}\t{' '.join(texts_of(moves))}"
        for n, (winner, moves) in enumerate(games, 1)
    ]
    path.write_text("\n".join([HEAD, *rows]) + "\n")
    return path


def learned_games(count=12):
    """Random games, and as outcome who is ahead in mobility in the end: so there is something to learn."""
    games = []
    for seed in range(count):
        moves = random_game(seed)
        state = GAME.state_after(moves)
        stones = state["stones"]
        games.append(RecordedGame(str(seed), GAME.new_state(), tuple(moves), 1 if features(*stones, 0)[4] > 0 else -1))
    return games


# -- the fit -----------------------------------------------------------------------------------------------------------------
def drawn_examples(weights, count, seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(count, FEATURE_COUNT)) * np.array([0.1, 9, 15, 1.4, 8, 0.7, 0.6, 0.01, 1])
    chance = 1 / (1 + np.exp(-(values @ weights) / POINTS))
    return Examples(values, (rng.random(count) < chance).astype(float))


def test_the_fit_finds_the_weights_that_made_the_outcomes():
    truth = hand_weights("mia2002")
    found = fit(drawn_examples(truth, 40_000, 1))
    deviation = np.array([0.1, 9, 15, 1.4, 8, 0.7, 0.6, 0.01, 1])
    assert np.abs((found - truth) * deviation / POINTS).max() < 0.05  # in units of the logarithm of the odds


def test_the_fit_is_the_top_of_the_likelihood():
    examples = drawn_examples(hand_weights("mia2000"), 2000, 2)
    best = fit(examples)
    top = judge(best, examples).log_likelihood
    for n in range(FEATURE_COUNT):
        for factor in (0.7, 1.3):
            moved = best.copy()
            moved[n] *= factor
            assert judge(moved, examples).log_likelihood <= top + 1e-6


def test_outcomes_that_can_be_told_without_fail_do_not_break_the_fit():
    values = np.zeros((20, FEATURE_COUNT))
    values[:, 4] = np.linspace(-5, 5, 20)
    terms = fit(Examples(values, (values[:, 4] > 0).astype(float)))
    assert np.isfinite(terms).all() and terms[4] > 0 and (np.delete(terms, 4) == 0).all()
    with pytest.raises(UserError, match="nothing to learn from"):
        fit(Examples(np.zeros((0, FEATURE_COUNT)), np.zeros(0)))


def test_a_judgement_by_hand():
    values = np.zeros((4, FEATURE_COUNT))
    values[:, 8] = [1, 1, -1, 1]
    terms = np.zeros(FEATURE_COUNT)
    terms[8] = 1000.0
    found = judge(terms, Examples(values, np.array([1.0, 0.0, 0.0, 0.5])))
    assert found.positions == 4
    assert found.accuracy == pytest.approx(2 / 3)
    assert found.log_likelihood == pytest.approx((2 * np.log(0.95) + np.log(0.05) + 0.5 * np.log(0.95 * 0.05)) / 4)
    assert (found.decided, found.decided_right) == (1.0, pytest.approx(2.5 / 4))
    assert judge(terms * 0.99, Examples(values, np.ones(4))).decided_right is None
    assert judge(terms * 0.0, Examples(values, np.ones(4))).accuracy == 0.5


def test_examples_are_the_positions_after_the_opening():
    moves = random_game(3, 10)
    examples = examples_of(GAME, [RecordedGame("a", GAME.new_state(), tuple(moves), -1)])
    assert examples.count == len(moves) - OPENING and (examples.results == 0.0).all()
    state = GAME.state_after(moves[:OPENING])
    for row, move in zip(examples.features, moves[OPENING:], strict=True):
        assert tuple(row) == features(*state["stones"], state["to_play"])
        rules.play(state, move)
    with pytest.raises(UserError, match="the record has no result"):
        examples_of(GAME, [RecordedGame("a", GAME.new_state(), tuple(moves), None)])


def test_what_is_learned_judges_games_not_seen():
    learned = learn_evaluation(GAME, learned_games(40), held_out=0.25, seed=1)
    assert (learned.learned_from, learned.held_out, learned.weights.games) == (30, 10, 40)
    assert learned.weights.terms[4] > 0
    assert list(learned.judgements) == ["fitted", "mia2000", "mia2002"]
    assert learned.judgements["fitted"].log_likelihood > learned.judgements["mia2000"].log_likelihood
    assert learn_evaluation(GAME, learned_games(5), held_out=0.0).judgements == {}


# -- self-play ---------------------------------------------------------------------------------------------------------------
@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.setattr(learn_self_play, "PLAYOUTS", 2)
    player = evaluation.SELF_PLAYER.changed({"playout_cap": 6, "probe_children": False, "memory": 1.0})
    monkeypatch.setattr(evaluation, "SELF_PLAYER", player)


def test_games_of_self_play_are_whole_and_differ(quick):
    games = self_play(games_for_evaluation(GAME, seed=5), 2)
    assert games[0].moves != games[1].moves
    for one in games:
        state = GAME.state_after(list(one.moves))  # every move is legal
        assert rules.is_over(state) and rules.outcome(state) == one.outcome


def test_any_player_plays_them_with_its_own_limits(quick):
    player = find_player("mia2000:playouts=3,memory=1")
    games = self_play(games_for_evaluation(GAME, 5, player=player), 1)
    assert games == self_play(games_for_evaluation(GAME, 5, 3, find_player("mia2000:memory=1")), 1)
    assert games != self_play(games_for_evaluation(GAME, 5, 40, player), 1)
    assert rules.is_over(GAME.state_after(list(games[0].moves)))


# -- the command -------------------------------------------------------------------------------------------------------------
def run(capsys, *words):
    capsys.readouterr()
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_draws_of_a_table_count(tmp_path):
    path = table(tmp_path / "games.tsv", [("D", random_game(1, 8)), ("B", random_game(2, 8)), ("?", random_game(3, 8))])
    assert [game.outcome for game in read_collection(GAME, [str(path)]).games] == [0, 1, None]


def test_learn_writes_weights_and_reports(tmp_path, capsys, quick):
    games = [("BW"[seed % 2], random_game(seed)) for seed in range(6)]
    path = table(tmp_path / "games.tsv", [*games, ("?", random_game(9))])
    out = tmp_path / "weights.json"
    words = ["learn", "evaluation", path, "--out", out, "--held-out", 0.3, "--seed", 2]
    code, text, errors = run(capsys, *words, "--json")
    answer = json.loads(text)
    assert (code, errors) == (0, "")
    assert (answer["games"], answer["learned_from"], answer["held_out"], answer["without_result"]) == (6, 4, 2, 1)
    assert set(answer["judgements"]) == {"fitted", "mia2000", "mia2002"}
    assert answer["judgements"]["fitted"]["positions"] == 2 * (30 - OPENING)
    assert list(answer["weights"]) == list(FEATURES)
    assert EvaluationWeights.load(out).terms.tolist() == list(answer["weights"].values())
    before = out.read_bytes()
    assert run(capsys, *words)[0] == 0  # its own files it writes again
    assert out.read_bytes() == before
    code, text, _errors = run(capsys, "learn", "evaluation", path, "--weights", out)
    assert code == 0 and "tested on 6 games" in text and "mia2002" in text and "mobility" in text
    assert out.read_bytes() == before


def test_learn_may_play_for_itself(tmp_path, capsys, quick):
    out = tmp_path / "weights.json"
    words = ["learn", "evaluation", "--self-play", 2, "--out", out, "--held-out", 0, "--seed", 5]
    code, text, errors = run(capsys, *words)
    assert (code, errors) == (0, "") and "2 games, 2 of them played by the program" in text
    assert EvaluationWeights.load(out).games == 2


def test_learn_refuses_and_overwrites_nothing(tmp_path, capsys):
    good = table(tmp_path / "games.tsv", [("B", random_game(1, 10)), ("W", random_game(2, 10))])
    short = table(tmp_path / "short.tsv", [("B", random_game(1, 4)), ("W", random_game(2, 4))])
    unknown = table(tmp_path / "unknown.tsv", [("?", random_game(1, 10))])
    other, old, hex_weights = tmp_path / "notes.txt", tmp_path / "old.json", tmp_path / "hex.json"
    other.write_text("mine")
    shipped = json.loads(SHIPPED.read_text())
    old.write_text(json.dumps(shipped | {"version": 0}))
    hex_weights.write_text(json.dumps(shipped | {"game": "hex"}))
    mine = tmp_path / "mine.json"
    mine.write_text(SHIPPED.read_text())
    kept = {path: path.read_bytes() for path in (good, short, unknown, other, old, hex_weights, mine)}
    for words, message in (
        ([good, "--out", other], "is not a file of evaluation weights, so it is not overwritten"),
        ([good, "--out", good], "is one of the records"),
        ([good], "give either --out FILE"),
        ([good, "--weights", old], "version 0"),
        ([good, "--weights", mine, "--held-out", "0.2"], "leave --held-out out"),
        ([good, "--weights", mine, "--seed", "2"], "leave --seed out"),
        ([good, "--weights", hex_weights], "of the game hex"),
        ([good, "--out", old], "so it is not overwritten"),
        ([good, "--out", hex_weights], "so it is not overwritten"),
        (["--out", tmp_path / "w"], "give files of game records, or --self-play"),
        ([unknown, "--out", mine], "none of the games says who won"),
        ([short, "--out", mine, "--held-out", "0"], "nothing to learn from"),
        ([good, "--out", tmp_path / "w", "--self-play", "-1"], "is not a count"),
        ([good, "--out", tmp_path / "w", "--player", "mia2006"], "are for games of --self-play"),
        ([good, "--out", tmp_path / "w", "--self-play", "1", "--player", "crazystone"], "plays go, not loa"),
        ([good, "--out", tmp_path / "w", "--held-out", "1"], "is not a share"),
        ([tmp_path / "nowhere", "--out", tmp_path / "w"], "cannot be read"),
    ):
        code, text, errors = run(capsys, "learn", "evaluation", *words)
        assert (code, text, errors.count("\n")) == (2, "", 1), errors
        assert message in errors
    assert {path: path.read_bytes() for path in kept} == kept
    assert not (tmp_path / "w").exists()


def test_signs_of_the_weights_that_come_with_the_package():
    terms = dict(zip(FEATURES, EvaluationWeights.shipped().terms, strict=True))
    for name in ("concentration", "mobility", "walls", "connectedness", "uniformity", "player to move"):
        assert terms[name] > 0

"""Strengths of moves of Go: features of single moves, competitions against a naive list, learning, the file, the player."""

import json

import numpy as np
import pytest
from test_patterns import GAME, random_game, recorded, run

from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.numba.local_copies import local_zeros
from tesuji.core.numba.registration import compiled
from tesuji.games.registry import find_game
from tesuji.knowledge.go import pattern_weights
from tesuji.knowledge.go.mogo import MoGo
from tesuji.knowledge.go.move_features import FAMILIES, FAMILY_COUNT, FEATURES, feature_of, strength_of_features
from tesuji.knowledge.go.nearest_patterns import EMPTY_WORK, chance_of_play, see_board
from tesuji.knowledge.go.offline import rate_by_knowledge
from tesuji.knowledge.go.strength_weights import SHIPPED, MoveStrengths, load_patterns
from tesuji.knowledge.go.tactics import EMPTY_OVERVIEW, measure_distances, read_ladders, tactics_of
from tesuji.knowledge.registry import make_policy
from tesuji.knowledge.weight_files import Strengths
from tesuji.learn.go_strengths import learn_patterns, predict, predict_moves, strengths_of, teams_of
from tesuji.learn.minorization import NONE
from tesuji.learn.patterns import harvest, patterns_of
from tesuji.players.presets import find_player
from tesuji.search.policy import RATING

NINE = find_game("go:9")
LOADERS = {"frequencies": pattern_weights.load_patterns, "strengths": load_patterns}


def quiet(share, text):
    pass


def features_of(game, state, move):
    """The features of a move, by family; those of number 0 left out."""
    work, overview = local_zeros(EMPTY_WORK), local_zeros(EMPTY_OVERVIEW)
    see_board(work, state)
    read_ladders(overview, state)
    measure_distances(overview, state)
    point = int(state["point_of"][move])
    tactics = tactics_of(overview, work["board"], state, point)
    found = {name: int(feature_of(family, tactics, state, point)) for family, name in enumerate(FAMILIES)}
    return {name: number for name, number in found.items() if number}


def after(*moves, game=NINE):
    state = game.new_state()
    for text in moves:
        rules.play(state, game.parse(state, text))
    return state


@pytest.mark.parametrize(
    ("moves", "move", "expected"),
    [
        ((), "C3", {"empty": 1, "line": 3}),
        ((), "C2", {"empty": 2, "line": 2}),
        ((), "E5", {"line": 5}),
        (("E5",), "E6", {"along_strings": 1, "last": 1, "line": 4}),
        (("E5", "A1"), "F6", {"last": 14, "second_last": 2, "line": 4}),
        (("E5", "pass"), "E6", {"second_last": 1, "line": 4}),
        (("E4", "E5", "D5", "A1", "F5", "J1"), "E6", {"capture": 1, "last": 13, "second_last": 2, "line": 4}),
        (("E4", "E5", "D5", "A1", "F5"), "E6", {"escape": 1, "along_strings": 2, "last": 2, "second_last": 13, "line": 4}),
        (("E4", "E5", "D5", "A1"), "F5", {"atari": 1, "last": 13, "second_last": 3, "line": 4}),
        (("A2", "E5", "B1", "E6"), "A1", {"last": 13, "second_last": 1, "line": 1}),
    ],
)
def test_features(moves, move, expected):
    state = after(*moves)
    found = features_of(NINE, state, NINE.parse(state, move))
    found.pop("shape_3x3", None)
    assert {name: found.get(name) for name in expected} == expected
    assert set(found) <= {*expected, "along_strings"}


def test_numbers_of_features_have_room():
    chooser = np.random.default_rng(1)
    state = NINE.new_state()
    for _ in range(60):
        moves = NINE.legal_moves(state)[:-1]
        for move in moves[::17]:
            assert all(number < FEATURES for number in features_of(NINE, state, move).values())
        rules.play(state, int(chooser.choice(moves)))


def test_competitions_are_the_legal_moves_of_every_nth_position():
    games = recorded([1, 2, 3])
    keys = harvest(games, 2, quiet)
    for every in (1, 3):
        part = teams_of(games, keys, every, quiet)
        row = 0
        for number, one in enumerate(games):
            state = GAME.new_state()
            for ply, move in enumerate(one.moves):
                if (ply + number) % every == 0:
                    legal = GAME.legal_moves(state)[:-1]
                    first, end = part.first[row], part.first[row + 1]
                    assert end - first == len(legal)
                    assert part.winners[row] - first == legal.index(move)
                    features = features_of(GAME, state, move)
                    team = part.teams[part.winners[row]]
                    assert 1 <= team[0] <= len(keys)
                    for family, name in enumerate(FAMILIES):
                        expected = 1 + len(keys) + family * FEATURES + features[name] if name in features else NONE
                        assert team[1 + family] == expected
                    row += 1
                rules.play(state, move)
        assert part.count == row and part.first[-1] == len(part.teams)


def test_moves_that_were_played_get_strong():
    games = recorded([1, 1, 1, 9])
    learned = [learn_patterns(games, 0.25, seed, 2) for seed in range(2)]  # one game held out: the odd one, another
    assert all((one.learned_from, one.held_out, one.weights.games) == (3, 1, 3) for one in learned)
    shares = [one.prediction.top1 for one in learned]
    assert min(shares) < 0.5 < max(shares)
    assert max(one.prediction.log_likelihood for one in learned) > learned[0].prediction.uniform_log_likelihood


def test_compiled_prediction_is_that_of_pure_python():
    weights = strengths_of(recorded([1, 2]), 1, quiet)
    moves = np.array(random_game(3)[0], np.int32)
    ranks = [np.zeros((len(moves), 4)) for _ in range(2)]
    with np.errstate(over="ignore"):
        for walk, rank in zip((predict_moves, compiled(predict_moves)), ranks, strict=True):
            walk(GAME.new_state(), moves, np.zeros(400, np.int32), np.zeros(400), weights.table(), weights.features, rank)
    assert ranks[0] == pytest.approx(ranks[1], rel=1e-12)


def test_files_hold_what_was_learned(tmp_path):
    weights = strengths_of(recorded([1, 2]), 2, quiet)
    weights.save(tmp_path / "w.json")
    again = load_patterns(tmp_path / "w.json")
    assert np.array_equal(again.patterns.keys, weights.patterns.keys)
    assert again.patterns.gammas == pytest.approx(weights.patterns.gammas, rel=1e-3)
    assert again.features == pytest.approx(weights.features, rel=1e-3)
    assert (again.games, again.positions) == (weights.games, weights.positions)


def changed(**changes):
    patterns = Strengths(np.array([3, 4, 9], np.uint64), np.array([0.5, 1.0, 2.0]))
    data = json.loads(MoveStrengths(patterns, np.ones((FAMILY_COUNT, FEATURES)), 1, 3).as_text())
    return json.dumps(data | changes, indent=2)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (changed(format="tesuji nearest patterns"), "is not a file of move strengths"),
        (changed(game="hex"), "of the game hex, not of go"),
        (changed(version=9), "of version 9, not of version 1: learn them again"),
        (changed(patterns=[]), "is damaged"),
        (changed(features={}), "is damaged"),
        (changed(features=dict.fromkeys(FAMILIES, "AAAA")), "is damaged"),
        (changed(games="many"), "is damaged"),
    ],
)
def test_other_files_are_refused_in_one_line(tmp_path, text, reason):
    path = tmp_path / "w.json"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        load_patterns(path)
    assert reason in str(error.value) and "\n" not in str(error.value)


def test_a_player_rates_moves_by_their_strength():
    state = after("E5", "C3", "G3")
    moves = NINE.legal_moves(state)
    defaults = {p.name: p.default for p in MoGo.PARAMETERS}
    silent = {name: 0.0 for name in defaults if name.endswith(("_games", "_prior"))}
    policy = make_policy(NINE, MoGo, defaults | silent | {"patterns_by": "strengths", "pattern_prior": 1.0})
    ratings = np.zeros(len(moves), RATING)
    ratings["kept"] = True
    with np.errstate(over="ignore"):
        rate_by_knowledge(policy.knowledge, state, np.array(moves, np.int32), len(moves), False, ratings)
    weights = load_patterns(SHIPPED)
    work, overview = local_zeros(EMPTY_WORK), local_zeros(EMPTY_OVERVIEW)
    see_board(work, state)
    read_ladders(overview, state)
    measure_distances(overview, state)
    strengths = []
    for move in moves[:-1]:
        at = int(state["point_of"][move])
        tactics = tactics_of(overview, work["board"], state, at)
        strengths.append(chance_of_play(weights.table(), work, at) * strength_of_features(weights.features, tactics, state, at))
    assert ratings["prior"][:-1] == pytest.approx(np.array(strengths) / sum(strengths))


@pytest.mark.parametrize(("board", "by"), [("go:9", "frequencies"), ("go:15", "strengths")])
def test_what_is_learned_can_be_used_on_boards_of_all_sizes(tmp_path, board, by):
    """A file of the kind that `mogo` does not have there needs a word, which the refusal says; two files serve all boards."""
    files = {"frequencies": tmp_path / "f.json", "strengths": tmp_path / "s.json"}
    patterns_of(recorded([1, 2]), 2, quiet).save(files["frequencies"])
    strengths_of(recorded([1, 2]), 2, quiet).save(files["strengths"])
    both, other = "+".join(map(str, files.values())), "strengths" if by == "frequencies" else "frequencies"

    def knowledge(values):
        game = find_game(board)
        return make_policy(game, MoGo, find_player(f"mogo:weights={values}", may_load=True).settings_for(game)).knowledge

    for values, used in ((files[by], by), (f"{files[other]},patterns_by={other}", other), (both, by)):
        assert knowledge(values).uses_features == (used == "strengths")
        assert np.array_equal(knowledge(values).patterns, LOADERS[used](files[used]).table())
    with pytest.raises(UserError) as error:
        knowledge(files[other])
    said = str(error.value)
    assert f"add patterns_by={other}, or learn with '--by {by}'" in said and str(files[other]) in said and "\n" not in said


def test_the_shipped_file_predicts():
    weights = load_patterns(SHIPPED)
    assert SHIPPED.stat().st_size <= 5_000_000 and weights.games > 10_000
    strength = dict(zip(FAMILIES, weights.features, strict=True))
    assert strength["capture"][4] > 2.0 and strength["escape"][1] > 2.0 > 0.2 > strength["self_atari"][1]
    assert strength["last"][1] > strength["last"][5] > strength["last"][16]
    assert predict(weights, recorded([5])).positions == 14


def test_command(tmp_path, capsys):
    records = tmp_path / "games.sgf"
    records.write_text("".join(random_game(seed)[1] for seed in range(4)))
    out = tmp_path / "w.json"
    code, text, _ = run(
        capsys, "learn", "patterns", records, "--game", "go:5", "--by", "strengths", "--least", 2, "--out", out, "--json"
    )
    facts = json.loads(text)
    assert code == 0 and facts["patterns"] == load_patterns(out).count and facts["prediction"]["positions"] == 14
    code, _, error = run(
        capsys, "learn", "patterns", records, "--game", "hex", "--by", "frequencies", "--out", tmp_path / "h.json"
    )
    assert code == 2 and "patterns of Hex are learned by strengths, not by frequencies" in error

"""Move categories of Lines of Action: counting, prediction, the file of weights, the policy, and the command."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter

import numpy as np
import pytest

from tesuji.cli.main import main
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.core.random import make_rng
from tesuji.games.loa.lines import PASS
from tesuji.games.registry import find_game
from tesuji.knowledge.loa.categories import CATEGORIES, PASSING, category_of, category_text, centre_of_mass, policy_of
from tesuji.knowledge.loa.weights import SHIPPED, CategoryWeights
from tesuji.learn.categories import count_categories, learn_categories, positions_of, predict, split
from tesuji.learn.records import RecordedGame, read_collection
from tesuji.search.policy import RATING, notes_type, playout_move, rate_moves

GAME = find_game("loa")
HEAD = "#file\tgame\tblack\twhite\twinner\tend\tplies\tmoves\n"


def table(path, games):
    rows = [f"some\tgame {n}\t\t\tB\tresign\t{len(texts)}\t{' '.join(texts)}\n" for n, texts in enumerate(games, 1)]
    path.write_text(HEAD + "".join(rows))
    return path


# -- categories --------------------------------------------------------------------------------------------------------------
def naive_category(state, text):
    """In words, from the squares alone."""
    if text == "pass":
        return "pass"
    places = [("abcdefgh".index(text[i]), int(text[i + 1]) - 1) for i in (0, 3)]
    own = [point for point, player in GAME.board.stones(state).items() if player == rules.to_play(state)]
    centre = [int(sum(point[axis] for point in own) / len(own) + 0.5) for axis in (0, 1)]
    names, far = [], []
    for column, row in places:
        from_edge = sorted((min(column, 7 - column), min(row, 7 - row)))
        names.append("corner" if from_edge == [0, 0] else ("edge", "second ring", "third ring", "centre")[from_edge[0]])
        far.append(max(abs(column - centre[0]), abs(row - centre[1])))
    gain = max(-3, min(3, far[0] - far[1]))
    return f"{'capture' if text[2] == 'x' else 'move'}, {names[0]} to {names[1]}, {gain:+d}"


def test_categories_against_naive():
    chooser, state = random.Random(4), GAME.new_state()
    for _ in range(120):
        if rules.is_over(state):
            state = GAME.new_state()
        legal = GAME.legal_moves(state)
        for move in legal:
            category = category_of(state, move)
            assert 0 <= category < CATEGORIES
            assert category_text(category) == naive_category(state, GAME.text(state, move))
        rules.play(state, chooser.choice(legal))


def test_every_category_has_its_own_name():
    assert len({category_text(c) for c in range(CATEGORIES)}) == CATEGORIES
    assert category_text(PASSING) == "pass"
    assert category_of(GAME.initial, PASS) == PASSING


@pytest.mark.parametrize(
    ("squares", "centre"), [([0], 0), ([63], 63), ([0, 7], 4), ([0, 56], 32), ([0, 1, 2], 1), ([27, 36], 36)]
)
def test_centre_of_mass(squares, centre):
    assert centre_of_mass(np.uint64(sum(1 << s for s in squares))) == centre


# -- counting ----------------------------------------------------------------------------------------------------------------
def test_a_category_counts_once_a_position(random_texts):
    collection = [RecordedGame(str(s), GAME.new_state(), tuple(_numbers(random_texts(s, 20)))) for s in range(3)]
    weights = count_categories(positions_of(GAME, collection), len(collection))
    played, available = Counter(), Counter()
    for game in collection:
        state = GAME.new_state()
        for move in game.moves:
            available.update({int(category_of(state, m)) for m in GAME.legal_moves(state)})
            played[int(category_of(state, move))] += 1
            rules.play(state, move)
    assert {c: int(n) for c, n in enumerate(weights.available) if n} == dict(available)
    assert {c: int(n) for c, n in enumerate(weights.played) if n} == dict(played)
    assert (weights.games, weights.positions) == (3, sum(played.values()))


def _numbers(texts):
    state, numbers = GAME.new_state(), []
    for text in texts:
        numbers.append(GAME.parse(state, text))
        rules.play(state, numbers[-1])
    return numbers


def test_prediction_of_one_position():
    """By hand: the first move of a game, with all weight on the category of the move."""
    move = _numbers(["c8-c6"])[0]
    positions = positions_of(GAME, [RecordedGame("one", GAME.new_state(), (move,))])
    legal = GAME.legal_moves(GAME.initial)
    mine = int(category_of(GAME.initial, move))
    same = sum(int(category_of(GAME.initial, m)) == mine for m in legal)
    played, available = np.zeros(CATEGORIES, np.int64), np.full(CATEGORIES, 1000)
    played[mine] = 500
    weights = CategoryWeights(played, available, 1, 1)
    chance = weights.probabilities()
    total = sum(chance[int(category_of(GAME.initial, m))] for m in legal)
    found = predict(weights, positions)
    assert found.positions == 1
    assert found.log_likelihood == pytest.approx(np.log(chance[mine] / total))
    assert found.top1 == pytest.approx(1 / same)
    assert found.uniform_log_likelihood == pytest.approx(-np.log(36))
    assert found.uniform_top1 == pytest.approx(1 / 36)


def test_weights_learned_foretell_what_they_were_learned_from():
    """Players who like captures are foretold better than by chance, on games not seen."""
    games = []
    for seed in range(30):
        chooser, state, moves = random.Random(seed), GAME.new_state(), []
        for _ in range(12):
            legal = GAME.legal_moves(state)
            moves.append(max(legal, key=lambda m: ("x" in GAME.text(state, m), chooser.random())))
            rules.play(state, moves[-1])
            if rules.is_over(state):
                break
        games.append(RecordedGame(str(seed), GAME.new_state(), tuple(moves)))
    learned = learn_categories(GAME, games, held_out=0.2, seed=1)
    assert (learned.games, learned.learned_from, learned.held_out) == (30, 24, 6)
    assert learned.weights.games == 30
    assert learned.prediction.log_likelihood > learned.prediction.uniform_log_likelihood + 0.3
    assert learned.prediction.top1 > learned.prediction.uniform_top1


def test_split_is_by_games_and_seed():
    games = list(range(20))
    kept, out = split(games, 0.25, 3)
    assert len(out) == 5 and sorted(kept + out) == games
    assert split(games, 0.25, 3) == (kept, out) != split(games, 0.25, 4)
    assert split(games, 0.0, 3) == (games, [])
    with pytest.raises(UserError, match="1 game: too few"):
        split([1], 0.5, 0)


# -- records -----------------------------------------------------------------------------------------------------------------
def test_illegal_games_are_named_and_the_rest_is_used(tmp_path, random_texts):
    good = random_texts(1, 20)
    path = table(tmp_path / "games.tsv", [good, [*good[:5], "a1-h8"], good[:3], []])
    collection = read_collection(GAME, [path])
    assert [len(game.moves) for game in collection.games] == [20, 3]
    assert [game.outcome for game in collection.games] == [1, 1]
    assert collection.refused[0] == f"{path}: game 2 (some, game 2), ply 6: a1-h8 is not a legal move"
    assert "game 4" in collection.refused[1] and len(collection.refused) == 2


def test_records_may_be_packed_or_sgf(tmp_path, random_texts):
    texts = random_texts(2, 6)
    packed = tmp_path / "games.tsv.gz"
    packed.write_bytes(gzip.compress(table(tmp_path / "games.tsv", [texts]).read_bytes()))
    sgf = tmp_path / "two.sgf"
    turns = "".join(f";{'BW'[n % 2]}[{text.replace('x', ':')}]" for n, text in enumerate(texts))
    sgf.write_text(f"(;FF[4]GM[9]SZ[8]RE[W+R]{turns})\n(;FF[4]GM[9]SZ[8];B[a1-a2])\n")
    collection = read_collection(GAME, [packed, sgf])
    assert [game.moves for game in collection.games] == [tuple(_numbers(texts))] * 2
    assert [game.outcome for game in collection.games] == [1, -1]
    assert len(collection.refused) == 1 and "two.sgf" in collection.refused[0]


@pytest.mark.parametrize("content", [b"", b"a\tb\nc\td\n", b"\x00\xff\xfe"])
def test_files_that_are_no_records(tmp_path, content):
    path = tmp_path / "wrong"
    path.write_bytes(content)
    collection = read_collection(GAME, [path])
    assert not collection.games and [line.partition(":")[0] for line in collection.refused] == [
        f"{path} is neither SGF nor a table"
    ]


def test_a_file_that_cannot_be_unpacked(tmp_path):
    path = tmp_path / "wrong"
    path.write_bytes(b"\x1f\x8b\x08broken")
    with pytest.raises(UserError):
        read_collection(GAME, [path])


# -- the file ----------------------------------------------------------------------------------------------------------------
def test_shipped_weights():
    weights = CategoryWeights.shipped()
    chance = weights.probabilities()
    assert weights.games > 1000 and weights.positions > 30000
    assert chance.shape == (CATEGORIES,) and (chance > 0).all() and (chance < 1).all()
    common = [c for c in range(CATEGORIES) if weights.available[c] > 500]
    assert category_text(max(common, key=lambda c: chance[c])) == "capture, edge to centre, +3"


def test_files_are_read_back(tmp_path):
    weights = CategoryWeights.shipped()
    weights.save(tmp_path / "w.json")
    again = CategoryWeights.load(tmp_path / "w.json")
    assert (again.played == weights.played).all() and (again.available == weights.available).all()
    assert (again.games, again.positions) == (weights.games, weights.positions)
    assert again.as_text() == SHIPPED.read_text()


def changed(tmp_path, **values):
    data = json.loads(SHIPPED.read_text()) | values
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(data))
    return path


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"version": 2}, "version 2, not of version 1"),
        ({"category_count": 277}, "with category_count 277, not "),
        ({"game": "hex"}, "of the game hex, not of loa"),
        ({"format": "something"}, "is not a file of category weights"),
        ({"counts": {"x": [0, 5, 4]}}, "damaged"),
        ({"counts": {"x": [400, 1, 4]}}, "damaged"),
        ({"counts": [1]}, "damaged"),
        ({"counts": {"x": ["a", 1, 4]}}, "damaged"),
        ({"games": None}, "damaged"),
    ],
)
def test_other_files_are_refused(tmp_path, values, message):
    with pytest.raises(UserError, match=message) as error:
        CategoryWeights.load(changed(tmp_path, **values))
    assert "\n" not in str(error.value)


def test_what_is_no_json_is_refused(tmp_path):
    path = tmp_path / "w.json"
    for content in (b"", b"{", b"[]", b"\xff\xfe"):
        path.write_bytes(content)
        with pytest.raises(UserError, match="is not a file of category weights"):
            CategoryWeights.load(path)
    with pytest.raises(UserError, match="cannot be read"):
        CategoryWeights.load(tmp_path / "nowhere")


# -- the policy --------------------------------------------------------------------------------------------------------------
def test_playouts_draw_in_proportion():
    policy = policy_of(CategoryWeights.shipped().probabilities())
    state = GAME.state_after(["c8-c6", "h2-f2", "g1-g3"])
    legal = GAME.legal_moves(state)
    notes, rng = np.zeros(1, notes_type(policy, GAME.buffer_size))[0], make_rng(5)
    draws = Counter(int(playout_move(policy, notes, state, rng)) for _ in range(1500))
    assert set(draws) <= set(legal)
    weights = np.array([policy.weights[category_of(state, m)] for m in legal])
    expected = 1500 * weights / weights.sum()
    assert sum((draws[m] - e) ** 2 / e for m, e in zip(legal, expected, strict=True)) < 2 * len(legal)
    ratings = np.zeros(len(legal), RATING)
    rate_moves(policy, state, np.array(legal, np.int32), len(legal), ratings)
    assert (ratings["prior"] == weights).all()


def test_a_policy_passes_where_there_is_no_move():
    points = {("abcdefgh".index(s[0]), int(s[1]) - 1): 0 for s in ("a2", "b1", "b2", "g1", "g2", "h2", "d8")}
    state = GAME.board.set_up(GAME.initial, points | {(0, 0): 1, (7, 0): 1}, 1)
    policy = policy_of(CategoryWeights.shipped().probabilities())
    notes = np.zeros(1, notes_type(policy, GAME.buffer_size))[0]
    assert playout_move(policy, notes, state, make_rng(1)) == PASS


# -- the command -------------------------------------------------------------------------------------------------------------
def run(capsys, *words):
    capsys.readouterr()
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_learn_writes_weights_and_reports(tmp_path, capsys, random_texts):
    texts = [random_texts(seed, 12) for seed in range(6)]
    path = table(tmp_path / "games.tsv", [*texts, ["a1-a9"]])
    out = tmp_path / "weights.json"
    code, text, errors = run(capsys, "learn", "categories", path, "--out", out, "--held-out", 0.3, "--seed", 2, "--json")
    answer = json.loads(text)
    assert code == 0
    assert errors == f"tesuji: left out: {path}: game 7 (some, game 7), ply 1: a1-a9 is not a legal move\n"
    assert (answer["games"], answer["learned_from"], answer["held_out"], len(answer["refused"])) == (6, 4, 2, 1)
    assert answer["prediction"]["positions"] == 24
    assert CategoryWeights.load(out).games == 6
    before = out.read_bytes()
    assert run(capsys, "learn", "categories", path, "--out", out)[0] == 0  # its own files it writes again
    assert out.read_bytes() == before
    code, text, _errors = run(capsys, "learn", "categories", path, "--weights", out)
    assert code == 0 and "tested on 6 games" in text and "uniform" in text


def test_learn_refuses_and_overwrites_nothing(tmp_path, capsys, random_texts):
    good = table(tmp_path / "games.tsv", [random_texts(1, 10), random_texts(2, 10)])
    none = table(tmp_path / "none.tsv", [["a1-a9"]])
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    old = changed(tmp_path, version=0)
    kept = {path: path.read_bytes() for path in (good, none, other, old)}
    for words, message in (
        ([good, "--out", other], "is not a file of category weights, so it is not overwritten"),
        ([good, "--out", good], "is one of the records"),
        ([good], "give either --out FILE"),
        ([good, "--weights", old], "version 0"),
        ([good, "--weights", changed(tmp_path, version=0)], "version 0"),
        ([tmp_path / "nowhere", "--out", tmp_path / "w"], "cannot be read"),
        ([good, "--out", tmp_path / "no" / "w"], "there is no folder"),
        ([good, "--out", tmp_path / "w", "--held-out", "1"], "is not a share"),
        ([other, "--out", tmp_path / "w"], "neither SGF nor a table"),
    ):
        code, text, errors = run(capsys, "learn", "categories", *words)
        assert (code, text, errors.count("\n")) == (2, "", 1), errors
        assert message in errors
    assert {path: path.read_bytes() for path in kept} == kept
    assert not (tmp_path / "w").exists()
    assert run(capsys, "learn")[0] == 2
    assert run(capsys, "learn", "nothing")[0] == 2

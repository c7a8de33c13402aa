"""Learning patterns of Go: counts against a naive count, prediction, the file and what is wrong with others, the command."""

import base64
import gzip
import json
import random
import zlib

import numpy as np
import pytest

from tesuji.cli.main import main
from tesuji.core import rules
from tesuji.core.errors import UserError
from tesuji.games.registry import find_game
from tesuji.knowledge.go.mogo import MoGo
from tesuji.knowledge.go.nearest_patterns import FREE, find_pattern
from tesuji.knowledge.go.pattern_weights import KIND, SHIPPED, PatternWeights, packed, unpacked
from tesuji.knowledge.loa.weights import SHIPPED as CATEGORIES
from tesuji.knowledge.registry import make_policy
from tesuji.learn.patterns import learn_patterns, patterns_of, predict
from tesuji.learn.records import RecordedGame, read_collection
from tesuji.players.presets import find_player

GAME = find_game("go:5")


def random_game(seed, plies=14, game=GAME):
    """(moves, SGF text) of a random game."""
    chooser, state, moves, text = random.Random(seed), game.new_state(), [], ""
    for ply in range(plies):
        move = chooser.choice(game.legal_moves(state)[:-1])
        text += f";{'BW'[ply % 2]}[{game.sgf_move(state, move)}]"
        moves.append(move)
        rules.play(state, move)
    return tuple(moves), f"(;FF[4]GM[1]SZ[{game.board.columns}]{text})"


def recorded(seeds):
    return [RecordedGame(str(seed), GAME.new_state(), random_game(seed)[0]) for seed in seeds]


def run(capsys, *words):
    code = main([str(word) for word in words])
    found = capsys.readouterr()
    return code, found.out, found.err


def test_every_move_is_counted_once():
    games = recorded([1, 2, 3, 3])
    weights = patterns_of(games, 2, lambda share, text: None)
    moves = sum(len(one.moves) for one in games)
    assert weights.plays.sum() == weights.positions == moves
    candidates = 0
    for one in games:
        state = GAME.new_state()
        for move in one.moves:
            candidates += len(GAME.legal_moves(state)) - 1
            rules.play(state, move)
    assert weights.matches.sum() == candidates
    assert np.all(weights.plays <= weights.matches) and np.all(np.diff(weights.keys.astype(np.int64)) > 0)
    chances = weights.probabilities()
    assert np.all((chances > 0) & (chances < 1))


def test_only_patterns_that_were_played_often_are_kept():
    games = recorded([1, 2, 3, 4, 5])
    sizes = [len(patterns_of(games, least, lambda share, text: None).keys) for least in (1, 2, 5, 20)]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > sizes[-1] >= 1
    with pytest.raises(UserError, match="no pattern was played 1000 times in 5 games: give more games, or a smaller --least"):
        patterns_of(games, 1000, lambda share, text: None)


def test_games_seen_before_are_predicted_better_than_others():
    weights = patterns_of(recorded([1, 1, 1, 1]), 2, lambda share, text: None)
    known, unknown = predict(weights, recorded([1])), predict(weights, recorded([7]))
    assert known.top1 > 0.9 and known.log_likelihood > -0.7
    assert unknown.top1 < known.top1 and unknown.log_likelihood < known.log_likelihood
    assert known.top1 <= known.top5 <= known.top10 <= 1.0
    assert known.uniform_log_likelihood == pytest.approx(unknown.uniform_log_likelihood, rel=0.2)


def test_without_knowledge_the_prediction_is_uniform():
    games = recorded([1])
    only = patterns_of(games, len(games[0].moves), lambda share, text: None)  # the pattern without neighbours alone
    assert len(only.keys) == 1
    found = predict(only, games)
    assert found.log_likelihood == pytest.approx(found.uniform_log_likelihood)
    assert found.top1 == pytest.approx(found.uniform_top1)


def test_held_out_games_are_not_learned_from():
    games = recorded([1, 1, 1, 9])
    learned = [learn_patterns(games, 0.25, seed, 2) for seed in range(4)]
    assert all((one.learned_from, one.held_out, one.weights.games) == (3, 1, 3) for one in learned)
    shares = [one.prediction.top1 for one in learned]
    assert min(shares) < 0.5 < max(shares)  # the odd one is held out by some seeds, and not by others


# -- the file ------------------------------------------------------------------------------------------------------------------
def test_numbers_survive_packing():
    numbers = np.array([0, 1, 255, 256, 1 << 40, (1 << 53) - 1], np.uint64)
    assert np.array_equal(unpacked(packed(numbers), 6), numbers)
    for count in (5, 7):
        with pytest.raises(ValueError):
            unpacked(packed(numbers), count)


def test_files_hold_what_was_learned(tmp_path):
    weights = patterns_of(recorded([1, 2]), 2, lambda share, text: None)
    weights.save(tmp_path / "w.json")
    again = PatternWeights.load(tmp_path / "w.json")
    for name in ("keys", "plays", "matches"):
        assert np.array_equal(getattr(again, name), getattr(weights, name))
    assert (again.games, again.positions) == (weights.games, weights.positions)
    assert np.array_equal(again.table(), weights.table())


def test_the_shipped_file():
    assert SHIPPED.stat().st_size <= 5_000_000
    weights = PatternWeights.load(SHIPPED)
    assert len(weights.keys) > 50_000 and weights.games > 10_000
    table = weights.table()
    assert all(table[find_pattern(table, key)] != FREE for key in weights.keys[::5000])
    assert weights.table() is table, "made once, not for every search"


def changed(**changes):
    """The text of a small good file with some fields changed."""
    keys = np.array([3, 4, 9], np.uint64)
    data = json.loads(PatternWeights(keys, np.array([1, 0, 2]), np.array([5, 6, 7]), 1, 3).as_text())
    return json.dumps(data | changes, indent=2)


BOMB = base64.b64encode(zlib.compress(bytes(50_000_000))).decode()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is not JSON"),
        ("[1, 2]", "is not a file of patterns of nearest neighbours ('tesuji learn patterns' writes them)"),
        (changed(format="tesuji move categories"), "is not a file of patterns"),
        (changed(game="hex"), "of the game hex, not of go"),
        (changed(version=2), "of version 2, not of version 1: learn them again"),
        (changed(neighbours=8), "with neighbours 8, not 15: learn them again"),
        (changed(reach=3), "with reach 3, not 10: learn them again"),
        (changed(patterns=4), "is damaged"),
        (changed(patterns=-1), "is damaged"),
        (changed(patterns=10**12), "is damaged"),
        (changed(patterns="3"), "is damaged"),
        (changed(keys="%%%"), "is damaged"),
        (changed(keys="AAAA"), "is damaged"),
        (changed(keys=BOMB), "is damaged"),
        (changed(keys=packed(np.array([3, 0, 5], np.uint64))), "is damaged"),  # not in order
        (changed(keys=packed(np.array([3, 1, 1 << 40], np.uint64))), "is damaged"),  # too large
        (changed(plays=packed(np.array([6, 0, 2]))), "is damaged"),  # more plays than matches
        (changed(matches=packed(np.array([5, 6, 1 << 60]))), "is damaged"),
        (changed(plays=None), "is damaged"),
        (changed(games=-1), "is damaged"),
    ],
)
def test_other_files_are_refused_in_one_line(tmp_path, text, reason):
    path = tmp_path / "w.json"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        PatternWeights.load(path)
    assert reason in str(error.value) and "\n" not in str(error.value) and len(str(error.value)) < 300 + len(str(path))


def test_a_player_takes_files_of_patterns_only(tmp_path):
    path = tmp_path / "w.json"
    patterns_of(recorded([1, 2]), 2, lambda share, text: None).save(path)

    def policy(weights):
        settings = find_player(f"uct-rave:policy=mogo,weights={weights}", may_load=True).settings_for(GAME)
        return make_policy(GAME, MoGo, settings)

    assert np.array_equal(policy(path).knowledge.patterns, PatternWeights.load(path).table())
    assert len(policy("shipped").knowledge.patterns) > len(policy(path).knowledge.patterns)
    with pytest.raises(UserError, match="is not a file of patterns of nearest neighbours"):
        policy(CATEGORIES)
    with pytest.raises(UserError, match="cannot be read: No such file"):
        policy(tmp_path / "none.json")


# -- the command ---------------------------------------------------------------------------------------------------------------
def test_the_command_learns_and_tests(tmp_path, capsys):
    records, out = tmp_path / "games.sgf.gz", tmp_path / "w.json"
    records.write_bytes(gzip.compress("\n".join(random_game(seed)[1] for seed in (1, 2, 3, 4)).encode()))
    words = ("learn", "patterns", records, "--game", "go:5", "--least", 2)
    code, text, errors = run(capsys, *words, "--out", out, "--held-out", 0.25, "--json")
    facts = json.loads(text)
    assert (code, errors) == (0, "")
    assert (facts["games"], facts["learned_from"], facts["held_out"], facts["refused"]) == (4, 3, 1, [])
    assert facts["patterns"] == len(PatternWeights.load(out).keys) and facts["prediction"]["positions"] == 14
    assert set(facts["prediction"]) >= {"top1", "top5", "top10", "log_likelihood"}
    code, text, _ = run(capsys, "learn", "patterns", records, "--game", "go", "--weights", out)
    assert code == 0 and "first choice right" in text and "tested on 4 games (56 moves)" in text
    code, text, _ = run(capsys, *words, "--out", out, "--held-out", 0)
    assert code == 0 and f"{out}: " in text and "tested" not in text


def test_records_that_cannot_be_used_are_named(tmp_path, capsys):
    records, out = tmp_path / "games.sgf", tmp_path / "w.json"
    lines = [
        random_game(1)[1],
        "(;FF[4]GM[1]SZ[5];B[aa];W[aa])",  # illegal
        random_game(1, game=find_game("go:6"))[1],  # another size
        "(;FF[4]GM[1]SZ[5]HA[2]AB[aa][cc];W[bb];B[dd])",  # a handicap
        "(;FF[4]GM[1]SZ[5]AB[aa];W[bb];B[dd])",  # stones set up
        "(;FF[4]GM[1]SZ[5];B[aa]);W",  # broken
        random_game(2)[1],
    ]
    records.write_text("\n".join(lines))
    code, text, errors = run(
        capsys, "learn", "patterns", records, "--game", "go:5", "--out", out, "--held-out", 0, "--least", 1
    )
    assert code == 0 and "2 games, 28 positions; 5 left out" in text
    noted = errors.splitlines()
    assert len(noted) == 5 and all(str(records) in line for line in noted)
    for line, words in zip(noted, ("game 2, move 2", "6x6", "handicap", "handicap", "game 6"), strict=True):
        assert words in line
    collection = read_collection(GAME, [records], any_size=True, even_only=True)
    assert [int(one.start["size"]) for one in collection.games] == [5, 6, 5]


BROKEN_FILES = {
    "unclosed": "(;FF[4]GM[1]SZ[5];B[aa];W[bb",
    "no game": "(a remark)",
    "variations": "(;FF[4]GM[1]SZ[5];B[aa];W[bb]\n(;B[cc];W[dd])\n(;B[dd];W[cc]",
    "empty": "",
    "junk": "dear diary\n",
}


def test_a_broken_file_among_others_is_named_and_the_rest_is_used(tmp_path, capsys):
    good, out = tmp_path / "good.sgf", tmp_path / "w.json"
    good.write_text(random_game(1)[1])
    broken = [tmp_path / f"{name}.sgf" for name in BROKEN_FILES]
    for path, text in zip(broken, BROKEN_FILES.values(), strict=True):
        path.write_text(text)
    options = ("--game", "go:5", "--out", out, "--held-out", 0, "--least", 1)
    code, text, errors = run(capsys, "learn", "patterns", *broken[:2], good, *broken[2:], *options)
    assert code == 0 and "1 game, 14 positions; 5 left out" in text and "patterns of 1 game\n" in text
    for path, line in zip(broken, errors.splitlines(), strict=True):
        assert line.startswith(f"tesuji: left out: {path}") and ("line 1" in line or "line 3" in line or "neither" in line)
    out.unlink()
    for path in broken:
        code, text, errors = run(capsys, "learn", "patterns", path, *options)
        assert (code, text, errors.count("\n")) == (2, "", 1) and errors.startswith(f"tesuji: {path}") and not out.exists()


@pytest.mark.parametrize("between", ["\n", " "])
@pytest.mark.parametrize("end", [";W[bb)", ";C[well played)", ";C[well played])\n;W[cc", ";B[dd];"])
def test_a_game_with_broken_text_does_not_swallow_the_next(tmp_path, between, end):
    """The value that is not closed ends at the first bracket of the next game; what follows may even be legal moves."""
    first, second = random_game(1)[1], random_game(2)[1]
    path = tmp_path / "three.sgf"
    path.write_text(between.join((f"(;FF[4]GM[1]SZ[5];B[aa]{end}", first, second)))
    collection = read_collection(GAME, [path])
    assert [one.moves for one in collection.games] == [random_game(1)[0], random_game(2)[0]]
    assert [one.label for one in collection.games] == [f"{path}: game 2", f"{path}: game 3"]
    assert len(collection.refused) == 1 and collection.refused[0].startswith(f"{path}: game 1: line ")


@pytest.mark.parametrize("start", ["(;FF[4]GM[1]SZ[5]", "(;GM[1]"])
@pytest.mark.parametrize("before", ["", "SZ[5]", "SZ[5];B[cc]"])
def test_a_value_that_is_not_closed_in_the_first_node_or_later(tmp_path, before, start):
    path = tmp_path / "two.sgf"
    path.write_text(f"(;GM[1]{before}C[well played)\n{start};B[aa];W[bb])")
    collection = read_collection(GAME, [path], any_size=True)
    assert [one.label for one in collection.games] == [f"{path}: game 2"]
    assert len(collection.refused) == 1 and collection.refused[0].startswith(f"{path}: game 1: line 1, column ")


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("(;FF[4]GM[1]SZ[5];B[aa]C[written so:\n(;FF[4\\]GM[1\\];B[aa\\])];W[bb])", 2),
        ("(;GM[1]SZ[5]C[look at (;GM[1];B[aa];W[bb])", 2),
        ("(;GM[1]SZ[5]C[(;GM[1];B[aa];W[bb])", 2),
        ("(;GM[1]C[look at (;PB[Lee]SZ[5];B[aa];W[bb])", 2),
        ("(;GM[1]SZ[5];B[aa](;PB[Lee]PW[Cho]W[bb];B[cc])(;W[dd]))", 3),
        ("(;GM[1]SZ[5];B[aa]\n(;KM[6.5]W[bb])\n(;DT[2001]RE[B+R]EV[cup]W[cc]))", 2),
        ("(a remark)\n(;PB[Lee]SZ[5];B[aa])", 1),
    ],
)
@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16"])
def test_legal_text_that_looks_like_another_game_is_not_cut(tmp_path, text, moves, charset):
    """A value may hold an open bracket, and players, komi and result may be those of a variation."""
    path = tmp_path / "one.sgf"
    path.write_text(f"\n{text}", encoding=charset)
    collection = read_collection(GAME, [path])
    assert [len(one.moves) for one in collection.games] == [moves] and not collection.refused


@pytest.mark.parametrize("first", ["(;GM[1]SZ[5]\n;B[aa])", "(;GM[1]SZ[5]\n;B[aa)", "(;GM[1]SZ[5]\n;B[aa];"])
def test_lines_and_columns_are_those_of_the_file(tmp_path, first):
    path = tmp_path / "three.sgf"
    text = f"{first}\n(;GM[1]SZ[5];B[bb])  (;GM[1]SZ[5];B[cc]\n;W[cc])"
    path.write_text(text)
    *_, illegal = read_collection(GAME, [path]).refused
    assert illegal.startswith(f"{path}: game 3, move 2 (line 4, column 1): W[cc] is not a legal move")
    path.write_text(f"{text}\n(;GM[1]SZ[5];B[dd]))")
    *_, again, misplaced = read_collection(GAME, [path]).refused
    assert again == illegal and misplaced.startswith(f"{path}: game 4: line 5, column 20: expected '('")
    path.write_text("(;GM[1]SZ[5];B[aa)\n(;GM[1]SZ[5];B[bb]) (;GM[1]SZ[5];B[cc]")
    assert "line 2, column 39: " in read_collection(GAME, [path]).refused[1]
    assert "close the '(' of line 2, column 21" in read_collection(GAME, [path]).refused[1]


def test_a_game_of_a_table_with_a_handicap_is_left_out(tmp_path):
    path = tmp_path / "games.tsv"
    for column in ("handicap", "ha", "HA"):
        path.write_text(f"game\t{column}\tmoves\n" + "".join(f"g{n}\t{n}\ta1 b2\n" for n in ("", 0, 2)))
        collection = read_collection(GAME, [path], even_only=True)
        assert [one.label for one in collection.games] == [f"{path}: game 1 (g)", f"{path}: game 2 (g0)"]
        assert collection.refused == [f"{path}: game 3 (g2): it has a handicap of 2"]
        assert len(read_collection(GAME, [path]).games) == 3


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            ("--game", "loa", "--out", "w.json"),
            "patterns are learned from games of Go and Hex, not of loa: --game go, or go:N for one size",
        ),
        (("--out", "w.json", "--weights", "w.json"), "give either --out FILE for the weights, or --weights FILE to test some"),
        (("--weights", "w.json", "--least", "3"), "--weights are tested as they are, so leave --least out"),
        (("--out", "games.sgf", "--game", "go:5"), "games.sgf is one of the records; name another file"),
        (("--out", "w.json", "--least", "0"), "--least"),
    ],
)
def test_wrong_words(tmp_path, capsys, monkeypatch, words, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.sgf").write_text(random_game(1)[1])
    try:
        code, _text, errors = run(capsys, "learn", "patterns", "games.sgf", *words)
    except SystemExit as stop:
        code, errors = stop.code, capsys.readouterr().err
    assert code == 2 and reason in errors and "Traceback" not in errors
    assert not (tmp_path / "w.json").exists()


def test_the_kind_of_file_is_kept(tmp_path, capsys):
    (tmp_path / "games.sgf").write_text(random_game(1)[1])
    other = tmp_path / "other.json"
    other.write_text("{}")
    code, _, errors = run(capsys, "learn", "patterns", tmp_path / "games.sgf", "--game", "go:5", "--out", other)
    assert code == 2 and "is not a file of patterns of nearest neighbours, so it is not overwritten" in errors
    assert other.read_text() == "{}" and KIND.game == "go"

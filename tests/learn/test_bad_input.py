"""Wrong files for `tesuji learn`: a clear line, exit code 2, nothing overwritten. Bad games are named and the rest is used."""

from __future__ import annotations

import gzip
import json

import pytest

from tesuji.cli.main import main
from tesuji.core import files
from tesuji.games.registry import find_game
from tesuji.knowledge.loa import evaluation_weights, weights
from tesuji.learn.records import read_collection

GAME = find_game("loa")
HEAD = "#file\tgame\twinner\tmoves\n"
SHIPPED = {"categories": weights.SHIPPED, "evaluation": evaluation_weights.SHIPPED}
OTHER = {"categories": "evaluation", "evaluation": "categories"}
TASKS = tuple(SHIPPED)
ENDED = "g1-g3 h4-f6 d8xf6 h5-f3 d1xf3 a6xc8 b8-e5 a3-e3 g8-e6 a4-a8 f8-f4 h7-f7 e8xe3 a7-b8 e6-e2 b8-b6 f3-d1"  # Black wins


def table(path, games):
    """Games as lists of texts; a string stands for a line as it is."""
    rows = [one if isinstance(one, str) else f"f\tg\t{'BW'[n % 2]}\t{' '.join(one)}" for n, one in enumerate(games)]
    path.write_text(HEAD + "".join(row + "\n" for row in rows))
    return path


def run(capsys, *words):
    capsys.readouterr()
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def refusal(capsys, *words):
    """The one line with which a command refuses."""
    code, text, errors = run(capsys, *words)
    assert (code, text, errors.count("\n")) == (2, "", 1), (code, text, errors)
    assert errors.startswith("tesuji: ")
    return errors


@pytest.fixture
def records(tmp_path, random_texts):
    return table(tmp_path / "games.tsv", [random_texts(seed) for seed in range(4)])


# -- files of weights --------------------------------------------------------------------------------------------------------
def changed(path, task, **values):
    path.write_text(json.dumps(json.loads(SHIPPED[task].read_text()) | values))
    return path


WRONG = [
    ({"version": 2}, "version 2"),
    ({"version": 0}, "version 0"),
    ({"version": "1"}, "version"),
    ({"version": None}, "version"),
    ({"version": True}, "version"),
    ({"game": "hex"}, "hex"),
    ({"game": "loa\nhex"}, "game"),
    ({"game": ["loa"] * 1000}, "game"),
    ({"format": "a\nb"}, "is not a file of"),
    ({"games": float("inf")}, "damaged"),
    ({"positions": -1}, "damaged"),
    ({"games": "7"}, "damaged"),
]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(("values", "message"), WRONG, ids=[str(values)[:30] for values, _ in WRONG])
def test_weights_of_another_version_or_game(tmp_path, capsys, records, task, values, message):
    wrong = changed(tmp_path / "wrong.json", task, **values)
    before = wrong.read_bytes()
    for option in ("--weights", "--out"):
        line = refusal(capsys, "learn", task, records, option, wrong)
        assert (message if option == "--weights" else "not overwritten") in line and "wrong.json" in line and len(line) < 400
        assert wrong.read_bytes() == before


@pytest.mark.parametrize("task", TASKS)
def test_weights_of_the_other_kind(tmp_path, capsys, records, task):
    other = tmp_path / "other.json"
    other.write_bytes(SHIPPED[OTHER[task]].read_bytes())
    for option in ("--weights", "--out"):
        line = refusal(capsys, "learn", task, records, option, other)
        assert f"is not a file of {'category' if task == 'categories' else 'evaluation'} weights" in line
        assert other.read_bytes() == SHIPPED[OTHER[task]].read_bytes()


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("content", [b"", b"{", b"[" * 100_000, b"\xff\xfe", b"[]", b"NaN", b'{"format": NaN}', b"mine\n"])
def test_what_is_no_file_of_weights(tmp_path, capsys, records, task, content):
    path = tmp_path / "notes"
    path.write_bytes(content)
    for option in ("--weights", "--out") if content else ("--weights",):  # an empty file may be written to
        assert "is not a file of" in refusal(capsys, "learn", task, records, option, path)
        assert path.read_bytes() == content


@pytest.mark.parametrize(
    "counts",
    [
        {"a": [0, 1, 2], "b": [0, 1, 2]},
        {"a": [0.5, 1, 2]},
        {"a": [True, 1, 2]},
        {"a": [0, 0.5, 2]},
        {"a": [0, 1, 10**30]},
        {"a": "012"},
        [[0, 1, 2]],
    ],
)
def test_counts_that_cannot_be(tmp_path, capsys, records, counts):
    path = changed(tmp_path / "w.json", "categories", counts=counts)
    assert "damaged" in refusal(capsys, "learn", "categories", records, "--weights", path)


@pytest.mark.parametrize("value", ["12", True, None, float("nan"), 1e308, -1e10, 10**400, [1]])
def test_terms_that_cannot_be(tmp_path, capsys, records, value):
    terms = json.loads(SHIPPED["evaluation"].read_text())["weights"]
    path = changed(tmp_path / "w.json", "evaluation", weights=terms | {"mobility": value})
    assert "damaged" in refusal(capsys, "learn", "evaluation", records, "--weights", path)


# -- records -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("task", TASKS)
def test_every_bad_game_is_named_and_the_rest_is_used(tmp_path, capsys, task, random_texts):
    good = [random_texts(seed) for seed in range(5)]
    bad = [[*random_texts(9, number % 7), "a1-h8"] for number in range(15)]
    path, out = table(tmp_path / "games.tsv", [*good[:2], *bad, *good[2:]]), tmp_path / "w.json"
    code, text, errors = run(capsys, "learn", task, path, "--out", out)
    assert code == 0 and "; 15 left out" in text
    assert errors.splitlines() == [
        f"tesuji: left out: {path}: game {number + 3} (f, g), ply {number % 7 + 1}: a1-h8 is not a legal move"
        for number in range(15)
    ]
    assert json.loads(out.read_text())["games"] == 5
    alone = tmp_path / "alone.json"
    assert run(capsys, "learn", task, table(tmp_path / "games.tsv", good), "--out", alone)[::2] == (0, "")
    if task == "categories":  # who won is not what it learns from
        assert alone.read_bytes() == out.read_bytes()


def test_a_result_that_is_not_written_is_read_from_the_board(tmp_path):
    rows = []
    ended = ENDED.split()
    for winner, plies in [("b ", 5), ("White", 5), ("draw", 5), ("?", 5), ("?", 17), ("W", 17)]:
        rows.append(f"{winner}\t{' '.join(ended[:plies])}")
    path = tmp_path / "games.tsv"
    path.write_text("\n".join(["winner\tmoves", *rows]) + "\n")
    collection = read_collection(GAME, [path])
    assert [game.outcome for game in collection.games] == [1, -1, 0, None, 1, -1]
    assert not collection.refused
    path.write_text(f"(;GM[9]{''.join(f';{side}[{text}]' for side, text in zip('BW' * 999, ended, strict=False))})")
    assert [game.outcome for game in read_collection(GAME, [path]).games] == [1]


def test_games_of_a_table_are_counted_without_remarks(tmp_path, random_texts):
    path = table(tmp_path / "games.tsv", ["# a remark", random_texts(1), "", ["a1-h8"]])
    collection = read_collection(GAME, [path])
    assert [game.label for game in collection.games] == [f"{path}: game 1 (f, g)"]
    assert collection.refused == [f"{path}: game 2 (f, g), ply 1: a1-h8 is not a legal move"]


@pytest.mark.parametrize(
    ("texts", "ply"),
    [
        (["c8-c6", "c8-c6"], 2),
        (["pass"], 1),
        (["a²-a3"], 1),
        (["\x00"], 1),
        (["c8-c6" * 1000], 1),
        (["c8-c6", "h2-f2", "g1-g9"], 3),
    ],
)
def test_what_is_no_move_is_named_on_one_line(tmp_path, capsys, texts, ply, random_texts):
    path, out = table(tmp_path / "games.tsv", [texts, random_texts(1)]), tmp_path / "w.json"
    code, _text, errors = run(capsys, "learn", "categories", path, "--out", out, "--held-out", 0)
    assert (code, errors.count("\n")) == (0, 1)
    assert f"game 1 (f, g), ply {ply}: " in errors and len(errors) < 400


def test_bad_games_of_a_collection_of_sgf(tmp_path, capsys, random_texts):
    texts = random_texts(2, 8)
    turns = "".join(f";{'BW'[n % 2]}[{text.replace('x', ':')}]" for n, text in enumerate(texts))
    path, out = tmp_path / "three.sgf", tmp_path / "w.json"
    content = f"(;FF[4]GM[9]{turns};B[a1-a2])(;FF[4]GM[9]{turns})(;FF[4]GM[1]SZ[9];B[ee])"
    content += "(;FF[4]GM[9];B[c8-c6];B[c1-c3])(;FF[4]GM[9];B[c8\n-c9])(;FF[4]GM[9])"
    path.write_text(content)
    code, _text, errors = run(capsys, "learn", "categories", path, "--out", out, "--held-out", 0)
    assert code == 0 and json.loads(out.read_text())["games"] == 1
    lines = errors.splitlines()
    for line, words in zip(
        lines, ("game 1, move 9 a1-a2", "game 3", "game 4, move 2", "game 5, move 1", "game 6"), strict=True
    ):
        assert str(path) in line and all(word in line for word in words.split())
    packed = tmp_path / "packed.sgf.gz"
    packed.write_bytes(gzip.compress(content.encode()))
    assert len(read_collection(GAME, [packed]).games) == 1


@pytest.mark.parametrize("task", TASKS)
def test_without_a_usable_game_nothing_is_written(tmp_path, capsys, task):
    none = table(tmp_path / "none.tsv", [["a1-a9"], ["c8-c6", "pass"]])
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    old.write_bytes(SHIPPED[task].read_bytes())
    for out in (new, old):
        code, text, errors = run(capsys, "learn", task, none, "--out", out)
        assert (code, text) == (2, "") and "game 1 (f, g), ply 1: a1-a9" in errors
        assert errors.splitlines()[-1].startswith("tesuji: no game of loa could be used")
    assert not new.exists() and old.read_bytes() == SHIPPED[task].read_bytes()


@pytest.mark.parametrize("task", TASKS)
def test_a_file_that_cannot_be_read_stops_all(tmp_path, capsys, records, task):
    old = tmp_path / "old.json"
    old.write_bytes(SHIPPED[task].read_bytes())
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(records.read_bytes())[:-12])
    for wrong in (tmp_path / "nowhere", tmp_path, broken):
        assert str(wrong) in refusal(capsys, "learn", task, records, wrong, "--out", old)
    assert old.read_bytes() == SHIPPED[task].read_bytes()


@pytest.mark.parametrize("task", TASKS)
def test_a_file_that_holds_no_records_is_named(tmp_path, capsys, records, task):
    unclosed, out = tmp_path / "unclosed.sgf", tmp_path / "w.json"
    unclosed.write_text("(;FF[4]GM[9];B[c8-c6")
    code, text, errors = run(capsys, "learn", task, unclosed, records, SHIPPED[task], "--out", out)
    assert code == 0 and "4 games" in text and "; 2 left out" in text
    assert [line.startswith("tesuji: left out: ") for line in errors.splitlines()] == [True, True]
    assert str(unclosed) in errors and f"{SHIPPED[task]} is neither SGF nor a table" in errors


# -- writing -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file(tmp_path, capsys, monkeypatch, records, task, failing):
    old = tmp_path / "old.json"
    old.write_bytes(SHIPPED[task].read_bytes())

    def fail(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, failing, fail)
    assert "cannot be written: No space left" in refusal(capsys, "learn", task, records, "--out", old)
    assert old.read_bytes() == SHIPPED[task].read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"games.tsv", "old.json"}


# -- rule options ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("loa:foo=bar", "there is no parameter 'foo'; there are: simultaneous, no_move"),
        ("loa:scrambled,foo=bar", "there is no parameter 'foo'"),
        ("loa:no_move=foo", "no_move=foo is not possible: pass | loss"),
        ("loa:no_move", "is not a game"),
        ("loa:simultaneous=draw,simultaneous=mover", "given twice"),
        ("loa:upside-down", "is not a game"),
    ],
)
@pytest.mark.parametrize("command", ["analyze", "solve", "play", "gtp"])
def test_a_rule_option_that_does_not_exist(capsys, name, message, command):
    assert message in refusal(capsys, command, name)

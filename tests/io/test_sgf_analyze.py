"""tesuji analyze --sgf: positions from game records."""

from __future__ import annotations

import json

import pytest

from tesuji.cli.main import main

CONNECT4 = "(;GM[0]TESUJI[connect4:5x4];B[3];W[3];B[2];W[4])"


@pytest.fixture(autouse=True)
def pure_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESUJI_PURE", "1")
    monkeypatch.delenv("TESUJI_DEBUG", raising=False)


@pytest.fixture
def analyze(capsys, tmp_path):
    """Runs the command on a file of this text; returns its JSON, or its one line of complaint."""

    def run(text: str, *words: str):
        path = tmp_path / "a.sgf"
        path.write_text(text)
        capsys.readouterr()
        code = main(["analyze", *words, "--sgf", str(path), "--playouts", "20", "--json"])
        out, err = capsys.readouterr()
        if code == 0:
            return json.loads(out), err
        assert (code, out, err.count("\n")) == (2, "", 1)
        return err[len("tesuji: ") : -1].replace(str(path), "a.sgf")

    return run


def test_the_end_of_the_record_or_an_earlier_position(analyze):
    found, err = analyze(CONNECT4)
    assert (found["game"], found["to_move"], found["playouts"], err) == ("connect4:5x4", "Red", 20, "")
    found, _err = analyze(CONNECT4, "connect4:5x4", "--at", "3")
    assert found["to_move"] == "Yellow"
    found, _err = analyze(CONNECT4, "--at", "0", "--moves", "3 3 3 3")
    assert (found["to_move"], "3" in [entry["move"] for entry in found["moves"]]) == ("Red", False)


def test_the_position_is_the_same_as_by_moves(analyze, capsys):
    found, _err = analyze(CONNECT4)
    main(["analyze", "connect4:5x4", "--moves", "3324", "--playouts", "20", "--json"])
    assert json.loads(capsys.readouterr().out)["moves"] == found["moves"]


def test_go_with_a_set_up_and_a_note(analyze):
    found, err = analyze("(;SZ[5]KM[750]AB[bb][dd]AW[cc];W[db];B[da])", "--player", "uct")
    assert (found["game"], found["to_move"]) == ("go:5", "White")
    assert "KM[750]" in err and err.count("\n") == 1


def test_one_of_several_games(analyze):
    both = CONNECT4 + "\n(;GM[0]TESUJI[tictactoe];B[b2])"
    assert analyze(both)[0]["game"] == "connect4:5x4"
    assert analyze(both, "--game-index", "2")[0]["game"] == "tictactoe"
    assert analyze(both, "--game-index", "3") == "a.sgf has no game 3: it has 2"


@pytest.mark.parametrize(
    ("text", "words", "complaint"),
    [
        ("(;B[aa]", (), "a.sgf: line 1, column 8: expected ')'"),
        ("(;SZ[5];B[aa];W[aa])", (), "a.sgf, move 2 (line 1, column 14): W[aa] is not a legal move of go:5"),
        ("(;GM[2])", (), "GM[2] is not a game that is known here"),
        (CONNECT4, ("tictactoe",), "this is a game of connect4:5x4, not of tictactoe"),
        (CONNECT4, ("--at", "9"), "there is no position after 9 moves: the game has 4"),
        (CONNECT4, ("--at", "-1"), "'-1' is not a number of moves"),
        (CONNECT4, ("--moves", "9"), "move 5: '9' is not a legal move"),
        ("(;SZ[5];B[];W[])", (), "the game is over in this position: White wins"),
        (CONNECT4, ("--load", "x"), "--sgf cannot go with --load"),
        (CONNECT4, ("--jsonl",), "--sgf cannot go with --jsonl"),
        (CONNECT4, ("--workers", "2"), "--workers goes with --jsonl only"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(analyze, text, words, complaint):
    assert complaint in analyze(text, *words)


def test_at_needs_a_record(capsys):
    assert main(["analyze", "tictactoe", "--at", "3"]) == 2
    assert "--at cannot go with a position that is not from a file" in capsys.readouterr().err
    assert main(["analyze", "--sgf", "none.sgf"]) == 2
    assert "none.sgf cannot be read" in capsys.readouterr().err

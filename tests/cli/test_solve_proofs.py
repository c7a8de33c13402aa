"""`tesuji solve --save FILE` and `--load FILE`: proven positions for the next run."""

from __future__ import annotations

import json

import pytest

from tesuji.cli.main import main


def run(capsys, *words):
    code = main([str(word) for word in words])
    return code, *capsys.readouterr()


def test_the_next_run_uses_what_was_proven(tmp_path, capsys):
    path = tmp_path / "ttt.proofs"
    code, _, err = run(capsys, "solve", "tictactoe", "--moves", "b2", "--save", path)
    assert code == 0 and f"proofs: {path} (" in err
    words = ("solve", "tictactoe", "--moves", "b2", "--json", "--seed", 5)
    first = json.loads(run(capsys, *words)[1])
    code, out, _ = run(capsys, *words, "--load", path, "--save", path)
    again = json.loads(out)
    assert (code, again["outcome"]) == (0, "draw")
    assert again["playouts"] < first["playouts"] / 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("solve", "seki:3,4", "--load", "FILE"), "holds proofs of tictactoe, not of seki:3,4"),
        (("solve", "tictactoe", "--load", "MISSING"), "cannot be read"),
        (("solve", "tictactoe", "--save", "FOLDER"), "folder"),
        (("solve", "tictactoe", "--transpositions", "off", "--save", "NEW"), "there is no transposition table"),
        (("solve", "loa", "--player", "mia2006", "--save", "NEW"), "keeps no tree"),
    ],
)
def test_what_does_not_fit_is_one_line(words, message, tmp_path, capsys):
    named = {"FILE": tmp_path / "ttt.proofs", "MISSING": tmp_path / "none", "FOLDER": tmp_path, "NEW": tmp_path / "new"}
    if "FILE" in words:
        run(capsys, "solve", "tictactoe", "--moves", "b2 a1", "--save", named["FILE"])
    code, out, err = run(capsys, *(named.get(word, word) for word in words))
    assert code == 2 and out == "" and message in err and err.count("\n") == 1
    assert not named["NEW"].exists()

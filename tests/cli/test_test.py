"""`tesuji test`: suites of GTP commands with the answers that are expected."""

import sys

import pytest

SUITE = """# Whoever does not stop the row has lost.
clear_board
play x b2
play o a1
play x b1      # threatens b3
10 reg_genmove o
#? [B3]
20 reg_genmove o
#? [!B3]
30 reg_genmove o
#? [A[23]|C3]*
40 reg_genmove o
#? [B[0-9]]*
50 name
#? [Tesuji|other]
"""
PLAYER = ("--game", "tictactoe", "--player", "tesuji:playouts=200,memory=4", "--seed", "1")


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "rows.tst"
    path.write_text(SUITE)
    return path


def test_known_failures_are_told_from_others(tesuji, suite):
    answer = tesuji("test", str(suite), *PLAYER, "--json")
    assert answer.code == 1
    found = answer.json
    assert [(test["number"], test["line"], test["result"]) for test in found["tests"]] == [
        ("10", 6, "passed"),
        ("20", 8, "failed"),
        ("30", 10, "known failure"),
        ("40", 12, "passes now"),
        ("50", 14, "passed"),
    ]
    counts = {key: found[key] for key in ("passed", "failed", "known_failures", "passes_now", "errors")}
    assert counts == {"passed": 2, "failed": 1, "known_failures": 1, "passes_now": 1, "errors": 0}
    lines = tesuji("test", str(suite), *PLAYER).out.splitlines()
    assert lines[0] == f"{suite}:8: failed: reg_genmove o: B3, expected [!B3]"
    assert lines[-1] == "5 tests: 2 passed, 1 failed, 1 known failure, 1 passes now"


def test_without_a_failure_the_exit_code_is_0(tesuji, suite):
    suite.write_text(SUITE.replace("#? [!B3]", "#? [!B3]*"))
    assert tesuji("test", str(suite), *PLAYER).code == 0


def test_a_command_that_fails_is_an_error(tesuji, suite):
    suite.write_text("play x z9\n1 name\n#? [.*]\n")
    answer = tesuji("test", str(suite), *PLAYER)
    assert answer.code == 1 and "rows.tst:1: error: play x z9" in answer.out and "1 error" in answer.out


def test_records_are_found_beside_the_suite(tesuji, suite, tmp_path, monkeypatch):
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "one.sgf").write_text("(;GM[1]SZ[3];B[bb];W[aa])")
    suite.write_text("loadsgf games/one.sgf 2\n1 reg_genmove w\n#? [[A-C][1-3]|pass]\n")
    monkeypatch.chdir("/")
    answer = tesuji("test", str(suite), "--game", "go:3", "--player", "uct:policy=uniform,memory=4", "--playouts", "5")
    assert answer.code == 0, answer


def test_a_program_is_asked(tesuji, suite):
    program = f"gtp:{sys.executable} -P -m tesuji gtp tictactoe --player tesuji:playouts=200,memory=4"
    answer = tesuji("test", str(suite), "--program", program, "--json")
    assert answer.code == 1 and answer.json["passed"] == 2
    assert "either" in tesuji("test", str(suite), "--program", "gnugo").error


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 name\n#? E5\n", "no expected answer"),
        ("name\n#? [E5]\n", "follows a command with a number"),
        ("1 name\n#? [E5]\n#? [E5]\n", "follows a command with a number"),
        ("1 name\n#? [(]\n", "no pattern"),
        ("1 name\n", "holds no test"),
        ("", "holds no test"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(tesuji, suite, text, said):
    suite.write_text(text)
    assert said in tesuji("test", str(suite), *PLAYER).error

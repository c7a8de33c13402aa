"""Exit codes, errors in one line, and what a start costs."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

import pytest

from tesuji.cli import games, main, options, solve
from tesuji.players.parameters import all_parameters

WRONG = {
    "no such command": (["sole"], "invalid choice: 'sole'"),
    "no such option": (["games", "--sideways"], "unrecognized arguments: --sideways"),
    "an abbreviated option": (["analyze", "tictactoe", "--play", "3"], "unrecognized arguments"),
    "no game": (["solve"], "GAME"),
    "no game to analyze": (["analyze"], "which game?"),
    "no such game": (["solve", "chess"], "there is no game 'chess'; there are: tictactoe"),
    "a game string out of range": (["solve", "connect4:99x99"], "out of range"),
    "a game string that does not parse": (["solve", "connect4:axb"], "connect4:WxH"),
    "no such file": (["solve", "nowhere/mine.py:game"], "there is no file nowhere/mine.py"),
    "an illegal move": (["solve", "connect4:4x4", "--moves", "1 9"], "move 2: '9' is not a legal move"),
    "a full column": (["solve", "connect4:4x4", "--moves", "11111"], "move 5: '1' is not a legal move"),
    "moves after the end": (["analyze", "tictactoe", "--moves", "a1 b1 a2 b2 a3 b3"], "after the end of the game"),
    "a position that is over": (["analyze", "tictactoe", "--moves", "a1,b1,a2,b2,a3"], "x wins"),
    "negative seconds": (["analyze", "tictactoe", "--seconds", "-1"], "'-1' is not a time"),
    "no seconds": (["analyze", "tictactoe", "--seconds", "0"], "seconds above 0"),
    "seconds that are no number": (["analyze", "tictactoe", "--seconds", "nan"], "'nan' is not a time"),
    "negative playouts": (["solve", "tictactoe", "--playouts", "-5"], "'-5' is not a number of playouts"),
    "playouts in parts": (["solve", "tictactoe", "--playouts", "1.5"], "'1.5' is not a number of playouts"),
    "contradicting limits": (["solve", "tictactoe", "--playouts", "10", "--playouts", "20"], "given twice: 10 and 20"),
    "a parameter out of range": (
        ["solve", "tictactoe", "--threads", "0"],
        "threads=0 is not possible: a whole number, 1 .. 256",
    ),
    "a parameter that is no number": (["solve", "tictactoe", "--exploration", "much"], "exploration=much is not possible"),
    "memory for no node": (["solve", "tictactoe", "--memory", "0"], "memory"),
    "no such player": (["solve", "tictactoe", "--player", "deepest"], "there is no player 'deepest'"),
    "a GTP program as player": (
        ["play", "tictactoe", "--player", "gtp:nosuch", "--no-browser"],
        "GTP programs play in tesuji match, and on the page of tesuji play with --engine 'gtp:COMMAND'",
    ),
    "no such parameter": (["solve", "tictactoe", "--player", "uct:speed=9"], "there is no parameter 'speed'"),
    "a proof without a solver": (["solve", "tictactoe", "--solver", "off"], "solver=off proves nothing"),
    "a seed that is none": (["solve", "tictactoe", "--seed", "-1"], "is not a seed"),
    "a certificate nowhere": (["solve", "tictactoe", "--certificate", "nowhere/c"], "there is no folder"),
    "a search saved nowhere": (["analyze", "tictactoe", "--save", "nowhere/s"], "there is no folder"),
    "a search that is not there": (["analyze", "--load", "nowhere.search"], "nowhere.search"),
    "a certificate that is not there": (["verify", "nowhere.proof"], "nowhere.proof"),
    "a level that is none": (["play", "tictactoe", "--level", "11"], "'11' is not a level: 1 (beginner) to 10"),
    "a side that is none": (["play", "tictactoe", "--side", "left"], "invalid choice: 'left'"),
    "a puzzle's second side": (["play", "samegame:4x4:1", "--side", "second"], "is played by one"),
    "bench by playouts": (["bench", "tictactoe", "--playouts", "9"], "bench measures by time"),
    "bench by two clocks": (["bench", "tictactoe", "--seconds", "1", "--cpu", "1"], "give either --seconds or --cpu"),
    "CPU time on the page": (["play", "tictactoe", "--no-browser", "--cpu", "1"], "play with --terminal"),
    "CPU time of a cluster": (["solve", "tictactoe", "--cluster", "local", "--cpu", "1"], "measured on one machine"),
    "no CPU time": (["analyze", "tictactoe", "--cpu", "0"], "'0' is not a time"),
    "CPU time that is no number": (["analyze", "tictactoe", "--player", "uct:cpu=x"], "cpu=x is not a number"),
    "CPU time below nothing": (["analyze", "tictactoe", "--player", "uct:cpu=-1"], "cpu=-1 is not possible"),
    "a changed signature": (["bench", "--signature", "--cuts", "on"], "--signature runs fixed searches"),
    "warming up without a compiler": (["warmup", "tictactoe"], "nothing to compile"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_gives_one_line_and_exit_code_2(tesuji, case):
    words, expected = WRONG[case]
    assert expected in tesuji(*words).error


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sovle", "tictactoe"], "invalid choice: 'sovle' (did you mean solve?) (choose from"),
        (["solve", "conect4:4x4"], "there is no game 'conect4:4x4' (did you mean connect4?); there are: "),
        (["solve", "tictactoe", "--player", "utc"], "there is no player 'utc' (did you mean uct?); there are: "),
        (["solve", "tictactoe", "--player", "uct:exploraton=1"], "parameter 'exploraton' (did you mean exploration?); there"),
        (["solve", "tictactoe", "--Expand_After", "1"], "--Expand_After 1 (did you mean --expand-after?) (see tesuji"),
        (["solve", "tictactoe", "--selection", "rve"], "selection=rve is not possible (did you mean rave?): uct"),
        (["reproduce", "mohex2/clpo"], "there is no experiment 'mohex2/clpo' (did you mean mohex2/clop?); there are: "),
        (["tune", "uct", "--game", "tictactoe", "--parameter", "first-ply"], "'first_ply' (did you mean first_play?); there"),
    ],
)
def test_a_name_with_a_wrong_letter_is_answered_by_the_right_one(tesuji, words, expected):
    assert expected in tesuji(*words).error


def test_a_name_like_no_other_is_answered_by_none(tesuji):
    for words in (["solve", "chess"], ["solve", "tictactoe", "--player", "zero"], ["solve", "tictactoe", "--sideways"]):
        assert "did you mean" not in tesuji(*words).error


@pytest.mark.parametrize("case", ["an illegal move", "negative playouts"])
def test_wrong_input_with_json_leaves_stdout_empty(tesuji, case):
    assert tesuji(*WRONG[case][0], "--json").error


@pytest.mark.parametrize("command", [module.__name__.rpartition(".")[2] for module in main.COMMANDS])
def test_every_command_has_help(tesuji, command):
    answer = tesuji(command, "--help")
    assert answer.code == 0 and answer.err == ""
    assert f"usage: tesuji {command}" in answer.out


def test_every_parameter_is_an_option_with_its_meaning(tesuji):
    parser = argparse.ArgumentParser()
    options.add_parameters(parser)
    text = " ".join(tesuji("players", "--parameters").out.split())
    for parameter in all_parameters().values():
        assert parameter.meaning.split()[0] in parser._option_string_actions[parameter.option].help
        assert parameter.name in text


@pytest.mark.parametrize("command", ["play", "solve", "analyze"])
def test_help_is_short_and_says_where_the_parameters_are(tesuji, command):
    text = tesuji(command, "--help").out
    assert len(text.splitlines()) < 75 and "tesuji players --parameters" in " ".join(text.split())
    assert "--exploration N" not in text


def test_no_command_shows_what_there_is(tesuji):
    answer = tesuji()
    assert answer.code == 0
    assert all(module.SUMMARY in answer.out for module in main.COMMANDS)


def test_version(tesuji):
    assert tesuji("--version").out.startswith("tesuji ")


def test_an_option_twice_with_one_value_is_no_contradiction(tesuji):
    assert tesuji("analyze", "tictactoe", "--playouts", "5", "--playouts", "5", "--json").code == 0


def test_a_fault_of_ours_is_one_line_that_names_the_way_to_the_traceback(tesuji, monkeypatch):
    def fail(_args):
        raise ZeroDivisionError("no\nway")

    monkeypatch.setattr(games, "run", fail)
    answer = tesuji("games")
    assert (answer.code, answer.err.count("\n")) == (3, 1)
    assert answer.err.startswith("tesuji: internal error: ZeroDivisionError: no way. To report it, ")
    assert "TESUJI_DEBUG=1" in answer.err and "tesuji doctor" in answer.err
    monkeypatch.setenv("TESUJI_DEBUG", "1")
    assert "Traceback" in tesuji("games").err


def test_an_interrupt_outside_a_search_is_quiet(tesuji, monkeypatch):
    def interrupted(_args):
        raise KeyboardInterrupt

    monkeypatch.setattr(solve, "run", interrupted)
    answer = tesuji("solve", "tictactoe")
    assert answer.code == 130 and "Traceback" not in answer.err


def test_a_missing_folder_in_the_way_of_a_file_is_wrong_input(tesuji, monkeypatch):
    def fail(_args):
        raise PermissionError(13, "Permission denied", "some/file")

    monkeypatch.setattr(games, "run", fail)
    assert tesuji("games").error == "some/file: Permission denied"


@pytest.mark.parametrize(
    ("commands", "unwanted"),
    [
        ([["--help"], ["games"], ["verify", "--help"]], {"numba", "numpy", "rich"}),
        ([["solve", "--help"], ["players"], ["players", "--parameters"]], {"numba", "rich"}),
    ],
)
def test_what_there_is_is_told_without_loading_what_computes(commands, unwanted):
    program = (
        "import sys; from tesuji.cli.main import main; "
        f"assert [main(words) for words in {commands}] == [0] * {len(commands)}; "
        f"sys.exit(','.join({unwanted} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment())
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_has_gone_is_no_error():
    process = subprocess.Popen(
        [sys.executable, "-m", "tesuji", "players", "--parameters"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 141
    process.stderr.close()


def environment() -> dict[str, str]:
    """This process's, so that a subprocess finds the same package."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_too_little_memory_is_told_in_one_line(monkeypatch, capsys, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(games, "run", fail)
    assert main.main(["games"]) == 2
    assert capsys.readouterr().err.startswith("tesuji: not enough memory; ")

"""What real opponents need: commands and a folder of their own, and games of Go that cannot run in a cycle."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tesuji.cli.main import main
from tesuji.lab.match.store import read_match, read_results

SCRIPTED = Path(__file__).parent / "scripted_engine.py"
WEAK = "uct:playouts=2"
# Three kos on 9x9, once the stones are there, and then six captures that lead back to the same position.
TRIPLE_KO = (
    "B9,G9,A8,F8,B7,G7,B3,A2,C2,B1,E5/C8,H8,C2",
    "C9,H9,B8,D8,G8,J8,C7,H7,C3,D2,C1/B2,B8,G8",
)
# Black sends two stones and returns one, while White, who is ahead, passes.
TWO_FOR_ONE = ("C2,B1,D1/A1,B1", "A2,B2,E5/C1,pass")


def scripted(black: str, white: str, log: object = "") -> str:
    return "gtp:" + shlex.join([sys.executable, str(SCRIPTED), black, white, *([str(log)] if log else [])])


# -- cycles ----------------------------------------------------------------------------------------------------------------
def test_a_triple_ko_ends_as_a_draw(match):
    players = (scripted(*TRIPLE_KO), scripted(*TRIPLE_KO))
    code, found, err = match(*players, "--game", "go:9", "--games", "2", "--workers", "1")
    assert (code, found["draws"], found["forfeits"]) == (0, 2, 0)
    assert err.splitlines()[1] == "tesuji: game 2: the position of 6 plies before came back"
    for game in read_match(found["file"])[1]:
        assert (game.reason, game.result, game.outcome, game.plies) == ("repetition", "0", None, 28)
        assert game.detail == "the position of 6 plies before came back" and game.detail in game.sgf and "RE[0]" in game.sgf


def test_a_cycle_with_passes_is_scored_as_it_stands(match):
    """Whoever is behind cannot save half a point by captures that lead nowhere."""
    player = scripted(*TWO_FOR_ONE)
    code, found, _ = match(player, player, "--game", "go:5", "--games", "2", "--workers", "1")
    assert (code, found["a_wins"], found["b_wins"], found["draws"]) == (0, 1, 1, 0)
    for game in read_match(found["file"])[1]:
        assert (game.reason, game.winner, game.plies) == ("repetition", game.second, 10)
        assert game.result == f"W+{-(game.outcome or 0) / 2:g}" and game.detail.endswith("with passes in between")


def test_under_superko_the_program_that_repeats_a_position_loses(match):
    player = scripted(*TRIPLE_KO)
    code, found, err = match(player, player, "--game", "go:9:superko=positional", "--games", "1", "--workers", "1")
    (game,) = read_match(found["file"])[1]
    assert (code, game.reason, game.result, game.plies) == (0, "illegal", "B+F", 27)
    assert err.count("\n") == 1


# -- commands and folders ----------------------------------------------------------------------------------------------------
def test_extra_commands_are_sent_before_each_game_and_after_all_others(match, tmp_path):
    log = tmp_path / "log"
    program = scripted("E5", "E5", log)  # one move, then it resigns
    extra = ("--gtp-command", "2", "twice_as_hard 7", "--gtp-command", "2", " time_settings 0 9 1 ")
    code, found, _ = match(WEAK, program, "--game", "go:5", "--games", "2", "--workers", "1", "--seconds", "3", *extra)
    assert (code, found["games"]) == (0, 2)
    lines = log.read_text().splitlines()
    begins = [n for n, line in enumerate(lines) if line == "clear_board"]
    assert len(begins) == 3, "once to see whether it can play, and for each game"
    for n in begins:
        assert lines[n + 1 : n + 5] == ["komi 7.5", "time_settings 0 3 1", "twice_as_hard 7", "time_settings 0 9 1"]
    assert read_results(found["file"])[1][0].second.endswith(" @3s [twice_as_hard 7; time_settings 0 9 1]")


def test_a_program_runs_in_its_folder(match, tmp_path):
    folder = tmp_path / "programs"
    folder.mkdir()
    start = folder / "start"
    start.write_text(f"#!/bin/sh\nexec {sys.executable} {SCRIPTED} E5 E5 log\n")
    start.chmod(0o755)
    code, found, _ = match(WEAK, "gtp:./start", "--gtp-dir", "2", "programs", "--game", "go:5", "--games", "1")
    assert (code, found["games"]) == (0, 1)
    assert (folder / "log").read_text().startswith(f"runs in {folder}\n")
    assert not (tmp_path / "log").exists()


def test_a_match_with_other_commands_is_another_match(match, tmp_path):
    words = (WEAK, scripted("", ""), "--game", "go:5", "--games", "1", "--workers", "1", "--file", "one.db")
    assert match(*words, "--gtp-command", "2", "twice_as_hard 7")[0] == 0
    assert match(*words, "--gtp-command", "2", "twice_as_hard 7")[0] == 0
    code, _, err = match(*words, "--gtp-command", "2", "twice_as_hard 8")
    assert code == 2 and "--gtp-command 2: twice_as_hard 7 there, twice_as_hard 8 here" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--gtp-command", "3", "a"], "there is no such player; they are numbered from 1 to 2"),
        (["--gtp-command", "0", "a"], "there is no such player"),
        (["--gtp-command", "two", "a"], "first the number of the player"),
        (["--gtp-command", "1", "a"], "player 1 is uct:playouts=2; only a GTP program"),
        (["--gtp-command", "2", " "], "is not a GTP command: one line of text"),
        (["--gtp-command", "2", "a\nquit"], "is not a GTP command: one line of text"),
        (["--gtp-command", "2", "7 a"], "begins with an id"),
        (["--gtp-command", "2", "genmove b"], "genmove is left to the match"),
        (["--gtp-command", "2", "komi 0"], "komi is left to the match"),
        (["--gtp-command", "2", "impossible"], "it answered 'impossible' with: unknown command"),
        (["--gtp-dir", "2", "nowhere"], "there is no such folder"),
        (["--gtp-dir", "2", ".", "--gtp-dir", "2", "."], "given twice for player 2"),
        (["--gtp-dir", "1", "."], "player 1 is uct:playouts=2; only a GTP program"),
    ],
)
def test_bad_input_is_one_line(apart, capsys, words, message):
    assert main(["match", WEAK, scripted("", ""), "--game", "go:5", "--games", "1", "--workers", "1", *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and message in err


def test_a_relative_program_is_looked_for_in_its_folder(apart, capsys):
    (apart / "here").touch()
    (apart / "folder").mkdir()
    assert main(["match", WEAK, "gtp:./here", "--gtp-dir", "2", "folder", "--game", "go:5"]) == 2
    assert "'./here' cannot be started" in capsys.readouterr().err

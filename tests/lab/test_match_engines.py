"""GTP programs as contestants: they play, misbehave, lose, and are started again."""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
import sys

import pytest

from tesuji.games.registry import find_game
from tesuji.lab.match import contestants
from tesuji.lab.match.plan import make_plan
from tesuji.lab.match.store import read_match

WEAK = "uct:playouts=2"
SMALL = "connect4:4x4"
GNUGO = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}:/usr/games") or ""


def test_a_gtp_program_plays(match, fake):
    code, found, err = match(WEAK, fake("good"), "--game", SMALL, "--games", "4", "--workers", "2")
    assert (code, err, found["games"], found["forfeits"]) == (0, "", 4, 0)
    base = sqlite3.connect(found["file"])
    assert base.execute("select program from players order by slot").fetchall() == [("",), ("Fake 1.0",)]
    base.close()


def test_what_the_referee_does_is_not_the_time_of_a_program(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(contestants.time, "perf_counter", lambda: now[0])

    def later(seconds, value):
        now[0] += seconds
        return value

    game = find_game(SMALL)
    plan = make_plan(game, [WEAK, "gtp:any"])
    program = contestants.GtpContestant(plan, plan.players[1])
    monkeypatch.setattr(program._engine, "send", lambda *_words: later(2.0, "A1"))
    monkeypatch.setattr(contestants, "parse_move", lambda *_words: later(5.0, 0))
    program._game = game
    assert program.genmove(game.new_state(), 0, None) == 0 and program.thought == 2.0


@pytest.mark.parametrize(
    ("mode", "reason", "result"),
    [
        ("crash", "crash", "F"),
        ("hang", "hang", "F"),
        ("garbage", "garbage", "F"),
        ("nonsense", "garbage", "F"),
        ("illegal", "illegal", "F"),
        ("refuse", "refusal", "F"),
        ("twice", "twice", "F"),
        ("no-id", "id", "F"),
        ("resign", "resign", "R"),
    ],
)
def test_an_engine_that_misbehaves_loses_and_the_match_goes_on(match, fake, mode, reason, result):
    words = ("--game", SMALL, "--games", "2", "--workers", "1", "--move-timeout", {"hang": "2", "garbage": "5"}.get(mode, "60"))
    code, found, err = match(WEAK, fake(mode), *words)
    assert (code, found["games"], found["a_wins"]) == (0, 2, 2)
    assert found["b_forfeits"] == (0 if mode == "resign" else 2)
    assert err.count("\n") == found["b_forfeits"]
    games = read_match(found["file"])[1]
    assert [game.reason for game in games] == [reason] * 2
    assert [game.result for game in games] == [f"B+{result}", f"W+{result}"]
    assert mode == "resign" or all(game.detail and game.detail in game.sgf.replace("\\", "") for game in games)


def test_an_engine_is_started_again_after_a_crash(match, fake, tmp_path):
    code, found, _ = match(WEAK, fake("crash", tmp_path / "mark"), "--game", SMALL, "--games", "4", "--workers", "1")
    reasons = [game.reason for game in read_match(found["file"])[1]]
    assert (code, reasons) == (0, ["crash", "score", "score", "score"])


def test_a_program_that_makes_remarks_plays_on_and_is_reported(match, fake):
    code, found, err = match(WEAK, fake("chatty"), "--game", SMALL, "--games", "2", "--workers", "1")
    assert (code, found["games"], found["forfeits"]) == (0, 2, 0)
    assert err.count("\n") == err.count("lines that answer nothing") == 2 and "as 'let me see'" in err
    assert all("lines that answer nothing" in game.detail and game.detail in game.sgf for game in read_match(found["file"])[1])


def test_every_game_is_accounted_for_against_a_program_that_fails_at_random(match, fake, tmp_path):
    words = ("--game", SMALL, "--games", "12", "--workers", "1", "--move-timeout", "3")
    code, found, _ = match(WEAK, fake("chaos:3:0.1", tmp_path / "starts"), *words)
    games = read_match(found["file"])[1]
    assert (code, found["games"]) == (0, 12)
    assert [game.number for game in games] == list(range(12))
    assert found["a_wins"] + found["b_wins"] + found["draws"] == 12
    assert found["a_forfeits"] == 0 and all(game.winner == 0 for game in games if game.is_forfeit), "nobody else is blamed"
    assert len({game.reason for game in games}) > 3


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("gtp:no-such-engine --gtp", "'no-such-engine' cannot be started: No such file or directory"),
        ("crash-start", "it wrote: no licence found"),
        (f"gtp:{shlex.quote(sys.executable)} -c 'print(17)'", "at 'name'; it wrote: 17"),
        ("gtp:", "a GTP program needs a command"),
        ("gtp:'open", "no closing quotation"),
    ],
)
def test_an_engine_that_cannot_start_is_an_error(match, fake, command, words):
    command = fake(command) if command == "crash-start" else command
    code, found, err = match(WEAK, command, "--game", SMALL, "--games", "2")
    assert (code, found, err.count("\n")) == (2, {}, 1)
    assert words in err


def test_a_program_that_is_not_there_is_told_before_any_work(match, monkeypatch):
    monkeypatch.setattr("tesuji.lab.match.store.Store.open", None)  # the match file is not touched
    code, found, err = match(WEAK, "gtp:no-such-engine --gtp", "--game", SMALL, "--games", "2")
    assert (code, found) == (2, {}) and "'no-such-engine' cannot be started" in err


def test_a_game_clock(match, fake):
    words = ("--game", SMALL, "--games", "2", "--workers", "1", "--clock", "0.5", "--grace", "0")
    code, found, _ = match(WEAK, fake("slow"), *words)
    games = read_match(found["file"])[1]
    assert (code, found["b_forfeits"]) == (0, 2)
    assert {game.reason for game in games} == {"time"} and [game.result for game in games] == ["B+T", "W+T"]
    code, found, _ = match(WEAK, fake("slow"), "--game", SMALL, "--games", "2", "--workers", "1", "--clock", "60+1")
    assert (code, found["forfeits"]) == (0, 0)


@pytest.mark.skipif(not GNUGO, reason="GNU Go is not installed")
def test_gnu_go_plays(match):
    gnugo = f"gtp:{GNUGO} --mode gtp --level 1 --chinese-rules --capture-all-dead"
    words = ("--game", "go:5:komi=0.5", "--games", "2", "--workers", "1", "--random-plies", "1", "--clock", "600/5")
    code, found, err = match("uct:playouts=1", gnugo, *words)
    assert (code, err, found["games"], found["forfeits"]) == (0, "", 2, 0)


def test_our_own_gtp_engine_plays(match):
    engine = f"gtp:{shlex.quote(sys.executable)} -m tesuji gtp {SMALL} --player uct:playouts=2"
    code, found, err = match(WEAK, engine, "--game", SMALL, "--games", "2", "--workers", "1", "--random-plies", "1")
    assert (code, err, found["games"], found["forfeits"]) == (0, "", 2, 0)

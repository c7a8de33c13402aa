"""CPU time in matches: as a limit, of built-in players and of GTP programs, in files of earlier versions, and for people."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from tesuji.cli.main import main
from tesuji.games.registry import find_game
from tesuji.io.gtp.cpu_time import cpu_seconds
from tesuji.lab.match.contestants import GtpContestant
from tesuji.lab.match.games import Played
from tesuji.lab.match.plan import make_plan
from tesuji.lab.match.standing import Standing
from tesuji.lab.match.store import read_match

WEAK = "uct:playouts=2"
SMALL = "connect4:4x4"
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="CPU time of other processes is known on Linux only")

FIRST_VERSION = """
create table match (key text primary key, value text not null);
create table players (slot integer primary key, given text not null, label text not null, program text not null default '');
create table runs (
    number integer primary key, began text not null default (datetime('now')), version text not null, code text not null);
create table openings (number integer primary key, moves text not null);
create table games (
    number integer primary key,       -- from 0; the plan says who plays whom in it
    first integer not null,           -- slot of the player who moves first
    second integer not null,
    opening integer not null,
    opening_plies integer not null,
    seed text not null,
    winner integer,                   -- a slot; null = a draw
    result text not null,             -- as in SGF: B+3.5, W+R, B+T, W+F, 0
    reason text not null,             -- score, resign, length; or what was wrong: time, illegal, crash, hang, garbage, ...
    detail text not null,
    outcome integer,                  -- of our rules, for the first player, where they decided
    moves text not null,
    plies integer not null,
    seconds_first real not null,
    seconds_second real not null,
    sgf text not null,
    run integer not null,
    finished text not null default (datetime('now')));
"""


# -- limits ------------------------------------------------------------------------------------------------------------------
def test_a_limit_of_cpu_time_is_one_as_any_other():
    game = find_game("tictactoe")
    plan = make_plan(game, ["uct", "uct:cpu=2,exploration=0.1", "uct:playouts=5", "gtp:x"], cpu=0.5)
    assert [player.label for player in plan.players] == [
        "uct:cpu=0.5",
        "uct:exploration=0.1,cpu=2",
        "uct:playouts=5",
        "gtp:x @0.5s of CPU",
    ]
    assert plan.fingerprint()["limits of player 1"] == "0.5 s of CPU time a move"
    assert type(plan).from_json(plan.as_json()) == plan
    without = make_plan(game, ["uct", "gtp:x"])
    assert [player.label for player in without.players] == ["uct:seconds=1", "gtp:x"]
    assert GtpContestant(plan, plan.players[3])._seconds == 0.5  # it is told of these as of seconds


def test_a_match_by_cpu_time(match):
    code, found, _ = match("uct:solver=off", WEAK, "--game", SMALL, "--games", "2", "--workers", "1", "--cpu", "0.01")
    assert code == 0 and found["games"] == 2
    assert found["a_cpu"] >= 0.01 > found["b_cpu"] > 0
    plan, games = read_match(found["file"])
    assert plan.players[0].label == "uct:solver=off,cpu=0.01" and plan.players[0].cpu == 0.01
    for played in games:
        assert played.moves_first + played.moves_second == played.plies
        assert played.cpu_first > 0 and played.cpu_second > 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cpu", "0"), "'0' is not a time"),
        (("--cpu", "x"), "'x' is not a time"),
        (("--cpu", "1", "--clock", "60"), "give either --clock or --cpu"),
    ],
)
def test_wrong_limits_are_told_in_one_line(match, words, message):
    code, found, err = match(WEAK, WEAK, "--game", "tictactoe", *words)
    assert (code, found, err.count("\n")) == (2, {}, 1) and message in err


# -- GTP programs ------------------------------------------------------------------------------------------------------------
@on_linux
def test_the_cpu_time_of_a_program_and_of_what_it_starts(match, fake):
    code, found, _ = match(WEAK, fake("busy"), "--game", SMALL, "--games", "2", "--workers", "1")
    assert code == 0 and found["forfeits"] == 0
    assert found["b_cpu"] >= 0.09  # counted in hundredths of a second
    assert found["a_cpu"] < found["b_cpu"]


@on_linux
def test_of_a_program_that_crashed_there_is_no_figure(match, fake):
    _, found, _ = match(WEAK, fake("crash"), "--game", SMALL, "--games", "2", "--workers", "1")
    assert found["b_forfeits"] == 2 and found["b_cpu"] is None


@on_linux
def test_time_that_the_system_forgets_is_unknown_and_not_negative(match, fake):
    code, found, _ = match(WEAK, fake("careless"), "--game", SMALL, "--games", "2", "--workers", "1")
    assert code == 0 and found["forfeits"] == 0 and found["b_cpu"] is None
    assert all(game.cpu_first is None or game.cpu_second is None for game in read_match(found["file"])[1])


@on_linux
def test_time_of_a_child_that_still_runs_counts():
    code = "import os, time\nif os.fork() == 0:\n while time.process_time() < 0.1: pass\n print(flush=True)\ntime.sleep(60)"
    with subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, start_new_session=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline()
            assert (cpu_seconds(process.pid) or 0.0) >= 0.09
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def test_where_the_system_does_not_tell_there_is_no_figure(tmp_path):
    assert cpu_seconds(os.getpid(), str(tmp_path)) is None
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_text("7 (a) b) S 1 7 7 0 -1 0 0 0 0 0 5 6 7 8 20 0 1 0")
    assert cpu_seconds(7, str(tmp_path)) is None, "without a list of its children the figure would be wrong"
    (tmp_path / "7" / "task" / "7").mkdir(parents=True)
    (tmp_path / "7" / "task" / "7" / "children").write_text("")
    assert cpu_seconds(7, str(tmp_path)) == 26 / os.sysconf("SC_CLK_TCK")


# -- figures -----------------------------------------------------------------------------------------------------------------
def test_cpu_time_a_move_is_of_the_games_in_which_it_is_known():
    def played(number: int, cpu: tuple[float | None, float | None], moves: tuple[int | None, int | None]) -> Played:
        first = number % 2
        fixed = dict(opening=0, opening_plies=0, seed=0, winner=None, result="0", reason="score", detail="", outcome=0)
        times = dict(moves_first=moves[0], moves_second=moves[1], cpu_first=cpu[0], cpu_second=cpu[1])
        more = dict(moves="", plies=0, seconds_first=0.0, seconds_second=0.0, sgf="")
        return Played(number=number, first=first, second=1 - first, **fixed, **more, **times)

    standing = Standing()
    standing.add(played(0, (1.0, None), (10, 9)), 0)
    standing.add(played(1, (5.0, 3.0), (10, 10)), 0)
    standing.add(played(2, (None, None), (None, None)), 0)
    assert (standing.as_json()["a_cpu"], standing.as_json()["b_cpu"]) == (0.2, 0.5)


def test_people_see_it_too(apart, capsys):
    assert main(["match", WEAK, WEAK, "--game", "tictactoe", "--games", "2", "--workers", "1"]) == 0
    assert "CPU s a move" in capsys.readouterr().out


# -- files of the first version ----------------------------------------------------------------------------------------------
def first_version(path: str) -> None:
    """A match of two games as the first version kept it: as it is now, without the figures on CPU time."""
    now = sqlite3.connect(path)
    rows = {table: now.execute(f"select * from {table}").fetchall() for table in ("match", "players", "runs", "openings")}
    columns = [row[1] for row in now.execute("pragma table_info(games)") if not row[1].startswith(("cpu_", "moves_"))]
    rows["games"] = now.execute(f"select {', '.join(columns)} from games").fetchall()
    now.close()
    os.unlink(path)
    base = sqlite3.connect(path, isolation_level=None)
    for statement in filter(str.strip, FIRST_VERSION.split(";\n")):
        base.execute(statement)
    for table, found in rows.items():
        for row in found:
            values = [without_cpu(value) for value in row]
            base.execute(f"insert into {table} values ({', '.join('?' * len(values))})", values)
    base.execute(f"pragma application_id = {0x54534A4D}")
    base.execute("pragma user_version = 1")
    base.execute("pragma journal_mode = wal")
    base.close()


def without_cpu(value):
    """A plan as the first version wrote it."""
    if not isinstance(value, str) or not value.startswith('{"game"'):
        return value
    plan = json.loads(value)
    for player in plan["players"]:
        del player["cpu"]
    return json.dumps(plan)


def test_a_file_of_the_first_version_is_read_and_gone_on_with(match, capsys):
    words = (WEAK, WEAK, "--game", "tictactoe", "--workers", "1", "--file", "one.db")
    assert match(*words, "--games", "2")[0] == 0
    before = read_match("one.db")[1]
    first_version("one.db")
    games = read_match("one.db")[1]
    assert [(g.moves, g.cpu_first, g.moves_second) for g in games] == [(g.moves, None, None) for g in before]
    assert main(["ratings", "one.db"]) == 0
    code, found, err = match(*words, "--games", "4")
    assert (code, err, found["games"]) == (0, "", 4) and found["a_cpu"] > 0
    games = read_match("one.db")[1]
    assert [played.cpu_first is None for played in games] == [True, True, False, False]
    assert match(*words, "--games", "4")[0] == 0, "and again, as a file of the present version"


def test_other_tables_are_refused_in_the_first_version_too(match):
    words = (WEAK, WEAK, "--game", "tictactoe", "--games", "2", "--workers", "1", "--file", "one.db")
    match(*words)
    first_version("one.db")
    base = sqlite3.connect("one.db")
    base.execute("alter table games add column cpu_first real")
    base.close()
    code, _, err = match(*words)
    assert code == 2 and "its tables are not those of a match file" in err

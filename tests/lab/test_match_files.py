"""The match file: other matches, wrong input, a full disk; matches that are stopped or killed and gone on with."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import tesuji
from tesuji.cli.main import main
from tesuji.core import sources
from tesuji.games.registry import find_game
from tesuji.lab.match import pool
from tesuji.lab.match.games import Played
from tesuji.lab.match.games_run import code_digest
from tesuji.lab.match.lock import FileLock
from tesuji.lab.match.plan import make_plan, openings_digest
from tesuji.lab.match.store import COLUMNS, Store, read_match

WEAK, STRONG = "uct:playouts=2", "uct:playouts=12"
SMALL = "connect4:4x4"
SOURCES = str(Path(tesuji.__file__).parent.parent)
DEADLINE = 120.0


# -- wrong input ---------------------------------------------------------------------------------------------------------
def test_another_match_in_the_file_is_not_touched(match):
    words = ["--games", "2", "--workers", "1", "--file", "one.db"]
    match(WEAK, STRONG, "--game", SMALL, *words)
    before = read_match("one.db")
    for changed, named in [
        ([WEAK, WEAK, "--game", SMALL], f"players: {WEAK}, {STRONG} there, {WEAK}, {WEAK} here"),
        ([WEAK, STRONG, "--game", "tictactoe"], "game: connect4:4x4 there, tictactoe here"),
        ([WEAK, STRONG, "--game", SMALL, "--seed", "3"], "--seed: 0 there, 3 here"),
        ([WEAK, STRONG, "--game", SMALL, "--random-plies", "2"], "--random-plies: 0 there, 2 here"),
        ([WEAK, STRONG, "--game", SMALL, "--clock", "60"], "--clock: none there, 60 here"),
    ]:
        code, found, err = match(*changed, *words)
        assert (code, found, err.count("\n")) == (2, {}, 1)
        assert named in err and "another match" in err
    assert read_match("one.db") == before


def test_games_of_other_weights_or_presets_are_known(monkeypatch, tmp_path):
    game = find_game("loa")
    plan = make_plan(game, ["mc-loa", f"mc-loa:weights={tmp_path / 'mine.json'}"])
    (tmp_path / "mine.json").write_text("{}")
    found = [code_digest(plan, game)]
    (tmp_path / "mine.json").write_text("[]")
    found.append(code_digest(plan, game))
    package, names = tmp_path / "package", ("players/presets.py", "knowledge/loa/evaluation.json")
    for name in names:  # the rest of the package is not needed
        (package / name).parent.mkdir(parents=True)
        (package / name).write_bytes((sources.PACKAGE / name).read_bytes())
    monkeypatch.setattr(sources, "PACKAGE", package)
    for name in (None, *names):
        if name is not None:
            (package / name).write_text((package / name).read_text() + "\n")
        sources.playing_digest.cache_clear()
        found.append(code_digest(plan, game))
    assert len(set(found)) == 5
    sources.playing_digest.cache_clear()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["uct"], "2 players or more"),
        (["uct", "nobody"], "there is no player 'nobody'"),
        (["uct", "uct", "--clock", "soon"], "'soon' is not a clock"),
        (["uct", "uct", "--clock", "60", "--seconds", "1"], "either --clock or --seconds"),
        (["uct", "uct", "--elo0", "5", "--elo1", "1", "--sprt"], "must be below"),
        (["uct", "uct", "--elo1", "100000", "--sprt"], "--elo1 100000 is not possible: Elo from -2000 to 2000"),
        (["uct", "uct", "--elo0", "-200000", "--sprt"], "--elo0 -200000 is not possible"),
        (["uct", "uct", "uct", "--sprt"], "give two"),
        (["uct", "uct", "--openings", "x", "--random-plies", "1"], "either --openings or --random-plies"),
        (["uct", "uct", "--openings", "nowhere"], "nowhere cannot be read"),
        (["uct", "uct", "--game", "samegame:3x3"], "a game for one"),
        (["uct", "uct", "--file", "text/x.db"], "text/x.db cannot be written"),
        (["uct", "uct", "--file", "."], ". is a folder"),
        (["uct", "uct", "--file", "text"], "not a match file"),
    ],
)
def test_wrong_input(match, words, named):
    Path("text").write_text("not a database, not at all, though it is long enough to have a header of a hundred bytes " * 3)
    before = Path("text").read_text()
    code, found, err = match(*words, *(["--game", "tictactoe"] if "--game" not in words else []))
    assert (code, found, err.count("\n")) == (2, {}, 1), err
    assert named in err
    assert Path("text").read_text() == before


def test_a_second_run_on_the_file_is_refused(match):
    lock = FileLock("one.db.lock")
    lock.take("")
    code, _, err = match(WEAK, WEAK, "--game", "tictactoe", "--file", "one.db")
    assert code == 2 and "another run is writing to one.db" in err
    lock.release()
    assert match(WEAK, WEAK, "--game", "tictactoe", "--file", "one.db", "--games", "2")[0] == 0


@pytest.mark.parametrize("room", [0, 10, 2000, 20_000])
def test_a_full_disk_leaves_nothing_behind(match, room):
    """No room for the lock, for all of it, for the tables, for the run: files of this process can have so many bytes."""
    resource = pytest.importorskip("resource", reason="a full disk is a limit of this system")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        code, _, error = match(WEAK, STRONG, "--game", SMALL, "--games", "2", "--file", "one.db")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert code == 2 and error.count("\n") == 1, error
    assert not list(Path().iterdir())


def test_a_file_of_two_names_is_not_written(match):
    """Two runs, each by a name of its own, would know nothing of each other's lock and log."""
    words = (WEAK, WEAK, "--game", "tictactoe", "--games", "2", "--workers", "1", "--file")
    assert match(*words, "one.db")[0] == 0
    os.link("one.db", "two.db")
    code, _, err = match(*words, "two.db")
    assert code == 2 and "two.db has a second name, a hard link" in err
    Path("one.db").unlink()
    assert match(*words, "two.db")[0] == 0


def test_a_lock_file_that_is_not_ours_stays(match):
    words = (WEAK, WEAK, "--game", "tictactoe", "--games", "2", "--workers", "1", "--file", "one.db")
    for content in (b"someone's own\n", b""):
        Path("one.db.lock").write_bytes(content)
        assert match(*words)[0] == 0
        assert Path("one.db.lock").read_bytes() == content
    Path("one.db.lock").write_bytes(FileLock.MARK)  # of a run that was killed
    assert match(*words)[0] == 0
    assert not Path("one.db.lock").exists()


@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_a_lock_that_is_no_file_is_not_used(match, kind):
    lock = Path("one.db.lock")
    if kind == "pipe":
        os.mkfifo(lock)
    elif kind == "folder":
        lock.mkdir()
    else:
        lock.symlink_to("elsewhere")
    code, _, err = match(WEAK, WEAK, "--game", "tictactoe", "--games", "2", "--workers", "1", "--file", "one.db")
    assert code == 2 and err.count("\n") == 1 and "one.db.lock" in err
    assert os.path.lexists(lock) and not Path("elsewhere").exists() and not Path("one.db").exists()


def test_an_empty_file_that_was_there_is_not_removed(match):
    Path("one.db").touch()
    assert match(WEAK, "gtp:no-such-engine", "--game", SMALL, "--file", "one.db")[0] == 2
    assert Path("one.db").exists()


def test_a_view_in_place_of_a_table_is_not_asked(match, capsys):
    """It could go on for ever: SQL in a file is code."""
    damaged_file("drop table games")
    base = sqlite3.connect("one.db")
    columns = ", ".join(f"n as {name}" for name in [*COLUMNS, "run", "finished"])
    endless = (
        f"with recursive all_numbers(n) as (select 0 union all select n from all_numbers) select {columns} from all_numbers"
    )
    base.execute(f"create view games as {endless}")
    base.commit()
    base.close()
    assert main(["ratings", "one.db"]) == 2
    assert "one.db is damaged" in capsys.readouterr().err


@pytest.mark.parametrize("place", range(8, 4096, 256))
def test_a_file_with_a_damaged_page_says_so(match, capsys, place):
    damaged_file("update games set detail = 'a'")
    data = bytearray(Path("one.db").read_bytes())
    start = data.index(b"(;)") // 4096 * 4096
    cells, content = (int.from_bytes(data[start + at : start + at + 2]) for at in (3, 5))  # SQLite fills a page from its end
    end = min(place + 256, 4096)
    data[start + place : start + end] = b"\xff" * (end - place)
    Path("one.db").write_bytes(data)
    code, captured = main(["ratings", "one.db"]), capsys.readouterr()
    if place < 8 + 2 * cells or content < end:
        assert code == 2 and captured.err.count("\n") == 1 and "damaged" in captured.err
    else:
        assert code == 0 and captured.err == "", "nothing is kept in this part of the page"


def test_records_of_two_matches_in_one_folder_do_not_meet(match):
    for name in ("one.db", "two.db"):
        words = ("--game", SMALL, "--games", "2", "--workers", "1", "--sgf-dir", "games", "--file", name)
        assert match(WEAK, STRONG, *words)[0] == 0
    files = {path: path.read_text() for path in Path("games").iterdir()}
    assert len(files) == 4
    first = min(files)
    first.write_text("(;C[with remarks of mine])")
    assert (
        match(WEAK, STRONG, "--game", SMALL, "--games", "3", "--workers", "1", "--sgf-dir", "games", "--file", "one.db")[0] == 0
    )
    assert first.read_text() == "(;C[with remarks of mine])"
    assert len(list(Path("games").iterdir())) == 5


def test_a_full_disk_keeps_what_is_there(match, monkeypatch):
    from tesuji.lab.match import store

    real = store.Store.open

    def with_little_room(self, *arguments):
        real(self, *arguments)
        base = self._connection
        pages = base.execute("pragma page_count").fetchone()[0]
        base.execute(f"pragma max_page_count = {pages + 2}")

    monkeypatch.setattr(store.Store, "open", with_little_room)
    words = (WEAK, WEAK, "--game", SMALL, "--games", "60", "--workers", "1", "--file", "one.db")
    code, found, err = match(*words)
    assert (code, found) == (2, {}) and "one.db cannot be used: database or disk is full" in err
    kept = len(read_match("one.db")[1])
    assert 0 < kept < 60
    monkeypatch.setattr(store.Store, "open", real)
    assert match(*words)[1]["games"] == 60


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("update games set seed = 'x' where number = 1", "row 1 of its games has seed 'x'"),
        ("update games set first = 9", "row 0 of its games has first '9'"),
        ("update games set first = 1, second = 0 where number = 0", "row 0 of its games has first '1', second '0'"),
        ("update games set winner = 'abc'", "has winner 'abc'"),
        ("update games set winner = 7", "has winner '7'"),
        ("update games set number = -3 where number = 1", "has number '-3'"),
        ("update games set seconds_first = 'long'", "has seconds_first 'long'"),
        ("update games set moves = x'ff00'", "has moves"),
        ("update games set opening = 5", "has opening '5'"),
        ("drop table games", "its tables are not those of a match file"),
        ("create trigger t after insert on games begin delete from games; end", "its tables are not those"),
        ("alter table games add column more text", "its tables are not those"),
        ("update match set value = 'nonsense'", "its plan cannot be read"),
        ("update match set value = '[1]'", "its plan cannot be read"),
        ("update match set value = json_set(value, '$.players', json('[]')) where key = 'plan'", "its plan cannot be read"),
        ("update match set value = json_set(value, '$.players[0].seconds', 'x') where key = 'plan'", "its plan cannot be read"),
        ("update match set value = json_set(value, '$.game', 5) where key = 'plan'", "its plan cannot be read"),
        ("delete from match", "its plan cannot be read"),
    ],
)
def test_a_damaged_file_is_neither_rated_nor_gone_on_with(match, capsys, change, named):
    words = (WEAK, WEAK, "--game", "tictactoe", "--games", "4", "--workers", "1", "--file", "one.db")
    damaged_file(change)
    code, found, err = match(*words)
    assert (code, found, err.count("\n")) == (2, {}, 1) and "damaged" in err and named in err, err
    assert "kept" not in err
    assert main(["ratings", "one.db"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and "damaged" in captured.err and named in captured.err


def damaged_file(change: str) -> None:
    """The file of a match of two games, made without playing them, and then this statement."""
    game = find_game("tictactoe")
    plan = make_plan(game, [WEAK, WEAK], openings=openings_digest([]))
    store = Store("one.db")
    store.open(plan, code_digest(plan, game))
    values = dict.fromkeys(COLUMNS, 0) | {"result": "B+1", "reason": "score", "detail": "", "moves": "a1", "sgf": "(;)"}
    for number in range(2):
        entry = plan.entry(number)
        values |= {"number": number, "first": entry.first, "second": entry.second, "opening": entry.opening}
        store.add(Played(**{**values, "winner": entry.first, "seconds_first": 0.5, "seconds_second": 0.5}))
    assert len(store.games()) == 2
    store.close()
    base = sqlite3.connect("one.db")
    base.execute(change)
    base.commit()
    base.close()


def test_a_schema_that_is_not_utf_8_is_one_line(match, capsys):
    damaged_file("select 1")
    base = sqlite3.connect("one.db")
    base.execute("pragma writable_schema = on")
    base.execute("update sqlite_master set name = cast(x'ff' as text) where name = 'runs'")
    base.commit()
    base.close()
    code, found, err = match(WEAK, WEAK, "--game", "tictactoe", "--games", "4", "--workers", "1", "--file", "one.db")
    assert (code, found, err.count("\n")) == (2, {}, 1) and "one.db is" in err and "damaged" in err, err
    assert main(["ratings", "one.db"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1 and "damaged" in captured.err, captured.err


def test_damaged_openings(match):
    damaged_file("insert into openings values (0, 'one two')")
    code, _, err = match(WEAK, WEAK, "--game", "tictactoe", "--games", "4", "--workers", "1", "--file", "one.db")
    assert code == 2 and "one.db is damaged: its openings cannot be read" in err


# -- stopped and killed --------------------------------------------------------------------------------------------------
def start(*words: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": SOURCES, "TESUJI_MATCH_MARK": os.getcwd()}
    command = [sys.executable, "-m", "tesuji", "match", *words, "--json"]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def finished(path: str) -> int:
    try:
        return len(read_match(path)[1])
    except Exception:
        return 0


def wait_for(condition: Any, what: str) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)


def left_behind() -> list[str]:
    """Processes that still carry the mark of this test's folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if is_marked(entry):
                found.append((entry / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def is_marked(entry: Path) -> bool:
    """Whether the process of this entry of /proc was started here; one that has ended has no environment."""
    try:
        return f"TESUJI_MATCH_MARK={os.getcwd()}\0".encode() in (entry / "environ").read_bytes()
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to look for processes left behind")
def test_killed_twice_and_gone_on_with(apart, fake):
    chance = random.Random(4)
    words = (WEAK, fake("good"), "--game", SMALL, "--games", "24", "--workers", "2", "--file", "one.db")
    kept: dict[int, str] = {}
    for _ in range(2):
        process = start(*words)
        goal = min(22, len(kept) + chance.randint(1, 6))
        wait_for(lambda goal=goal, process=process: finished("one.db") >= goal or process.poll() is not None, "games")
        process.kill()
        process.communicate()
        wait_for(lambda: not left_behind(), "workers and engines to end")
        now = {game.number: game.moves for game in read_match("one.db")[1]}
        assert kept.items() <= now.items(), "no finished game is lost or changed"
        kept = now
    process = start(*words)
    out, err = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, err
    assert json.loads(out)["games"] == 24
    games = read_match("one.db")[1]
    assert [game.number for game in games] == list(range(24))
    assert kept.items() <= {game.number: game.moves for game in games}.items()
    assert not left_behind()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to look for processes left behind")
def test_stopped_by_the_user(apart, fake):
    words = (WEAK, fake("hang"), "--game", SMALL, "--games", "4", "--workers", "2", "--file", "one.db")
    process = start(*words)
    wait_for(lambda: sum("fake_engine" in line for line in left_behind()) >= 2, "engines")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=DEADLINE)
    assert process.returncode == 130
    assert json.loads(out)["interrupted"] is True and json.loads(out)["games"] == 0
    wait_for(lambda: not left_behind(), "workers and engines to end")


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to find the processes that play")
def test_a_process_that_plays_dies(apart, fake):
    words = ("uct:playouts=10", fake("good"), "--game", SMALL, "--games", "8", "--workers", "2", "--file", "one.db")
    process = start(*words)
    wait_for(lambda: finished("one.db") >= 1, "a game")
    for entry in Path("/proc").glob("[0-9]*"):
        if is_marked(entry) and "tesuji.lab.match.worker" in (entry / "cmdline").read_text():
            os.kill(int(entry.name), signal.SIGKILL)
            break
    out, err = process.communicate(timeout=DEADLINE)
    assert (process.returncode, json.loads(out)["games"]) == (0, 8), err
    assert [game.number for game in read_match("one.db")[1]] == list(range(8))
    wait_for(lambda: not left_behind(), "engines to end with their worker")


def test_a_second_process_that_cannot_start_is_one_less(match, monkeypatch):
    started = []

    class Doomed(pool.Worker):
        def __init__(self, *arguments: Any):
            super().__init__(*arguments)
            started.append(self)
            if len(started) == 2:
                self._process.kill()

    monkeypatch.setattr(pool, "Worker", Doomed)
    code, found, err = match(WEAK, STRONG, "--game", SMALL, "--games", "4", "--workers", "2")
    assert (code, found["games"], len(started)) == (0, 4, 2)
    assert "one process less: it could not be started (signal 9)" in err


def test_no_file_is_left_of_a_match_that_did_not_take_place(match):
    assert match(WEAK, "gtp:no-such-engine", "--game", SMALL, "--file", "one.db")[0] == 2
    assert not list(Path().glob("one.db*"))

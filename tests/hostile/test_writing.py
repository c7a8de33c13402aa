"""Every command that writes a file: what is there already stays, unless it is of the same kind."""

from __future__ import annotations

import errno
import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tesuji.cli import output

WRITERS = {
    "saved search": ("plain.search", "analyze tictactoe --playouts 2 --memory 1 --save FILE"),
    "certificate": ("plain.cert", "solve connect4:2x2:2 --memory 1 --certificate FILE"),
    "category weights": ("categories.json", "learn categories moves.tsv --held-out 0 --out FILE"),
    "evaluation weights": ("evaluation.json", "learn evaluation moves.tsv --held-out 0 --out FILE"),
    "positions": ("problems.tsv", "learn tactics problems.tsv --plies 3 --out FILE"),
    "tree": ("tree.tree", "analyze tictactoe --playouts 2 --memory 1 --tree FILE"),
    "picture": ("picture.svg", "report tictactoe --games 1 --playouts 2 --memory 1 --workers 1 --svg FILE"),
    "record": ("record.sgf", "play tictactoe --terminal --side both"),  # save FILE is typed
    "tune": ("tune.db", "tune uct:playouts=2 --game tictactoe --parameter exploration --games 2 --validate 0 --file FILE"),
    "match": ("match.db", "match uct:playouts=2 uct:playouts=3 --game tictactoe --games 2 --file FILE"),
    "games of a match": ("games.tsv", "match uct:playouts=2 uct:playouts=3 --game tictactoe --games 2 --games-file FILE"),
}
ALIKE = (  # what other programs write
    b'{"name": "mine", "version": "1.0.0"}\n',
    b'{\n  "game": "mine"\n}\n',
    b'<?xml version="1.0"?>\n<project/>\n',
    b'<svg xmlns="http://www.w3.org/2000/svg"/>\n',
    b"(defun mine () 1)\n",
)
each_writer = pytest.mark.parametrize(("sample", "words"), WRITERS.values(), ids=WRITERS.keys())


@pytest.fixture
def save_in_play(tesuji, monkeypatch):
    """What `save FILE` says in a game, as an answer of a command: the game itself goes on after an error."""

    def run(words: list[str], path: str | Path):
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"b2\nsave {path}\n"))
        answer = tesuji(*words)
        assert answer.code == 0
        said = next(line for line in reversed(answer.out.splitlines()) if line.strip())
        return answer._replace(code=0 if said.startswith("saved: ") else 2, err=said)

    return run


@pytest.fixture
def write(tesuji, good, save_in_play):
    Path("moves.tsv").write_bytes(good["moves.tsv"])
    Path("problems.tsv").write_bytes(good["problems.tsv"])

    def run(words: str, path: str | Path):
        if words.startswith("play"):
            return save_in_play(words.split(), path)
        return tesuji(*(word.replace("FILE", str(path)) for word in words.split()))

    return run


@each_writer
def test_a_file_of_another_kind_is_not_overwritten(good, write, sample, words):
    cases = [data for name, data in good.items() if name.partition(".")[2] != sample.partition(".")[2]]
    other = "evaluation.json" if sample == "categories.json" else "categories.json"
    for case in (*cases, good[other], b"precious", b" ", b"\n" + good[sample], good[sample][:1], *ALIKE):
        Path("x").write_bytes(case)
        answer = write(words, "x")
        assert answer.code == 2 and "not overwritten" in answer.err
        assert Path("x").read_bytes() == case


@each_writer
def test_what_is_no_file_stays(good, write, sample, words):
    Path("folder").mkdir()
    os.mkfifo("pipe")
    Path("loop").symlink_to("loop")
    Path("null").symlink_to("/dev/null")
    for path in ("folder", "pipe", "loop", "null", "/dev/full", "none/x", "x" * 300, "a\0b", "", "-"):
        if path == "none/x" and sample in ("match.db", "tune.db"):
            continue  # a match makes its folder, and so does a tune
        assert write(words, path).code == 2, path
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode) and Path("loop").is_symlink() and Path("null").is_symlink()
    assert not list(Path("folder").iterdir())


def test_a_saved_search_replaces_one_and_keeps_link_and_mode(good, write):
    Path("real").write_bytes(good["plain.search"])
    Path("real").chmod(0o600)
    Path("link").symlink_to("real")
    _, words = WRITERS["saved search"]
    assert write(words, "link").code == 0
    assert Path("link").is_symlink() and Path("real").read_bytes() != good["plain.search"]
    assert stat.S_IMODE(Path("real").stat().st_mode) == 0o600


@pytest.fixture
def full_disk(monkeypatch):
    def full(_handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)


def test_a_full_disk_does_not_lose_the_answer(write, tesuji, full_disk, capsys, monkeypatch):
    from tesuji.cli.main import main

    proof = "solve connect4:2x2:2 --memory 1"
    for command in ("analyze tictactoe --playouts 2 --memory 1 --save x", f"{proof} --certificate x", f"{proof} --save x"):
        for form in ([], ["--json"]):
            code = main([*command.split(), *form])
            captured = capsys.readouterr()
            assert code == 2 and "No space left on device" in captured.err and captured.err.count("\n") == 1
            if form:
                found = json.loads(captured.out)
                assert found["playouts"] > 0 and found.get("saved") is None and found.get("certificate") is None
            else:
                assert "playouts" in captured.out and "saved:" not in captured.out
    assert not Path("x").exists() and not list(Path().glob(".tesuji*"))


def test_the_answer_is_printed_before_the_search_is_saved(monkeypatch, write):
    """So that even a machine that stops then has shown it."""
    from tesuji.players.search import Search

    shown: list[str] = []
    monkeypatch.setattr(output, "print_table", lambda *_args, **_more: shown.append("table"))
    monkeypatch.setattr(Search, "save", lambda *_args: shown.append("save"))
    write(WRITERS["saved search"][1], "x")
    assert shown == ["table", "save"]


def test_learned_weights_are_lost_to_nobody(good, write, full_disk):
    Path("x").write_bytes(good["categories.json"])
    answer = write(WRITERS["category weights"][1], "x")
    assert answer.code == 2 and "No space left" in answer.err
    assert Path("x").read_bytes() == good["categories.json"]


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_picture_that_cannot_be_written_does_not_cost_the_report(full_disk, capsys, form):
    from tesuji.cli.main import main

    code = main([*WRITERS["picture"][1].replace("FILE", "x").split(), *form])
    captured = capsys.readouterr()
    assert code == 2 and "No space left on device" in captured.err and captured.err.count("\n") == 1
    assert json.loads(captured.out)["svg"] is None if form else "first player's score" in captured.out
    assert not Path("x").exists()


def test_json_names_the_files_that_were_written(tesuji):
    words = ("analyze", "tictactoe", "--playouts", 2, "--memory", 1, "--json")
    found = json.loads(tesuji(*words, "--save", "s", "--tree", "t").out)
    assert (found["saved"], found["tree"]) == ("s", "t")
    found = json.loads(tesuji(*words).out)
    assert (found["saved"], found["tree"]) == (None, None)


@pytest.mark.parametrize("words", ["--save x --tree x", "--save x --tree ./x", "--tree -", "--save -", "--tree /dev/stdout"])
def test_a_name_that_cannot_be_written_is_refused_before_the_search(words):
    """In a process of its own, whose standard output is a pipe. An hour's search would not end in time."""
    command = [sys.executable, "-m", "tesuji", "analyze", "go:9", "--seconds", "3600", *words.split()]
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": paths})
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert not list(Path().iterdir())


def test_a_file_that_the_output_goes_to_is_not_replaced():
    paths = os.pathsep.join(path for path in sys.path if path)
    words = [*WRITERS["tree"][1].replace("FILE", "x").split(), "--json"]
    with open("x", "wb") as out:
        done = subprocess.run(
            [sys.executable, "-m", "tesuji", *words],
            stdout=out,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths},
        )
    assert done.returncode == 2 and b"x is where this program's output goes" in done.stderr and Path("x").read_bytes() == b""


def test_records_of_a_match_replace_nothing(good, tesuji):
    Path("m.db").write_bytes(good["match.db"])
    words = (*WRITERS["match"][1].replace("FILE", "m.db").split(), "--sgf-dir", "records")
    assert tesuji(*words).code == 0  # both games are in the file already
    first, second = sorted(Path("records").iterdir())
    first.write_bytes(b"precious")
    second.unlink()
    second.symlink_to("elsewhere")
    assert tesuji(*words).code == 0
    assert first.read_bytes() == b"precious" and second.is_symlink() and not Path("records/elsewhere").exists()
    for path in ("m.db", "m.db/records"):
        answer = tesuji(*words[:-1], path)
        assert answer.code == 2 and "cannot use the folder" in answer.err

"""Every command that writes a file: what is there already stays, unless it is of the same kind."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path

import pytest

from tesuji.cli import output

WRITERS = {
    "saved search": ("plain.search", "analyze tictactoe --playouts 2 --memory 1 --save FILE"),
    "certificate": ("plain.cert", "solve connect4:2x2:2 --memory 1 --certificate FILE"),
    "category weights": ("categories.json", "learn categories moves.tsv --held-out 0 --out FILE"),
    "evaluation weights": ("evaluation.json", "learn evaluation moves.tsv --held-out 0 --out FILE"),
    "positions": ("problems.tsv", "learn tactics problems.tsv --plies 3 --out FILE"),
}
each_writer = pytest.mark.parametrize(("sample", "words"), WRITERS.values(), ids=WRITERS.keys())


@pytest.fixture
def write(tesuji, good):
    Path("moves.tsv").write_bytes(good["moves.tsv"])
    Path("problems.tsv").write_bytes(good["problems.tsv"])

    def run(words: str, path: str | Path):
        return tesuji(*(word.replace("FILE", str(path)) for word in words.split()))

    return run


@each_writer
def test_a_file_of_another_kind_is_not_overwritten(good, write, sample, words):
    cases = [data for name, data in good.items() if name.partition(".")[2] != sample.partition(".")[2]]
    other = "evaluation.json" if sample == "categories.json" else "categories.json"
    for case in (*cases, good[other], b"precious", b" ", b"\n" + good[sample], good[sample][:3]):
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
    for path in ("folder", "pipe", "loop", "null", "/dev/full", "none/x", "x" * 300, "a\0b", ""):
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

    for command in ("analyze tictactoe --playouts 2 --memory 1 --save x", "solve connect4:2x2:2 --memory 1 --certificate x"):
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
    from tesuji.search.engine import TreeSearch

    shown: list[str] = []
    monkeypatch.setattr(output, "print_table", lambda *_args, **_more: shown.append("table"))
    monkeypatch.setattr(TreeSearch, "save", lambda *_args: shown.append("save"))
    write(WRITERS["saved search"][1], "x")
    assert shown == ["table", "save"]


def test_learned_weights_are_lost_to_nobody(good, write, full_disk):
    Path("x").write_bytes(good["categories.json"])
    answer = write(WRITERS["category weights"][1], "x")
    assert answer.code == 2 and "No space left" in answer.err
    assert Path("x").read_bytes() == good["categories.json"]

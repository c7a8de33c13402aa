"""Every command that reads a file, and files of every format: damaged, of another kind, and no files at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

import pytest
import samples


class Reader(NamedTuple):
    file: str  # of the samples
    words: str  # of the command; FILE stands for the file
    checksum: bool = False  # any change is noticed
    good: int = 0  # exit code for the good file; -1 = not tried, it would take long


READERS = {
    "certificate": Reader("plain.cert", "verify FILE", True),
    "certificate of one's own game": Reader("own.cert", "verify FILE --game own.py:game", True),
    "saved search": Reader("plain.search", "analyze --load FILE --playouts 1", True),
    "saved search of one's own game": Reader("own.search", "analyze own.py:game --load FILE --playouts 1", True),
    "category weights": Reader("categories.json", "analyze loa --playouts 1 --player mc-loa:memory=1,weights=FILE"),
    "category weights, tested": Reader("categories.json", "learn categories moves.tsv --weights FILE", good=-1),
    "evaluation weights": Reader("evaluation.json", "analyze loa --playouts 1 --player mc-loa:memory=1,weights=FILE"),
    "evaluation weights, tested": Reader("evaluation.json", "learn evaluation moves.tsv --weights FILE", good=-1),
    "match file, rated": Reader("match.db", "ratings FILE"),
    "match file, continued": Reader("match.db", "match uct:playouts=2 uct --game tictactoe --games 2 --file FILE", good=2),
    "games of a match, counted": Reader("games.tsv", "reproduce --recorded FILE"),
    "tune file, drawn": Reader("tune.db", "tune --report FILE --out new.html"),
    "openings": Reader("openings.txt", "match uct uct:bad=1 --game tictactoe --openings FILE", good=2),
    "record": Reader("record.sgf", "analyze --sgf FILE --playouts 1 --memory 1"),
    "packed record": Reader("record.sgf.gz", "analyze --sgf FILE --playouts 1 --memory 1"),
    "records to learn from": Reader("moves.tsv", "learn categories FILE --out new.json --held-out 0"),
    "positions": Reader("problems.tsv", "learn tactics FILE --out new.tsv --plies 3", good=-1),
    "positions, set to players": Reader("problems.tsv", "reproduce mcts-solver/tactics --positions FILE", good=-1),
    "one's own game": Reader("own.py", "analyze FILE:game --playouts 1 --memory 1"),
    "one's own player": Reader("evil.py", "analyze tictactoe --player FILE:nobody --playouts 1", good=2),
}
each_reader = pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())


@pytest.fixture
def own(good):
    Path("own.py").write_bytes(good["own.py"])
    Path("moves.tsv").write_bytes(good["moves.tsv"])


@pytest.fixture
def read(tesuji, own):
    """Runs the command of a reader on a file, which must be as it was afterwards."""

    def run(reader: Reader, path: str | Path):
        return tesuji(*(word.replace("FILE", str(path)) for word in reader.words.split()))

    return run


@each_reader
def test_the_good_file_is_read(good, read, reader):
    """Else the tests below would show nothing. Also through a link."""
    if reader.good < 0:
        pytest.skip("it would take long; what is wrong is refused before")
    if reader.file == "evil.py":
        pytest.skip("it leaves a mark, as it should")
    name = "x.py" if reader.file.endswith(".py") else "x"
    Path(f"real_{name}").write_bytes(good[reader.file])
    Path(name).symlink_to(f"real_{name}")
    assert read(reader, name).code == reader.good
    assert Path(name).is_symlink()


@each_reader
def test_damaged_files(good, read, reader):
    if reader.file.endswith(".py"):
        pytest.skip("a changed program is another program")
    path = Path("x")
    cases = list(samples.damaged(good[reader.file]))
    if not reader.checksum:  # each may still be good: those are slow to use
        cases = cases[:: 1 if reader.file in ("match.db", "record.sgf", "record.sgf.gz") else 3]
    for case in cases:
        if "--file" in reader.words and case == b"":
            continue  # a match is begun in it
        path.write_bytes(case)
        answer = read(reader, path)
        assert path.read_bytes() == case
        assert answer.code == 2 or not reader.checksum, case


@each_reader
def test_files_of_another_kind(good, read, reader):
    path = Path("x.py" if reader.file.endswith(".py") else "x")
    related = reader.file.partition(".")[2]
    others = [data for name, data in good.items() if name.partition(".")[2] != related and not name.endswith(".py")]
    if related in ("sgf", "sgf.gz"):
        others = [data for name, data in good.items() if "sgf" not in name and not name.endswith(".py")]
        others = [data for data in others if b"(;" not in data]  # anything may stand before a record
    for case in [*others, *samples.ALIEN]:
        path.write_bytes(case)
        if path.suffix == ".py" and samples.MARK.encode() in case and b"import" in case:
            continue  # a program that someone names is run
        assert read(reader, path).code == 2, case[:80]
        assert path.read_bytes() == case


@each_reader
def test_what_is_no_file(good, read, reader, monkeypatch):
    suffix = ".py" if reader.file.endswith(".py") else ""
    folder, pipe, huge, loop, nowhere = (Path(name + suffix) for name in ("folder", "pipe", "huge", "loop", "nowhere"))
    folder.mkdir()
    os.mkfifo(pipe)
    huge.write_bytes(good[reader.file][:40])
    os.truncate(huge, 20 << 30)
    loop.symlink_to(loop)
    nowhere.symlink_to("none" + suffix)
    zero = Path("zero" + suffix)
    zero.symlink_to("/dev/zero")
    for path in (folder, pipe, huge, loop, nowhere, zero, "none" + suffix, "x" * 300 + suffix, "a\0b" + suffix, "" + suffix):
        if "--file" in reader.words and path in (nowhere, "none"):
            continue  # a match makes its file
        assert read(reader, path).code == 2, path
    assert stat.S_ISFIFO(pipe.stat().st_mode) and loop.is_symlink() and zero.is_symlink() and folder.is_dir()
    assert huge.stat().st_size == 20 << 30


@each_reader
@pytest.mark.skipif(os.geteuid() != 0, reason="a user's own file can be made unreadable only for others")
def test_unreadable_files(good, read, reader, monkeypatch, tmp_path_factory):
    """As another user, who may not read it."""
    path = tmp_path_factory.mktemp("private") / ("x.py" if reader.file.endswith(".py") else "x")
    path.write_bytes(good[reader.file])
    path.chmod(0)
    read(reader, tmp_path_factory.mktemp("folder") if not path.suffix else "none.py")  # imports what is needed, as root
    os.seteuid(65534)
    try:
        answer = read(reader, path)
    finally:
        os.seteuid(0)
    assert answer.code == 2

"""The one reader and the one writer of files."""

import errno
import gzip
import os
import stat
import zlib

import pytest

from tesuji.core.errors import UserError
from tesuji.core.files import FileKind, check_can_write, read_file, read_unpacked, unpack_zlib, write_file

NOTE = FileKind("a note", (b"note ",), 1000)
TEXT = FileKind("a text", (), 1000, pipes=True)


def refusal(call, *args):
    with pytest.raises(UserError) as caught:
        call(*args)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# -- reading -----------------------------------------------------------------------------------------------------------
def test_a_file_up_to_the_limit_is_read_and_a_larger_one_is_not(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"a" * 1000)
    assert read_file(path, NOTE) == b"a" * 1000
    path.write_bytes(b"a" * 1001)
    assert refusal(read_file, path, NOTE) == f"{path} is too large: a note has 1000 bytes at most"


def test_a_huge_file_is_refused_by_its_size_before_anything_is_read(tmp_path, monkeypatch):
    path = tmp_path / "huge"
    path.touch()
    os.truncate(path, 20 << 30)
    monkeypatch.setattr("builtins.open", lambda *_args, **_more: pytest.fail("read"))
    assert "too large" in refusal(read_file, path, NOTE)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/full"])
def test_devices_are_not_read(device):
    assert refusal(read_file, device, TEXT) == f"{device} is not a regular file, so it is not read"


def test_what_is_no_file(tmp_path):
    assert refusal(read_file, tmp_path, NOTE) == f"{tmp_path} is a folder, not a note"
    assert refusal(read_file, tmp_path / "none", NOTE) == f"{tmp_path / 'none'} cannot be read: No such file or directory"
    assert "is not a file name" in refusal(read_file, "a\0b", NOTE)
    assert refusal(read_file, "", NOTE) == "a file name cannot be empty"
    (tmp_path / "loop").symlink_to("loop")
    assert "symbolic links" in refusal(read_file, tmp_path / "loop", NOTE)


def test_a_pipe_is_read_only_where_it_makes_sense_and_never_waited_for_without_a_writer(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "is not a regular file" in refusal(read_file, pipe, NOTE)
    assert read_file(pipe, TEXT) == b""
    reading, writing = os.pipe()
    os.write(writing, b"hello")
    os.close(writing)
    assert read_file(f"/dev/fd/{reading}", TEXT) == b"hello"
    os.close(reading)


def test_a_pipe_is_read_up_to_the_limit(tmp_path):
    reading, writing = os.pipe()
    os.write(writing, b"a" * 5000)
    assert "too large" in refusal(read_file, f"/dev/fd/{reading}", TEXT)
    os.close(writing)
    os.close(reading)


def test_gzip_is_unpacked_up_to_the_limit(tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"a" * 1000))
    assert read_unpacked(path, TEXT) == b"a" * 1000
    path.write_bytes(gzip.compress(b"a" * 200_000))
    assert path.stat().st_size < 1000
    assert "too large" in refusal(read_unpacked, path, TEXT)
    path.write_bytes(gzip.compress(b"a" * 1000)[:-9])
    assert refusal(read_unpacked, path, TEXT) == f"{path} is a damaged gzip file"


def test_zlib_unpacks_exactly_what_was_announced():
    packed = zlib.compress(b"a" * 1000)
    assert unpack_zlib(packed, 1000) == b"a" * 1000
    for wrong in ((packed, 999), (packed, 1001), (packed + b"x", 1000), (packed[:-3], 1000), (b"none", 4), (b"", 0)):
        assert unpack_zlib(*wrong) is None


# -- writing -----------------------------------------------------------------------------------------------------------
def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_has_the_usual_mode_and_an_existing_one_keeps_its_own(tmp_path):
    path = tmp_path / "x"
    before = os.umask(0o027)
    try:
        write_file(path, b"note 1", NOTE)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o600)
    write_file(path, b"note 2", NOTE)
    assert path.read_bytes() == b"note 2"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert left_in(tmp_path) == ["x"]


def test_a_link_stays_a_link(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    link = tmp_path / "link"
    link.symlink_to("folder/x")
    for text in (b"note 1", b"note 2"):
        write_file(link, text, NOTE)
        assert link.is_symlink() and (folder / "x").read_bytes() == text
    assert left_in(folder) == ["x"]


def test_a_file_of_another_kind_is_not_replaced(tmp_path):
    path = tmp_path / "x"
    for call in (lambda: write_file(path, b"note 1", NOTE), lambda: check_can_write(path, NOTE)):
        path.write_bytes(b"letter")
        assert refusal(call) == f"{path} is not a note, so it is not overwritten: name another file"
        assert path.read_bytes() == b"letter"
    path.write_bytes(b"")
    write_file(path, b"note 1", NOTE)
    assert path.read_bytes() == b"note 1"


def test_only_regular_files_are_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for call in (lambda path: write_file(path, b"note 1", NOTE), lambda path: check_can_write(path, NOTE)):
        assert "is not a regular file" in refusal(call, pipe)
        assert "is not a regular file" in refusal(call, "/dev/null")
        assert "is a folder; name a file" in refusal(call, tmp_path)
        assert "is not a file name" in refusal(call, "a\0b")
        assert "cannot be empty" in refusal(call, "")
        assert "name a file" in refusal(call, "-")
        assert "cannot be written" in refusal(call, tmp_path / "none" / "x")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    (tmp_path / "loop").symlink_to("loop")
    assert "cannot be written" in refusal(write_file, tmp_path / "loop", b"note 1", NOTE)


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "x"
    path.write_bytes(b"note 1")

    def full(_handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert refusal(write_file, path, b"note 2", NOTE) == f"{path} cannot be written: No space left on device"
    assert path.read_bytes() == b"note 1"
    assert left_in(tmp_path) == ["x"]


def test_an_interrupt_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "x"

    def interrupted(*_paths):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(path, b"note 2", NOTE)
    assert left_in(tmp_path) == []


def test_a_read_only_file_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "x"
    path.write_bytes(b"note 1")
    monkeypatch.setattr(os, "access", lambda _path, wanted: not wanted & os.W_OK)  # root may write anything
    assert refusal(write_file, path, b"note 2", NOTE) == f"{path} cannot be written: Permission denied"
    assert "no permission" in refusal(check_can_write, tmp_path / "new", NOTE)
    assert path.read_bytes() == b"note 1"


def test_a_name_of_the_longest_length_can_be_written(tmp_path):
    write_file(tmp_path / ("x" * 255), b"note 1", NOTE)
    assert "File name too long" in refusal(write_file, tmp_path / ("x" * 256), b"note 1", NOTE)

"""Sealed files: whatever is written can be read."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import numpy as np
import pytest

from tesuji.core.container import (
    ALWAYS_FITS,
    SealedFormat,
    header_text,
    open_sealed,
    read_sealed,
    seal,
    sealed_bytes,
    write_sealed,
)
from tesuji.core.errors import UserError
from tesuji.core.files import FileKind

FORMAT = SealedFormat(FileKind("a test", (b"test ",), 1 << 30), 1, "is of", "none")


@pytest.mark.parametrize("size", [0, 1000, ALWAYS_FITS, ALWAYS_FITS + 8, 4 * ALWAYS_FITS])
def test_zeros_come_back(tmp_path, size):
    """They pack a thousand to one; a reader lets a hundred pass."""
    write_sealed(tmp_path / "x", FORMAT, {"size": size}, [np.zeros(size, np.uint8)])
    with open_sealed(tmp_path / "x", FORMAT) as (header, body):
        body.check_size(header["size"])
        assert not body.read(np.dtype(np.uint8), size).any()
        body.end()


HEADER = {"moves": [3, 1], "game": "tictactoe", "seconds": 0.1, "name": "\u00e9\ud800"}
NUMBERS = np.arange(100_000, dtype=np.uint16)


def test_bytes_are_read_as_a_file_is_and_piece_by_piece():
    data = sealed_bytes(FORMAT, HEADER, [NUMBERS, NUMBERS[:7]])
    header, body = read_sealed(io.BytesIO(data), "it", FORMAT)
    assert header == HEADER
    pieces = [body.read(NUMBERS.dtype, count) for count in (1, 0, 99_999, 7)]
    body.end()
    assert np.array_equal(np.concatenate(pieces), np.concatenate([NUMBERS, NUMBERS[:7]]))


def test_nothing_can_be_changed_cut_off_or_put_behind():
    data = sealed_bytes(FORMAT, HEADER, [NUMBERS[:9]])
    changed = [data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :] for i in range(len(data))]
    for wrong in (*changed, *(data[:i] for i in range(len(data))), data + b"x"):
        with pytest.raises(UserError, match=r"^it is "):
            read_sealed(io.BytesIO(wrong), "it", FORMAT)


@pytest.mark.parametrize(
    "text", [json.dumps(HEADER), '{"b":1,"a":1}', '{"a":1,"a":1}', '{"a":1.50}', "[]", "null", "", '{"a":' + "[" * 5000]
)
def test_a_header_is_written_in_one_way(text):
    with pytest.raises(UserError, match=r"^it is cut short or damaged"):
        read_sealed(io.BytesIO(seal(FORMAT.magic, text.encode(), b"")), "it", FORMAT)


@pytest.mark.parametrize("version", [b"0", b"2", b"10", b"x"])
def test_another_version_is_refused_in_one_line(version):
    data = seal(b"test " + version + b"\n", header_text({}), b"")
    with pytest.raises(UserError, match=r"^it is of another version of tesuji$"):
        read_sealed(io.BytesIO(data), "it", FORMAT)


def test_a_reader_needs_no_game_and_no_search():
    code = "import sys, tesuji.core.container; print(*(m for m in sys.modules if m.startswith('tesuji.')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) <= {"tesuji.core", "tesuji.core.container", "tesuji.core.errors", "tesuji.core.files"}

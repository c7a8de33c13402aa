"""Certificate files: round trips, and every way in which a file can be no certificate."""

from __future__ import annotations

import hashlib
import io
import os
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tesuji.core.container import LENGTHS, header_text, read_sealed, seal
from tesuji.core.errors import UserError
from tesuji.proof.trusted import format as form
from tesuji.proof.trusted.format import Certificate, Header

HEADER = Header("tictactoe", (4, 0), -1, 0, False, "", 12, 3, "ab" * 32)
CERTIFICATE = Certificate(HEADER, (1, 2, 127))


@given(st.lists(st.integers(0, 2**34)))
def test_choices_come_back(choices):
    assert form.decode_choices(form.encode_choices(choices)) == tuple(choices)


@given(st.binary(max_size=12))
def test_different_bytes_are_different_choices(data):
    try:
        choices = form.decode_choices(data)
    except UserError:
        return
    assert form.encode_choices(choices) == data


@pytest.mark.parametrize("data", [b"\x80\x00", b"\x05\x80", b"\xff\xff\xff\xff\xff\x01", b"\x81\x80\x00"])
def test_choices_that_are_no_numbers_are_refused(data):
    with pytest.raises(UserError, match="not a number"):
        form.decode_choices(data)


@given(
    st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=20).filter(str.isprintable),
    st.lists(st.integers(0, 2**31)),
    st.integers(-(2**63), 2**63),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
    st.lists(st.integers(0, 300), max_size=50),
)
def test_certificates_come_back(game, moves, bound, flags, choices):
    size = len(form.encode_choices(choices))
    initial_bounds, symmetry, connections = flags
    header = Header(game, tuple(moves), bound, bound + 1, initial_bounds, "", 7, size, "00", symmetry, connections)
    certificate = Certificate(header, tuple(choices))
    assert form.decode(form.encode(certificate)) == certificate


def test_a_file_cut_anywhere_is_recognised():
    data = form.encode(CERTIFICATE)
    for length in range(1, len(data)):
        why = "not a certificate" if length < len(form.FORMAT.magic) else "cut short"
        with pytest.raises(UserError, match=why):
            form.decode(data[:length])


def test_a_changed_bit_anywhere_is_recognised():
    data = form.encode(CERTIFICATE)
    for index in range(len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[index] ^= 1 << bit
            with pytest.raises(UserError):
                form.decode(bytes(changed))


@pytest.mark.parametrize("data", [b"", b"\n", b"PK\x03\x04", b"tesuji saved search 1\n", b"\0" * 1000])
def test_other_files_are_no_certificates(data):
    with pytest.raises(UserError, match="not a certificate"):
        form.decode(data)


def test_something_after_the_end_is_recognised():
    with pytest.raises(UserError, match="damaged"):
        form.decode(form.encode(CERTIFICATE) + b"\n")


@pytest.mark.parametrize("version", [1, 2, 3, 4, 6])
def test_another_version_is_refused_in_one_line(version):
    """The formats before this one had the lengths at the same place and the checksum at the end."""
    text, body = form.encode_header(HEADER), zlib.compress(form.encode_choices(CERTIFICATE.choices))
    data = b"tesuji certificate %d\n" % version + LENGTHS.pack(len(text), len(body)) + text + body
    with pytest.raises(UserError) as refusal:
        form.decode(data + hashlib.sha256(data).digest(), "old.cert")
    assert str(refusal.value) == "old.cert is not a certificate of format 5 but of another version of tesuji"


def fields(header: Header) -> dict[str, object]:
    return read_sealed(io.BytesIO(form.encode(Certificate(header, CERTIFICATE.choices))), "x", form.FORMAT)[0]


def sealed(text: bytes, choices: bytes | None = None) -> bytes:
    """A file with a right checksum around whatever it holds."""
    body = zlib.compress(form.encode_choices(CERTIFICATE.choices)) if choices is None else choices
    return seal(form.FORMAT.magic, text, body)


@pytest.mark.parametrize(
    "change",
    [
        {"lower": True},
        {"lower": 0.5},
        {"moves": [1, "2"]},
        {"moves": "12"},
        {"nodes": -1},
        {"game": 3},
        {"game": "tic\ntactoe"},
        {"game": "\ud800"},
        {"initial_bounds": 1},
        {"choices_size": -3},
        {"extra": 1},
        {"symmetry": 1},
        {"connections": None},
    ],
)
def test_a_header_of_other_fields_or_types_is_refused(change):
    with pytest.raises(UserError, match="header"):
        form.decode(sealed(header_text({**fields(HEADER), **change})))


def test_a_header_that_lacks_a_field_is_refused():
    for name in fields(HEADER):
        with pytest.raises(UserError, match="header"):
            form.decode(sealed(header_text({key: value for key, value in fields(HEADER).items() if key != name})))


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"nan", b"\xff", b"[" * 100_000, b'{"lower":' + b"9" * 5000 + b"}"])
def test_a_header_that_is_no_object_is_refused(text):
    with pytest.raises(UserError, match="damaged"):
        form.decode(sealed(text, b""))


def test_a_header_written_in_another_way_is_refused():
    text = form.encode_header(HEADER)
    for other in (text.replace(b":", b": ", 1), text.replace(b"tictactoe", b"t\\u0069ctactoe"), text[:-1] + b',"nodes":12}'):
        with pytest.raises(UserError, match="damaged"):
            form.decode(sealed(other))


@pytest.mark.parametrize(
    "choices", [b"", b"junk", zlib.compress(b"\1\2"), zlib.compress(b"\1" * 10**6), zlib.compress(b"\1\2\3") + b"x"]
)
def test_choices_of_another_size_is_refused(choices):
    with pytest.raises(UserError, match="damaged"):
        form.decode(sealed(form.encode_header(HEADER), choices))


def test_an_absurd_size_is_refused():
    header = replace(HEADER, choices_size=10**30)
    with pytest.raises(UserError, match="too large"):
        form.decode(sealed(form.encode_header(header)))


def test_saving_replaces_the_file_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "a.cert"
    path.write_bytes(form.FORMAT.magic + b"before")
    size = form.save_certificate(path, CERTIFICATE)
    assert form.read_certificate(path) == CERTIFICATE
    assert os.listdir(tmp_path) == ["a.cert"]
    assert size == path.stat().st_size


def test_a_failed_save_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "a.cert"
    path.write_bytes(form.FORMAT.magic + b"before")

    def fail(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(UserError, match="No space left"):
        form.save_certificate(path, CERTIFICATE)
    assert path.read_bytes() == form.FORMAT.magic + b"before"
    assert os.listdir(tmp_path) == ["a.cert"]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "a.cert")
    form.save_certificate(tmp_path / "link", CERTIFICATE)
    assert (tmp_path / "link").is_symlink()
    assert form.read_certificate(tmp_path / "a.cert") == CERTIFICATE


def test_places_that_are_no_files(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
        form.read_certificate(tmp_path / "missing.cert")
    with pytest.raises(UserError, match="is a folder, not a certificate"):
        form.read_certificate(tmp_path)
    with pytest.raises(UserError, match="is a folder"):
        form.save_certificate(tmp_path, CERTIFICATE)
    with pytest.raises(UserError, match="cannot be written"):
        form.save_certificate(tmp_path / "no" / "folder.cert", CERTIFICATE)

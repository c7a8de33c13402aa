"""The one format of binary files: saved searches, files of proofs, certificates. Each is a header and arrays behind a checksum.

    NAME VERSION\\n               the first line names the format and its version
    uint32, uint64               lengths of the header and of the body, little endian
    32 bytes                     SHA-256 of the first line, the lengths, the header and the body
    header                       a JSON object, keys sorted, no blanks: there is one way to write it
    body                         zlib: the arrays, one after the other

A checksum catches accidents, not malice. So a reader trusts nothing in the header and never unpacks a whole body: it says how
many bytes it wants next, and `check_size` first refuses a header that announces more than a body of this size can unpack to.

    with open_sealed(path, FORMAT) as (header, body):  # read_sealed(io.BytesIO(data), name, FORMAT) for bytes
        count = header["choices"]                      # check its type and range first
        body.check_size(count)
        choices = body.read(np.dtype(np.uint8), count)
        body.end()

A reader needs nothing else: this module knows no game and no search, and imports only NumPy, `core.files` and `core.errors`.
A file of another version, such as one that an older version of this program wrote, is refused in one line.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.files import FileKind, open_file, write_file

LENGTHS = struct.Struct("<IQ")
CHECKSUM_SIZE = hashlib.sha256().digest_size
LONGEST_HEADER = 1 << 22
PIECE = 1 << 20
# How many bytes a packed byte may stand for. Trees shrink to a tenth or a twentieth, hashes hardly, zeros to a thousandth.
MOST_PACKED = 100
ALWAYS_FITS = 1 << 22  # bytes


class SealedFormat(NamedTuple):
    kind: FileKind  # whose beginning is the name of the format
    version: int
    versions: str  # what a file of another version is, for the message
    command: str  # that writes one
    level: int = 1  # zlib's

    @property
    def magic(self) -> bytes:
        return self.kind.begins[0] + b"%d\n" % self.version


def damaged(path: str | Path) -> UserError:
    return UserError(f"{path} is cut short or damaged; it cannot be used")


# -- writing -----------------------------------------------------------------------------------------------------------------
def write_sealed(path: str | Path, form: SealedFormat, header: Mapping[str, Any], arrays: Iterable[np.ndarray]) -> int:
    """Writes the file; returns its size."""
    data = sealed_bytes(form, header, arrays, path)
    write_file(path, data, form.kind)
    return len(data)


def sealed_bytes(
    form: SealedFormat,
    header: Mapping[str, Any],
    arrays: Iterable[np.ndarray],
    name: str | Path = "the file",
    fits: Callable[[int], bool] = lambda size: True,
) -> bytes:
    """The bytes of such a file; `name` is for error messages.

    `fits` says whether a packed body of this many bytes is large enough for what the header announces.
    """
    parts = [np.ascontiguousarray(array) for array in arrays]
    body = _packed(parts, form.level)
    if sum(part.nbytes for part in parts) > _most_unpacked(len(body)) or not fits(len(body)):
        body = _packed(parts, 0)  # they shrink more than a reader accepts
    text = header_text(header)
    if len(text) > LONGEST_HEADER:
        raise UserError(f"{name} is not written: its header would have {len(text):,} bytes, {LONGEST_HEADER:,} at most")
    return seal(form.magic, text, body)


def header_text(header: Mapping[str, Any]) -> bytes:
    return json.dumps(header, sort_keys=True, separators=(",", ":")).encode()


def seal(magic: bytes, text: bytes, body: bytes) -> bytes:
    """The file around the text of a header and a packed body."""
    lengths = LENGTHS.pack(len(text), len(body))
    return magic + lengths + hashlib.sha256(magic + lengths + text + body).digest() + text + body


def _packed(arrays: Sequence[np.ndarray], level: int) -> bytes:
    pack = zlib.compressobj(level)
    return b"".join([*(pack.compress(array.tobytes()) for array in arrays), pack.flush()])


def _most_unpacked(size: int) -> int:
    """How many bytes a body of this size may unpack to."""
    return max(ALWAYS_FITS, MOST_PACKED * size)


# -- reading -----------------------------------------------------------------------------------------------------------------
class Body:
    """The packed part of an open file, which is unpacked as it is read."""

    def __init__(self, path: str | Path, file: BinaryIO, size: int):
        self._path = path
        self._file = file
        self.packed_size = size
        self._unpack = zlib.decompressobj()

    def check_size(self, size: int) -> None:
        """Refuses a file whose header says that the body unpacks to `size` bytes, if a body of this length cannot."""
        if size > _most_unpacked(self.packed_size):
            raise UserError(f"{self._path} is damaged: it says that it unpacks to more than it can hold")

    def read(self, kind: np.dtype, count: int) -> np.ndarray:
        """The next `count` elements; a UserError if there are not so many."""
        array = np.zeros(count, kind)
        data = array.view(np.uint8)
        done = 0
        while done < len(data):
            piece = self._next(min(PIECE, len(data) - done))
            if not piece:
                raise damaged(self._path)
            data[done : done + len(piece)] = np.frombuffer(piece, np.uint8)
            done += len(piece)
        return array

    def end(self) -> None:
        """Refuses a file in which anything follows."""
        if self._next(1) or not self._unpack.eof or self._unpack.unused_data or self._file.read(1):
            raise damaged(self._path)

    def _next(self, most: int) -> bytes:
        try:
            while True:
                packed = self._unpack.unconsumed_tail or self._file.read(PIECE)
                piece = self._unpack.decompress(packed, most)
                if piece or not packed or self._unpack.eof:
                    return piece
        except zlib.error:
            raise damaged(self._path) from None


@contextlib.contextmanager
def open_sealed(path: str | Path, form: SealedFormat) -> Iterator[tuple[dict[str, Any], Body]]:
    """The header and the body of a file; a UserError if it is too large, or a length or the checksum is wrong."""
    with open_file(path, form.kind) as file:
        yield read_sealed(file, path, form)


def read_sealed(file: BinaryIO, name: str | Path, form: SealedFormat) -> tuple[dict[str, Any], Body]:
    """The same for an open file, or bytes as `io.BytesIO`; `name` is for error messages."""
    magic = form.magic
    first_line = file.read(len(magic))
    if first_line != magic and first_line.startswith(form.kind.begins):
        raise UserError(f"{name} {form.versions} another version of tesuji")
    if first_line != magic:
        raise UserError(f"{name} is not {form.kind.what} (write one with: {form.command})")
    lengths, checksum = file.read(LENGTHS.size), file.read(CHECKSUM_SIZE)
    if len(lengths) < LENGTHS.size or len(checksum) < CHECKSUM_SIZE:
        raise damaged(name)
    start = file.tell()
    header_size, body_size = LENGTHS.unpack(lengths)
    if header_size > LONGEST_HEADER or file.seek(0, 2) != start + header_size + body_size:
        raise damaged(name)
    file.seek(start)
    digest = hashlib.sha256(magic + lengths)
    while piece := file.read(PIECE):
        digest.update(piece)
    if digest.digest() != checksum:
        raise damaged(name)
    file.seek(start)
    text = file.read(header_size)
    try:
        header = json.loads(text)
        if isinstance(header, dict) and header_text(header) == text:
            return header, Body(name, file, body_size)
    except (ValueError, RecursionError):
        pass
    raise damaged(name)

"""Files of a header and packed arrays behind a checksum, as saved searches and files of proofs are.

    NAME VERSION\\n               the first line names the format and its version
    uint32, uint64               lengths of the header and of the body, little endian
    32 bytes                     SHA-256 of the header and the body
    header                       a JSON object
    body                         zlib: the arrays, one after the other

A checksum keeps chance out, not malice. So nothing is unpacked at once: whoever reads says how much comes next, and a body that
announces more than such arrays can be packed into is refused first.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from tesuji.core.errors import UserError
from tesuji.core.files import FileKind, open_file, write_file

LENGTHS = struct.Struct("<IQ")
LONGEST_HEADER = 1 << 22
PIECE = 1 << 20
# How much a body may unpack to. Of trees a byte packs 10 to 20, hashes it hardly packs at all, zeros a thousand.
MOST_PACKED = 100
ALWAYS_FITS = 1 << 22  # bytes


class SealedFormat(NamedTuple):
    kind: FileKind  # whose beginning is the name of the format
    version: int
    versions: str  # what a file of another version is, for the message
    command: str  # that writes one

    @property
    def magic(self) -> bytes:
        return self.kind.begins[0] + b"%d\n" % self.version


def damaged(path: str | Path) -> UserError:
    return UserError(f"{path} is cut short or damaged; it cannot be used")


def write_sealed(path: str | Path, form: SealedFormat, header: Mapping[str, Any], arrays: Iterable[np.ndarray]) -> None:
    parts = [np.ascontiguousarray(array) for array in arrays]
    body = _packed(parts, 1)
    if sum(part.nbytes for part in parts) > _most_unpacked(len(body)):
        body = _packed(parts, 0)  # packed closer than a reader lets pass
    text = json.dumps(header).encode()
    if len(text) > LONGEST_HEADER:
        raise UserError(f"{path} is not written: its header would have {len(text):,} bytes, {LONGEST_HEADER:,} at most")
    digest = hashlib.sha256(text + body).digest()
    write_file(path, form.magic + LENGTHS.pack(len(text), len(body)) + digest + text + body, form.kind)


def _packed(arrays: Sequence[np.ndarray], level: int) -> bytes:
    pack = zlib.compressobj(level)
    return b"".join([*(pack.compress(array.tobytes()) for array in arrays), pack.flush()])


def _most_unpacked(size: int) -> int:
    """How many bytes a body of this size may unpack to."""
    return max(ALWAYS_FITS, MOST_PACKED * size)


class Body:
    """The packed part of an open file."""

    def __init__(self, path: str | Path, file: BinaryIO, size: int):
        self._path = path
        self._file = file
        self._size = size
        self._unpack = zlib.decompressobj()

    def check_size(self, size: int) -> None:
        """Refuses a body that is said to unpack to so many bytes, if that cannot be."""
        if size > _most_unpacked(self._size):
            raise UserError(f"{self._path} is damaged: it says that it unpacks to more than it can hold")

    def read(self, kind: np.dtype, count: int) -> np.ndarray:
        """The next `count` elements; a UserError if there are not so many."""
        array = np.zeros(count, kind)
        room = array.view(np.uint8)
        done = 0
        while done < len(room):
            piece = self._next(min(PIECE, len(room) - done))
            if not piece:
                raise damaged(self._path)
            room[done : done + len(piece)] = np.frombuffer(piece, np.uint8)
            done += len(piece)
        return array

    def end(self) -> None:
        """Refuses a body that goes on."""
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
    """The header and the body, once the lengths and the checksum have been found right."""
    with open_file(path, form.kind) as file:
        magic, name = form.magic, form.kind.begins[0]
        begin = file.read(len(magic))
        if begin.startswith(name) and begin != magic:
            raise UserError(f"{path} {form.versions} another version of tesuji")
        if begin != magic:
            raise UserError(f"{path} is not {form.kind.what} (write one with: {form.command})")
        fixed = file.read(LENGTHS.size + 32)
        if len(fixed) < LENGTHS.size + 32:
            raise damaged(path)
        start = file.tell()
        header_size, body_size = LENGTHS.unpack_from(fixed)
        if header_size > LONGEST_HEADER or file.seek(0, 2) != start + header_size + body_size:
            raise damaged(path)
        file.seek(start)
        digest = hashlib.sha256()
        while piece := file.read(PIECE):
            digest.update(piece)
        if digest.digest() != fixed[LENGTHS.size :]:
            raise damaged(path)
        file.seek(start)
        try:
            header = json.loads(file.read(header_size))
        except (ValueError, RecursionError):
            raise damaged(path) from None
        if not isinstance(header, dict):
            raise damaged(path)
        yield header, Body(path, file, body_size)

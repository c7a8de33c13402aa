"""The one way to read and to write files.

Reading is bounded: only regular files (and pipes, where the kind allows them) of at most `FileKind.most` bytes. Writing is all
or nothing: a temporary file in the same folder, then a rename. A file of another kind is never replaced. Whatever goes wrong
is a UserError of one line that begins with the path.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import secrets
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tesuji.core.errors import UserError

MIB = 1 << 20
GZIP = b"\x1f\x8b"
NONBLOCKING = getattr(os, "O_NONBLOCK", 0)
READ_FLAGS = os.O_RDONLY | NONBLOCKING | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
PIECE = 1 << 20


@dataclass(frozen=True)
class FileKind:
    """One kind of file. `what` names it in messages, with its article: "a saved search"."""

    what: str
    begins: tuple[bytes, ...]  # how such a file can begin; () = in any way
    most: int  # bytes
    pipes: bool = False  # whether it may also come out of a pipe


# -- reading -----------------------------------------------------------------------------------------------------------
@contextlib.contextmanager
def open_file(path: str | Path, kind: FileKind) -> Iterator[BinaryIO]:
    """The file, open for reading. Its size is within the limit; that of a pipe is for the caller to watch."""
    try:
        with open(_opened(path, kind), "rb") as file:
            yield file
    except OSError as error:
        raise _unreadable(path, error) from None


def read_file(path: str | Path, kind: FileKind) -> bytes:
    """All bytes of a file; never more than `kind.most` are held."""
    with open_file(path, kind) as file:
        return _read_all(file, path, kind)


def read_unpacked(path: str | Path, kind: FileKind) -> bytes:
    """The same for a file that may be packed by gzip; the limit also holds for what it unpacks to."""
    data = read_file(path, kind)
    return unpack_gzip(data, path, kind) if data.startswith(GZIP) else data


def unpack_gzip(data: bytes, path: str | Path, kind: FileKind) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            return _read_all(packed, path, kind)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise UserError(f"{path} is a damaged gzip file") from None


def unpack_zlib(packed: bytes, size: int) -> bytes | None:
    """The `size` bytes that are packed; None if there are more or fewer: it unpacks one more at most."""
    unpack = zlib.decompressobj()
    try:
        data = unpack.decompress(packed, size + 1)
    except (zlib.error, OverflowError):
        return None
    return data if len(data) == size and unpack.eof and not unpack.unused_data else None


def _opened(path: str | Path, kind: FileKind) -> int:
    """A descriptor of a file that is safe to read: opening a pipe or a device never waits, and neither is read by mistake."""
    _check_name(path)
    try:
        handle = os.open(path, READ_FLAGS)
    except ValueError as error:  # a zero byte in the name
        raise UserError(f"{str(path)!r} is not a file name: {error}") from None
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise UserError(f"{path} is a folder, not {kind.what}")
        if stat.S_ISFIFO(status.st_mode) and kind.pipes:
            os.set_blocking(handle, True)
        elif not stat.S_ISREG(status.st_mode):
            raise UserError(f"{path} is not a regular file, so it is not read")
        if status.st_size > kind.most:
            raise _too_large(path, kind)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _read_all(file: io.BufferedIOBase | BinaryIO, path: str | Path, kind: FileKind) -> bytes:
    pieces, size = [], 0
    while piece := file.read(min(PIECE, kind.most + 1 - size)):
        pieces.append(piece)
        size += len(piece)
        if size > kind.most:
            raise _too_large(path, kind)
    return b"".join(pieces)


def _too_large(path: str | Path, kind: FileKind) -> UserError:
    size = f"{kind.most // MIB} MiB" if kind.most >= MIB else f"{kind.most} bytes"
    return UserError(f"{path} is too large: {kind.what} has {size} at most")


def _unreadable(path: str | Path, error: OSError) -> UserError:
    return UserError(f"{path} cannot be read: {error.strerror or error}")


def _check_name(path: str | Path) -> None:
    if not str(path):
        raise UserError("a file name cannot be empty")


def real_path(path: str | Path) -> str:
    """The file behind all links."""
    try:
        return os.path.realpath(path)
    except ValueError as error:  # a zero byte in the name
        raise UserError(f"{str(path)!r} is not a file name: {error}") from None


# -- writing -----------------------------------------------------------------------------------------------------------
def check_can_write(path: str | Path, kind: FileKind) -> None:
    """Refuses what `write_file` would refuse, before hours are spent on what should go into the file."""
    target, _ = _target(path, kind)
    folder = target.parent
    if not folder.is_dir():
        raise UserError(f"{path} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UserError(f"{path} cannot be written: no permission to write in {folder}")


def write_file(path: str | Path, data: bytes, kind: FileKind) -> None:
    """Replaces the file or makes it: whatever happens, there is either the whole new file or what was there before.

    A symbolic link stays one: the file that it leads to is written. The mode (and the owner, where we may) of an existing
    file stay; a new one has the default mode.
    """
    target, before = _target(path, kind)
    temporary = target.with_name(f".tesuji-{secrets.token_hex(8)}.tmp")
    try:
        handle = os.open(temporary, WRITE_FLAGS, 0o666 if before is None else stat.S_IMODE(before.st_mode) & 0o777)
        try:
            with open(handle, "wb") as file:
                file.write(data)
                file.flush()
                if before is not None and hasattr(os, "fchown"):
                    with contextlib.suppress(PermissionError):
                        os.fchown(file.fileno(), before.st_uid, before.st_gid)
                    os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise _unwritable(path, error) from None


def _target(path: str | Path, kind: FileKind) -> tuple[Path, os.stat_result | None]:
    """The file behind the links, and what is there already; a UserError if that must not be replaced."""
    _check_name(path)
    if str(path) == "-":
        raise UserError("- would be a file of that name, not standard output: name a file (./- for that one)")
    try:
        status = os.stat(path)  # not that of the real path: /dev/stdout has none if it is a pipe
        target = Path(os.path.realpath(path))
    except FileNotFoundError:
        return Path(os.path.realpath(path)), None
    except ValueError as error:
        raise UserError(f"{str(path)!r} is not a file name: {error}") from None
    except OSError as error:
        raise _unwritable(path, error) from None
    if stat.S_ISDIR(status.st_mode):
        raise UserError(f"{path} is a folder; name a file")
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"{path} is not a regular file, so it is not written to; name another file")
    if _is_output(status):
        raise UserError(f"{path} is where this program's output goes; name another file")
    if not os.access(target, os.W_OK):  # a rename would not ask
        raise UserError(f"{path} cannot be written: {os.strerror(errno.EACCES)}")
    if status.st_size and not _is_of(target, path, kind):
        raise UserError(f"{path} is not {kind.what}, so it is not overwritten: name another file")
    return target, status


def _is_output(status: os.stat_result) -> bool:
    """Whether standard output or standard error goes to this file, as with --tree x > x: what is printed would be lost."""
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(status, os.fstat(descriptor)):
                return True
    return False


def _is_of(target: Path, path: str | Path, kind: FileKind) -> bool:
    """Whether an existing file begins as this kind does."""
    if not kind.begins:
        return True
    try:
        with open(target, "rb") as file:
            return file.read(max(map(len, kind.begins))).startswith(kind.begins)
    except OSError as error:
        raise _unreadable(path, error) from None


def _unwritable(path: str | Path, error: OSError) -> UserError:
    return UserError(f"{path} cannot be written: {error.strerror or error}")

"""Where compiled code is kept: one folder for each combination of sources, compiler, processor and compiler flags.

The folder's name is a digest of all these (stamps.py), so stale code is never loaded. Each file in it is one kernel for one
combination of types, with a checksum, because damaged machine code could do worse than fail. A checksum does not protect
against an attacker: only folders and files that nobody else can write to are used (private_folders.py). If something is
wrong with the folder or a file, one line on stderr says so, and the kernel is compiled again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import platform
import re
import shutil
import sys
import time
from importlib import metadata
from pathlib import Path

from tesuji.core.errors import UserError
from tesuji.core.files import FileKind, write_file
from tesuji.core.numba.private_folders import foreign_writer, is_own, make_private
from tesuji.core.sources import shown_path

LARGEST = 1 << 30  # bytes of all folders together; beyond that the ones not used for longest are removed
LONGEST_UNUSED = 90 * 24 * 3600.0  # seconds
TIMES = "compile_times.json"
NOT_FLAGS = {"NUMBA_CACHE_DIR", "NUMBA_DEBUG_CACHE", "NUMBA_NUM_THREADS", "NUMBA_CACHE_LOCATOR_CLASSES"}
CACHED = FileKind("a file of the compile cache", (), LARGEST)
_FOLDER_NAME = re.compile("[0-9a-f]{16}")
_CHECKSUM = hashlib.sha256().digest_size

loads = 0  # kernels that this process loaded
_warned = False
_in_use: set[Path] = set()  # folders of this process, which it does not remove itself


def cache_root() -> Path | None:
    """The folder of all compiled code: TESUJI_CACHE_DIR, or tesuji/ in the user's cache folder; None if there is neither."""
    chosen = os.environ.get("TESUJI_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "tesuji"
    except RuntimeError:  # no home
        return None


def cache_folder(stamp: str) -> Path | None:
    """The folder of code compiled from the sources behind the stamp, by this compiler and for this processor."""
    root = cache_root()
    if root is None:
        warn("there is no home folder to keep compiled code in; TESUJI_CACHE_DIR can name another")
        return None
    folder = _resolved(root) / hashlib.sha256(f"{stamp}\n{_compiler()}".encode()).hexdigest()[:16]
    reason = refused(folder)
    if reason:
        warn(reason)
    return None if reason else folder


def _resolved(root: Path) -> Path:
    """The folder without symbolic links. A link that leads nowhere stays: `write` says what is wrong with it."""
    return Path(os.path.realpath(root)) if root.exists() else root


def refused(folder: Path) -> str:
    """Why the folder is not used, in one line; '' if it is."""
    writer = foreign_writer(folder)
    hint = "use chmod go-w, or choose another folder with TESUJI_CACHE_DIR"
    return f"compiled code is not kept, because others could replace it: {writer} ({hint})" if writer else ""


@functools.cache
def _compiler() -> str:
    """All that the machine code depends on besides the sources."""
    import llvmlite.binding as llvm

    flags = sorted(f"{k}={v}" for k, v in os.environ.items() if k.startswith("NUMBA_") and k not in NOT_FLAGS)
    versions = [metadata.version(package) for package in ("numba", "llvmlite", "numpy")]
    processor = [platform.machine(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()]
    return "\n".join([*versions, platform.python_version(), *processor, *flags])


# -- files ---------------------------------------------------------------------------------------------------------------
def read(path: Path) -> bytes | None:
    """What `write` wrote; None if there is no such file, or it cannot be used."""
    try:
        with open(path, "rb") as file:
            if not is_own(os.fstat(file.fileno())):
                warn(f"{shown_path(path)} is not used, because others can write to it; it is compiled again")
                return None
            data = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        warn(f"compiled code cannot be read: {_what(error, path)}")
        return None
    content = data[_CHECKSUM:]
    if hashlib.sha256(content).digest() != data[:_CHECKSUM]:
        warn(f"{shown_path(path)} is damaged, so it is compiled again")
        return None
    _in_use.add(path.parent)
    with contextlib.suppress(OSError):
        os.utime(path.parent)
    return content


def write(path: Path, content: bytes) -> None:
    """Keeps the content, if possible."""
    _in_use.add(path.parent)
    try:
        make_private(path.parent)
        if reason := refused(path.parent):  # somebody else may have made it meanwhile
            warn(reason)
            return
        write_file(path, hashlib.sha256(content).digest() + content, CACHED)
        os.chmod(path, 0o600)  # whatever the umask
    except (OSError, UserError) as error:
        what = _what(error, path) if isinstance(error, OSError) else error
        warn(f"compiled code cannot be kept, so the next start compiles again: {what}")
    trim()


def _what(error: OSError, path: Path) -> str:
    return f"{shown_path(error.filename or path)}: {error.strerror or error}"


def warn(text: str) -> None:
    """Writes one line on stderr, once a process: what is wrong with one file is usually wrong with all."""
    global _warned
    if not _warned:
        _warned = True
        print(f"tesuji: {text}", file=sys.stderr)


# -- how long it takes ---------------------------------------------------------------------------------------------------
def compile_times() -> dict[str, tuple[int, float]]:
    """By kernel: how many functions were compiled for it the last time, and how many seconds that took."""
    root = cache_root()
    try:
        times = json.loads((root / TIMES).read_text()) if root else {}
        return {str(name): (int(functions), float(seconds)) for name, (functions, seconds) in times.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def keep_compile_time(kernel: str, functions: int, seconds: float) -> None:
    root = cache_root()
    with contextlib.suppress(OSError, UserError):
        if root is not None:
            make_private(root)
            times = {**compile_times(), kernel: (functions, round(seconds, 1))}
            write_file(root / TIMES, json.dumps(times).encode(), CACHED)


# -- keeping it small ----------------------------------------------------------------------------------------------------
def trim() -> None:
    """Removes folders that have not been used for a long time, and, beyond the size limit, the least recently used ones."""
    now, total = time.time(), 0
    with contextlib.suppress(OSError):
        for used, folder in sorted(((folder.stat().st_mtime, folder) for folder in _code_folders()), reverse=True):
            total += cache_size(folder)
            if folder not in _in_use and (total > LARGEST or now - used > LONGEST_UNUSED):
                shutil.rmtree(folder, ignore_errors=True)


def clear() -> int:
    """Removes all compiled code; returns the number of bytes freed."""
    size = 0
    for folder in _code_folders():
        size += cache_size(folder)
        shutil.rmtree(folder, ignore_errors=True)
    return size


def _code_folders() -> list[Path]:
    """The folders made here, recognised by their names: TESUJI_CACHE_DIR may hold other things too."""
    root = cache_root()
    root = _resolved(root) if root else None  # as `cache_folder` names them
    return [p for p in root.iterdir() if p.is_dir() and _FOLDER_NAME.fullmatch(p.name)] if root and root.is_dir() else []


def cache_size(folder: Path | None) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) if folder and folder.is_dir() else 0

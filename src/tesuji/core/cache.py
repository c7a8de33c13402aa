"""Where compiled code is kept, and the key that makes it never stale.

One folder for each combination of kernel sources, Numba, NumPy, Python, processor and compiler flags, inside the user's
cache folder. A changed source or flag is another folder, so nothing old can ever be loaded; the oldest folders are removed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import re
import shutil
import sys
from importlib import metadata
from pathlib import Path

from tesuji.core.sources import holds_kernels, is_in_package, package_digest, source_digest

KEEP_FOLDERS = 6


def cache_root() -> Path:
    """The folder of all compiled code: TESUJI_CACHE_DIR, or tesuji/ in the user's cache folder."""
    chosen = os.environ.get("TESUJI_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tesuji"


@functools.cache
def cache_folder() -> Path:
    """The folder of code compiled from just these sources by just this compiler, for this processor."""
    import llvmlite.binding as llvm

    flags = sorted(f"{k}={v}" for k, v in os.environ.items() if k.startswith("NUMBA_") and k not in _NOT_FLAGS)
    key = [
        package_digest(),
        metadata.version("numba"),
        metadata.version("llvmlite"),
        metadata.version("numpy"),
        platform.python_version(),
        platform.machine(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        *flags,
    ]
    return cache_root() / hashlib.sha256("\n".join(key).encode()).hexdigest()[:16]


_FOLDER_NAME = re.compile("[0-9a-f]{16}")
_NOT_FLAGS = {"NUMBA_CACHE_DIR", "NUMBA_DEBUG_CACHE", "NUMBA_NUM_THREADS", "NUMBA_CACHE_LOCATOR_CLASSES"}


def touch_and_trim() -> None:
    """Marks this folder as just used and removes the ones that were not used for longest."""
    folder = cache_folder()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for old in sorted(_code_folders(), key=lambda p: p.stat().st_mtime, reverse=True)[KEEP_FOLDERS:]:
            shutil.rmtree(old, ignore_errors=True)


def clear() -> int:
    """Removes all compiled code; returns the number of bytes freed."""
    size = 0
    for folder in _code_folders():
        size += cache_size(folder)
        shutil.rmtree(folder, ignore_errors=True)
    return size


def _code_folders() -> list[Path]:
    """The folders made here, known by their names: TESUJI_CACHE_DIR may be a folder that holds other things too."""
    root = cache_root()
    return [p for p in root.iterdir() if p.is_dir() and _FOLDER_NAME.fullmatch(p.name)] if root.is_dir() else []


def cache_size(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else 0


class KernelLocator:
    """Tells Numba where a function's compiled code lives (the interface of numba.core.caching's locators)."""

    def __init__(self, py_file: str):
        self._file = py_file

    @classmethod
    def from_function(cls, py_func, py_file):
        return cls(py_file) if is_in_package(py_file) or py_file in USER_FILES else None

    def ensure_cache_path(self) -> None:
        Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        if holds_kernels(self._file):
            return "package"  # the folder's name has the digest
        if is_in_package(self._file):
            return hashlib.sha256(Path(self._file).read_bytes()).hexdigest()
        return source_digest(self._file)

    def get_disambiguator(self) -> str:
        return hashlib.sha256(str(Path(self._file).resolve()).encode()).hexdigest()[:10]


USER_FILES: set[str] = set()  # files outside the package whose functions may be cached
LOCATORS = f"{__name__}.{KernelLocator.__name__},UserProvidedCacheLocator,InTreeCacheLocator,UserWideCacheLocator"

assert sys.version_info >= (3, 11)

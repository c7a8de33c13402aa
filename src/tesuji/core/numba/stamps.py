"""The stamp of an entry kernel: one digest of the sources that its compiled code was made from.

These are the kernel's module, the modules that define the types it was compiled for, those that implement operations for these
types, and everything they import. So an edit of one game leaves the code of all other games valid, and an edit of a policy that
of all other policies. An operation implemented outside the package for one of the package's types changes the stamp.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tesuji.core import dispatch, sources
from tesuji.core.numba import cache

COMPILER = sources.PACKAGE / "core" / "numba" / "kernel_files.py"  # and its imports: how code is compiled


def stamp(function: Callable[..., Any], keys: Iterable[dispatch.Key]) -> str | None:
    """The digest; None if a source is not a file (typed in by hand) or may have changed: then compiled code is not kept.

    `keys` are the record dtypes and NamedTuple classes of the arguments. An operation counts only if the kernel can call it,
    that is, if the module that declares it is among the sources.
    """
    keys = set(keys)
    files: set[Path] = set()
    classes = [key for key in keys if isinstance(key, type)]
    waiting: set[Path | None] = {COMPILER, dispatch.file_of(function), *map(_file_of_class, classes)}
    while waiting:
        for file in waiting:
            if file is None:
                return None
            files |= sources.closure(file)
        waiting = {
            dispatch.file_of(implementation)
            for operation in dispatch.OPERATIONS
            if operation.file in files
            for key, implementation in operation.implementations.items()
            if key in keys
        } - files
    digest = sources.stamp_of(files)
    if digest is None and (ahead := sources.dated_ahead(files)):
        cache.warn(f"{sources.shown_path(ahead)} is dated in the future, so compiled code is not kept; touch mends that")
    return digest


def _file_of_class(kind: type) -> Path | None:
    """The file of the module in which a class can be found by its name, in a later process too."""
    module = sys.modules.get(kind.__module__)
    if module is None or getattr(module, kind.__qualname__, None) is not kind:
        return None
    path = Path(getattr(module, "__file__", None) or "")
    return path.resolve() if path.is_file() else None

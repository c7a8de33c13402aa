"""The stamp of an entry kernel: one digest of the sources that its compiled code was made from.

These are the kernel's module, those that define the types it was compiled for, those that implement operations for these
types, and all that these import. So an edit of one game leaves the code of all others as it is, an edit of a policy that of
all other policies; and whoever implements something for a type of this package from outside has a stamp of his own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tesuji.core import dispatch
from tesuji.core.numba import sources

COMPILER = sources.PACKAGE / "core" / "numba" / "kernel_files.py"  # and its imports: how code is compiled


def stamp(function: Callable[..., Any], keys: Iterable[dispatch.Key]) -> str | None:
    """The digest; None where a source is no file (typed in by hand) or has changed since: such code is not kept.

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
    return sources.stamp_of(files)


def _file_of_class(kind: type) -> Path | None:
    """The file of the module in which a class can be found by its name, in a later process too."""
    module = sys.modules.get(kind.__module__)
    if module is None or getattr(module, kind.__qualname__, None) is not kind:
        return None
    path = Path(getattr(module, "__file__", None) or "")
    return path.resolve() if path.is_file() else None

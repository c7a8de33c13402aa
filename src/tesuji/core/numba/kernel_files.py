"""An entry kernel's compiled code on disk, as Numba's dispatcher asks for it: one file for each combination of types.

This replaces Numba's own cache, which depends on the source file of the function alone. Here the folder stands for everything
that the code was made from (stamps.py) and the file's name for the types, so there is no index. Classes are kept by name and
looked up when the code is loaded; those of a script too, whose module is `__main__` each time.

All of this is private API of Numba. With a version that was not tested (versions.py), or if anything fails, the kernel is
compiled: only the cache is lost.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import types
from numba.core.compiler import CompileResult
from numba.core.serialize import NumbaPickler

from tesuji.core import dispatch
from tesuji.core.numba import cache, stamps
from tesuji.core.numba.registration import numba_of


class KernelFiles:
    """The files of one kernel, with the interface of numba.core.caching's caches."""

    def __init__(self, function: Callable[..., Any]):
        self._function = function
        self._paths: dict[Any, Path | None] = {}
        self.types: set[Any] = set()  # record types and classes of all that was asked for

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The code for arguments of these types, or None if it must be compiled: that can be done whatever goes wrong here."""
        path = None
        try:
            target_context.refresh()
            path = self._paths[signature] = self._path(signature)
            content = cache.read(path) if path else None
            if content is None:
                return None
            loaded = CompileResult._rebuild(target_context, *_Unpickler(io.BytesIO(content)).load())
        except Exception as error:
            cache.warn(f"{path or 'compiled code'} cannot be used, so it is compiled again: {type(error).__name__}: {error}")
            return None
        cache.loads += 1
        return loaded

    def save_overload(self, signature: Any, code: Any) -> None:
        """Keeps what was just compiled, if that can be done."""
        path = self._paths.get(signature)
        try:
            if path is not None and not code.library.has_dynamic_globals:
                content = io.BytesIO()
                _Pickler(content, protocol=5).dump(code._reduce())
                cache.write(path, content.getvalue())
        except Exception as error:
            cache.warn(f"compiled code cannot be kept, so the next start compiles again: {type(error).__name__}: {error}")

    def _path(self, signature: Any) -> Path | None:
        """Where the code for these types belongs; None if it is not to be kept."""
        parts = set(_parts(signature))
        self.types |= parts
        classes = {part for part in parts if isinstance(part, type)}
        dtypes = {
            key
            for operation in dispatch.OPERATIONS
            for key in operation.implementations
            if isinstance(key, np.dtype) and numba_of(key) in parts
        }
        stamp = stamps.stamp(self._function, classes | dtypes)
        folder = cache.cache_folder(stamp) if stamp else None
        if folder is None:
            return None
        names = sorted(f"{kind.__module__}.{kind.__qualname__}" for kind in classes)
        name = hashlib.sha256(f"{self._function.__module__} {signature} {names}".encode()).hexdigest()[:16]
        return folder / f"{self._function.__name__}-{name}.code"


def _parts(signature: Any) -> Iterator[Any]:
    """The record types and NamedTuple classes that arguments are made of."""
    for kind in signature:
        if isinstance(kind, types.BaseNamedTuple):
            yield kind.instance_class  # type: ignore[attr-defined]
        if isinstance(kind, types.BaseTuple):
            yield from _parts(kind)
        elif isinstance(kind, types.Array):
            yield from _parts([kind.dtype])
        elif isinstance(kind, types.Record):
            yield kind


class _Pickler(NumbaPickler):
    def persistent_id(self, obj: Any) -> tuple[str, str] | None:
        is_named_tuple = isinstance(obj, type) and issubclass(obj, tuple) and hasattr(obj, "_fields")
        return (obj.__module__, obj.__qualname__) if is_named_tuple else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, pid: tuple[str, str]) -> Any:
        module, name = pid
        return getattr(sys.modules.get(module) or import_module(module), name)

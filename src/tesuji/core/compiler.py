"""The compiled world: hands every kernel and operation to Numba, once, when the first compiled function is asked for.

`compiled(function)` is the only door. In pure-Python mode (TESUJI_PURE=1 or NUMBA_DISABLE_JIT=1) it returns the function
itself and Numba is never imported. Kernels are registered as overloads of themselves and operations as overloads that
look up the implementation for the type at hand, so nothing is passed as a compiled function or closed over: that is what
keeps everything in the disk cache (see docs/architecture.md).
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tesuji.core import cache, dispatch
from tesuji.core.compile_errors import explain
from tesuji.core.errors import GameError
from tesuji.core.sources import is_of_package

_ENTRY: dict[Any, Any] = {}
compilations = 0  # functions that Numba compiled in this process: 0 on a second start


def is_pure() -> bool:
    """Whether this process runs without the compiler."""
    return os.environ.get("TESUJI_PURE") == "1" or os.environ.get("NUMBA_DISABLE_JIT") == "1"


def compiled(function: Callable[..., Any], policy: Any = None) -> Callable[..., Any]:
    """The compiled form of an entry kernel (compiled for each new combination of types, and cached on disk).

    A policy whose class is not of this package is compiled for this process only: nothing on disk would know when its
    source has changed, and no other process could even read the entry.
    """
    if is_pure():
        return function
    key = function if policy is None or is_of_package(type(policy)) else (function, "not kept")
    if key not in _ENTRY:
        _ENTRY[key] = _activate(key is function)(function)
    return _ENTRY[key]


def loads() -> int:
    """Entry kernels that this process took from the disk cache instead of compiling them."""
    return sum(sum(entry.stats.cache_hits.values()) for entry in _ENTRY.values())


def _activate(kept: bool) -> Callable[..., Any]:
    """The decorator for entry kernels, whose code is kept on disk or not."""
    _start()
    import numba

    # No reference counts (`_nrt`): kernels allocate nothing, and counting every use of an array took half of the time.
    options: Any = {"nogil": True, "cache": kept, "error_model": "numpy", "_nrt": False}
    return numba.njit(**options)


@functools.cache
def _start() -> None:
    """Starts Numba: cache location, all registered functions."""
    import numba
    from numba.core import event
    from numba.extending import overload

    numba.config.CACHE_LOCATOR_CLASSES = cache.LOCATORS  # type: ignore[attr-defined]
    cache.touch_and_trim()
    # Inlined, because a call would copy every field of every NamedTuple it passes. Not cached, because a leaf
    # loaded from disk is object code that can no longer be inlined: only whole entry kernels are kept.
    leaf_options: Any = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": True}

    class CountCompilations(event.Listener):
        def on_start(self, event):
            pass

        def on_end(self, event):
            global compilations
            compilations += 1

    event.register("numba:compile", CountCompilations())

    def register(item: Any) -> None:
        if isinstance(item, dispatch.Operation):
            chooser = _chooser(item.parameters, lambda first: _implementation(item, first))
            overload(item, jit_options=leaf_options, strict=False)(chooser)
        else:
            names = tuple(item.__code__.co_varnames[: item.__code__.co_argcount])
            overload(item, jit_options=leaf_options, strict=False)(_chooser(names, lambda _first: item))

    for item in [*dispatch.KERNELS, *dispatch.OPERATIONS]:
        register(item)
    dispatch.on_register(register)
    for action in dispatch.START_ACTIONS:
        action()


def _chooser(names: tuple[str, ...], choose: Callable[[Any], Any]) -> Callable[..., Any]:
    """A function with the given parameter names, as Numba's overload demands, that chooses by the first one's type."""
    first = names[0] if names else "None"
    scope: dict[str, Any] = {"choose": choose}
    exec(f"def chooser({', '.join(names)}):\n    return choose({first})\n", scope)
    return scope["chooser"]


def _implementation(declared: dispatch.Operation, numba_type: Any) -> Callable[..., Any] | None:
    key = _key_of_type(numba_type, declared)
    return declared.implementations.get(key, declared.default)


def _key_of_type(numba_type: Any, declared: dispatch.Operation) -> Any:
    """The dtype or NamedTuple class behind a Numba type, as Python's dispatch would see it."""
    from numba.core import types

    if isinstance(numba_type, types.BaseNamedTuple):
        return numba_type.instance_class  # type: ignore[attr-defined]
    if isinstance(numba_type, types.Record):
        for key in declared.implementations:
            if isinstance(key, np.dtype) and _record_of(key) == numba_type:
                return key
    return None


@functools.cache
def _record_of(dtype: np.dtype) -> Any:
    import numba
    from numba.core.errors import NumbaError

    try:
        return numba.from_dtype(dtype)
    except NumbaError:  # a record that cannot be compiled, of some game that is not the one at hand
        return None


@contextlib.contextmanager
def compile_errors_explained(name: str) -> Iterator[None]:
    """Turns a failure of the compiler into one line that names the place."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith("numba."):
            raise
        reason, place = explain(error)
        raise GameError(f"{name} cannot be compiled: {reason}" + (f" ({place})" if place else "")) from error

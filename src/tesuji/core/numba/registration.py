"""Compilation: registers every kernel and operation with Numba, once, when the first compiled function is needed.

`compiled(function)` is the only entry point. In pure-Python mode (TESUJI_PURE=1 or NUMBA_DISABLE_JIT=1) it returns the function
itself and Numba is never imported. Kernels are registered as overloads of themselves and operations as overloads that
look up the implementation for the type at hand, so nothing is passed as a compiled function or closed over: that is what
keeps everything in the disk cache (see docs/architecture.md).
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tesuji.core import dispatch
from tesuji.core.errors import GameError, UserError
from tesuji.core.numba import cache, versions, worker
from tesuji.core.numba.errors import explain

compilations = 0  # functions that Numba compiled for kernels of this process: 0 on a second start
_entries: dict[Callable[..., Any], Any] = {}
_defaults_used: set[tuple[dispatch.Operation, Any]] = set()  # with the Numba type or class that has none of its own
_start_lock = threading.RLock()


def is_pure() -> bool:
    """Whether this process runs without the compiler."""
    return os.environ.get("TESUJI_PURE") == "1" or os.environ.get("NUMBA_DISABLE_JIT") == "1"


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled form of an entry kernel: compiled for each new combination of types, and kept on disk (kernel_files.py)."""
    if is_pure():
        return function
    if function not in _entries:
        _entries.setdefault(function, worker.run(lambda: _entry(function)))
    return _entries[function]


def loads() -> int:
    """Entry kernels that this process took from the disk cache instead of compiling them."""
    return cache.loads


@functools.cache
def pipelines() -> tuple[type, type] | None:
    """The `pipeline_class` for inlined functions and that for entry kernels; None with a Numba that was not tested."""
    if versions.why_slow():
        return None
    from tesuji.core.numba.pipeline import EntryCompiler, InlinedCompiler

    return InlinedCompiler, EntryCompiler


def _entry(function: Callable[..., Any]) -> Any:
    with _start_lock:
        _start()
    import numba
    from numba.core import event

    # No reference counts (`_nrt`): kernels allocate nothing, and counting every use of an array took half of the time.
    # No wrappers for calls from C, not even for inlined functions: nothing calls from there, and they took a tenth of the
    # compile time.
    options: Any = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}
    classes = pipelines()
    if classes is not None:
        options["pipeline_class"] = classes[1]
    entry: Any = numba.njit(**options)(function)
    if (files := _kernel_files(function)) is not None:
        entry._cache = files
    compile_here = entry._compile_for_args  # what the dispatcher calls for arguments of types that it has no code for

    def compile_and_count(*arguments: Any) -> Any:
        with event.install_listener("numba:compile", _counter()):
            return compile_here(*arguments)

    entry._compile_for_args = lambda *arguments: worker.run(lambda: compile_and_count(*arguments))
    return entry


def _kernel_files(function: Callable[..., Any]) -> Any:
    """The kernel's files in the compile cache; None with a Numba that was not tested, or that lacks what they need."""
    if versions.why_slow():
        return None
    try:
        from tesuji.core.numba.kernel_files import KernelFiles

        return KernelFiles(function)
    except Exception as error:
        cache.warn(f"compiled code is not kept, so every start compiles: {type(error).__name__}: {error}")
        return None


def _counter() -> Any:
    """A listener that counts the functions that this thread compiles; it is installed for one entry kernel."""
    from numba.core import event

    class Counter(event.Listener):
        depth = 0  # functions that an entry kernel needs are compiled within its own compilation
        thread = threading.get_ident()  # Numba tells all listeners of all compilations

        def on_start(self, event: Any) -> None:
            if threading.get_ident() != self.thread:
                return
            self.depth += 1
            if self.depth == 1:
                versions.warn_if_slow()
                kernel = event.data["dispatcher"].py_func
                name = f"{kernel.__module__}.{kernel.__qualname__}"
                expected = cache.compile_times().get(name, worker.TYPICAL)
                worker.under_way = worker.Compilation(name, expected, time.monotonic())

        def on_end(self, event: Any) -> None:
            global compilations
            if threading.get_ident() != self.thread:
                return
            compilations += 1
            self.depth -= 1
            now = worker.under_way
            if now is not None:
                now.functions += 1
                if self.depth == 0:
                    worker.under_way = None
                    cache.keep_compile_time(now.kernel, now.functions, now.seconds)

    return Counter()


@functools.cache
def _start() -> None:
    """Starts Numba and registers all functions with it."""
    from numba.extending import overload

    # Inlined, because a call would copy every field of every NamedTuple it passes. Not cached, because a function
    # loaded from disk is object code that can no longer be inlined: only whole entry kernels are kept.
    inlined: Any = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": True, "no_cfunc_wrapper": True}
    classes = pipelines()
    if classes is not None:
        inlined["pipeline_class"] = classes[0]

    def register(item: Any) -> None:
        if isinstance(item, dispatch.Operation):
            options, chooser = inlined, _chooser(item.parameters, lambda first: _implementation(item, first))
        else:
            names = tuple(item.__code__.co_varnames[: item.__code__.co_argcount])
            options: Any = {**inlined, "forceinline": item not in dispatch.CALLED_KERNELS}
            chooser = _chooser(names, lambda _first: item)
        overload(item, jit_options=options, strict=False)(chooser)
        if classes is not None:
            from tesuji.core.numba.pipeline import compile_once

            compile_once(item)

    for item in [*dispatch.KERNELS, *dispatch.OPERATIONS]:
        register(item)
    dispatch.on_register(register)
    dispatch.on_implement(_check_implementation)
    for action in dispatch.START_ACTIONS:
        action()


def _chooser(names: tuple[str, ...], choose: Callable[[Any], Any]) -> Callable[..., Any]:
    """A function with the given parameter names, as Numba's overload demands, that chooses by the first one's type."""
    first = names[0] if names else "None"
    scope: dict[str, Any] = {"choose": choose}
    exec(f"def chooser({', '.join(names)}):\n    return choose({first})\n", scope)
    return scope["chooser"]


def _implementation(declared: dispatch.Operation, numba_type: Any) -> Callable[..., Any] | None:
    """The implementation for the dtype or NamedTuple class behind a Numba type, as Python's dispatch would find it."""
    from numba.core import types

    if isinstance(numba_type, types.BaseNamedTuple):
        numba_type = numba_type.instance_class  # type: ignore[attr-defined]
    for key, function in declared.implementations.items():
        if numba_of(key) == numba_type:
            return function
    _defaults_used.add((declared, numba_type))
    return declared.default


def numba_of(key: dispatch.Key) -> Any:
    """What stands for a key in compiled code: the Numba type of a dtype, a class itself; None if it cannot be compiled."""
    return _record_of(key) if isinstance(key, np.dtype) else key


@functools.cache
def _record_of(dtype: np.dtype) -> Any:
    import numba
    from numba.core.errors import NumbaError

    try:
        return numba.from_dtype(dtype)
    except NumbaError:  # a record that cannot be compiled, of some game that is not the one at hand
        return None


def _check_implementation(declared: dispatch.Operation, key: dispatch.Key) -> None:
    """Refuses what comes too late: the compiler remembers what it has compiled. Code from disk is looked for again."""
    if (declared, numba_of(key)) in _defaults_used and key not in declared.implementations:
        raise UserError(
            f"{declared.__name__} for {dispatch.describe_key(key)} comes too late: code without it is already compiled; "
            "implement it before the first search"
        )
    if any(numba_of(key) in getattr(entry._cache, "types", ()) for entry in _entries.values()):
        _entries.clear()


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

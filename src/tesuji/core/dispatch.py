"""Generic functions: one plain function serves compiled code and pure Python.

An *operation* is a name with a contract (`play`, `moves`, ...). A game *implements* it for its record type, a policy
for its NamedTuple class, with a plain function. Calling the operation in Python looks the function up by the type of the
first argument; inside compiled code Numba does the same while it infers types. A *kernel* is a plain function that other
compiled functions may call. Nothing here imports Numba: `core/numba/registration.py` reads these registers when the first
kernel is compiled, so games and the whole search also run, and can be debugged, without it.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tesuji.core import sources
from tesuji.core.errors import UserError
from tesuji.core.sources import source_digest

Function = TypeVar("Function", bound=Callable[..., Any])
Key = Any  # a record dtype, or a NamedTuple class

KERNELS: list[Callable[..., Any]] = []
CALLED_KERNELS: set[Callable[..., Any]] = set()  # those that compiled code calls instead of having them inlined
OPERATIONS: list[Operation] = []
START_ACTIONS: list[Callable[[], None]] = []
_on_register: list[Callable[[Any], None]] = []
_on_implement: list[Callable[[Operation, Key], None]] = []


class Operation:
    """A generic function. `default`, if there is one, serves every type that has no implementation of its own."""

    def __init__(self, declaration: Callable[..., Any], default: Callable[..., Any] | None):
        self.__name__ = declaration.__name__
        self.__qualname__ = declaration.__qualname__
        self.__module__ = declaration.__module__
        self.__doc__ = declaration.__doc__
        self.file = file_of(declaration)
        self.parameters = tuple(inspect.signature(declaration).parameters)
        self.default = default
        self.implementations: dict[Key, Callable[..., Any]] = {}

    def __call__(self, first: Any, *rest: Any) -> Any:
        return self.find(key_of(first))(first, *rest)

    def __repr__(self) -> str:
        return f"<operation {self.__name__}({', '.join(self.parameters)})>"

    def find(self, key: Key) -> Callable[..., Any]:
        function = self.implementations.get(key, self.default)
        if function is None:
            raise UserError(f"nothing implements {self.__name__} for {describe_key(key)}")
        return function

    def is_implemented(self, key: Key) -> bool:
        return key in self.implementations


def key_of(value: Any) -> Key:
    """The type that chooses an implementation: a record's dtype, any other value's class."""
    return value.dtype if isinstance(value, np.void) else type(value)


def describe_key(key: Key) -> str:
    if isinstance(key, np.dtype) and key.names:
        return f"the state {next((n for n in key.names if n.startswith(TAG)), str(key))[len(TAG) :]}"
    return getattr(key, "__name__", str(key))


def operation(declaration: Callable[..., Any]) -> Operation:
    """Declares an operation without a default: every type that uses it must implement it."""
    return _declare(declaration, None)


def operation_with_default(declaration: Callable[..., Any]) -> Operation:
    """Declares an operation whose own body serves the types that do not implement it."""
    return _declare(declaration, declaration)


def _declare(declaration: Callable[..., Any], default: Callable[..., Any] | None) -> Operation:
    declared = Operation(declaration, default)
    OPERATIONS.append(declared)
    for notify in _on_register:
        notify(declared)
    return declared


def implements(declared: Operation, key: Key) -> Callable[[Function], Function]:
    """Registers the decorated plain function as `declared` for the record dtype or NamedTuple class `key`."""

    def register(function: Function) -> Function:
        names = tuple(inspect.signature(function).parameters)
        if len(names) != len(declared.parameters):
            raise UserError(
                f"{function.__name__} takes {len(names)} parameters; {declared.__name__} takes "
                f"{len(declared.parameters)}: ({', '.join(declared.parameters)})"
            )
        earlier = declared.implementations.get(key)
        if earlier is not None and earlier.__code__ != function.__code__:
            raise UserError(
                f"{declared.__name__} for {describe_key(key)} is implemented twice: {_place(earlier)} and {_place(function)}"
            )
        for notify in _on_implement:
            notify(declared, key)
        declared.implementations[key] = function
        return function

    return register


def implement_all(key: Key, *groups: Mapping[Operation, Callable[..., Any]]) -> None:
    """Registers functions that several types share, but for the operations that this type has implemented itself."""
    for group in groups:
        for declared, function in group.items():
            if not declared.is_implemented(key):
                implements(declared, key)(function)


def file_of(function: Callable[..., Any]) -> Path | None:
    """The source file of a plain function; None if it was typed at a prompt, or generated."""
    path = Path(function.__code__.co_filename)
    return path.resolve() if path.is_file() else None


def _place(function: Callable[..., Any]) -> str:
    return f"{sources.shown_path(function.__code__.co_filename)}:{function.__code__.co_firstlineno}"


def user_source_files() -> set[str]:
    """The files outside the package that implement operations or hold kernels: what users wrote."""
    functions = [*KERNELS, *(function for declared in OPERATIONS for function in declared.implementations.values())]
    return {os.path.abspath(f.__code__.co_filename) for f in functions if not sources.is_in_package(f.__code__.co_filename)}


def kernel(function: Function) -> Function:
    """Marks a plain function that compiled code may call. It stays a plain function in Python."""
    KERNELS.append(function)
    for notify in _on_register:
        notify(function)
    return function


def called_kernel(function: Function) -> Function:
    """A kernel that compiled code calls and never inlines: a large one with several callers, each of which would hold a copy.

    Best for functions of records, arrays and numbers: a call copies every field of every NamedTuple that it passes, which only
    pays where the function does much.
    """
    CALLED_KERNELS.add(function)
    return kernel(function)


def on_register(notify: Callable[[Any], None]) -> None:
    """Calls `notify` with every operation and kernel declared from now on: the compiler may have started already."""
    _on_register.append(notify)


def on_implement(notify: Callable[[Operation, Key], None]) -> None:
    """Calls `notify` with every implementation before it is registered; the compiler may refuse one by raising an error."""
    _on_implement.append(notify)


def on_compiler_start(action: Callable[[], None]) -> None:
    """Runs `action` when the compiler starts: so a module can add intrinsics without importing Numba before it is needed."""
    START_ACTIONS.append(action)
    if _on_register:  # the compiler has started already
        action()


TAG = "is_"


def state_type(name: str, fields: Sequence[tuple[Any, ...]]) -> np.dtype:
    """The record type of a game's positions: `fields` as NumPy writes them, and a tag that makes the type this game's own.

    Compiled code is chosen by type, so two games with equal fields must not share one. For a file outside the package
    the tag carries a digest of its source, and of what it imports from its folder: an edited game is a new type, and
    nothing compiled for the old one can ever be used for it.
    """
    caller = sys._getframe(1).f_code.co_filename
    digest = source_digest(sources.root_file or caller) if not sources.is_in_package(caller) else ""
    letters = "".join(c if c.isalnum() else "_" for c in name)
    tag = f"{TAG}{letters}_{hashlib.sha256(f'{name}:{digest}'.encode()).hexdigest()[:8]}" if digest else TAG + letters
    return np.dtype([*fields, (tag, np.int8)], align=True)

"""Where Numba is patched. Every patch ends with the compilation that it was made for.

Once inlined functions get no machine code of their own (pipeline.py), more than half of the compile time is Numba's own Python
code, most of it the same questions asked again and again. `applied()` answers them from memory, or not at all where a kernel
needs no answer. The code that Numba makes stays the same, but for one patch: indices of this package's functions count from 0.

The patches hold while a kernel is compiled. Numba's compiler lock, which its caller holds, keeps all other compilations out
meanwhile, so no function of the host program is ever compiled by a patched Numba.
"""

from __future__ import annotations

import contextlib
import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any

from llvmlite.binding import ffi
from llvmlite.ir import Constant
from numba.core import postproc, transforms, types
from numba.core.compiler_lock import require_global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.targetconfig import TargetConfig
from numba.core.types import Type
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import Context
from numba.np import arrayobj

from tesuji.core.numba.context import KernelContext
from tesuji.core.sources import is_in_package

_depth = 0  # kernels are compiled within the compilation of those that call them


@contextlib.contextmanager
def applied() -> Iterator[None]:
    """Patches Numba until the end of the block. The caller holds Numba's compiler lock."""
    global _depth
    require_global_compiler_lock()
    _depth += 1
    try:
        if _depth > 1:
            yield
        else:
            with contextlib.ExitStack() as undo:
                for owner, name, patch in PATCHES:
                    usual = vars(owner)[name]
                    setattr(owner, name, patch(usual))
                    undo.callback(setattr, owner, name, usual)
                undo.enter_context(_without_lock_events())
                yield
    finally:
        _depth -= 1


def _index_from_zero(usual: Callable[..., Any]) -> Callable[..., Any]:
    """A negative index counts from the end, which costs a comparison and an addition at every access: see pipeline.py."""

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if isinstance(context, KernelContext) and context.counts_from_zero and kind.signed and not isinstance(index, Constant):
            return context.cast(builder, index, kind, types.intp)
        return usual(context, builder, kind, index, size)

    return fix_integer_index


def _remember_operators(search: Callable[..., Any]) -> Callable[..., Any]:
    """The signature of an operator on numbers, arrays and records depends on nothing but these types."""
    plain = (types.Number, types.Boolean, types.IntegerLiteral, types.BooleanLiteral, types.Array, types.Record)
    operators = {function for name, function in vars(operator).items() if not name.startswith("_") and callable(function)}
    signatures: dict[Any, Any] = {}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or self.typing_key not in operators or not all(isinstance(kind, plain) for kind in args):
            return search(self, context, args, kws)
        key = self, context, tuple(args)
        if key not in signatures:
            signatures[key] = search(self, context, args, kws)
        return signatures[key]

    return get_call_type


def _fetch_flags_at_once(_usual: Callable[..., Any]) -> Callable[..., Any]:
    """At every search for an overload all compiler flags are compared, each fetched by a property."""
    defaults: dict[type, dict[str, Any]] = {}

    def values(self: Any) -> dict[str, Any]:
        kind = type(self)
        if kind not in defaults:
            defaults[kind] = {name: option.default for name, option in kind.options.items()}
        return {**defaults[kind], **self._values}

    return values


def _hash_types_once(_usual: Callable[..., Any]) -> Callable[..., Any]:
    """The type of a tree is made of those of all its arrays, and is hashed anew at every search of a dictionary."""
    hashes: dict[int, tuple[Any, int]] = {}  # by identity, together with the type itself, so that no other gets its identity

    def hash_once(self: Any) -> int:
        entry = hashes.get(id(self))
        if entry is None:
            entry = hashes[id(self)] = self, hash(self.key)
        return entry[1]

    return hash_once


def _import_once(usual: Callable[..., Any]) -> Callable[..., Any]:
    """Before every function Numba asks its registries for what is new, and imports all of its parts to be sure of them."""
    registries: list[Any] = []

    def load_additional_registries(self: Any) -> None:
        install = self.install_registry
        if registries:
            for registry in registries:
                install(registry)
            return

        def note_and_install(registry: Any) -> None:
            registries.append(registry)
            install(registry)

        self.install_registry = note_and_install
        try:
            usual(self)
        finally:
            del self.install_registry

    return load_additional_registries


def _without_variables_of_blocks(usual: Callable[..., Any]) -> Callable[..., Any]:
    """Which variables are set where a block begins: only generators and Python's own objects need that. How long variables
    live is found out once.
    """
    is_ours = functools.cache(is_in_package)

    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        function = self.func_ir
        if function.is_generator or not is_ours(function.func_id.filename):
            usual(self, emit_dels, extend_lifetimes)
            return
        function.blocks = transforms.canonicalize_cfg(function.blocks)
        function.variable_lifetime = postproc.VariableLifetime(function.blocks)
        function.generator_info = None
        if emit_dels:
            self._insert_var_dels(extend_lifetimes=extend_lifetimes)

    return run


@contextlib.contextmanager
def _without_lock_events() -> Iterator[None]:
    """Two events for each call of LLVM, and a listener to them for every function that is being compiled."""
    callbacks = [both for both in ffi.lib._lock._cblist if both[0].__module__ == "numba.core.base"]
    for both in callbacks:
        ffi.unregister_lock_callback(*both)
    try:
        yield
    finally:
        for both in callbacks:
            ffi.register_lock_callback(*both)


PATCHES: tuple[tuple[Any, str, Callable[..., Any]], ...] = (
    (arrayobj, "fix_integer_index", _index_from_zero),
    (BaseFunction, "get_call_type", _remember_operators),
    (TargetConfig, "values", _fetch_flags_at_once),
    (Type, "__hash__", _hash_types_once),
    (CPUContext, "load_additional_registries", _import_once),
    (Context, "load_additional_registries", _import_once),
    (postproc.PostProcessor, "run", _without_variables_of_blocks),
)

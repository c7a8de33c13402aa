"""Numba's target context, as it is while a kernel is compiled: it is asked how each piece of LLVM code is written.

Numba copies its context for every function that it compiles. pipeline.py gives the copies that belong to kernels the class
below, so whatever is done otherwise here is done so in kernels alone.
"""

from __future__ import annotations

import copy
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.cgutils import raw_memcpy
from numba.core.cpu import CPUContext
from numba.core.datamodel.manager import DataModelManager
from numba.core.datamodel.models import TupleModel, UniTupleModel
from numba.core.datamodel.packer import ArgPacker
from numba.core.datamodel.registry import default_manager

from tesuji.core.sources import PACKAGE

_sizes: dict[tuple[str, str], int] = {}  # of LLVM's types


class KernelContext(CPUContext):
    """The context of one kernel. All attributes are set by pipeline.py."""

    counts_from_zero = False  # whether no index is negative
    entry_name = ""  # of an entry kernel: its unique name
    entry_arguments: list[Any]  # of an entry kernel: the argument types with which Numba declares it, the very objects

    def pack_value(self, builder: Any, ty: Any, value: Any, ptr: Any, align: Any = None) -> None:
        """A record is assigned by one copy of its bytes.

        Numba loads and stores it as an array of bytes. LLVM makes an instruction of each: 1,080 to copy a position of Hex.
        """
        if isinstance(ty, types.Record):
            raw_memcpy(builder, ptr, value, ir.Constant(ir.IntType(64), ty.size), 1)
        else:
            super().pack_value(builder, ty, value, ptr, align)

    def declare_function(self, module: Any, fndesc: Any) -> Any:
        if self.entry_name and fndesc.unique_name == self.entry_name:
            self.entry_arguments.append(fndesc.argtypes)
        return super().declare_function(module, fndesc)

    def get_arg_packer(self, fe_args: Any) -> Any:
        """Tuples are passed whole (see below), but not to an entry kernel, into which all other functions are inlined.

        Numbers that are arguments are known to be the same everywhere in a function before LLVM optimises anything. When it
        got its tuples whole, LLVM copied loops for each of several options, and made twice as much code.
        """
        if self.entry_name and any(fe_args is own for own in self.entry_arguments):
            return ArgPacker(_flat_models, fe_args)
        return super().get_arg_packer(fe_args)

    def get_abi_sizeof(self, ty: Any) -> int:
        """Numba has LLVM parse a small module whenever it needs the size of a type: for every variable, at every assignment."""
        key = str(self.target_data), str(ty)
        if key not in _sizes:
            _sizes[key] = super().get_abi_sizeof(ty)
        return _sizes[key]

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        """An array is its own array: no need to search all registries for a function that makes one of it."""
        if fn == "__array__" and type(sig.args[0]) in (types.Array, types.NestedArray):
            raise NotImplementedError
        return super().get_function(fn, sig, _firstcall)

    def _compile_subroutine_no_cache(self, *arguments: Any, **options: Any) -> Any:
        """A function of Numba's own, which other functions share, is compiled as plain Numba does it."""
        plain = copy.copy(self)
        plain.__class__ = CPUContext  # type: ignore[assignment]
        return CPUContext._compile_subroutine_no_cache(plain, *arguments, **options)


# -- tuples --------------------------------------------------------------------------------------------------------------
class _Whole:
    """A tuple as one argument, not one for each number in it.

    A tree and the memory of a thread are some two hundred numbers, which every function put together and every call took apart.
    The machine code is the same: inlined functions have no arguments, and those of other functions LLVM takes apart.
    """

    def get_argument_type(self) -> Any:
        return self.get_value_type()  # type: ignore[attr-defined]

    def as_argument(self, builder: Any, value: Any) -> Any:
        return value

    def from_argument(self, builder: Any, value: Any) -> Any:
        return value


class _WholeTuple(_Whole, TupleModel):
    pass


class _WholeUniTuple(_Whole, UniTupleModel):
    pass


_FORMS = {types.NamedTuple: (TupleModel, _WholeTuple), types.NamedUniTuple: (UniTupleModel, _WholeUniTuple)}
_flat_models = DataModelManager().chain(default_manager)


def register_tuples() -> None:
    """Tells Numba, once and for all, how NamedTuple classes of this package are passed; those of others stay as they are.

    For all functions, not in kernels alone: where a kernel calls a function of Numba's own, both must agree. The host program
    may have models of its own for its tuples.
    """
    for numba_type, (flat, whole) in _FORMS.items():
        usual = default_manager._handlers[numba_type]
        for manager, own in ((default_manager, whole), (_flat_models, flat)):
            manager.register(
                numba_type, lambda models, kind, own=own, usual=usual: (own if _is_whole(kind) else usual)(models, kind)
            )


def _is_whole(kind: Any) -> bool:
    return len(kind) > 0 and str(kind.instance_class.__module__).partition(".")[0] == PACKAGE.name

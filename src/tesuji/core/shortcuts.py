"""Work of the compiler that comes to nothing for the kernels of this package, left out.

Without machine code for leaves (core/leaves.py), more than half of the compile time is Numba's own Python code and the text
that it hands to LLVM. Seven parts of it can be spared, and the same is compiled as before:

- passes over every function that look for what no kernel holds (`fewer_passes`);
- taking NamedTuples apart for every call (`_pass_tuples_whole`, `flatten_arguments`);
- assigning a record byte by byte (`_copy_records_at_once`);
- searching the signature of an operator for types for which it was found before;
- fetching all compiler flags one by one, to compare them, at every look for an overload;
- compiling a function again for each kind of caller: inlined, called, or an entry kernel;
- events that nobody listens to.

Together they made the compile time of Connect Four 9.5 s instead of 13.2. Like leaves.py this knows the inside of Numba, and is
used only with versions that it was tested with.
"""

from __future__ import annotations

import operator
from typing import Any

# No kernel has closures, `with`, comprehensions, array expressions, raised exceptions, literally() or literal_unroll().
UNNEEDED_PASSES = {
    "WithLifting",
    "InlineClosureLikes",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "NopythonRewrites",
    "NoPythonSupportedFeatureValidation",
    "DumpParforDiagnostics",
}

_flat_models: Any = None  # the data models of Numba, as they were


def install() -> None:
    """Changes Numba, once, for this process."""
    _pass_tuples_whole()
    _copy_records_at_once()
    _remember_operators()
    _fetch_flags_at_once()
    _compile_once_for_all_callers()
    _stop_lock_events()


def fewer_passes(managers: list[Any]) -> list[Any]:
    """The same pipelines, without the passes that the kernels of this package do not need."""
    from numba.core.compiler_machinery import PassManager

    shorter = []
    for manager in managers:
        shorter.append(PassManager(manager.pipeline_name))
        shorter[-1].passes.extend(step for step in manager.passes if step[0].__name__ not in UNNEEDED_PASSES)
        shorter[-1].finalize()
    return shorter


def _pass_tuples_whole() -> None:
    """A NamedTuple of this package is one argument, not one for each number in it.

    A tree and the memory of a thread are some two hundred numbers, which every function put together and every call took apart.
    The machine code is the same: what is inlined has no arguments, and those of other functions LLVM takes apart.
    """
    from numba.core import types
    from numba.core.datamodel.manager import DataModelManager
    from numba.core.datamodel.models import TupleModel, UniTupleModel
    from numba.core.datamodel.registry import default_manager

    class Whole:
        def get_argument_type(self) -> Any:
            return self.get_value_type()  # type: ignore[attr-defined]

        def as_argument(self, builder: Any, value: Any) -> Any:
            return value

        def from_argument(self, builder: Any, value: Any) -> Any:
            return value

    class WholeTuple(Whole, TupleModel):
        pass

    class WholeUniTuple(Whole, UniTupleModel):
        pass

    def is_whole(kind: Any) -> bool:
        return len(kind) > 0 and kind.instance_class.__module__.partition(".")[0] == "tesuji"

    global _flat_models
    _flat_models = DataModelManager({types.NamedTuple: TupleModel, types.NamedUniTuple: UniTupleModel}).chain(default_manager)
    for numba_type, flat, whole in (
        (types.NamedTuple, TupleModel, WholeTuple),
        (types.NamedUniTuple, UniTupleModel, WholeUniTuple),
    ):
        default_manager.register(
            numba_type, lambda models, kind, flat=flat, whole=whole: (whole if is_whole(kind) else flat)(models, kind)
        )


def flatten_arguments(context: Any, name: str) -> None:
    """Has the function of this name take its arguments apart all the same: an entry kernel, into which all others are inlined.

    Numbers that are arguments are known to be the same everywhere in a function before LLVM optimises anything. Without this
    it copied whole loops for each of several options, and made twice as much code.
    """
    from numba.core.datamodel.packer import ArgPacker

    own: list[Any] = []  # the argument types of the function, the very object
    declare, packer = context.declare_function, context.get_arg_packer

    def declare_function(module: Any, descriptor: Any) -> Any:
        if descriptor.unique_name == name:
            own.append(descriptor.argtypes)
        return declare(module, descriptor)

    def get_arg_packer(argument_types: Any) -> Any:
        is_own = any(argument_types is known for known in own)
        return ArgPacker(_flat_models, argument_types) if is_own else packer(argument_types)

    context.declare_function = declare_function
    context.get_arg_packer = get_arg_packer


def _copy_records_at_once() -> None:
    """A record is assigned by one copy of its bytes.

    Numba loads and stores it as an array of bytes. LLVM makes an instruction of each: 1,080 to copy a position of Hex.
    """
    from llvmlite import ir
    from numba.core import types
    from numba.core.cgutils import raw_memcpy
    from numba.np import arrayobj

    store = arrayobj.store_item

    def store_item(context: Any, builder: Any, array: Any, value: Any, place: Any) -> None:
        if isinstance(array.dtype, types.Record):
            raw_memcpy(builder, place, value, ir.Constant(ir.IntType(64), array.dtype.size), 1)
        else:
            store(context, builder, array, value, place)

    arrayobj.store_item = store_item


def _remember_operators() -> None:
    """The signature of an operator on numbers, arrays and records depends on nothing but these types."""
    from numba.core import types
    from numba.core.types.functions import BaseFunction

    search = BaseFunction.get_call_type
    plain = (types.Number, types.Boolean, types.IntegerLiteral, types.BooleanLiteral, types.Array, types.Record)
    operators = {function for name, function in vars(operator).items() if not name.startswith("_") and callable(function)}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or self.typing_key not in operators or not all(isinstance(kind, plain) for kind in args):
            return search(self, context, args, kws)
        known = self.__dict__.setdefault("_known_call_types", {})
        key = context, tuple(args)
        if key not in known:
            known[key] = search(self, context, args, kws)
        return known[key]

    BaseFunction.get_call_type = get_call_type


def _fetch_flags_at_once() -> None:
    from numba.core.targetconfig import TargetConfig

    defaults: dict[type, dict[str, Any]] = {}

    def values(self: Any) -> dict[str, Any]:
        kind = type(self)
        if kind not in defaults:
            defaults[kind] = {name: option.default for name, option in kind.options.items()}
        return {**defaults[kind], **self._values}

    TargetConfig.values = values


def _compile_once_for_all_callers() -> None:
    """Whether a caller is inlined, or an entry kernel, is no reason to compile what it calls once more.

    Numba's key has all flags of the caller. Kernels have flags of their own. Numba's own functions take over whether to be
    inlined, so that the first caller decides that now: it may matter to speed, not to results.
    """
    from numba.core.targetconfig import ConfigStack
    from numba.core.typing.templates import _OverloadFunctionTemplate

    def get_impl(self: Any, args: Any, kws: Any) -> Any:
        caller = ConfigStack.top_or_none()
        if caller is not None:
            caller = caller.copy()
            caller.forceinline, caller.no_cpython_wrapper = False, True
        key = self.context, tuple(args), tuple(kws.items()), caller
        return self._impl_cache[key] if key in self._impl_cache else self._build_impl(key, args, kws)

    _OverloadFunctionTemplate._get_impl = get_impl


def _stop_lock_events() -> None:
    """Two events for each call of LLVM, told to a listener of every function that is being compiled."""
    from llvmlite.binding import ffi

    for callbacks in [both for both in ffi.lib._lock._cblist if both[0].__module__ == "numba.core.base"]:
        ffi.unregister_lock_callback(*callbacks)
